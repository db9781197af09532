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
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode

from grader.core.errors import GraderError
from grader.core.notebook import BEGIN_HIDDEN, END_HIDDEN, LOCKED_KINDS, CellKind, Exercise, grade_id, kind_of

_TEMPLATE = Path(__file__).with_name("template.py")

# One thread per child: two children run at once, and sums come out the same on every machine.
_ENVIRONMENT = {
    "MPLBACKEND": "Agg",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


#: Seconds on the clock that an answer gets beyond what its CPU time allows: for the set-up, and for a busy machine.
CLOCK_ALLOWANCE_S = 10.0


@dataclass(frozen=True)
class CellResult:
    """How one test cell ended.

    Args:
        name: Its `grade_id`.
        outcome: `passed`, `failed`, `stderr` (it ran, but wrote to standard error, for which nbgrader takes all its
            points), `timeout`, `crashed` (the process ended) or `not run` (an earlier cell ended it).
        error: Type name of the exception.
        message: Its text, or what was written to standard error.
        line: Line of the cell, from 1.
    """

    name: str
    outcome: str
    error: str = ""
    message: str = ""
    line: int | None = None

    @property
    def passed(self) -> bool:
        """Whether the cell gives its points."""
        return self.outcome == "passed"

    def __str__(self) -> str:
        """Say it in one line."""
        text = " ".join(self.message.split())
        what = ": ".join(filter(None, [self.error, text[:300]])) or self.outcome
        return f"{self.name}{f', line {self.line}' if self.line else ''}: {what}"


@dataclass(frozen=True)
class AnswerResult:
    """What one answer did.

    Args:
        cells: The graded test cells in order.
        visible: The same cells without their hidden part; empty if that was not asked for.
        answer_error: What went wrong when the answer cell itself ran, or an empty string.
        printed: What the exercise's self-check printed.
        self_check_error: The exception that the self-check raised, which it never should.
        end: `done`, `timeout` or how the process ended.
        cpu_s: CPU seconds of its process, set-up included.
        answer_cpu_s: CPU seconds of the answer and all test cells that were run.
        wall_s: Seconds on the clock.
        peak_mib: Most memory it had, what it shares with the template included.
    """

    cells: tuple[CellResult, ...]
    visible: tuple[CellResult, ...] = ()
    answer_error: str = ""
    printed: str = ""
    self_check_error: str = ""
    end: str = "done"
    cpu_s: float = 0.0
    answer_cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mib: float = 0.0

    @property
    def kept_all(self) -> bool:
        """Whether it gets every point."""
        return all(c.passed for c in self.cells)

    @property
    def kept_all_visible(self) -> bool:
        """Whether the visible tests alone would find nothing."""
        return all(c.passed for c in self.visible)

    @property
    def failed(self) -> tuple[CellResult, ...]:
        """The cells that give no points."""
        return tuple(c for c in self.cells if not c.passed)


@dataclass(frozen=True)
class Task:
    """One answer to run.

    Args:
        exercise: The exercise it answers.
        source: Source of the answer cell.
        visible: Also run the test cells without their hidden part.
        self_check: Also run the exercise's self-check.
        graded: Run the whole test cells.
        stop_at_first: Stop at the first test cell that gives no points.
        timeout_s: CPU seconds for the answer and its tests; on the clock four times as many and a
            little more, set-up included, since other work may keep the processors busy.
        memory_mib: Memory on top of what the template has.
    """

    exercise: Exercise
    source: str
    visible: bool = False
    self_check: bool = False
    graded: bool = True
    stop_at_first: bool = False
    timeout_s: float = 20.0
    memory_mib: int = 2048


def without_hidden(source: str) -> str:
    """Give a test cell as students see it, as nbgrader's `ClearHiddenTests` does."""
    kept, hidden = [], False
    for line in source.split("\n"):
        if BEGIN_HIDDEN in line:
            hidden = True
        elif END_HIDDEN in line:
            hidden = False
        elif not hidden:
            kept.append(line)
    return "\n".join(kept)


def locked_cells(nb: NotebookNode, exercise: Exercise) -> list[tuple[str, str]]:
    """List the set-up, helper and given cells that an exercise's answer and tests may use.

    These are the ones before its last test cell. A given cell further down is left out on purpose: it would not be
    there yet when the notebook runs from top to bottom.
    """
    last = exercise.tests[-1][0] if exercise.tests else exercise.name
    cells = []
    for cell in nb.cells:
        if kind_of(cell) in LOCKED_KINDS:
            cells.append((grade_id(cell) or cell.get("id", "?"), cell.source))
        if grade_id(cell) == last:
            break
    return cells


def self_check_source(nb: NotebookNode, exercise: Exercise) -> str:
    """Give the source of the self-check cells between an exercise's answer cell and the next one."""
    found, inside = [], False
    for cell in nb.cells:
        kind = kind_of(cell)
        if kind is CellKind.ANSWER:
            inside = grade_id(cell) == exercise.name
        elif kind is CellKind.SELF_CHECK and inside:
            found.append(cell.source)
    return "\n".join(found)


class Runner:
    """A template process for one notebook; a context manager.

    Args:
        nb: The source notebook.
        jobs: How many answers run at once; the number of processors by default.

    Raises:
        GraderError: On a system without `fork`, or if the template process does not start.
    """

    def __init__(self, nb: NotebookNode, jobs: int | None = None):
        if not hasattr(os, "fork"):
            raise GraderError(
                "answers are run in forked processes, which this system does not have",
                sys.platform,
                "use Linux, macOS or WSL",
            )
        if jobs is not None and jobs < 1:
            raise GraderError(f"{jobs} answers at a time", "--jobs", "give a number from 1")
        self.nb, self.jobs = nb, jobs or os.cpu_count() or 1
        self.answers, self.cpu_s, self.peak_mib = 0, 0.0, 0.0
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> Runner:
        """Start the template process; it goes on importing while the caller goes on."""
        self._scratch = tempfile.mkdtemp(prefix="audit-")
        self._log = open(os.path.join(self._scratch, "template.log"), "w+b")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONSTARTUP"} | _ENVIRONMENT
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_TEMPLATE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=self._scratch,
            env=environment | {"HOME": self._scratch, "TMPDIR": self._scratch} | _matplotlib_folder(),
        )
        kinds = (*LOCKED_KINDS, CellKind.TEST)
        self._send({"imports": [c.source for c in self.nb.cells if kind_of(c) in kinds]})
        self.import_s: float | None = None
        return self

    def __exit__(self, *exception: object) -> None:
        """End the template process and the children it still has."""
        process = self._process
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._log.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _send(self, message: dict) -> None:
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            self._gone()

    def _receive(self) -> dict:
        line = self._process.stdout.readline()
        if not line:
            self._gone()
        message = json.loads(line)
        if "error" in message:
            raise GraderError(message["error"], "audit", "this is a limitation of the audit; run it with --jobs 1")
        return message

    def _gone(self) -> None:
        self._log.seek(0)
        said = self._log.read().decode("utf-8", "replace").strip().splitlines()[-3:]
        fix = "run the notebook's imports in plain Python and see what they say"
        raise GraderError("the process that imports the notebook's modules ended: " + " | ".join(said), "audit", fix)

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
        results = self._run(tasks, progress)
        again = [
            (n, replace(task, graded=False, visible=visible, self_check=not visible))
            for n, task in enumerate(tasks)
            for visible in (True, False)
            if results[n].end != "done" and (task.visible if visible else task.self_check)
        ]
        for (n, task), more in zip(again, self._run([task for _, task in again]), strict=True):
            fields = ("visible",) if task.visible else ("printed", "self_check_error")
            results[n] = replace(results[n], **{name: getattr(more, name) for name in fields})
        return results

    def _run(self, tasks: Sequence[Task], progress: Callable[[int], None] | None = None) -> list[AnswerResult]:
        if self.import_s is None:
            self.import_s = self._receive()["ready"]
        if not tasks:
            return []
        locked: dict[str, int] = {}
        cells: list[list[tuple[str, str]]] = []
        for task in tasks:
            if task.exercise.name not in locked:
                locked[task.exercise.name] = len(cells)
                cells.append(locked_cells(self.nb, task.exercise))
        jobs = [_message(self.nb, t, locked[t.exercise.name]) for t in tasks]
        self._send({"locked": cells, "tasks": jobs, "jobs": self.jobs})
        results: list[AnswerResult | None] = [None] * len(tasks)
        for done in range(1, len(tasks) + 1):
            message = self._receive()
            result = results[message["index"]] = _result(tasks[message["index"]], message)
            self.answers += 1
            self.cpu_s += result.cpu_s
            self.peak_mib = max(self.peak_mib, result.peak_mib)
            if progress:
                progress(done)
        return results


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
        exercise: One of `grader.core.notebook.exercises(nb)`.
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


