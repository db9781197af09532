"""Short trainings of notebook 6 at one learning rate, and the picture of its stored runs."""

import matplotlib as mpl

mpl.use("Agg")

import keras
import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import norm_runs
from helpers.stored_norms import STORED_NORMS


def small_model():
    keras.utils.set_random_seed(0)
    source, target = keras.Input((3,), dtype="int32"), keras.Input((4,), dtype="int32")
    summed = keras.ops.sum(keras.layers.Embedding(6, 8)(source), axis=1, keepdims=True)
    return keras.Model([source, target], keras.layers.Dense(6)(keras.layers.Embedding(6, 8)(target) + summed))


@pytest.fixture
def told(monkeypatch):
    texts = []
    monkeypatch.setattr(norm_runs, "show", lambda figure, alt: texts.append(alt))
    yield texts
    plt.close("all")


def test_a_training_has_a_loss_for_each_step_and_a_rate_that_rises():
    ids = np.random.default_rng(1).integers(2, 6, (40, 4))
    model = small_model()
    losses = norm_runs.train_at_rate(model, ids[:, :3], ids, rate=0.05, warmup=8, steps=4)
    assert losses.shape == (4,)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.05 * 4 / 8)
    more = norm_runs.train_at_rate(model, ids[:, :3], ids, rate=0.05, warmup=0, steps=90)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.05)
    assert more[-1] < 0.6 * losses[0]
    again = norm_runs.train_at_rate(small_model(), ids[:, :3], ids, rate=0.05, warmup=8, steps=4)
    np.testing.assert_allclose(again, losses, rtol=1e-5)


def test_the_entropy_counts_words_and_no_padding():
    assert norm_runs.word_entropy(np.array([[3, 4, 0, 0], [4, 3, 0, 0]])) == pytest.approx(np.log(2))


def test_the_stored_runs_are_complete_and_told(told):
    seeds, rates = STORED_NORMS["settings"]["seeds"], STORED_NORMS["rates"]
    for depth in STORED_NORMS["depths"]:
        for runs in STORED_NORMS["losses"][depth].values():
            assert np.shape(runs) == (len(rates), seeds)
            assert np.isfinite(runs).all()
    norm_runs.show_norm_runs(STORED_NORMS)
    deepest = STORED_NORMS["depths"][-1]
    first = np.mean(STORED_NORMS["losses"][deepest]["post-norm, without warm-up"], axis=1)
    assert f"{deepest} layers, post-norm, without warm-up: {first[0]:.2f}" in told[0]
