"""What a transplant takes from a submission, and what it never takes."""

import ast
import base64
import copy
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell
from test_damage import assignment
from test_reading import marked

from grader.core.cells import LOCKED_KINDS, CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.findings import Finding, Level
from grader.core.names import used_anywhere
from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook
from grader.engine import handed, taken_over
from grader.engine.kit import Kit
from grader.submissions import mend, parsing
from grader.submissions.cells import language_of
from grader.submissions.parsing import MAX_PARSED
from grader.submissions.reading import read_submission
from grader.submissions.transplant import STUDENT_TAG, pristine, transplant
from grader.testing.samples import fill_answers

SOURCE, SOLVED = assignment("tiny")
GOOD = "def double(x):\n    return x + x"


def submission(**answers):
    """A release with other texts in some of its cells, by name or id."""
    nb = copy.deepcopy(SOLVED)
    for cell in nb.cells:
        name = grade_id(cell) or cell.id
        if name in answers:
            cell.source = answers[name]
    return nb


def at(nb, name):
    return next(n for n, c in enumerate(nb.cells) if (grade_id(c) or c.id) == name)


def run(nb, source=SOURCE):
    inputs = copy.deepcopy(source), copy.deepcopy(nb)
    result = transplant(source, nb)
    assert (source, nb) == inputs, "an input was changed"
    assert result == transplant(source, nb)
    locked = (CellKind.TEST, CellKind.TEXT, *LOCKED_KINDS)
    own = [c for c in result.notebook.cells if STUDENT_TAG in c.metadata.get("tags", [])]
    for cell in own:
        assert cell.metadata == {"tags": [STUDENT_TAG]}
        assert kind_of(cell) in (CellKind.FREE, CellKind.TEXT)
    released = [c for c in result.notebook.cells if all(c is not o for o in own)]
    assert [c for c in released if kind_of(c) in locked] == [c for c in pristine(source).cells if kind_of(c) in locked]
    for cell in released:
        original = next(c for c in pristine(source).cells if c.id == cell.id)
        assert {k: v for k, v in cell.items() if k not in ("source", "attachments")} == {
            k: v for k, v in original.items() if k != "source"
        }
    assert result.notebook.metadata == source.metadata
    assert set(result.answered) == {grade_id(c) for c in source.cells if c.metadata.get("nbgrader", {}).get("solution")}
    assert set(result.answered.values()) <= {"grade_id", "cell id", "function", "position", "untouched", "missing"}
    nbformat.validate(result.notebook)
    return result


def cell_of(result, name):
    return result.notebook.cells[at(result.notebook, name)].source


def kinds(result):
    return [f.kind for f in result.findings]


def own_cells(result):
    return [c.source for c in result.notebook.cells if STUDENT_TAG in c.metadata.get("tags", [])]


def test_pristine_is_the_release_with_its_hidden_tests():
    nb = pristine(SOURCE)
    assert 'raise NotImplementedError("not written yet")' in nb.cells[at(nb, "double")].source
    assert "2 * x" not in str(nb)
    assert "assert double(3) == 6" in nb.cells[at(nb, "test_double")].source
    assert nb.cells[at(nb, "written_why")].source == "*Write your answer here.*"


def test_nothing_handed_in():
    result = run(None)
    assert result.notebook.cells == pristine(SOURCE).cells
    assert set(result.answered.values()) == {"missing"}
    assert [f.level for f in result.findings] == [Level.LOST]


def test_an_untouched_notebook_gives_the_pristine_one():
    nb = pristine(SOURCE)
    for cell in nb.cells:
        cell.source = cell.source.split("\n### BEGIN HIDDEN")[0]
    result = run(nb)
    assert result.notebook.cells == nb_with_hidden(nb)
    assert set(result.answered.values()) == {"untouched"}
    assert result.findings == []


def nb_with_hidden(nb):
    assert len(nb.cells) == len(pristine(SOURCE).cells)
    return pristine(SOURCE).cells


def test_an_honest_submission_says_nothing():
    result = run(submission(double=GOOD))
    assert cell_of(result, "double") == GOOD
    assert result.findings == []
    assert set(result.answered.values()) == {"grade_id"}


HIDDEN = "\n### BEGIN HIDDEN TESTS\nnearest = 4\nassert double(nearest) == 8\n### END HIDDEN TESTS"


def with_a_hidden_part(nb):
    """Return a notebook whose test binds names, in what students see and in what they do not."""
    nb = copy.deepcopy(nb)
    nb.cells[at(nb, "test_double")].source += "\nwanted = 6" + HIDDEN
    return nb


@pytest.mark.parametrize("name", ["closest", "wanted", "nearest"])
def test_a_helper_at_the_end_is_moved_up_whatever_a_test_calls_its_own(name):
    nb = submission(double=f"def double(x):\n    return {name}(x)")
    nb.cells.append(new_code_cell(f"def {name}(x):\n    return 2 * x"))
    assert "helper-moved" in kinds(run(nb, with_a_hidden_part(SOURCE)))


@pytest.mark.parametrize("guess", ["nearest = 4", "assert double(nearest) == 8", "nearest = 5"])
def test_a_notebooks_language_does_not_tell_whether_a_line_stands_in_a_hidden_test(guess):
    release = with_a_hidden_part(SOURCE)
    ours, theirs = release.cells[0], release.cells[at(release, "test_double")]
    shown = {"zh_CN": {ours.id: "\u4e00\n\u4e8c", theirs.id: theirs.source.replace("near", "far")}}
    handed = new_notebook(cells=[new_code_cell("\n".join([ours.source.split("\n")[0], "\u4e00", "\u4e8c", guess]))])
    assert language_of(release, handed, shown) == "zh_CN"


# What is locked


@pytest.mark.parametrize("kind", ["setup", "test_double"])
def test_locked_cells_come_from_the_source(kind):
    nb = submission(**{kind: "double = None\nimport sys; sys.exit()"})
    result = run(nb)
    assert result.answered["double"] == "grade_id"
    assert own_cells(result) == ["double = None\nimport sys" if kind == "setup" else "import sys"]


def test_a_forged_copy_of_a_test_is_left_out():
    nb = submission()
    test = copy.deepcopy(nb.cells[at(nb, "test_double")])
    test.source, test.metadata.nbgrader.points = "assert True", 100
    test.metadata["tags"] = ["skip-execution"]
    nb.cells.insert(0, test)
    result = run(nb)
    assert own_cells(result) == []
    assert {f.kind: f.level for f in result.findings if f.kind != "test-changed"} == {
        "points-changed": Level.SUSPICIOUS,
        "test-tagged": Level.SUSPICIOUS,
    }


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("因为正弦和余弦构成旋转", True),
        ("The sum is a rotation.", True),
        ("I think so", False),
        ("见上", False),
    ],
)
def test_a_sentence_in_the_cell_of_the_question_is_the_answer(words, taken):
    nb = submission()
    place = at(nb, "written_why")
    nb.cells[place].source = "*Write your answer here.*"
    nb.cells[place - 1].source += f"\n\n{words}"
    assert nb.cells[place - 1].cell_type == "markdown"
    result = run(nb)
    assert (words in result.notebook.cells[at(result.notebook, "written_why")].source) is taken


@pytest.mark.parametrize(
    ("points", "level"), [(1, Level.REPAIRED), (0, Level.REPAIRED), (3, Level.SUSPICIOUS), (1e400, Level.SUSPICIOUS)]
)
def test_fewer_points_are_those_of_an_earlier_release(points, level):
    nb = submission()
    test = nb.cells[at(nb, "test_double")]
    assert test.metadata.nbgrader.points == 2
    test.metadata.nbgrader.points = points
    assert {f.kind: f.level for f in run(nb).findings} == {"points-changed": level}


@pytest.mark.parametrize(
    "answer",
    [
        'exec("def double(x):\\n    return 2 * x")',
        'globals()["double"] = lambda x: 2 * x',
        "(double := lambda x: 2 * x)",
    ],
)
def test_a_name_that_is_bound_in_another_way_is_not_missed(answer):
    result = run(submission(double=answer))
    assert result.answered["double"] == "grade_id"
    assert [f.kind for f in result.findings if f.kind == "other-name"] == []


