"""What is seen of a notebook in JupyterLab before anybody scrolls: the lesson, and its machinery as one folded line."""

from playwright.sync_api import expect

from grader.authoring.frame import machinery
from grader.core.cells import CellKind, kind_of

MACHINERY = (CellKind.SETUP, CellKind.HELPERS)


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


def the_lesson_begins_on_the_first_screen(notebook, nb, screenshot, assignment):
    first = first_of_the_lesson(nb)
    expect(notebook.cell(first).locator("h2").first).to_be_visible()
    screenshot(notebook.page, f"first_screen_{assignment}")
    assert machinery_seen(notebook, nb) == []
    assert seen(notebook, nb.cells[0].id, "h1")
    assert seen(notebook, machinery(nb).id, "h2")
    assert seen(notebook, first, "h2")
