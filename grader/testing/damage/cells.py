"""Damage to the cells of the notebook, and to what marks them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grader.core.cells import LOCKED_KINDS, CellKind, kind_of
from grader.core.names import defined_functions
from grader.testing.damage.register import (
    answers_of,
    cells_of,
    code_cell,
    costs,
    damage,
    exercise,
    index_of,
    insert_after,
    next_of,
    stub,
    without_marks,
)
from grader.testing.samples import as_saved_by_colab

# The cells' marks


@damage
def saved_by_colab(nb):
    """Colab opened the notebook from GitHub and saved it."""
    return as_saved_by_colab(nb)


@damage
def marks_lost(nb):
    """A tool dropped the metadata of all cells."""
    without_marks(nb, ids=False)


@damage
def marks_and_ids_lost(nb):
    """A service dropped the metadata and the ids of all cells."""
    without_marks(nb, ids=True)


@damage
def marks_of_wrong_types(nb):
    """The metadata of cells has the wrong types."""
    for number, cell in enumerate(nb.cells):
        cell.metadata["nbgrader"] = (7, None, [], "x", {"grade_id": 3})[number % 5]
        cell.metadata["tags"] = ("x", 5, None, {"a": 1}, [1, [2]])[number % 5]


@damage
def marks_of_old_schemas(nb):
    """The metadata says it follows schemas 1, 2 and 99."""
    for number, cell in enumerate(c for c in nb.cells if "nbgrader" in c.metadata):
        cell.metadata.nbgrader.schema_version = (1, 2, 99, "3")[number % 4]
        if number % 4 == 0:
            cell.metadata.nbgrader.pop("task", None)


@damage
def ids_repeated(nb):
    """All cells have one id, and no marks."""
    for cell in nb.cells:
        cell["id"] = "cell"
        cell.metadata.pop("nbgrader", None)


@damage
def grade_ids_swapped(nb):
    """The marks of the first two answers were swapped."""
    one, two = answers_of(nb)[0], answers_of(nb)[-1]
    one.metadata, two.metadata = two.metadata, one.metadata
    one["id"], two["id"] = two["id"], one["id"]


@damage
def grade_ids_renamed(nb):
    """A student gave the answer cells names of their own."""
    for number, cell in enumerate(answers_of(nb)):
        cell.metadata.nbgrader.grade_id = cell["id"] = f"my-answer-{number}"


@damage
def marked_as_tests(nb):
    """An answer cell carries the marks of a test."""
    answer = answers_of(nb)[0]
    test = next_of(nb, answer, CellKind.TEST)
    answer.metadata, answer["id"] = copy.deepcopy(test.metadata), "answer"


# The cells


@damage
def answers_moved(nb):
    """The answer cells were moved behind everything else, the last one first."""
    answers = answers_of(nb)
    nb.cells = [c for c in nb.cells if all(c is not a for a in answers)] + answers[::-1]


@damage
def all_cells_backwards(nb):
    """The cells stand in the reverse order."""
    nb.cells = nb.cells[::-1]


@damage
def tests_deleted(nb):
    """The test cells were deleted."""
    nb.cells = [c for c in nb.cells if kind_of(c) is not CellKind.TEST]


@damage
def everything_but_answers_deleted(nb):
    """Only the answers were left in the notebook."""
    nb.cells = cells_of(nb, CellKind.ANSWER, CellKind.WRITTEN)


@damage
def locked_cells_changed(nb):
    """Locked cells were changed; one has an import that an answer needs."""
    for cell in cells_of(nb, *LOCKED_KINDS):
        cell.source += "\n\n# I looked at this"
    cells_of(nb, CellKind.SETUP)[0].source += "\nfrom math import floor as rounded_down"
    answer = answers_of(nb)[0]
    answer.source = answer.source.rstrip() + "\n\nhalf = rounded_down(0.5)"


@damage
def tests_changed(nb):
    """Prints were put into the tests."""
    for cell in cells_of(nb, CellKind.TEST):
        cell.source = cell.source.replace("\nassert", '\nprint("here")\nassert', 1) + "\nprint('fine')"


@costs(exercise(0))
@damage
def answer_deleted(nb):
    """The first answer cell was deleted."""
    del nb.cells[index_of(nb, answers_of(nb)[0])]


@costs(exercise(-1))
@damage
def answer_emptied(nb):
    """The last answer cell is empty."""
    answers_of(nb)[-1].source = "\n"


@costs(exercise(0))
@damage
def function_renamed(nb):
    """The first exercise's functions have other names."""
    answer = answers_of(nb)[0]
    for name in defined_functions(answer.source):
        answer.source = answer.source.replace(name, f"my_{name}")


@damage
def answer_duplicated(nb):
    """Each answer cell is there twice with the same marks, the second time untouched."""
    for cell in answers_of(nb):
        twin = copy.deepcopy(cell)
        twin.source = stub(cell.source)
        insert_after(nb, cell, twin)


@damage
def older_attempt_kept(nb):
    """A first attempt stands above the answer, with the same marks."""
    for cell in answers_of(nb):
        twin = copy.deepcopy(cell)
        name = defined_functions(cell.source)[0]
        cell.source = f"def {name}(*arguments):\n    return 0"
        insert_after(nb, cell, twin)