def test_no_cell_becomes_a_marked_one_by_its_claim():
    nb = submission()
    for name in ("test_double", "invented"):
        forged = new_code_cell("0.99 # a mark", metadata=marked(name, grade=True, points=50))
        nb.cells.append(forged)
    nb.metadata["kernelspec"] = {"name": "bash"}
    result = run(nb)
    assert own_cells(result) == ["0.99 # a mark"]


def test_imports_added_to_a_locked_cell_are_kept_behind_it():
    setup = SOURCE.cells[at(SOURCE, "setup")].source
    result = run(submission(setup=f"{setup}\nfrom math import floor\nmath = 3\nprint(1)"))
    assert own_cells(result) == ["from math import floor"]
    assert at(result.notebook, "student-cell-1") == at(result.notebook, "setup") + 1
    assert kinds(result) == ["locked-changed"]


#: What is added to a cell that is not the student's, and `True` if it is kept.
ADDED = {
    "TABLE = {}\nTABLE['k'] = 2": True,
    "TABLE = []\nTABLE.append(2)": True,
    "TWO = 1\nTWO += 1": True,
    "if math.pi > 3:\n    TWO = 2\nelse:\n    TWO = 3": True,
    "TABLE = []\nfor k in range(3):\n    TABLE.append(k)": True,
    "def helper(x):\n    return helper.two * x\n\n\nhelper.two = 2": True,
    "def init():\n    global TWO\n    TWO = 2\n\n\ninit()": True,
    "import json": True,
    "def helper(x):\n    math.floor(x)\n    double = {}\n    double[1] = x\n    return double": True,
    "def init():\n    math.TWO = 2\n\n\ninit()": "def init():\n    math.TWO = 2",
    "@math.lru_cache(None)\ndef helper(x):\n    return x": True,
    "@math.vectorize\ndef helper(x):\n    return x": True,
    "class Two:\n    'Two.'\n    one = []\n\n    @property\n    def two(self):\n        math.floor(1)": True,
    "class Two:\n    def two(self):\n        math.TWO = 2": True,
    "class Two(math.each()):\n    def two(self):\n        math.TWO = 2": False,
    "class Two:\n    one = math.floor(1)\n\n    def two(self):\n        math.TWO = 2": False,
    "class Two:\n    math.floor(1)": False,
    "@math.each\ndef helper(x):\n    return x": False,
    "class Two:\n    math.TWO = 2": False,
    "math.TWO = 2": False,
    "print(math)": False,
    "assert math": False,
    "triple.two = 2": False,
    "import sys\nsys.exit()": "import sys",
    "TWO = 2\nprint(TWO)": "TWO = 2",
}


@pytest.mark.parametrize("cell", ["setup", "test_double"])
@pytest.mark.parametrize("added", ADDED)
def test_what_was_added_is_kept_if_it_touches_only_new_names(cell, added):
    result = run(submission(**{cell: f"{added}\n{SOLVED.cells[at(SOLVED, cell)].source}"}))
    kept = added if ADDED[added] is True else ADDED[added]
    assert re.sub(r"\n+", "\n", "".join(own_cells(result))) == re.sub(r"\n+", "\n", kept or "")
    if kept:
        assert at(result.notebook, "student-cell-1") == at(result.notebook, cell) + (1 if cell == "setup" else -1)


@pytest.mark.parametrize(
    "added", ["double = lambda x: 2 * x", "def triple(x):\n    return 3 * x", "import json as math"]
)
def test_what_was_added_to_a_test_replaces_nothing(added):
    nb = submission(double=GOOD, triple=GOOD.replace("double", "triple"))
    nb.cells[at(nb, "test_double")].source += f"\n{added}"
    assert own_cells(run(nb)) == []


@pytest.mark.parametrize("uses", ["math.TWO * x", "TABLE[0] * x", "x + x"])
def test_an_answer_that_uses_what_was_left_out_says_so(uses):
    changed = "import math\nmath.TWO = 2"
    nb = submission(setup=changed, double=f"def double(x):\n    return {uses}")
    nb.cells.insert(2, new_code_cell("TABLE = [math.TWO]"))
    said = [f for f in run(nb).findings if f.kind == "addition-left-out"]
    assert [f.where for f in said] == (["double"] if uses != "x + x" else [])
    assert all("uses “math”, and changes to the cell setup that concern this were left out" in f.text for f in said)


def test_a_word_that_was_corrected_in_a_helper_cell_concerns_no_answer():
    course = Course(Path(__file__).parents[2])
    source, release = (read_notebook(path("05_positional_encoding")) for path in (course.source, course.released))
    nb = fill_answers(release, {e.name: e.answer for e in exercises(source)})
    cell = nb.cells[at(nb, "helpers_checks_rotations")]
    word = re.search(r'"([A-Z][a-z]+ [^"{}\\]{12,60})"', cell.source)
    cell.source = cell.source.replace(word[1], f"{word[1]} (old)", 1)
    assert kinds(transplant(source, nb, release=read_notebook(course.released("05_positional_encoding")))) == [
        "locked-changed"
    ]


COURSE = Path(__file__).parents[2]


def with_other_words(source):
    """Return code with another word in a text of each statement, as a release has it in which that was corrected."""
    tree = ast.parse(source)
    for node in tree.body:
        texts = (n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
        if text := next((n for n in texts if re.search("[a-z]{4}", n.value)), None):
            text.value = re.sub("[a-z]{4}", "word", text.value, count=1)
    return ast.unparse(tree)


@pytest.mark.parametrize("name", sorted(path.name for path in (COURSE / "notebooks").iterdir() if path.is_dir()))
def test_words_that_were_corrected_in_helper_and_test_cells_concern_no_answer(name):
    """What such a function binds or stores into is its own, as `mask` of the answer is the answer's own."""
    course = Course(COURSE)
    source, release = (read_notebook(path(name)) for path in (course.source, course.released))
    nb = fill_answers(release, {e.name: e.answer for e in exercises(source)})
    for cell in nb.cells:
        if kind_of(cell) in (CellKind.HELPERS, CellKind.TEST):
            cell.source = with_other_words(cell.source)
    result = transplant(source, nb, release=read_notebook(course.released(name)))
    assert {*kinds(result)} == {"locked-changed", "test-changed"}
    assert own_cells(result) == []


@pytest.mark.parametrize("loop", ["for bits in (1, 2):{}", "for bits in (1, 2):\n    total = 2 * bits{}"])
@pytest.mark.parametrize("more", [', "no"', "\n    print(bits)"])
@pytest.mark.parametrize("body", ["bits = x\n    return bits + bits", "return TABLE[bits] * x"])
def test_a_loop_that_was_changed_in_a_test_concerns_no_answer_and_is_no_cell_of_the_students(loop, more, body):
    source, nb = copy.deepcopy(SOURCE), submission(double=f"bits = 0\n\n\ndef double(x):\n    {body}")
    looks = "\n    assert double(bits) == 2 * bits"
    source.cells[at(source, "test_double")].source = loop.format(looks)
    nb.cells[at(nb, "test_double")].source = loop.format(looks + more)
    nb.cells.insert(2, new_code_cell("TABLE = [2]"))
    result = run(nb, source)
    assert kinds(result) == ["test-changed"]
    assert own_cells(result) == ["TABLE = [2]"]


def test_what_a_changed_function_stores_into_is_no_name_of_an_answer():
    helper = "def shown(x):\n    TABLE = {}\n    TABLE[x] = {}\n    return TABLE"
    source, nb = copy.deepcopy(SOURCE), submission(double="def double(x):\n    return TABLE[0] * x")
    source.cells[at(source, "setup")].source = helper.format("[]", 1)
    nb.cells[at(nb, "setup")].source = helper.format("[]", 2)
    nb.cells.insert(2, new_code_cell("TABLE = [2]"))
    assert kinds(run(nb, source)) == ["locked-changed"]
    nb.cells[at(nb, "double")].source = "def double(x):\n    return shown(x)[x] * x"
    assert "addition-left-out" in kinds(run(nb, source))


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("np.set_printoptions(precision=3)", False),
        ("np.random.seed(0)", False),
        ("np.testing.assert_allclose(1, 1)", False),
        ("shapes = lambda x: np.shape(x)", False),
        ("np.seterr(all='raise')", True),
        ("np.float128 = float", True),
    ],
)
def test_what_people_set_in_a_locked_cell_is_told_if_an_answer_may_notice(added, told):
    source = copy.deepcopy(SOURCE)
    source.cells[at(source, "setup")].source = "import numpy as np\n\nshapes = len"
    nb = submission(setup=f"import numpy as np\n\n{added}", double="def double(x):\n    return np.add(x, x)")
    assert ("addition-left-out" in kinds(run(nb, source))) == told


