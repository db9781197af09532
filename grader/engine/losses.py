"""Which repairs may have cost points: what was noticed, beside the tests that an answer did not pass.

A repair is made so that nothing is lost, and nobody looks at it. Where the repaired exercise loses points all the same,
the repair may be why: another copy of the answer counted, or a helper did not come along. Then a person should look.
Nothing of a student's is parsed here, where time and memory have no limit.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.core.regions import hidden_tests
from grader.engine.result import Result, Verdict
from grader.submissions.file_names import printable, quoted

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
#: What says that a module lacks something: `math.sumprod`, or `from itertools import batched`.
_NOT_IN = re.compile(r"module '(?P<module>[\w.]{1,80})' has no attribute '(?P<name>\w{1,80})'")
_NOT_FROM = re.compile(r"cannot import name '(?P<name>\w{1,80})' from '(?P<module>[\w.]{1,80})'")
_UNDEFINED = re.compile(r"name '(\w{1,80})' is not defined")
_BINDS = r"(?:async +)?(?:def|class) +NAME\b|NAME *(?::[^=]*)?=[^=]"
_IMPORT = re.compile(r"\bimport\b")
_NOT_CALLABLE = re.compile(r"object is not callable")
_FUNCTION = re.compile(r"^(?:async +)?def +(\w{1,80})", re.M)
#: How a line begins that gives names to something by `=`, or as a loop's variables. Blanks come one at a time here.
_ASSIGNS = re.compile(r"\(?((?:[\w.]+ ?[=,] ?)*[\w.]+)(?: ?,)? ?\)? ?(?::[^=]*)?=(?!=)(?! ?lambda\b)")
_LOOPS = re.compile(r"(?:async )?for\b((?:(?! in\b)[^=])*) in\b")
_IMPORTS, _AS = re.compile(r"import (\w+)"), re.compile(r"\bas (\w+)")
_BLANKS, _NAME = re.compile(r"\s+"), re.compile(r"(?<![\w.])[^\W\d]\w*(?![\w.])")
#: What begins a block in which a name is another one.
_WORD = re.compile(r"\w+")
_OWN_SCOPE = re.compile(r"(?:async +)?def\b|class\b")
_BEFORE_A_NAME = ("for ", "async ", "with ", "from ", "import ")
#: Characters of a line that are looked at, and that are shown; most lines, and most names for each answer.
_LINE, _SHOWN, _MOST_LINES, _MOST_NAMES = 200, 60, 2_000, 20
#: Most lines of a notebook that are named for giving a function's name to something else. Nobody reads more.
_MOST_REBOUND = 100


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
        there += [
            one for one in (*_undefined(nb, lost), *islice(_rebound(nb, lost), _MOST_REBOUND)) if one.where not in known
        ]
    return before, [*there, *_without_library(lost), *_of_another_python(lost)]


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


def _of_another_python(lost: dict[str, list[Verdict]]) -> Iterator[Finding]:
    """Yield a finding for each answer that uses what a module of Python does not have here; Colab's may have it."""
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    for answer, verdicts in lost.items():
        said = (_NOT_IN.search(v.message) or _NOT_FROM.search(v.message) for v in verdicts)
        missing = ((match["module"], match["name"]) for match in said if match)
        for module, name in dict.fromkeys(missing):
            if module.split(".")[0] in sys.stdlib_module_names:
                text = (
                    f"The tests of {answer} ended where it uses {module}.{name}, which Python {ours} does not have: if "
                    "a newer Python has it, mark with that."
                )
                yield Finding("not-in-python", answer, text, Level.LOST)


def _undefined(nb: NotebookNode, lost: dict[str, list[Verdict]]) -> Iterator[Finding]:
    """Yield a finding for each name that an answer missed and that some cell of code defines."""
    cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    for answer, verdicts in lost.items():
        said = (_UNDEFINED.search(v.message) for v in verdicts if v.error == "NameError")
        for name in dict.fromkeys(match[1] for match in said if match):
            if any(_defines(_on_screen(cell), name) for cell in cells if name in cell.source):
                text = f"The tests of {answer} ended where {name} was missing, which a cell of the notebook defines."
                yield Finding("name-missing", answer, text, Level.LOST)


def _on_screen(cell: NotebookNode) -> str:
    """Return what of a cell an answer may rely on: of a visible test, its imports, functions and classes.

    These are there on the student's screen, but not in marking. A test's variables are called as students call theirs,
    so that one of those is missing says nothing.
    """
    if kind_of(cell) is not CellKind.TEST:
        return str(cell.source)
    lines = hidden_tests().without(cell.source).split("\n")
    return "\n".join(line for line in lines if line.startswith(("import ", "from ", "def ", "class ")))


