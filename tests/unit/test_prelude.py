"""Set-up and helper cells are run ahead, once for all submissions, and nobody sees a difference but in time."""

import contextlib
import gc
import logging
import threading
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell

from grader.authoring.text import apply_view
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.errors import LockedCellFails
from grader.core.notebook import read_notebook
from grader.engine.prelude import Prelude, _parts, import_lines, places
from grader.engine.running import mark_notebook
from grader.engine.settings import Settings
from grader.engine.skipping import Plan
from grader.engine.submission import Kit, run
from grader.sandbox import warm
from grader.sandbox.warm_processes import warm as processes

NAME = "06_prelude"
SETUP = """import keras
import numpy as np

keras.utils.set_random_seed(0)
keras.ops.softmax(np.zeros((1, 2)))
print("set up")"""
VIEW = f"""# %% [markdown]
# # 6. Before the first answer

# %% nbgrader={{"grade_id": "setup"}} tags=["setup"]
{SETUP}

# %% nbgrader={{"grade_id": "given_numbers"}} tags=["given"]
given_numbers = np.array([1.0, 2.0, 6.0])
given_box = [0]
print("numbers")

# %% nbgrader={{"grade_id": "drawn", "solution": true}}
def drawn():
    ### BEGIN SOLUTION
    return [np.random.rand(), given_box[0], given_numbers[2], keras.random.normal(())]
    ### END SOLUTION

# %% nbgrader={{"grade_id": "given_later"}} tags=["given"]
given_later = given_numbers + 1

# %% nbgrader={{"grade_id": "test_drawn_values", "points": 1}}
got = [float(x) for x in drawn()]
assert got[1:3] == [0, 6] and given_later[0] == 2, f"drawn: {{got}}"
given_box[0], given_numbers[2] = 1, 0

# %% nbgrader={{"grade_id": "test_drawn_shown", "points": 1}}
assert False, str([float(x) for x in drawn()] + [float(np.random.rand())])
"""


def course_of(root, request, view=VIEW):
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (root / f"build/{NAME}.py").write_text(view)
    course = Course(root)
    apply_view(course, NAME)
    return course


@pytest.fixture(scope="module")
def source(tmp_path_factory, request):
    course = course_of(tmp_path_factory.mktemp("prelude") / "course", request)
    return read_notebook(course.source(NAME))


@pytest.fixture(scope="module")
def template(source):
    with warm.Template(import_lines(source)) as template:
        yield template


def told(marked):
    """Return all that a submission's result says, but for times."""
    return marked.verdicts, marked.outputs, marked.cells, marked.findings, marked.skipped, marked.counts


def test_it_is_all_that_comes_before_the_first_answer(source):
    assert [name for name, *_ in Prelude.of(source).cells] == ["setup", "given_numbers"]


def test_an_operation_waits_and_the_lines_stay_where_they_are(source):
    prelude = Prelude.of(source)
    assert prelude.left == "keras.ops.softmax(np.zeros((1, 2)))"
    ahead = next(text for name, text, _ in prelude.ahead if name == "setup").split("\n")
    assert [n for n, (a, b) in enumerate(zip(ahead, SETUP.split("\n"), strict=True)) if a != b] == [4]


def test_results_are_the_same_with_and_without(source, template):
    begun = Prelude.of(source).begun(template)
    assert begun is not template
    plan = Plan.of(source, source)
    ran, line = places(source, plan.skipped, begun)
    assert line is begun
    assert list(ran.values()) == ["set up\n", "numbers\n"]
    one, other = (told(mark_notebook(source, plan, process)) for process in (template, begun))
    assert one == other
    assert one[0]["test_drawn_values"].outcome == "passed"
    assert "set up" in str(one[1])


def test_what_one_submission_does_to_it_the_next_one_does_not_see(source, template):
    begun, plan = Prelude.of(source).begun(template), Plan.of(source, source)
    first, second = (told(mark_notebook(source, plan, begun)) for _ in range(2))
    assert first == second


def test_random_numbers_that_it_does_not_seed_are_each_processs_own(source, template):
    nb = read_without_seed(source)
    begun = Prelude.of(nb).begun(template)
    assert begun is not template
    plan = Plan.of(nb, nb)
    shown = {mark_notebook(nb, plan, begun).verdicts["test_drawn_shown"].message for _ in range(2)}
    assert len(shown) == 2


