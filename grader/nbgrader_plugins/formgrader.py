"""The formgrader's page of a submission: what a student wrote is shown there, and must not run there.

Whatever runs in that page acts with the instructor's session: it could set marks, read hidden tests and use the kernel
of the server. nbgrader shows a submission as it is. Two settings of the section `HTMLExporter`, which the formgrader
reads, put a step and filters in front of its template; `nbgrader_config.py` names them. Formulas are still set.
"""

from __future__ import annotations

import html
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.feedback.colours import coloured
from grader.feedback.sanitise import CONTAINED, contained, student_markdown
from grader.feedback.steps import CleanOutputs


class CleanSubmission(CleanOutputs):
    """Leave of a submission what can do no harm, and escape the names that the template takes as they are."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Clean one notebook. Called by nbconvert before the page is written."""
        for place, cell in enumerate(nb.cells):
            if cell.cell_type == "raw":  # which nbconvert copies into the page
                nb.cells[place] = new_markdown_cell(f"<pre>{html.escape(cell.source)}</pre>", metadata=cell.metadata)
        for name in ("student", "first_name", "last_name"):
            if resources.get(name):
                resources[name] = html.escape(str(resources[name]))
        nb, resources = super().preprocess(nb, resources)
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                _contain(output)
        return nb, resources


def _contain(output: NotebookNode) -> None:
    """Put what is shown of an output into a box of its own, out of which it cannot paint."""
    data = output.get("data", {})
    if "text/html" in data:
        data["text/html"] = contained(data["text/html"])
    elif "image/png" not in data and "image/jpeg" not in data and "text/latex" in data:
        data["text/html"] = contained(html.escape(data.pop("text/latex")))  # formulas are set wherever they are


@pass_context
def clean_markdown(context: Context, source: str) -> str:
    """Give Markdown as harmless HTML, with the images attached to its cell; stands for nbconvert's `markdown2html`."""
    cell = context.get("cell") or {}
    return contained(student_markdown(NotebookNode(source=source, attachments=cell.get("attachments", {}))))


def coloured_code(source: str, language: str = "", metadata: object = None, **options: object) -> str:
    """Give code with colours, in linear time; stands for nbconvert's `highlight_code`."""
    return contained(coloured(source))


def contained_text(text: str) -> str:
    """Give a text of an output in a box of its own; stands for nbconvert's `ansi2html`, whose codes are gone."""
    return f'<span style="display: block; {CONTAINED}">{html.escape(text, quote=False)}</span>'


def cleaned_before(markup: str) -> str:
    """Give what was cleaned as it is; stands for nbconvert's `clean_html`, which would take the boxes away."""
    return markup
