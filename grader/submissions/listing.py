"""Which submissions there are: folders of students in nbgrader's folder of submissions."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from grader.core.errors import GraderError

#: Names of student folders that every part of nbgrader takes: no glob, no path, no surprise.
STUDENT = re.compile(r"[\w][\w.@+\-]{0,99}")


def list_submissions(submitted: Path, assignments: list[str], students: list[str]) -> list[tuple[str, str, str]]:
    """List what was handed in.

    Args:
        submitted: nbgrader's folder of submissions.
        assignments: Which assignments.
        students: Which students; none means all.

    Returns:
        `(assignment, student, why)`, sorted by assignment and student; `why` says why something there is no
        submission, or is empty.

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
    if unknown := sorted(set(students) - set(names)):
        fix = f"give the name of a folder in {submitted}, as it is written there"
        raise GraderError(f"no submission of {', '.join(unknown)}", "--student", fix)
    for student in names:
        if students and student not in students:
            continue
        path = submitted / student
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            continue  # a README, a spreadsheet: not meant as a submission
        odd = (
            ""
            if STUDENT.fullmatch(student)
            else "the folder's name cannot be a student's id (letters, digits, . _ @ + -): move it into another folder "
            "and run `grader collect` on that one, which chooses an id and writes into students.csv who is who"
        )
        odd = odd or ("" if stat.S_ISDIR(kind) else "it is a link or a device, not a folder")
        odd = odd or ("" if os.access(path, os.R_OK | os.X_OK) else "the folder may not be read by this user")
        for assignment in assignments:
            folder = path / assignment
            if odd:
                found.append((assignment, student, odd))
            elif os.path.lexists(folder):
                is_folder = stat.S_ISDIR(folder.lstat().st_mode)
                found.append((assignment, student, "" if is_folder else "it is a link or a file, not a folder"))
    return sorted(found)
