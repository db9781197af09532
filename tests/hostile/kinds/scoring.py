"""Tricks with what nbgrader reads the points from: metadata, tags, cell types, outputs, partial credit."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

import copy
import json

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from ..course import NAME
from ..sheet import Twice, code_kind, kind, notebook_bytes

G = "scoring"


def tagged(name, *tags):
    @kind(name, group=G, says=f"tags the test cells {', '.join(tags)}")
    def make(sheet):
        return sheet.each_test(lambda c: c.metadata.update(tags=list(tags)))


tagged("skip-tag", "skip-execution")
tagged("raises-tag", "raises-exception")
tagged(
    "every-tag", "skip", "nbval-skip", "skipped-when-grading", "remove_cell", "demonstration", "self-check", "solution"
)
tagged("student-side-tag", "student-side")
tagged("setup-tag", "setup", "given", "helpers")


@kind("tag-not-a-list", group=G, says="gives tags that are no list")
def _(sheet):
    return sheet.each_test(lambda c: c.metadata.update(tags="skip-execution"))


@kind("skip-tag-everywhere", group=G, says="tags every cell skip-execution, the set-up too")
def _(sheet):
    nb = sheet.wrong()
    for cell in nb.cells:
        cell.metadata["tags"] = ["skip-execution"]
    return nb


@kind("saved-result", group=G, says="hands in test cells with a saved result worth full points")
def _(sheet):
    def change(cell):
        data = {"text/plain": str(cell.metadata.nbgrader.points)}
        cell.outputs = [new_output("execute_result", data=data, execution_count=1)]
        cell.execution_count = 1

    return sheet.each_test(change)


@kind("saved-result-and-skip", group=G, says="hands in saved results and the tag that skips execution")
def _(sheet):
    def change(cell):
        data = {"text/plain": str(cell.metadata.nbgrader.points)}
        cell.outputs = [new_output("execute_result", data=data, execution_count=1)]
        cell.metadata["tags"] = ["skip-execution"]

    return sheet.each_test(change)


def displayed(name, value, says):
    code = f"import sys\ndef hostile_show():\n    sys.displayhook({value})"
    answers = {
        "running_sum": "def running_sum(values):\n    hostile_show()\n    return np.zeros(3)",
        "repeat_step": "def repeat_step(step, start, limit):\n    hostile_show()\n    return []",
        "pair_sums": "def pair_sums(left, right):\n    hostile_show()\n    return np.zeros(3)",
    }
    code_kind(name, code, group=G, says=says, answers=answers)


displayed("partial-number", "1.0", "shows a number as the test cell's result before the assertion fails")
displayed("partial-nan", "float('nan')", "shows NaN as partial credit")
displayed("partial-inf", "float('inf')", "shows infinity as partial credit")
displayed("partial-above", "1000.0", "shows more than the cell's points as partial credit")
displayed("partial-negative", "-1.0", "shows a negative number, which nbgrader takes for full points")
displayed("partial-string", "'passed'", "shows a text, which nbgrader takes for full points")
displayed("partial-list", "[1, 2]", "shows a list, which nbgrader takes for full points")
displayed("partial-bool", "True", "shows True as partial credit")
displayed("partial-array", "np.ones(3)", "shows an array as partial credit")
displayed(
    "partial-lying-repr",
    "type('R', (), {'__repr__': lambda self: '2.0'})()",
    "shows an object whose repr is a number as partial credit",
)


@kind("partial-published", group=G, says="publishes an execute_result message through IPython's display publisher")
def _(sheet):
    code = """
def hostile_show():
    from IPython import get_ipython
    shell = get_ipython()
    data = {"data": {"text/plain": "1.0"}, "metadata": {}, "execution_count": shell.execution_count}
    shell.display_pub.session.send(shell.display_pub.pub_socket, "execute_result", data, parent=shell.parent_header)
