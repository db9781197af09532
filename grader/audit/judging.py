"""Judge what answers did: which results of an audit are findings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.audit.findings import Finding, FindingKind, VariantAudit
from grader.audit.mutations import Change
from grader.audit.results import AnswerResult
from grader.core.catalogue import MIN_RIGHT, MIN_WRONG, Catalogue, Variant
from grader.core.cells import Exercise
from grader.core.course import Course


def shown_path(path: Path, course: Course) -> str:
    """Return a path as seen from the course's folder."""
    return str(path.relative_to(course.root)) if path.is_relative_to(course.root) else str(path)


def judge_reference(result: AnswerResult, where: str, checked: bool) -> Iterable[Finding]:
    """Yield what is wrong with a solution, or with a self-check that runs on it."""
    if not result.kept_all:
        fix = "mend the solution or the test; nothing else can be judged before"
        yield Finding(FindingKind.REFERENCE_FAILS, where, "the solution loses points", _lines(result), fix)
    if checked and _objections(result.printed):
        yield Finding(FindingKind.SELF_CHECK, where, "objects to the solution", _objections(result.printed))
    if checked and result.self_check_error:
        yield Finding(FindingKind.SELF_CHECK, where, "raises on the solution", (result.self_check_error,))


def judge_stub(result: AnswerResult, where: str, checked: bool) -> Iterable[Finding]:
    """Yield what is wrong if nothing is written yet: points, or a self-check that does not notice."""
    for cell in result.cells:
        if cell.passed:
            fix = "assert something that needs the student's function, at top level of the cell"
            yield Finding(
                FindingKind.STUB_EARNS_POINTS, where, f"{cell.name} passes on the untouched notebook", fix=fix
            )
    if checked and "not written yet" not in result.printed:
        said = tuple(result.printed.splitlines()[:5]) + ((result.self_check_error,) if result.self_check_error else ())
        yield Finding(FindingKind.SELF_CHECK, where, "does not say `not written yet` on the untouched notebook", said)


def judge_size(catalogue: Catalogue, where: str) -> Iterable[Finding]:
    """Yield a finding if a catalogue holds too few answers of a kind."""
    if not catalogue.variants:
        yield Finding(
            FindingKind.CATALOGUE, where, "no answers", fix=f"write {MIN_WRONG} wrong and {MIN_RIGHT} right ones"
        )
        return
    for kind, some, least in (("wrong", catalogue.wrong, MIN_WRONG), ("right", catalogue.right, MIN_RIGHT)):
        if len(some) < least:
            yield Finding(FindingKind.CATALOGUE, where, f"{len(some)} {kind} answers", fix=f"write at least {least}")


def audit_variant(
    variant: Variant, result: AnswerResult, caught_visibly: bool, exercise: Exercise, reference: AnswerResult
) -> VariantAudit:
    """Return how an answer of the catalogue fared."""
    points = {name: points for name, points, _ in exercise.tests}
    word = variant.self_check.lower() if variant.self_check else None
    # A word that it prints about the right answer as well is no sign of anything.
    named = word is not None and word in _remarks(result.printed) and word not in _remarks(reference.printed)
    return VariantAudit(
        variant,
        result,
        lost=sum(points[c.name] for c in result.failed),
        caught_visibly=caught_visibly,
        noticed=bool(_objections(result.printed)),
        recognised=None if word is None else named,
    )


def judge_variant(one: VariantAudit, course: Course, exercise: Exercise) -> Iterable[Finding]:
    """Yield what is not as it should be with an answer of the catalogue."""
    variant, result = one.variant, one.result
    where = f"{shown_path(variant.path, course)}:{variant.line}"
    if variant.kind == "wrong" and not one.lost:
        fix = f"write a test in {exercise.name} that it fails, or remove it if it is right after all"
        text = f"{variant.name} keeps all {exercise.points} points"
        yield Finding(FindingKind.FALSE_ACCEPT, where, text, (f"says: {variant.text}",), fix)
    if variant.kind == "right" and one.lost:
        text = f"{variant.name} loses {one.lost} of {exercise.points} points"
        fix = "let the test accept it, or remove it if it is wrong after all"
        yield Finding(FindingKind.FALSE_REJECT, where, text, (f"why: {variant.text}", *_lines(result)), fix)
    if variant.kind == "right" and one.noticed:
        text = f"objects to the right answer {variant.name}"
        yield Finding(FindingKind.SELF_CHECK, where, text, _objections(result.printed))
    if result.self_check_error:
        yield Finding(FindingKind.SELF_CHECK, where, f"raises on {variant.name}", (result.self_check_error,))
    if one.recognised is False:
        said = _objections(result.printed) or ("it prints nothing but ok",)
        text = f"does not print {variant.self_check!r} on {variant.name}"
        yield Finding(FindingKind.SELF_CHECK, where, text, said[:6], "add a hint to the self-check, or mend the word")


def _objections(printed: str) -> tuple[str, ...]:
    """Return the lines of a self-check that object to an answer."""
    return tuple(line.rstrip() for line in printed.splitlines() if line.startswith("--"))


def _remarks(printed: str) -> str:
    """Return what a self-check says beyond `ok`, in lower case: the word for a known mistake is looked for there."""
    return "\n".join(line for line in printed.splitlines() if line.startswith(("--", "note"))).lower()


def _lines(result: AnswerResult) -> tuple[str, ...]:
    lines = [f"the answer cell: {result.answer_error}"] if result.answer_error else []
    return (*lines, *(str(c) for c in result.failed))


def was_now(change: Change) -> tuple[str, str]:
    """Return the two lines by which a record of the catalogue identifies a change."""
    place = f" #{change.nth}" if change.nth > 1 else ""
    return f"was: {change.was}{place}", f"now: {change.now}"
