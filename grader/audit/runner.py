"""Run many answers to an exercise against its test cells, fast and each in a process of its own.

```python
results = run_answers(read_notebook(path), exercise, [source_1, source_2])
[r.kept_all for r in results]
```

Nothing here defends against an answer that attacks the grader: the answers audited are our own. What they may do by
accident - loop for ever, fill the memory, end the process, print without end, change what they were given - stays in
their process.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from grader.audit.results import AnswerResult, CellResult, End, Outcome, Task
from grader.core.cells import LOCKED_KINDS, CellKind, Exercise, grade_id, kind_of, needed_cells
from grader.core.errors import GraderError
from grader.core.names import words
from grader.core.regions import hidden_tests
from grader.engine.prelude import Prelude, import_lines
from grader.engine.skipping import unneeded_helpers
from grader.sandbox.inside.isolate import Level, Limits
from grader.sandbox.inside.orders import Ended, Role
from grader.sandbox.warm import Template, WarmProcess

#: Seconds on the clock that an answer gets beyond what its CPU time allows: for the set-up, and for a busy machine.
CLOCK_ALLOWANCE_S = 10.0
#: CPU seconds of a whole process beyond those of its task: its set-up has a limit of its own.
SPARE_CPU_S = 120
#: Words of code that may run an operation of TensorFlow.
_OF_OPERATIONS = {"keras", "tensorflow", "tf"}
#: Seconds within which a process that has hung up has to be gone.
LEAVE_S = 5.0


@dataclass(frozen=True)
class _Part:
    """What it takes to run answers to one exercise.

    Args:
        locked: Names and sources of the locked cells that its answer and tests may use.
        notebook: These cells, a place for an answer, and the tests.
    """

    locked: tuple[tuple[str, str], ...]
    notebook: NotebookNode

    @classmethod
    def of(cls, nb: NotebookNode, exercise: Exercise) -> _Part:
        """Take it out of the source notebook."""
        cells = [cell for cell in needed_cells(nb, exercise) if kind_of(cell) in LOCKED_KINDS]
        locked = tuple((grade_id(cell) or cell.get("id", "?"), cell.source) for cell in cells)
        tests = [new_code_cell(source) for _, _, source in exercise.tests]
        return cls(locked, new_notebook(cells=[*cells, new_code_cell(), *tests]))

    def words(self, answer: str) -> frozenset[str]:
        """Return the words of an answer, of its tests and of the given cells."""
        cells = [c.source for c in self.notebook.cells if kind_of(c) not in (CellKind.SETUP, CellKind.HELPERS)]
        return words(answer).union(*map(words, cells))

    def needed(self, answer: str) -> list[tuple[str, str]]:
        """Leave out the helper cells that neither an answer, the tests nor other locked cells mention."""
        unneeded = unneeded_helpers(self.notebook, sources={len(self.locked): answer})
        return [cell for place, cell in enumerate(self.locked) if place not in unneeded]


class Runner:
    """A warm process for one notebook, the same one that marking starts; a context manager.

    Args:
        nb: The source notebook.
        jobs: How many answers run at once; the number of processors by default.

    Raises:
        GraderError: On another system than Linux, or if the warm process does not start.
    """

    def __init__(self, nb: NotebookNode, jobs: int | None = None):
        if jobs is not None and jobs < 1:
            raise GraderError(f"{jobs} answers at a time", "--jobs", "give a number from 1")
        self.nb, self.jobs = nb, jobs or os.cpu_count() or 1
        self.answers, self.cpu_s, self.peak_mib = 0, 0.0, 0.0
        self.template = Template(import_lines(nb), isolation=Level.LIMITS)
        self.prelude = Prelude.of(nb)
        self.import_s: float | None = None
        self._kept: dict[tuple[str, str], int] = {}
        self._parts: dict[str, _Part] = {}
        self._set_up = [(grade_id(c) or "setup", c.source) for c in nb.cells if kind_of(c) is CellKind.SETUP]

    def __enter__(self) -> Runner:
        """Start the warm process; it goes on importing while the caller goes on."""
        self.template.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the warm process and the children it still has."""
        self.template.close()

    @cached_property
    def line(self) -> WarmProcess:
        """The process that answers are forked from: as when marking, the one that has run the notebook's prelude."""
        return self.prelude.begun(self.template)

    def _number(self, name: str, source: str) -> int:
        """Return the number of a cell that the warm process has compiled, once for all answers."""
        if (name, source) not in self._kept:
            self._kept[name, source] = self.line.keep(name, source)
        return self._kept[name, source]

    def _part(self, exercise: Exercise) -> _Part:
        if exercise.name not in self._parts:
            self._parts[exercise.name] = _Part.of(self.nb, exercise)
        return self._parts[exercise.name]

    def _locked(self, tasks: Sequence[Task]) -> list[tuple[str, int]]:
        """List the locked cells that tasks need: helpers are left out if nothing that runs mentions them."""
        part = self._part(tasks[0].exercise)
        if any(task.self_check for task in tasks):
            cells = list(part.locked)
        else:
            needed = {cell for task in tasks for cell in part.needed(task.source)}
            cells = [cell for cell in part.locked if cell in needed]
        if self.line is not self.template:
            ahead = {cell[:2] for cell in self.prelude.cells}
            cells = [cell for cell in cells if cell not in ahead]
            # What an operation writes to standard error when it is the first one costs points with stock nbgrader.
            if self.prelude.left and any(_OF_OPERATIONS & part.words(task.source) for task in tasks):
                cells.insert(0, ("setup", self.prelude.left))
        return [(name, self._number(name, source)) for name, source in cells]

    def _order(self, tasks: Sequence[Task]) -> dict:
        """Write what a child is told to do."""
        return {
            "locked": self._locked(tasks),
            "again": [(n, self._number(n, source)) for n, source in self._set_up] if len(tasks) > 1 else [],
            "answers": [self._answer(task) for task in tasks],
        }

    def _answer(self, task: Task) -> dict:
        tests = [(name, source) for name, _, source in task.exercise.tests]
        tests.sort(key=lambda cell: cell[0] != task.first)
        cells = tests if task.graded else []
        if task.visible:
            cells = cells + [(_VISIBLE + name, hidden_tests().without(source)) for name, source in tests]
        return {
            "answer": task.source,
            "cells": [(name, self._number(name, source)) for name, source in cells],
            "place": task.place,
            "self_check": "\n".join(task.exercise.self_checks) if task.self_check else "",
            "stop_at_first": task.stop_at_first,
            "cpu_s": task.timeout_s,
        }

    def run(self, tasks: Sequence[Task], progress: Callable[[int], None] | None = None) -> list[AnswerResult]:
        """Run answers and give their results in the same order.

        If an answer ends its process, by an endless loop say, the graded cells behind that point are `not run`. What
        was asked for beyond them, the visible tests and the self-check, then gets processes of its own.

        Args:
            tasks: What to run.
            progress: Called with the number of answers done, after each.

        Raises:
            GraderError: If a set-up, helper or given cell fails: no answer can be judged then.
        """
        results = [one for [one] in self.run_in_series([[task] for task in tasks], progress)]
        again = [
            (n, replace(task, graded=False, visible=visible, self_check=not visible))
            for n, task in enumerate(tasks)
            for visible in (True, False)
            if results[n].end is not End.DONE and (task.visible if visible else task.self_check)
        ]
        for (n, task), [more] in zip(again, self.run_in_series([[task] for _, task in again]), strict=True):
            fields = ("visible",) if task.visible else ("printed", "self_check_error")
            results[n] = replace(results[n], **{name: getattr(more, name) for name in fields})
        return results

    def run_in_series(
        self, series: Sequence[Sequence[Task]], progress: Callable[[int], None] | None = None
    ) -> list[list[AnswerResult]]:
        """Run answers one after the other in one process for each series.

        Before each answer there are the names and random numbers that there were before the first one; what an answer
        does to anything else, the next one finds (`grader.audit.series`).

        Args:
            series: Answers to one exercise each.
            progress: Called with the number of series done, after each.

        Returns:
            For each series the results as far as it came: the last one is of the answer that ended its process.

        Raises:
            GraderError: If a set-up, helper or given cell fails: no answer can be judged then.
        """
        results: dict[int, list[AnswerResult]] = {}
        waiting = list(enumerate(series))[::-1]
        running: list[_Running] = []
        ended: list[_Running] = []
        try:
            while waiting or running or ended:
                # The next one starts before the last one is asked after: by then that one is gone, and nobody waits.
                while waiting and len(running) < self.jobs:
                    index, tasks = waiting.pop()
                    running.append(_Running(index, tasks, self.line, self._order(tasks)))
                    if self.import_s is None:
                        self.import_s = self.template.import_s
                for one in ended:
                    message = one.collect()
                    results[one.index] = list(_results(one.tasks, message))
                    self._count(len(one.tasks), message)
                    if progress:
                        progress(len(results))
                ended = _wait_for_one(running)
                running = [one for one in running if one not in ended]
        finally:
            for one in (*running, *ended):
                one.abandon()
        return [results[n] for n in range(len(series))]

    def _count(self, answers: int, message: dict) -> None:
        self.answers += answers
        self.cpu_s += message["cpu_s"]
        self.peak_mib = max(self.peak_mib, message["peak_mib"])


