"""Rules for exercises: heading, answer cell, hints, self-check, points."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.check_reading import (
    badly_marked,
    defined_in,
    listed,
    stub,
    visible,
)
from grader.authoring.check_tests import asserts_at_top
from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of, written_points
from grader.core.names import called_uncaught, names_of, tree_of
from grader.core.regions import Markers, solutions

_HEADING = re.compile(r"^### Exercise (\d+)\.(\d+) (?:-|–) (.+?) \((\d+) points?\)(.*)$", re.M)
_ANY_HEADING = re.compile(r"^#+ .*\bExercise\b.*$", re.M)
_SOLUTION_LINES = 15


def _sections(page: Page) -> Iterator[tuple[NotebookNode, list[NotebookNode]]]:
    """Return each exercise's heading cell with the cells up to the next heading of level 2 or 3."""
    current: tuple[NotebookNode, list[NotebookNode]] | None = None
    for cell in page.cells:
        heading = cell.cell_type == "markdown" and re.search(r"^###? ", cell.source, re.M)
        if heading:
            if current:
                yield current
            current = (cell, []) if _ANY_HEADING.search(cell.source) else None
        if current:
            current[1].append(cell)
    if current:
        yield current


@rule("exercise-heading", On.SOURCE, "Number, name and points of an exercise are read from its heading.")
def _heading(page: Page) -> Iterator[Finding]:
    number, expected = int(page.assignment[:2]), 0
    for cell in page.markdown:
        for line in _ANY_HEADING.findall(cell.source):
            expected += 1
            match = _HEADING.fullmatch(line)
            if not match or (int(match[1]), int(match[2])) != (number, expected):
                fix = f"write `### Exercise {number}.{expected} - what (N points)`"
                yield page.finding(cell, f"the heading `{line}` has another form or number", fix)


@rule("exercise-place", On.SOURCE, "Each exercise is one heading with one answer cell and its tests below it.")
def _place(page: Page) -> Iterator[Finding]:
    placed: set[str] = set()
    for heading, cells in _sections(page):
        answers = [c for c in cells if kind_of(c) is CellKind.ANSWER]
        placed |= {name for c in answers if (name := grade_id(c))}
        if len(answers) != 1:
            yield page.finding(
                heading, f"{len(answers)} answer cells below this heading", "one heading, one answer cell"
            )
    for cell in page.of(CellKind.ANSWER):
        if grade_id(cell) not in placed:
            yield page.finding(cell, "is not below an exercise's heading", "add `### Exercise N.M - what (N points)`")


@rule("heading-points", On.SOURCE, "The points that a student reads are those that the tests give.")
def _heading_points(page: Page) -> Iterator[Finding]:
    for heading, cells in _sections(page):
        match = _HEADING.search(heading.source)
        total = sum(c.metadata.nbgrader.get("points") or 0 for c in cells if kind_of(c) is CellKind.TEST)
        if match and int(match[4]) != total:
            yield page.finding(heading, f"says {match[4]} points, its tests give {total}", "make them agree")
    written = sum(written_points(page.nb).values())
    for cell in page.markdown:
        said = re.search(r"^## .*\b[Ww]rit\w+.*\((\d+) points?\)", cell.source, re.M)
        if said and int(said[1]) != written:
            yield page.finding(cell, f"says {said[1]} points, the written answer has {written}", "make them agree")


@rule("exercise-tests", On.SOURCE, "Two to four grade cells by behaviour: part of an answer earns part of the points.")
def _tests(page: Page) -> Iterator[Finding]:
    for exercise in page.exercises:
        if not 2 <= len(exercise.tests) <= 4:
            cell = page.by_id.get(exercise.name)
            yield page.finding(cell, f"{len(exercise.tests)} test cells", "have two to four, one for each behaviour")


@rule(
    "exercise-visible-hidden",
    On.SOURCE,
    "A student sees what is tested; hidden tests keep an answer general.",
    guards=True,
)
def _visible_hidden(page: Page) -> Iterator[Finding]:
    for exercise in page.exercises:
        cell, sources = page.by_id.get(exercise.name), [source for _, _, source in exercise.tests]
        if sources and not any(asserts_at_top(visible(s)) for s in sources):
            yield page.finding(cell, "no test that students see", "leave an assert outside the hidden regions")
    for cell in page.of(CellKind.TEST):
        if cell.source == visible(cell.source):  # of each cell, since both its markers may have been lost
            yield page.finding(cell, "no hidden test", "put other sizes and seeds between the hidden markers")


@rule("exercise-effort", On.SOURCE, "Students plan their time by difficulty and minutes.")
def _effort(page: Page) -> Iterator[Finding]:
    for heading, _ in _sections(page):
        if not re.search(r"Difficulty \d/5\b.*\b\d+ min", heading.source):
            fix = "write `Difficulty 2/5 · about 10 minutes` below the heading"
            yield page.finding(heading, "no line with difficulty and minutes", fix)