def test_a_module_that_an_answer_imports_is_the_one_that_was_changed():
    nb = submission(
        setup="import math\nmath.TWO = 2", double="def double(x):\n    import math\n    return math.TWO * x"
    )
    assert "addition-left-out" in kinds(run(nb))


def test_another_layout_is_no_change():
    result = run(submission(test_double="assert (\n    double(2) == 4\n)  # formatted", setup="import math  # by me"))
    assert result.findings == []


# Demonstrations and the student's own cells


def test_an_edited_demonstration_takes_its_place():
    result = run(submission(shown="shown = 7\nprint(shown)"))
    place = at(result.notebook, "student-cell-1")
    assert result.notebook.cells[place].source == "shown = 7\nprint(shown)"
    assert all(c.id != "shown" for c in result.notebook.cells)
    assert len(result.notebook.cells) == len(SOURCE.cells)
    assert result.findings == []


def test_own_cells_stay_in_place():
    nb = submission()
    place = at(nb, "double")
    nb.cells[place:place] = [new_code_cell("a = 1"), new_markdown_cell("# Mine"), new_raw_cell("raw")]
    nb.cells.insert(0, new_code_cell("z = 1", metadata={"tags": ["helpers", "setup"], "nbgrader": marked("x")}))
    result = run(nb)
    assert own_cells(result) == ["z = 1", "a = 1", "# Mine", "raw"]
    assert [c.id for c in result.notebook.cells[:2]] == ["student-cell-1", "title"]
    assert at(result.notebook, "student-cell-4") == at(result.notebook, "double") - 1
    assert result.findings == []


def test_copies_of_released_cells_are_not_kept():
    nb = submission()
    nb.cells += [copy.deepcopy(c) for c in SOLVED.cells if c.id in ("setup", "shown", "title", "test_double")]
    nb.cells.append(new_code_cell("  \n"))
    assert own_cells(run(nb)) == []


# Answers


def test_the_last_of_several_attempts_counts():
    nb = submission()
    one, two, three = (copy.deepcopy(nb.cells[at(nb, "double")]) for _ in range(3))
    one.source, two.source, three.source = (
        "def double(x): return 0",
        GOOD,
        pristine(SOURCE).cells[at(SOURCE, "double")].source,
    )
    place = at(nb, "double")
    nb.cells[place : place + 1] = [one, two, three]
    result = run(nb)
    assert cell_of(result, "double") == GOOD
    assert own_cells(result) == ["def double(x): return 0"]
    assert kinds(result) == ["answer-twice"]


def test_an_attempt_that_does_not_parse_is_not_preferred():
    nb = submission(double=GOOD)
    broken = copy.deepcopy(nb.cells[at(nb, "double")])
    broken.source = "def double(x):\n    return x +"
    nb.cells.insert(at(nb, "double") + 1, broken)
    assert cell_of(run(nb), "double") == GOOD


def test_a_later_experiment_stays_where_it_is():
    nb = submission(double=GOOD)
    nb.cells.append(new_code_cell("def double(x):\n    return 'an experiment'"))
    result = run(nb)
    assert cell_of(result, "double") == GOOD
    assert result.findings == []


def test_split_with_the_helper_below():
    nb = submission(double="def double(x):\n    return twice(x)")
    nb.cells.insert(at(nb, "double") + 1, new_code_cell("def twice(x):\n    return 2 * x"))
    result = run(nb)
    assert own_cells(result) == ["def twice(x):\n    return 2 * x"]
    assert at(result.notebook, "student-cell-1") == at(result.notebook, "double") + 1


def test_merged_exercises_share_helpers_but_no_side_effects():
    merged = "import math\nfactor = 1\nprint('once')\n\ndef double(x):\n    return 2 * x\n\n"
    merged += "def triple(x):\n    return 3 * factor * x"
    nb = submission(triple=merged)
    del nb.cells[at(nb, "double")]
    result = run(nb)
    assert cell_of(result, "double") == "def double(x):\n    return 2 * x"
    assert cell_of(result, "triple") == merged
    nb = submission(double=merged)
    del nb.cells[at(nb, "triple")]
    result = run(nb)
    assert cell_of(result, "triple") == "factor = 1\n\n\ndef triple(x):\n    return 3 * factor * x"


def test_written_within_the_test_with_changed_checks():
    stub = pristine(SOURCE).cells[at(SOURCE, "double")].source
    nb = submission(
        double=stub, test_double=f"import math\n{GOOD}\nassert double(2) == 4\nassert double(9) == 18\ndouble(3)"
    )
    result = run(nb)
    assert cell_of(result, "double") == f"import math\n\n\n{GOOD}"
    assert result.answered["double"] == "function"
    assert "assert" not in cell_of(result, "double")


def test_written_within_the_self_check_below_a_call():
    stub = pristine(SOURCE).cells[at(SOURCE, "double")].source
    shared = "unit = 2\nresult = double(5)\ndef double(x):\n    return unit * x"
    result = run(submission(double=stub, check=f"print(double(1))\nprint(double(2))\nprint(double(5))\n{shared}"))
    assert cell_of(result, "double") == "unit = 2\n\n\ndef double(x):\n    return unit * x"
    assert cell_of(result, "check") == "print(double(1))\nprint(double(2))"


FILLING = {
    "item": 'TABLE = {}\nTABLE["one"] = 2',
    "loop": 'TABLE = {}\nfor name in ("one", "two"):\n    TABLE[name] = 2',
    "method": "TABLE = {}\nTABLE.update(one=2)",
    "call": 'TABLE = {}\ndef fill():\n    TABLE["one"] = 2\nfill()',
    "other name": 'TABLE = {}\nsame = TABLE\nsame["one"] = 2',
    "helper of the course": 'TABLE = {}\nTABLE["one"] = int(math.sqrt(4))',
}


@pytest.mark.parametrize("filling", FILLING.values(), ids=FILLING)
@pytest.mark.parametrize("place", ["end", "test", "check", "merged"])
def test_what_fills_a_table_comes_with_an_answer_that_is_taken_out_of_a_cell(filling, place):
    source = copy.deepcopy(SOURCE)
    locked = next(c for c in source.cells if kind_of(c) is CellKind.SETUP)
    locked.source = f"import math\n{locked.source}"
    stub = pristine(SOURCE).cells[at(SOURCE, "double")].source
    answer = 'def double(x):\n    return TABLE["one"] * x'
    later = "print(double(1))\nassert double(2) == 4\nTABLE['two'] = not_yet_there\nCOURSE['x'] = TABLE"
    nb = submission(double=stub)
    next(c for c in nb.cells if grade_id(c) == grade_id(locked)).source = locked.source
    if place == "end":
        nb.cells.append(new_code_cell(f"{filling}\n{answer}\n{later}"))
    else:
        home = nb.cells[at(nb, {"test": "test_double", "check": "check", "merged": "triple"}[place])]
        home.source = f"{filling}\n{answer}\n{later}\n{home.source}"
    taken = cell_of(run(nb, source), "double")
    space = {"math": __import__("math")}
    exec(taken, space)
    assert space["double"](4) == 8
    assert not re.search("print|assert|not_yet_there|COURSE", taken)


def test_an_import_as_an_answer_is_no_leftover():
    assert cell_of(run(submission(double="from impl import double")), "double") == "from impl import double"


