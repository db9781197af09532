"""What is seen of a notebook in JupyterLab before anybody scrolls: the lesson, and its machinery as one folded line."""

import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from grader.authoring.frame import FOLDED_HEADING_KEYS, machinery
from grader.core.cells import CellKind, kind_of
from grader.core.notebook import read_notebook, write_notebook

from .lab import NotebookPage, jupyter_lab

ASSIGNMENT = "01_seq2seq_bottleneck"
MACHINERY = (CellKind.SETUP, CellKind.HELPERS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab in an empty folder: its address, and the folder."""
    folder = tmp_path_factory.mktemp("reader")
    with jupyter_lab(folder, tmp_path_factory.mktemp("state")) as address:
        yield address, folder


@pytest.fixture
def opened(lab, page):
    """Open a notebook; nothing is run, nothing is scrolled."""
    address, folder = lab
    pages = []

    def open_one(nb):
        own = Path(tempfile.mkdtemp(dir=folder))
        write_notebook(nb, own / "lesson.ipynb")
        pages.append(NotebookPage(page, address, f"{own.name}/lesson.ipynb", [c.id for c in nb.cells]))
        return pages[-1]

    yield open_one
    for one in pages:
        one.end_kernels()


def first_of_the_lesson(nb):
    """Return the id of the cell that opens the lesson: the first heading after the machinery."""
    after = nb.cells[nb.cells.index(machinery(nb)) + 1 :]
    return next(c.id for c in after if c.cell_type == "markdown")


def seen(notebook, name, what):
    """Return whether the first line of a part of a cell is in the part of the notebook that is on the screen."""
    box = notebook.cell(name).locator(what).first.bounding_box()
    screen = notebook.page.locator(".jp-WindowedPanel-outer").bounding_box()
    line = 20  # pixels
    return box is not None and screen["y"] <= box["y"] and box["y"] + line <= screen["y"] + screen["height"]


def machinery_seen(notebook, nb):
    """Return the ids of the set-up and helper cells that take room on the page."""
    return [c.id for c in nb.cells if kind_of(c) in MACHINERY and notebook.cell(c.id).bounding_box()]


def test_the_lesson_begins_on_the_first_screen(course, opened, page, screenshot, assignment):
    nb = read_notebook(course.released(assignment))
    notebook, first = opened(nb), first_of_the_lesson(nb)
    expect(notebook.cell(first).locator("h2").first).to_be_visible()
    screenshot(page, f"first_screen_{assignment}")
    assert machinery_seen(notebook, nb) == []
    assert seen(notebook, nb.cells[0].id, "h1")
    assert seen(notebook, machinery(nb).id, "h2")
    assert seen(notebook, first, "h2")


def test_machinery_that_is_not_folded_is_noticed(course, opened):
    nb = read_notebook(course.released(ASSIGNMENT))
    for key in FOLDED_HEADING_KEYS:
        machinery(nb).metadata.pop(key)
    notebook = opened(nb)
    assert len(machinery_seen(notebook, nb)) > 10
    assert not seen(notebook, first_of_the_lesson(nb), "h2")
