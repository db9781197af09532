"""Pictures that are drawn beforehand for the sliders of the web edition."""

import io
import json
from html.parser import HTMLParser

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell
from PIL import Image

from grader.authoring.needs import needed_cells
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.languages.catalogues import fill
from grader.publishing.frame_capture import frames_of, thinned, values_of
from grader.publishing.frame_making import _write_picture, execute_and_draw
from grader.publishing.frames import Frames, frames_of_notebook, outdated_frames, player
from grader.publishing.site_pages import make_page
from grader.publishing.site_words import WORDS

NB = "09_doubling"
#: A stand-in for the helper of the course, without its libraries.
CAPTURE = """
import base64, io
from PIL import Image


def explore(function, controls):
    pass


def capture_html(function, *values):
    data = io.BytesIO()
    Image.new("RGB", (20, 10), function(*values)).save(data, "png")
    encoded = base64.b64encode(data.getvalue()).decode()
    image = f'<img alt="Colour &lt;{values}&gt;" src="data:image/png;base64,{encoded}">'
    return image, f"<pre>it is {values} &amp; so on</pre>"
"""
EXPLORE = 'explore(colour, {"hue": (0, 2, 1), "kind": (["light", "dark"], 0)})'


def picture():
    data = io.BytesIO()
    Image.new("RGB", (20, 10), "red").save(data, "webp")
    return data.getvalue()


FRAMES = Frames(
    "cell-1",
    [
        {"label": "width <K>", "list": False, "values": ["4", "16"], "start": 1},
        {"label": "head", "list": True, "values": ["first", "both"], "start": 0},
    ],
    [{"picture": n % 3, "alt": f"alt {n}", "text": f"text </script> {n}"} for n in range(4)],
    {n: picture() for n in range(3)},
)


@pytest.mark.parametrize(
    ("control", "values", "words", "start"),
    [
        ((1, 4, 3), [1, 2, 3, 4], ["1", "2", "3", "4"], 2),
        ((500, 2000, 1000, 500), [500, 1000, 1500, 2000], ["500", "1000", "1500", "2000"], 1),
        ((0.1, 0.4, 0.3, 0.1), [0.1, 0.2, 0.3, 0.4], ["0.1", "0.2", "0.3", "0.4"], 2),
        ((["a", "b"], 1), [0, 1], ["a", "b"], 1),
    ],
)
def test_what_a_control_can_be_set_to(control, values, words, start):
    assert values_of(control) == (values, words, start)


def test_sliders_are_thinned_and_keep_their_ends_and_their_start():
    assert thinned([3, 4], [0, 0], [False, True], 12) == [[0, 1, 2], [0, 1, 2, 3]]
    sixteen, many = thinned([16, 64], [3, 12], [False, False], 30)
    assert len(sixteen) * len(many) <= 30
    assert {0, 3, 15} <= set(sixteen)
    assert {0, 12, 63} <= set(many)
    assert thinned([18, 18, 3, 5], [1, 0, 0, 0], [False, False, True, True], 30) is None


def test_pictures_are_in_the_order_of_the_controls():
    drawn = frames_of(lambda *v: None, {"a": (0, 1, 0), "b": (["x", "y"], 1)}, lambda function, *v: [str(v), ""], 30)
    assert [alt for alt, _ in drawn["frames"]] == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
    assert [control["start"] for control in drawn["controls"]] == [0, 1]


def test_values_can_be_chosen_for_sliders_that_have_too_many():
    controls = {"a": (0.1, 2.0, 0.8, 0.1), "b": (["x", "y"], 1), "c": (0, 40, 0)}
    called = []
    drawn = frames_of(lambda *v: None, controls, lambda f, *v: called.append(v), 3, [[0.1, 0.8, 2.0], [], [0, 5]])
    assert [control["values"] for control in drawn["controls"]] == [["0.1", "0.8", "2"], ["x", "y"], ["0", "5"]]
    assert [control["start"] for control in drawn["controls"]] == [1, 1, 0]
    assert called[0] == (0.1, 0, 0)
    assert called[-1] == (2.0, 1, 5)
    assert frames_of(lambda *v: None, controls, lambda f, *v: "", 3) is None
    with pytest.raises(ValueError, match=r"lack the first one, 0\.8"):
        frames_of(lambda *v: None, controls, lambda f, *v: "", 3, [[0.1, 2.0], [], []])


