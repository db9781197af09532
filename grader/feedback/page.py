"""What students get back: no script, no hidden test, no path of this machine, and a reason for each lost point.

Three steps for `GenerateFeedback.preprocessors` and the exporter for `GenerateFeedback.exporter_class`, named in
`nbgrader_config.py`. The steps take from the notebook what must not be on the page; the exporter writes the page from
a template of its own, which escapes or cleans whatever it shows once more. The page's content security policy forbids
scripts and requests altogether, should anything slip through. The price is that formulas stay as they were typed.
"""

from __future__ import annotations

import ast
import base64
import binascii
import html
import re
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import strip_ansi
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, GetGrades, NbGraderPreprocessor
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from grader.core.findings import Finding, Level
from grader.core.notebook import CellKind, grade_id, kind_of

HIDDEN_NOTE = "# hidden tests: not shown"
REDACTED = "[hidden test]"
# Shorter lines (`x = 1`) say nothing and stand in honest outputs by chance.
SECRET_LENGTH = 12
MESSAGE_LENGTH = 1_000
IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
TEXTS = ("text/plain", "text/latex", "text/markdown")
_TAGS = """
a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
TAGS = frozenset(_TAGS.split())
ATTRIBUTES = {
    "*": {"class", "dir", "lang", "style", "title"},
    "a": {"href"},
    "img": {"alt", "height", "src", "width"},
    "ol": {"start"},
    "td": {"colspan", "headers", "rowspan"},
    "th": {"colspan", "headers", "rowspan", "scope"},
}
# Nothing that takes an element out of its place: a student's box shall not cover the points.
_STYLES = """
background-color border border-bottom border-collapse border-color border-left border-right border-spacing border-style
border-top border-width caption-side color font-family font-size font-style font-weight height line-height max-width
min-width padding padding-bottom padding-left padding-right padding-top text-align text-decoration text-indent
vertical-align white-space width
"""
STYLES = frozenset(_STYLES.split())
IMAGE_SOURCE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
LINK = re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL)


def _allowed(tag: str, name: str, value: str) -> bool:
    if name not in ATTRIBUTES["*"] | ATTRIBUTES.get(tag, set()):
        return False
    if name == "src":
        return IMAGE_SOURCE.fullmatch(value) is not None
    if name == "class":  # the colours of code; not the classes that the page gives to points and messages
        return re.fullmatch(r"highlight|[a-z][a-z0-9]?", value) is not None
    return name != "href" or LINK.fullmatch(value.strip()) is not None


def clean_html(text: str) -> str:
    """Take out of HTML all that can run, load, hide or cover something.

    Args:
        text: HTML of a student's.

    Returns:
        HTML with the plain tags of text, tables and embedded PNG and JPEG images. Headings are two levels lower, under
        those of the page.
    """
    # The text inside these would be left behind as text.
    text = re.sub(r"(?is)<(script|style|title|template|noscript)\b.*?(?:</\1\s*>|\Z)", "", text)
    cleaned = bleach.clean(
        text,
        tags=TAGS,
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        strip=True,
        css_sanitizer=CSSSanitizer(allowed_css_properties=STYLES, allowed_svg_properties=()),
    )
    cleaned = re.sub(r"<img(?![^>]*\ssrc=)([^>]*)>", _alternative, cleaned)
    return re.sub(r"<(/?)h([1-6])\b", lambda m: f"<{m[1]}h{min(6, int(m[2]) + 2)}", cleaned)


def _alternative(image: re.Match) -> str:
    """Give the text of an image that was not let in, instead of a browser's sign of a broken one."""
    text = re.search(r'\salt="([^"]*)"', image[1])
    return text[1] if text else ""


def hide_tests(source: str, begin: str, end: str) -> tuple[str, list[str]]:
    """Replace each region of hidden tests by a comment.

    Args:
        source: Code of a test cell.
        begin: Text in the line that opens a region.
        end: Text in the line that closes it. A region that is not closed reaches to the end of the cell.

    Returns:
        The rest of the code, and the lines that were taken out.
    """
    shown, hidden, inside = [], [], False
    for line in source.splitlines():
        if begin in line:
            if not inside:
                indent = line[: len(line) - len(line.lstrip())]
                shown.append(indent + HIDDEN_NOTE)
            inside = True
        elif inside and end in line:
            inside = False
        else:
            (hidden if inside else shown).append(line)
    return "\n".join(shown), hidden


