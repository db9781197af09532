"""Every answer of the audit gets the same verdicts across the boundary as in one process with the tests."""

import pytest

from grader.audit.causes import alone
from grader.audit.runner import Runner, Task
from grader.core.catalogue import read_catalogue
from grader.core.notebook import CellKind, exercises, grade_id, kind_of, read_notebook
from grader.engine.running import STUDENT_SIDE, import_lines, mark_notebook
from grader.engine.settings import Budget
from grader.sandbox.warm import Template
from grader.submissions.transplant import pristine

#: CPU seconds that an answer and all its tests have in one process, and that one call has across the boundary.
ANSWER_S, CALL_S = 20.0, 4.0


def answers(course, assignment, exercise):
    """Give the reference, the untouched cell and every answer of the catalogue, by name."""
    source = read_notebook(course.source(assignment))
    untouched = next(c.source for c in pristine(source).cells if grade_id(c) == exercise.name)
    found = {"reference": exercise.answer, "untouched": untouched}
    path = course.catalogue / assignment / f"{exercise.name}.py"
    catalogue = read_catalogue(path, exercise.functions, exercise.answer)
    return found | {f"{v.kind}:{v.name}": v.source for v in catalogue.variants}


@pytest.mark.slow
def test_same_verdicts_as_in_one_process(course, assignment):
    source = read_notebook(course.source(assignment))
    known = exercises(source)
    wanted = {e.name: answers(course, assignment, e) for e in known}
    tasks = [(e, name, text) for e in known for name, text in wanted[e.name].items()]
    with Runner(source, jobs=1) as runner:
        beside = runner.run([Task(e, text, timeout_s=ANSWER_S) for e, _, text in tasks])
    budget = Budget(call_cpu_s=CALL_S, call_wall_s=4 * CALL_S, cell_cpu_s=30, grace_s=10)
    differing, compared = [], 0
    with Template(import_lines(source)) as template:
        for (exercise, name, text), expected in zip(tasks, beside, strict=True):
            marked = mark_notebook(alone(source, exercise, text), template, budget)
            for cell in expected.cells:
                compared += 1
                across = marked.verdicts[cell.name]
                if (across.outcome == "passed") != cell.passed and cell.outcome != "stderr":
                    differing.append(
                        f"{exercise.name} {name}: {cell} / {across.outcome} {across.error}: {across.message}"
                    )
    print(f"{assignment}: {len(tasks)} answers, {compared} verdicts")
    assert compared >= 2 * len(tasks) - len(known)
    assert not differing, "\n".join(differing)


def test_student_side_cells_are_few():
    """What such a cell reports, a hostile student can fake: README names each of them."""
    from grader.core.course import Course

    course = Course.find()
    found = [
        grade_id(cell)
        for assignment in course.assignments()
        for cell in read_notebook(course.source(assignment)).cells
        if STUDENT_SIDE in cell.metadata.get("tags", [])
    ]
    assert found == ["model_logits"]
    assert all(
        kind_of(c) is not CellKind.TEST
        for a in course.assignments()
        for c in read_notebook(course.source(a)).cells
        if grade_id(c) in found
    )
