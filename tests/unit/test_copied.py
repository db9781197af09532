"""Answers that are a given function of the course."""

import re

import pytest
from nbformat.v4 import new_code_cell

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.findings import Level
from grader.core.notebook import read_notebook
from grader.engine.copied import copied, given_elsewhere
from grader.languages.building import Sources
from grader.languages.catalogues import languages
from grader.testing.samples import fill_answers

COURSE = Course.find()
NAME = "06_transformer"
GIVEN = """def {name}(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (np.asarray(a, dtype="float64") for a in (x, w1, b1, w2, b2))
    rows = np.reshape(x, (1, -1, x.shape[-1]))
    hidden = keras.ops.relu(keras.ops.conv(rows, w1[None]) + b1)
    return np.array(keras.ops.conv(hidden, w2[None]) + b2).reshape(*x.shape[:-1], len(b2))
"""
#: Given functions that are too short to tell whose they are.
SHORT = ["given_pair_score", "given_additive_scores"]
COPY = GIVEN.format(name="feed_forward")
MINE = "def feed_forward(x, w1, b1, w2, b2):\n    return mine(x, w1, b1, w2, b2)"


def named(answers, own=(), name=NAME):
    """Return which answers are named, each with the text, beside cells of the student's own before the first one."""
    nb = fill_answers(read_notebook(COURSE.released(name)), answers)
    place = next(n for n, cell in enumerate(nb.cells) if kind_of(cell) is CellKind.ANSWER)
    nb.cells[place:place] = [new_code_cell(source) for source in own]
    found = list(copied(nb, name, given_elsewhere(COURSE, name)))
    assert all((f.kind, f.level) == ("given-copied", Level.SUSPICIOUS) for f in found)
    return [(f.where, f.text) for f in found]


def test_a_copy_is_told_with_what_it_is_of():
    ((where, text),) = named({"feed_forward": COPY})
    assert where == "feed_forward"
    assert "given_feed_forward" in text
    assert "further down" in text


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        (re.sub(r"\bhidden\b", "h", re.sub(r"\bx\b", "inputs", COPY)), ""),
        (COPY.replace("):\n", ", axis: int = -1) -> np.ndarray:\n    '''Copy.'''\n    pass\n", 1), ""),
        (COPY.replace("    rows", "    # by Keras\n    'so'\n    rows").replace('"float64"', "'float64'"), ""),
        (MINE, GIVEN.format(name="mine")),
        (MINE, f"def mine(*a):\n    return their(*a)\n{GIVEN.format(name='their')}"),
        (MINE + "\n" + GIVEN.format(name="mine"), ""),
        ("feed_forward = mine", GIVEN.format(name="mine")),
        (MINE, GIVEN.format(name="their") + "(mine := their)"),
        (MINE, GIVEN.format(name="their") + "for mine in [their]:\n    pass"),
        ("with nullcontext(mine) as feed_forward:\n    pass", GIVEN.format(name="mine")),
        ("def feed_forward(*a):\n    return my.net(*a)", "class my: pass\n" + GIVEN.format(name="f") + "my.net = f"),
        ("def feed_forward(*a):\n    return my[0](*a)", "my = {}\n" + GIVEN.format(name="f") + "my[0] = f"),
        ("class Net:\n" + re.sub("^", "    ", COPY, flags=re.M) + "\nfeed_forward = Net.feed_forward", ""),
        (MINE.replace("    ", "    " + GIVEN.format(name="mine").replace("\n", "\n    ").rstrip() + "\n    ", 1), ""),
    ],
)
def test_it_is_told_with_other_names_and_wherever_it_stands(answer, own):
    assert [where for where, _ in named({"feed_forward": answer}, [own])] == ["feed_forward"]


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        ("def feed_forward(x, w1, b1, w2, b2):\n    return x", GIVEN.format(name="unused")),
        (
            "def feed_forward(x, w1, b1, w2, b2):\n    y = x\n    return y",
            GIVEN.format(name="by_keras") + "x = y = by_keras(x)",
        ),
        (
            "feed_forward = lambda x, *w: [y for y in x]",
            GIVEN.format(name="by_keras") + "y = by_keras(x)\nw = y, by_keras",
        ),
        (COPY.replace("relu", "gelu"), ""),
        (COPY.replace("+ b2", "+ b1"), ""),
        (COPY.replace("float64", "float32"), ""),
        ("def feed_forward(x, w1, b1, w2, b2):\n    return x +" + " x +" * 5000 + " x", ""),
        (f"def feed_forward(x, w1, b1, w2, b2):\n    return x + 0x{'f' * 4000} + '\\ud800'", ""),
        ("def feed_forward(x, w1, b1, w2, b2:\n", ""),
    ],
)
def test_what_is_another_function_or_not_needed_is_nothing(answer, own):
    assert named({"feed_forward": answer}, [own]) == []


