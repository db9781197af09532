"""Make submissions: answers put into a released notebook, and what front ends do to a file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from .notebook import BEGIN_SOLUTION, END_SOLUTION, CellKind, grade_id, kind_of


def fill_answers(nb: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """Write answers into the answer cells of a released notebook, as a student would.

    Args:
        nb: A released notebook.
        answers: Exercise to the source of its answer cell; exercises left out stay untouched.

    Returns:
        A changed copy.
    """
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if kind_of(cell) is CellKind.ANSWER and grade_id(cell) in answers:
            lines = answers[grade_id(cell)].split("\n")
            cell.source = "\n".join(line for line in lines if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION))
        elif kind_of(cell) is CellKind.WRITTEN and answers:
            cell.source = "The state is one vector of fixed size, so a longer sentence leaves less of it for each word."
    return nb


def as_saved_by_colab(nb: NotebookNode) -> NotebookNode:
    """Change a notebook the way Colab does when it opens one from GitHub and saves it.

    The format goes back to 4.0, cell ids move into the metadata, each executed cell gets `executionInfo` and
    `outputId`, the badge cell is put in front, and `metadata.widgets` comes without `state`.

    Returns:
        A changed copy.
    """
    nb = copy.deepcopy(nb)
    nb.nbformat_minor = 0
    for number, cell in enumerate(nb.cells):
        cell.pop("id", None)
        cell.metadata["id"] = f"cell{number:08d}"
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.metadata["executionInfo"] = {"elapsed": 5, "status": "ok", "timestamp": 1766000000000, "user_tz": 0}
            cell.metadata["outputId"] = f"output{number:08d}"
    badge = new_markdown_cell('<a href="https://colab.research.google.com/">Open In Colab</a>')
    badge.pop("id", None)
    badge.metadata = NotebookNode(id="view-in-github", colab_type="text")
    nb.cells.insert(0, badge)
    nb.metadata = NotebookNode(
        colab={"provenance": [], "include_colab_link": True},
        kernelspec={"name": "python3", "display_name": "Python 3"},
        language_info={"name": "python"},
        widgets={"application/vnd.jupyter.widget-state+json": {"0": {"model_name": "FloatSliderModel"}}},
    )
    return nb


def with_noise(nb: NotebookNode) -> NotebookNode:
    """Let every function of the answers log a line to stderr when it is called, as left over from debugging.

    Returns:
        A changed copy.
    """
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if kind_of(cell) is not CellKind.ANSWER:
            continue
        tree = ast.parse(cell.source)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                node.body.insert(0, ast.parse(f"logging.warning('{node.name} was called')").body[0])
        cell.source = "import logging\n\n" + ast.unparse(tree)
    return nb


def with_shuffled_counts(nb: NotebookNode) -> NotebookNode:
    """Give the cells execution counts out of order, as after running them back and forth.

    Returns:
        A changed copy.
    """
    nb = copy.deepcopy(nb)
    code = [c for c in nb.cells if c.cell_type == "code"]
    for number, cell in enumerate(code):
        cell.execution_count = len(code) - number
    return nb


#: What can happen to a sample submission's file, by the name used in `sample_class.toml`.
HANDLINGS: dict[str, Callable[[NotebookNode], NotebookNode]] = {
    "": copy.deepcopy,
    "colab": as_saved_by_colab,
    "noise": with_noise,
    "shuffled": with_shuffled_counts,
}
