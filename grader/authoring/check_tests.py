"""Rules for grade cells: what nbgrader turns into points by mistake must not happen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.check_reading import badly_marked, defined_in, listed, visible
from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.names import names_of, tree_of
from grader.core.regions import hidden_tests


def _always(node: ast.stmt) -> Iterator[ast.stmt]:
    """Go through the statements that run whenever the cell runs."""
    yield node
    inner: list[ast.stmt] = []
    if isinstance(node, (ast.With, ast.For)):
        inner = node.body
    elif isinstance(node, ast.If) and not isinstance(node.test, ast.Constant):
        inner = node.body + node.orelse
    elif isinstance(node, ast.Try):
        inner = node.orelse + node.finalbody
    for statement in inner:
        yield from _always(statement)


def asserts_at_top(source: str) -> list[ast.stmt]:
    """List the statements at a cell's top level that can fail a student's answer."""

    def fails(node: ast.stmt) -> bool:
        if isinstance(node, ast.Assert):
            return True
        return isinstance(node, ast.Raise) and "AssertionError" in ast.dump(node)

    return [n for statement in tree_of(source).body for n in _always(statement) if fails(n)]


def all_asserts(source: str) -> list[ast.Assert]:
    """List all asserts of a cell."""
    return [n for n in ast.walk(tree_of(source)) if isinstance(n, ast.Assert)]


@rule("test-asserts", On.SOURCE, "A grade cell that raises nothing at top level gives full points to everybody.")
def _asserts(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        if not asserts_at_top(cell.source):
            what = "no assert at top level (those inside def, class, try or `if False` do not count)"
            yield page.finding(cell, what, "write `assert condition, message` as a statement of the cell")


@rule("test-can-fail", On.SOURCE, "An assert on a constant or on a pair in parentheses is always true.")
def _can_fail(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        for node in all_asserts(cell.source):
            if isinstance(node.test, (ast.Constant, ast.Tuple)):
                what = f"`{ast.unparse(node)[:60]}` cannot fail"
                yield page.finding(cell, what, "test something; write the message after a comma, without parentheses")


@rule("assert-message", On.SOURCE, "The message is all that a student learns from a failed test.")
def _messages(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        for node in all_asserts(cell.source):
            empty = isinstance(node.msg, ast.Constant) and not str(node.msg.value).strip()
            if node.msg is None or empty:
                what = f"`assert {ast.unparse(node.test)[:60]}` has no message"
                yield page.finding(cell, what, "say which mistake it looks like, without a hidden value")


@rule("test-docstring", On.SOURCE, "The first line of a grade cell names the behaviour that is graded.")
def _docstring(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        if not (ast.get_docstring(tree_of(visible(cell.source))) or "").strip():
            yield page.finding(cell, "does not start with a docstring", "name the behaviour in its first line")


@rule("test-no-expression", On.SOURCE, "nbgrader reads the value of a closing expression as partial credit.")
def _no_expression(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        for part, source in (("", cell.source), (" once its hidden part is gone", visible(cell.source))):
            body = tree_of(source).body
            if len(body) < 2 or not isinstance(body[-1], ast.Expr):
                continue
            if ast.unparse(body[-1]).startswith("warnings."):
                continue
            what = f"ends with the expression `{ast.unparse(body[-1])[:60]}`{part}"
            yield page.finding(cell, what, "end with an assert")
            break


_TALKERS = {"print", "display", "show", "input"}


@rule("test-silent", On.SOURCE, "Print in a hidden test reveals its values; a line on stderr costs all points.")
def _silent(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        calls = [n for n in ast.walk(tree_of(cell.source)) if isinstance(n, ast.Call)]
        talk = {c.func.id for c in calls if isinstance(c.func, ast.Name)} & _TALKERS
        talk |= {name for name in ("sys.stdout", "sys.stderr", "warnings.warn(") if name in cell.source}
        if talk:
            yield page.finding(cell, f"calls {listed(talk)}", "put it into the message of an assert")
        elif cell.get("outputs"):
            yield page.finding(cell, "has an output", "find what prints it and make it silent")


@rule("test-warnings", On.SOURCE, "A RuntimeWarning of a right answer is a line on stderr: nbgrader gives 0 then.")
def _warnings(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        done = []
        for statement in tree_of(visible(cell.source)).body:
            if isinstance(statement, ast.Assert):
                break
            done.append(ast.unparse(statement))
        if "import warnings" not in done or "warnings.simplefilter('ignore')" not in done:
            what = "warnings are not switched off before the first assert"
            fix = 'begin with `import warnings` and `warnings.simplefilter("ignore")`, outside the hidden part'
            yield page.finding(cell, what, fix)


def _foreign(page: Page) -> Iterator[tuple[NotebookNode, frozenset[str], frozenset[str]]]:
    """Return each test cell with the names it needs from elsewhere and those that it may need."""
    for cell, exercise in page.after_answers():
        if kind_of(cell) is CellKind.TEST:
            own = (
                frozenset(exercise.functions) | page.adapters.get(exercise.name, frozenset())
                if exercise
                else frozenset()
            )
            # What only the hidden part defines is missing when a student runs the visible one.
            yield cell, names_of(cell.source).free | names_of(visible(cell.source)).free, own


@rule("test-no-helpers", On.SOURCE, "Redefining or deleting a helper must not change the points of an answer.")
def _no_helpers(page: Page) -> Iterator[Finding]:
    helpers = defined_in(page.of(CellKind.HELPERS)) - defined_in(page.of(CellKind.SETUP))
    for cell, needed, _ in _foreign(page):
        if needed & helpers:
            what = f"uses {listed(needed & helpers)} of the helper cells"
            yield page.finding(cell, what, "write plain numpy into the test")


@rule("test-own-exercise", On.SOURCE, "One wrong answer must cost the points of one exercise only.")
def _own_exercise(page: Page) -> Iterator[Finding]:
    for cell, needed, own in _foreign(page):
        others = (needed & page.answer_names) - own
        if others:
            yield page.finding(
                cell, f"uses {listed(others)} of another exercise", "use the library or a given_ function"
            )


@rule("test-names", On.SOURCE, "Grading runs no demonstration, so a name from there is missing in a student's run.")
def _test_names(page: Page) -> Iterator[Finding]:
    # Helpers and other exercises have rules of their own.
    allowed = defined_in(page.of(*LOCKED_KINDS)) | page.answer_names
    for cell, needed, _ in _foreign(page):
        if needed - allowed:
            what = f"needs {listed(needed - allowed)}, which the visible cell, set-up, given cells and exercise lack"
            yield page.finding(cell, what, "import or define it in the visible part of the cell")


@rule("test-imports", On.SOURCE, "On screen an answer can use what a visible test imports; in marking it cannot.")
def _imports(page: Page) -> Iterator[Finding]:
    there = defined_in(page.of(CellKind.SETUP, CellKind.HELPERS))
    for cell in page.of(CellKind.TEST):
        missing = names_of(visible(cell.source)).imported - there
        if missing:
            what = f"imports {listed(missing)}, which answers lack when they are marked"
            yield page.finding(cell, what, "import it in the set-up cell or in the hidden part, or do without")


@rule("test-calls-answer", On.SOURCE, "A test that does not call the student's function gives points for nothing.")
def _calls_answer(page: Page) -> Iterator[Finding]:
    for cell, needed, own in _foreign(page):
        if own and not needed & own:
            yield page.finding(cell, f"does not call {' or '.join(sorted(own))}", "test what the student wrote")


@rule("test-function-called", On.SOURCE, "A function that the cell only defines tests nothing.")
def _function_called(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST):
        tree = tree_of(cell.source)
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        idle = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)} - used
        if idle:
            yield page.finding(cell, f"defines {listed(idle)} but never calls it", "write its asserts at top level")


@rule("test-no-replacing", On.SOURCE, "A test that binds the student's function tests itself.")
def _no_replacing(page: Page) -> Iterator[Finding]:
    fixed = page.answer_names | defined_in(page.of(CellKind.GIVEN))
    for cell in page.of(CellKind.TEST):
        names = names_of(cell.source)
        if names.bound & fixed:
            yield page.finding(cell, f"defines {listed(names.bound & fixed)} anew", "choose another name")


@rule(
    "hidden-regions", On.SOURCE, "nbgrader takes hidden tests out by these markers, in grade cells only.", guards=True
)
def _hidden(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        markers = hidden_tests()
        found = markers.regions(cell.source)
        if badly_marked(markers, cell.source):
            what = "the markers of hidden tests are not balanced or not written exactly so"
            yield page.finding(cell, what, "pair `{}` with `{}`".format(*markers.written))
        elif found and kind_of(cell) is not CellKind.TEST:
            yield page.finding(cell, "hidden tests outside a test cell", "move them into a test cell")
        elif any(not asserts_at_top("\n".join(region)) for region in found):
            yield page.finding(cell, "a hidden region without an assert at top level", "add one or drop the region")


@rule("test-points", On.SOURCE, "Points are whole numbers, so that marks add up in any gradebook.")
def _points(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST, CellKind.WRITTEN):
        points = cell.metadata.nbgrader.get("points")
        if not isinstance(points, (int, float)) or points != int(points) or points < 1:
            yield page.finding(cell, f"is worth {points} points", "give it a whole number of at least 1")


@rule("test-after-answer", On.SOURCE, "A test is found and reported by the exercise in its name.")
def _after_answer(page: Page) -> Iterator[Finding]:
    for cell, exercise in page.after_answers():
        if kind_of(cell) is not CellKind.TEST:
            continue
        name = grade_id(cell) or ""
        if exercise is None:
            yield page.finding(cell, "comes before the first answer cell", "move it below its exercise's answer")
        elif not any(name.startswith(f"test_{f}_") for f in exercise.functions):
            what = f"does not name a function of the answer cell before it ({', '.join(exercise.functions)})"
            yield page.finding(cell, what, f"call it test_{exercise.name}_<behaviour>")
