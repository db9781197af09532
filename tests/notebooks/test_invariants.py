"""What must hold for the course as it stands: generated files are up to date, the style guide is kept."""

from grader.cli import main


def test_helpers_are_in_sync(capsys):
    assert main(["sync", "--check"]) == 0, capsys.readouterr().out


def test_release_is_in_sync(capsys):
    assert main(["release", "--check"]) == 0, capsys.readouterr().out


def test_style_guide_is_kept(capsys):
    assert main(["check"]) == 0, capsys.readouterr().out
