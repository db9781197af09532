"""The summary of a run and what is kept have room for everybody, whatever one of them handed in."""

import json

from nbformat.v4 import new_notebook

from grader.classrun.summary import Entry, Outcome, summary
from grader.core.findings import MOST_KEPT, MOST_TEXT, Finding, Level, bounded, weightiest
from grader.engine.result import Origin, Result, as_record, render


def test_one_submission_does_not_fill_the_summary():
    links = [Finding("file-refused", f"notebook{n}", "It is a link.", Level.SUSPICIOUS) for n in range(990)]
    other = [Finding("cell-lost", "x", "A cell is missing.", Level.LOST)]
    found = [Entry("ada", "a", Outcome.MARKED, findings=links), Entry("bob", "a", Outcome.MARKED, findings=other)]
    lines = summary(found).splitlines()
    assert len(lines) < 20
    assert [line for line in lines if "and 980 more" in line]
    assert "bob" in lines[-1]


def noticed(number, kind="points-changed", level=Level.SUSPICIOUS):
    return [Finding(kind, f"test_{n}", f"The cell says it is worth {n} points.", level) for n in range(number)]


def test_one_kind_does_not_hide_another_in_the_summary():
    others = noticed(1, "answer-missing", Level.LOST)
    found = [Entry("eve", "a", Outcome.MARKED, findings=[*noticed(990), *others])]
    assert [line for line in summary(found).splitlines() if ": lost [test_0]" in line]


def test_of_each_kind_something_is_kept_and_what_is_not_is_counted():
    findings = [*noticed(990), *noticed(3, "answer-missing", Level.LOST), *noticed(1, "cell-moved", Level.REPAIRED)]
    kept = bounded(findings)
    assert len(kept) == MOST_KEPT
    assert [f.kind for f in kept[-5:]] == ["answer-missing"] * 3 + ["cell-moved", "more-noticed"]
    assert (kept[-1].text.split()[1], kept[-1].level) == (f"{994 - MOST_KEPT + 1}", Level.SUSPICIOUS)
    assert kept[:-1] == [f for f in findings if f in kept]
    assert bounded(kept) == kept
    assert bounded(findings[:MOST_KEPT]) == findings[:MOST_KEPT]


def test_long_ones_are_counted_by_their_length():
    findings = [Finding("file-refused", "x" * 900, f"{n} {'y' * 900}") for n in range(MOST_KEPT)]
    kept = bounded(findings)
    assert sum(len(f.where) + len(f.text) for f in kept) <= MOST_TEXT
    assert f"And {MOST_KEPT - len(kept) + 1} more" in kept[-1].text
    assert bounded(kept) == kept


def test_the_weightiest_of_each_kind_comes_first():
    findings = [*noticed(2, "b", Level.REPAIRED), *noticed(2, "a", Level.LOST), *noticed(2, "a")]
    order = [(f.kind, f.where, f.level) for f in weightiest(findings, 5)]
    assert order == [
        ("a", "test_0", Level.SUSPICIOUS),
        ("a", "test_0", Level.LOST),
        ("b", "test_0", Level.REPAIRED),
        ("a", "test_1", Level.SUSPICIOUS),
        ("a", "test_1", Level.LOST),
    ]


def test_a_point_that_a_second_run_gained_is_said_before_all_else():
    others = [Finding(f"odd-{n}", "", "Odd.", level) for level in Level for n in range(20)]
    gained = Finding("counted-in-second-run", "scale", "The tests of scale gave more points.", Level.LOST)
    assert weightiest([*others, gained], 10)[0] == gained
    assert gained in bounded([*others, *others, gained])


def test_one_submission_does_not_fill_the_record():
    """990 refused links gave a record of 273 kB."""
    links = [Finding("file-refused", f"notebook{n}", "It is a link." * 20, Level.SUSPICIOUS) for n in range(990)]
    result, nb = Result(findings=noticed(1)).of(Origin(findings=tuple(links))), new_notebook()
    render(nb, result)
    for kept in (as_record(nb, result), nb.metadata["marking"]):
        assert len(json.dumps(kept)) < 30_000
        assert {f["kind"] for f in kept["findings"]} == {"file-refused", "points-changed", "more-noticed"}