@rule("exercise-hints", On.SOURCE, "Help comes in steps: a question that leads on, the idea, then the call.")
def _hints(page: Page) -> Iterator[Finding]:
    steps = (1, 2, 3) if page.framed else (1, 2)
    for heading, cells in _sections(page):
        text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
        summaries = re.findall(r"<summary>(.*?)</summary>", text, re.S)
        missing = [f"Hint {n}" for n in steps if not any(re.search(rf"\bHint {n}\b", s) for s in summaries)]
        if missing:
            fix = "add it as `<details><summary>Hint 1 (a question)</summary>`; 2 is the idea, 3 the call"
            yield page.finding(heading, f"{' and '.join(missing)} missing", fix)


@rule("exercise-self-check", On.SOURCE, "Colab has no Validate button: a plain cell shows whether an answer is right.")
def _self_check(page: Page) -> Iterator[Finding]:
    checked: set[str] = set()
    answers = page.answer_names
    known = defined_in(page.of(*LOCKED_KINDS)) | answers
    for cell, exercise in page.after_answers():
        if kind_of(cell) is not CellKind.SELF_CHECK:
            continue
        last = tree_of(cell.source).body[-1:]
        if not last or not ast.unparse(last[0]).startswith("check_"):
            yield page.finding(cell, "does not end in a self-check", "write `check_softmax(softmax)` as its last line")
        elif called := called_uncaught(cell.source) & answers:
            fix = "hand it to a helper that catches NotImplementedError"
            yield page.finding(cell, f"calls {listed(called)}, which the release does not have yet", fix)
        elif missing := names_of(cell.source).free - known:
            yield page.finding(cell, f"needs {listed(missing)}", "include the helper that defines it")
        if exercise:
            checked.add(exercise.name)
    for exercise in page.exercises:
        if exercise.name not in checked:
            answer = page.by_id.get(exercise.name)
            yield page.finding(answer, "no self-check follows it", "add a cell tagged self-check")


