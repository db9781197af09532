"""What students get back: no script, no hidden test, no path of this machine, and a reason for each lost point.

The exporter for `GenerateFeedback.exporter_class`, named in `nbgrader_config.py`; `grader feedback` uses it as well.
The steps (`steps.py`) take from the notebook what must not be on the page; `layout.py` arranges the rest, and a
template of our own writes it, which escapes or cleans whatever it shows once more. The page's content security policy
forbids scripts and requests altogether, should anything slip through. The price is that formulas stay as they were
typed.
"""

from __future__ import annotations

import copy
import functools
import html
import logging
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template, pass_context
from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from traitlets import Bool, List, default

from grader.core.course import Course
from grader.core.escaping import printable_line
from grader.core.findings import Finding, Level
from grader.feedback.bounds import Allowance
from grader.feedback.clock import make_one
from grader.feedback.colours import Colours
from grader.feedback.layout import Layout, lay_out, released_to
from grader.feedback.sanitise import clean_html, contained, faults_told_once, student_markdown
from grader.feedback.spoken import Voice, spoken
from grader.feedback.steps import MARKDOWN_ROOM, GetMarks
from grader.languages.building import language_of

logger = logging.getLogger(__name__)


class FeedbackExporter(Exporter):
    """Writes the feedback page of a notebook that went through the steps."""

    #: Set where the caller is already in a process that ends when its time is up.
    bounded = False

    # What nbconvert does to every notebook is of no use here, nor is checking it again after each step.
    default_preprocessors: Any = List([])
    optimistic_validation = Bool(True)

    def __init__(self, **options: Any):
        super().__init__(**options)  # type: ignore[no-untyped-call]
        #: By assignment and language: what translates, where that was read before the processes of the pages begin.
        self.voices: dict[tuple[str, str], Voice | None] = {}
        _template()  # compiled here, once for all processes that come of this one

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def _preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[Any, Any]:
        # nbconvert fails where there is no step after which it could check the notebook.
        if not self._preprocessors:
            return nb, resources
        taken: tuple[Any, Any] = super()._preprocess(nb, resources)  # type: ignore[no-untyped-call]
        return taken

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Write the page. One that takes too long, or fails, becomes a plain one; nothing stops the class's run."""

        def whole() -> str:
            cleaned, found = Exporter.from_notebook_node(self, nb, copy.deepcopy(resources), **options)
            return self._write(cleaned, found)

        made = None if self.bounded else make_one(whole)
        if made is None:
            text = whole()
        elif made.text is None:
            why = f"could not be made ({printable_line(made.why)})" if made.why else "took too long"
            logger.warning("a feedback page %s; a plain one with the points was written", why)
            text = self.plain(nb, resources)  # and never the whole one again, without bounds
        else:
            text = made.text
        found: dict[str, Any] = self._init_resources(resources)  # type: ignore[no-untyped-call]
        found["output_extension"] = self.file_extension
        return text, found

    def plain(self, nb: NotebookNode, resources: dict[str, Any] | None) -> str:
        """Write a page with nothing but the points, for a notebook whose page takes too long."""
        nb = copy.deepcopy(nb)
        found = self._init_resources(copy.deepcopy(resources))  # type: ignore[no-untyped-call]
        for step in self._preprocessors:
            if isinstance(step, GetMarks):
                nb, found = step.preprocess(nb, found)
        for cell in nb.cells:
            cell.metadata.pop("feedback", None)
        nb.cells = [c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade")]
        nb.metadata.pop("marking", None)
        return self._write(nb, found, plain=True)

    def _write(self, nb: NotebookNode, resources: dict[str, Any], plain: bool = False) -> str:
        names = resources.get("nbgrader", {})
        released = released_to(CourseDirectory(parent=self), names)
        page = Layout([]) if plain else lay_out(nb, released)
        waiting = sum(
            float(c.metadata.nbgrader.points) for c in nb.cells if c.metadata.get("nbgrader", {}).get("waits")
        )
        noticed = findings_for_student(nb)
        language = language_of(nb)
        assignment = str(names.get("assignment", ""))
        say = spoken(nb, page, noticed, self.course(), assignment, language, self.voices.get((assignment, language)))
        with faults_told_once(f"{names.get('student', '')} {names.get('assignment', '')}".strip() or "a page"):
            return _template().render(
                nb=nb,
                names=names,
                page=page,
                noticed=noticed,
                waiting=waiting,
                plain=plain,
                colours=Colours(),
                markdown=resources.get(MARKDOWN_ROOM) or Allowance(),
                language=language.replace("_", "-"),
                _=lambda text, **values: say(text).format(**values),
            )

    def course(self) -> Course | None:
        """Return the course whose translations are used."""
        own = Course(Path(CourseDirectory(parent=self).root))
        return own if own.solutions.is_dir() else Course.nearest()


@functools.cache
def _template() -> Template:
    """Return the page's template. Whatever it shows is escaped, but for what these filters clean."""
    environment = Environment(
        autoescape=True, loader=FileSystemLoader(Path(__file__).with_name("templates")), trim_blocks=True
    )
    environment.filters |= {
        "points": lambda value: f"{float(value):.2f}".rstrip("0").rstrip("."),
        "student_html": lambda text: Markup(contained(clean_html(text))),
        "student_markdown": pass_context(
            lambda context, cell: Markup(contained(student_markdown(cell, context["markdown"])))
        ),
        "student_code": pass_context(lambda context, source: Markup(context["colours"].code(source))),
        "inline_code": lambda text: Markup(inline_code(text)),
    }
    return environment.get_template("course_feedback/index.html.j2")


def findings_for_student(nb: NotebookNode) -> list[Finding]:
    """Read from the notebook's metadata what was noticed, without what is for the instructor only."""
    entries = nb.metadata.get("marking", {}).get("findings", [])
    findings = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            finding = Finding.from_json(entry)
        except (KeyError, TypeError, ValueError):
            continue
        if finding.level in (Level.REPAIRED, Level.LOST):
            findings.append(finding)
    return findings


def inline_code(text: str) -> str:
    """Return a plain text as HTML, with whatever is between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
