"""What a file that was handed in becomes: a row of `collected.csv`, and a name beside the others."""

from __future__ import annotations

from pathlib import Path

from grader.lms.candidates import Candidate
from grader.lms.journal import HANDED_IN, Attempt, State
from grader.submissions.endings import ENDINGS


def file_name(assignment: str, candidate: Candidate) -> str:
    """Name the file so that nbgrader finds it; what is no JSON keeps the ending that says what it is."""
    if candidate.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return f"{assignment}.ipynb"
    suffix = Path(candidate.item.name).suffix.lower()
    return f"{assignment}{suffix if suffix in ENDINGS else '.ipynb'}"


def row_of(student: str, assignment: str, candidate: Candidate, state: State, file: str) -> Attempt:
    """Return what `collected.csv` says of a file."""
    handed_in = f"{candidate.handed_in:{HANDED_IN}}" if candidate.handed_in else ""
    sender = candidate.sender
    return Attempt(
        student=student,
        assignment=assignment,
        state=state,
        sha256=candidate.sha256,
        file=file,
        handed_in=handed_in,
        late="late" if candidate.late else "",
        system=sender.system,
        number=sender.number,
        attachment=sender.attachment,
        folder=sender.folder,
        name=sender.file or candidate.item.name,
        source=candidate.item.source,
        order=candidate.order,
    )