class _Running:
    """A series of answers in its process.

    Args:
        index: Place of the series among all.
        tasks: What is run.
        template: The process that it is forked from.
        order: What the child is told.
    """

    def __init__(self, index: int, tasks: Sequence[Task], template: WarmProcess, order: dict):
        self.index, self.tasks, self.template = index, tasks, template
        self.link, other = socket.socketpair()
        self.data, self.late = b"", False
        self.begun = self.since = time.monotonic()
        self.wall_s = CLOCK_ALLOWANCE_S + 4 * max(task.timeout_s for task in tasks)
        cpu_s = sum(int(2 * task.timeout_s) for task in tasks) + SPARE_CPU_S
        limits = Limits(memory_mib=max(task.memory_mib for task in tasks), cpu_s=cpu_s)
        with other:
            self.number, _ = template.spawn(Role.AUDIT, [other], limits)
        with contextlib.suppress(OSError):  # if it is gone already, that is seen below
            self.link.sendall(json.dumps(order).encode() + b"\n")

    @property
    def left_s(self) -> float:
        """Seconds on the clock that the answer which runs still has."""
        return self.since + self.wall_s - time.monotonic()

    def read(self) -> bool:
        """Take what it has sent; return whether it has hung up."""
        try:
            piece = self.link.recv(1 << 16)
        except ConnectionResetError:
            piece = b""
        if b'{"next"' in piece:
            self.since = time.monotonic()
        self.data += piece
        return not piece

    def collect(self) -> dict:
        """Wait until it has ended, end it if its time is up, and report on it."""
        used = self.template.end(self.number, 0 if self.late else LEAVE_S)
        self.late |= used["ended"] is Ended.KILLED
        with contextlib.suppress(OSError):
            while self.late and not self.read():
                pass
        self.link.close()
        events = [json.loads(line) for line in self.data.split(b"\n")[:-1]]
        end, how = _end(used, events, self.late)
        return {
            "events": events,
            "end": end,
            "how": how,
            "cpu_s": used["cpu_s"],
            "wall_s": time.monotonic() - self.begun,
            "peak_mib": used["peak_mib"],
        }

    def abandon(self) -> None:
        """End it, whatever it does."""
        self.link.close()
        with contextlib.suppress(GraderError):
            self.template.end(self.number, 0)