def test_what_stands_above_an_answer_may_be_used_there():
    assert [where for where, _ in named({"encoder_layer": f"{COPY}\ndef encoder_layer(x):\n    return x"})] == []


GIVEN_TWICE = "given_masked_softmax"


@pytest.mark.parametrize(
    ("name", "of", "exercise", "number"),
    [
        ("02_additive_attention", "02_additive_attention", "masked_softmax", 1),
        ("02_additive_attention", "02_additive_attention", "additive_attention", 0),  # it stands above that
        ("03_dot_product_attention", "03_dot_product_attention", "attention_jacobian", 0),
        ("03_dot_product_attention", "02_additive_attention", "similarity", 0),  # below that, but known by then
    ],
)
def test_what_is_given_more_than_once_may_be_used_once_it_was_given(name, of, exercise, number):
    (source,) = (c.source for c in read_notebook(COURSE.released(of)).cells if grade_id(c) == GIVEN_TWICE)
    answer = f"{source.replace(GIVEN_TWICE, 'mine')}\n\n\ndef {exercise}(*a):\n    return mine(*a)"
    assert exercise in [e.name for e in exercises(read_notebook(COURSE.source(name)))]
    assert len(named({exercise: answer}, name=name)) == number


def test_a_loop_around_a_given_function_is_what_two_authors_write():
    answer = """def additive_scores(query, key, w_query, w_key, v):
    return np.array([[[given_pair_score(q, k, w_query, w_key, v) for k in K] for q in Q] for Q, K in zip(query, key)])
"""
    assert named({"additive_scores": answer}, name="02_additive_attention") == []


def test_an_answer_that_calls_another_is_not_named_for_it():
    answers = {"layer_norm": "def layer_norm(x):\n    return feed_forward(x)", "feed_forward": COPY}
    assert [where for where, _ in named(answers)] == ["feed_forward"]


def test_an_answer_that_needs_a_copy_in_the_cell_of_another_is_named():
    answers = {"layer_norm": f"{GIVEN.format(name='mine')}\n\n\ndef layer_norm(x):\n    return x", "feed_forward": MINE}
    assert "feed_forward" in [where for where, _ in named(answers)]


@pytest.mark.parametrize("binds", ["mine", "feed_forward_by_keras"])
def test_what_a_name_means_behind_the_tests_says_nothing_about_an_answer(binds):
    """Once a function is given it may be used, under whatever name."""
    mine = "def mine(x, w1, b1, w2, b2):\n    return x\n\n\n"
    below = f"{GIVEN.format(name=binds)}\n\n\ndef encoder_layer(x):\n    return {binds}(x)"
    assert named({"feed_forward": mine + MINE, "encoder_layer": below}) == []


def test_a_given_function_of_a_later_notebook_is_named_with_that():
    exercise = "multi_head_attention"
    (source,) = (c.source for c in read_notebook(COURSE.released(NAME)).cells if grade_id(c) == f"given_{exercise}")
    source = source.replace(f"given_{exercise}", exercise)
    ((where, text),) = named({exercise: source}, name="04_multi_head_attention")
    assert where == exercise
    assert NAME in text


def named_beside(cells, answer="def feed_forward(x, w1, b1, w2, b2):\n    return x"):
    """Return which answers are named, beside cells of the student's own in front of some cells."""
    nb = fill_answers(read_notebook(COURSE.released(NAME)), {"feed_forward": answer})
    for before, source in cells:
        place = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == before)
        nb.cells.insert(place, new_code_cell(source))
    return [f.where for f in copied(nb, NAME, given_elsewhere(COURSE, NAME))]


FIRST_TEST, LAST_TEST = "test_feed_forward_values", "test_feed_forward_positions"


