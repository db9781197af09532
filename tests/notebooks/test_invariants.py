"""What must hold for the course as it stands: generated files are up to date, the style guide is kept."""

import pytest

from grader.cli import main
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.notebook import read_notebook
from grader.languages.messages import ENGLISH
from grader.publishing.frames import outdated_frames


def test_helpers_are_in_sync(capsys):
    assert main(["sync", "--check"]) == 0, capsys.readouterr().out


def test_release_is_in_sync(capsys):
    assert main(["release", "--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("language", [ENGLISH, "zh_CN"])
def test_every_slider_of_the_web_edition_has_pictures_of_what_it_shows_now(course, language):
    assert outdated_frames(course, language) == []


def test_style_guide_is_kept(capsys):
    assert main(["check"]) == 0, capsys.readouterr().out


def test_student_side_cells_are_few(course):
    """What such a cell reports, a hostile student can fake: README names each of them."""
    cells = [c for a in course.assignments() for c in read_notebook(course.source(a)).cells]
    found = [c for c in cells if CellKind.STUDENT_SIDE.value in c.metadata.get("tags", [])]
    assert [grade_id(c) for c in found] == ["model_logits"]
    assert all(kind_of(c) is not CellKind.TEST for c in found)