def read_without_seed(source):
    nb = source.copy()
    nb.cells = [cell.copy() for cell in source.cells]
    for cell in nb.cells:
        cell.source = cell.source.replace("keras.utils.set_random_seed(0)\n", "")
    return nb


@pytest.mark.parametrize(
    ("text", "runs"),
    [("extra = 1", False), ("np.random.seed(5)\nmine = 3.0", True)],
    ids=["nobody needs it", "an answer needs it"],
)
def test_a_students_cell_between_them_is_run_where_it_is(source, template, text, runs):
    nb = source.copy()
    place = next(n for n, c in enumerate(nb.cells) if grade_id(c) == "given_numbers")
    nb.cells = [*nb.cells[:place], new_code_cell(text), *[cell.copy() for cell in nb.cells[place:]]]
    for cell in nb.cells:
        if kind_of(cell) is CellKind.ANSWER and runs:
            cell.source = cell.source.replace("given_box[0]", "given_box[0] * mine")
    plan = Plan.of(nb, source)
    begun = Prelude.of(source).begun(template)
    ran, line = places(nb, plan.skipped, begun)
    assert (line is template, len(ran)) == ((True, 0) if runs else (False, 2))
    one, other = (told(mark_notebook(nb, plan, process)) for process in (template, begun))
    assert one == other


@pytest.mark.parametrize(
    "setup",
    [
        "import numpy as np\nnp.zeros(2)",
        "import numpy as np\n1 +",
        "import numpy as np\nprint(1)\nnp.zeros(2)  # shown",
    ],
)
def test_a_cell_that_shows_a_value_is_not_run_ahead(source, setup):
    nb = source.copy()
    nb.cells = [cell.copy() for cell in source.cells]
    next(c for c in nb.cells if grade_id(c) == "setup").source = setup
    assert Prelude.of(nb).cells == ()


@pytest.mark.parametrize(
    "line", ["raise ValueError('no')", "keras.layers.Dense(1)(np.zeros((1, 2)))"], ids=["fails", "runs an operation"]
)
def test_what_cannot_be_run_ahead_is_run_by_each_submission(source, template, caplog, line):
    nb = source.copy()
    nb.cells = [cell.copy() for cell in source.cells]
    cell = next(c for c in nb.cells if grade_id(c) == "setup")
    cell.source = cell.source.replace("print(", f"{line}\nprint(")
    with caplog.at_level(logging.WARNING):
        assert Prelude.of(nb).begun(template) is template
    assert "cannot be run ahead" in caplog.text
    fails = pytest.raises(LockedCellFails) if "raise" in line else contextlib.nullcontext()
    with fails:
        assert mark_notebook(nb, Plan.of(nb, nb), template).verdicts["test_drawn_values"].outcome == "passed"


def test_a_process_that_has_ended_is_made_anew(source):
    with warm.Template(import_lines(source)) as template:
        begun = Prelude.of(source).begun(template)
        assert Prelude.of(source).begun(template) is begun
        begun.close()
        again = Prelude.of(source).begun(template)
        assert again is not begun
        assert mark_notebook(source, Plan.of(source, source), again).verdicts["test_drawn_values"].outcome == "passed"


def test_marking_a_submission_begins_with_it(tmp_path, request, monkeypatch):
    course = course_of(tmp_path / "course", request)
    kit = Kit.read(Path(course.source(NAME)))
    forked = []
    mark = mark_notebook
    monkeypatch.setattr(
        "grader.engine.submission.mark_notebook",
        lambda nb, plan, line, *rest: forked.append(line) or mark(nb, plan, line, *rest),
    )
    try:
        result = run(kit.source, kit, Settings())
    finally:
        processes.close()
    assert result.verdicts["test_drawn_values"].outcome == "passed"
    assert [line.kept["prelude"][0] for line in forked] == [Prelude.of(kit.source)]


def test_numpy_state_is_what_the_set_up_left(source, template):
    """The first number that an answer draws is the one that a seed of 0 gives."""
    begun = Prelude.of(source).begun(template)
    message = mark_notebook(source, Plan.of(source, source), begun).verdicts["test_drawn_shown"].message
    drawn = [float(x) for x in message.strip("[]").split(",")]
    state = np.random.RandomState(0)
    first, second = state.rand(), state.rand()
    # Each side draws from its own; the answer's second call gets its second number.
    assert drawn[0] == pytest.approx(second)
    assert drawn[-1] == pytest.approx(first)


