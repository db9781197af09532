"""Where only the code is tried, a training takes one step."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from trained_briefly import ROWS, STEPS, train_briefly

X = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")


@pytest.fixture(autouse=True)
def undone(monkeypatch):
    """Leave Keras as it was."""
    for name in ("fit", "predict"):
        monkeypatch.setattr(keras.Model, name, getattr(keras.Model, name))


@pytest.mark.parametrize("how", [lambda fit: fit(X, X, 16, 5, verbose=0), lambda fit: fit(X, X, epochs=5, verbose=0)])
def test_a_training_takes_one_epoch_and_learns(how):
    train_briefly()
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    before = model.get_weights()[0]
    history = how(model.fit)
    assert history.epoch == [0]
    assert len(history.history["loss"]) == 5  # as the code behind it expects
    assert not np.array_equal(before, model.get_weights()[0])


class Counting(keras.callbacks.Callback):
    """Counts steps."""

    steps = 0

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1


@pytest.mark.parametrize(("count", "steps"), [(20, 1), (64, STEPS), (32 * 50, STEPS)])
def test_a_training_makes_few_steps(count, steps):
    train_briefly()
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    counting, x = Counting(), np.zeros((count, 3), "float32")
    model.fit([x], x, epochs=5, verbose=0, callbacks=[counting])
    assert counting.steps == steps


def test_steps_that_a_graph_would_make_at_once_are_counted_one_by_one():
    train_briefly()
    model, seen, x = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)]), [], np.zeros((1600, 3), "float32")
    model.compile("sgd", lambda y, got: (seen.append(1), keras.ops.mean(got))[1], steps_per_execution=16)
    model.fit(x, x, verbose=0)
    assert len(seen) == STEPS
    assert model.steps_per_execution == 16


def test_the_batches_stay_as_large_as_they_were():
    train_briefly()
    model, sizes, x = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)]), [], np.zeros((1600, 3), "float32")
    model.compile("sgd", lambda y, got: (sizes.append(len(y)), keras.ops.mean(got))[1])
    model.fit(x, x, verbose=0)
    assert sizes == [32] * STEPS


@pytest.mark.parametrize(("graphs", "traced"), [(0, [False, False]), (1, [True, False]), (2, [True, True])])
def test_the_first_trainings_are_compiled_and_models_stay_as_they_were(graphs, traced):
    train_briefly(graphs)
    found = []
    for _ in traced:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
        model.compile("sgd", lambda y, got: (found.append(tf.inside_function()), keras.ops.mean(got))[1])
        model.fit(X, X, verbose=0)
        assert model.run_eagerly is False
    assert [found[0], found[-1]] == traced


def test_few_rows_are_predicted_and_all_come_back(monkeypatch):
    seen, whole = [], keras.Model.predict
    monkeypatch.setattr(keras.Model, "predict", lambda model, x, **k: (seen.append(len(x[0])), whole(model, x, **k))[1])
    switch = train_briefly()
    first, second = keras.Input((3,)), keras.Input((2,))
    model = keras.Model([first, second], {"sum": keras.layers.Concatenate()([first, second]), "first": [first * 2]})
    count = 2 * ROWS + 5
    x = [np.arange(3.0 * count, dtype="float32").reshape(count, 3), np.ones((count, 2), "float32")]
    found = model.predict(x, verbose=0)
    assert found["sum"].shape == (count, 5)
    assert np.array_equal(found["first"][0][:ROWS], 2 * x[0][:ROWS])
    assert np.array_equal(found["first"][0][ROWS : ROWS + 9], 2 * x[0][:9])
    few = [part[:7] for part in x]
    assert np.array_equal(model.predict(few, verbose=0)["sum"], np.concatenate(few, axis=1))
    switch(False)
    assert np.array_equal(model.predict(x, verbose=0)["sum"], np.concatenate(x, axis=1))
    assert seen == [ROWS, 7, count]
