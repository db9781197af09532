"""Mark one notebook: the student's cells on one side, the tests on the other, this process keeps the clock.

```text
                    this process (clock, order of the cells, verdicts)
                  cells |                                  | cells, verdicts
               student's side  <--- calls, plain data --->  trusted side
```

Cells are run in the order of the notebook, as Jupyter would: locked cells on both sides, answers and the student's own
cells on the student's side, test cells on the trusted side alone. If the student's process ends or cannot be
interrupted, a new pair starts, runs what had been run before it, and goes on after that cell: a crash costs the points
of what crashed.

**Changed arguments.** A test compares with arrays of its own, and a function gets copies of them. First a test cell
runs with arrays that nothing changes: what it computes from them after a call is what it would have been before. If it
passes, and a call reported that it changed its arguments, the cell runs again with these changes written back: now its
own assertions that the arguments stay as they were can fail. Its seeds are in its source, so the inputs are the same.
It has to pass both times, and gets the lower mark. What was written back is undone after the second run.

**Time.** `Budget` holds for all that a submission causes: its cells, with their figures, and the tests; `patience.py`
sees to it. Recognising its mistakes begins when every test is judged, and has what is left on the clock. What ran out,
and where, becomes a finding, besides the error of the cell or test.
"""

from __future__ import annotations

import time
from dataclasses import replace

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.errors import EndedFromOutside, LockedCellFails
from grader.core.findings import Finding, Level
from grader.engine import prelude
from grader.engine.borrowed import WHOSE, borrowed
from grader.engine.keeping import Reply, Room, error_output, readable
from grader.engine.losses import library_missing
from grader.engine.packed import packed
from grader.engine.patience import Patience
from grader.engine.recognising import Known, Message, Recogniser
from grader.engine.result import Outcome, Result, Verdict
from grader.engine.settings import Budget, Pace
from grader.engine.skipping import Plan, run_anew
from grader.sandbox.inside import border, checking, wire
from grader.sandbox.inside.isolate import Limits
from grader.sandbox.inside.orders import Ended
from grader.sandbox.inside.student import COMPUTED, WAITED
from grader.sandbox.pair import Pair
from grader.sandbox.warm import WarmProcess

#: What a student reads if their process was ended for what it took.
_OVERSTEPPED = {
    Ended.THREADS: "The notebook ran more than {threads} threads at a time; the process that it ran in was ended.",
    Ended.SCRATCH: "The notebook wrote more than {scratch_mib} MB of files, or too many of them; the process that it "
    "ran in was ended.",
}

#: What of a budget is so many times as large for the reference solution.
_MEASURED = (
    "call_cpu_s", "call_wall_s", "cell_cpu_s", "cell_wall_s", "test_wall_s", "notebook_cpu_s", "notebook_wall_s",
)  # fmt: skip
_MEASURING = 10


class _Gone(Exception):
    """The student's process does not answer."""