def test_a_function_with_another_name_is_named():
    result = run(submission(double="def doubel(x):\n    return 2 * x"))
    assert result.answered["double"] == "missing"
    finding = result.findings[0]
    assert finding.level is Level.LOST
    assert "\u201cdoubel\u201d looks like it" in finding.text


def test_by_position():
    nb = submission()
    nb.cells[at(nb, "double")] = new_code_cell("class Doubler:\n    pass")
    result = run(nb)
    assert result.answered["double"] == "position"
    assert "answer-by-place" in kinds(result)


def test_a_cell_that_cannot_be_mended():
    result = run(submission(double="def double(x):\n    return (x"))
    assert kinds(result) == ["syntax-error"]
    assert cell_of(result, "double") == "def double(x):\n    return (x"


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("3.99.1", "saved with Python 3.99"),
        ("3.99", "saved with Python 3.99"),
        ("3.1.0", ""),
        ([3, 99], ""),
        (None, ""),
    ],
)
def test_what_may_be_valid_in_a_newer_python_is_called_so(version, said):
    nb = submission(double="def double(x):\n    return 2 * x as y")
    nb.metadata["language_info"] = {"name": "python", "version": version}
    (finding,) = [f for f in run(nb).findings if f.kind == "syntax-error"]
    assert (said or "is not valid Python, so") in finding.text
    assert ("saved with" in finding.text) == bool(said)
    ours = f"Marking uses Python {sys.version_info.major}.{sys.version_info.minor}"
    assert (ours in finding.text) == (version in (None, [3, 99])), "if no version is told"
    assert ("may be valid in a newer Python" in finding.text) == (ours in finding.text)


@pytest.mark.parametrize("terms", [1500, 5000])
@pytest.mark.parametrize("version", ["3.11.2", "3.99.1"])
def test_what_is_too_deep_for_python_is_not_called_wrong(terms, version):
    nb = submission(double="def double(x):\n    return 2 * x" + " + 0" * terms)
    nb.metadata["language_info"] = {"name": "python", "version": version}
    (finding,) = [f for f in run(nb).findings if f.kind == "syntax-error"]
    assert finding.text.endswith("is nested deeper than Python can follow, so it cannot be run.")


