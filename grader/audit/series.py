"""Many answers one after the other in one process: what mostly ends as it is expected to.

Answers are run by the hundred. A process of its own, with its first operation of TensorFlow, costs many times what most
of them do, so they share one. An answer might leave something behind that makes the next one fail, which would hide
that no test notices that one. Therefore the reference solution comes last in each series, and has to pass all tests
there: if it does not, every answer of the series is run again in a process of its own. So is each answer that did not
end as expected, and each that ended the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.audit.results import AnswerResult, End, Task
from grader.audit.runner import Runner

#: Answers in a series: so many that the process and the reference solution at its end hardly count.
LENGTH = 32


def as_expected(task: Task, result: AnswerResult) -> bool:
    """Return whether a cell caught an answer; each has to, if the answer runs in all of them."""
    return not (result.kept_all if task.stop_at_first else any(cell.passed for cell in result.cells))


def run_in_series(
    runner: Runner,
    tasks: Sequence[Task],
    reference: str,
    progress: Callable[[int], None] | None = None,
    sure: Callable[[Task, AnswerResult], bool] = as_expected,
) -> list[AnswerResult]:
    """Run answers to one exercise and give their results in the same order.

    Args:
        runner: A running one for the notebook.
        tasks: The answers, without visible parts.
        reference: Source of an answer that passes all tests, to see whether a process is still as it was.
        progress: Called with the number of answers done.
        sure: Tells whether a result is as expected; else the answer is run again in a process of its own.
    """
    results: dict[int, AnswerResult] = {}
    alone: set[int] = set()
    #: Answers that ended their process, and those before them, which have to turn out harmless without them.
    ended_one: list[tuple[int, set[int]]] = []
    waiting = [list(range(len(tasks)))[n : n + LENGTH] for n in range(0, len(tasks), LENGTH)]
    while waiting:
        series = [[*(tasks[n] for n in numbers), _check(tasks[numbers[0]], reference)] for numbers in waiting]
        further: list[list[int]] = []
        for numbers, found in zip(waiting, runner.run_in_series(series), strict=True):
            came = len(found) - 1
            if came < len(numbers):
                ended_one.append((numbers[came], set(numbers[:came])))
                results[numbers[came]] = found[came]
                further += [part for part in (numbers[:came], numbers[came + 1 :]) if part]
            elif found[came].end is End.DONE and found[came].kept_all:
                results.update(zip(numbers, found, strict=False))
            else:
                alone.update(numbers)
        waiting = further
        if progress:
            progress(len(results))
    alone |= {number for number, before in ended_one if before & alone}
    alone |= {number for number, result in results.items() if not sure(tasks[number], result)}
    again = sorted(alone)
    results.update(zip(again, runner.run([tasks[n] for n in again]), strict=True))
    return [results[n] for n in range(len(tasks))]


def _check(task: Task, reference: str) -> Task:
    """Return the task that shows whether the process is still as it was."""
    return replace(task, source=reference, stop_at_first=False, place="", timeout_s=2 * task.timeout_s)
