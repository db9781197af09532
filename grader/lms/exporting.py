"""What the exports have in common: where they write, whose marks they take, what they leave out."""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, List, Unicode

from grader.core.course import to_grade
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.gradebook.outdated import outdated
from grader.lms.journal import Attempt, Journal, State
from grader.lms.marks import Mark, number, read_marks, write_questions
from grader.lms.numerals import Numerals
from grader.lms.platforms import System
from grader.lms.put_back import some_of
from grader.lms.since import Taking, changed_since, not_marked, read_marked
from grader.lms.students import Students
from grader.submissions.file_names import quoted
from grader.submissions.folder_names import as_text, read_names


class LmsExportPlugin(ExportPlugin):
    """Writes, for each assignment, marks and feedback in the form that a system takes back.

    In the folder `to` (by default `export/SYSTEM` beside the folder of submissions) there is a folder per assignment
    with the table of marks, `questions.csv` with a column per question, and the packed feedback.
    """

    system = ""

    roster = List(Unicode(), help="what the system gave: Moodle's grading worksheets, Canvas' gradebook").tag(
        config=True
    )
    scale = Bool(False, help="convert points where the system has another maximum").tag(config=True)
    include_waiting = Bool(False, help="also give marks that still wait for a person's points").tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Write the export. Called by `nbgrader export`, which shows the log."""
        done, look = self.write(gradebook)
        for line in done:
            self.log.info(line)
        for line in look:
            self.log.warning(line)

    def write(self, gradebook: Gradebook) -> tuple[list[str], list[str]]:
        """Write the export.

        Returns:
            What was written, and what needs a look, a sentence each.

        Raises:
            GraderError: If the marks do not fit what the system expects; nothing was written for that assignment.
        """
        coursedir = self.parent.coursedir
        submitted = Path(coursedir.format_path(coursedir.submitted_directory, ".", ".")).resolve()
        local, self.folders = submitted.parent, read_names(submitted)
        self.students, self.journal = Students(local / "students.csv"), Journal(local / "collected.csv")
        to = Path(self.to) if self.to else local / "export" / self.system
        done = []
        unread = [*self.students.unread, *self.journal.unread]
        look = [f"{one.where}: it cannot be read: {one.why}; {one.fix}" for one in unread]
        known, asked = sorted(a.name for a in gradebook.assignments), [str(a) for a in self.assignment]
        for assignment in asked or sorted({*known, *(a.assignment for a in self.journal.attempts)}):
            marked = read_marked(gradebook, assignment)
            try:
                marks = read_marks(gradebook, assignment, [str(s) for s in self.student])
            except MissingEntry:
                if asked:
                    fix = f"one of: {', '.join(known)}" if known else "run grader grade"
                    raise GraderError("the gradebook has no such assignment", assignment, fix) from None
                marks = []  # of what was collected, nothing is marked
            look += self._unmarked(assignment, {m.student for m in marks}, local)
            ready = [m for m in marks if self.include_waiting or not m.waiting]
            for mark in marks:
                if mark not in ready:
                    text = f"{number(mark.waiting)} points wait for a person (in the formgrader)"
                    look.append(f"{mark.student}, {assignment}: left out, since {text}")
            if not ready:
                continue
            # Above the lines that advise to enter a mark by hand, which may be an old one.
            files = {m.student: file for m in ready if (file := self._file(m, submitted))}
            look += not_marked(assignment, marked, [m.student for m in ready], to_grade(assignment))
            take = Taking(coursedir, self.config, assignment)
            look += changed_since(assignment, marked, files, to_grade(assignment), take)
            there = {m.student: marked[m.student].basis for m in ready if m.student in marked}
            look += outdated(gradebook, self.config, assignment, take.source, there)
            found = {m.student: self._attempt(m, look) for m in ready}
            attempts = {student: attempt for student, attempt in found.items() if attempt}
            lines, more = self.write_assignment(to / assignment, assignment, ready, attempts)
            write_questions(to / assignment / "questions.csv", ready, self.students, self.folders)
            done += [*lines, f"{to / assignment / 'questions.csv'}: a column per question, for you"]
            look += more
        return done, [printable_line(line) for line in look]  # an error may quote what a student wrote

    def write_assignment(
        self, folder: Path, assignment: str, marks: list[Mark], attempts: dict[str, Attempt]
    ) -> tuple[list[str], list[str]]:
        """Write what a system takes for one assignment. Called by `write`.

        Args:
            folder: Where to write.
            assignment: Which assignment.
            marks: The marks.
            attempts: For each student who handed in through this system, what was handed in.

        Returns:
            As `write`.
        """
        raise NotImplementedError

    def by_number(self, marks: list[Mark], attempts: dict[str, Attempt], look: list[str]) -> dict[str, Mark]:
        """Return the marks by the system's number of the person; those of ids that share a number are named instead.

        Args:
            marks: The marks.
            attempts: What was handed in through this system.
            look: Receives what needs a look.
        """
        found = dict[str, Mark]()
        for mark in (m for m in marks if m.student in attempts):
            place = attempts[mark.student].number
            there = (a for a in self.journal.attempts if a.state is State.CURRENT and a.assignment == mark.assignment)
            others = {a.student for a in there if (a.system, a.number) == (self.system, place)} - {mark.student}
            if others:
                text = f"{', '.join(sorted(others))} has the same number {place} of {self.system.title()}"
                fix = "delete the rows of the id that does not count from collected.csv"
                look.append(f"{mark.student}, {mark.assignment}: left out, since {text}; {fix}")
            else:
                found[place] = mark
        return found

    def points(self, mark: Mark, maximum: str, numerals: Numerals, where: str) -> float:
        """Return a mark in the system's points.

        Args:
            mark: The mark.
            maximum: What the system's table has for the most points; an empty cell says nothing.
            numerals: How that table writes numbers.
            where: The table's name.

        Raises:
            GraderError: If the maximum is another one and nothing was said about converting, or if it cannot be read.
        """
        if not maximum.strip() or mark.max_score == 0:
            return mark.score
        readings = numerals.readings(maximum)
        if any(abs(most - mark.max_score) < 0.005 for most in readings):
            return mark.score
        if len(readings) != 1:
            shown = quoted(printable_line(maximum.strip()))
            meant = " or ".join(map(number, readings))
            what = f"may be {meant}" if readings else "is no number of points"
            text = f"the maximum there, {shown}, {what}, so it cannot be compared with that of {mark.assignment}"
            raise GraderError(text, where, f"write {number(mark.max_score)} there, or the maximum that the LMS has")
        if not self.scale or not readings[0]:
            text = f"the maximum there is {number(readings[0])}, that of {mark.assignment} {number(mark.max_score)}"
            or_scale = ", or give --scale to convert the points" if readings[0] else ""
            raise GraderError(text, where, f"set the maximum in the LMS{or_scale}")
        return mark.score * readings[0] / mark.max_score

    def _unmarked(self, assignment: str, marked: set[str], local: Path) -> list[str]:
        """Name who was collected and has no mark: somebody who came after the others were marked, or was left out."""
        wanted, lacking = {str(s) for s in self.student}, dict[bool, list[str]]()
        for one in self.journal.attempts:
            if one.state is not State.CURRENT or one.assignment != assignment or one.student in marked:
                continue
            if (not wanted or one.student in wanted) and self._may_go_back(one):
                lacking.setdefault((local / one.file).is_file(), []).append(one.student)
        grade = to_grade(assignment)
        gone = "it is gone from the submissions: collect it again, or delete its row from collected.csv"
        found = [(is_there, sorted(lacking[is_there])) for is_there in sorted(lacking, reverse=True)]
        return [
            f"{assignment}: handed in and not marked: {some_of(students)}; {grade if is_there else gone}"
            for is_there, students in found
        ]

    def _may_go_back(self, current: Attempt) -> bool:
        """Return whether a submission is for this system to take back, or for a person, and not for the other one."""
        systems = {a.system for a in self.journal.of(current.student, current.assignment)}
        return self.system in systems or not systems & {System.MOODLE, System.CANVAS}

    def _file(self, mark: Mark, submitted: Path) -> Path | None:
        """Return where the file that counts is, whoever put it there; None if nobody collected it and it is gone."""
        current = self.journal.current(mark.student, mark.assignment)
        if current:
            return submitted.parent / current.file
        folder = submitted / self.folders.get(mark.student, mark.student) / mark.assignment
        return folder / f"{mark.assignment}.ipynb" if folder.is_dir() else None

    def _attempt(self, mark: Mark, look: list[str]) -> Attempt | None:
        """Find where a submission came from, for the way back."""
        current = self.journal.current(mark.student, mark.assignment)
        if current and current.system == self.system:
            return current
        if current and current.number:  # it came by mail, and in a download before another file
            handed = self.journal.of(mark.student, mark.assignment)
            if any((a.system, a.number) == (self.system, current.number) for a in handed):
                return current
        text = f"it was not collected from {self.system.title()}, so nothing of it goes there"
        name = self.folders.get(mark.student)
        folder = f" (folder {quoted(printable_line(as_text(name)))})" if name is not None else ""
        look.append(f"{mark.student}{folder}, {mark.assignment}: {text}; enter it by hand")
        return None