def failure(outputs: list[NotebookNode]) -> str:
    """Say in one text why a test cell failed: the message of its assertion, else the error's name and message.

    Args:
        outputs: The cell's outputs.

    Returns:
        The text, or an empty one if there is no error.
    """
    for output in outputs:
        if output.output_type == "error":
            name, text = str(output.get("ename", "")), strip_ansi(str(output.get("evalue", ""))).strip()
            if name == "KeyboardInterrupt" and not text:
                return "The test did not end within its time."
            if text and name in ("NotImplementedError", "TimeoutError"):  # the release's words, and marking's own
                return _short(text, MESSAGE_LENGTH)
            if name == "AssertionError":
                return _short(text, MESSAGE_LENGTH) or "The test failed; it gives no further reason."
            return _short(f"{name}: {text}" if text else name, MESSAGE_LENGTH)
    return ""


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + " ..."


class Scrubber:
    """Takes the paths of this machine out of a text.

    Args:
        root: The course's folder.
    """

    def __init__(self, root: str | Path):
        libraries = {*site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values()}
        temporary = re.escape(tempfile.gettempdir().rstrip("/\\"))
        exact = [(place, "") for place in sorted(libraries, key=len, reverse=True)]
        exact += [(str(place), "course") for place in {Path(root), Path(root).resolve()}]
        # Last: with Debian's Python a prefix is /usr, which much begins with that is gone as a whole above.
        prefixes = [(sys.prefix, ""), (sys.base_prefix, ""), (str(Path.home()), "~")]
        # Of bounded length: an embedded image is one long word with many slashes. Not within an address.
        path = r"(?<![\w./])(?!//)(?:[A-Za-z]:)?[/\\](?:[^\s\"'<>:|()]{0,200}[/\\])?"
        self.patterns = [(re.compile(rf"{temporary}[/\\]ipykernel_\d+[/\\]\d+\.py|<ipython-input-[^>]*>"), "cell")]
        self._exactly(exact)
        self.patterns += [
            (re.compile(rf"{path}(?:site|dist)-packages[/\\]"), ""),
            (re.compile(rf"{path}lib[/\\]python3\.\d+[/\\]"), ""),
        ]
        self._exactly(prefixes)
        self.patterns += [
            (re.compile(r"(?<![\w./])(?:/home|/Users|[A-Za-z]:\\Users)[/\\][^/\\\s\"'<>:]+"), "~"),
        ]

    def _exactly(self, places: list[tuple[str, str]]) -> None:
        for place, instead in places:
            if len(place) > 3:
                # As a whole: /root is not a part of /roots.
                tail = r"[/\\]" if not instead else r"(?![\w-])"
                self.patterns.append((re.compile(re.escape(place.rstrip("/\\")) + tail), instead))

    def __call__(self, text: str) -> str:
        """Give the text without the paths."""
        for pattern, instead in self.patterns:
            text = pattern.sub(instead, text)
        return text


class GetMarks(GetGrades):
    """nbgrader's step that brings marks and comments into the notebook; also tells which marks wait for a person."""

    def _get_score(self, cell: NotebookNode, resources: dict) -> None:
        super()._get_score(cell, resources)
        names = self.notebook_id, self.assignment_id, self.student_id
        grade = self.gradebook.find_grade(cell.metadata["nbgrader"]["grade_id"], *names)
        cell.metadata.nbgrader["waits"] = bool(grade.needs_manual_grade)


class HideTests(NbGraderPreprocessor):
    """Take the hidden tests out, and of a test cell's outputs all but the reason of its failure.

    The rest of those outputs may hold lines of the test and, printed by the student's function, its data.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Hide the tests of one notebook. Called by nbconvert after the marks were taken up."""
        marks = ClearHiddenTests(parent=self)
        hidden: set[str] = set()
        for cell in nb.cells:
            for name in ("feedback", "section"):  # the submission's own word
                cell.metadata.pop(name, None)
            if cell.cell_type == "code":
                cell.source, lines = hide_tests(cell.source, marks.begin_test_delimeter, marks.end_test_delimeter)
                hidden.update(line.strip() for line in lines)
            if kind_of(cell) is CellKind.TEST:
                cell.metadata["feedback"] = {"message": failure(cell.get("outputs", [])), "title": _title(cell.source)}
                cell["outputs"] = []
        explain_failures(nb)
        visible = {line.strip() for cell in nb.cells for line in cell.source.splitlines()}
        secrets = sorted((s for s in hidden - visible if len(s) >= SECRET_LENGTH), key=len, reverse=True)
        for cell in nb.cells:
            _change_texts(cell, lambda text: _redact(text, secrets))
        return nb, resources


