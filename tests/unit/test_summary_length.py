"""The summary of a run has room for everybody, whatever one of them handed in."""

from grader.classrun.summary import Entry, Outcome, summary
from grader.core.findings import Finding, Level


def test_one_submission_does_not_fill_the_summary():
    links = [Finding("file-refused", f"notebook{n}", "It is a link.", Level.SUSPICIOUS) for n in range(990)]
    other = [Finding("cell-lost", "x", "A cell is missing.", Level.LOST)]
    found = [Entry("ada", "a", Outcome.MARKED, findings=links), Entry("bob", "a", Outcome.MARKED, findings=other)]
    lines = summary(found).splitlines()
    assert len(lines) < 20
    assert [line for line in lines if "and 980 more" in line]
    assert "bob" in lines[-1]
