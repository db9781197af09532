"""How often feedback names the right cause: known mistakes and automatic changes, marked as submissions are.

```bash
python -m grader.audit.causes            # the table of all notebooks
python -m grader.audit.causes 2 3 --changes 0
```

Each wrong answer of the catalogue is marked like a student's, and the mistake that is named compared with what it is.
No right answer may get one. An automatic change to the solution has no name; what is named for it is right if the named
mistake returns the same as the changed answer for all calls that the tests make of a right one. Those are more calls
than the marking saw, since a test ends at its first failed assertion.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grader.audit.mutations import changes
from grader.audit.tampering import alone
from grader.core.catalogue import Variant, read_catalogue
from grader.core.cells import Exercise, exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.engine.prelude import Prelude, import_lines
from grader.engine.recognising import Knower, Known, Recogniser, read_mistakes
from grader.engine.result import Outcome, Result
from grader.engine.running import mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan
from grader.sandbox.inside.isolate import Level
from grader.sandbox.warm import Template, WarmProcess

#: Automatic changes of one exercise that are tried, spread evenly over all, unless told otherwise.
CHANGES = 12
BUDGET = Budget(call_cpu_s=4.0, call_wall_s=16.0, cell_cpu_s=30.0, grace_s=10.0)
OUTCOMES = ("right", "another", "none")


@dataclass
class Figures:
    """What was named in one notebook.

    Args:
        assignment: Its name.
        wrong: How many of the wrong answers got each outcome.
        changed: The same for automatic changes that a test noticed.
        right: How many right answers there were.
        blamed: Right answers for which a mistake was named, with it.
        missed: Wrong answers with another cause or none, with what was named.
        misled: Changes for which another cause was named, with it.
    """

    assignment: str
    wrong: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    right: int = 0
    blamed: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    misled: list[str] = field(default_factory=list)


class _Recorder(Recogniser):
    """Takes all calls that the tests make, whether they fail or not."""

    def after(self, test: str, reply: dict, ask) -> None:
        """Take them after each test."""
        if ask is not None:
            self.calls += ask({"do": "calls"}).get("calls", [])


def _names(marked: Result) -> list[str]:
    """List the mistakes that were named; what a self-check finds, or where an answer goes wrong, names none."""
    named = (cause["name"] for cause in marked.causes if cause["how"] not in ("self-check", "where"))
    return list(dict.fromkeys(named))


class Measure:
    """One notebook's exercises, marked again and again.

    Args:
        course: The course.
        assignment: Which notebook.
        template: The warm process.
    """

    def __init__(self, course: Course, assignment: str, source: NotebookNode, template: WarmProcess):
        self.assignment, self.source, self.template = assignment, source, template
        self.folder = course.catalogue / assignment
        self.known = Known(source, read_mistakes(source, self.folder), assignment)
        self.figures = Figures(assignment)

    def mark(self, exercise: Exercise, answer: str, recogniser: Recogniser | None = None) -> Result:
        """Mark an answer."""
        nb = alone(self.source, exercise, answer)
        return mark_notebook(nb, Plan.of(nb, self.source), self.template, BUDGET, known=recogniser or self.known)

    def named(self, exercise: Exercise, answer: str) -> tuple[bool, list[str]]:
        """Return whether a test noticed an answer, and what was named."""
        marked = self.mark(exercise, answer)
        return any(v.outcome is not Outcome.PASSED for v in marked.verdicts.values()), _names(marked)

    def exercise(self, exercise: Exercise, most: int) -> None:
        """Run the known answers to an exercise, and up to so many changes."""
        path = self.folder / f"{exercise.name}.py"
        for variant in read_catalogue(path, exercise.functions, exercise.answer).variants:
            self.count(exercise, variant, self.mark(exercise, variant.source))
        self.count_changes(exercise, most)

    def count(self, exercise: Exercise, variant: Variant, marked: Result) -> None:
        """Count what was named for an answer of the catalogue."""
        names = _names(marked)
        label = f"{exercise.name}: {variant.name}" + (f" (named: {', '.join(names)})" if names else "")
        if variant.kind == "right":
            self.figures.right += 1
            self.figures.blamed += [label] if marked.causes else []
            return
        outcome = "right" if variant.name in names else "another" if names else "none"
        self.figures.wrong[outcome] += 1
        self.figures.missed += [label] if outcome != "right" else []

    def count_changes(self, exercise: Exercise, most: int) -> None:
        """Mark up to so many automatic changes of the solution and count what was named for them."""
        if not most:
            return
        found = list(changes(exercise.answer, exercise.name))
        recorder = _Recorder(self.known, self.template)
        self.mark(exercise, exercise.answer, recorder)
        calls = [call | {"hidden": False} for call in recorder.calls]
        knower = Knower(self.template, self.known)
        for change in found[:: max(1, -(-len(found) // most))]:
            noticed, names = self.named(exercise, change.source)
            if not noticed:
                continue
            same = [n for n in names if self._alike(knower, exercise, n, change, calls)]
            outcome = "right" if same else "another" if names else "none"
            self.figures.changed[outcome] += 1
            if outcome == "another":
                self.figures.misled.append(f"{exercise.name}: {change.was} -> {change.now} (named: {', '.join(names)})")
        knower.end()

    def _alike(self, knower: Knower, exercise: Exercise, name: str, change, calls: list) -> bool:
        source = next(s for n, _, s, _ in self.known.mistakes[exercise.name] if n == name)
        label = f"{change.operator} {change.key}"
        message = {
            "do": "alike", "exercise": exercise.name, "answers": [[name, source], [label, change.source]],
            "adapters": exercise.adapters, "calls": calls,
        }  # fmt: skip
        return bool((knower.ask(message, 120) or {}).get("alike"))


def measure(course: Course, assignments: list[str], most: int = CHANGES, only: str = "") -> Iterator[Figures]:
    """Measure notebooks one after the other.

    Args:
        course: The course.
        assignments: Which notebooks.
        most: Automatic changes of each exercise.
        only: One exercise.
    """
    for assignment in assignments:
        source = read_notebook(course.source(assignment))
        with Template(import_lines(source), isolation=Level.LIMITS) as template:
            one = Measure(course, assignment, source, Prelude.of(source).begun(template))
            for exercise in exercises(source):
                if only in ("", exercise.name):
                    one.exercise(exercise, most)
            yield one.figures


def line(name: str, all_of_them: list[Figures]) -> str:
    """Return a line with the figures of one notebook, or of several."""
    wrong: Counter[str] = sum((f.wrong for f in all_of_them), Counter())
    changed: Counter[str] = sum((f.changed for f in all_of_them), Counter())
    parts = [f"{name:26}"]
    for counts in (wrong, changed):
        total = sum(counts.values())
        share = f"{counts['right'] / total:4.0%}" if total else "   -"
        parts.append(f"{total:5} " + " ".join(f"{counts[o]:7}" for o in OUTCOMES) + f"  {share}")
    parts.append(f"{sum(f.right for f in all_of_them):5} {sum(len(f.blamed) for f in all_of_them):5}")
    return "  ".join(parts)


HEAD = f"{'':26}  {'wrong':>5}   right another    none        {'chgd':>5}   right another    none        right named"


def main() -> int:
    """Print the table; return 1 if a right answer got a cause."""
    parser = argparse.ArgumentParser(prog="python -m grader.audit.causes", description="How often the cause is named.")
    parser.add_argument("notebooks", nargs="*", help="numbers or names; all by default")
    parser.add_argument("--changes", type=int, default=CHANGES, help="automatic changes of each exercise (%(default)s)")
    parser.add_argument("--exercise", default="", help="one exercise")
    options = parser.parse_args()
    try:
        course = Course.find()
        print(HEAD)
        found = []
        for figures in measure(course, course.select(options.notebooks), options.changes, options.exercise):
            found.append(figures)
            print(line(figures.assignment, [figures]), flush=True)
    except GraderError as error:
        print(error, file=sys.stderr)
        return 2
    print(line("all", found))
    for title, name in (("not named", "missed"), ("named another", "misled"), ("RIGHT, BUT NAMED", "blamed")):
        for text in (text for figures in found for text in getattr(figures, name)):
            print(f"{title}: {text}")
    return int(any(figures.blamed for figures in found))


if __name__ == "__main__":
    sys.exit(main())
