"""A test cell has the same verdict wherever it runs: the audit lets a changed answer meet the likeliest cell first."""

import pytest

from grader.audit.mutations import stub_of
from grader.audit.runner import Runner, Task
from grader.core.notebook import exercises, read_notebook


@pytest.mark.slow
def test_each_test_cell_may_run_first(course, assignment):
    source = read_notebook(course.source(assignment))
    tasks = [
        Task(e, text, first=name)
        for e in exercises(source)
        for text in (e.answer, stub_of(e.answer))
        for name, _, _ in e.tests
    ]
    with Runner(source, jobs=1) as runner:
        results = runner.run(tasks)
    verdicts = {}
    for task, result in zip(tasks, results, strict=True):
        one = [(c.name, c.outcome, c.error, c.line) for c in result.cells]
        assert verdicts.setdefault((task.exercise.name, task.source), one) == one, task.first
        assert result.kept_all == (task.source == task.exercise.answer)