def _matplotlib_folder() -> dict[str, str]:
    """Let matplotlib find the font cache that the user has, if any: making one costs seconds."""
    if "MPLCONFIGDIR" in os.environ:
        return {}
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "matplotlib"
    return {"MPLCONFIGDIR": str(base)} if base.is_dir() else {}


_VISIBLE = "visible part of "


def _message(nb: NotebookNode, task: Task, locked: int) -> dict:
    cells = [(name, source) for name, _, source in task.exercise.tests] if task.graded else []
    if task.visible:
        cells += [(_VISIBLE + name, without_hidden(source)) for name, _, source in task.exercise.tests]
    return {
        "answer": task.source,
        "cells": cells,
        "locked": locked,
        "self_check": self_check_source(nb, task.exercise) if task.self_check else "",
        "stop_at_first": task.stop_at_first,
        "cpu_s": task.timeout_s,
        "wall_s": CLOCK_ALLOWANCE_S + 4 * task.timeout_s,
        "memory_mib": task.memory_mib,
    }


def _result(task: Task, message: dict) -> AnswerResult:
    """Turn the events of a child into a result."""
    events = message["events"]
    broken = next((e["locked"] for e in events if "locked" in e), None)
    if broken:
        raise GraderError(
            f"the locked cell {broken['name']} fails: {broken['error']}: {broken['message']}",
            f"exercise {task.exercise.name}, line {broken['line']} of that cell",
            "set-up, helper and given cells must run by themselves, in the order of the notebook",
        )
    ended = {e["cell"]["name"]: _cell(e["cell"]) for e in events if "cell" in e}
    at = next((e["begin"] for e in reversed(events) if "begin" in e), None)
    known = {name for name, _, _ in task.exercise.tests} | {"answer", "self-check"}
    if message["end"] != "done" and at is not None and at.removeprefix(_VISIBLE) not in known:
        where = f"exercise {task.exercise.name}"
        raise GraderError(f"the locked cell {at} did not end: {message['end']}", where, "make the cell cheaper")
    outcome = "timeout" if message["end"] == "timeout" else "crashed"

    def cell(name: str, first: bool) -> CellResult:
        if name in ended:
            return ended[name]
        here = name.removeprefix(_VISIBLE)
        if name == at or (at == "answer" and first):
            text = f"no end within {task.timeout_s:g} s" if outcome == "timeout" else message["end"]
            return CellResult(here, outcome, message=text)
        return CellResult(here, "not run")

    answer = next((e["answer"] for e in events if "answer" in e), None)
    check = next((e["self_check"] for e in events if "self_check" in e), {})
    names = [name for name, _, _ in task.exercise.tests]
    return AnswerResult(
        cells=tuple(cell(n, n == names[0]) for n in names) if task.graded else (),
        visible=tuple(cell(_VISIBLE + n, n == names[0]) for n in names) if task.visible else (),
        answer_error=f"{answer['error']}: {answer['message']}" if answer else "",
        printed=check.get("printed", ""),
        self_check_error=f"{check['error']}: {check['message']} ({check['source']})" if "error" in check else "",
        end=message["end"],
        cpu_s=message["cpu_s"],
        answer_cpu_s=next((e["answer_cpu_s"] for e in events if "answer_cpu_s" in e), message["cpu_s"]),
        wall_s=message["wall_s"],
        peak_mib=message["peak_mib"],
    )


def _cell(event: dict) -> CellResult:
    name = event["name"].removeprefix(_VISIBLE)
    if "error" in event:
        return CellResult(name, "failed", event["error"], event["message"], event["line"])
    if event["stderr"]:
        return CellResult(name, "stderr", "text on standard error", event["stderr"])
    return CellResult(name, "passed")
