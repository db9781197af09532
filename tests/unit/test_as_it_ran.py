"""What ran from top to bottom on the student's screen is what is marked: layouts and copies of an answer."""

import contextlib
import copy
import io
import random

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from test_transplant import SOLVED, SOURCE, at, own_cells, pristine, run, submission

from grader.core.cells import CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.findings import Level
from grader.core.notebook import read_notebook
from grader.submissions.reading import read_submission
from grader.submissions.transplant import transplant

STUB = pristine(SOURCE).cells[at(SOURCE, "double")].source
#: Cells that define `double` together, the last but one or the last of which needs an earlier one to be there at once.
LAYOUTS = {
    "type": ["from numbers import Number", "def double(x: Number) -> Number:\n    return 2 * x"],
    "default": ["TWO = 2", "def double(x, factor=TWO):\n    return factor * x"],
    "name of their own": ["def mine(x):\n    return 2 * x", "double = mine"],
    "decorator": ["def logged(f):\n    return lambda *a: f(*a)", "@logged\ndef double(x):\n    return 2 * x"],
    "class": ["class Doubler:\n    def run(self, x):\n        return 2 * x", "double = Doubler().run"],
    "partial": [
        "from functools import partial",
        "def times(x, factor):\n    return factor * x",
        "double = partial(times, factor=2)",
    ],
    "chain": ["TWO = 2", "FACTORS = [k for k in (TWO,)]", "def double(x, factor=FACTORS[0]):\n    return factor * x"],
    "printed": ["TWO = 2\nprint(TWO)", "def double(x, factor=TWO):\n    return factor * x", "print(double(4))"],
}


def outcomes(nb, source=SOURCE):
    """Run a notebook from top to bottom; return which tests pass, hidden parts included."""
    tests = {grade_id(c): c.source for c in pristine(source).cells if kind_of(c) is CellKind.TEST}
    space, passed = {"__name__": "__main__"}, {}
    for cell in nb.cells:
        name = grade_id(cell)
        if cell.cell_type != "code":
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                exec(tests.get(name, cell.source), space)
            except Exception:
                passed |= {name: False} if name in tests else {}
            else:
                passed |= {name: True} if name in tests else {}
    return passed


def below_the_stub(cells, place="double"):
    nb = submission(double=STUB)
    where = at(nb, place) + 1
    nb.cells[where:where] = map(new_code_cell, cells)
    return nb


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", ["double", "check"])
def test_what_is_written_below_the_stub_is_marked_as_it_ran(layout, place):
    nb = below_the_stub(LAYOUTS[layout], place)
    assert outcomes(nb)["test_double"]
    assert outcomes(run(nb).notebook) == outcomes(nb)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_at_the_end_comes_with_what_it_needs_at_once(layout):
    nb = submission(double=STUB)
    nb.cells += map(new_code_cell, [c for c in LAYOUTS[layout] if not c.startswith("print")])
    assert outcomes(run(nb).notebook)["test_double"] == (layout != "printed")  # a cell that prints is not moved


def test_a_chain_of_hundreds_of_cells_is_followed_a_part_of_the_way():
    nb = submission(double=STUB)
    nb.cells.append(new_code_cell("def double(x, factor=n0):\n    return factor * x"))
    nb.cells += [new_code_cell(f"n{k} = n{k + 1}") for k in range(300)]
    result = run(nb)
    (finding,) = [f for f in result.findings if f.kind == "helper-moved"]
    assert finding.text.count("\u201c") < 10
    in_front = own_cells(result)[:100]
    assert in_front[-1] == "n0 = n1"
    assert len({*in_front} & {f"n{k} = n{k + 1}" for k in range(100)}) == 100


def spoiled(marks=True):
    nb = submission()
    cell = copy.deepcopy(nb.cells[at(nb, "double")])
    cell.source, cell.id = "def double(x):\n    return 3 * x", "pasted"
    cell.metadata = cell.metadata if marks else {}
    return nb, cell


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("far", [True, False])
def test_a_copy_that_is_spoiled_behind_the_tests_does_not_count(marks, lost, far):
    nb, cell = spoiled(marks)
    nb.cells.insert(len(nb.cells) if far else at(nb, "test_double") + 1, cell)
    want = outcomes(nb)
    assert want["test_double"]
    if lost:
        for number, one in enumerate(nb.cells):
            one.metadata, one.id = {}, f"cell-{number}"
    result = run(nb)
    assert outcomes(result.notebook) == want
    said = [f.text for f in result.findings if f.kind == "answer-twice"]
    assert len(said) == (marks and not lost)
    assert all(text.endswith("more than once; the last one in front of its tests counts.") for text in said)


