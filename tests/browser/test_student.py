"""What a student does in JupyterLab, with each notebook as it is handed out and nothing beside it."""

import re
import tempfile
from pathlib import Path

import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import expect

from grader.authoring.frame import FOLDED_HEADING_KEYS, machinery
from grader.core.catalogue import read_catalogue
from grader.core.cells import SKIPPED_KINDS, CellKind, exercises, kind_of
from grader.core.notebook import read_notebook, write_notebook
from grader.testing.samples import fill_answers

from .conftest import barriers
from .first_screen import first_of_the_lesson, machinery_seen, seen, the_lesson_begins_on_the_first_screen
from .lab import NotebookPage, jupyter_lab
from .needed import names_of, needed

QUICK = "05_positional_encoding"
# Every interactive cell, and code for what would take a training: names and shapes are the notebook's.
WIDGETS = {
    "01_seq2seq_bottleneck": {
        "try-it-yourself-code": """\
class Echo:
    def write(self, vectors, decode=None):
        return np.full((len(vectors), 18), END)


writer, rounding = Echo(), None
held_digits = np.repeat(np.arange(1, 10), 3)
held_target = np.full((27, 18), PAD)
held_target[:, :2] = GERMAN.index("eins"), END
held_vectors = np.random.default_rng(0).uniform(-1, 1, size=(27, 32))""",
        "going-deeper-units-against-length-code": "",
    },
    "02_additive_attention": {
        "try-it-yourself-code": """\
step = translator = maps = None
def translate_and_look(step, model, maps, number):
    english, german, gold = translate_number(number)
    return english, german, gold, np.random.default_rng(0).dirichlet(np.ones(len(english)), size=len(german))""",
    },
    "03_dot_product_attention": {
        "try-it-yourself-code": """\
sentence = ["the", "cat", "drank", "the", "warm", "milk"]
looks_for, is_a = np.random.default_rng(0).normal(size=(2, 6, 4))""",
        "going-deeper-the-scale-as-a-temperature-code": "",
    },
    "04_multi_head_attention": {
        "exercise-4-6-a-convolution-made-of-heads-code-5": """\
readers, your_layer = {"two heads": None}, None
def read_roles(model, ids, attend):
    size = np.shape(ids)[1]
    return None, None, np.random.default_rng(0).dirichlet(np.ones(size), size=(1, 2, size))""",
    },
    "05_positional_encoding": {"try-it-yourself-code": ""},
    "06_transformer": {
        "try-it-yourself-code": """\
class Untrained:
    def predict(self, inputs, verbose):
        source, target = (np.shape(ids)[1] for ids in inputs)
        around = {"encoder self-attention": (source, source), "decoder self-attention": (target, target)}
        sizes = {**around, "cross-attention": (target, source)}
        draw = np.random.default_rng(int(np.sum(inputs[1]))).dirichlet
        return {kind: [draw(np.ones(s), size=(1, 4, t)) for _ in range(2)] for kind, (t, s) in sizes.items()}

look_inside = Untrained()""",
    },
    "07_training_and_decoding": {
        "step-by-step-and-off-the-path-code": """\
class Untrained:
    output_shape = (None, TARGET_LENGTH, len(GERMAN))

    def predict(self, inputs, batch_size=32, verbose="auto"):
        return np.random.default_rng(int(np.sum(inputs[1]))).normal(size=(len(inputs[0]), *self.output_shape[1:]))

    def predict_on_batch(self, inputs):
        return self.predict(inputs)


class Looker:
    def predict(self, inputs, verbose):
        source, target = (np.shape(ids)[1] for ids in inputs)
        draw = np.random.default_rng(int(np.sum(inputs[1]))).dirichlet
        return {"cross-attention": [draw(np.ones(source), size=(1, 4, target)) for _ in range(2)]}

translator, look_inside = Untrained(), Looker()""",
        "try-it-yourself-code-3": "",
    },
    "08_language_models": {
        "try-it-yourself-code": """\
class Writer:
    def __init__(self, stack, step):
        self.shape = None

    def logits(self, ids):
        return np.random.default_rng(len(ids)).normal(size=(len(ids), len(cut)))

    def write(self, ids, shape, rng, end):
        return [5, 6, 7]

cut = learn_subwords([], None)
writer = step = shape = None""",
    },
    "09_attention_for_images": {
        "try-it-yourself-code": """\
captioner = eye = attend = None
def write_captions(model, eye, images, attend):
    ids = np.array([[WORDS.index(w) for w in ("red", "circle", "left of", "blue", "square", END)]])
    draw = np.random.default_rng(int(1000 * np.sum(images)))
    return ids, draw.dirichlet(np.ones(GRID * GRID), size=(1, 6)).reshape(1, 6, GRID, GRID)""",
    },
}
# Interactive cells of which CONTRIBUTING.md shows a picture.
PICTURES = {("05_positional_encoding", "try-it-yourself-code"): "widget_5"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab in an empty folder: its address, the folder, and where its own data stand."""
    folder, state = tmp_path_factory.mktemp("student"), tmp_path_factory.mktemp("state")
    # nbgrader gives a cell 30 s to Validate unless told: a busy machine needs as much to import Keras.
    (folder / "nbgrader_config.py").write_text("get_config().Execute.update(timeout=600, startup_timeout=600)\n")
    with jupyter_lab(folder, state) as address:
        yield address, folder, state


@pytest.fixture
def opened(lab, kept_page):
    """Open a notebook from a folder of its own; what it is given is the notebook's path or the notebook."""
    address, folder, _ = lab
    pages = []

    def open_one(nb, name):
        own = Path(tempfile.mkdtemp(dir=folder))
        write_notebook(nb, own / f"{name}.ipynb")
        pages.append(NotebookPage(kept_page, address, f"{own.name}/{name}.ipynb", [c.id for c in nb.cells]))
        return pages[-1]

    yield open_one
    for one in pages:
        one.end_kernels()


def first_answers(course, assignment):
    """Give the first exercise with a wrong answer that its self-check knows, and the word by which it knows it."""
    exercise = exercises(read_notebook(course.source(assignment)))[0]
    path = course.catalogue / assignment / f"{exercise.name}.py"
    known = read_catalogue(path, exercise.functions, exercise.answer).variants
    return exercise, next(v for v in known if v.kind == "wrong" and v.self_check)


def test_a_student_works_with_a_notebook(course, assignment, opened, kept_page, screenshot):
    """One session with one notebook: opening it and starting TensorFlow is what costs."""
    nb = read_notebook(course.released(assignment))
    notebook = opened(nb, assignment)
    the_lesson_begins_on_the_first_screen(notebook, nb, screenshot, assignment)
    exercise, wrong = first_answers(course, assignment)
    above = [c.id for c in nb.cells[: notebook.names.index(exercise.name)] if c.cell_type == "code"]

    notebook.run_all_above(exercise.name, above[-1])
    assert [name for name in above if notebook.stderr(name)] == []
    only_what_is_locked_is_locked(notebook, nb)
    the_self_check_tells_wrong_from_right(notebook, nb, exercise, wrong, screenshot)
    known, ran = set(), set(above)
    assert set(WIDGETS[assignment]) == {c.id for c in nb.cells if re.search(r"^explore\(", c.source, re.M)}
    for name, stand_in in WIDGETS[assignment].items():
        if stand_in:
            notebook.insert_above(name, f"stand-in-{name}")
            notebook.fill(f"stand-in-{name}", stand_in)
            notebook.run(f"stand-in-{name}")
            known |= names_of(stand_in)[0]
        cells = [n for n in [*needed(nb, name, known), name] if n not in ran]
        notebook.run(*cells)
        ran |= set(cells)
        every_control_moves_by_keyboard_and_the_text_follows(notebook.output(name))
        if (assignment, name) in PICTURES:
            screenshot(notebook.output(name).locator(".jp-OutputArea-output").first, PICTURES[assignment, name])
    assert barriers(kept_page, ".jp-OutputArea") == []
    assert set(kept_page.watch.asked) <= {kept_page.watch.BADGE}


def only_what_is_locked_is_locked(notebook, nb):
    kinds = {c.id: kind_of(c) for c in nb.cells}
    locked = {c.id for c in nb.cells if c.metadata.get("editable") is False}
    hidden = {c.id for c in nb.cells if c.metadata.get("jupyter", {}).get("source_hidden")}
    assert {kinds[name] for name in locked} >= {CellKind.SETUP, CellKind.HELPERS, CellKind.TEST}
    closed = notebook.page.locator(".jp-Notebook-cell").evaluate_all(
        "cells => cells.map(c => !!c.querySelector('.cm-content[aria-readonly=\"true\"]'))"
    )
    # The source of helper cells and tests is folded away: there is no editor.
    assert {name for name, is_closed in zip(notebook.names, closed, strict=True) if is_closed} == locked - hidden
    assert {kinds[name] for name in hidden} <= {CellKind.HELPERS, CellKind.TEST}
    test = next(name for name, kind in kinds.items() if kind is CellKind.TEST)
    answer = next(name for name, kind in kinds.items() if kind is CellKind.ANSWER)
    for name, takes_it in ((answer, True), (test, False)):
        if name in hidden:
            notebook.cell(name).locator(".jp-InputPlaceholder .jp-Placeholder-content").click()
        notebook.cell(name).locator(".cm-content").click()
        notebook.page.keyboard.press("Control+Home")
        notebook.page.keyboard.insert_text("# typed here")
        assert ("# typed here" in notebook.source(name)) is takes_it


def the_self_check_tells_wrong_from_right(notebook, nb, exercise, wrong, screenshot):
    place = notebook.names.index(exercise.name)
    check = next(c.id for c in nb.cells[place:] if kind_of(c) is CellKind.SELF_CHECK)
    texts = []
    for answer in (wrong.source, exercise.answer):
        notebook.fill(exercise.name, answer)
        notebook.run(exercise.name, check)
        texts.append(notebook.output(check).inner_text())
        if answer is wrong.source and nb.cells[0].source[2] == "3":
            screenshot(notebook.page, "self_check", clip=notebook.around(exercise.name, check))
    found = [[line for line in text.splitlines() if line.startswith(("--", "note"))] for text in texts]
    assert any(wrong.self_check in line for line in found[0]), texts[0]
    assert not any(line.startswith("--") or wrong.self_check in line for line in found[1]), texts[1]
    assert re.search("^ok ", texts[1], re.M), texts[1]


def every_control_moves_by_keyboard_and_the_text_follows(output):
    text = output.locator(".finding")
    expect(text).to_have_attribute("aria-live", "polite")
    expect(text).to_have_text(re.compile(r"\S"))
    labels = output.locator(".widget-slider .widget-label")
    for label in labels.all_inner_texts():  # found by what a screen reader calls it
        slider, box = (output.get_by_role(role, name=label, exact=True) for role in ("slider", "spinbutton"))
        before, now = text.inner_text(), slider.get_attribute("aria-valuenow")
        slider.press("ArrowLeft" if now == slider.get_attribute("aria-valuemax") else "ArrowRight")
        expect(text).not_to_have_text(before)
        before, now = text.inner_text(), float(slider.get_attribute("aria-valuenow"))
        typed = next(end for end in (box.get_attribute("min"), box.get_attribute("max")) if float(end) != now)
        box.fill(typed)
        box.press("Tab")
        expect(slider).to_have_attribute("aria-valuenow", re.compile(rf"^{float(typed):g}(\.0)?$"))
        expect(text).not_to_have_text(before)
    for chooser in output.locator("select").all():
        before = text.inner_text()
        last = chooser.evaluate("list => list.selectedIndex == list.options.length - 1")
        chooser.focus()
        for key in ("Space", "ArrowUp" if last else "ArrowDown", "Enter"):
            output.page.keyboard.press(key)  # a list that is not open leaves the arrow to JupyterLab
        expect(text).not_to_have_text(before)
    assert labels.count() + output.locator("select").count() > 0


def test_machinery_that_is_not_folded_is_noticed(course, opened):
    nb = read_notebook(course.released(QUICK))
    for key in FOLDED_HEADING_KEYS:
        machinery(nb).metadata.pop(key)
    behind = [c.id for c in nb.cells].index(first_of_the_lesson(nb)) + 5
    nb.cells = nb.cells[:behind]  # the rest of the lesson is not on the first screen either way
    notebook = opened(nb, QUICK)
    assert len(machinery_seen(notebook, nb)) > 10
    assert not seen(notebook, first_of_the_lesson(nb), "h2")


def test_validate_names_what_fails_and_passes_what_is_right(course, opened):
    """One notebook, with all but the first exercise done, and without demonstrations, since Validate runs all of it.

    What it says of right answers in each notebook is in `tests/notebooks/test_stock_nbgrader.py`.
    """
    assignment = "03_dot_product_attention"
    exercise, wrong = first_answers(course, assignment)
    others = {e.name: e.answer for e in exercises(read_notebook(course.source(assignment))) if e.name != exercise.name}
    nb = fill_answers(read_notebook(course.released(assignment)), others)
    nb.cells = [c for c in nb.cells if kind_of(c) not in SKIPPED_KINDS]
    notebook = opened(nb, assignment)

    notebook.fill(exercise.name, wrong.source)
    said = notebook.validate()
    assert "The following cell failed" in said
    failed = re.findall(r"The following cell failed:\s+(.+)", said)
    assert failed
    assert all(any(line.strip('"') in test for _, _, test in exercise.tests) for line in failed), failed

    notebook.fill(exercise.name, exercise.answer)
    assert "Success! Your notebook passes all the tests." in notebook.validate()


def test_no_saved_output_keeps_anybody_out(course, assignment, lab, opened, kept_page):
    """The solution notebooks hold every output of the course; they are opened, not run."""
    nb = read_notebook(course.source(assignment))
    nb.cells = [cell for cell in nb.cells if cell.cell_type == "code" and cell.outputs]
    for cell in nb.cells:
        cell.source = ""  # to set a hundred editors takes longer than all else; what stands there is seen above
        # A saved widget is a name without a state; widgets are tried alive above.
        cell.outputs = [o for o in cell.outputs if WIDGET_VIEW not in o.get("data", {})]
    # Trusted, as after the student's own run: HTML is shown as it is.
    NotebookNotary(data_dir=str(lab[2] / "data")).sign(nb)
    opened(nb, assignment)
    shown = kept_page.locator(".jp-OutputArea-output:visible")
    assert shown.count() >= sum(bool(c.outputs) for c in nb.cells) > 10
    assert barriers(kept_page, ".jp-OutputArea") == []
    assert set(kept_page.watch.asked) <= {kept_page.watch.BADGE}
