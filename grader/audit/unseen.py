"""How well answers are recognised that were written without sight of the catalogue, judged by reading.

```bash
python -m grader.audit.unseen --answers tests/recognition/second            # the table; names what is to be read again
python -m grader.audit.unseen --answers tests/recognition/second 2 --write  # and note what is said now, to be judged
```

`tests/recognition` holds the answers in the catalogue's form, `says` being the author's own sentence about the mistake,
and `judged.csv`, a line for each wrong answer: what the feedback said, and whether that names the mistake `rightly`,
`wrongly` (it blames something that the answer does right, or leads elsewhere), or `not at all` (nothing is said, or
nothing beyond that the result is wrong). A judgement holds for the text that was judged: where another one is shown
now, it does not count. Answers that keep all points are named; the tests should notice them.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from grader.audit.causes import BUDGET
from grader.audit.tampering import alone
from grader.core.catalogue import read_catalogue
from grader.core.cells import Exercise, exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.engine.prelude import Prelude, import_lines
from grader.engine.recognising import Known, read_mistakes
from grader.engine.result import Result
from grader.engine.running import mark_notebook
from grader.engine.skipping import Plan
from grader.sandbox.inside.isolate import Level
from grader.sandbox.warm import Template, WarmProcess

FIELDS = ("notebook", "exercise", "answer", "judgement", "how", "mistake", "said", "tests")
OUTCOMES = ("rightly", "wrongly", "not at all")
KEPT, UNREAD = "kept all points", "to be judged"


@dataclass
class Figures:
    """What was said about the answers to a notebook.

    Args:
        rows: A line of the table for each wrong answer.
        right: How many right answers there were.
        lost: Right answers that lost points, with the tests.
        blamed: Right answers that something was said about, with it.
    """

    rows: list[dict[str, str]] = field(default_factory=list)
    right: int = 0
    lost: list[str] = field(default_factory=list)
    blamed: list[str] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How many wrong answers got each outcome."""
        return Counter(row["judgement"] for row in self.rows)


def told(marked: Result) -> tuple[str, str]:
    """Return how a mistake was found, and all that the feedback says of it, as one text."""
    texts = dict.fromkeys(f"{cause['says']}" for cause in marked.causes)
    return (marked.causes[0]["how"] if marked.causes else ""), " / ".join(" ".join(text.split()) for text in texts)