@damage
def split_behind_imports(nb):
    """Each answer was split into two cells with the same marks: imports and a helper, then the function."""
    for number, cell in enumerate(answers_of(nb)):
        twin = copy.deepcopy(cell)
        cell.source = f"import math as m{number}\n\n\ndef helper_{number}(x):\n    return m{number}.floor(x)"
        twin.source += f"\n\n\nchecked_{number} = helper_{number}(0.5)"
        insert_after(nb, cell, twin)


@damage
def split_within_the_function(nb):
    """Each answer was split within its function; the second half lost its marks."""
    for cell in answers_of(nb):
        node = ast.parse(cell.source).body[0]
        last = node.body[-1].lineno - 1
        lines = cell.source.split("\n")
        cell.source, rest = "\n".join(lines[:last]), "\n".join(lines[last:])
        insert_after(nb, cell, code_cell(rest))


@damage
def merged_with_the_next(nb):
    """The first two answers stand in one cell; the second one's was deleted."""
    one, two = answers_of(nb)[:2] if len(answers_of(nb)) > 1 else (answers_of(nb)[0], None)
    if two is not None:
        one.source += "\n\n\n" + two.source
        del nb.cells[index_of(nb, two)]


@damage
def merged_into_the_last(nb):
    """All answers stand in the last answer cell; the others are untouched."""
    answers = answers_of(nb)
    answers[-1].source = "\n\n\n".join(c.source for c in answers)
    for cell in answers[:-1]:
        cell.source = stub(cell.source)


@damage
def merged_with_check_and_marks_lost(nb):
    """Each answer was merged with the self-check below it, and nothing has marks."""
    for cell in answers_of(nb):
        check = next_of(nb, cell, CellKind.SELF_CHECK)
        if check is not None:
            cell.source += "\n" + check.source
            del nb.cells[index_of(nb, check)]
    without_marks(nb, ids=True)


def _one_cell_lower(nb: NotebookNode, put: Callable[[NotebookNode, str], None]) -> None:
    for cell in answers_of(nb):
        put(cell, cell.source)
        cell.source = stub(cell.source)


@damage
def in_an_extra_cell(nb):
    """Each answer was written into a new cell below the stub."""
    _one_cell_lower(nb, lambda cell, text: insert_after(nb, cell, code_cell(text)))


@damage
def in_an_extra_cell_below_the_tests(nb):
    """Each answer was written into a new cell below its tests."""

    def below(cell: NotebookNode) -> list[NotebookNode]:
        return nb.cells[index_of(nb, cell) + 1 :][:1]

    def put(cell: NotebookNode, text: str) -> None:
        test = next_of(nb, cell, CellKind.TEST)
        while (
            test is not None
            and (after := nb.cells[index_of(nb, test) + 1 :][:1])
            and kind_of(after[0]) is CellKind.TEST
        ):
            test = after[0]
        insert_after(nb, test or cell, code_cell(text))

    _one_cell_lower(nb, put)


@damage
def in_the_self_check(nb):
    """Each answer was written into the self-check below the stub."""

    def put(cell: NotebookNode, text: str) -> None:
        check = next_of(nb, cell, CellKind.SELF_CHECK) or cell
        check.source = f"{text}\n\n\n{check.source}"

    _one_cell_lower(nb, put)


@damage
def in_the_test(nb):
    """Each answer was written into the test below the stub."""

    def put(cell: NotebookNode, text: str) -> None:
        test = next_of(nb, cell, CellKind.TEST)
        test.source = f"{text}\n\n\n{test.source}"

    _one_cell_lower(nb, put)


@damage
def retyped_to_markdown(nb):
    """The answer cells became text cells."""
    _retype(nb, "markdown", "{}")


@damage
def retyped_to_raw_and_marks_lost(nb):
    """The answer cells became raw cells, and nothing has marks."""
    _retype(nb, "raw", "{}")
    without_marks(nb, ids=True)


@damage
def fenced_in_markdown(nb):
    """The answers stand in text cells between fences, with a sentence in front."""
    _retype(nb, "markdown", "My answer:\n\n```python\n{}\n```")


def _retype(nb: NotebookNode, kind: str, form: str) -> None:
    for cell in answers_of(nb):
        cell.cell_type, cell.source = kind, form.replace("{}", cell.source)
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


@damage
def written_answer_as_code(nb):
    """The written answers became code cells and lost their marks."""
    for cell in cells_of(nb, CellKind.WRITTEN):
        cell.cell_type, cell.outputs, cell.execution_count = "code", [], None
        cell.metadata, cell["id"] = NotebookNode(), "words"


@damage
def written_answer_one_cell_lower(nb):
    """The written answers stand in a new cell below the untouched one."""
    for cell in cells_of(nb, CellKind.WRITTEN):
        insert_after(nb, cell, new_markdown_cell(cell.source, id="words"))
        cell.source = "*Write your answer here.*"


@damage
def helper_below_the_tests(nb):
    """A helper that the first answer calls stands in a cell at the very end."""
    cell = answers_of(nb)[0]
    node = ast.parse(cell.source).body[0]
    lines = cell.source.split("\n")
    margin = " " * node.body[0].col_offset
    lines.insert(node.body[-1].lineno - 1, f"{margin}handed_through(1)")
    cell.source = "\n".join(lines)
    nb.cells.append(code_cell("def handed_through(x):\n    return x"))
