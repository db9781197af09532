"""The stored runs of Transformers with other positions, and their picture."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import translator_positions
from helpers.stored_translator_positions import STORED_TRANSLATOR_POSITIONS as STORED


@pytest.fixture
def told(monkeypatch):
    texts = []
    monkeypatch.setattr(translator_positions, "show", lambda figure, alt: texts.append(alt))
    yield texts
    plt.close("all")


def test_the_stored_runs_are_complete():
    words = STORED["words"]
    assert list(STORED["curves"]) == ["sines", "relative", "rotary"]
    for runs in STORED["curves"].values():
        assert np.shape(runs) == (3, len(words))
        assert np.min(runs) >= 0
        assert np.max(runs) <= 1
    assert min(STORED["counts"]) >= 20
    assert words[0] < STORED["trained_to"] < words[-1]


def test_what_the_notebook_says_of_them_holds_in_every_run():
    words = np.array(STORED["words"])
    trained = words <= STORED["trained_to"]
    for kind, runs in STORED["curves"].items():
        shares = np.array(runs)
        assert shares[:, trained].mean() > 0.95, "up to the trained length nearly everything is right"
        eleven = shares[:, words == 11]
        assert (eleven < 0.1).all() if kind == "sines" else (eleven > 0.5).all()
        assert (shares[:, words == 14] < 0.5).all()


def test_the_picture_says_what_it_shows(told):
    translator_positions.show_longer_sources(STORED, "A title")
    mean = np.mean(STORED["curves"]["rotary"], axis=0)
    assert told[0].startswith("A title. Trained on sources of up to 9 words")
    assert f"rotary 3: {mean[0]:.2f}" in told[0]
    assert f"14: {mean[-1]:.2f}" in told[0]