def test_a_cell_that_is_too_long_to_be_looked_at_is_taken_as_it_is():
    text = "def double(x):\n    return 2 * x\n" + "# a remark\n" * (MAX_PARSED // 10)
    result = run(submission(double=text))
    assert kinds(result) == ["long-cell"]
    assert cell_of(result, "double").strip() == text.strip()


def test_a_lone_lambda_counts():
    assert run(submission(double="double = lambda x: 2 * x")).findings == []


def test_words_added_to_a_neighbour():
    nb = submission(written_why="*Write your answer here.*", why="Why?\n\nBecause the state has a fixed size.")
    result = run(nb)
    assert cell_of(result, "written_why") == "Because the state has a fixed size."
    assert result.answered["written_why"] == "position"


@pytest.mark.parametrize(
    "answer", ["See above.", "To sum up, it need not be so: another state could carry the same words."]
)
def test_words_in_the_cell_of_the_question_come_with_those_of_the_answer(answer):
    words = "Because the state has a fixed size."
    result = run(submission(written_why=answer, why=f"Why?\n\n{words}"))
    assert cell_of(result, "written_why") == f"{words}\n\n{answer}"
    assert result.answered["written_why"] == "grade_id"
    assert [f.text for f in result.findings] == [
        "A part of the written answer (written_why) stood in the cell of the question; all its texts were kept."
    ]


def test_words_within_a_line_of_the_question_come_without_it():
    source = copy.deepcopy(SOURCE)
    question = "Why does the state of the encoder have a fixed size, whatever the length of the sentence is?"
    source.cells[at(source, "why")].source = question
    for line, words in [
        (f"{question} Because it is one vector of the network.", "Because it is one vector of the network."),
        (question.replace("fixed", "fxed"), ""),
        (
            question.replace(",", " (it is one vector of the network, I think),"),
            "size (it is one vector of the network, I think),",
        ),
    ]:
        nb = submission(written_why="*Write your answer here.*", why=line)
        assert cell_of(run(nb, source), "written_why") == (words or "*Write your answer here.*")


def test_words_in_a_cell_that_was_merged_with_the_question():
    source = copy.deepcopy(SOURCE)
    place = at(source, "why")
    source.cells.insert(place, new_markdown_cell("## The last part\n\nIt is short.\n\nIt ends here.", id="last"))
    nb = submission(written_why="*Write your answer here.*")
    nb.cells[place].source = "\n\n".join([source.cells[place].source, "Why?", "Because the state has a fixed size."])
    nb.cells[place].id = "last"
    del nb.cells[place + 1]
    assert cell_of(run(nb, source), "written_why") == "Because the state has a fixed size."


def test_a_remark_in_any_released_text_cell_is_kept_in_the_marked_notebook():
    nb = submission()
    nb.cells[at(nb, "title")].source += "\n\nA remark of my own about this part."
    result = run(nb)
    assert own_cells(result) == ["A remark of my own about this part."]
    assert cell_of(result, "written_why") == nb.cells[at(nb, "written_why")].source


@pytest.mark.parametrize("answer", ["*Write your answer here.*", "See below."])
@pytest.mark.parametrize("make", [new_markdown_cell, lambda text: new_code_cell(f'"""{text}"""')])
def test_where_a_longer_text_stands_is_said_if_the_written_answer_is_next_to_nothing(answer, make):
    words = "Because the state is one vector of a fixed size, whatever the length of the sentence is."
    nb = submission(written_why=answer)
    nb.cells.insert(1, make(words))
    [finding] = run(nb).findings
    assert (finding.kind, finding.level) == ("words-elsewhere", Level.LOST)
    assert "cell 2 of the notebook that was handed in holds a text of the student's own" in finding.text
    nb = submission()
    nb.cells[at(nb, "written_why")].source = words
    nb.cells.insert(1, make(words + " Or so."))
    assert run(nb).findings == []


SAYING = "Because the state is one vector of a fixed size, whatever the length of the sentence is."
CHINESE_SAYING = "因为状态是一个长度固定的向量，不管句子有多长都是这样。"


@pytest.mark.parametrize(
    "code",
    [
        f'print("""{SAYING}""")',
        f'my_answer = "{SAYING}"',
        f'from IPython.display import Markdown\nMarkdown("{SAYING}")',
        f"# {SAYING}\nprint(0.82 - 0.11)",
        f'answer = "{CHINESE_SAYING}"',
    ],
)
def test_words_in_code_beside_an_empty_written_answer_are_said(code):
    for behind in (0, 1):
        nb = submission(written_why="*Write your answer here.*")
        nb.cells.insert(at(nb, "written_why") + behind, new_code_cell(code))
        assert ("words-elsewhere", Level.LOST) in [(f.kind, f.level) for f in run(nb).findings]
        nb = submission()
        nb.cells.insert(at(nb, "written_why") + behind, new_code_cell(code))
        assert "words-elsewhere" not in kinds(run(nb))


TYPED = {
    "as it is": SAYING,
    "as it is, with more": f"My answer:\n\n{SAYING}\n\n- So it is lost.",
    "shown": f"%%markdown\n{SAYING}",
    "printed": f'print("""{SAYING}""")',
    "in a comment": f"# {SAYING[:50]}\n# {SAYING[50:]}",
    "Chinese": CHINESE_SAYING,
    "Chinese, printed": f'print("{CHINESE_SAYING}")',
}


@pytest.mark.parametrize("form", TYPED)
@pytest.mark.parametrize("place", ["first", "in the middle", "above the question"])
def test_prose_in_a_code_cell_anywhere_is_said_if_the_written_answer_is_untouched(form, place):
    cell = new_code_cell(TYPED[form])
    for words, said in (("*Write your answer here.*", True), (SAYING + " Or so.", False)):
        nb = submission(written_why=words)
        where = {"first": 0, "in the middle": at(nb, "test_double"), "above the question": at(nb, "why")}[place]
        nb.cells.insert(where, cell)
        assert (("words-elsewhere", Level.LOST) in [(f.kind, f.level) for f in run(nb).findings]) == said


CODES = {
    "code with a remark": "# Let me look at what happens with a sentence that is much longer than the others.\n"
    "for length in (5, 10, 20, 40, 80):\n    states = [double(n) for n in range(length)]\n"
    "    print(length, sum(states) / length, max(states), min(states))",
    "code in comments": "# for number in range(10): print(double(number), number, double(number) - number)\n" * 3,
    "an explained function": f'def twice(x):\n    """{SAYING}"""\n    return 2 * x',
    "code that is none": "for number in range(10)\n    print(number, double(number), double(number) - number)",
    "a command": "!pip install --quiet tensorflow keras numpy matplotlib nbformat nbconvert nbgrader",
}


@pytest.mark.parametrize("form", CODES)
def test_code_far_from_an_untouched_written_answer_is_nothing_to_look_at(form):
    nb = submission(written_why="*Write your answer here.*")
    nb.cells.insert(0, new_code_cell(CODES[form]))
    assert "words-elsewhere" not in kinds(run(nb))


@pytest.mark.parametrize("code", ["print(double(21))", "x = double(4)  # eight", "import numpy as np\nnp.arange(4)"])
def test_code_without_words_beside_an_empty_written_answer_is_nothing_to_look_at(code):
    nb = submission(written_why="*Write your answer here.*")
    nb.cells.insert(at(nb, "written_why") + 1, new_code_cell(code))
    assert "words-elsewhere" not in kinds(run(nb))


@pytest.mark.parametrize(
    ("words", "said"), [("\n\nIt is one vector.", True), ("\n\n长度固定的", True), ("\n", False), (" ok", False)]
)
def test_a_few_words_in_the_question_of_an_empty_written_answer_are_said(words, said):
    source = copy.deepcopy(SOURCE)
    place = at(source, "written_why")
    source.cells[place - 1].source = QUESTION
    nb = submission(written_why="*Write your answer here.*")
    nb.cells[place - 1].source = QUESTION + words
    assert ("words-elsewhere" in kinds(run(nb, source))) == said


LONG_SAYING = f"{SAYING} A longer one leaves less for each of its words. So what is said early in it is lost first."
LONG_SAYING += " Attention looks back at all of them."
TYPED_AS = {"text": "\n\n{}", "comment": "\n\n# {}", "string": '\n\n"""{}"""'}
REMARKS = [
    ("title", "text", SAYING),
    ("exercise", "text", SAYING),
    ("setup", "comment", SAYING),
    ("setup", "string", SAYING),
    ("shown", "comment", SAYING),
    ("shown", "string", SAYING),
    ("shown", "comment", CHINESE_SAYING),
    ("check", "comment", SAYING),
    ("test_double", "comment", SAYING),
    ("test_double", "string", SAYING),
    ("double", "comment", LONG_SAYING),
    ("double", "string", LONG_SAYING),
]


@pytest.mark.parametrize(("name", "form", "words"), REMARKS)
@pytest.mark.parametrize("marks", [True, False])
def test_words_in_a_released_cell_are_said_and_kept_if_the_written_answer_is_empty(name, form, words, marks):
    for answer in ("*Write your answer here.*", f"{SAYING} Or so."):
        nb = submission(written_why=answer)
        cell = nb.cells[at(nb, name)]
        place = at(nb, name)
        cell.source += TYPED_AS[form].format(words)
        if not marks and name not in ("title", "exercise", "double"):
            cell.metadata, cell.id = {}, "another"
        result = run(nb)
        said = [f.text for f in result.findings if f.kind == "words-elsewhere"]
        if answer.startswith(SAYING):
            assert said == []
            continue
        assert [f"cell {place + 1} of the notebook that was handed in" in text for text in said] == [True]
        [holding] = [c for c in result.notebook.cells if words in c.source]
        # Next to where they were typed, at a place that no test of the exercise is at.
        assert abs(result.notebook.cells.index(holding) - place) <= 1


def test_words_that_are_the_whole_cell_of_another_kind_are_said():
    for name, made in (("shown", new_markdown_cell(SAYING)), ("title", new_code_cell(SAYING))):
        nb = submission(written_why="*Write your answer here.*")
        nb.cells[at(nb, name)] = made | {"id": name, "metadata": nb.cells[at(nb, name)].metadata}
        assert "words-elsewhere" in kinds(run(nb))


NO_ANSWERS = {
    "a name": ("title", "\n\nName: Ada Lovelace, Matriculation Number 12345678, Group 3, Tutor Charles Babbage"),
    "a date": ("title", "\n\nHanded in on Monday, 28 November 2026"),
    "a remark": ("title", "\n\nI had to look this up."),
    "remarks on an answer": ("double", f"\n\n# {SAYING}"),
    "remarks within an answer": (
        "double",
        "\n\n\ndef helper(x):\n" + "".join(f"    # {LONG_SAYING}\n    x += {n}\n" for n in range(2)),
    ),
    "an old form of an answer": ("double", "\n\n# def double(x):\n#     y = x * 2 * 1\n#     return y + 0 * x * y" * 3),
    "another experiment": ("shown", "\n# with more\nfor n in range(5):\n    print('the double of', n, 'is', 2 * n)"),
    "an explained function": ("shown", f'\ndef twice(x):\n    """{SAYING}"""\n    return 2 * x'),
    "what the release says": ("shown", "\n# {}"),
}


@pytest.mark.parametrize("case", NO_ANSWERS)
def test_what_else_is_added_to_released_cells_is_nothing_to_look_at(case):
    name, added = NO_ANSWERS[case]
    source = copy.deepcopy(SOURCE)
    told = "Doubling is what we do with each of the numbers in this notebook, and there is nothing else to it."
    source.cells[at(source, "title")].source += f"\n\n{told}"
    nb = submission(written_why="*Write your answer here.*", title=source.cells[at(source, "title")].source)
    nb.cells[at(nb, name)].source += added.format(told) if "{}" in added else added
    assert "words-elsewhere" not in kinds(run(nb, source))


@pytest.mark.parametrize("form", ["text", "comment", "value"])
@pytest.mark.parametrize(("words", "said"), [(SAYING, False), (LONG_SAYING, True)])
def test_a_prediction_in_words_is_no_written_answer(form, words, said):
    source = copy.deepcopy(SOURCE)
    place = at(source, "shown")
    asked = "> **Predict.** What is the double of two?"
    source.cells.insert(place, new_markdown_cell(asked, id="asked"))
    nb = submission(written_why="*Write your answer here.*")
    nb.cells.insert(place, new_markdown_cell(asked, id="asked"))
    source.cells[place + 1].source = nb.cells[place + 1].source = "my_guess = None  # in your words\nshown = 1"
    if form == "text":
        nb.cells[place].source += f" {words}"
    elif form == "comment":
        nb.cells[place + 1].source = f"my_guess = 4  # {words}\nshown = 1"
    else:
        nb.cells[place + 1].source = f'my_guess = "{words}"\nshown = 1'
    assert ("words-elsewhere" in kinds(run(nb, source))) == said


def test_a_released_cell_that_mail_changed_holds_no_words_of_a_students():
    source = copy.deepcopy(SOURCE)
    code = "".join(f'def f{n}():\n    return "the {n}th of many numbers, doubled – and so on"\n' for n in range(9))
    source.cells[at(source, "setup")].source = code
    nb = submission(written_why="*Write your answer here.*", setup=code.replace("doubled –", "do?bled ?"))
    assert "words-elsewhere" not in kinds(run(nb, source))


def test_words_kept_from_released_cells_are_bounded():
    nb = submission(written_why="*Write your answer here.*")
    for name in ("setup", "shown", "test_double"):
        nb.cells[at(nb, name)].source += "".join(f"\n# {SAYING} For the {n}th time." for n in range(200))
    assert sum(map(len, own_cells(run(nb)))) < 21_000


QUESTION = (
    "## A written answer\n\nWhy does the state have a fixed size?\n\n```python\nstate = double(1)\n```\n\nIs it so?"
)
AFTER = "## What you learned\n\n- A state has a fixed size."
OWN = "Because it is one vector.\n\n- It is always so.\n- Why does the state have a fixed size, you ask? It has."


@pytest.mark.parametrize("name", ["nb.txt", "nb.ipynb", "nb.md"])
@pytest.mark.parametrize("question", [QUESTION, QUESTION.replace("state have", "sttate have")])
@pytest.mark.parametrize("words", [OWN, "*Write your answer here.*"])
def test_a_written_answer_in_markdown_holds_no_words_of_the_release(name, question, words):
    source = copy.deepcopy(SOURCE)
    place = at(source, "written_why")
    source.cells[place - 1].source = QUESTION
    source.cells[place].source = "### BEGIN SOLUTION\nX\n### END SOLUTION"
    source.cells.insert(place + 1, new_markdown_cell(AFTER, id="after"))
    nb = submission(why=question, written_why=words)
    nb.cells.insert(place + 1, new_markdown_cell(AFTER))
    texts = [c.source if c.cell_type == "markdown" else f"```python\n{c.source}\n```" for c in nb.cells]
    read, findings = read_submission("\n\n\n".join(texts).encode(), name)
    assert [f.kind for f in findings] == ["script"]
    result = run(read, source)
    if question == QUESTION:
        assert own_cells(result) == []
    assert cell_of(result, "written_why") == words
    assert cell_of(result, "double") == cell_of(run(submission()), "double")


def test_words_around_the_code_of_an_answer_are_kept():
    stub = pristine(SOURCE).cells[at(pristine(SOURCE), "double")].source
    words = f"I think that the state has a fixed size.\n\n```python\n{GOOD}\n```"
    for place, holds in [("written_why", "written_why"), ("exercise", None)]:
        nb = submission(double=stub)
        if holds:
            nb.cells[at(nb, holds)].source = words
        else:
            nb.cells.insert(at(nb, place), new_markdown_cell(words))
        result = run(nb)
        assert cell_of(result, "double") == GOOD
        assert cell_of(result, "written_why") == words if holds else words in own_cells(result)
        assert "where Jupyter does not run it; the code was taken, and the words were kept." in result.findings[0].text
    nb = submission()
    nb.cells[at(nb, "double")] = new_markdown_cell(words, metadata=nb.cells[at(nb, "double")].metadata)
    result = run(nb)
    assert cell_of(result, "double") == GOOD
    assert words in own_cells(result)


def jpeg(characters):
    """Return a JPEG of one pixel in base64, so long by a comment."""
    head, scan = bytes([0xFF, 0xD8]), bytes([0xFF, 0xC0, 0, 8, 8, 0, 1, 0, 1, 0, 0xFF, 0xDA, 0, 2, 1, 0xFF, 0xD9])
    left, comments = characters * 3 // 4 - len(head) - len(scan), b""
    while left > 4:
        length = min(left, 60_000)
        comments += bytes([0xFF, 0xFE]) + (length - 2).to_bytes(2, "big") + b"a" * (length - 4)
        left -= length
    return base64.b64encode(head + comments + scan).decode()


def test_pictures_of_a_written_answer_are_kept():
    nb = submission()
    pictures = {"a.png": {"image/png": "aGk=", "text/html": "<script>"}, "b.svg": {"image/svg+xml": "<svg/>"}}
    nb.cells[at(nb, "written_why")]["attachments"] = pictures
    nb, _ = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    result = run(nb)
    assert result.notebook.cells[at(result.notebook, "written_why")].attachments == {"a.png": {"image/png": "aGk="}}


def test_a_photo_that_colab_put_into_the_text_is_an_attachment_of_the_answer():
    nb, photo = submission(), jpeg(900_000)
    nb.cells[at(nb, "written_why")].source = f"As in my sketch: ![sketch.jpg](data:image/jpeg;base64,{photo})"
    nb, findings = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    assert findings == []
    made = run(nb).notebook
    answer = made.cells[at(made, "written_why")]
    [name] = answer.attachments
    assert answer.source == f"As in my sketch: ![sketch.jpg](attachment:{name})"
    assert answer.attachments[name] == {"image/jpeg": photo}


def test_what_pictures_in_texts_add_is_bounded_and_what_is_left_out_is_said():
    nb = submission()
    for n in range(20):
        photo = {"photo.jpg": {"image/jpeg": jpeg(1_000_000)}}
        nb.cells.append(new_markdown_cell(f"Photo {n} ![x](attachment:photo.jpg)", attachments=photo))
    nb, findings = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    assert len(nbformat.writes(run(nb).notebook)) < 11_000_000
    [finding] = findings
    assert (finding.kind, finding.level) == ("pictures-left-out", Level.LOST)
    assert finding.text.startswith("10 pictures in the text of nb.ipynb are too large or too many")


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("image/jpeg", "jpeg", False),
        ("image/jpg", "jpeg", False),
        ("image/jpeg", "behind", False),  # what telephones write behind a picture's end is left out
        ("image/jpeg", "half", True),
        ("image/gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", True),
        ("image/webp", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", True),
        ("image/svg+xml", "PHN2Zy8+", True),
        ("image/png", "aGk=", True),
    ],
)
def test_a_picture_that_no_page_shows_is_said(kind, data, said):
    nb = submission()
    whole = base64.b64decode(jpeg(3_000))
    behind, half = (base64.b64encode(one).decode() for one in (whole + b"trailer", whole[:-2]))
    data = {"jpeg": jpeg(3_000), "behind": behind, "half": half}.get(data, data)
    nb.cells[at(nb, "written_why")]["attachments"] = {"sketch": {kind: data}}
    nb, findings = read_submission(nbformat.writes(nb).encode(), "nb.ipynb")
    assert [(f.kind, f.level) for f in findings] == [("pictures-not-shown", Level.LOST)] * said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("![](https://example.org/a.png)", 1),
        ('Long words.\n\n<img src="sketch.png" width="400"> ![](attachment:lost.png)', 2),
        ("![a](attachment:my%20pic.png) and <img src='attachment:my pic.png' width='400'>", 0),
        ("In Markdown one writes `![text](sketch.png)` for a picture.", 0),
        ("As the course shows: ![badge](https://example.org/badge.svg)", 0),
        ("words alone", 0),
    ],
)
def test_pictures_that_an_answer_asks_for_in_vain_are_said(text, said):
    source, photo = copy.deepcopy(SOURCE), {"my pic.png": {"image/jpeg": jpeg(3_000)}}
    source.cells[at(source, "written_why") - 1].source += "\n\n![badge](https://example.org/badge.svg)"
    nb = submission(written_why=text)
    nb.cells[at(nb, "written_why")]["attachments"] = photo
    nb.cells.append(new_markdown_cell("My notes: ![x](https://example.org/x.png)"))
    result = run(nb, source)
    assert cell_of(result, "written_why") == text
    found = [f for f in result.findings if f.kind == "pictures-not-shown"]
    assert [(f.where, f.level) for f in found] == [("written_why", Level.LOST)] * bool(said)
    assert all(f"({said} in all)" in f.text for f in found)


