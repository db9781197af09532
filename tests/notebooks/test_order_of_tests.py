"""A test cell has the same verdict wherever it runs: the audit lets a changed answer meet the likeliest cell first."""

import pytest

from grader.audit.mutations import stub_of
from grader.audit.runner import Task
from grader.core.cells import exercises


@pytest.mark.slow
def test_each_test_cell_may_run_first(assignment, exercise, warm):
    processes = warm(assignment)
    [one] = (e for e in exercises(processes.source) if e.name == exercise)
    for text in (one.answer, stub_of(one.answer)):
        tasks = [Task(one, text, first=name) for name, _, _ in one.tests]
        results = processes.runner.run(tasks)
        expected = [(c.name, c.outcome, c.error, c.line) for c in results[0].cells]
        for task, result in zip(tasks, results, strict=True):
            assert [(c.name, c.outcome, c.error, c.line) for c in result.cells] == expected, task.first
            assert result.kept_all == (text == one.answer)
