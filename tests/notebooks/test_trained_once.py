"""When a notebook's demonstrations run again, only the same training over again is spared."""

import functools
import random

import keras
import numpy as np
import pytest
from trained_once import remember_predictions, remember_trainings

X = np.random.default_rng(0).normal(size=(60, 4)).astype("float32")
Y = X @ np.array([1.0, -2, 3, 0.5], dtype="float32")


class Slower(keras.optimizers.schedules.LearningRateSchedule):
    """As notebooks write them: without a description for Keras."""

    def __init__(self, peak):
        self.peak = peak

    def __call__(self, step):
        return self.peak / (1 + keras.ops.cast(step, "float32"))


class Scaled(keras.layers.Layer):
    def __init__(self, factor, **options):
        super().__init__(**options)
        self.factor = factor

    def call(self, x):
        return x * self.factor


@pytest.fixture
def kept(monkeypatch):
    """What is remembered in this test."""
    monkeypatch.setattr(keras.Model, "fit", keras.Model.fit)  # undone at the end
    return remember_trainings()


def built(seed=0, factor=2.0, peak=0.05, activation="tanh"):
    keras.utils.set_random_seed(seed)
    entry = keras.Input((4,))
    hidden = Scaled(factor)(keras.layers.Dropout(0.2)(keras.layers.Dense(5, activation)(entry)))
    model = keras.Model(entry, keras.layers.Dense(1)(hidden))
    model.compile(keras.optimizers.Adam(Slower(peak), use_ema=True), keras.losses.MeanSquaredError())
    return model


def trained(model, x=X, y=Y, **options):
    """Return the losses, the weights, and what is drawn from every source of random numbers afterwards."""
    losses = model.fit(x, y, batch_size=16, epochs=options.pop("epochs", 2), verbose=0, **options).history["loss"]
    drawn = [random.random(), np.random.random(), float(keras.random.uniform(()))]
    return losses, [keras.ops.convert_to_numpy(w) for w in model.variables], drawn


def test_the_same_training_is_done_once_with_everything_as_after_it(kept):
    first, second = built(), built()
    losses, weights, drawn = trained(first)
    assert first.history.epoch == [0, 1]
    again = trained(built())
    assert len(kept) == 1
    assert again[0] == losses
    assert all(np.array_equal(a, b) for a, b in zip(again[1], weights, strict=True))
    assert again[2] == drawn
    # A model that was built before the random numbers of another training were drawn begins elsewhere.
    trained(second)
    assert len(kept) == 2


def test_it_ends_as_if_it_had_been_trained(kept):
    """What goes on afterwards, goes on alike: the optimizer too has come as far."""
    first, second = built(), built()
    del second
    trained(first)
    further = trained(first, epochs=1)
    spared = built()
    trained(spared)
    assert len(kept) == 2
    assert int(spared.optimizer.iterations) == 8
    assert trained(spared, epochs=1)[0] == further[0]
    assert len(kept) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"factor": 3.0},
        {"peak": 0.04},
        {"activation": "relu"},
    ],
    ids=str,
)
def test_another_beginning_is_trained(kept, other):
    losses, _, _ = trained(built())
    assert trained(built(**other))[0] != losses
    assert len(kept) == 2


def test_other_data_or_options_are_trained(kept):
    trained(built())
    for options in ({"y": Y + 1}, {"epochs": 3}, {"shuffle": False}, {"sample_weight": np.arange(60.0)}):
        trained(built(), **options)
    assert len(kept) == 5


def test_another_loss_is_trained(kept):
    own = lambda a, b: keras.ops.abs(a - b), lambda a, b: keras.ops.abs(a - b)[..., None]  # `...` is a constant
    for loss in ("mse", "mae", keras.losses.Huber(), keras.losses.Huber(delta=2.0), *own):
        model = built()
        model.compile("sgd", loss)
        trained(model)
    assert len(kept) == 6