def test_a_copy_above_the_tests_counts_if_it_is_the_last():
    nb, cell = spoiled()
    nb.cells.insert(at(nb, "double") + 1, cell)
    assert not outcomes(nb)["test_double"]
    result = run(nb)
    assert outcomes(result.notebook) == outcomes(nb)
    assert next(f.text for f in result.findings).endswith("the last one with an answer counts.")


def test_of_a_notebook_that_is_there_twice_the_second_counts():
    nb, wrong = submission(), submission(double="def double(x):\n    return 3 * x")
    wrong.cells += nb.cells
    assert outcomes(run(wrong).notebook)["test_double"]


def test_a_draft_in_front_of_the_tests_counts_where_the_cell_itself_was_moved_behind_them():
    nb, cell = spoiled()
    nb.cells[at(nb, "double")] = new_code_cell("def double(x):\n    return x + x")
    nb.cells.append(cell)
    assert outcomes(nb)["test_double"]
    assert outcomes(run(nb).notebook)["test_double"]


def moved(*names, to, own=(), last=(), **answers):
    """Move cells in front of another, with a cell of one's own in front of the first and others behind the last."""
    nb = submission(**answers)
    cells = [nb.cells.pop(at(nb, name)) for name in names]
    where = at(nb, to)
    nb.cells[where:where] = [*map(new_code_cell, own), *cells, *map(new_code_cell, last)]
    return nb


NEEDS_TABLE = "def double(x):\n    return TABLE['k'] * x"


@pytest.mark.parametrize("name", ["second", "triple", "check-triple", "test_triple", "written_why"])
@pytest.mark.parametrize("copied", [True, False])
def test_a_released_cell_that_was_moved_up_takes_nothing_along(name, copied):
    nb = moved(name, to="shown", own=["TABLE = {}"], last=["TABLE['k'] = 2\nprint(TABLE)"], double=NEEDS_TABLE)
    if copied:
        place = at(nb, name)
        nb.cells.insert(len(nb.cells) if name == "written_why" else at(nb, "test_double") + 1, nb.cells[place])
        nb.cells[place] = new_code_cell(nb.cells[place].source)
        if nb.cells[-1].cell_type == "markdown":
            nb.cells[place] = nbformat.v4.new_markdown_cell(nb.cells[place].source)
    assert outcomes(nb)["test_double"]
    assert outcomes(run(nb).notebook)["test_double"]


def test_what_reads_an_answer_that_was_moved_up_comes_behind_it():
    last = ["SIX = triple(2)", "print(SIX)", "ONE = 1"]
    nb = moved("second", "triple", "check-triple", to="exercise", last=last)
    assert own_cells(run(nb)) == ["ONE = 1", *last[:2]]
    assert at(run(nb).notebook, "student-cell-2") > at(run(nb).notebook, "triple")


def test_what_stands_in_a_part_that_was_moved_down_stays_in_it():
    nb = moved("exercise", "double", "test_double", to="why", double=NEEDS_TABLE)
    where = at(nb, "double")
    nb.cells[where:where] = map(new_code_cell, ["TABLE = {}", "TABLE['k'] = 2\nprint(TABLE)"])
    assert outcomes(nb)["test_double"]
    assert outcomes(run(nb).notebook)["test_double"]


def test_what_a_locked_cell_bound_again_behind_it_is_bound_so():
    source = copy.deepcopy(SOURCE)
    source.cells[at(source, "setup")].source = "import math\nTWO = 2"
    nb = submission(setup=source.cells[at(source, "setup")].source, double="def double(x):\n    return TWO * x")
    nb.cells.insert(at(nb, "double"), nb.cells.pop(at(nb, "setup")))
    where = at(nb, "exercise")
    nb.cells[where:where] = map(new_code_cell, ["TWO = 2\nMINE = TWO", "TWO = 7", "print(math.pi)"])
    nb.cells.insert(1, new_code_cell("import math"))
    assert outcomes(nb, source)["test_double"]
    done = run(nb, source)
    assert outcomes(done.notebook, source)["test_double"]
    assert [n - at(done.notebook, "setup") for n in (at(done.notebook, f"student-cell-{k}") for k in (3, 4))] == [-1, 2]


def test_what_was_added_to_the_imports_is_kept():
    for added in ("import math, json as math2", "try:\n    import json as math2\nexcept ImportError:\n    pass"):
        nb = submission(setup=f"{added}\nHALF: float = 0.5", double="def double(x):\n    return math2.loads('2') * x")
        nb.cells[at(nb, "setup")].source += "" if "math," in added else "\nimport math"
        assert outcomes(run(nb).notebook)["test_double"], added