def _wait_for_one(running: list[_Running]) -> list[_Running]:
    """Read what running answers send until one of them has hung up or its time is up; return those."""
    ended: list[_Running] = []
    while running and not ended:
        patience = max(0.0, min(one.left_s for one in running))
        ready, _, _ = select.select([one.link for one in running], [], [], patience)
        for one in running:
            if one.link in ready and one.read():
                ended.append(one)
            elif one.left_s <= 0:
                one.late = True
                ended.append(one)
    return ended


def _end(used: dict, events: list[dict], late: bool) -> tuple[End, str]:
    """Return how a process ended, and the same in a word or two."""
    if late or _out_of_time(used, events):
        return End.TIMEOUT, "timeout"
    if used["ended"] in (Ended.SIGNAL, Ended.TAKEN):
        return End.CRASHED, f"killed by {signal.Signals(used['code']).name}"
    last = events[-1] if events else {}
    if "done" in last:
        return End.DONE, "done"
    if "locked" in last:
        return End.LOCKED, "locked"
    return End.CRASHED, f"ended itself with exit code {used['code']}"


def _out_of_time(used: dict, events: list[dict]) -> bool:
    """Return whether a process used up its CPU time.

    It then leaves with the number of the signal as its exit code (see `audited.py`), as an answer may by accident: so
    the CPU time that it had used since its clock started has to agree. The kernel's timer counts in ticks and the total
    does not, hence half of the time is enough.
    """
    clock = next((e for e in reversed(events) if "clock" in e), None)
    if clock is None or used["ended"] is not Ended.EXIT or used["code"] != signal.SIGPROF:
        return False
    return used["cpu_s"] - clock["at"] >= clock["clock"] / 2