@rule("solution-regions", On.SOURCE, "nbgrader takes solutions out of the release by these markers.", guards=True)
def _solution_regions(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        markers = solutions()
        found = markers.regions(cell.source)
        kind, pair = kind_of(cell), "`{}` with `{}`".format(*markers.written)
        if badly_marked(markers, cell.source):
            yield page.finding(cell, "the markers are not balanced or not written exactly so", f"pair {pair}")
        elif found and kind not in (CellKind.ANSWER, CellKind.WRITTEN):
            yield page.finding(cell, "a solution outside an answer cell", "remove the markers or mark the cell")
        elif kind is CellKind.ANSWER:
            functions = [n for n in tree_of(cell.source).body if isinstance(n, ast.FunctionDef)]
            if len(found) != max(1, len(functions)):
                what = f"{len(found)} solution regions for {len(functions)} functions"
                yield page.finding(cell, what, f"enclose the body of each in {pair}")
            elif bare := list(_outside(markers, cell.source, functions)):
                what = f"code that students get: `{ast.unparse(bare[0]).splitlines()[0][:60]}`"
                yield page.finding(cell, what, "leave outside the markers only `def` and docstring of each function")


def _outside(markers: Markers, source: str, functions: list[ast.FunctionDef]) -> Iterator[ast.stmt]:
    """Yield the statements of an answer cell's functions, and beside them, that no region holds."""
    inside = markers.numbers(source)
    beside = [n for n in tree_of(source).body if n not in functions] if functions else []
    for node in [*beside, *(statement for function in functions for statement in function.body)]:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if node.lineno not in inside and not is_text:
            yield node


@rule("solution-length", On.SOURCE, f"More than {_SOLUTION_LINES} lines are two exercises.")
def _solution_length(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.ANSWER):
        for region in solutions().regions(cell.source):
            lines = sum(bool(line.strip()) for line in region)
            if lines > _SOLUTION_LINES:
                fix = "shorten the solution, give a part of it, or split the exercise"
                yield page.finding(cell, f"a solution of {lines} lines", fix)


# (B, T), (T,), (..., S, D/H), (B,1,S), (B, 3U) - but not (A) or (NumPy).
_SIZE = r"(?:\.\.\.|[0-9]*[A-Z][a-z]?(?:[/+*]\w+)?|vocab_size|[a-z]+_[a-z]+|[0-9]+)"
_SHAPE = re.compile(rf"\((?=[^)]*(?:[A-Z]|\d|\.\.\.))(?:{_SIZE},|{_SIZE}(?:, ?{_SIZE})+,?)\)")


@rule("answer-docstring", On.SOURCE, "The docstring stays in the release and must be enough to solve the exercise.")
def _answer_docstring(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.ANSWER):
        for node in tree_of(stub(cell.source)).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            parameters += [a.arg for a in (node.args.vararg, node.args.kwarg) if a]
            if not text:
                what = f"{node.name} has no docstring outside the solution"
                yield page.finding(cell, what, "describe it above the solution's first marker")
                continue
            missing = [s for s in ("Args:", "Returns:") if s not in text and (s != "Args:" or parameters)]
            missing += [f"`{p}`" for p in parameters if not re.search(rf"^\s*[*]*{p}(?: \(.*\))?:", text, re.M)]
            if missing:
                what = f"the docstring of {node.name} lacks {', '.join(missing)}"
                yield page.finding(cell, what, "describe every argument and what is returned, Google style")


# A shape in backticks, or a word that says what it is.
_SAID = re.compile(r"`[^`\n]*\([^`\n]*\)[^`\n]*`|\b(?:any|same) shape\b|\bshape of `")


@rule("docstring-shapes", On.SOURCE, "Shapes are the contract of an array; in backticks they are found at a glance.")
def _docstring_shapes(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.ANSWER, CellKind.GIVEN, CellKind.STUDENT_SIDE):
        for node in ast.walk(tree_of(stub(cell.source))):
            if not isinstance(node, ast.FunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            # An example is code, and its output may hold anything in parentheses.
            text = re.split(r"^Examples?:", text, flags=re.M)[0]
            bare = _SHAPE.search(re.sub(r"(`+).*?\1", "", text, flags=re.S))
            if bare:
                yield page.finding(cell, f"the shape {bare[0]} in the docstring of {node.name}", "put it in backticks")
            elif re.search(r"\barrays?\b", text, re.I) and not re.search(_SAID, text):
                what = f"the docstring of {node.name} mentions arrays without a shape"
                yield page.finding(cell, what, "write it as `(B, T, D)`")


@rule("answer-names", On.SOURCE, "A solution may need only what is there when a submission is graded.")
def _answer_names(page: Page) -> Iterator[Finding]:
    locked = defined_in(page.of(*(set(LOCKED_KINDS) - {CellKind.STUDENT_SIDE})))
    for cell in page.of(CellKind.ANSWER):
        missing = names_of(cell.source).free - locked
        if missing:
            what = f"needs {listed(missing)}, which neither set-up, helpers nor given cells define"
            yield page.finding(
                cell, what, "use the library or a given_ function; exercises do not depend on each other"
            )


@rule("written-answer", On.SOURCE, "One answer in words, marked by a person along a rubric.")
def _written(page: Page) -> Iterator[Finding]:
    cells = page.of(CellKind.WRITTEN)
    if len(cells) != 1:
        yield page.finding(None, f"{len(cells)} written answers", "have exactly one, `grade_id` written_<topic>")
    for cell in cells:
        if cell.cell_type != "markdown":
            yield page.finding(cell, "a written answer in a code cell", "make it a markdown cell")
        if "rubric" not in cell.source.lower():
            yield page.finding(cell, "no rubric", "say in the source what earns each point, below the word Rubric")


@rule("hidden-rubric", On.SOURCE, "What earns the points of a written answer is for those who mark it.", guards=True)
def _hidden_rubric(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.WRITTEN):
        if solutions().regions(cell.source) and "rubric" in stub(cell.source).lower():
            yield page.finding(cell, "the rubric is outside the solution", "move it between the markers")


@rule("facts-line", On.SOURCE, "The first cell says what a student will meet: minutes, exercises, points.")
def _facts(page: Page) -> Iterator[Finding]:
    if not page.cells:
        return
    text, cell = page.cells[0].source, page.cells[0]
    code = sum(e.points for e in page.exercises)
    total = code + sum(written_points(page.nb).values())
    minutes = re.search(r"\b\d+(?:\s*(?:-|–|to)\s*\d+)? min", text)
    counted = re.search(r"\b(\d+) (?:\w+ )?exercises?\b", text)
    points = re.search(r"\b(\d+) points?\b", text)
    if not (minutes and counted and points):
        fix = "write them as `75 minutes · 4 exercises · 12 points`"
        yield page.finding(cell, "no line with minutes, exercises and points", fix)
        return
    if int(counted[1]) != len(page.exercises):
        yield page.finding(cell, f"says {counted[1]} exercises, there are {len(page.exercises)}", "correct the number")
    # Either all points, or those of the tests with the written answer's beside them.
    written = total - code
    beside = re.search(rf"\b{written}\b[^\n]{{0,20}}written answer|written answer[^\n]{{0,6}}\b{written}\b", text)
    if int(points[1]) != (code if beside else total):
        what = f"says {points[1]} points, there are {total} ({code} by tests, {total - code} written)"
        yield page.finding(cell, what, "correct the number: it is the sum of all grade cells")