@pytest.mark.parametrize("written", ["my%20pic.png", "<my pic.png>"])
def test_pictures_of_two_cells_stay_apart_however_their_name_is_written(written):
    nb, photos = submission(written_why=""), [jpeg(3_000), jpeg(4_000)]
    texts = [f"Words of part {n}, of some length. ![s]({written.replace('my', 'attachment:my')})" for n in (1, 2)]
    for text, photo in zip(reversed(texts), reversed(photos), strict=True):
        mine = new_markdown_cell(text, attachments={"my pic.png": {"image/jpeg": photo}})
        nb.cells.insert(at(nb, "written_why") + 1, mine)
    made = run(nb).notebook
    answer = made.cells[at(made, "written_why")]
    assert [forms["image/jpeg"] for forms in answer.attachments.values()] == photos
    assert re.findall(r"attachment:(\S*?my)", answer.source) == ["my", "1-my"]
    assert answer.source.count("attachment:1-my%20pic.png") == 1


def test_another_notebook():
    result = run(new_notebook(cells=[new_code_cell("shopping = ['milk']")]))
    assert "other-notebook" in kinds(result)
    assert set(result.answered.values()) == {"missing"}


def test_code_that_cannot_be_followed_costs_that_look_and_no_marks(two, monkeypatch):
    def cannot(nb, assignment, elsewhere):
        yield Finding("given-copied", "", "seen before that", Level.SUSPICIOUS)
        raise RecursionError

    monkeypatch.setattr(taken_over, "copied", cannot)
    path = two.source("09_doubling")
    made = handed._plant(Kit.read(path, course_config(two)), path.name, path.read_bytes())
    assert [f.kind for f in made.findings if f.level is not Level.REPAIRED] == ["given-copied", "nested-too-deeply"]


