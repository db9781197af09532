"""Make submissions: answers put into a released notebook, and what front ends do to a file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.regions import solutions


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
        name = grade_id(cell) or ""
        if kind_of(cell) is CellKind.ANSWER and name in answers:
            cell.source = solutions().unmarked(answers[name])
        elif kind_of(cell) is CellKind.WRITTEN and answers:
            cell.source = "The state is one vector of fixed size, so a longer sentence leaves less of it for each word."
    return nb


#: One entry of `metadata.widgets` as Colab writes it: ipywidgets 7, whatever the widget is.
_WIDGET_MODEL = {
    "model_module": "@jupyter-widgets/controls",
    "model_module_version": "1.5.0",
    "model_name": "VBoxModel",
    "state": {"_model_name": "VBoxModel", "children": []},
}


def as_saved_by_colab(nb: NotebookNode) -> NotebookNode:
    """Change a notebook the way Colab does when it opens one from GitHub, runs and saves it.

    The format goes back to 4.0, cell ids move into the metadata, each code cell gets `executionInfo` and `outputId`,
    the badge cell is put in front, and `metadata.widgets` lists the models of the widgets shown, without `state`
    around them. Outputs that the notebook has are kept.

    Returns:
        A changed copy.
    """
    nb = copy.deepcopy(nb)
    nb.nbformat_minor = 0
    models: dict[str, dict[str, Any]] = {}
    for number, cell in enumerate(nb.cells):
        cell.pop("id", None)
        cell.metadata["id"] = f"cell{number:08d}"
        if cell.cell_type == "code":
            failed = any(o.output_type == "error" for o in cell.outputs)
            cell.metadata["executionInfo"] = {
                "elapsed": 5,
                "status": "error" if failed else "ok",
                "timestamp": 1766000000000 + number,
                "user": {"displayName": "A Student", "userId": "00000000000000000000"},
                "user_tz": 0,
            }
            cell.metadata["outputId"] = f"output{number:08d}"
            if cell.outputs:
                cell.metadata["colab"] = {"base_uri": "https://localhost:8080/", "height": 34}
            views = [o.get("data", {}).get("application/vnd.jupyter.widget-view+json") for o in cell.outputs]
            models |= {view["model_id"]: _WIDGET_MODEL for view in views if view}
    badge = new_markdown_cell(
        '<a href="https://colab.research.google.com/" target="_parent">'
        '<img src="https://colab.research.google.com/assets/colab-badge.svg" alt="Open In Colab"/></a>'
    )
    badge.pop("id", None)
    badge.metadata = NotebookNode(id="view-in-github", colab_type="text")
    nb.cells.insert(0, badge)
    nb.metadata = NotebookNode(
        colab={"provenance": [], "include_colab_link": True},
        kernelspec={"name": "python3", "display_name": "Python 3"},
        language_info={"name": "python"},
        widgets={"application/vnd.jupyter.widget-state+json": models or {"0": _WIDGET_MODEL}},
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
    """Set execution counts out of order, as after running them back and forth.

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
