"""The measurements of what is recognised: how they count, and a small part of each."""

import csv
import re

import pytest

from grader.audit import halves, unseen
from grader.core.catalogue import read_catalogue
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.engine.prelude import import_lines
from grader.engine.recognising import Known, read_mistakes
from grader.engine.result import Result
from grader.sandbox.inside.isolate import Level
from grader.sandbox.warm import Template

NOTEBOOK = "02_additive_attention"
UP_TO_SIX = {
    "01_seq2seq_bottleneck",
    "02_additive_attention",
    "03_dot_product_attention",
    "04_multi_head_attention",
    "05_positional_encoding",
    "06_transformer",
}
#: Notebooks for which no reader has written answers yet; there is nothing to judge.
NOBODY_ANSWERED_YET = {
    "first": {"08_language_models", "09_attention_for_images"},
    "second": set(),
    "third": UP_TO_SIX,
    "fourth": set(),
    "fifth": set(),
    "sixth": set(),
}


@pytest.fixture(scope="module")
def course(request):
    return Course(request.config.rootpath)


@pytest.fixture(scope="module")
def template(course):
    with Template(import_lines(read_notebook(course.source(NOTEBOOK))), isolation=Level.LIMITS) as template:
        yield template


def exercise(course, name):
    return next(e for e in exercises(read_notebook(course.source(NOTEBOOK))) if e.name == name)


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ([], "not at all"),
        ([{"name": "a", "says": "Something else."}], "rightly"),
        ([{"name": "b", "says": "The AXIS is lost."}], "rightly"),
        ([{"name": "b", "says": "Something else."}], "wrongly"),
        ([{"name": "b", "says": "Something else."}, {"name": "a", "says": "x"}], "rightly"),
    ],
)  # fmt: skip
def test_what_counts_as_named_rightly(said, how):
    assert halves.outcome("axis", said, {"a": "axis", "b": "overflow"}) == how


def test_a_half_is_drawn_for_each_seed(course):
    source = read_notebook(course.source(NOTEBOOK))
    known = Known(source, read_mistakes(source, course.catalogue / NOTEBOOK), NOTEBOOK)
    found = halves.halves_of(known, 3)
    for half in found.values():
        for name, mistakes in half.mistakes.items():
            assert len(mistakes) == len(known.mistakes[name]) // 2
            assert all(one in known.mistakes[name] for one in mistakes)
    assert found[1].mistakes != found[2].mistakes
    assert halves.halves_of(known, 1)[1].mistakes == found[1].mistakes


def test_half_of_a_catalogue_names_the_other(course, template):
    one = halves.Measure(course, NOTEBOOK, 1, template)
    one.exercise(exercise(course, "additive_scores"))
    total = one.figures.total
    assert total.total() == 6
    assert total["rightly"] >= 5
    assert total["wrongly"] == 0
    assert one.figures.right > 0
    assert one.figures.blamed == []


def test_answers_that_nobody_knew_are_named_as_the_table_says(course, template):
    folder = course.root / "tests/recognition/second"
    one = unseen.Measure(course, NOTEBOOK, folder, template)
    one.exercise(exercise(course, "softmax"))
    assert one.figures.rows
    assert unseen.UNREAD not in one.figures.counts
    assert one.figures.counts["wrongly"] == 0
    assert one.figures.counts["rightly"] >= one.figures.counts.total() / 2
    assert one.figures.lost == one.figures.blamed == []


@pytest.mark.parametrize("which", sorted(NOBODY_ANSWERED_YET))
def test_each_wrong_answer_has_its_judgement(course, which):
    folder = course.root / "tests/recognition" / which
    judged = unseen.read_judgements(folder / "judged.csv")
    wrong = set()
    for assignment in set(course.select([])) - NOBODY_ANSWERED_YET[which]:
        for one in exercises(read_notebook(course.source(assignment))):
            path = folder / assignment / f"{one.name}.py"
            assert path.is_file(), path
            found = read_catalogue(path, one.functions, one.answer).wrong
            wrong |= {(assignment, one.name, variant.name) for variant in found}
    assert set(judged) == wrong
    assert {row["judgement"] for row in judged.values()} <= {*unseen.OUTCOMES, unseen.KEPT}
    for row in judged.values():
        assert bool(row["said"]) or row["judgement"] in ("not at all", unseen.KEPT)


def test_a_judgement_holds_for_the_text_that_was_judged(tmp_path):
    row = dict.fromkeys(unseen.FIELDS, "") | {
        "notebook": "n", "exercise": "f", "answer": "a", "judgement": "rightly", "said": "This.",
    }  # fmt: skip
    unseen.write_judgements(tmp_path / "judged.csv", [row])
    assert next(csv.reader((tmp_path / "judged.csv").open())) == list(unseen.FIELDS)
    one = object.__new__(unseen.Measure)
    one.assignment, one.judged = "n", unseen.read_judgements(tmp_path / "judged.csv")
    one.figures = unseen.Figures()
    for said in ("This.", "That.", "", None):
        one.count("f", "a", "m", "self-check", said, "")
    assert [r["judgement"] for r in one.figures.rows] == ["rightly", unseen.UNREAD, "not at all", unseen.KEPT]
    line = unseen.line("all", [one.figures])
    assert re.split(r"\s+", line)[:4] == ["all", "4", "1", "1"]


def test_what_the_feedback_says_is_one_text():
    causes = [
        {"test": test, "how": "one of", "says": says}
        for test, says in (("a", "One  thing."), ("b", "One  thing."), ("b", "Another."))
    ]
    assert unseen.told(Result(causes=causes)) == ("one of", "One thing. / Another.")
    assert unseen.told(Result()) == ("", "")