def test_threads_that_begin_together_do_not_disturb_each_others_parsing(source):
    """Dask follows the garbage collector; a thread may then be interrupted in the middle of a parse."""
    nb = source.copy()
    cells = [cell for cell in read_notebook(Course.find().source("02_additive_attention")).cells]
    nb.cells = [cell for cell in cells if kind_of(cell) in (CellKind.SETUP, CellKind.HELPERS)]
    told = []

    def begin(barrier):
        barrier.wait()
        try:
            told.append(len(Prelude.of(nb).cells))
        except SystemError as error:
            told.append(str(error))

    def follow(phase, info):
        sum(range(300))

    gc.callbacks.append(follow)
    try:
        for _ in range(10):
            _parts.cache_clear()
            barrier = threading.Barrier(3)
            threads = [threading.Thread(target=begin, args=(barrier,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        gc.callbacks.remove(follow)
    assert told == [len(nb.cells)] * 30


# Helper cells say which of their functions an answer uses, whether they were run ahead or not.

LENT = "05_lent"
LENT_VIEW = """# %% [markdown]
# # 5. Lent

# %% tags=["helpers"]
def first_kept(x):
    "Knows what is right."
    return x + 1

# %% tags=["given"]
def given_more(x):
    return first_kept(x)

# %% nbgrader={"grade_id": "more", "solution": true}
def more(x):
    ### BEGIN SOLUTION
    return x + 1
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_more_values", "points": 1}
assert more(1) == 2, f"more(1) gave {more(1)}"

# %% tags=["helpers"]
def later_kept(x):
    return x + 2

# %% nbgrader={"grade_id": "most", "solution": true}
def most(x):
    ### BEGIN SOLUTION
    return x + 2
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_most_values", "points": 1}
assert most(1) == 3, f"most(1) gave {most(1)}"

# %% nbgrader={"grade_id": "test_most_again", "points": 1}
assert most(2) == 4, f"most(2) gave {most(2)}"
"""


@pytest.fixture(scope="module")
def lent(tmp_path_factory, request):
    view = LENT_VIEW.replace("# %% tags", '# %% nbgrader={"grade_id": "ID"} tags')
    for name in ("helpers_first", "given_more", "helpers_later"):
        view = view.replace('"ID"', f'"{name}"', 1)
    course = tmp_path_factory.mktemp("lent") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (course / folder).mkdir(parents=True)
    (course / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (course / f"build/{LENT}.py").write_text(view)
    apply_view(Course(course), LENT)
    kit = Kit.read(Course(course).source(LENT))
    yield kit
    processes.close()


@pytest.mark.parametrize(
    ("more", "most", "named"),
    [
        ("return x + 1", "return x + 2", []),
        ("return first_kept(x)", "return x + 2", ["more first_kept"]),
        ("return given_more(x)", "return x + 2", []),
        ("return x + 1", "return later_kept(first_kept(x)) - 1", ["most first_kept", "most later_kept"]),
        ("return x + 1", "return TABLE[x]\nTABLE = {n: later_kept(n) for n in range(9)}", []),  # made beforehand
        ("return x + 1", "return x + 2\nfigure = later_kept(most(1))\nlater_kept(1)", []),
        ("return x + 1\ndef first_kept(x):\n    return x + 1", "return first_kept(x) + 1", []),
        ("import os\n    os._exit(3)", "return later_kept(x)", ["most later_kept"]),
    ],
)
def test_which_helpers_an_answer_uses_is_told_across_the_boundary(lent, more, most, named):
    nb = read_notebook_of(lent, {"more": more, "most": most})
    found = run(nb, lent, Settings()).findings
    texts = [(f.where, f.text.replace(",", "").split()) for f in found if f.kind == "helper-called"]
    assert [f"{where} {word}" for where, text in texts for word in text if word.endswith("_kept")] == named


def read_notebook_of(kit, bodies):
    """Return the release with answers, whose bodies are given."""
    nb = kit.release.copy()
    nb.cells = [cell.copy() for cell in nb.cells]
    for cell in nb.cells:
        if kind_of(cell) is CellKind.ANSWER:
            cell.source = f"def {grade_id(cell)}(x):\n    {bodies[grade_id(cell)]}"
    for n, cell in enumerate(kit.source.cells):  # hidden tests and all
        if kind_of(cell) is CellKind.TEST:
            nb.cells[n] = cell.copy()
    return nb