class _Run:
    """One notebook on its way through the cells."""

    def __init__(
        self,
        nb: NotebookNode,
        plan: Plan,
        template: WarmProcess,
        budget: Budget,
        limits: Limits,
        recogniser: Recogniser,
        draw: bool,
        measured: bool = False,
    ):
        self.measured = measured
        self.nb, self.plan = nb, plan
        #: What cells printed that run in no process of this notebook's, and what its processes are forked from.
        self.ahead, self.template = prelude.places(nb, plan.skipped, template)
        self.anew = run_anew(nb, plan.skipped)
        self.budget, self.limits, self.draw, self.recogniser = budget, limits, draw, recogniser
        self.result = Result(skipped=plan.skipped, findings=list(plan.findings()))
        self.broken: dict[str, str] = {}  # functions that are not called again, and why
        self.room = Room()
        self.poison: set[int] = set()  # cells that are not run again
        self.pair: Pair | None = None
        self.tested = False  # whether a test has run in the present processes
        self.deadline = time.monotonic() + budget.notebook_wall_s
        self.patience = Patience(budget, self.deadline)
        self.demonstrations_s = budget.demonstrations_cpu_s

    def run(self) -> Result:
        """Run all cells."""
        begun, done = time.monotonic(), 0
        try:
            while done < len(self.nb.cells):
                try:
                    if self.pair is None:
                        self.pair, self.tested = Pair(self.template, self.limits), False
                        self.result.isolation = self.pair.isolation
                        for n in range(done):
                            self._cell(n, again=True)
                    self._cell(done, again=False)
                    done += 1
                except _Gone:
                    if self._end_pair(0) is Ended.TAKEN and not self._is_complete():
                        raise EndedFromOutside from None
                    self.result.restarts += 1
                    if self.result.restarts > self.budget.restarts or self.patience.is_over():
                        self._give_up(done)
                        break
                    done += done not in self.poison and grade_id(self.nb.cells[done]) in self.result.verdicts
            self._recognise()
        finally:
            self._end_pair(0.5)
        if cut := self.room.finding():
            self.result.findings.append(cut)
        self.result.wall_s, self.result.waited_s = time.monotonic() - begun, self.patience.waited_s
        return self.result

    def _recognise(self) -> None:
        """Name known mistakes in the time that is left."""
        ask = None if self.pair is None else self._ask_for_recogniser
        self.result.causes = self.recogniser.finish(ask, self.deadline)
        self.result.unrecognised = dict(self.recogniser.failures)

    def _started(self) -> Pair:
        """Return the two processes; cells run only while there are some."""
        if self.pair is None:
            raise RuntimeError("a cell was to be run without processes")
        return self.pair

    def _is_complete(self) -> bool:
        judged = {v.name for v in self.result.verdicts.values() if v.outcome is not Outcome.GONE}
        return all(grade_id(cell) in judged for cell in self.nb.cells if kind_of(cell) is CellKind.TEST)

    def _end_pair(self, wait_s: float) -> Ended:
        if self.pair is None:
            return Ended.UNKNOWN
        pair, self.pair = self.pair, None
        cpu_s, peak = pair.end(wait_s)
        self.result.cpu_s += cpu_s
        self.patience.pair_ended(cpu_s)
        self.result.peak_mib = max(self.result.peak_mib, peak)
        if text := _OVERSTEPPED.get(pair.ended):
            finding = Finding(f"too-much-{pair.ended}", "", text.format(**self.limits.as_json()), Level.LOST)
            self.result.findings += [finding] * (finding not in self.result.findings)
        return pair.ended

    def _give_up(self, done: int) -> None:
        gone = self.patience.exhausted
        self.result.ran_out |= bool(gone)
        what = f"The notebook used up {gone}" if gone else "The notebook ended its process too often"
        for n, cell in enumerate(self.nb.cells[done:], done):
            if kind_of(cell) is CellKind.TEST and grade_id(cell) not in self.result.verdicts:
                text = f"{what[0].lower()}{what[1:]} before this test"
                self._judge(n, cell, Verdict(_name(cell), Outcome.NOT_RUN, "TimeoutError", text))
        self._lost("gave-up", _name(self.nb.cells[done]), f"{what}; the tests behind that point were not run.")

    def _lost(self, kind: str, where: str, text: str) -> None:
        self.result.findings.append(Finding(kind, where, text, Level.LOST))

    def _cell(self, n: int, again: bool) -> None:
        cell = self.nb.cells[n]
        if cell.cell_type != "code" or n in self.plan.skipped:
            return
        if self.patience.is_over():
            raise _Gone
        if n in self.ahead:
            if not again:
                self.result.cells += 1
                self.result.outputs[n] = self.room.outputs(Reply(None, self.ahead[n], "", [], []))
            return
        kind = kind_of(cell)
        if kind is CellKind.TEST:
            for side in self.anew.get(n, ()):
                self._cell(side, again=True)
            if not again:
                self._test(n, cell)
            return
        if kind in LOCKED_KINDS and kind is not CellKind.STUDENT_SIDE:
            self._locked(cell)
        if n in self.poison:
            return
        if n not in self.plan.released and n not in self.plan.beside:
            self._student_cell(n, cell, kind, again)
        elif n in self.plan.beside or self.demonstrations_s > 0:
            before = self._used_s()
            try:
                self._student_cell(n, cell, kind, again)
            finally:
                self.demonstrations_s -= self._used_s() - before
        else:
            most = f"{self.budget.demonstrations_cpu_s:g} seconds of computing"
            text = f"The demonstrations that answers need took longer than {most}; what was left of them was not run."
            self._lost("demonstrations-stopped", _name(cell), text)
            self.poison.add(n)

    def _used_s(self) -> float:
        """Return the CPU seconds so far of the student's process; none if it has ended."""
        return 0.0 if self.pair is None else self.pair.look().student_s

    def _locked(self, cell: NotebookNode) -> None:
        message = {"do": "locked", "source": packed(_name(cell), cell.source), "name": _name(cell)}
        verdict = self._ask_trusted(message | {"wall_s": self.budget.cell_wall_s}, self.budget.cell_wall_s)
        if verdict["outcome"] != Outcome.PASSED and self.tested:
            # What the student's functions returned is still there, and may have taken all the memory. If the cell fails
            # without that as well, it is the course's fault.
            text = f"What this notebook's functions returned left too little for the cell {_name(cell)} of the course"
            self._lost("tests-began-again", _name(cell), f"{text}; the tests went on in a new process.")
            raise _Gone
        if verdict["outcome"] != Outcome.PASSED:
            raise LockedCellFails(
                f"the locked cell {_name(cell)} fails: {verdict['error']}: {verdict['message']}",
                "marking",
                "set-up, helper and given cells must be plain Python that runs by itself, in the order of the notebook",
            )

    def _student_cell(self, n: int, cell: NotebookNode, kind: CellKind, again: bool) -> None:
        pair, budget, beside = self._started(), self.budget, self.plan.beside.get(n, [])
        cpu_s, wall_s = budget.cell_cpu_s, min(budget.cell_wall_s, max(self._left_s(), 1.0))
        beside_s = max(self.demonstrations_s, 0.0)
        if n in self.plan.released:
            cpu_s, wall_s = beside_s, max(self._left_s(), 1.0)
        message = {
            "source": self.plan.sources.get(n, cell.source), "name": _name(cell),
            "cpu_s": cpu_s, "wall_s": wall_s,
            "rescue": kind is CellKind.ANSWER, "plain": kind in LOCKED_KINDS, "kind": WHOSE.get(kind, ""),
            "draw": self.draw and kind not in LOCKED_KINDS,
            "beside": beside, "beside_s": beside_s,
        }  # fmt: skip
        self.patience.begin(pair, wall_s)
        try:
            wire.send(pair.student, message, deadline=time.monotonic() + budget.grace_s)
            limits = border.DRAWN_CELL if message["draw"] else border.CELL
            end = time.monotonic() + wall_s + budget.grace_s
            most_s = cpu_s + (beside_s if beside else 0.0)
            said = self.patience.receive(pair, pair.student, end, most_s, 2 * (most_s + budget.grace_s), limits)
            understood = Reply.read(border.cell_reply(said), drawn=message["draw"])
        except (wire.WireError, OSError) as problem:
            late = isinstance(problem, wire.WireTimeout) or bool(self.patience.ended)
            what = self.patience.ended or ("did not end in time" if late else "ended the process that it ran in")
            text = f"This cell {what}; it was left out, and the rest of the notebook was run without it."
            self._lost("cell-" + ("hangs" if late else "ends-process"), _name(cell), text)
            self.result.ran_out |= late
            self.result.outputs[n] = [error_output("TimeoutError" if late else "SystemExit", text)]
            self.poison.add(n)
            raise _Gone from None
        if again:
            return
        self.result.cells += 1
        self.result.outputs[n] = self.room.outputs(understood)
        error, rescued = understood.error, understood.rescued
        if error is not None and (library := library_missing(error["type"], error["text"])):
            text = (
                f"This cell imports {library}, which marking does not have: Python's own modules, NumPy, Keras, "
                "TensorFlow and Matplotlib are there."
            )
            self.result.findings.append(Finding("library-missing", _name(cell), text))
        if error is not None and error["type"] == "TimeoutError" and error["text"] in (COMPUTED, WAITED):
            most_s = beside_s if error["line"] in beside else cpu_s
            if self.patience.reached(pair, error["text"], most_s):
                self._stopped(n, cell, error)
        if rescued and error is not None:
            said = checking.quoted(f"{error['type']}: {error['text']}")
            text = (
                f"Line {error['line']} of this answer failed with {said}; the definitions "
                f"behind it were used nevertheless: {', '.join(map(checking.quoted, rescued))}."
            )
            self.result.findings.append(Finding("answer-rescued", _name(cell), text))

    def _stopped(self, n: int, cell: NotebookNode, error: Message) -> None:
        """Say that a cell, or a statement of it, ran out of time."""
        text, budget = error["text"], self.budget
        if n in self.plan.released:
            self.demonstrations_s = 0.0
            text = (
                f"This demonstration, which an answer needs, {text}{_limit(text, budget.demonstrations_cpu_s, budget)}"
            )
            self._lost("demonstrations-stopped", _name(cell), text)
        elif error["line"] in self.plan.beside.get(n, ()):
            limit = _limit(text, budget.demonstrations_cpu_s, budget)
            text = (
                f"Line {error['line']} of this cell, which no mark needs, {text}{limit}; the lines behind it were run."
            )
            self.result.findings.append(Finding("beside-stopped", _name(cell), text))
        else:
            self._lost("cell-hangs", _name(cell), f"This cell {text}{_limit(text, budget.cell_cpu_s, budget)}")
            self.result.ran_out = True

    def _test(self, n: int, cell: NotebookNode) -> None:
        budget = self.budget
        message = {
            "do": "test", "source": packed(_name(cell), cell.source), "name": _name(cell), "write_back": False,
            "functions": list(self.plan.functions), "broken": self.broken,
            "exercise": self.recogniser.exercise(_name(cell)),
            "limits": {"cpu_s": budget.call_cpu_s, "wall_s": budget.call_wall_s, "grace_s": budget.grace_s},
        }  # fmt: skip
        self.tested = True
        self.patience.begin(self._started(), min(budget.call_wall_s, budget.test_wall_s, max(self._left_s(), 1.0)))
        before = self._started().look().cpu_s if self.measured else 0.0
        reply = self._ask_test(message)
        if self.measured:
            self._measure(reply["longest_s"], self._started().look().cpu_s - before)
        if reply["changed"] and reply["outcome"] == Outcome.PASSED:
            reply = _lower(reply, self._ask_test(message | {"write_back": True}))
        outcome = Outcome(reply["outcome"])
        self.patience.disbelieve(self._started(), reply)
        self._note_what_ran_out(_name(cell), reply)
        self.result.findings += [f for f in borrowed(self.nb, n, reply) if f not in self.result.findings]
        said = {name: reply[name] for name in ("error", "message", "line", "value")}
        said |= {"by_test": reply.get("by_test", False), "call_error": reply.get("call_error", "")}
        self._judge(n, cell, Verdict(_name(cell), outcome, **said))
        gone = outcome in (Outcome.GONE, Outcome.TIMEOUT)
        self.recogniser.after(_name(cell), reply, None if gone else self._ask_for_recogniser)
        if gone:
            if reply["function"]:
                self.broken[reply["function"]] = reply["message"]
            raise _Gone

    def _note_what_ran_out(self, test: str, reply: Message) -> None:
        """Say of a test which calls ran out of time, and of what; the reply says so as well."""
        if self.patience.ended:
            reply["message"], reply["by_test"] = f"{reply['function'] or test}: {self.patience.ended}", False
        elif self.patience.exhausted and reply["outcome"] != Outcome.PASSED:
            text = f"the notebook used up {self.patience.exhausted} in this test"
            reply["message"], reply["by_test"] = text, False
        late = self.patience.ended or reply["outcome"] == Outcome.TIMEOUT
        texts = [*reply["ran_out"].values(), *([reply["message"]] if late else [])]
        for text in dict.fromkeys(map(readable, texts)):
            self._lost("call-hangs", test, f"{text[:500]}{_limit(text, self.budget.call_cpu_s, self.budget)}")
            self.result.ran_out = True

    def _measure(self, call_s: float, cell_s: float) -> None:
        """Note what a test cell of the reference took: its longest call, on the clock; CPU seconds of both sides."""
        pace = self.result.pace
        self.result.pace = Pace(max(pace.call_s, min(call_s, cell_s)), max(pace.cell_s, cell_s))

    def _left_s(self) -> float:
        return self.deadline - time.monotonic()

    def _ask_test(self, message: Message) -> Message:
        wall_s = min(self.budget.test_wall_s, max(self._left_s(), 1.0))
        return self._ask_trusted(message | {"wall_s": wall_s}, wall_s)

    def _ask_for_recogniser(self, message: Message) -> Message:
        wall_s = message.get("wall_s", self.budget.call_wall_s)
        return self._ask_trusted(message, min(wall_s, max(self._left_s(), 0.0)))

    def _ask_trusted(self, message: Message, wall_s: float) -> Message:
        trusted = self._started().trusted
        try:
            wire.send(trusted, message, deadline=time.monotonic() + self.budget.grace_s)
            end = time.monotonic() + wall_s + 2 * self.budget.grace_s
            if message["do"] == "locked":  # the course's own
                reply: Message = wire.receive(trusted, deadline=end)
            else:
                call_s = self.budget.call_cpu_s
                cell_s = max(self.budget.cell_cpu_s, 3 * call_s)  # a call that hangs is found out before its test
                reply = self.patience.receive(self._started(), trusted, end, call_s, cell_s)
            return reply
        except (wire.WireError, OSError) as error:
            text = "the process of the tests ended or hung on what this answer returned"
            late = isinstance(error, wire.WireTimeout)
            return {
                "outcome": Outcome.TIMEOUT if late else Outcome.GONE, "error": "RuntimeError", "message": text,
                "line": None, "value": None, "function": "", "changed": False, "ran_out": {}, "longest_s": 0.0,
            }  # fmt: skip

    def _judge(self, n: int, cell: NotebookNode, verdict: Verdict) -> None:
        verdict = replace(verdict, error=readable(verdict.error), message=readable(verdict.message))
        self.result.verdicts[verdict.name] = verdict
        self.result.counts[n], self.result.outputs[n] = len(self.result.verdicts), []
        if verdict.outcome is not Outcome.PASSED:
            self.result.outputs[n] = [error_output(verdict.error or "Error", verdict.message)]
        elif verdict.value is not None:
            points = verdict.points(float(cell.metadata.nbgrader.points))
            self.result.outputs[n] = [new_output("execute_result", {"text/plain": repr(points)}, execution_count=1)]


