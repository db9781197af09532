"""What we add to nbgrader's own steps of marking a notebook, named in `nbgrader_config.py`.

Stock nbgrader marks every honest submission the same; these steps make it faster and keep marks where stock loses
them to something that is not the student's answer.
"""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from .notebook import SKIPPED_KINDS, CellKind, kind_of, read_notebook

#: Tag that `nbclient` is told to skip (`Execute.skip_cells_with_tag`); set here alone.
SKIP_TAG = "skipped-when-grading"


class TidySubmission(NbGraderPreprocessor):
    """Drop what a front end left in the notebook and what trips a later step.

    Colab saves `metadata.widgets` without `state`, and nbconvert's pages then die with a KeyError.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Tidy one submission. Called by nbconvert before nbgrader's own sanitising steps."""
        nb.metadata.pop("widgets", None)
        return nb, resources


class SkipDemonstrations(NbGraderPreprocessor):
    """Mark the cells that need not run for marking: demonstrations the student left as they were.

    Which cells those are is read from the source notebook, never from the submission's tags. If the student's own
    code uses a name that only a demonstration defines, all of them run.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Mark the cells of one submission. Called by nbconvert just before the notebook is executed."""
        names = resources["nbgrader"]
        folders = CourseDirectory(parent=self)
        folder = Path(folders.format_path(folders.source_directory, ".", names["assignment"]))
        mark_skippable(nb, read_notebook(folder / f"{names['notebook']}.ipynb"))
        return nb, resources


def mark_skippable(nb: NotebookNode, source: NotebookNode) -> int:
    """Tag the cells of a submission that need not run, in place.

    Args:
        nb: The submission.
        source: The source notebook of the assignment.

    Returns:
        How many cells were tagged.
    """
    known = {c.source.strip() for c in source.cells if kind_of(c) in SKIPPED_KINDS}
    candidates, kept = [], []
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        # A tag in the submission is the student's word; only the source's counts.
        cell.metadata["tags"] = [t for t in cell.metadata.get("tags", []) if not t.startswith("skip")]
        marks = cell.metadata.get("nbgrader", {})
        own = marks.get("grade") or marks.get("solution") or marks.get("locked")
        (kept if own or cell.source.strip() not in known else candidates).append(cell)
    locked = [c.source for c in source.cells if kind_of(c) not in (*SKIPPED_KINDS, CellKind.ANSWER)]
    student = [c.source for c in kept if c.source not in locked]
    demonstrated = set().union(*(_bound(c.source) for c in candidates))
    elsewhere = set(dir(builtins)).union(*(_bound(c.source) for c in kept))
    needed = set().union(*(_used(s) for s in student)) & (demonstrated - elsewhere)
    if needed:
        return 0
    for cell in candidates:
        cell.metadata["tags"].append(SKIP_TAG)
    return len(candidates)


def _tree(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):  # a magic or half a line: it binds and uses nothing that we could know
        return ast.Module([], [])


def _bound(source: str) -> set[str]:
    """Name what a cell binds, at any depth: more than needed here does no harm."""
    names = set()
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names


def _used(source: str) -> set[str]:
    return {n.id for n in ast.walk(_tree(source)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


class StderrIsNoError(NbGraderPreprocessor):
    """Keep the points of a test cell that passed and has text on stderr beside it.

    nbgrader gives no points to a test cell with anything on stderr - a warning, a log line of a library or of the
    student's function. The text stays in the notebook, as ordinary output.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """Rename the stream. Called by nbconvert for each cell after the notebook was executed."""
        if kind_of(cell) is CellKind.TEST:
            for output in cell.get("outputs", []):
                if output.output_type == "stream":
                    output.name = "stdout"
        return cell, resources
