"""The audit: wrong answers lose points, right ones keep them, no small change goes unnoticed."""

import pytest

from grader.cli import main


@pytest.mark.slow
def test_audit_finds_nothing(assignment, capsys):
    # One job: the other core runs another test.
    assert main(["audit", assignment, "--jobs", "1"]) == 0, capsys.readouterr().out
