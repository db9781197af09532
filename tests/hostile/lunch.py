"""Mark a large class over lunch, in stages, killed, resumed and with its feedback; print what each took.

Run it in a clone of its own, with nothing else at work on the machine: it fills `grader/local`. The class is made by
`crowd.py`, so what each submission must earn is known, and every mark is compared with it.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from nbgrader.api import Assignment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import func, select

from grader.classrun.summary import Entry
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook, write_notebook
from grader.gradebook import records
from grader.testing.crowd import make_class, surprises

from .crowd import Tricks


class Lunch:
    """The class and its gradebook.

    Args:
        course: A clone of the course.
        students: How many.
        jobs: Workers.
        notebooks: Which, as `02`; by default all.
    """

    def __init__(self, course: Course, students: int, jobs: int, notebooks: Sequence[str] = ()):
        self.course, self.jobs, self.students = course, jobs, students
        self.local = course.root / "grader" / "local"
        self.submitted, self.waiting = self.local / "submitted", self.local / "waiting"
        for folder in (self.submitted, self.waiting, self.local / "autograded"):
            if folder.exists() and any(folder.iterdir()):
                raise GraderError("there is a class already", str(folder), "clone the course anew for this")
        self.submitted.mkdir(parents=True, exist_ok=True)
        self.assignments = course.select(list(notebooks))

    def make(self, seed: int, share: float) -> None:
        """Write all submissions, and list what they must earn."""
        tricks = Tricks(self.course, seed)
        self.made = make_class(
            self.course, self.waiting, self.students, self.assignments, seed=seed, hostile=tricks, hostile_share=share
        )
        text = json.dumps([asdict(one) for one in self.made], indent=1)
        (self.local / "submitted.json").write_text(text + "\n", encoding="utf-8")

    def hand_in(self, students: int) -> int:
        """Move folders of students to where they are marked until so many are there; give the submissions there."""
        present = {path.name for path in self.submitted.iterdir()}
        for path in sorted(self.waiting.iterdir())[: students - len(present)]:
            shutil.move(path, self.submitted / path.name)
        return sum(1 for one in self.submitted.iterdir() for _ in one.iterdir())

    def marked(self) -> int:
        """Count the notebooks that are marked."""
        return sum(1 for _ in (self.local / "autograded").glob("*/*/*.ipynb"))

    def grade(self, kill_at: int | None = None) -> tuple[float, list[str]]:
        """Run `grader grade` on a terminal; give the seconds, how its bar looked half-way, and its first line.

        Args:
            kill_at: End it with SIGKILL as soon as so many notebooks are marked.

        Raises:
            GraderError: If it ended otherwise than it should.
        """
        own, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
        begun = time.monotonic()
        command = [sys.executable, "-m", "grader", "grade", "--jobs", str(self.jobs)]
        with open(self.local / "said.log", "w") as log:
            process = subprocess.Popen(command, cwd=self.course.root, stdout=log, stderr=other)
        os.close(other)
        bars, looked, terminal = [], time.monotonic(), selectors.DefaultSelector()
        terminal.register(own, selectors.EVENT_READ)
        while process.poll() is None:
            if terminal.select(1):
                try:
                    text = os.read(own, 1 << 16).decode("utf-8", "replace")
                except OSError:  # the other end is closed
                    break
                bars += [part for part in re.split(r"[\r\n]", text) if "submissions" in part][-1:]
            if kill_at and time.monotonic() > looked + 2:
                looked = time.monotonic()
                if self.marked() >= kill_at:
                    process.send_signal(signal.SIGKILL)
        code = process.wait()
        os.close(own)
        if code not in ((0, 1) if kill_at is None else (-signal.SIGKILL,)):
            raise GraderError(f"grader grade ended with {code}", str(self.local / "said.log"), "read it")
        said = [f"the bar half-way: {bars[len(bars) // 2].strip()}"] if bars else []
        lines = (self.local / "said.log").read_text().strip().splitlines()
        said += [f"it said: {line}" for line in lines if re.match(r"\d+ submissions: ", line)]
        return time.monotonic() - begun, said

    def feedback(self) -> tuple[float, int]:
        """Run `grader feedback`; give the seconds and the pages that are there.

        Raises:
            GraderError: If it ended otherwise than it should.
        """
        begun = time.monotonic()
        with open(self.local / "pages.log", "w") as log:
            command = [sys.executable, "-m", "grader", "feedback"]
            code = subprocess.run(command, cwd=self.course.root, stdout=log, stderr=log).returncode
        if code not in (0, 1):
            raise GraderError(f"grader feedback ended with {code}", str(self.local / "pages.log"), "read it")
        return time.monotonic() - begun, sum(1 for _ in (self.local / "feedback").glob("*/*/*.html"))

    def change_one(self) -> str:
        """Let a student hand in another file: an honest notebook whose first text goes on."""
        one = next((m for m in self.made if m.what == "honest"), None)
        if one is None:
            raise GraderError("nobody in this class hands in an ordinary file", "--students", "make the class larger")
        path = self.submitted / one.student / one.assignment / f"{one.assignment}.ipynb"
        nb = read_notebook(path)
        nb.cells[0].source += "\n\nChanged."
        write_notebook(nb, path)
        return f"{one.student}, {one.assignment}"

    def compare(self) -> tuple[list[str], dict[str, tuple[int, float]], int]:
        """Compare the points in the gradebook with what they must be.

        Returns:
            What differs; count and CPU seconds for each notebook; how many submissions hold nothing that could be
            read, which are looked at anew in each run.
        """
        folders = course_config(self.course).CourseDirectory
        entries, wrong, cpu, empty = [], [], {}, 0
        with Gradebook(folders.db_url, folders.course_id) as gradebook:
            query = select(Assignment.name, SubmittedAssignment.student_id, func.sum(Grade.auto_score))
            query = query.join(Grade.notebook).join(SubmittedNotebook.assignment).join(SubmittedAssignment.assignment)
            query = query.group_by(Assignment.name, SubmittedAssignment.id)
            points = [(name, student, total or 0.0) for name, student, total in gradebook.db.execute(query)]
            there = {(name, student): total for name, student, total in points}
            for assignment, student, _, text in records.read_all(gradebook, self.assignments):
                record, total = json.loads(text), there.get((assignment, student), -1.0)
                entries.append(Entry(student, assignment, "marked", total, record["max_points"]))
                if abs(total - record["points"]) > 1e-6:
                    wrong.append(f"{student}, {assignment}: {record['points']} in the record, {total} in the gradebook")
                count, seconds = cpu.get(assignment, (0, 0.0))
                cpu[assignment] = count + 1, seconds + record["cpu_s"]
                empty += not record["submission"]
        doubled = [key for key, n in Counter((a, s) for a, s, _ in points).items() if n > 1]
        return [*surprises(self.made, entries), *wrong, *(f"twice: {key}" for key in doubled)], cpu, empty


def _count(said: list[str], outcome: str) -> int:
    """Read a number off the first line of a run's summary."""
    return sum(int(n) for line in said for n in re.findall(rf"(\d+) {outcome}", line))


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=1000, metavar="N")
    parser.add_argument("--stages", default="17,167", metavar="N,N", help="students that are marked first")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--hostile", type=float, default=0.005, metavar="SHARE")
    parser.add_argument("--seed", type=int, default=7, metavar="N")
    parser.add_argument("--notebooks", nargs="*", default=[], metavar="NB", help="which, as 02 (default: all)")
    options = parser.parse_args()
    lunch = Lunch(Course.find(), options.students, options.jobs, options.notebooks)
    begun = time.monotonic()
    lunch.make(options.seed, options.hostile)
    print(f"{len(lunch.made)} submissions made in {time.monotonic() - begun:.0f} s", flush=True)
    total, before = 0.0, 0

    def told(what: str, seconds: float, new: int, said: Sequence[str] = ()) -> None:
        rate = f"{seconds / new:6.2f} s each, {3600 * new / seconds:6,.0f} an hour" if new else ""
        print(f"{what:44} {seconds:8.1f} s  {new:6,d} marked  {rate}", flush=True)
        for line in said:
            print(f"    {line}", flush=True)

    for students in [int(n) for n in options.stages.split(",") if n] + [options.students]:
        there = lunch.hand_in(students)
        if students == options.students:
            half = before + (there - before) // 2
            seconds, said = lunch.grade(kill_at=half)
            at_kill = lunch.marked()
            told("killed (SIGKILL) half-way", seconds, at_kill - before, said)
            more, said = lunch.grade()
            told("resumed", more, lunch.marked() - at_kill, said)
            seconds += more
        else:
            seconds, said = lunch.grade()
        total += seconds
        told(f"from {before:,} to {there:,} submissions", seconds, there - before, said)
        before = there
    told("all together", total, before)
    pages_s, pages = lunch.feedback()
    print(f"{'feedback':44} {pages_s:8.1f} s  {pages:6,d} pages   {pages_s / max(pages, 1):6.2f} s each", flush=True)
    told("marks and feedback together", total + pages_s, before)
    seconds, said = lunch.grade()
    told("again, unchanged", seconds, 0, said)
    marked_again = [_count(said, "marked")]
    changed = lunch.change_one()
    seconds, said = lunch.grade()
    told(f"one changed ({changed})", seconds, 0, said)
    marked_again.append(_count(said, "marked"))
    wrong, cpu, empty = lunch.compare()
    if marked_again != [empty, empty + 1]:
        wrong.append(f"{marked_again} marked again; it must be {empty} that hold nothing, and one more")
    for assignment, (count, seconds) in sorted(cpu.items()):
        print(f"{assignment:44} {count:6,d} marked  {seconds / count:6.2f} CPU s each")
    kinds = Counter(one.what.split(":")[0] for one in lunch.made)
    print(f"what they were: {dict(kinds.most_common())}")
    print(f"{len(wrong)} marks are not what they must be", *wrong, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except GraderError as error:
        sys.exit(str(error))
