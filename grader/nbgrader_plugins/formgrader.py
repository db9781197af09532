"""The formgrader's page of a submission: what a student wrote is shown there, and must not run there.

Whatever runs in that page acts with the instructor's session: it could set marks, read hidden tests and use the kernel
of the server. nbgrader shows a submission as it is. Two settings of the section `HTMLExporter`, which the formgrader
reads, put a step and filters in front of its template; `nbgrader_config.py` names them. No link of a submission leads
out of the page, and its formulas are set if they do nothing else (`feedback/in_session.py`).

The step makes everything that the filters need, in a process with the limits of a feedback page; the filters only look
up what it made. If it ran into a limit or failed, the page shows what the student typed and leaves the outputs out.
"""

from __future__ import annotations

import html
import json
import logging
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_markdown_cell, new_output

from grader.core.escaping import printable_line, without_controls
from grader.feedback.bounds import Allowance
from grader.feedback.clock import make_one
from grader.feedback.colours import Colours
from grader.feedback.formulas import LEFT_ALONE, Formulas
from grader.feedback.in_session import harmless, left_alone
from grader.feedback.sanitise import CONTAINED, as_typed, faults_told_once, student_markdown
from grader.feedback.steps import MARKDOWN_ROOM, CleanOutputs

logger = logging.getLogger(__name__)

#: Where the filters find what was made for them, in nbconvert's resources.
_MADE = "made_for_the_formgrader"
LEFT_OUT = "[the outputs are not shown: to show this page takes too long]"
NOT_MADE = "[the outputs are not shown: this page could not be made]"
TOO_MANY = "Some formulas of this page are shown as they were typed, since to set them all takes too long."
FAULT = "This page could not be made, by a fault of the grader and not of the submission: {}. The log has more."
_MOST_SAID = 200


class CleanSubmission(CleanOutputs):
    """Leave of a submission what can do no harm, and escape the names that the template takes as they are."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Clean one notebook. Called by nbconvert before the page is written."""
        for name in ("student", "first_name", "last_name"):
            if resources.get(name):
                resources[name] = f'<span class="{LEFT_ALONE}">{html.escape(str(resources[name]))}</span>'

        def whole() -> str:
            with faults_told_once("a page of the formgrader"):
                return json.dumps(self._made(nb))

        made = make_one(whole)
        if made.text is None and made.why:  # never once more without the limits: what was handed in may have led to it
            why = printable_line(made.why, _MOST_SAID)
            logger.error("a page of the formgrader could not be made (%s); it shows no outputs\n%s", why, made.trace)
            nb, resources[_MADE] = _plain(nb, NOT_MADE), {}
            nb.cells.insert(0, new_markdown_cell(FAULT.format(why)))
        elif made.text is None:
            logger.warning("a page of the formgrader took too long; it shows sources as they were typed and no outputs")
            nb, resources[_MADE] = _plain(nb, LEFT_OUT), {}
        else:
            cleaned, resources[_MADE] = json.loads(made.text)
            nb = from_dict(cleaned)
        return nb, resources

    def _made(self, nb: NotebookNode) -> tuple[NotebookNode, dict[str, str]]:
        """Return the cleaned notebook, and the HTML of each of its sources and texts."""
        _show_raw_cells(nb)
        nb, found = super().preprocess(nb, {})
        made, formulas, colours, markdown = {}, Formulas(), Colours(), found[MARKDOWN_ROOM]
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                _contain(output, formulas)
                text = output.get("data", {}).get("text/markdown")
                if isinstance(text, str):
                    made[_key(text, {})] = harmless(student_markdown(text, markdown), formulas)
            if cell.cell_type == "code":
                made[_key(cell.source, None)] = left_alone(colours.code(cell.source))
            else:
                attachments = cell.get("attachments", {})
                text = NotebookNode(source=cell.source, attachments=attachments)
                made[_key(cell.source, attachments)] = harmless(student_markdown(text, markdown), formulas)
        if formulas.too_many:
            nb.cells.insert(0, new_markdown_cell(TOO_MANY))
        return nb, made


def _show_raw_cells(nb: NotebookNode) -> None:
    """Turn raw cells, which nbconvert copies into the page, into texts."""
    for place, cell in enumerate(nb.cells):
        if cell.cell_type == "raw":
            nb.cells[place] = new_markdown_cell(f"<pre>{html.escape(cell.source)}</pre>", metadata=cell.metadata)


def _plain(nb: NotebookNode, instead: str) -> NotebookNode:
    """Leave the sources of a notebook, cut if need be; every step of this is linear."""
    _show_raw_cells(nb)
    room = Allowance()
    nb.metadata.pop("widgets", None)
    for cell in nb.cells:
        cell.source = room.source(without_controls(cell.source))
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell["outputs"] = [new_output("stream", name="stdout", text=instead)] if cell.outputs else []
    return nb


def _key(source: str, attachments: dict[str, Any] | None) -> str:
    """Return by what the HTML of a source is found; code has no attachments."""
    return json.dumps([source, attachments], sort_keys=True)


def _contain(output: NotebookNode, formulas: Formulas) -> None:
    """Put what is shown of an output into a box of its own, out of which it cannot paint."""
    data = output.get("data", {})
    latex = data.pop("text/latex", None)
    if "text/html" in data:
        data["text/html"] = harmless(data["text/html"], formulas)
    elif isinstance(latex, str) and "text/markdown" not in data:  # which would come before a picture as well
        data["text/html"] = harmless(html.escape(latex, quote=False), formulas)


@pass_context
def clean_markdown(context: Context, source: str) -> str:
    """Give Markdown as harmless HTML, with the images attached to its cell; stands for nbconvert's `markdown2html`."""
    attachments = (context.get("cell") or {}).get("attachments", {})
    made = context.get("resources", {}).get(_MADE, {})
    return made.get(_key(source, attachments)) or made.get(_key(source, {})) or left_alone(as_typed(source))


@pass_context
def coloured_code(context: Context, source: str, language: str = "", metadata: object = None, **options: object) -> str:
    """Give code with colours, in linear time; stands for nbconvert's `highlight_code`."""
    made = context.get("resources", {}).get(_MADE, {})
    return made.get(_key(source, None)) or left_alone(as_typed(source))


def contained_text(text: str) -> str:
    """Give a text of an output in a box of its own; stands for nbconvert's `ansi2html`, whose codes are gone."""
    return f'<span class="{LEFT_ALONE}" style="display: block; {CONTAINED}">{html.escape(text, quote=False)}</span>'


def cleaned_before(markup: str) -> str:
    """Give what was cleaned as it is.

    Stands for nbconvert's `clean_html`, which would take the boxes away, and for `strip_files_prefix`, which mends
    addresses that no page shows and takes minutes for `[](files/` over and over.
    """
    return markup
