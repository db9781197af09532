"""Mark one submission, from the bytes that were handed in to plain data: what a worker does, wherever it runs.

Nothing here opens the gradebook or a file of the course. What is needed comes in, what came out is given back, so that
a worker may be this process, another one beside it, or one on another machine.
"""

from __future__ import annotations

import dataclasses
import json
import socket
from dataclasses import dataclass
from functools import partial
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import IgnorePattern, LimitOutput
from nbgrader.utils import compute_checksum, determine_grade, is_solution, is_task

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import EndedFromOutside, GraderError, OtherWorker
from grader.core.notebook import as_text
from grader.engine import fingerprints
from grader.engine.again import with_more
from grader.engine.handed import Handed, Planted, plan_of, planted
from grader.engine.kit import Kit
from grader.engine.longer import joined, not_judged, not_run
from grader.engine.losses import weighed
from grader.engine.prelude import Prelude
from grader.engine.recognising import Known
from grader.engine.result import NO_RESPONSE, Origin, Result, as_record, render
from grader.engine.running import mark_notebook, pace_of
from grader.engine.settings import Budget, Pace, Settings
from grader.engine.skipping import Plan
from grader.sandbox.warm import WarmProcess
from grader.sandbox.warm_processes import warm
from grader.submissions.unread import waiting

__all__ = ["Graded", "Handed", "Kit", "Planted", "kept", "mark_handed", "noticed", "planted", "run"]


@dataclass(frozen=True)
class Graded:
    """A marked submission as plain data.

    Args:
        notebook: The marked notebook as JSON text.
        record: What is kept of it beside the marks: points, verdicts, findings, isolation, time.
        by_hand: Points of written answers that need no person, by `grade_id`; None where a person is needed.
        comments: nbgrader's automatic comments, by `grade_id`.
    """

    notebook: str
    record: dict[str, Any]
    by_hand: dict[str, float | None]
    comments: dict[str, str | None]


def mark_handed(kit: Kit | bytes, handed: Handed, settings: Settings) -> Graded:
    """Mark a submission.

    Args:
        kit: The assignment's, or its bytes.
        handed: What was handed in.
        settings: How to mark.

    Raises:
        GraderError: If a locked cell fails, the isolation asked for is not reached or this worker is not like the one
            that asks: nobody's fault but ours.
    """
    if settings.environment not in ("", fingerprints.environment()):
        fix = "install the same version of the course, of Python and of the libraries on every machine"
        raise OtherWorker("a worker marks with other code or libraries", socket.gethostname(), fix)
    kit = Kit.unpacked(kit) if isinstance(kit, bytes) else kit
    made = planted(kit, handed, settings.budget, settings.render)
    nb, budget = made.notebook, _what_is_left(settings.budget, made.spent_s)
    result = run(nb, kit, dataclasses.replace(settings, budget=budget), made.plan)
    result = noticed(nb, Origin(handed.digest, kit.tests, tuple(made.findings)), result)
    render(nb, result)
    for step in (IgnorePattern, LimitOutput):
        nb, _ = step(config=settings.outputs).preprocess(nb, {})
    return Graded(as_text(nb), *kept(nb, result))


def noticed(nb: NotebookNode, origin: Origin, result: Result) -> Result:
    """Return the result of a certain submission, with what is noticed of it once its marks are known.

    Args:
        nb: The notebook that was run.
        origin: What was handed in, and what was noticed when it was read.
        result: What running it gave.
    """
    before, there = weighed(nb, origin.findings, result)
    return dataclasses.replace(result, findings=there).of(dataclasses.replace(origin, findings=tuple(before)))


def _what_is_left(budget: Budget, spent_s: float) -> Budget:
    """Return the budget of a submission that reading has taken some seconds of."""
    return dataclasses.replace(budget, notebook_wall_s=max(budget.notebook_wall_s - spent_s, 0.0))