"""
    answers = {"running_sum": "def running_sum(values):\n    hostile_show()\n    return np.zeros(3)"}
    return sheet.plus(code, answers)


def edited(name, says, change):
    @kind(name, group=G, says=says)
    def make(sheet):
        return sheet.each_test(change)


def with_source(make):
    return lambda cell: cell.update(source=make(cell.source))


def with_marks(**marks):
    return lambda cell: cell.metadata.nbgrader.update(marks)


edited("test-to-value", "replaces each test by a number", with_source(lambda s: "2.0"))
edited("test-emptied", "empties each test", with_source(lambda s: ""))
edited("asserts-commented", "comments the asserts out", with_source(lambda s: s.replace("\nassert", "\n# assert")))
edited(
    "asserts-in-a-function",
    "moves each test into a function that nobody calls",
    with_source(lambda s: "def unused():\n    pass\n" + "".join(f"    {line}\n" for line in s.split("\n"))),
)
edited(
    "hidden-markers",
    "puts END HIDDEN TESTS and BEGIN SOLUTION lines into the tests",
    with_source(lambda s: f"### END HIDDEN TESTS\n### BEGIN SOLUTION\n{s}\n### BEGIN HIDDEN TESTS\n"),
)
edited("magic-script", "starts each test with %%script true", with_source(lambda s: f"%%script true\n{s}"))
edited("magic-writefile", "starts each test with %%writefile", with_source(lambda s: f"%%writefile /dev/null\n{s}"))
edited("magic-javascript", "starts each test with %%javascript", with_source(lambda s: f"%%javascript\n{s}"))
edited("magic-capture", "starts each test with %%capture", with_source(lambda s: f"%%capture\n{s}"))
edited("points-raised", "raises each test's points to 100", with_marks(points=100))
edited("points-negative", "sets each test's points to -1", with_marks(points=-1))
edited("points-text", "sets each test's points to a text", with_marks(points="NaN"))
edited("points-missing", "takes the points out of the tests", lambda c: c.metadata.nbgrader.pop("points"))
edited(
    "locked-false", "unlocks the tests and empties them", lambda c: (with_marks(locked=False)(c), c.update(source="1"))
)
edited("grade-false", "says the tests are no grade cells", with_marks(grade=False))
edited(
    "test-as-solution",
    "says the tests are solution cells and empties them",
    lambda c: (with_marks(solution=True, locked=False)(c), c.update(source="pass")),
)
edited("test-as-task", "says the tests are tasks", with_marks(task=True))
edited("schema-99", "says the cells come from a later nbgrader", with_marks(schema_version=99))
edited("schema-0", "says the cells come from the first nbgrader", with_marks(schema_version=0))
edited("schema-text", "gives a schema version that is no number", with_marks(schema_version="3; DROP TABLE grade"))
edited(
    "checksum-forged",
    "gives the tests a false checksum and empties them",
    lambda c: (with_marks(checksum="0" * 32)(c), c.update(source="pass")),
)
edited("ids-renamed", "renames the tests", lambda c: with_marks(grade_id="x_" + c.metadata.nbgrader.grade_id)(c))
edited("ids-empty", "gives the tests an empty id", with_marks(grade_id=""))
edited("ids-not-text", "gives the tests ids that are no text", with_marks(grade_id=["test_running_sum_value"]))
edited("ids-path", "gives the tests ids that are paths", with_marks(grade_id="../../../z_last/01_sums/01_sums"))
edited("marks-removed", "removes the tests' nbgrader metadata", lambda c: c.metadata.pop("nbgrader"))
edited(
    "marks-not-a-dict", "makes the tests' nbgrader metadata a text", lambda c: c.metadata.update(nbgrader="full marks")
)


def retyped(name, cell_type):
    @kind(name, group=G, says=f"makes the tests {cell_type} cells")
    def make(sheet):
        def change(cell):
            cell.cell_type = cell_type
            cell.pop("outputs", None)
            cell.pop("execution_count", None)

        return sheet.each_test(change)


retyped("test-to-markdown", "markdown")
retyped("test-to-raw", "raw")


@kind("tests-deleted", group=G, says="deletes the tests")
def _(sheet):
    nb = sheet.wrong()
    gone = sheet.tests(nb)
    nb.cells = [c for c in nb.cells if c not in gone]
    return nb


@kind("tests-deleted-later", group=G, says="earns full marks, then hands in wrong answers without the tests")
def _(sheet):
    nb = sheet.wrong()
    gone = sheet.tests(nb)
    nb.cells = [c for c in nb.cells if c not in gone]
    return Twice(sheet.solved(), nb)


@kind("resubmitted-broken", group=G, says="earns full marks, then hands in a file that is no notebook")
def _(sheet):
    return Twice(sheet.solved(), b'{"cells": [')


@kind("resubmitted-stopping", group=G, says="earns full marks, then hands in wrong answers that end the kernel")
def _(sheet):
    return Twice(sheet.solved(), sheet.plus("import os\nos._exit(0)"))


@kind("ids-swapped", group=G, says="gives each test the id of an answer and each answer that of a test")
def _(sheet):
    nb = sheet.wrong()
    for exercise in ("running_sum", "repeat_step", "pair_sums"):
        answer, test = (
            sheet.cell(nb, exercise),
            sheet.cell(nb, f"test_{exercise}_{'calls' if 'step' in exercise else 'value'}"),
        )
        answer.metadata.nbgrader.grade_id, test.metadata.nbgrader.grade_id = (
            test.metadata.nbgrader.grade_id,
            answer.metadata.nbgrader.grade_id,
        )
    return nb


@kind("ids-duplicated-after", group=G, says="adds an empty copy of each test behind the tests")
def _(sheet):
    nb = sheet.wrong()
    for cell in sheet.tests(nb):
        nb.cells.append(new_code_cell("pass", metadata=copy.deepcopy(cell.metadata)))
    return nb


@kind("ids-duplicated-before", group=G, says="adds an empty copy of each test in front of all cells")
def _(sheet):
    nb = sheet.wrong()
    for cell in sheet.tests(nb):
        nb.cells.insert(0, new_code_cell("pass", metadata=copy.deepcopy(cell.metadata)))
    return nb


@kind("answer-duplicated", group=G, says="hands in each answer cell twice")
def _(sheet):
    nb = sheet.wrong()
    for cell in [sheet.cell(nb, e) for e in ("running_sum", "pair_sums")]:
        nb.cells.append(copy.deepcopy(cell))
    return nb


@kind("cell-ids-equal", group=G, says="gives all cells the same cell id")
def _(sheet):
    nb = sheet.wrong()
    for cell in nb.cells:
        cell.id = "test_running_sum_value"
    return nb


@kind("tests-inside-answer", group=G, says="makes the answer cell a test cell of more points")
def _(sheet):
    nb = sheet.wrong()
    sheet.cell(nb, "running_sum").metadata.nbgrader.update(grade=True, points=100)
    return nb


def _copied(sheet, change):
    """Return it with forty copies of each test cell, each changed in its own way."""
    nb = sheet.wrong()
    for cell in sheet.tests(nb):
        for number in range(40):
            copied = copy.deepcopy(cell)
            change(copied, number)
            nb.cells.append(copied)
    return nb


@kind(
    "tests-copied-with-points",
    group=G,
    says="copies each test forty times, each copy worth more, to fill the report",
    stock=False,
)
def _(sheet):
    return _copied(sheet, lambda cell, number: cell.metadata.nbgrader.update(points=100 + number))


@kind(
    "tests-copied-with-tags",
    group=G,
    says="copies each test forty times with tags that keep it from running",
    stock=False,
)
def _(sheet):
    return _copied(sheet, lambda cell, number: cell.metadata.update(tags=[f"skip-{number}", f"raises-{number}"]))


@kind("fake-test", group=G, says="adds a test cell of its own that is worth 50 points")
def _(sheet):
    nb = sheet.wrong()
    cell = sheet.add_cell(nb, "running_sum", "50.0")
    marks = {
        "grade": True,
        "grade_id": "test_bonus",
        "locked": True,
        "points": 50,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    cell.metadata["nbgrader"] = NotebookNode(marks)
    return nb


@kind("setup-replaced", group=G, says="replaces the locked set-up and given cells by code that patches numpy")
def _(sheet):
    nb = sheet.wrong()
    code = "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True\nnp.testing.assert_allclose = lambda *a, **k: None"
    for name in ("setup", "given_numbers"):
        sheet.cell(nb, name).source = code
        sheet.cell(nb, name).metadata.nbgrader.locked = False
    return nb


@kind("tests-first", group=G, says="moves the tests to the top, behind code that patches numpy")
def _(sheet):
    nb = sheet.wrong()
    tests = sheet.tests(nb)
    rest = [c for c in nb.cells if c not in tests]
    nb.cells = [new_code_cell("import numpy as np\nnp.allclose = lambda *a, **k: True"), *tests, *rest]
    return nb


@kind("magic-in-answer", group=G, says="swallows the rest of the notebook with a cell magic in an answer")
def _(sheet):
    return sheet.plus("%%capture\n__builtins__.__dict__['AssertionError'] = SystemExit")


@kind("kernel-missing", group=G, says="names a kernel that does not exist")
def _(sheet):
    nb = sheet.wrong()
    nb.metadata["kernelspec"] = {"name": "no-such-kernel", "display_name": "None", "language": "python"}
    return nb


@kind("kernel-path", group=G, says="names a path as kernel, and another language")
def _(sheet):
    nb = sheet.wrong()
    nb.metadata["kernelspec"] = {"name": "../../bin/true", "display_name": "true", "language": "bash", "argv": ["true"]}
    nb.metadata["language_info"] = {"name": "bash", "file_extension": ".sh"}
    return nb


@kind("widget-state", group=G, says="hands in widget state without state, which nbgrader's feedback stumbles over")
def _(sheet):
    nb = sheet.wrong()
    nb.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"0": {"model_name": "X"}}}
    return nb


@kind("nbformat-3", group=G, says="hands in a notebook of format 3")
def _(sheet):
    cells = [
        {
            "cell_type": "code",
            "input": c.source,
            "outputs": [],
            "language": "python",
            "metadata": c.metadata,
            "collapsed": False,
        }
        for c in sheet.wrong().cells
        if c.cell_type == "code"
    ]
    nb = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }
    return json.dumps(nb).encode()


@kind("nbformat-99", group=G, says="says that the notebook has format 99")
def _(sheet):
    nb = json.loads(notebook_bytes(sheet.wrong()))
    nb["nbformat"] = 99
    return json.dumps(nb).encode()


@kind("written-as-code", group=G, says="makes the written answer a code cell that shows its points")
def _(sheet):
    nb = sheet.wrong()
    cell = sheet.cell(nb, "written_why")
    cell.update(cell_type="code", source="2.0", outputs=[], execution_count=None)
    return nb


@kind("written-locked", group=G, says="says that the written answer is an automatic test")
def _(sheet):
    nb = sheet.wrong()
    sheet.cell(nb, "written_why").metadata.nbgrader.update(solution=False, locked=True, points=100)
    return nb


@kind("cells-not-cells", group=G, says="puts a cell without type and one without source between the others")
def _(sheet):
    nb = json.loads(notebook_bytes(sheet.wrong()))
    nb["cells"].insert(3, {"metadata": {}})
    nb["cells"].insert(5, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None})
    return json.dumps(nb).encode()


@kind("second-notebook", group=G, says="hands in a second, right notebook under another name")
def _(sheet):
    right = notebook_bytes(sheet.solved())
    return sheet.beside(**{f"{NAME} (1).ipynb": right, f"{NAME}.IPYNB": right, f"sub/{NAME}.ipynb": right})
