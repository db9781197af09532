"""Which repairs may have cost points: what was noticed, beside the tests that an answer did not pass.

A repair is made so that nothing is lost, and nobody looks at it. Where the repaired exercise loses points all the same,
the repair may be why: another copy of the answer counted, or a helper did not come along. Then a person should look.
Nothing of a student's is parsed here, where time and memory have no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.engine.result import Result, Verdict

#: Repairs that decide which code is an answer's, and when it runs.
_DECIDES = {
    "addition-left-out",
    "answer-by-place",
    "answer-elsewhere",
    "answer-rescued",
    "answer-split",
    "answer-twice",
    "cell-repaired",
    "helper-moved",
}
#: What is noticed of any cell, and is why a name is missing in an answer.
_LEAVES_OUT = {"library-missing", "newer-python"}
#: What an exception is called that says that something is missing.
MISSING = {"NameError", "ImportError", "ModuleNotFoundError"}
_NO_MODULE = re.compile(r"No module named '(\w{1,80})'")
_UNDEFINED = re.compile(r"name '(\w{1,80})' is not defined")
_BINDS = r"(?:(?:async +)?(?:def|class) +NAME\b|NAME *(?::[^=]*)?=[^=]|.*\bimport\b.*\bNAME\b)"
#: Characters of a line that are looked at.
_LINE = 200


def weighed(nb: NotebookNode, findings: Iterable[Finding], result: Result) -> tuple[list[Finding], list[Finding]]:
    """Tell the repairs that may have cost points from those that did not.

    Args:
        nb: The notebook that was run.
        findings: What was noticed before it ran.
        result: What running it gave.

    Returns:
        What was noticed before it ran and while it ran; a repair whose exercise lost points is `Level.LOST`. At the end
        stand the names that answers missed although a cell defines them.
    """
    lost = _lost(nb, result)
    failed = [v for verdicts in lost.values() for v in verdicts]
    missed = any(v.error in MISSING for v in failed)

    def level(finding: Finding) -> Level:
        mine = finding.kind in _DECIDES | _LEAVES_OUT and finding.where in lost
        return Level.LOST if mine or (finding.kind in _LEAVES_OUT and missed) else finding.level

    before, there = ([_at(finding, level(finding)) for finding in some] for some in (findings, result.findings))
    noticed = [*before, *there]
    if not any(finding.kind in _LEAVES_OUT for finding in noticed):
        known = {finding.where for finding in noticed if finding.level is not Level.REPAIRED}
        there += [finding for finding in _undefined(nb, lost) if finding.where not in known]
    return before, [*there, *_without_library(lost)]


def library_missing(error: str, text: str) -> str:
    """Return the library that an import did not find, or an empty string.

    Args:
        error: Type name of the exception.
        text: What it says.
    """
    match = _NO_MODULE.search(text) if error == "ModuleNotFoundError" else None
    return match[1] if match else ""


def _at(finding: Finding, level: Level) -> Finding:
    return finding if finding.level is not Level.REPAIRED else replace(finding, level=level)


def _lost(nb: NotebookNode, result: Result) -> dict[str, list[Verdict]]:
    """Return for each answer that lost points the tests which it did not pass in full."""
    lost: dict[str, list[Verdict]] = {}
    answer = ""
    for cell in nb.cells:
        kind, name = kind_of(cell), grade_id(cell) or ""
        if kind is CellKind.ANSWER:
            answer = name
        elif kind is CellKind.TEST and (verdict := result.verdicts.get(name)) is not None:
            most = float(cell.metadata.nbgrader.points)
            if verdict.points(most) < most:
                lost.setdefault(answer, []).append(verdict)
    return lost


def _without_library(lost: dict[str, list[Verdict]]) -> Iterator[Finding]:
    """Yield a finding for each answer that imports, when it is called, what marking does not have."""
    for answer, verdicts in lost.items():
        for library in dict.fromkeys(library_missing(v.error, v.message) for v in verdicts):
            if library:
                text = f"The tests of {answer} ended where it imports {library}, which marking does not have."
                yield Finding("library-missing", answer, text, Level.LOST)


def _undefined(nb: NotebookNode, lost: dict[str, list[Verdict]]) -> Iterator[Finding]:
    """Yield a finding for each name that an answer missed and that some cell of code defines."""
    sources = [cell.source for cell in nb.cells if cell.cell_type == "code" and kind_of(cell) is not CellKind.TEST]
    for answer, verdicts in lost.items():
        said = (_UNDEFINED.search(v.message) for v in verdicts if v.error == "NameError")
        for name in dict.fromkeys(match[1] for match in said if match):
            if any(_defines(source, name) for source in sources):
                text = f"The tests of {answer} ended where {name} was missing, which a cell of the notebook defines."
                yield Finding("name-missing", answer, text, Level.LOST)


def _defines(source: str, name: str) -> bool:
    """Return whether a line of a cell reads as if it bound a name."""
    binds = _BINDS.replace("NAME", re.escape(name))
    lines = (line.strip()[:_LINE] for line in source.split("\n") if name in line) if name in source else ()
    return any(re.match(binds, line) for line in lines)
