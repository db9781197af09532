"""The formgrader's page of a submission: what a student wrote is shown there, and must not run there.

Whatever runs in that page acts with the instructor's session: it could set marks, read hidden tests and use the kernel
of the server. nbgrader shows a submission as it is. Two settings of the section `HTMLExporter`, which the formgrader
reads, put a step and a filter in front of its template; `nbgrader_config.py` names them. Formulas are still set.
"""

from __future__ import annotations

import html
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.feedback.sanitise import student_markdown
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
        return super().preprocess(nb, resources)


@pass_context
def clean_markdown(context: Context, source: str) -> str:
    """Give Markdown as harmless HTML, with the images attached to its cell; stands for nbconvert's `markdown2html`."""
    cell = context.get("cell") or {}
    return student_markdown(NotebookNode(source=source, attachments=cell.get("attachments", {})))
