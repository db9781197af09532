"""Rules for code cells: their kind, order, names and length."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.check_reading import defined_in, imported_in, listed, stub, visible
from grader.authoring.frame import without_title
from grader.authoring.sync import helper_cell_source, helper_imports, included_helper
from grader.core.cells import LOCKED_KINDS, SKIPPED_KINDS, CellKind, grade_id, kind_of
from grader.core.errors import GraderError
from grader.core.names import called_uncaught, imported_modules, names_of, tree_of

_CODE_LINES = 25
#: Characters of a line of code that a student sees, as for the project's own files.
_LINE_CHARACTERS = 120
_TAGS = {k.value for k in (*LOCKED_KINDS, *SKIPPED_KINDS)}
_OTHER_TAGS = {"nbval-ignore-output", "nbval-skip", "raises-exception", "figure", "instructor"}


@rule("plain-python", On.BOTH, "The grader reads cells as Python; magics and shell lines differ between front ends.")
def _plain(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        try:
            ast.parse(cell.source)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            yield page.finding(cell, f"line {line} is not Python", "write plain Python, without % and ! lines")


@rule("cell-kind", On.SOURCE, "Grading runs or skips a cell by its kind, so each has exactly one.", guards=True)
def _kind(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        marks, tags = cell.metadata.get("nbgrader", {}), set(cell.metadata.get("tags", []))
        if cell.cell_type == "raw":
            yield page.finding(cell, "is a raw cell", "make it markdown or code")
            continue
        kinds = sorted(tags & _TAGS)
        if marks.get("grade"):
            kinds.append("written" if marks.get("solution") else "test")
        elif marks.get("solution"):
            kinds.append("answer")
        if len(kinds) > 1:
            yield page.finding(cell, f"is {' and '.join(kinds)} at once", "leave one of these marks")
        elif cell.cell_type == "code" and not kinds:
            fix = "tag it demonstration, or as CONTRIBUTING.md lists the kinds"
            yield page.finding(cell, "is of no kind", fix)
        elif cell.cell_type == "markdown" and kinds not in ([], ["written"]):
            yield page.finding(cell, f"is text marked as {kinds[0]}", "remove the mark")


@rule("known-tags", On.SOURCE, "A misspelt tag is silently no tag.")
def _tags(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        unknown = set(cell.metadata.get("tags", [])) - _TAGS - _OTHER_TAGS
        if unknown:
            yield page.finding(cell, f"unknown tag {listed(unknown)}", f"use one of {listed(_TAGS | _OTHER_TAGS)}")


@rule("nbgrader-marks", On.SOURCE, "nbgrader keeps a cell safe from changes only if its metadata are complete.")
def _marks(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        kind, marks = kind_of(cell), cell.metadata.get("nbgrader")
        if kind in (CellKind.TEXT, CellKind.FREE, *SKIPPED_KINDS):
            if marks is not None:
                yield page.finding(cell, "has nbgrader metadata that its kind does not have", "remove them")
            continue
        free = kind in (CellKind.ANSWER, CellKind.WRITTEN)
        expected = {"schema_version": 3, "locked": not free, "task": False}
        wrong = [k for k, v in expected.items() if (marks or {}).get(k) != v]
        if wrong or not (marks or {}).get("grade_id"):
            what = f"nbgrader metadata wrong or missing: {', '.join(wrong) or 'grade_id'}"
            yield page.finding(cell, what, "run `grader sync`, which completes them")


@rule("grade-id", On.SOURCE, "Gradebooks, tests and reports find a cell by its id, which names what it is.")
def _grade_id(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        name, kind = grade_id(cell), kind_of(cell)
        if name is None:
            continue
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
            yield page.finding(cell, f"grade_id {name!r} is not snake_case", "use lower case letters and _")
            continue
        functions = [n.name for n in tree_of(cell.source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
        first = functions[0] if functions else None
        if kind is CellKind.GIVEN and not functions:  # a given table or constant
            first = next(iter(sorted(n for n in names_of(cell.source).bound if n.startswith("given_"))), "given_...")
        expected = {
            CellKind.SETUP: "setup",
            CellKind.HELPERS: f"helpers_{Path(included_helper(cell) or '?').stem}",
            CellKind.ANSWER: first or "the function that it defines",
            CellKind.GIVEN: first,
            CellKind.STUDENT_SIDE: first or "the function that it defines",
        }.get(kind, name)
        prefix = {CellKind.TEST: "test_", CellKind.WRITTEN: "written_", CellKind.GIVEN: "given_"}.get(kind, "")
        if name != expected:
            yield page.finding(cell, f"grade_id {name!r} should be {expected!r}", "rename it, before it is released")
        elif not name.startswith(prefix):
            yield page.finding(
                cell, f"grade_id {name!r} does not begin with {prefix}", "rename it, before it is released"
            )


@rule("cell-id", On.SOURCE, "With the cell's own id the same, an answer is found again when its metadata are lost.")
def _cell_id(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        if grade_id(cell) and cell.get("id") != grade_id(cell):
            yield page.finding(cell, f"has the id {cell.get('id')!r}", "run `grader sync`, which sets it")


@rule("setup-first", On.SOURCE, "TensorFlow's first words, imports and helpers come before all else.")
def _setup(page: Page) -> Iterator[Finding]:
    kinds = [kind_of(c) for c in page.code]
    if kinds.count(CellKind.SETUP) != 1 or kinds[0] is not CellKind.SETUP:
        fix = "have one cell tagged setup, before all other code"
        yield page.finding(None, "the first code cell is not the only set-up cell", fix)
    begun = False
    for cell, kind in zip(page.code, kinds, strict=True):
        if kind is CellKind.HELPERS and begun:
            yield page.finding(cell, "a helper cell after other code", "move it directly below the set-up")
        begun = begun or kind not in (CellKind.SETUP, CellKind.HELPERS)


def _helper(page: Page, cell: NotebookNode) -> tuple[str, str | None]:
    """Return the name of a helper cell's file and its source, None if there is no such file."""
    name = included_helper(cell) or ""
    path = page.course.helpers / name
    return name, path.read_text(encoding="utf-8") if name and path.is_file() else None