def _limit(text: str, cpu_s: float, budget: Budget) -> str:
    """Return what is added to the words for what ran out: how much there was of it."""
    if COMPUTED in text:
        return f" ({cpu_s:g} seconds of computing)"
    return f" ({budget.waiting_s:g} seconds of waiting)" if WAITED in text else ""


def _lower(once: Message, again: Message) -> Message:
    """Return the reply that earns less of a test that has passed once and was then run again."""
    if again["outcome"] != Outcome.PASSED or once["value"] is None:
        return again
    return again if again["value"] is not None and again["value"] < once["value"] else once


def _name(cell: NotebookNode) -> str:
    return grade_id(cell) or str(cell.get("id", "cell"))


def mark_notebook(
    nb: NotebookNode,
    plan: Plan,
    template: WarmProcess,
    budget: Budget | None = None,
    limits: Limits | None = None,
    known: Known | Recogniser | None = None,
    draw: bool = False,
) -> Result:
    """Run and judge a transplanted notebook, which is not changed.

    Args:
        nb: From `transplant`.
        plan: What of it runs, and how.
        template: The warm process for this assignment, or the one that has run its prelude.
        budget: Time.
        limits: Memory and the like.
        known: Wrong answers that are recognised, or what follows the tests in another way; None switches that off.
        draw: Draw the figures of the student's own cells.

    Raises:
        LockedCellFails: The course's own fault, not the student's.
        IsolationNotReached: If this machine isolates less than asked for.
        EndedFromOutside: If the system ended a process of the notebook's.
    """
    recogniser = known if isinstance(known, Recogniser) else Recogniser(known, template)
    return _Run(nb, plan, template, budget or Budget(), limits or Limits(), recogniser, draw).run()


def pace_of(source: NotebookNode, plan: Plan, template: WarmProcess, budget: Budget, limits: Limits) -> Pace:
    """Measure what a notebook's reference solution takes, with limits that nothing of ours should reach.

    Args:
        source: The source notebook.
        plan: What of it runs.
        template: The warm process.
        budget: Time of a submission.
        limits: Memory and the like.
    """
    longest = replace(budget, **{name: _MEASURING * getattr(budget, name) for name in _MEASURED})
    run = _Run(source, plan, template, longest, limits, Recogniser(None, template), False, measured=True)
    done = run.run()
    return replace(done.pace, notebook_s=done.cpu_s)
