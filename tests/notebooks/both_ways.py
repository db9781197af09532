"""One run for both notebooks of an assignment, the release and the source: training dominates the time.

A cell that is the same in both and needs no answer runs once; any other runs twice, first as released, with the answers
unwritten, then as in the source, with the answers. That the release could not do without what the source's cells
leave behind is no matter of luck: the rules `demonstration-names` and `test-names` of `grader check` see to it.
"""

import copy

from nbformat.v4 import new_code_cell, new_notebook

from grader.authoring.check_base import Page
from grader.core.cells import CellKind, kind_of
from grader.core.names import names_of
from grader.core.notebook import read_notebook
from grader.languages.building import translated, translated_release
from grader.languages.messages import ENGLISH


def both_ways(source, released, answers):
    """Make one notebook of a source and its release.

    Args:
        source: The source notebook.
        released: Its release.
        answers: Names that need an answer.

    Returns:
        A notebook whose cells have the ids of the source's; one that runs twice is `released-ID` and `answered-ID`.
    """
    stubs = {c.id: c.source for c in released.cells}
    cells, unwritten, written = [], [], []
    for cell in source.cells:
        if cell.cell_type != "code":
            continue
        if kind_of(cell) is CellKind.ANSWER:
            unwritten.append(stubs[cell.id])
            written.append(cell.source)
        # The last cell finds the answers by their names in text.
        elif (
            stubs[cell.id] == cell.source and not names_of(cell.source).free & answers and cell is not source.cells[-1]
        ):
            cells.append(new_code_cell(cell.source, id=cell.id))
            continue
        cells += [
            new_code_cell("\n\n".join(unwritten), id=f"unwritten-{len(cells)}"),
            new_code_cell(stubs[cell.id], id=f"released-{cell.id}"),
            new_code_cell("\n\n".join(written), id=f"written-{len(cells)}"),
            new_code_cell(cell.source, id=f"answered-{cell.id}"),
        ]
    return new_notebook(cells=cells)


def notebooks_of(course, assignment, language=ENGLISH):
    """Return source, release and the notebook that runs both of an assignment, in a language."""
    source, released = read_notebook(course.source(assignment)), read_notebook(course.released(assignment))
    answers = Page(source, course, assignment).answer_names
    if language != ENGLISH:
        source, _ = translated(course, assignment, language, source)  # what is the instructor's alone stays English
        released, left = translated_release(course, assignment, language)
        assert left == 0, f"{left} messages of {assignment} have no translation"
    return source, released, both_ways(source, released, answers)


def with_outputs(nb, executed, prefix):
    """Return a copy of a notebook with the outputs of a run both ways, each code cell counted in order.

    Args:
        nb: The source or the release.
        executed: The notebook that ran.
        prefix: `answered` or `released`, for the cells that ran twice.
    """
    ran = {c.id: c for c in executed.cells}
    nb = copy.deepcopy(nb)
    for number, cell in enumerate((c for c in nb.cells if c.cell_type == "code"), 1):
        cell.outputs = ran.get(f"{prefix}-{cell.id}", ran.get(cell.id)).outputs
        cell.execution_count = number
    return nb
