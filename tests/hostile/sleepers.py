"""What those who hang cost the others: a class is marked without them, then with them, in one session on one machine.

Usage: `python -m tests.hostile.sleepers [NB] [--students 100] [--hang 10] [--jobs 2]` prints both times on the clock,
what the hanging ones were told, and every mark that is not what it must be. Each of them has one answer that hangs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable
from pathlib import Path

from nbformat import NotebookNode

from grader.benchmarks.measuring import realistic
from grader.classrun.run import end, grade_class
from grader.classrun.summary import Entry
from grader.core.cells import Exercise, exercises, grade_id
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.testing.samples import fill_answers

#: Bodies of a function that does not end, each with whether it waits; otherwise it computes.
HANGS = {
    "sleeps": ("import time\ntime.sleep(10**6)", True),
    "loops": ("while True:\n    pass", False),
    "locks twice": ("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", True),
    "counts in c": ("import itertools\nreturn sum(itertools.count())", False),
    "listens": ("import socket\none, other = socket.socketpair()\none.recv(1)", True),
    "asks again": (
        "while True:\n    try:\n        return float(input('how many?'))\n    except EOFError:\n        pass",
        False,
    ),
    "reads a pipe": ("import os\nreading, writing = os.pipe()\nos.read(reading, 1)", True),
    "goes on after an error": (
        "def deeper():\n    try:\n        deeper()\n    except BaseException:\n        deeper()\ndeeper()",
        False,
    ),
    "joins a thread": (
        "import threading\nthread = threading.Thread(target=threading.Event().wait, daemon=True)\n"
        "thread.start()\nthread.join()",
        True,
    ),
    "collects without end": ("return [x for x in iter(int, 1) if x]", False),
    "matches": ("import re\nreturn re.match('(a+)+$', 'a' * 60 + 'b')", False),
}


def hanging(nb: NotebookNode, exercise: Exercise, how: str) -> NotebookNode:
    """Let the answer to an exercise hang.

    Args:
        nb: A solved notebook, changed in place.
        exercise: Which.
        how: A key of `HANGS`.
    """
    cell = next(c for c in nb.cells if grade_id(c) == exercise.name)
    cell.source += f"\n\n\ndef {exercise.functions[0]}(*args, **kwargs):\n{textwrap.indent(HANGS[how][0], '    ')}"
    return nb


def hand_in(nb: NotebookNode, folder: Path, student: str, assignment: str) -> None:
    """Put a notebook where a student's is expected."""
    write_notebook(nb, folder / "submitted" / student / assignment / f"{assignment}.ipynb")


def wrong(entries: Iterable[Entry], hangs: dict[str, str], exercise: Exercise) -> list[str]:
    """Name what is not as it must be: marks, and what those who hang are told.

    Args:
        entries: Of a class of right submissions.
        hangs: Students whose answer hangs, each with a key of `HANGS`.
        exercise: Which one hangs.
    """
    found, cost = [], sum(points for _, points, _ in exercise.tests)
    for entry in entries:
        how = hangs.get(entry.student)
        if entry.points != entry.max_points - (cost if how else 0):
            found.append(f"{entry.student} ({how or 'right'}): {entry.points:g} of {entry.max_points:g} {entry.why}")
        said = [f.text for f in entry.findings if f.kind == "call-hangs"]
        if how and not any(("waited for" in s if HANGS[how][1] else "still computing" in s) for s in said):
            found.append(f"{entry.student} ({how}): was told {said}")
        if how is None and said:
            found.append(f"{entry.student} (right): was told {said}")
    return found


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assignment", nargs="?", default="02", metavar="NB")
    parser.add_argument("--students", type=int, default=100, metavar="N")
    parser.add_argument("--hang", type=int, default=10, metavar="N", help="how many of them")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    course = Course.find()
    (assignment,) = course.select([options.assignment])
    known = exercises(read_notebook(course.source(assignment)))
    hangs: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        config = folders_config(course_config(course), folder)
        for number in range(options.students):
            student = f"student{number:04}"
            # Spread over the class, as chance would have it.
            if number * options.hang % options.students < options.hang:
                hangs[student] = list(HANGS)[len(hangs) % len(HANGS)]
                solved = fill_answers(read_notebook(course.released(assignment)), {e.name: e.answer for e in known})
                hand_in(hanging(solved, known[0], hangs[student]), folder, student, assignment)
            else:
                hand_in(realistic(course, assignment, number), folder, student, assignment)
        with open_nbgrader(config) as api:
            done = api.generate_assignment(assignment)
        if not done["success"]:
            sys.exit(failure_reason(done))
        everybody = sorted(path.name for path in (folder / "submitted").iterdir())
        took, bad = {}, []
        for what, who in (("without", [s for s in everybody if s not in hangs]), ("with", everybody)):
            begun = time.monotonic()
            entries = grade_class(course, config, [assignment], who, force=True, jobs=options.jobs)
            took[what] = time.monotonic() - begun
            bad += wrong(entries, hangs, known[0])
            print(f"{len(entries):5} submissions, {what} those that hang: {took[what]:7.1f} s", flush=True)
        for entry in entries:
            if entry.student in hangs:
                print(f"  {hangs[entry.student]:24} {entry.seconds:6.1f} s  {[f.text for f in entry.findings][:1]}")
        end()
    print(f"those that hang cost the others {took['with'] - took['without']:.1f} s")
    print(f"{len(bad)} are not what they must be", *bad, sep="\n  ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
