"""What is no download, although somebody may name it: what the commands themselves keep beside the submissions."""

from __future__ import annotations

from pathlib import Path

from grader.core.errors import GraderError

#: Folders beside the submissions that the commands write; nothing in them has just been handed in.
_WRITTEN = ("attempts", "autograded", "export", "feedback", "solution")


def refuse_own(path: Path, submitted: Path) -> None:
    """Refuse to collect what the commands themselves keep: it would come back as a later attempt, or as a student.

    Args:
        path: What is to be collected.
        submitted: nbgrader's folder of submissions, which may be collected.

    Raises:
        GraderError: If the folder around the submissions is in it, or it is beside them and not for downloads.
    """
    local, whole = submitted.parent.resolve(), path.resolve()
    if local.is_relative_to(whole) or any(whole.is_relative_to(local / name) for name in _WRITTEN):
        text = "it is no download: the grader keeps there what was collected or marked"
        fix = f"name what was downloaded; to have an earlier attempt count, copy it to its place in {submitted.name}/"
        raise GraderError(text, str(path), fix)
