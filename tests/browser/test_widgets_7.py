"""The controls of `explore` in the front end of ipywidgets 7, which Colab has: keyboard, labels, a live text."""

from pathlib import Path

import nbformat
import pytest
from colab_environment import colab_python
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from .lab import classic_notebook

EXPLORE = Path(__file__).parents[2] / "assets" / "helpers" / "explore.py"
CONTROLS = {"words": (1, 9, 4), "temperature": (0.5, 2.0, 1.0, 0.5), "model": (["small", "large"], 0)}


@pytest.fixture
def address(course, tmp_path):
    python = colab_python(course.build)
    if python is None:
        pytest.skip("no Python 3.13 on this machine, which Colab has")
    code = f"{EXPLORE.read_text()}\n\nexplore(lambda *values: print('values', *values), {CONTROLS!r})"
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    root = tmp_path / "notebooks"
    root.mkdir()
    nbformat.write(new_notebook(cells=[new_code_cell(code)], metadata={"kernelspec": spec}), root / "play.ipynb")
    with classic_notebook(python, root, tmp_path / "state") as found:
        yield found


def test_every_control_moves_by_keyboard_and_the_text_follows(address, browser):
    page = browser.new_page()
    page.goto(address.format("notebooks/play.ipynb"))
    expect(page.locator(".kernel_idle_icon")).to_be_visible()
    page.locator(".cell").click()
    page.keyboard.press("Control+Enter")
    text = page.locator(".finding")
    expect(text).to_have_text("values 4 1.0 0")
    expect(text).to_have_attribute("aria-live", "polite")
    expect(page.locator(".widget-slider .widget-label")).to_have_text(["words", "temperature"])
    words, temperature = page.locator(".ui-slider-handle").all()
    words.press("ArrowRight")
    expect(text).to_have_text("values 5 1.0 0")
    temperature.press("ArrowLeft")
    expect(text).to_have_text("values 5 0.5 0")
    box = page.get_by_role("spinbutton", name="words", exact=True)
    expect(box).to_have_value("5")
    box.fill("9")
    box.press("Tab")
    expect(text).to_have_text("values 9 0.5 0")
    page.get_by_role("combobox", name="model").select_option("large")
    expect(text).to_have_text("values 9 0.5 1")
    page.close()