@pytest.mark.parametrize("name", ["nb.ipynb", "nb.py"])
@pytest.mark.parametrize(("asked", "handed_in"), [("09_doubling", "08_tripling"), ("09_doubling", "09_doubling")])
def test_the_notebook_of_another_assignment_is_named_even_if_they_share_cells(two, name, asked, handed_in):
    """It has the same set-up cells, so something in it belonged to the assignment, and nothing said which it is."""
    kit = Kit.read(two.source(asked), course_config(two))
    nb = read_notebook(two.source(handed_in))
    if name.endswith(".py"):
        data = "\n\n".join(c.source if c.cell_type == "code" else f'"""{c.source}"""' for c in nb.cells).encode()
    else:
        data = nbformat.writes(nb).encode()
    said = [(f.level, f.text) for f in handed._plant(kit, name, data).findings if f.kind == "other-notebook"]
    text = "This notebook is 08_tripling, another assignment; the right one has to be handed in."
    assert said == [(Level.LOST, text)] * (asked != handed_in)


def test_a_word_or_two_of_another_assignment_make_no_notebook_of_it():
    """The words of a notebook's own assignment may be damaged, and each holds some of another one's."""
    words = {name: [f"{name}_{n}" for n in range(20)] for name in ("ours", "other")}
    kit = Kit("ours", SOURCE, SOLVED, "", "", {}, {}, words)
    assert kit.another(" ".join(words["other"][:4]).encode()) == "other"
    assert kit.another(" ".join(words["other"][:3]).encode()) is None
    assert kit.another(" ".join(words["other"][:6] + words["ours"][:2]).encode()) is None
    assert kit.another(b"nothing") is None


# Mending


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("!pip install x\n{}", "# !pip install x\n{}"),
        ("files = !ls\n{}", "# files = !ls\n{}"),
        ("!pip install \\\n    x\n{}", "# !pip install \\\n# x\n{}"),
        ("files = !ls \\\n  -l\n{}", "# files = !ls \\\n# -l\n{}"),
        ("print?\n{}", "# print?\n{}"),
        ("{}\nif True:\n    !ls", "{}\nif True:\n    pass  # !ls"),
        ("%%cell_to_skip\n{}", "# %%cell_to_skip\n{}"),
        ("from google.colab import drive\n{}", "# from google.colab import drive\n{}"),
        ("import google.colab.files as f\nf.upload()\n{}", "# import google.colab.files as f\n# f.upload()\n{}"),
        ("drive.mount(\n    '/x'\n)\n{}", "# drive.mount(\n#     '/x'\n# )\n{}"),
        ("get_ipython().system('ls')\n{}", "# get_ipython().system('ls')\n{}"),
        ("import nowhere\n{}", "# import nowhere\n{}"),
        (">>> a = 1\n{}", "a = 1\n{}"),
        ("```python\n{}\n```", "\n{}\n"),
        ("{}\u200b\nx = “a”", '{}\nx = "a"'),
    ],
)
def test_leftovers(text, mended):
    found = mend.mend(text.replace("{}", GOOD))
    assert found.text == mended.replace("{}", GOOD)
    assert found.tree is not None
    assert found.done


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        'x = """\n!pip install\n%cd\n"""',
        "x = (1\n% 2)",
        "import math\nimport turtle\nturtle.up()",
        "import nowhere\nnowhere.go()",
        "drive = 3\ndef mount(): pass",
        "class drive:\n    def mount(x): pass\ndrive.mount(3)",
        "try:\n    import google.colab\nexcept ImportError:\n    pass",
        "x = “this is broken in another way (",
        'def double(x):\n    raise NotImplementedError("not written yet")\n    return 2 * x',
        "x = '“quoted”'",
        "def f(:\n    !ls",
    ],
)
def test_what_is_left_as_it_is(text):
    read = used_anywhere(tree) if (tree := parsing.parse(text)) else set()
    assert mend.mend(text, read=read).text == text


@pytest.mark.parametrize("head", ["%matplotlib inline", "%%time", "%%capture out", "%config X.y = 1"])
def test_quiet_magics_say_nothing(head):
    assert mend.mend(f"{head}\n{GOOD}").done == ()


def test_a_cell_of_another_language_does_nothing():
    assert mend.mend("%%bash\nls -l").tree.body == []


@pytest.mark.parametrize(
    "head", ["%%timeit", "%%timeit -n 1", "%%memit", "%%writefile x.py", "%%python", "%%sx", "%%!"]
)
def test_a_cell_whose_names_ipython_leaves_nowhere_replaces_nothing(head):
    nb = submission(double=GOOD)
    nb.cells.insert(at(nb, "double") + 1, new_code_cell(f"{head}\ndef double(x):\n    return 3 * x\ndouble(2)"))
    result = run(nb)
    assert (cell_of(result, "double"), result.findings) == (GOOD, [])
    assert all(line.startswith("# ") for line in own_cells(result)[0].split("\n"))


OLD = "def double(x):\n    return 3 * x"


@pytest.mark.parametrize("head", ["%%skip", "%%skip old version", "\n%%not_now", "%%script_off False"])
@pytest.mark.parametrize("answer", [GOOD, f"%%time\n{GOOD}", f"%matplotlib inline\n{GOOD}"])
def test_what_a_magic_that_is_not_known_holds_replaces_nothing_that_another_cell_defines(head, answer):
    nb = submission(double=answer)
    nb.cells.insert(at(nb, "double") + 1, new_code_cell(f"{head}\n{OLD}\ndouble(2)"))
    result = run(nb)
    assert cell_of(result, "double").endswith(GOOD)
    assert OLD not in "\n".join(c.source for c in result.notebook.cells)
    assert "answer-twice" not in kinds(result)


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        (f"%%skip\n{OLD}", "x = 1"),
        (f"%%skip\n{OLD}", "def double(x):\n    raise NotImplementedError"),
        (GOOD, f"%%debug\n{OLD}"),
        (GOOD, f"%%capture out\n{OLD}"),
        (f"%%not_now\n{GOOD}", f"%%skip\n{OLD}"),
        (f"{GOOD}\nother = 2", f"%%skip\n{OLD}".replace("double", "twice")),
    ],
)
def test_what_such_a_magic_holds_stays_if_it_is_all_that_there_is(answer, own):
    nb = submission(double=answer)
    nb.cells.insert(at(nb, "double") + 1, new_code_cell(own))
    held = OLD.replace("double", "twice") if "twice" in own else OLD
    assert held in "\n".join(c.source for c in run(nb).notebook.cells)


def test_what_a_timed_cell_does_with_objects_stays():
    assert mend.mend("%%timeit -n1 -r1\ntable.append(2)").text == "# %%timeit -n1 -r1\ntable.append(2)"


