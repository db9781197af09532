"""Make a class of any size whose marks are known, to measure and to test marking with.

Every student has an ability. By it each exercise is answered as the reference does, in one of the catalogue's other
right ways, with one of its mistakes, or not at all. Most explore (`exploring`); a few hand in nothing but answers. Some
files were damaged on their way (`damage`), and some are hostile, if the caller has such. The same seed makes the same
files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from grader.classrun.summary import Entry
from grader.core.catalogue import Variant, read_catalogue
from grader.core.cells import CellKind, Exercise, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import solutions
from grader.testing.damage import DAMAGES, UNREPAIRABLE, hand_in
from grader.testing.exploring import explore
from grader.testing.samples import HANDLINGS, fill_answers

#: Writes a hostile submission of an assignment into a folder and says in a sentence what it is; the number counts up.
Hostile = Callable[[str, Path, int], str]


@dataclass(frozen=True)
class HandedIn:
    """One submission of a made class and what it must earn.

    Args:
        student: Student id.
        assignment: Assignment id.
        what: What it is: `honest`, `exploring`, a handling of `samples.HANDLINGS`, `damaged: KIND` or `hostile: ...`.
        least: Automatic points that it earns at least.
        most: Automatic points that it earns at most; the same as `least` unless an answer is wrong or hostile.
    """

    student: str
    assignment: str
    what: str
    least: float
    most: float


@dataclass(frozen=True)
class _Sheet:
    """An assignment, prepared so that writing a submission costs next to nothing."""

    name: str
    exercises: list[Exercise]
    variants: dict[str, dict[str, list[Variant]]]
    released: nbformat.NotebookNode
    stubs: dict[str, str]
    text: str  # the released notebook's file with a mark in place of each answer

    @classmethod
    def of(cls, course: Course, name: str) -> _Sheet:
        known = exercises(read_notebook(course.source(name)))
        released = read_notebook(course.released(name))
        variants = {}
        for one in known:
            path = course.catalogue / name / f"{one.name}.py"
            found = read_catalogue(path, one.functions, one.answer) if path.exists() else None
            variants[one.name] = {"right": list(found.right), "wrong": list(found.wrong)} if found else {}
        stubs = {str(grade_id(c)): c.source for c in released.cells if kind_of(c) is CellKind.ANSWER}
        marked = fill_answers(released, {one.name: _mark(one.name) for one in known})
        return cls(name, known, variants, released, stubs, _as_file(marked))

    @property
    def points(self) -> float:
        return float(sum(one.points for one in self.exercises))

    def filled(self, answers: dict[str, str]) -> str:
        """Return the file of the notebook with these answers: what `fill_answers` makes, without parsing anything."""
        if not answers:
            return _as_file(self.released)
        text = self.text
        for name, answer in (self.stubs | answers).items():
            kept = solutions().unmarked(answer)
            lines = (json.dumps(line, ensure_ascii=False) for line in kept.splitlines(keepends=True))
            text = text.replace(json.dumps(_mark(name)), ",\n    ".join(lines))
        return text


def _as_file(nb: nbformat.NotebookNode) -> str:
    return nbformat.writes(nb, version=nbformat.NO_CONVERT) + "\n"


def _mark(name: str) -> str:
    return f"@@ the answer to {name} @@"


def make_class(
    course: Course,
    folder: Path,
    students: int,
    assignments: list[str],
    *,
    seed: int = 0,
    exploring_share: float = 0.9,
    damaged_share: float = 0.08,
    hostile: Hostile | None = None,
    hostile_share: float = 0.02,
) -> list[HandedIn]:
    """Write a class of submissions in nbgrader's layout: `<folder>/<student>/<assignment>/...`.

    Args:
        course: The course; its notebooks must be released.
        folder: nbgrader's folder of submissions.
        students: How many.
        assignments: Which notebooks each of them hands in.
        seed: The same seed makes the same class.
        exploring_share: Share of the honest ones that do more with the notebook than answer.
        damaged_share: Share of the submissions whose file was damaged on its way.
        hostile: Writes a hostile submission; without it there are none.
        hostile_share: Share of the hostile ones.

    Returns:
        What was handed in, in the order of students and assignments.
    """
    sheets = [_Sheet.of(course, name) for name in assignments]
    width = max(4, len(str(students)))
    made, tricks = [], 0
    for number in range(1, students + 1):
        student = f"s{number:0{width}}"
        rng = random.Random(f"{seed} {student}")
        ability = rng.betavariate(3, 1.4)
        for sheet in sheets:
            at = folder / student / sheet.name
            at.mkdir(parents=True, exist_ok=True)
            fate = rng.random()
            if hostile is not None and fate < hostile_share:
                what = f"hostile: {hostile(sheet.name, at, tricks)}"
                tricks += 1
                made.append(HandedIn(student, sheet.name, what, 0.0, sheet.points))
            elif fate < hostile_share + damaged_share:
                made.append(_damaged(sheet, at, student, rng))
            else:
                made.append(_honest(sheet, at, student, ability, rng, exploring_share))
    return made


def _own_remark(student: str, rng: random.Random) -> str:
    """Return a comment that makes a notebook differ from all others, as real ones do: none is served for another."""
    return f"# {student}, attempt {rng.randint(1, 99)}\n"


def _damaged(sheet: _Sheet, at: Path, student: str, rng: random.Random) -> HandedIn:
    """Hand in a right notebook in a damaged file."""
    answers = {one.name: one.answer for one in sheet.exercises}
    answers[sheet.exercises[0].name] += f"\n\n{_own_remark(student, rng)}"
    solved = fill_answers(sheet.released, answers)
    kind = rng.choice(sorted(DAMAGES))
    hand_in(DAMAGES[kind](solved), at, sheet.name)
    gone = UNREPAIRABLE[kind](solved) if kind in UNREPAIRABLE else set()
    least = float(sum(one.points for one in sheet.exercises if one.name not in gone))
    # Of an answer with several functions, what is lost may be one of them.
    most = least + sum(one.points - 1 for one in sheet.exercises if one.name in gone and len(one.functions) > 1)
    return HandedIn(student, sheet.name, f"damaged: {kind}", least, most)


def _honest(
    sheet: _Sheet, at: Path, student: str, ability: float, rng: random.Random, exploring_share: float
) -> HandedIn:
    """Hand in what a student of this ability would."""
    answers: dict[str, str] = {}
    least = most = 0.0
    # Some begin and stop somewhere; hardly anyone who is good does.
    stop = len(sheet.exercises) if rng.random() < 0.6 + 0.5 * ability else rng.randrange(len(sheet.exercises))
    for one in sheet.exercises[:stop]:
        variants = sheet.variants[one.name]
        luck = rng.random()
        if luck < ability:
            other = variants.get("right", []) if rng.random() < 0.4 else []
            answers[one.name] = rng.choice(other).source if other else one.answer
            least, most = least + one.points, most + one.points
        elif variants.get("wrong") and luck < ability + 0.75 * (1 - ability):
            answers[one.name] = rng.choice(variants["wrong"]).source
            most += one.points - 1  # a wrong answer loses at least one point: the audit sees to that
    handling = rng.choices(["", "colab", "noise", "shuffled"], [80, 12, 4, 4])[0]
    if answers:
        first = next(iter(answers))
        answers[first] = _own_remark(student, rng) + answers[first]
    if rng.random() < exploring_share:
        handling = "exploring"
        explored = explore(fill_answers(sheet.released, answers), sheet.exercises, rng)
        (at / f"{sheet.name}.ipynb").write_text(_as_file(explored), encoding="utf-8")
    elif handling:
        hand_in(HANDLINGS[handling](fill_answers(sheet.released, answers)), at, sheet.name)
    else:
        (at / f"{sheet.name}.ipynb").write_text(sheet.filled(answers), encoding="utf-8")
    return HandedIn(student, sheet.name, handling or "honest", least, most)


def surprises(made: Iterable[HandedIn], entries: Iterable[Entry]) -> list[str]:
    """List the submissions that earned other points than they must, or were not marked at all, a sentence each.

    Args:
        made: From `make_class`.
        entries: From `grade_class`.
    """
    marked = {(e.student, e.assignment): e for e in entries}
    said = []
    for one in made:
        entry = marked.get((one.student, one.assignment))
        head = f"{one.student}, {one.assignment} ({one.what})"
        if entry is None:
            said.append(f"{head}: there is no entry")
        elif entry.outcome not in ("marked", "unchanged"):
            if not one.what.startswith("hostile"):
                said.append(f"{head}: {entry.outcome}: {entry.why}")
        elif not one.least <= entry.points <= one.most:
            due = f"{one.least:g}" if one.least == one.most else f"{one.least:g} to {one.most:g}"
            said.append(f"{head}: {entry.points:g} points, {due} expected")
    return said
