"""The recipe of notebook 7: with the student's functions and without them the lesson trains the same."""

import keras
import numpy as np
import pytest
from helpers import recipe, translator

from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

WIDTH, LESSON_WIDTH = 16, 32


@pytest.fixture(scope="module")
def answers():
    space = {"np": np}
    for exercise in exercises(read_notebook(Course.find().source("07_training_and_decoding"))):
        if "noam_learning_rate" in exercise.answer or "smooth_labels" in exercise.answer:
            exec(exercise.answer, space)
    return space


def small_translator(seed=0):
    keras.utils.set_random_seed(seed)
    return translator.make_translator(8, 9, 5, 6, width=WIDTH, num_heads=2, depth=1, d_ff=2 * WIDTH)[0]


def few_pairs():
    rng = np.random.default_rng(0)
    target = rng.integers(3, 9, (64, 6))
    target[:, 4:] = 0
    return rng.integers(3, 8, (64, 5)), target


def test_rates_and_labels_are_those_of_the_students_functions(answers):
    ours, theirs = (recipe.rates_of_recipe(150, LESSON_WIDTH, r) for r in (None, answers["noam_learning_rate"]))
    assert np.allclose(ours, theirs)
    assert ours.argmax() == recipe.RECIPE["warmup_steps"] - 1
    ours, theirs = (recipe.labels_of_recipe(7, smooth) for smooth in (None, answers["smooth_labels"]))
    assert np.allclose(ours, theirs)


def test_rates_and_labels_of_the_lesson_are_of_its_own_recipe_alone(answers, monkeypatch):
    rates, labels = recipe.rates_of_recipe(150, LESSON_WIDTH), recipe.labels_of_recipe(7)
    for name, value in (("warmup_steps", 20), ("epsilon", 0.3)):
        monkeypatch.setitem(recipe.RECIPE, name, value)
    assert np.array_equal(recipe.rates_of_recipe(150, 8), rates)
    assert np.array_equal(recipe.labels_of_recipe(7), labels)
    assert not np.allclose(recipe.rates_of_recipe(150, 8, answers["noam_learning_rate"]), rates)
    assert not np.allclose(recipe.labels_of_recipe(7, answers["smooth_labels"]), labels)


def test_without_warm_up_training_begins_at_the_peak_and_goes_on_alike():
    warm, cold = (recipe.rates_of_recipe(150, WIDTH, warm_up=warm_up) for warm_up in (True, False))
    reach = recipe.RECIPE["warmup_steps"]
    assert (cold[:reach] == warm.max()).all()
    assert np.array_equal(cold[reach:], warm[reach:])


def test_a_listed_rate_is_that_of_its_step_and_the_last_one_stays():
    schedule = recipe.ListedRates([0.1, 0.2, 0.3])
    assert np.allclose([schedule(step) for step in (0, 1, 2, 9)], [0.1, 0.2, 0.3, 0.3])


def test_dropout_is_in_seven_places_and_acts_in_training_alone():
    model = small_translator()
    dropping = recipe.with_dropout(model, 0.5)
    # Words of source and target; in the encoder attention and feed-forward; in the decoder two attentions and one.
    assert sum(isinstance(layer, keras.layers.Dropout) for layer in dropping.layers) == 7
    source, target = few_pairs()
    inputs = [source[:3], translator.shift_right(target)[:3]]
    plain = np.asarray(model(inputs))
    assert np.array_equal(plain, dropping(inputs))
    assert np.abs(plain - dropping(inputs, training=True)).max() > 0.1
    assert {id(v) for v in dropping.trainable_variables} == {id(v) for v in model.trainable_variables}


def test_the_loss_is_keras_with_smoothed_labels_over_real_words():
    model, (source, target) = small_translator(), few_pairs()
    logits = np.asarray(model([source, translator.shift_right(target)]))
    smoothed = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=recipe.RECIPE["epsilon"])
    real = target != 0
    want = float(smoothed(np.eye(9)[target[real]], logits[real]))
    begun = model.get_weights()
    got = recipe.train_by_recipe(model, source, target, 1, np.zeros(1), recipe.labels_of_recipe(9))
    assert np.isclose(got[0], want, rtol=1e-4)  # one batch, at the rate 0
    assert all(np.array_equal(a, b) for a, b in zip(begun, model.get_weights(), strict=True))
    plain = keras.losses.CategoricalCrossentropy(from_logits=True)
    want = float(plain(np.eye(9)[target[real]], logits[real]))
    assert np.isclose(recipe.loss_per_word(model, source, target), want, rtol=1e-4)


def test_training_with_dropout_trains_the_model_itself():
    model, (source, target) = small_translator(), few_pairs()
    rates, labels = recipe.rates_of_recipe(20, WIDTH), recipe.labels_of_recipe(9)
    losses = recipe.train_by_recipe(model, source, target, 20, rates, labels, dropout=0.1)
    assert losses[-1] < losses[0]
    before = recipe.loss_per_word(small_translator(), source, target)
    assert recipe.loss_per_word(model, source, target) < before