def _redact(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        for form in (secret, html.escape(secret), html.escape(secret, quote=False), repr(secret)[1:-1]):
            text = text.replace(form, REDACTED)
    return text


def _title(source: str) -> str:
    """Give the first line of a cell's docstring."""
    try:
        lines = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    except (SyntaxError, ValueError):
        return ""
    return lines[0] if lines else ""


def _change_texts(cell: NotebookNode, change) -> None:
    """Apply a function to each text among a cell's outputs and to its message."""
    if "feedback" in cell.metadata:
        cell.metadata.feedback["message"] = change(cell.metadata.feedback["message"])
        example = cell.metadata.feedback.get("example")
        if example:
            example["arguments"] = [[name, change(text)] for name, text in example["arguments"]]
            example["got"] = change(example["got"])
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            output["text"] = change(output.text)
        elif output.output_type == "error":
            output["ename"], output["evalue"] = change(output.ename), change(output.evalue)
            output["traceback"] = [change(line) for line in output.traceback]
        else:
            for kind, text in output.data.items():
                if isinstance(text, str) and kind not in IMAGES:
                    output.data[kind] = change(text)


class CleanOutputs(NbGraderPreprocessor):
    """Leave only outputs that can do no harm on a page, without the paths of this machine."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Clean the outputs of one notebook. Called by nbconvert."""
        scrub = Scrubber(CourseDirectory(parent=self).root)
        nb.metadata.pop("widgets", None)
        for cell in nb.cells:
            cell["attachments"] = {
                name: {kind: data for kind, data in bundle.items() if _is_image(kind, data)}
                for name, bundle in cell.get("attachments", {}).items()
            }
            if cell.cell_type != "markdown" or not cell.attachments:
                del cell["attachments"]
            if cell.cell_type == "code":
                cell["outputs"] = [output for output in cell.outputs if _clean(output)]
            _change_texts(cell, lambda text: scrub(strip_ansi(text)))
        return nb, resources


def _is_image(kind: str, data: object) -> bool:
    """Tell whether data are what they say they are."""
    if kind not in IMAGES or not isinstance(data, str):
        return False
    try:
        return base64.b64decode("".join(data.split()), validate=True).startswith(IMAGES[kind])
    except (binascii.Error, ValueError):
        return False


def _clean(output: NotebookNode) -> bool:
    """Take from an output what may run; tell whether anything is left."""
    if output.output_type not in ("display_data", "execute_result"):
        return True
    data = output.data
    kept = {kind: data[kind] for kind in TEXTS if isinstance(data.get(kind), str)}
    kept |= {kind: "".join(data[kind].split()) for kind in IMAGES if _is_image(kind, data.get(kind))}
    if isinstance(data.get("text/html"), str):
        kept["text/html"] = clean_html(data["text/html"])
    output["data"] = NotebookNode(kept)
    output["metadata"] = NotebookNode()
    return bool(kept)


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


def explain_failures(nb: NotebookNode) -> None:
    """Note at each failed test the mistake that was recognised, and where in the notebook to read again.

    Args:
        nb: The notebook with the marking's note in its metadata; test cells get `causes`, `example`, `section` and
            `same`, the first test that shows the same, in `feedback`, and the cells that open a section a `section`.
    """
    entries = nb.metadata.get("marking", {}).get("causes", [])
    cells = {grade_id(cell): cell for cell in nb.cells if kind_of(cell) in (CellKind.TEST, CellKind.ANSWER)}
    shown: dict[tuple, str] = {}
    for test, found in _by_test(entries if isinstance(entries, list) else []).items():
        cell, answer = cells.get(test), cells.get(found[0]["exercise"])
        if cell is None or answer is None or "feedback" not in cell.metadata or not cell.metadata.feedback["message"]:
            continue
        notes = cell.metadata.feedback
        notes["causes"] = [str(one["says"]) for one in found]
        notes["same"] = shown.setdefault((found[0]["exercise"], *sorted(str(one["name"]) for one in found)), test)
        notes["section"] = _section(nb, answer)
        if notes["same"] == test and isinstance(found[0].get("example"), dict):
            one = found[0]["example"]
            notes["example"] = NotebookNode(
                function=str(one["function"]),
                arguments=[[str(name), str(text)] for name, text in one["arguments"]],
                got=str(one["got"]),
                wanted=[str(line) for line in one["wanted"]],
            )


def _by_test(entries: list) -> dict[str, list[dict]]:
    """Group what was recognised by test, without what is not in the form that marking gives it."""
    found: dict[str, list[dict]] = {}
    for entry in entries:
        if isinstance(entry, dict) and all(isinstance(entry.get(n), str) for n in ("test", "exercise", "name", "says")):
            found.setdefault(entry["test"], []).append(entry)
    return found


def _section(nb: NotebookNode, answer: NotebookNode) -> NotebookNode | None:
    """Mark the cell that opens the section an answer stands in; give the section's place and title."""
    opening = None
    for cell in nb.cells:
        if cell is answer:
            break
        if cell.cell_type == "markdown" and re.match(r"##\s", cell.source):
            opening = cell
    if opening is None:
        return None
    if "section" not in opening.metadata:
        number = 1 + sum("section" in cell.metadata for cell in nb.cells)
        title = re.sub(r"[*`]", "", opening.source.splitlines()[0].strip("# "))
        opening.metadata["section"] = NotebookNode(id=f"section-{number}", title=title)
    return opening.metadata.section


def blocks(cells: list[NotebookNode]) -> list[dict]:
    """Group a notebook's cells for the page.

    Returns:
        In order, `{"kind": "lesson", "heading": ..., "failed": ..., "cells": [...]}` for runs of cells that carry no
        points, with the text of the last heading in them and whether one ended with an error, and
        `{"kind": "graded", "cells": [cell]}` for answers and tests. A section that a failed test points to begins a
        run of its own, with its `id`.
    """
    found: list[dict] = []
    for cell in cells:
        marks = cell.metadata.get("nbgrader", {})
        graded = bool(marks.get("grade") or marks.get("solution") or marks.get("task"))
        section = cell.metadata.get("section", {})
        if graded or section or not found or found[-1]["kind"] == "graded":
            found.append({"kind": "graded" if graded else "lesson", "heading": "", "failed": False, "cells": []})
            found[-1] |= {"id": section.get("id", ""), "heading": section.get("title", "")}
        found[-1]["cells"].append(cell)
        found[-1]["failed"] |= any(output.output_type == "error" for output in cell.get("outputs", []))
        if not graded and not found[-1]["id"] and cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^#{1,6}\s+(.+?)\s*#*$", cell.source):
                found[-1]["heading"] = heading.replace("**", "").replace("`", "")
    return found


class FeedbackExporter(HTMLExporter):
    """Writes the feedback page of a notebook that went through the steps above."""

    def __init__(self, config: Config | None = None, **kwargs):
        config = config.copy() if config is not None else Config()
        # nbgrader names its own template in the section HTMLExporter; a setting for this class goes before.
        own = config.FeedbackExporter
        own.setdefault("template_name", "course_feedback")
        own.setdefault("extra_template_basedirs", [str(Path(__file__).with_name("templates"))])
        own.setdefault("preprocessors", [])  # those of the section HTMLExporter are for the formgrader's page
        super().__init__(config=config, **kwargs)

    def default_filters(self):
        """Yield the filters that the template uses beside nbconvert's."""
        yield from super().default_filters()
        yield "blocks", blocks
        yield "student_html", clean_html
        yield "student_markdown", student_markdown
        yield "student_code", student_code
        yield "findings_for_student", findings_for_student
        yield "inline_code", inline_code
        yield "pygments_css", lambda style: HtmlFormatter(style=style).get_style_defs(".highlight")


def student_markdown(cell: NotebookNode | str) -> str:
    """Give a markdown cell, or a comment, as clean HTML."""
    source = cell if isinstance(cell, str) else cell.source
    attachments = {} if isinstance(cell, str) else cell.get("attachments", {})
    try:
        renderer = IPythonRenderer(escape=False, attachments=attachments, exclude_anchor_links=True)
        return clean_html(MarkdownWithMath(renderer=renderer).render(source))
    except Exception:  # a lost image, or text on which the renderer stumbles: show what was typed
        return f"<pre>{html.escape(source)}</pre>"


def inline_code(text: str) -> str:
    """Give a plain text as HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def student_code(source: str) -> str:
    """Give code as HTML, in colours."""
    return Highlight2HTML(pygments_lexer="ipython3")(source)