def run_answers(
    nb: NotebookNode,
    exercise: Exercise,
    sources: Sequence[str],
    jobs: int | None = None,
    timeout_s: float = 20.0,
    *,
    visible: bool = False,
    self_check: bool = False,
) -> list[AnswerResult]:
    """Run several answers to one exercise.

    Args:
        nb: The source notebook.
        exercise: One of `grader.core.cells.exercises(nb)`.
        sources: Sources of answer cells.
        jobs: How many run at once; the number of processors by default.
        timeout_s: CPU seconds for each.
        visible: Also run the test cells without their hidden part.
        self_check: Also run the self-check and keep what it prints.

    Returns:
        A result per source, in order.
    """
    with Runner(nb, jobs) as runner:
        return runner.run([Task(exercise, s, visible, self_check, timeout_s=timeout_s) for s in sources])


_VISIBLE = "visible part of "


def _results(tasks: Sequence[Task], message: dict) -> Iterator[AnswerResult]:
    """Make the results of a series of the events of its process, as far as it came."""
    events = message["events"]
    cuts = [n for n, event in enumerate(events) if "next" in event]
    for task, (begin, end) in zip(tasks, pairwise([0, *cuts[1:], len(events)]), strict=False):
        part = message | {"events": events[begin:end]}
        if end < len(events):  # it is not the one that the process ended with
            part |= {"end": End.DONE, "how": "done"}
        yield _result(task, part)


def _result(task: Task, message: dict) -> AnswerResult:
    """Make a result of the events of a child."""
    events = message["events"]
    broken = next((e["locked"] for e in events if "locked" in e), None)
    if broken:
        raise GraderError(
            f"the locked cell {broken['name']} fails: {broken['error']['type']}: {broken['error']['text']}",
            f"exercise {task.exercise.name}, line {broken['error']['line']} of that cell",
            "set-up, helper and given cells must run by themselves, in the order of the notebook",
        )
    ended = {e["cell"]["name"]: _cell(e["cell"]) for e in events if "cell" in e}
    at = next((e["begin"] for e in reversed(events) if "begin" in e), None)
    known = {name for name, _, _ in task.exercise.tests} | {"answer", "self-check"}
    if message["end"] is not End.DONE and at is not None and at.removeprefix(_VISIBLE) not in known:
        where = f"exercise {task.exercise.name}"
        raise GraderError(f"the locked cell {at} did not end: {message['how']}", where, "make the cell cheaper")
    outcome = Outcome.TIMEOUT if message["end"] is End.TIMEOUT else Outcome.CRASHED

    def cell(name: str, first: bool) -> CellResult:
        if name in ended:
            return ended[name]
        here = name.removeprefix(_VISIBLE)
        if name == at or (at == "answer" and first):
            text = f"no end within {task.timeout_s:g} s" if outcome is Outcome.TIMEOUT else message["how"]
            return CellResult(here, outcome, message=text)
        return CellResult(here, Outcome.NOT_RUN)

    answer = next((e["answer"]["error"] for e in events if "answer" in e), None)
    check: dict[str, Any] = next((e["self_check"] for e in events if "self_check" in e), {})
    failed = check.get("error")
    names = [name for name, _, _ in task.exercise.tests]
    began = task.first if task.first in names else names[0] if names else ""
    return AnswerResult(
        cells=tuple(cell(n, n == began) for n in names) if task.graded else (),
        visible=tuple(cell(_VISIBLE + n, n == began) for n in names) if task.visible else (),
        answer_error=f"{answer['type']}: {answer['text']}" if answer else "",
        printed=check.get("printed", ""),
        self_check_error=f"{failed['type']}: {failed['text']} ({failed['source']})" if failed else "",
        end=message["end"],
        cpu_s=message["cpu_s"],
        answer_cpu_s=next((e["answer_cpu_s"] for e in events if "answer_cpu_s" in e), message["cpu_s"]),
        wall_s=message["wall_s"],
        peak_mib=message["peak_mib"],
    )


def _cell(event: dict) -> CellResult:
    name, error = event["name"].removeprefix(_VISIBLE), event.get("error")
    if error:
        return CellResult(name, Outcome.FAILED, error["type"], error["text"], error["line"])
    if event["stderr"]:
        return CellResult(name, Outcome.STDERR, "text on standard error", event["stderr"])
    return CellResult(name, Outcome.PASSED)
