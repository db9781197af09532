"""How well answers are recognised that nobody wrote down: learn from one half of the catalogue, name the other.

```bash
python -m grader.audit.halves            # all notebooks, five ways to halve each exercise's catalogue
python -m grader.audit.halves 2 3 --seeds 10 --list
```

For each seed half of each exercise's wrong answers, drawn at random, are the known ones; every other one is marked as a
student's would be. An entry's `self-check` word stands for its kind of mistake. An answer that was held out is named

- rightly, if its word stands in the text that its author reads, or is the word of the mistake that is named;
- wrongly, if something else is said;
- not at all, if nothing is.

Answers without such a word are left out, and so are those that keep all points. No right answer may get a name.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.audit.causes import BUDGET
from grader.audit.tampering import alone
from grader.core.catalogue import Variant, read_catalogue
from grader.core.cells import Exercise, exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.engine.prelude import Prelude, import_lines
from grader.engine.recognising import Ask, Known, Message, Recogniser, read_mistakes
from grader.engine.running import mark_notebook
from grader.engine.skipping import Plan
from grader.sandbox.inside.isolate import Level
from grader.sandbox.warm import Template, WarmProcess

#: Ways to halve the catalogue, unless told otherwise.
SEEDS = 5
OUTCOMES = ("rightly", "wrongly", "not at all")


@dataclass
class Figures:
    """What was said about answers that were held out.

    Args:
        assignment: The notebook.
        counts: How many got each outcome, by seed.
        ways: How what was named rightly was found.
        right: How many right answers there were.
        blamed: Those of them that something was said about.
        others: Lines about answers that were named wrongly, or not at all.
    """

    assignment: str
    counts: dict[int, Counter[str]] = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)
    right: int = 0
    blamed: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def total(self) -> Counter[str]:
        """The outcomes of all seeds."""
        return sum(self.counts.values(), Counter())


class Halves(Recogniser):
    """Recognises an answer once for each half of the catalogue; `found` has what was said, by seed."""

    def __init__(self, known: Known, template: WarmProcess, halves: dict[int, Known]):
        super().__init__(known, template)
        self.halves = halves
        self.found: dict[int, list[Message]] = {}
        self.said: dict[str, Message] = {}

    def finish(self, ask: Ask | None, end: float) -> list[Message]:
        """Look for the mistakes of all exercises that wait for it, with each half."""
        waiting, found = self.waiting, []
        for seed, known in self.halves.items():
            self.known, self.waiting = known, list(waiting)
            found = self.found[seed] = super().finish(ask, end)
        return found

    def _finding(self, exercise: str, ask: Ask | None) -> Message:
        # It says the same each time.
        if exercise not in self.said:
            self.said[exercise] = super()._finding(exercise, ask)
        return self.said[exercise]


def halves_of(known: Known, seeds: int) -> dict[int, Known]:
    """Return what is known with half of the wrong answers to each exercise, by seed."""
    found = {}
    for seed in range(1, seeds + 1):
        rng, mistakes = random.Random(seed), {}
        for exercise, wrong in known.mistakes.items():
            kept = set(rng.sample(range(len(wrong)), len(wrong) // 2))
            mistakes[exercise] = [one for n, one in enumerate(wrong) if n in kept]
        found[seed] = Known(known.source, mistakes, known.key)
    return found


def outcome(word: str, said: list[Message], words: dict[str, str]) -> str:
    """Return whether an answer was named rightly.

    Args:
        word: The word of its kind of mistake.
        said: What was said.
        words: The word of each known mistake.
    """
    if not said:
        return "not at all"
    named = any(word == words.get(c["name"]) or word in c["says"].lower() for c in said)
    return "rightly" if named else "wrongly"


class Measure:
    """Measures one notebook.

    Args:
        course: The course.
        assignment: Which notebook.
        seeds: Ways to halve its catalogue.
        template: The warm process.
    """

    def __init__(self, course: Course, assignment: str, seeds: int, template: Template):
        self.source = read_notebook(course.source(assignment))
        self.template: WarmProcess = Prelude.of(self.source).begun(template)
        self.folder = course.catalogue / assignment
        self.known = Known(self.source, read_mistakes(self.source, self.folder), assignment)
        self.halves = halves_of(self.known, seeds)
        self.figures = Figures(assignment, {seed: Counter() for seed in self.halves})

    def exercise(self, exercise: Exercise) -> None:
        """Mark the known answers to an exercise."""
        path = self.folder / f"{exercise.name}.py"
        catalogue = read_catalogue(path, exercise.functions, exercise.answer)
        words = {variant.name: (variant.self_check or "").lower() for variant in catalogue.wrong}
        for variant in catalogue.variants:
            held = {
                seed: known
                for seed, known in self.halves.items()
                if variant.name not in [name for name, *_ in known.mistakes[exercise.name]]
            }
            if held and (variant.self_check or variant.kind == "right"):
                self.count(exercise, variant, held, words)

    def count(self, exercise: Exercise, variant: Variant, held: dict[int, Known], words: dict[str, str]) -> None:
        """Mark one answer and count what was said about it.

        Args:
            exercise: What it answers.
            variant: The answer.
            held: What is known without it, by seed.
            words: The word of each wrong answer.
        """
        recogniser = Halves(self.known, self.template, held)
        nb = alone(self.source, exercise, variant.source)
        marked = mark_notebook(nb, Plan.of(nb, self.source), self.template, BUDGET, known=recogniser)
        label = f"{exercise.name}: {variant.name}"
        if variant.kind == "right":
            self.figures.right += 1
            self.figures.blamed += [label] if any(recogniser.found.values()) else []
            return
        if all(verdict.outcome == "passed" for verdict in marked.verdicts.values()):
            return
        for seed, said in recogniser.found.items():
            how = outcome(words[variant.name], said, words)
            self.figures.counts[seed][how] += 1
            if how == "rightly":
                self.figures.ways[said[0]["how"]] += 1
            else:
                told = {f"{c['how']}: {c['name']}: {c['says']}" for c in said}
                self.figures.others.append(f"{how}, seed {seed}: {label} ({'; '.join(sorted(told))})")


def measure(course: Course, assignments: list[str], seeds: int, only: str = "") -> Iterator[Figures]:
    """Measure notebooks one after the other.

    Args:
        course: The course.
        assignments: Which notebooks.
        seeds: Ways to halve the catalogue.
        only: One exercise.
    """
    for assignment in assignments:
        imports = import_lines(read_notebook(course.source(assignment)))
        with Template(imports, isolation=Level.LIMITS) as template:
            one = Measure(course, assignment, seeds, template)
            for exercise in exercises(one.source):
                if only in ("", exercise.name):
                    one.exercise(exercise)
            yield one.figures


def line(name: str, found: list[Figures]) -> str:
    """Return a line with the figures of one notebook, or of several; at its end the range of the seeds."""
    total: Counter[str] = sum((f.total for f in found), Counter())
    if not total:
        return f"{name:26}     -"
    seeds = {seed for figures in found for seed in figures.counts}
    by_seed = [sum((f.counts.get(seed, Counter()) for f in found), Counter()) for seed in seeds]
    shares = [counts["rightly"] / counts.total() for counts in by_seed if counts]
    parts = [f"{name:26}{total.total():6}"]
    parts += [f"{total[o]:6} {total[o] / total.total():6.1%}" for o in OUTCOMES]
    parts.append(f"{min(shares):4.0%} to {max(shares):4.0%}")
    parts.append(f"{sum(f.right for f in found):5} {sum(len(f.blamed) for f in found):6}")
    return "  ".join(parts)


HEAD = f"{'':26}  held        rightly         wrongly      not at all   rightly, by seed  right blamed"


def main() -> int:
    """Print the table; return 1 if something was said about a right answer."""
    parser = argparse.ArgumentParser(prog="python -m grader.audit.halves", description="Name what is not known.")
    parser.add_argument("notebooks", nargs="*", help="numbers or names; all by default")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="ways to halve the catalogue (%(default)s)")
    parser.add_argument("--exercise", default="", help="one exercise")
    parser.add_argument("--list", action="store_true", help="name every answer that was not named rightly")
    options = parser.parse_args()
    try:
        course = Course.find()
        print(HEAD)
        found = []
        for figures in measure(course, course.select(options.notebooks), options.seeds, options.exercise):
            found.append(figures)
            print(line(figures.assignment, [figures]), flush=True)
    except GraderError as error:
        print(error, file=sys.stderr)
        return 2
    print(line("all", found))
    ways: Counter[str] = sum((f.ways for f in found), Counter())
    print("named rightly by: " + ", ".join(f"{way} {count}" for way, count in ways.most_common()))
    for figures in found:
        for text in [*(figures.others if options.list else []), *(f"RIGHT, BUT BLAMED: {b}" for b in figures.blamed)]:
            print(text)
    return int(any(figures.blamed for figures in found))


if __name__ == "__main__":
    sys.exit(main())