def _defines(source: str, name: str) -> bool:
    """Return whether a line of a cell reads as if it bound a name."""
    binds = _BINDS.replace("NAME", re.escape(name))
    lines = (line.strip()[:_LINE] for line in source.split("\n") if name in line) if name in source else ()
    return any(re.match(binds, line) or name in _imported(line) for line in lines)


def _imported(line: str) -> list[str]:
    """Return the words behind the first `import` of a line."""
    match = _IMPORT.search(line)
    return _WORD.findall(line, match.end()) if match else []


def _rebound(nb: NotebookNode, lost: dict[str, list[Verdict]]) -> Iterator[Finding]:
    """Yield a finding for each answer that needs a function whose name a line of the student's gives to a result."""
    lost = {k: v for k, v in lost.items() if any(x.error == "TypeError" and _NOT_CALLABLE.search(x.message) for x in v)}
    if not lost:
        return
    cells = [cell for cell in nb.cells if cell.cell_type == "code" and kind_of(cell) is not CellKind.TEST]
    functions = {name for cell in cells for name in _FUNCTION.findall(cell.source)}
    lines = list(islice(_that_may_give(cells), _MOST_LINES))
    for answer in lost:
        source = next(cell.source for cell in cells if grade_id(cell) == answer)
        names = sorted(functions.intersection(_WORD.findall(source)), key=lambda name: (name != answer, name))
        for name in names[:_MOST_NAMES]:
            for line in _giving(lines, name):
                yield Finding("name-rebound", answer, _said(answer, name, line), Level.LOST)


@dataclass(frozen=True)
class _Line:
    """The beginning of a line of the student's.

    Args:
        text: The text.
        cell: The number of its cell.
        above: The last answer from there on upwards.
        own: Whether it stands in that answer's cell.
        gives: The names that it reads as if it gave to something else than a function.
    """

    text: str
    cell: int
    above: str
    own: bool
    gives: frozenset[str]


def _given(line: str) -> frozenset[str]:
    """Return the names that a line reads as if it gave to something else than a function; in one pass over it."""
    line = _BLANKS.sub(" ", line)
    names = set[str]()
    if match := _ASSIGNS.match(line) or _LOOPS.match(line):
        names.update(_NAME.findall(match[1]))
    elif line.startswith(("with ", "from ", "import ", "async with ")):
        names.update(_AS.findall(line), *(m.groups() for m in [_IMPORTS.match(line)] if m))
    return frozenset(names)


def _giving(lines: Iterable[_Line], name: str) -> Iterator[_Line]:
    """Yield the first line of each cell that gives a name to something else than a function."""
    met = set[int]()
    for line in lines:
        if line.cell not in met and name in line.gives:
            met.add(line.cell)
            yield line


def _that_may_give(cells: Iterable[NotebookNode]) -> Iterator[_Line]:
    """Yield the lines outside of functions that may give a name to something."""
    above = ""
    for number, cell in enumerate(cells):
        own, inside = kind_of(cell) is CellKind.ANSWER, False
        above = grade_id(cell) or "" if own else above
        for line in cell.source.split("\n"):
            if line[:1].strip():
                inside = _OWN_SCOPE.match(line[:_LINE]) is not None
            line = line.strip()[:_LINE].rstrip("=")  # cut in two, a comparison would look like `=`
            if not inside and ("=" in line or line.startswith(_BEFORE_A_NAME)):
                yield _Line(line, number, above, own, _given(line))


def _said(answer: str, name: str, line: _Line) -> str:
    """Return what is said of a line that gives a function's name to something else.

    Args:
        answer: The answer that lost points.
        name: The function's name.
        line: The line.
    """
    shown, above = quoted(printable(line.text[:_SHOWN])), line.above
    if line.own:
        return (
            f"The tests of {answer} ended where something was called that is no function. In the cell of {above}, "
            f"the line {shown} gives the name of the function {name} to something else: give that another name."
        )
    if above:
        return (
            f"The tests of {answer} ended where something was called that is no function. In a cell below that of "
            f"{above}, the line {shown} gives the name of the function {name} to something else: give that another "
            "name."
        )
    return (
        f"The tests of {answer} ended where something was called that is no function. In a cell above all answers, "
        f"the line {shown} gives the name of the function {name} to something else: give that another name."
    )