@pytest.mark.parametrize("added", ["import json as math", "import math.nothing as math, json as j", "math = 3"])
def test_what_replaces_an_import_is_not_kept(added):
    nb = submission(setup=f"import math\n{added}")
    assert own_cells(run(nb)) == []


NOTEBOOK = "03_dot_product_attention"


@pytest.fixture(scope="module")
def masks():
    """The source of a notebook with three functions in one answer, those functions, and their stubs."""
    source = read_notebook(Course.find().source(NOTEBOOK))
    answer = next(e for e in exercises(source) if e.name == "causal_mask").answer
    stub = next(c.source for c in pristine(source).cells if grade_id(c) == "causal_mask")
    return source, *({p.split("(")[0]: f"def {p}".rstrip() for p in t.split("def ")[1:]} for t in (answer, stub))


def layout(masks, seed):
    """Write three functions in their cell, above and below it, with what they need at once in cells between them."""
    source, functions, stubs = masks
    rng, home, own, above = random.Random(seed), [], [], []
    for name, text in functions.items():
        how = rng.choice(["home", "below", "above", "default", "decorated", "wrong first"])
        if how == "decorated":
            own += ["def shown(f):\n    return lambda *a, **k: f(*a, **k)", f"@shown\n{text}"]
        elif how == "default":
            own += [f"K{name} = 1", text.replace("):", f", *, k=K{name}):", 1)
                    if "*masks" not in text else text.replace("*masks", f"*masks, k=K{name}")]  # fmt: skip
        elif how == "wrong first":
            own.append(text)
        elif how == "above":
            above.append(text)
            continue
        elif how == "below":
            own.append(text)
        home.append(text if how == "home" else text.replace("return", "return None,") if how == "wrong first" else
                    stubs[name])  # fmt: skip
    nb = pristine(source)
    where = next(n for n, c in enumerate(nb.cells) if grade_id(c) == "causal_mask")
    nb.cells[where].source = "\n\n\n".join(home) or "# see above"
    nb.cells[where + 1 : where + 1] = map(new_code_cell, own)
    nb.cells[where:where] = map(new_code_cell, above)
    return nb


def results_of_masks(nb):
    """Run the cells around the exercise from top to bottom; return what the functions give where the tests stand."""
    space: dict[str, object] = {"__name__": "__main__"}
    exec("import numpy as np", space)
    first = next(n for n, c in enumerate(nb.cells) if kind_of(c) is CellKind.TEST and "causal" in grade_id(c))
    locked = (CellKind.SETUP, CellKind.HELPERS, CellKind.DEMONSTRATION)
    for cell in nb.cells[:first]:
        if cell.cell_type == "code" and kind_of(cell) not in locked and grade_id(cell) in ("causal_mask", None, ""):
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                exec(cell.source, space)
    found = {}
    for name, arguments in {"causal_mask": "3", "padding_mask": "np.array([[1, 0]])", "combine_masks": "None"}.items():
        with contextlib.suppress(Exception):
            found[name] = str(eval(f"{name}({arguments})", space))
    return found


def test_an_answer_in_any_layout_gives_what_it_gave(masks):
    right = results_of_masks(layout_of_all_at_home(masks))
    assert len(right) == 3
    alike = 0
    for seed in range(24):
        nb = layout(masks, seed)
        want = results_of_masks(nb)
        handed_in, _ = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
        assert results_of_masks(transplant(masks[0], handed_in).notebook) == want, seed
        alike += want == right
    assert alike > 20


def layout_of_all_at_home(masks):
    source, functions, _ = masks
    nb = pristine(source)
    next(c for c in nb.cells if grade_id(c) == "causal_mask").source = "\n\n\n".join(functions.values())
    return nb


def test_the_python_of_a_file_is_named_where_a_cell_needs_it():
    nb = copy.deepcopy(SOLVED)
    nb.metadata["language_info"] = {"name": "python", "version": "3.99.1"}
    nb.cells[at(nb, "double")].source = "def double(x):\n    return 2 * x as y"
    read, _ = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    assert [f.kind for f in transplant(SOURCE, read).findings if "saved with Python 3.99" in f.text] == ["syntax-error"]
    nb.cells[at(nb, "double")].source = "def double(x):\n    return twice(x)"
    nb.cells.insert(at(nb, "double"), new_code_cell("def twice(x):\n    return 2 * x as y"))
    read, _ = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    (finding,) = [f for f in transplant(SOURCE, read).findings if f.kind == "newer-python"]
    assert finding.level is Level.REPAIRED  # until the exercise loses points
    for version in ("3.1.0", "3", 3.99, "<b>3.99</b>", None):
        nb.metadata["language_info"]["version"] = version
        read, _ = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
        assert "newer-python" not in [f.kind for f in transplant(SOURCE, read).findings], version