def run(nb: NotebookNode, kit: Kit, settings: Settings, plan: Plan | None = None) -> Result:
    """Run a notebook and judge its tests; the notebook is not changed.

    Args:
        nb: From `planted`.
        kit: The assignment's.
        settings: How to mark.
        plan: From `planted`, if it is at hand.
    """
    plan = plan_of(kit, nb) if plan is None else plan
    imports, known = settings.imports or kit.imports, Known(kit.source, kit.mistakes, kit.tests)
    first: Result | None = None
    for last in (False, True):
        line = None
        try:
            with warm.use(imports, settings.isolation) as process:
                line = Prelude.of(kit.source).begun(process)
                mark = partial(_marked, nb, line, settings)
                if first is None:  # what was judged once is not judged anew because a later run failed
                    first = mark(plan, settings.budget, known)
                result, budget = first, settings.budget
                again = not_judged(nb, first) if first.ran_out else {}
                if again and (longer := budget.for_reference(_pace(kit, line, settings))) != budget:
                    try:
                        result, budget = joined(nb, first, mark(plan, longer, known), again), longer
                    except EndedFromOutside:  # what was judged stays so, and was too slow without this run
                        result = not_run(first, again)
                return with_more(nb, plan, result, budget, mark)
        except GraderError:
            # The warm process is gone, out of memory perhaps: once more with a new one.
            if last or (line is not None and line.alive):
                raise
    raise AssertionError("the second attempt returns or raises")


def _marked(
    nb: NotebookNode, line: WarmProcess, settings: Settings, plan: Plan, budget: Budget, known: Known | None = None
) -> Result:
    """Run a notebook within a budget; without `known`, no mistakes are named."""
    return mark_notebook(nb, plan, line, budget, settings.limits, known, settings.render)


def _pace(kit: Kit, line: WarmProcess, settings: Settings) -> Pace:
    """Return what the reference takes here; it is measured once for a warm process, when it is first needed."""
    key = f"pace {kit.tests}"
    if settings.budget.times and key not in line.kept:
        plan = Plan.of(kit.source, kit.source)
        line.kept[key] = pace_of(kit.source, plan, line, settings.budget, settings.limits)
    pace = line.kept.get(key, Pace())
    assert isinstance(pace, Pace)  # what is kept by this key is put there by this function
    return pace


def kept(nb: NotebookNode, result: Result) -> tuple[dict[str, Any], dict[str, float | None], dict[str, str | None]]:
    """Return what is kept of a marked notebook: the record, points of written answers, automatic comments."""
    named = {name: cell for cell in nb.cells if (name := grade_id(cell))}
    # A written answer that is empty gets 0 by itself, unless it may be in a file that was handed in with it.
    waits = waiting(result.origin.findings)
    written = {name: cell for name, cell in named.items() if kind_of(cell) is CellKind.WRITTEN}
    by_hand = {name: None if name in waits else determine_grade(cell)[0] for name, cell in written.items()}
    comments = {name: None if name in waits else _auto_comment(cell) for name, cell in named.items()}
    # What a person marks by hand: as long as it is the same, so is the mark.
    # Its words may stand anywhere, where that was noticed.
    anywhere = [cell.source for cell in nb.cells]
    noticed = {finding.where for finding in result.origin.findings if finding.kind == "words-elsewhere"}
    seen = {
        name: [cell.source, cell.get("attachments"), waits.get(name), *(anywhere if name in noticed else ())]
        for name, cell in written.items()
    }
    marked = {
        name: fingerprints.fingerprint(json.dumps(shown, sort_keys=True).encode()) for name, shown in seen.items()
    }
    return as_record(nb, result) | {"written": marked}, by_hand, comments


def _auto_comment(cell: NotebookNode) -> str | None:
    if not is_solution(cell) and not is_task(cell):
        return None
    untouched = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell) and not is_task(cell)
    return NO_RESPONSE if untouched else None
