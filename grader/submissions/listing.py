"""Which submissions there are: folders of students in nbgrader's folder of submissions."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from grader.core.course import ASSIGNMENT_PATTERN
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.submissions.file_names import named
from grader.submissions.folder_names import as_text, read_folders, safe_id

#: Names of student folders that every part of nbgrader takes: no glob, no path, no surprise.
STUDENT = re.compile(r"[\w][\w.@+\-]{0,99}")
#: A letter may be four bytes, and names of files with something added to an id have 255.
MOST_BYTES = 200


_ADVICE = (
    "the folder's name cannot be a student's id (letters, digits, . _ @ + -), {}: move it into another folder "
    "and run `grader collect` on that one, which chooses an id and writes into students.csv who is who"
)
_TAKEN = (
    "the folder's name is the id that stands for the folder {}: find out who made it, and name it after its student"
)


class Submission(NamedTuple):
    """What lies in a student's folder for an assignment.

    Args:
        assignment: Which assignment.
        student: The student's id; of something that is no submission, the name of what lies there.
        why: Why it is no submission, or empty.
        folder: The name of the student's folder, which need not be the id.
    """

    assignment: str
    student: str
    why: str
    folder: str


def may_be_id(name: str) -> bool:
    """Return whether a name is one that every part of nbgrader takes."""
    return bool(STUDENT.fullmatch(name)) and len(os.fsencode(name)) <= MOST_BYTES


def id_of(name: str) -> str:
    """Return the id under which a student is marked whose folder has a name, or who has this id."""
    return name if may_be_id(name) else safe_id(name)


def list_submissions(submitted: Path, assignments: list[str], students: list[str]) -> list[Submission]:
    """List what was handed in.

    Args:
        submitted: nbgrader's folder of submissions.
        assignments: Which assignments.
        students: Which students, by id or by the name of their folder; none means all.

    Returns:
        What there is, sorted by assignment and student. A folder whose name cannot be an id has one that is made of
        its name.

    Raises:
        GraderError: If there is no such folder, or a student is named who has none.
    """
    if not submitted.is_dir():
        raise GraderError(
            "no submissions", str(submitted), "put them there as <student>/<assignment>/<assignment>.ipynb"
        )
    found = []
    with os.scandir(submitted) as entries:
        names = sorted(e.name for e in entries if not e.name.startswith("."))
    ids = {name: id_of(name) for name in names}
    if unknown := sorted(set(students) - set(names) - set(ids.values())):
        fix = f"give the name of a folder in {submitted}, as it is written there"
        raise GraderError(f"no submission of {', '.join(unknown)}", "--student", fix)
    often, table = Counter(ids.values()), read_folders(submitted)
    made = {student: as_text(name) for name, student in ids.items() if name != student}
    for name in names:
        student = ids[name]
        if students and not {name, student} & set(students):
            continue
        path = submitted / name
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            continue  # a README, a spreadsheet: not meant as a submission
        odd = "" if stat.S_ISDIR(kind) else "it is a link or a device, not a folder"
        odd = odd or ("" if os.access(path, os.R_OK | os.X_OK) else "the folder may not be read by this user")
        if not odd and student != name:
            if often[student] > 1:
                odd = _ADVICE.format(f"and {student}, which is made of it, is another one's")
            elif not _holds_assignments(path, assignments):
                odd = _ADVICE.format("and it holds no folder of an assignment")
        if not odd and student == name and (whose := made.get(name) or table.get(name)):
            # Anybody can work out that id, and nobody gets another one's marks by a name.
            odd = _TAKEN.format(named(printable_line(whose)))
        for assignment in assignments:
            folder = path / assignment
            if odd:
                found.append(Submission(assignment, name, odd, name))
            elif os.path.lexists(folder):
                is_folder = stat.S_ISDIR(folder.lstat().st_mode)
                why = "" if is_folder else "it is a link or a file, not a folder"
                found.append(Submission(assignment, student, why, name))
    return sorted(found)


def _holds_assignments(path: Path, assignments: list[str]) -> bool:
    """Return whether a folder is laid out as a student's: it holds a folder of some assignment."""
    return any(name in assignments or ASSIGNMENT_PATTERN.fullmatch(name) for name in os.listdir(path))