class Parts(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.data = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.data.append(data)


def test_the_player_has_native_controls_with_names_and_the_first_picture():
    text, files = player(FRAMES, "figures/nb", WORDS["en"])
    assert set(files) == {f"figures/nb/cell-1/{n}.webp" for n in range(3)}
    parts = Parts(text)
    found = dict(reversed(parts.found))
    assert (found["input"]["type"], found["input"]["max"], found["input"]["value"]) == ("range", "1", "1")
    assert found["input"]["aria-valuetext"] == "16"
    assert {a["for"] for tag, a in parts.found if tag == "label"} == {found["input"]["id"], found["select"]["id"]}
    assert (found["img"]["src"], found["img"]["alt"]) == ("figures/nb/cell-1/2.webp", "alt 2")
    assert (found["img"]["width"], found["img"]["height"]) == ("10", "5")
    table = next(data for data in parts.data if data.startswith("[["))
    assert json.loads(table)[3] == [0, "alt 3", "text </script> 3"]
    assert text.count("</script>") == 1


@pytest.fixture
def sliders(course):
    """The small course with a cell that makes sliders, and cells that it needs and does not need."""
    nb = read_notebook(course.source(NB))
    added = {
        "capture": CAPTURE,
        "shades": "shades = []",
        "train": "shades.append(double(40))",
        "idle": "nobody_needs_this = 1",
        "draw": "def colour(hue, kind):\n    return (hue * shades[0], kind * 90, 0)",
        "sliders": EXPLORE,
    }
    for name, source in added.items():
        nb.cells.append(new_code_cell(source, id=name, metadata={"tags": ["demonstration"]}))
    nbformat.write(nb, course.source(NB))
    return course


def test_what_a_cell_with_sliders_needs(sliders):
    found = [cell.id for cell in needed_cells(read_notebook(sliders.source(NB)), {"sliders"})]
    assert found[-4:] == ["shades", "train", "draw", "sliders"]
    assert "idle" not in found
    assert {"setup", "given_two", "double"} <= set(found)
    assert not any(name.startswith("test_") for name in found)


def test_pictures_are_drawn_kept_and_shown_until_the_cell_changes(sliders):
    nb = read_notebook(sliders.source(NB))
    nb.cells.insert(-1, new_code_cell(CAPTURE, id="again", metadata={"tags": ["given"]}))
    nbformat.write(nb, sliders.source(NB))
    assert execute_and_draw(sliders, NB)[1:] == [f"{NB}, sliders: 6 choices, 6 pictures, 0 kB"]
    frames, stale = frames_of_notebook(sliders, NB, nb)
    assert stale == []
    assert frames["sliders"].frames[1] == {"picture": 1, "alt": "Colour <(0, 1)>", "text": "it is (0, 1) & so on"}
    page = make_page(nb, nb, NB, None, frames)
    assert '<input type="range"' in page.text
    assert sum(path.endswith(".webp") for path in page.files) == 6
    nb.cells[-1].source = EXPLORE.replace("hue", "tone")
    assert frames_of_notebook(sliders, NB, nb) == ({}, ["sliders"])


def test_a_colour_bar_has_no_steps_that_are_seen(tmp_path):
    bar = np.zeros((40, 256, 3), np.uint8)
    bar[..., 0] = np.arange(256)
    bar[..., 1] = 128 + 96 * np.sin(np.arange(256) / 40)
    bar[..., 2] = np.arange(256)[::-1]
    data = io.BytesIO()
    Image.fromarray(bar).save(data, "png")
    _write_picture(tmp_path / "0.webp", data.getvalue())
    with Image.open(tmp_path / "0.webp") as image:
        change = np.abs(np.asarray(image.convert("RGB")).astype(int) - bar)
    assert change.max() <= 4


def test_a_function_that_shows_no_picture_is_named(sliders):
    nb = read_notebook(sliders.source(NB))
    blind = CAPTURE + "\ndef capture_html(function, *values):\n    return '', '<pre></pre>'"
    nb.cells.insert(-1, new_code_cell(blind, id="again", metadata={"tags": ["given"]}))
    nbformat.write(nb, sliders.source(NB))
    with pytest.raises(GraderError, match="exactly one picture"):
        execute_and_draw(sliders, NB)


def choose(course, text):
    course.web.mkdir(parents=True, exist_ok=True)
    (course.web / "frames.toml").write_text(text)


def test_chosen_values_are_drawn_and_another_choice_needs_other_pictures(sliders):
    nb = read_notebook(sliders.source(NB))
    nb.cells.insert(-1, new_code_cell(CAPTURE, id="again", metadata={"tags": ["given"]}))
    nbformat.write(nb, sliders.source(NB))
    choose(sliders, f"[{NB}]\nsliders = [[0, 1], []]\n")
    assert execute_and_draw(sliders, NB)[1:] == [f"{NB}, sliders: 4 choices, 4 pictures, 0 kB"]
    frames, _ = frames_of_notebook(sliders, NB, nb)
    assert frames["sliders"].controls[0]["values"] == ["0", "1"]
    choose(sliders, f"[{NB}]\nsliders = [[1, 2], []]\n")
    assert frames_of_notebook(sliders, NB, nb) == ({}, ["sliders"])
    (line,) = outdated_frames(sliders)
    assert "sliders" in line
    assert "grader execute 09" in line
    choose(sliders, f"[{NB}]\nsliders = [[0, 2], []]\n")
    with pytest.raises(GraderError, match="lack the first one"):
        execute_and_draw(sliders, NB)


def test_pictures_in_another_language_stand_beside_its_catalogues(sliders):
    nb = read_notebook(sliders.source(NB))
    nb.cells.insert(-1, new_code_cell(CAPTURE, id="again", metadata={"tags": ["given"]}))
    nbformat.write(nb, sliders.source(NB))
    fill(sliders, "zh_CN", NB, {"hue": "色相"}, {})
    execute_and_draw(sliders, NB)
    assert frames_of_notebook(sliders, NB, nb, "zh_CN") == ({}, [])
    execute_and_draw(sliders, NB, "zh_CN")
    frames, stale = frames_of_notebook(sliders, NB, nb, "zh_CN")
    assert stale == []
    assert frames["sliders"].controls[0]["label"] == "色相"
    assert frames_of_notebook(sliders, NB, nb)[0]["sliders"].controls[0]["label"] == "hue"
    fill(sliders, "zh_CN", NB, {"hue": "色调"}, {})
    assert frames_of_notebook(sliders, NB, nb, "zh_CN") == ({}, ["sliders"])
