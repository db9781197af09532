"""Where only the code is tried, a training takes one epoch of a few steps."""

import keras
import numpy as np
import pytest
from trained_briefly import train_briefly

X = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")


@pytest.mark.parametrize("how", [lambda fit: fit(X, X, 16, 5, verbose=0), lambda fit: fit(X, X, epochs=5, verbose=0)])
def test_a_training_takes_one_epoch_and_learns(monkeypatch, how):
    monkeypatch.setattr(keras.Model, "fit", keras.Model.fit)  # undone at the end
    train_briefly()
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    before = model.get_weights()[0]
    history = how(model.fit)
    assert history.epoch == [0]
    assert len(history.history["loss"]) == 1
    assert not np.array_equal(before, model.get_weights()[0])


class Counting(keras.callbacks.Callback):
    """Counts steps."""

    steps = 0

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1


@pytest.mark.parametrize(("count", "steps"), [(64, 2), (70, 3), (32 * 50, 10)])
def test_a_training_makes_at_most_ten_steps(monkeypatch, count, steps):
    monkeypatch.setattr(keras.Model, "fit", keras.Model.fit)
    train_briefly()
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    counting, x = Counting(), np.zeros((count, 3), "float32")
    model.fit([x], x, epochs=5, verbose=0, callbacks=[counting])
    assert counting.steps == steps
