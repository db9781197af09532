"""Put a student's answers into a pristine copy of the released notebook.

What is locked comes from the source alone, whatever a submission's cells claim to be. An answer is found by its
`grade_id`, then by its cell's id, then by the functions it defines, then by its place. The steps are modules of their
own: `cells` (what there is), `matching` (which cell is which), `answers` and `written` (what the student wrote) and
`assembly` (the new notebook).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from nbformat import NotebookNode
from traitlets.config import Config

from grader.core.findings import Finding, Level
from grader.languages.messages import ENGLISH
from grader.submissions.answers import Answer, find_answer
from grader.submissions.assembly import STUDENT_TAG, assemble
from grader.submissions.cells import Cells, How, Shown
from grader.submissions.matching import match
from grader.submissions.pristine import pristine
from grader.submissions.written import find_words

__all__ = ["STUDENT_TAG", "Transplant", "pristine", "transplant"]


@dataclass(frozen=True)
class Transplant:
    """A pristine notebook with a student's answers.

    Args:
        notebook: All cells of the release; the student's further cells are tagged `student-cell`.
        findings: What was repaired and what was lost.
        answered: How the answer to each exercise was found, code or words, by the `grade_id` of its cell.
    """

    notebook: NotebookNode
    findings: list[Finding]
    answered: dict[str, How]


def transplant(
    source: NotebookNode,
    submission: NotebookNode | None,
    config: Config | None = None,
    release: NotebookNode | None = None,
    shown: Shown | None = None,
) -> Transplant:
    """Put the answers of a submission into a pristine notebook.

    Args:
        source: The assignment's source notebook.
        submission: What `read_submission` made of the student's file. None of the notebooks is changed.
        config: As for `pristine`.
        release: What `pristine` made of the source, if that is at hand.
        shown: The release in other languages: by language, the source of each cell by its id.
    """
    release = pristine(source, config) if release is None else release
    cells = Cells(release, submission, shown)
    if not cells.handed_in:
        cells.note("no-submission", "", "There was no notebook to take answers from.", Level.LOST)
    match(cells)
    _note_newer_python(cells)
    found: dict[int, Answer | None] = {slot.index: find_answer(cells, slot) for slot in cells.answers}
    found |= {slot.index: find_words(cells, slot) for slot in cells.written}
    answers = {index: answer for index, answer in found.items() if answer is not None}
    nb = assemble(cells, release, answers)
    if cells.language != ENGLISH:
        nb.metadata["course"] = {"language": cells.language}
    how = {s.name: answers[s.index].how if s.index in answers else How.MISSING for s in cells.answers + cells.written}
    return Transplant(nb, cells.findings, how)


def _note_newer_python(cells: Cells) -> None:
    """Say that a cell of the student's own may be valid in the Python that the notebook was saved with."""
    if cells.newer_python and any(
        p.is_own and p.is_code and not p.claims and not p.known_code.tree for p in cells.pieces
    ):
        ours = f"{sys.version_info.major}.{sys.version_info.minor}"
        text = (
            f"The notebook was saved with Python {cells.newer_python}, and a cell that the student added is not "
            f"valid in Python {ours}, so it cannot be run: ask for marking with that, or write it otherwise."
        )
        cells.note("newer-python", "", text)
