"""Marks and feedback for a Moodle assignment.

As Moodle's documentation (docs.moodle.org, *Assignment settings*, *Using Assignment*) and source have it:

- *Upload grading worksheet* (`mod/assign/feedback/offline/importgradeslib.php`) reads the columns `Identifier`,
  `Grade`, `Last modified (grade)` and those of the feedback types, here `Feedback comments`, by their headings; others
  are not read, so the columns per question can stay in the file. The number behind `Participant ` is the participant.
  A row is passed over if the grade was changed in Moodle later than `Last modified (grade)` says, unless *Allow
  updating records that have been modified more recently in Moodle than in the spreadsheet* is ticked, and if the grade
  is above the maximum. A grade that the gradebook has locked or overridden is passed over too, and the row's comment is
  taken (`locallib.php` there); the column `Grade can be changed` tells which are. Headings are in the language of the
  person who downloads: it has to be English here. So these four columns and all headings of a worksheet go back letter
  for letter; names and the other columns are read by people alone, and are written as in any table of ours. A comment
  of ours is no formula and has no control characters, but nothing in it is spelled out.
- *Upload multiple feedback files in a zip* (`mod/assign/feedback/file/importziplib.php`) takes the first part of a path
  of the form `name_number_plugintype_plugin` and gives the file behind it to that participant.
"""

from __future__ import annotations

import html
from pathlib import Path

from grader.core.csv_files import Given, guarded_html
from grader.core.errors import GraderError
from grader.core.escaping import without_controls
from grader.lms.exporting import LmsExportPlugin
from grader.lms.journal import Attempt
from grader.lms.marks import Mark, counted, number, question_columns
from grader.lms.numerals import Numerals
from grader.lms.own_comments import OwnComments
from grader.lms.pack import Fixed, feedback_page, fitting, write_zip
from grader.lms.platforms import System
from grader.lms.put_back import some_of
from grader.lms.students import read_rows, write_rows

_IDENTIFIER, _GRADE, _MODIFIED, _COMMENTS = "Identifier", "Grade", "Last modified (grade)", "Feedback comments"
#: What Moodle reads of a worksheet.
_READ = (_IDENTIFIER, _GRADE, _MODIFIED, _COMMENTS)
_CHANGEABLE = "Grade can be changed"
#: How far a grade is at most from the one that Moodle shows of it, unless it shows fewer decimals than two.
_ROUNDED = 0.005
_MAXIMUM = ("Maximum grade", "Maximum Grade")


class MoodleExportPlugin(LmsExportPlugin):
    """`nbgrader export --exporter=grader.lms.moodle.MoodleExportPlugin`: the grading worksheet, and feedback pages.

    With the worksheet of the assignment among `roster`, its rows are filled in; without, a new one has the rows of
    those who handed in.
    """

    system = System.MOODLE

    def write_assignment(
        self, folder: Path, assignment: str, marks: list[Mark], attempts: dict[str, Attempt]
    ) -> tuple[list[str], list[str]]:
        """Write `grades.csv` and `feedback.zip`. Called by `write`."""
        look: list[str] = []
        by_number = self.by_number(marks, attempts, look)
        sheet = self._worksheet(by_number)
        if self.roster and not sheet and by_number:
            text = "none of its participants is in the worksheets given (are they those of another assignment?)"
            look.append(f"{assignment}: {text}; a new one was written, with the notebook's own maximum")
        above: dict[str, str] = {}
        own = OwnComments(folder)
        header, rows = self._filled(*sheet, by_number, look, above, own) if sheet else self._new(by_number, above, own)
        look += above.values()
        pages = []
        for place, mark in sorted(by_number.items()):
            page, wrong = feedback_page(self.parent.coursedir, mark)
            look += [wrong] if wrong else []
            if page:
                attempt = attempts[mark.student]
                pages.append((_folder(attempt.folder or f"Participant_{place}_assignsubmission_file"), mark, page))
        own.save()
        write_rows(folder / "grades.csv", header, rows)
        taken = {_number(row) for row in rows if not _is_locked(row)} & by_number.keys() - above.keys()
        done = [f"{folder / 'grades.csv'}: {counted(len(taken), 'grade')}, for *Upload grading worksheet*"]
        if pages:
            write_zip(folder / "feedback.zip", [(f"{p}/{m.assignment}_feedback.html", data) for p, m, data in pages])
            size = (folder / "feedback.zip").stat().st_size / 2**20
            use = "for *Upload multiple feedback files in a zip*"
            done.append(f"{folder / 'feedback.zip'}: {counted(len(pages), 'page')}, {size:.1f} MB, {use}")
        else:
            (folder / "feedback.zip").unlink(missing_ok=True)  # of an earlier export
        return done, look

    def _worksheet(self, by_number: dict[str, Mark]) -> tuple[str, list[dict[str, str]]] | None:
        """Find the worksheet of this assignment: numbers are of one assignment alone."""
        best: tuple[int, str, list[dict[str, str]]] = (0, "", [])
        for path in self.roster:
            rows = read_rows(Path(path), once=_READ)
            if rows and not {_IDENTIFIER, _GRADE, _MODIFIED} <= set(rows[0]):
                text = f"no grading worksheet with the columns {_IDENTIFIER}, {_GRADE} and {_MODIFIED}"
                fix = "download it from Moodle with the language set to English"
                raise GraderError(f"{text}, but: {', '.join(rows[0])}", str(path), fix)
            same = sum(_number(row) in by_number for row in rows)
            best = max(best, (same, str(path), rows), key=lambda found: found[0])
        return best[1:] if best[0] else None

    def _filled(
        self,
        path: str,
        rows: list[dict[str, str]],
        by_number: dict[str, Mark],
        look: list[str],
        above: dict[str, str],
        own: OwnComments,
    ) -> tuple[list[str], list[dict[str, str]]]:
        header = list(rows[0])
        if _COMMENTS not in header:
            look.append(f"{path}: no column {_COMMENTS}, so comments stay out: tick it under Feedback types")
        numerals, locked = Numerals(row.get(name, "") for row in rows for name in (_GRADE, *_MAXIMUM)), list[Mark]()
        typed = list[Mark]()
        # Moodle shows as many decimals as the grade item has; those of the marks that it took are more, perhaps.
        rounded = max(_ROUNDED, 0.5 / 10 ** numerals.places(row[_GRADE] for row in rows))
        for row in rows:
            known = numerals.readings(row[_GRADE])
            # The grades of others go back too, and Moodle would cut off what stands behind a comma.
            row[_GRADE] = numerals.with_point(row[_GRADE])
            row |= {name: Given(row[name]) for name in _READ if name in row}
            mark = by_number.get(_number(row))
            if mark is None:
                continue
            points = self.points(mark, _maximum(row), numerals, path)
            if not _is_locked(row):
                if told := _above(mark, points, numerals.readings(_maximum(row))):
                    above[_number(row)] = told
                else:
                    row[_GRADE] = Given(number(points))
            elif not any(round(abs(grade - points), 4) <= rounded for grade in known):
                locked.append(mark)
            if _COMMENTS in header and own.are(_number(row), row[_COMMENTS]):
                row[_COMMENTS] = _as_html(mark)
                own.note(_number(row), row[_COMMENTS])
            elif _COMMENTS in header:
                typed.append(mark)
            row |= question_columns(mark)
        look += _told(locked) + _kept(typed)
        there = {_number(row) for row in rows}
        for place, mark in by_number.items():
            if place not in there:
                look.append(f"{mark.student}, {mark.assignment}: participant {place} is not in {path}")
        return [*map(Given, header), *_questions(by_number.values(), header)], rows

    def _new(
        self, by_number: dict[str, Mark], above: dict[str, str], own: OwnComments
    ) -> tuple[list[str], list[dict[str, str]]]:
        rows = []
        for place, mark in sorted(by_number.items()):
            person = self.students.of(mark.student, self.system)
            row = {_IDENTIFIER: f"Participant {place}", "Full name": person.name if person else mark.student}
            if told := _above(mark, mark.score, []):
                above[place] = told
            row |= {_GRADE: "" if told else number(mark.score), _MAXIMUM[0]: number(mark.max_score), _MODIFIED: "-"}
            row[_COMMENTS] = _as_html(mark)
            own.note(place, row[_COMMENTS])
            rows.append(row | question_columns(mark))
        header = [_IDENTIFIER, "Full name", _GRADE, _MAXIMUM[0], _MODIFIED, _COMMENTS]
        return [*header, *_questions(by_number.values(), header)], rows


