"""Which answers take over what the course wrote: a given function that they copy."""

from __future__ import annotations

from nbformat import NotebookNode

from grader.core.findings import Finding, Level
from grader.engine.copied import copied


def taken_over(nb: NotebookNode, assignment: str, elsewhere: dict[str, list[str]]) -> list[Finding]:
    """Return a finding for each answer to look at. Code that nobody can follow costs this look, not the marks.

    Args:
        nb: A notebook with the student's answers in it.
        assignment: Name of the assignment.
        elsewhere: What `given_elsewhere` returned.
    """
    findings: list[Finding] = []
    try:
        findings += copied(nb, assignment, elsewhere)
    except RecursionError:
        text = "The code is nested too deeply to be looked through for functions of the course."
        findings.append(Finding("nested-too-deeply", "", text, Level.SUSPICIOUS))
    return findings
