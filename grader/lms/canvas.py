"""Marks and feedback for a Canvas assignment.

As Canvas' guides (*How do I import grades in the Gradebook?*, *How do I upload all student submissions for an
assignment?*) and source have it:

- The gradebook's import (`lib/gradebook_importer.rb`) wants `Student`, `ID`, perhaps `SIS User ID` and `SIS Login ID`,
  and `Section` first, then assignments as `title (number)`, and a row `Points Possible`. Every other column becomes a
  new assignment, so the columns per question stand in a file of their own, which is not uploaded. A person is found by
  `ID`, else by the SIS columns, else by the name, and an assignment by its heading, so all of them go back letter for
  letter. Beside an `ID` the name is read by people alone, and is written as in any table of ours.
- *Upload submissions* (`generate_comments_from_files` in `app/models/assignment.rb`) takes from a file's name the first
  two parts between `_` that are digits alone: the user and the file that the user handed in. It attaches the upload to
  a comment under the name of that file, whatever its own ending (instructure/canvas-lms, issue 2406). A page under the
  name of a notebook could not be opened, so what goes back is a notebook: the one that was marked, with points and
  reasons in it.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from traitlets import Unicode

from grader.core.csv_files import Given
from grader.core.errors import GraderError
from grader.lms.exporting import LmsExportPlugin
from grader.lms.journal import Attempt
from grader.lms.marks import Mark, counted, number
from grader.lms.numerals import Numerals
from grader.lms.pack import Fixed, feedback_page, fitting, marked_notebook, write_zip, zip_bytes
from grader.lms.platforms import System
from grader.lms.students import read_rows, write_rows
from grader.submissions.file_names import called

_POINTS = "Points Possible"
#: What the gradebook has in place of points for whom a person excused.
_EXCUSED = "EX"
#: Characters of what says of which kind a file is; whatever is longer is part of its name.
_LONGEST_ENDING = 12
_NAMES = ("Student", "LastName", "FirstName")
#: What may stand beside a notebook's words in the heading of its column.
_CALLED = {"notebook", "nb", "assignment", "exercise", "exercises", "homework", "hw", "lab", "week", "no"}


class CanvasExportPlugin(LmsExportPlugin):
    """`nbgrader export --exporter=grader.lms.canvas.CanvasExportPlugin`: the gradebook, and marked notebooks.

    With Canvas' exported gradebook as `roster`, the column of the assignment is filled in; without, a new gradebook
    makes a new assignment in Canvas.
    """

    system = System.CANVAS

    column = Unicode("", help="heading of the assignment's column in the gradebook").tag(config=True)

    def write_assignment(
        self, folder: Path, assignment: str, marks: list[Mark], attempts: dict[str, Attempt]
    ) -> tuple[list[str], list[str]]:
        """Write `gradebook.csv` and `feedback.zip`. Called by `write`."""
        look: list[str] = []
        by_number = self.by_number(marks, attempts, look)
        book = self._gradebook()
        header, rows = self._filled(*book, assignment, by_number, look) if book else self._new(assignment, by_number)
        files = []
        for mark in by_number.values():
            try:
                files.append(self._upload(attempts[mark.student], mark, look))
            except GraderError as error:
                look.append(f"{mark.student}, {mark.assignment}: no feedback, since {error.where}: {error.what}")
        write_rows(folder / "gradebook.csv", header, rows)
        filled = f"the column {called(header[-1])}" if book else "a new column"
        of_theirs = [row[header[-1]] for row in rows if row.get("ID", "").strip() in by_number]
        grades = counted(sum(not _is_excused(text) for text in of_theirs), "grade")
        done = [f"{folder / 'gradebook.csv'}: {grades} in {filled}, for the gradebook's *Import*"]
        if not book:
            text = f"a new assignment {assignment!r}, since no exported gradebook was given with --roster"
            look.append(f"{folder / 'gradebook.csv'}: Canvas will make {text}")
        if files:
            write_zip(folder / "feedback.zip", files)
            size = (folder / "feedback.zip").stat().st_size / 2**20
            use = "for the assignment's *Upload submissions*"
            done.append(f"{folder / 'feedback.zip'}: {counted(len(files), 'marked notebook')}, {size:.1f} MB, {use}")
        else:
            (folder / "feedback.zip").unlink(missing_ok=True)  # of an earlier export
        return done, look

    def _upload(self, attempt: Attempt, mark: Mark, look: list[str]) -> tuple[str, bytes]:
        """Name a marked submission as Canvas named what was handed in; what it goes without is told."""
        # Nothing of the student's id may pass for the numbers that Canvas looks for, so only its letters stand there.
        letters = "" if attempt.number.startswith("anon_") else "".join(c for c in mark.student if c.isalpha())
        numbers = f"{'_' if letters else ''}{attempt.number}_{attempt.attachment}_"
        stem, dot, ending = attempt.name.rpartition(".")
        if not stem or len(ending) > _LONGEST_ENDING:
            stem, dot, ending = attempt.name, "", ""
        name = fitting(letters, Fixed(numbers), stem, Fixed(dot + ending))
        data = marked_notebook(self.parent.coursedir, self.config, mark)
        if attempt.name.lower().endswith(".zip"):
            page, wrong = feedback_page(self.parent.coursedir, mark)
            look += [wrong] if wrong else []
            files = [(f"{mark.assignment}_feedback.ipynb", data)]
            data = zip_bytes(files + ([(f"{mark.assignment}_feedback.html", page)] if page else []))
        return name, data

    def _gradebook(self) -> tuple[str, list[dict[str, str]]] | None:
        if not self.roster:
            return None
        if len(self.roster) > 1:
            raise GraderError("several gradebooks", ", ".join(self.roster), "give the one of this course")
        rows = read_rows(Path(self.roster[0]))
        if not rows or not {"ID", "Section"} <= set(rows[0]):
            raise GraderError("no gradebook of Canvas", self.roster[0], "export it from Canvas' gradebook")
        return self.roster[0], rows

    def _column(self, header: list[str], assignment: str, path: str) -> str:
        """Find the assignment's column, whose heading has the assignment's name, or its words and little else."""
        titles = {h: re.sub(r"[\W_]+", " ", re.sub(r" \(\d+\)$", "", h).lower()).strip() for h in header}
        words = assignment.replace("_", " ")
        if self.column:
            found = [h for h, title in titles.items() if self.column in (h, re.sub(r" \(\d+\)$", "", h))]
        else:
            found = [h for h, t in titles.items() if words in t or _says(t, words.partition(" ")[2])]
        if len(found) == 1:
            return found[0]
        what = "no column" if not found else "several columns"
        text = f"{what} for {self.column or assignment} among: {', '.join(header)}"
        raise GraderError(text, path, "name it with --column, one notebook at a time")

    def _filled(
        self, path: str, rows: list[dict[str, str]], assignment: str, by_number: dict[str, Mark], look: list[str]
    ) -> tuple[list[str], list[dict[str, str]]]:
        header = list(rows[0])
        last = header.index("Section") + 1
        column = self._column(header[last:], assignment, path)
        numerals, maximum = Numerals(row[column] for row in rows), _maximum(rows, header[0], column)
        if not numerals.decimal:  # the whole points of one column tell nothing; another one may
            numerals = Numerals(row[name] for row in rows for name in header[last:])
        for row in rows:
            known = row["ID"].strip()
            row |= {name: Given(text) for name, text in row.items() if not (known and name in _NAMES)}
            mark = by_number.get(known)
            if mark and _is_excused(row[column]):
                text = f"the gradebook has {_EXCUSED} (excused) in the column, which stays"
                look.append(
                    f"{mark.student}, {assignment}: {text}; if the mark is to count, enter it in Canvas by hand"
                )
            elif mark:
                row[column] = Given(numerals.written(self.points(mark, maximum, numerals, path)))
        there = {row["ID"].strip() for row in rows}
        for place, mark in by_number.items():
            if place not in there:
                look.append(f"{mark.student}, {assignment}: user {place} is not in {path}")
        # Columns that are not uploaded stay as they are in Canvas, whatever was entered there meanwhile.
        return [*map(Given, header[:last]), Given(column)], rows

    def _new(self, assignment: str, by_number: dict[str, Mark]) -> tuple[list[str], list[dict[str, str]]]:
        header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment]
        most = max((m.max_score for m in by_number.values()), default=0)
        rows = [{"Student": Given(f"    {_POINTS}"), assignment: number(most)}]
        for place, mark in sorted(by_number.items()):
            person = self.students.of(mark.student, self.system)
            row = {"Student": mark.student, "ID": place, assignment: number(mark.score)}
            if person:
                row |= {"Student": person.name, "SIS User ID": Given(person.sis_id)}
                row |= {"SIS Login ID": Given(person.login), "Section": Given(person.section)}
            rows.append(row)
        return header, rows


def _is_excused(text: str) -> bool:
    return text.strip().upper() == _EXCUSED


def _says(title: str, words: str) -> bool:
    """Return whether a heading has some words, and besides these at most a number and what a notebook is called."""
    before, found, behind = f" {title} ".partition(f" {words} ")
    return bool(found) and all(word.isdigit() or word in _CALLED for word in f"{before} {behind}".split())


def _maximum(rows: list[dict[str, str]], name: str, column: str) -> str:
    """Return the maximum of a column as it is written in the row above the students', who choose their names.

    Args:
        rows: The gradebook's.
        name: Heading of the column with people's names.
        column: Heading of the assignment's column.
    """
    above = itertools.takewhile(lambda row: not row["ID"].strip(), rows)
    return next((row[column] for row in above if row[name].strip() == _POINTS), "")
