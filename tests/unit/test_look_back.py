"""The last page of the course looks back with numbers: each of them is in the stored runs of its notebook."""

import re

import numpy as np
import pytest
from helpers import (
    stored_ablation,
    stored_curves,
    stored_heads,
    stored_images,
    stored_language,
    stored_positions,
    stored_scale,
    stored_transformer,
)

from grader.core.course import Course
from grader.core.notebook import read_notebook


def hundredths(runs):
    """Return the mean of runs as the page writes it."""
    return f"{100 * np.mean(runs):.0f} of 100"


def nine_digits(runs):
    return hundredths([run[8] for run in runs])


def last_epoch(model, rate):
    return hundredths([run[-1] for run in stored_scale.STORED_SCALE["accuracy"]["SGD"][model][rate]])


def beyond(name):
    longer = stored_transformer.STORED_COMPARISON["longer"]
    far = np.array(longer["words"]) > longer["trained_to"]
    runs = np.array(longer["curves"][name])[:, far]
    return hundredths(np.average(runs, axis=1, weights=np.array(longer["counts"])[far]))


ABLATION, ROLES = stored_ablation.STORED_ABLATION["curves"], stored_heads.STORED_HEADS["roles"]
ORDER, EYES = stored_positions.STORED_POSITIONS["accuracy"], stored_images.STORED_IMAGES["captioners"]
NUMBERS = {
    1: [nine_digits(stored_curves.STORED_CURVES["fixed"]["curves"]["32 units"])],
    2: [nine_digits(ABLATION["chosen"]), nine_digits(ABLATION["uniform"])],
    3: [last_epoch("no scale", 1.0), last_epoch("divided by sqrt(K)", 1.0), last_epoch("no scale", 0.1)],
    4: [hundredths(ROLES[name]["new pairs"]) for name in ("one head", "two heads")],
    5: [hundredths([run[0] for run in ORDER["none"]])]
    + [hundredths([run[4] for run in ORDER[name]]) for name in ("sinusoidal", "relative")],
    7: [beyond("Transformer"), beyond("recurrent with attention")],
    9: [hundredths(EYES["chosen"]["pointing"]), hundredths(EYES["uniform"]["pointing"])],
}


@pytest.fixture(scope="module")
def rows():
    """The rows of the last page's table, by notebook."""
    cells = read_notebook(Course.find().source("09_attention_for_images")).cells
    text = next(cell.source for cell in cells if "### Looking back on the course" in cell.source)
    return {int(row[0]): row for row in re.findall(r"^\| (\d \|.*)\|$", text, re.MULTILINE)}


@pytest.mark.parametrize("notebook", NUMBERS)
def test_numbers_are_those_of_the_stored_runs(rows, notebook):
    assert re.findall(r"\d+ of 100\b(?!,\d|\d)", rows[notebook]) == NUMBERS[notebook]


def test_notebook_6_keeps_its_word(rows):
    assert "more than 99 of 100" in rows[6]
    cells = read_notebook(Course.find().source("06_transformer")).cells
    printed = "".join(out.get("text", "") for cell in cells for out in cell.get("outputs", []))
    found = re.findall(r"held-out numbers, exact match: measured (\d\.\d+)", printed)
    assert found
    assert all(float(share) > 0.99 for share in found)


def test_a_language_model_beside_counted_pairs(rows):
    stored = stored_language.STORED_LANGUAGE
    assert f"{stored['scaling'][64, 1, 2700]['loss']:.2f} nats" in rows[8]
    assert f"reaches {stored['counting']['bigram']:.2f}" in rows[8]


def test_settings_that_the_page_names(rows):
    assert stored_scale.STORED_SCALE["settings"]["width"] == 512
    assert "width 512" in rows[3]
    lengths = stored_positions.STORED_POSITIONS["lengths"]
    assert (lengths[0], lengths[4]) == (10, 40)
    assert "four times" in rows[5]


def test_every_notebook_of_the_course_has_a_row(rows):
    assert sorted(rows) == sorted(int(name[:2]) for name in Course.find().assignments())