@pytest.mark.parametrize("place", [FIRST_TEST, LAST_TEST])
@pytest.mark.parametrize(
    "source",
    [
        COPY,
        f"{GIVEN.format(name='mine')}\n\n\nfeed_forward = mine",
        f"{GIVEN.format(name='mine')}\n\n\n{MINE}",
        f"{GIVEN.format(name='mine')}\n\n\nfor feed_forward in [mine]:\n    pass",
        f"{GIVEN.format(name='mine')}\n\n\nmatch mine:\n    case feed_forward:\n        pass",
        f"if True:\n    {COPY.strip().replace(chr(10), chr(10) + '    ')}",
        f"def change():\n    global feed_forward\n    {COPY.strip().replace(chr(10), chr(10) + '    ')}\n\n\nchange()",
    ],
)
def test_a_second_attempt_between_an_answer_and_its_tests_is_the_answer(source, place):
    assert named_beside([(place, source)]) == ["feed_forward"]


@pytest.mark.parametrize(
    ("place", "source", "answer"),
    [
        ("encoder_layer", COPY, MINE.replace("mine(x, w1, b1, w2, b2)", "x")),  # behind the tests
        ("feed_forward", COPY, MINE.replace("mine(x, w1, b1, w2, b2)", "x")),  # the answer comes after it
        (FIRST_TEST, GIVEN.format(name="mine"), "def feed_forward(x):\n    return x"),
        (FIRST_TEST, GIVEN.format(name="mine") + "\nseen = mine(feed_forward)", "def feed_forward(x):\n    return x"),
        (FIRST_TEST, GIVEN.format(name="encoder_layer"), "def feed_forward(x):\n    return x"),  # overwritten below
    ],
)
def test_what_gives_no_name_that_the_tests_call_is_no_second_attempt(place, source, answer):
    assert named_beside([(place, source)], answer) == []


def test_what_is_above_an_answer_that_does_not_bind_its_name_is_the_answer():
    assert named_beside([("feed_forward", COPY)], "# it is above") == ["feed_forward"]


@pytest.mark.parametrize(
    "answer",
    [
        "if not 1:\n    def feed_forward(x):\n        return x",
        "while not 1:\n    feed_forward = None",
        "for _ in []:\n    feed_forward = None",
        "try:\n    raise ValueError\n    feed_forward = None\nexcept ValueError:\n    pass",
        "raise ValueError\nfeed_forward = None",
        "for feed_forward.x in [None]:\n    pass",
        "with np.testing.assert_raises(ZeroDivisionError):\n    1 / 0\n    feed_forward = None",
    ],
)
def test_what_binds_its_name_only_perhaps_leaves_what_is_above_the_answer(answer):
    assert named_beside([("feed_forward", COPY)], answer) == ["feed_forward"]


@pytest.mark.parametrize(
    "answer",
    [
        "if np.a:\n    feed_forward = np.cos\nelse:\n    def feed_forward(x):\n        return x",
        "try:\n    from m import feed_forward\nexcept ImportError:\n    def feed_forward(x):\n        return x",
        "if True:\n    def feed_forward(x):\n        return x",
    ],
)
def test_what_is_sure_to_bind_its_name_is_the_answer(answer):
    assert named_beside([("feed_forward", COPY)], answer) == []


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_no_known_answer_is_named(assignment):
    """Neither the course's own nor one of the catalogue: what two authors write is too short to tell."""
    every = exercises(read_notebook(COURSE.source(assignment)))
    for one in every:
        path = COURSE.catalogue / assignment / f"{one.name}.py"
        variants = read_catalogue(path, one.functions, one.answer).variants
        answer = "\n\n".join([one.answer, *(v.source for v in variants)])
        assert named({one.name: answer}, name=assignment) == []
    assert named({one.name: one.answer for one in every}, [one.answer for one in every], assignment) == []


@pytest.mark.parametrize("assignment", ["02_additive_attention", "06_transformer", "09_attention_for_images"])
def test_a_copy_from_a_translation_is_the_same(assignment):
    """What its errors say is in another language there."""
    given = [c for c in read_notebook(COURSE.released(assignment)).cells if kind_of(c) is CellKind.GIVEN]
    (first, *_) = [e.name for e in exercises(read_notebook(COURSE.source(assignment)))]
    for language in languages(COURSE):
        sources = Sources(COURSE, assignment, language)
        answer = "\n".join(sources.whole(cell, sources.of(cell)) for cell in given)
        texts = " ".join(text for _, text in named({first: answer}, name=assignment))
        assert [name for cell in given if (name := grade_id(cell)) not in texts] in ([], SHORT)