@pytest.mark.parametrize("copied", [False, True])
def test_an_answer_under_such_a_magic_counts_if_there_is_no_other(copied):
    nb = submission(double=f"%%timeit\n{GOOD}")
    if copied:
        nb.cells.insert(at(nb, "double"), new_code_cell("def double(x):\n    return 2 * x"))
    assert cell_of(run(nb), "double") == ("def double(x):\n    return 2 * x" if copied else f"# %%timeit\n{GOOD}")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("%time build(table)", "build(table)"),
        ("for k in (1, 2):\n    %time table.append(k)", "for k in (1, 2):\n    table.append(k)"),
        ("%time x = 3", "x = 3"),
        ("x = %time build(3)", "x = build(3)"),
        ("%time", "# %time"),
        ("%time no python", "# %time no python"),
        ("%timeit x = 3", "# %timeit x = 3"),
    ],
)
def test_what_is_timed_is_code_like_any_other(text, mended):
    assert mend.mend(text) == mend.Mended(mended, mend.mend(text).tree)
    assert mend.mend(text).tree is not None


@pytest.mark.parametrize(
    ("head", "own"),
    [
        ("from google.colab import files", ["files = []", "files.append(2)"]),
        ("from google.colab import output\noutput.clear()", ["output = {}", "output.update(k=2)"]),
    ],
)
def test_a_name_from_colab_may_be_used_again(head, own):
    nb = submission(double=GOOD)
    nb.cells[2:2] = map(new_code_cell, [head, *own])
    assert own_cells(run(nb))[1:] == own
    assert all(line.startswith("# ") for line in own_cells(run(nb))[0].split("\n"))


# Whatever comes


names = st.sampled_from([grade_id(c) or c.id for c in SOURCE.cells] + ["double", "x"])
texts = st.sampled_from(
    [c.source for c in SOLVED.cells]
    + [
        GOOD,
        "def double(x):",
        "    return 2 * x",
        "!pip",
        "def triple(x):\n    return double(x)",
        "”",
        "\0",
        "```\ndef double(x): pass",
    ]
) | st.text(max_size=20)
junk = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.none() | st.text(max_size=3), max_size=2)
cells = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]),
        "source": st.lists(texts, max_size=3).map("\n".join),
    },
    optional={
        "id": names,
        "metadata": junk
        | st.fixed_dictionaries(
            {},
            optional={
                "id": names | junk,
                "tags": junk | st.just(["skip-execution"]),
                "nbgrader": junk | st.fixed_dictionaries({}, optional={"grade_id": names | junk, "points": junk}),
            },
        ),
    },
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(cells, max_size=8))
def test_no_notebook_raises(made):
    nb, _ = read_submission(json.dumps({"cells": made}).encode(), "nb.ipynb")
    run(nb)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(len(SOLVED.cells))), st.sets(st.integers(0, len(SOLVED.cells) - 1), max_size=3))
def test_any_order_gives_all_answers_that_are_there(order, dropped):
    nb = copy.deepcopy(SOLVED)
    nb.cells = [nb.cells[n] for n in order if n not in dropped]
    result = run(nb)
    there = {grade_id(c) for c in nb.cells}
    for name, how in result.answered.items():
        assert (how == "missing") == (name not in there)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="def double(x):\n\t !%'\"“”\u00a0\u200b#=?[]{}\\0", max_size=60))
def test_mending_never_raises_and_never_harms(text):
    found = mend.mend(text)
    assert (found.tree is not None) >= (parsing.parse(text) is not None)


def count_parsed(monkeypatch):
    """Return a list that receives the length of each text that is parsed from now on."""
    parsed = []
    parse = parsing._parse_anew

    def counted(text):
        parsed.append(len(text))
        return parse(text)

    monkeypatch.setattr(parsing, "_parse_anew", counted)
    monkeypatch.setattr(parsing, "_trees", {})
    return parsed


@pytest.mark.parametrize(
    "text",
    [
        "!x\n" * 20_000,
        "(" * 100_000,
        "-" * 100_000 + "1",
        "x." * 50_000,
        "[" * 90 + "]" * 90,
        "f(" * 5000 + ")" * 5000,
        "lambda: " * 20_000,
        "x = 1\n" * 30_000,
        "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 99)),
        "9" * 100_000,
        '"""' + "\\" * 100_001,
        "def double(x):\n" + " return x\n" * 10_000 + "“",
        "a" + "+a" * 60_000,
        "1 < " * 40_000 + "1",
    ],
)
def test_what_takes_long_to_parse_is_not_parsed(text, monkeypatch):
    cells = [new_code_cell(text, metadata=marked("double"))] + [new_code_cell(text + f"\n{n}") for n in range(3)]
    nb, _ = read_submission(nbformat.writes(new_notebook(cells=cells)).encode(), "nb.ipynb")
    parsed = count_parsed(monkeypatch)
    transplant(SOURCE, nb)
    assert max(parsed) <= parsing.MAX_PARSED
    assert sum(parsed) <= 20 * sum(len(c.source) for c in [*nb.cells, *SOURCE.cells])


def test_each_of_many_cells_is_parsed_a_few_times(monkeypatch):
    cells = [
        new_code_cell(f"def helper_{n}(x):\n    return helper_{n - 1}(x)", metadata=marked("double"))
        for n in range(2000)
    ]
    parsed = count_parsed(monkeypatch)
    transplant(SOURCE, new_notebook(cells=cells))
    assert len(parsed) < 2 * len(cells)


def test_ipython_reads_a_long_cell_a_few_times_only(monkeypatch):
    read = []
    real = TransformerManager.do_one_token_transform
    monkeypatch.setattr(
        TransformerManager,
        "do_one_token_transform",
        lambda self, lines: read.append(sum(map(len, lines))) or real(self, lines),
    )
    cells = [new_code_cell("!x\n" * 12_000 + f"({n}", metadata=marked("double")) for n in range(20)]
    transplant(SOURCE, new_notebook(cells=cells))
    assert read, "IPython was never asked"
    assert 20 * sum(read) <= parsing.Effort().left + 20 * len(cells[0].source)


def test_the_search_for_repairs_ends(monkeypatch):
    cells = [new_code_cell("!x\n" * 15_000 + f"({n}", metadata=marked("double")) for n in range(20)]
    parsed = count_parsed(monkeypatch)
    transplant(SOURCE, new_notebook(cells=cells))
    assert sum(parsed) <= parsing.Effort().left + 20 * sum(len(c.source) for c in cells)


@pytest.mark.parametrize("beside", ["", "; x = 1"])
def test_a_number_that_python_does_not_write_costs_nothing(beside):
    """A large one in hexadecimal digits can be read, and not be written in decimal ones."""
    nb = copy.deepcopy(SOURCE)
    big = f"big = 0x{'f' * 4000}{beside}"
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.source += f"\n{big}"
    mended = transplant(SOURCE, nb).notebook
    for clean, cell in ((c, d) for c in pristine(SOURCE).cells for d in mended.cells if c.id == d.id):
        assert kind_of(clean) not in LOCKED_KINDS or clean.source == cell.source
    assert mend.same_code(ast.parse("x = 1"), ast.parse("x=1"))
    assert not mend.same_code(ast.parse(big), ast.parse(big))
    tree = ast.parse(big + "\ny = 2")
    assert "y = 2" in mend.without(big + "\ny = 2", tree, "z = 3", ast.parse("z = 3"))


@pytest.mark.parametrize("named", [True, False])
def test_two_pictures_of_one_name_stay_two(named):
    """Jupyter calls each picture that is pasted into a cell `image.png`."""
    nb = copy.deepcopy(pristine(SOURCE))
    place, cell = next((n, c) for n, c in enumerate(nb.cells) if kind_of(c) is CellKind.WRITTEN)
    pair = [copy.deepcopy(cell) for _ in range(2)]
    for number, one in enumerate(pair):
        one.source = f"My sketch {number} of it: ![image.png](attachment:image.png), not attachment:image.png.old"
        one.attachments = {"image.png": {"image/png": f"data {number}"}}
        one.id = f"pasted-{number}"
        if not named:
            del one.metadata["nbgrader"]
    nb.cells[place : place + 1] = pair
    found = next(c for c in transplant(SOURCE, nb).notebook.cells if kind_of(c) is CellKind.WRITTEN)
    shown = re.findall(r"!\[image.png\]\(attachment:(.+?)\)", found.source)
    assert [found.attachments[name]["image/png"] for name in shown] == ["data 0", "data 1"]
    assert found.source.count("attachment:image.png.old") == 2