def test_going_on_with_a_trained_model_or_without_a_seed_is_noticed(kept):
    model = built()
    first, second = trained(model)[0], trained(model)[0]
    assert first != second
    keras.utils.set_random_seed(0)
    model.compile(keras.optimizers.Adam(0.05), "mse")
    trained(model)
    assert len(kept) == 3


class Shaped(keras.layers.Layer):
    """Made with a function, for which Keras has no words."""

    def __init__(self, shape, scale, **options):
        super().__init__(**options)
        self._shape, self.scale = shape, scale
        self.inner = keras.layers.Dense(5)

    def call(self, x):
        return self._shape(self.inner(x)) * self.scale


def shaped(shape=keras.ops.tanh, scale=1.0):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), Shaped(shape, scale), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def test_a_layer_that_was_made_with_a_function_is_described_by_what_it_holds(kept):
    with pytest.raises(NotImplementedError):
        shaped().layers[0].get_config()
    losses, weights, _ = trained(shaped())
    again = trained(shaped())
    assert len(kept) == 1
    assert again[0] == losses
    assert all(np.array_equal(a, b) for a, b in zip(again[1], weights, strict=True))
    with pytest.raises(NotImplementedError):
        shaped().layers[0].get_config()  # as before
    for other in ({"shape": keras.ops.relu}, {"scale": 2.0}, {"shape": lambda x: x * 0.5}):
        assert trained(shaped(**other))[0] != losses
    assert len(kept) == 4


def test_a_rate_that_is_set_for_each_epoch_is_described(kept):
    for last in (0.1, 0.1, 0.2):
        rate = keras.callbacks.LearningRateScheduler(lambda epoch, rate, last=last: last if epoch else 0.01)
        model = shaped()
        trained(model, callbacks=[rate])
        assert float(model.optimizer.learning_rate) == pytest.approx(last)
    assert len(kept) == 2


def test_what_cannot_be_described_is_trained(kept):
    seen = []
    for _ in range(2):
        call = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(epoch))
        trained(built(), callbacks=[call])
    assert seen == [0, 1, 0, 1]
    assert not kept


class Noisy(keras.layers.Layer):
    """Draws random numbers in predictions too."""

    def call(self, x):
        return x + keras.random.normal((5,))


@pytest.fixture
def computed(monkeypatch):
    """What is remembered of predictions, and how many were computed."""
    calls, predict = [], keras.Model.predict
    counted = functools.wraps(predict)(lambda *a, **k: (calls.append(1), predict(*a, **k))[1])
    monkeypatch.setattr(keras.Model, "predict", counted)
    return remember_predictions(), calls


def test_the_same_prediction_is_computed_once(computed):
    kept, calls = computed
    model = built()
    first = model.predict(X, verbose=0)
    wanted = first.copy()
    first[:] = 0  # what a notebook does with its own array
    model.predict(X, verbose=0)[:] = 1
    assert np.array_equal(model.predict(X, verbose=0), wanted)
    assert np.array_equal(built().predict(X, verbose=0), wanted)  # another model, the same layers and weights
    assert len(calls) == len(kept) == 1


def test_other_weights_inputs_or_layers_are_computed(computed):
    kept, calls = computed
    model = built()
    found = [model.predict(X, verbose=0), model.predict(X + 1, verbose=0)]
    model.set_weights([w + 1 for w in model.get_weights()])
    found += [model.predict(X, verbose=0), built(factor=3.0).predict(X, verbose=0)]
    assert len(calls) == len(kept) == 4
    assert len({p.tobytes() for p in found}) == 4


def test_a_prediction_that_draws_random_numbers_is_computed_each_time(computed):
    kept, calls = computed
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((5,)), Noisy()])
    x = np.zeros((2, 5), "float32")
    assert not np.array_equal(model.predict(x, verbose=0), model.predict(x, verbose=0))
    assert len(calls) == 2
    assert not kept