def read_judgements(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the lines of a table by notebook, exercise and answer."""
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["notebook"], row["exercise"], row["answer"]): row for row in csv.DictReader(file)}


def write_judgements(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: row.get(name, "") for name in FIELDS} for row in rows)


class Measure:
    """Measures one notebook.

    Args:
        course: The course.
        assignment: Which notebook.
        folder: The answers.
        template: The warm process.
    """

    def __init__(self, course: Course, assignment: str, folder: Path, template: Template):
        self.source: NotebookNode = read_notebook(course.source(assignment))
        self.assignment, self.folder = assignment, folder / assignment
        self.template: WarmProcess = Prelude.of(self.source).begun(template)
        self.known = Known(self.source, read_mistakes(self.source, course.catalogue / assignment), assignment)
        self.judged = read_judgements(folder / "judged.csv")
        self.figures = Figures()

    def exercise(self, exercise: Exercise) -> None:
        """Mark the answers to an exercise."""
        path = self.folder / f"{exercise.name}.py"
        if not path.is_file():
            return
        for variant in read_catalogue(path, exercise.functions, exercise.answer).variants:
            nb = alone(self.source, exercise, variant.source)
            marked = mark_notebook(nb, Plan.of(nb, self.source), self.template, BUDGET, known=self.known)
            failed = [v.name for v in marked.verdicts.values() if v.outcome != "passed"]
            how, said = told(marked)
            reasons = " / ".join(dict.fromkeys(v.message[:200] for v in marked.verdicts.values() if v.name in failed))
            label = f"{self.assignment[:2]} {exercise.name}: {variant.name}"
            if variant.kind == "right":
                self.figures.right += 1
                self.figures.lost += [f"{label} ({', '.join(failed)})"] if failed else []
                self.figures.blamed += [f"{label} ({said})"] if said else []
            else:
                self.count(exercise.name, variant.name, variant.text, how, said if failed else None, reasons)

    def count(self, exercise: str, answer: str, mistake: str, how: str, said: str | None, tests: str) -> None:
        """Note what was said about a wrong answer; None if it kept all points."""
        key = (self.assignment, exercise, answer)
        before = self.judged.get(key, {})
        if said is None:
            judgement = KEPT
        elif not said:
            judgement = "not at all"
        else:
            judgement = before["judgement"] if before.get("said") == said else UNREAD
        values = (*key, judgement, how, mistake, said or "", " ".join(tests.split()))
        self.figures.rows.append(dict(zip(FIELDS, values, strict=True)))


def line(name: str, found: list[Figures]) -> str:
    """Return a line with the figures of one notebook, or of several; shares are of those that lost points."""
    counts: Counter[str] = sum((f.counts for f in found), Counter())
    lost = counts.total() - counts[KEPT]
    shares = "  ".join(f"{counts[o]:5} {counts[o] / lost:6.1%}" if lost else f"{'-':>12}" for o in OUTCOMES)
    right, blamed = sum(f.right for f in found), sum(len(f.blamed) for f in found)
    return f"{name:26}{counts.total():6}{counts[KEPT]:6}  {shares}  {counts[UNREAD]:6}{right:8}{blamed:8}"


HEAD = f"{'':26} wrong  kept       rightly       wrongly    not at all  unread   right  blamed"


def main() -> int:
    """Print the table; return 1 if something was said about a right answer, or is still to be judged."""
    parser = argparse.ArgumentParser(prog="python -m grader.audit.unseen", description="Name mistakes never seen.")
    parser.add_argument("notebooks", nargs="*", help="numbers or names; all by default")
    parser.add_argument(
        "--answers", type=Path, required=True, help="the folder with the answers, such as tests/recognition/second"
    )
    parser.add_argument("--write", action="store_true", help="note what is said now in the folder's judged.csv")
    options = parser.parse_args()
    try:
        course = Course.find()
        folder: Path = options.answers
        print(HEAD)
        found = []
        for assignment in course.select(options.notebooks):
            imports = import_lines(read_notebook(course.source(assignment)))
            with Template(imports, isolation=Level.LIMITS) as template:
                one = Measure(course, assignment, folder, template)
                for exercise in exercises(one.source):
                    one.exercise(exercise)
            found.append(one.figures)
            print(line(assignment, [one.figures]), flush=True)
    except GraderError as error:
        print(error, file=sys.stderr)
        return 2
    print(line("all", found))
    rows = [row for figures in found for row in figures.rows]
    ways = Counter(row["how"] for row in rows if row["judgement"] == "rightly")
    print("named rightly by: " + ", ".join(f"{way} {count}" for way, count in ways.most_common()))
    for row in rows:
        if row["judgement"] not in ("rightly", UNREAD):
            print(f"{row['judgement']}: {row['notebook'][:2]} {row['exercise']}: {row['answer']} {row['said']}")
    for title, name in (("RIGHT, BUT LOST POINTS", "lost"), ("RIGHT, BUT BLAMED", "blamed")):
        for text in (text for figures in found for text in getattr(figures, name)):
            print(f"{title}: {text}")
    if options.write:
        path = folder / "judged.csv"
        kept = read_judgements(path) | {(r["notebook"], r["exercise"], r["answer"]): r for r in rows}
        write_judgements(path, [kept[key] for key in sorted(kept)])
    return int(any(f.blamed or f.counts[UNREAD] for f in found))


if __name__ == "__main__":
    sys.exit(main())