@rule("helper-sync", On.SOURCE, "Helper code is kept once, in assets/helpers; a change in a notebook would be lost.")
def _helper_sync(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        if kind_of(cell) is not CellKind.HELPERS and included_helper(cell) is None:
            continue
        name, source = _helper(page, cell)
        if source is None:
            known = ", ".join(sorted(p.name for p in page.course.helpers.glob("*.py")))
            yield page.finding(cell, f"there is no helper {name!r}", f"name one of: {known}")
            continue
        try:
            current = helper_cell_source(name, page.course.helpers)
        except GraderError:
            continue
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden") and cell.metadata.get("cellView") == "form"
        if cell.source != current:
            yield page.finding(cell, f"differs from assets/helpers/{name}", "edit the file, then run `grader sync`")
        elif not hidden or cell.metadata.get("tags") != [CellKind.HELPERS.value]:
            yield page.finding(cell, "is not collapsed or not tagged helpers only", "run `grader sync`")


@rule("helper-order", On.SOURCE, "`grader sync` drops imports between helpers: the other cell has to come first.")
def _helper_order(page: Page) -> Iterator[Finding]:
    before: set[str] = set()
    for cell in page.of(CellKind.HELPERS):
        name, source = _helper(page, cell)
        missing = [n for n in helper_imports(source or "") if n not in before]
        if missing:
            yield page.finding(cell, f"needs the cell of {listed(missing)} before it", "put it between set-up and here")
        if name in before:
            yield page.finding(cell, f"{name} is there twice", "remove one")
        before.add(name)


@rule("helper-used", On.SOURCE, "Every helper makes the file longer; one that nothing uses only does that.")
def _helper_used(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.HELPERS):
        names = names_of(cell.source)
        used = frozenset().union(*(names_of(c.source).free for c in page.code if c is not cell))
        if names.bound and not (names.bound - names.imported) & used:
            yield page.finding(cell, "no cell uses a name of this helper", "leave it out")


@rule("helper-names", On.SOURCE, "In the notebook helpers share one namespace: the later of two equal names wins.")
def _helper_names(page: Page) -> Iterator[Finding]:
    owner: dict[str, str] = {}
    for cell in page.of(CellKind.HELPERS):
        name, names = included_helper(cell) or "?", names_of(cell.source)
        again = {n for n in names.bound - names.imported if owner.setdefault(n, name) != name}
        if again:
            others = listed({owner[n] for n in again})
            yield page.finding(cell, f"defines {listed(again)}, as {others} does", f"rename it in {name}")


@rule("given-names", On.SOURCE, "A given cell runs when grading, demonstrations do not.")
def _given(page: Page) -> Iterator[Finding]:
    known: frozenset[str] = frozenset()
    for cell, exercise in page.after_answers():
        kind, names = kind_of(cell), names_of(cell.source)
        if kind not in LOCKED_KINDS:
            continue
        own = frozenset(exercise.functions) if kind is CellKind.STUDENT_SIDE and exercise else frozenset()
        missing = names.free - known - own
        if kind in (CellKind.GIVEN, CellKind.STUDENT_SIDE) and missing:
            yield page.finding(cell, f"needs {listed(missing)}", "define it in the cell, or in a given cell before it")
        if kind is not CellKind.STUDENT_SIDE:
            known |= names.bound
        if kind is CellKind.GIVEN:
            other = {n for n in names.bound - names.imported if n[:6] != "given_"}
            if other:
                fix = "begin every name with given_, so that nothing a student writes can replace it"
                yield page.finding(cell, f"defines {listed(other)}", fix)


@rule("student-side", On.SOURCE, "A test reaches through this cell what plain data cannot show of a student's answer.")
def _student_side(page: Page) -> Iterator[Finding]:
    for cell, exercise in page.after_answers():
        if kind_of(cell) is not CellKind.STUDENT_SIDE:
            continue
        if exercise is None:
            yield page.finding(cell, "comes before the first answer cell", "move it below the answer that it calls")
        elif not names_of(cell.source).free & set(exercise.functions):
            what = f"uses none of {', '.join(exercise.functions)}, the answer before it"
            yield page.finding(cell, what, "call the answer, or tag the cell given")


@rule("demonstration-names", On.SOURCE, "Demonstrations run on the untouched release, where no answer is written yet.")
def _demonstration(page: Page) -> Iterator[Finding]:
    answers = page.answer_names
    known: frozenset[str] = frozenset()
    for cell in page.code:
        kind, names = kind_of(cell), names_of(cell.source)
        if kind is CellKind.DEMONSTRATION:
            called = called_uncaught(cell.source) & answers
            missing = names.free - known - answers
            if called:
                fix = "hand it to a helper that catches NotImplementedError, or use the library"
                yield page.finding(cell, f"calls {listed(called)}, which the release does not have yet", fix)
            if missing:
                yield page.finding(cell, f"needs {listed(missing)}", "define it here or in a demonstration before")
        if kind is CellKind.DEMONSTRATION or kind in LOCKED_KINDS:
            known |= names.bound


@rule("no-rebinding", On.SOURCE, "A name of set-up, helper, given or answer cells means one thing all through.")
def _rebinding(page: Page) -> Iterator[Finding]:
    machinery, meant = page.of(CellKind.SETUP, CellKind.HELPERS), imported_in(page.of(*LOCKED_KINDS))
    fixed = defined_in(page.of(*LOCKED_KINDS)) | page.answer_names
    for cell in page.of(*SKIPPED_KINDS, CellKind.TEST):
        own = imported_in([cell])
        among = defined_in(machinery) if kind_of(cell) is CellKind.TEST else fixed  # `test-no-replacing` has the rest
        again = {n for n in names_of(cell.source).bound & among if n not in own or own[n] != meant.get(n)}
        if again:
            yield page.finding(cell, f"defines {listed(again)} anew", "choose another name")


def _last_line(node: ast.stmt | ast.expr) -> int:
    """Return the line a node ends on, which the parser knows of everything that it has read."""
    return node.end_lineno or node.lineno


def _length(source: str) -> int:
    """Count the lines of code: no docstrings, no blank lines, no lines that hold only an assertion's message."""
    without: set[int] = set()
    for node in ast.walk(tree_of(source)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            without |= set(range(first.lineno, _last_line(first) + 1))
        if isinstance(node, ast.Assert) and node.msg:  # prose too: it shall not be squeezed into one long line
            without |= set(range(max(node.msg.lineno, _last_line(node.test) + 1), _last_line(node) + 1))
    lines = enumerate(source.split("\n"), start=1)
    return sum(bool(text.strip()) for number, text in lines if number not in without)


@rule("code-length", On.SOURCE, f"One idea a cell: what needs more than {_CODE_LINES} lines is read, not played with.")
def _code_length(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.SETUP, CellKind.ANSWER, CellKind.TEST, *SKIPPED_KINDS):
        lines = _length(without_title(visible(stub(cell.source))))
        if lines > _CODE_LINES:
            fix = f"split it or use a helper ({_CODE_LINES} at most, without docstrings, messages and blank lines)"
            yield page.finding(cell, f"{lines} lines of code", fix)


@rule("line-length", On.SOURCE, "A longer line of code scrolls sideways, and its message is not read.")
def _line_length(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        longest = max(map(len, visible(stub(cell.source)).split("\n")))
        if longest > _LINE_CHARACTERS:
            fix = f"wrap it at {_LINE_CHARACTERS}, an assertion's message on lines of its own"
            yield page.finding(cell, f"a line of {longest} characters", fix)


_MAGIC = re.compile(r"^\s*[!%].*$", re.M)
_SHELL = re.compile(r"^\s*.*\b(?:os\.system|subprocess\.\w+)\(.*$", re.M)
_FETCH = re.compile(
    r"\b(?:pip3? install|conda install|apt(?:-get)? install|wget |curl |git clone|get_file\(|urlretrieve|urlopen"
    r"|load_data\(|from_pretrained\()"
)
_FETCHERS = {"requests", "urllib", "httpx", "gdown", "wget", "pip", "tensorflow_datasets", "huggingface_hub"}


@rule("no-download", On.SOURCE, "A notebook is one file that works without network.")
def _download(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        # In a cell that is Python, a line that begins with % is the rest of an expression or of a text.
        patterns = (_SHELL, _FETCH) if tree_of(cell.source).body else (_MAGIC, _SHELL, _FETCH)
        found = [m[0].strip()[:60] for p in patterns for m in p.finditer(cell.source)]
        for node in ast.walk(tree_of(cell.source)):
            found += [f"import {m}" for m in imported_modules(node) if m.split(".")[0] in _FETCHERS]
        if found:
            yield page.finding(cell, f"installs or fetches: `{found[0]}`", "generate the data in the notebook")


@rule("seeded", On.SOURCE, "A run that differs from the last cannot be compared with it, nor a mark with another.")
def _seeded(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        for node in ast.walk(tree_of(cell.source)):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            unseeded = name.endswith("default_rng") and not node.args and not node.keywords
            shared = re.fullmatch(r"(?:np|numpy)\.random\.[a-z]\w*", name) and not name.endswith("default_rng")
            if unseeded or shared:
                yield page.finding(cell, f"`{name}()` has no seed of its own", "use np.random.default_rng(seed)")
                break


@rule("figure-helper", On.SOURCE, "Only `show(figure, alt)` gives a figure the text that a blind reader gets.")
def _figures(page: Page) -> Iterator[Finding]:
    for cell in page.of(*(set(CellKind) - {CellKind.HELPERS})):
        if cell.cell_type == "code" and re.search(r"\b(?:plt|pyplot)\.show\(|\b\w+\.show\(\)", cell.source):
            yield page.finding(cell, "shows a figure without alternative text", "call show(figure, alt) of plots.py")
