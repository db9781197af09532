"""Damage to the code in the cells."""

from __future__ import annotations

import ast
from collections.abc import Callable

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.core.cells import CellKind
from grader.testing.damage.register import answers_of, cells_of, code_cell, costs, damage, exercise


def _each_answer(nb: NotebookNode, change: Callable[[str], str]) -> None:
    for cell in answers_of(nb):
        cell.source = change(cell.source)


@damage
def installing(nb):
    """Lines that install, load and change the folder stand in the answers."""
    head = "!pip install numpy\n%pip install -q keras\n%load_ext tensorboard\n%cd /content\n"
    _each_answer(nb, lambda text: head + text + "\n!ls")


@damage
def quiet_magics(nb):
    """Magics for figures and timing stand in the answers."""
    _each_answer(nb, lambda text: "%%time\n%matplotlib inline\n" + text)


@damage
def colab_leftovers(nb):
    """Calls that work on Colab only stand in the answers."""
    head = "from google.colab import drive, files\ndrive.mount('/content/drive')\nuploaded = files.upload()\n"
    _each_answer(nb, lambda text: head + text)


@damage
def editor_imports(nb):
    """An editor's completion imported modules that nobody uses or that are not installed."""
    _each_answer(nb, lambda text: "from turtle import shape\nimport some_editor_thing\nimport ipdb\n" + text)


@damage
def indented_cells(nb):
    """The answers are indented as a whole, as pasted from within a class."""
    _each_answer(nb, lambda text: "\n".join("    " + line if line else line for line in text.split("\n")))


@damage
def mixed_tabs(nb):
    """The last line of each answer is indented with tabs."""

    def change(text: str) -> str:
        lines = text.rstrip().split("\n")
        lines[-1] = lines[-1].replace("    ", "\t")
        return "\n".join(lines)

    _each_answer(nb, change)


@damage
def special_spaces(nb):
    """The answers were pasted from a web page: non-breaking and invisible characters."""
    _each_answer(nb, lambda text: "\ufeff" + text.replace("    ", "\u00a0\u00a0 \u00a0").replace("(", "(\u200b"))


@damage
def curly_quotes(nb):
    """A word processor replaced the quotation marks."""
    _each_answer(nb, lambda text: text.replace('"', "”").replace("'", "’"))


@damage
def prompts_pasted(nb):
    """The answers were pasted from a console, with its prompts."""

    def change(text: str) -> str:
        lines = text.rstrip().split("\n")
        return "\n".join((">>> " if n == 0 else "... ") + line for n, line in enumerate(lines))

    _each_answer(nb, change)


@damage
def demonstrations_edited(nb):
    """The student played in the demonstrations and self-checks."""
    for number, cell in enumerate(cells_of(nb, CellKind.DEMONSTRATION, CellKind.SELF_CHECK)):
        cell.source += f"\nplayed_{number} = {number}"


@damage
def cells_added(nb):
    """The student added cells of code, text and raw text everywhere."""
    cells = []
    for number, cell in enumerate(nb.cells):
        cells += [
            cell,
            code_cell(f"note_{number} = {number}"),
            new_markdown_cell(f"Note {number}", id=f"note-{number}"),
        ]
        cells.append(nbformat.v4.new_raw_cell("raw", id=f"raw-{number}"))
    nb.cells = cells


@costs(exercise(0))
@damage
def leftover_raise(nb):
    """The stub's raise still stands in front of the first answer's code."""
    cell = answers_of(nb)[0]
    node = ast.parse(cell.source).body[0]
    first = next(n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)))
    lines = cell.source.split("\n")
    lines.insert(first.lineno - 1, " " * first.col_offset + 'raise NotImplementedError("not written yet")')
    cell.source = "\n".join(lines)