def _questions(marks, header: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(n for m in marks for n in question_columns(m)) if name not in header]


def _folder(name: str) -> str:
    """Return the name of a person's folder in the archive, in which a long name of the person's is cut."""
    start = name.rfind("_", 0, max(name.rfind("_assignsubmission_"), 0))
    # The `_` at the end is what versions before 4.1 wrote and all read.
    return fitting(name[: max(start, 0)], Fixed(f"{name[max(start, 0) :]}_"))


def _number(row: dict[str, str]) -> str:
    text = row.get(_IDENTIFIER, "")
    return text[len(text.rstrip("0123456789")) :]


def _is_locked(row: dict[str, str]) -> bool:
    return row.get(_CHANGEABLE, "").strip().lower() == "no"


def _told(locked: list[Mark]) -> list[str]:
    """Say whose grade stays another one than the mark, in one line: whole courses are locked at the end of a term."""
    if not locked:
        return []
    what = "Moodle lets no grade be changed that is locked or overridden, so that of before stays, beside the feedback"
    fix = "unlock it in Moodle, download the worksheet and export again"
    return [f"{locked[0].assignment}: {what}: {some_of(sorted(m.student for m in locked))}; {fix}"]


def _kept(typed: list[Mark]) -> list[str]:
    """Say whose comment in Moodle stays since a person wrote in it, in one line."""
    if not typed:
        return []
    what = "in Moodle is a comment that no export wrote, or that somebody changed, so it stays and ours is left out"
    fix = "to have ours in its place, empty that cell of the worksheet and export again"
    return [f"{typed[0].assignment}: {what}: {some_of(sorted(m.student for m in typed))}; {fix}"]


def _above(mark: Mark, points: float, maxima: list[float]) -> str:
    """Say that Moodle would pass a grade over, in silence, since it is above the maximum; nothing if it is not.

    Args:
        mark: The mark.
        points: What would go back.
        maxima: What the worksheet's maximum may mean; without one it is the notebook's own.
    """
    most = min(maxima, key=lambda one: abs(one - mark.max_score), default=mark.max_score)
    if float(number(points)) <= most + _ROUNDED or most == 0:
        return ""
    what = f"{number(points)} points are above the maximum of {number(most)}, and Moodle passes such a grade over"
    stays = "the one there stays as it is, beside the feedback"
    fix = "take the extra credit away and export again, or raise the maximum in Moodle after the upload and enter it"
    return f"{mark.student}, {mark.assignment}: {what}, so {stays}; {fix}"


def _maximum(row: dict[str, str]) -> str:
    return next((row[name] for name in _MAXIMUM if row.get(name, "").strip()), "")


def _as_html(mark: Mark) -> str:
    """Return what Moodle keeps as HTML and shows to the student, so nothing in it is spelled out."""
    text = "<br>".join(html.escape(line, quote=False) for line in mark.sentences())
    return Given(guarded_html(without_controls(text)))
