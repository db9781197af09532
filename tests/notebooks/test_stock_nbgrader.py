"""The rule of compatibility: nbgrader with a bare configuration gives honest submissions the same marks.

What its Validate button says of right answers is asked of the same run. `tests/browser/test_student.py` presses the
button, in one notebook.
"""

from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader.validator import Validator
from traitlets.config import Config

import grader
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.nbgrader_api import failure_reason, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.demo import make_submission, read_sample_class

STUDENTS, CODE = read_sample_class(Path(grader.__file__).with_name("sample_class.toml"))
HONEST = [s for s in STUDENTS if s.name in ("perfect", "untouched", "partly-done")]


def bare_config(course, folder):
    """Nothing but where the files are, and time for a busy machine: nbgrader gives 30 s a cell unless told."""
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.source_directory = "solutions"
    config.Execute.timeout = config.Execute.startup_timeout = 600
    return folders_config(config, folder)


def validated(handed, marked, path):
    """Return what Validate finds wrong with a notebook that a student has run, without running it once more.

    Args:
        handed: What was handed in, as its student has it: without hidden tests.
        marked: The same after it was executed; hidden tests may have been run in it too.
        path: A file for it.
    """
    outputs = {c.id: c.outputs for c in marked.cells if c.cell_type == "code"}
    for cell in handed.cells:
        if cell.cell_type == "code":
            cell.outputs = outputs[cell.id]
    write_notebook(handed, path)
    validator = Validator(preprocessors=[CheckCellMetadata])  # the others clear the outputs and execute
    return validator.validate(str(path))


@pytest.mark.slow
def test_stock_nbgrader_gives_the_same_marks(course, assignment, tmp_path):
    assert [s.name for s in HONEST] == ["perfect", "untouched", "partly-done"]
    with open_nbgrader(bare_config(course, tmp_path)) as api:
        made = api.generate_assignment(assignment)
        assert made["success"], failure_reason(made)
        marks, wrong = {}, {}
        for student in HONEST:
            path = tmp_path / "submitted" / student.name / assignment / f"{assignment}.ipynb"
            nb = make_submission(course, student, assignment, CODE)
            # Stock nbgrader would run the training too, a minute each time; `test_alone.py` compares what it gives.
            nb.cells = [c for c in nb.cells if kind_of(c) is not CellKind.DEMONSTRATION]
            write_notebook(nb, path)
            done = api.autograde(assignment, student.name)
            assert done["success"], failure_reason(done)
            with Gradebook(api.coursedir.db_url) as gradebook:
                found = gradebook.find_submission_notebook(assignment, assignment, student.name)
                marks[student.name] = sum(g.auto_score or 0 for g in found.grades)
            marked = read_notebook(tmp_path / "autograded" / student.name / assignment / f"{assignment}.ipynb")
            wrong[student.name] = validated(nb, marked, tmp_path / f"{student.name}.ipynb")
    assert marks == {s.name: s.expected[assignment] for s in HONEST}
    total = sum(e.points for e in exercises(read_notebook(course.source(assignment))))
    assert marks["perfect"] == total
    assert marks["untouched"] == 0
    assert wrong["perfect"] == {}
    released = read_notebook(course.released(assignment))
    named = {found["source"] for found in wrong["untouched"]["failed"]}
    marked = {kind: {c.source.strip() for c in released.cells if kind_of(c) is kind} for kind in CellKind}
    assert named & marked[CellKind.TEST]
    assert named <= marked[CellKind.TEST] | marked[CellKind.WRITTEN]  # which is not written either
