"""The translator of notebook 2: its variants, its decoder step by step, counts of alignments, verdicts."""

import matplotlib as mpl

mpl.use("Agg")

import keras
import numpy as np
import pytest
from helpers import alignments, predictions, recurrent_translator, steps_by_hand
from helpers.number_words import END, GERMAN, PAD, TARGET_LENGTH, encode_numbers, translate_number

from assets.experiments.length_curves import notebook_functions

UNITS = 6
NUMBERS = [21, 81_023, 7, 745_321_008]


@pytest.fixture(scope="module")
def decoder():
    return notebook_functions(["02_additive_attention"], ["AttentionLayers", "AttentionDecoder"])["AttentionDecoder"]


def build(decoder, **variant):
    keras.utils.set_random_seed(1)
    return recurrent_translator.build_translator(decoder(UNITS, name="decoder"), UNITS, **variant)


@pytest.fixture(scope="module")
def chosen(decoder):
    """The model and its maps as the notebook builds them, for the tests that only look: unrolling takes seconds."""
    return build(decoder)


def looks(maps, source, target):
    inputs = [source, recurrent_translator.shift_right(target)]
    return [np.asarray(part) for part in maps(inputs)]


def test_a_model_that_is_built_again_after_a_fresh_start_is_the_same(decoder):
    """In its names, too: they enter the compiled graph, and a second training with other names ended elsewhere."""
    made = []
    for _ in range(2):
        recurrent_translator.start_afresh(seed=3)
        model, _ = recurrent_translator.build_translator(decoder(UNITS, name="decoder"), UNITS)
        made.append(([w.path for w in model.weights] + [layer.name for layer in model.layers], model.get_weights()))
    assert made[0][0] == made[1][0]
    for first, again in zip(made[0][1], made[1][1], strict=True):
        np.testing.assert_array_equal(first, again)


def test_the_decoder_by_steps_writes_what_the_model_writes(chosen):
    model, maps = chosen
    source, target = encode_numbers(NUMBERS)
    written, _ = steps_by_hand.translate_by_steps(steps_by_hand.keras_step(model), model, maps, source)
    assert steps_by_hand.count_different(written, recurrent_translator.translate(model, source)) == 0
    _, weights = steps_by_hand.translate_by_steps(steps_by_hand.keras_step(model), model, maps, source, given=target)
    np.testing.assert_allclose(weights, looks(maps, source, target)[0], atol=1e-5)


def test_the_params_are_those_of_the_exercise(chosen):
    model, maps = chosen
    source, target = encode_numbers(NUMBERS)
    params = steps_by_hand.read_params(model)
    seen, state, annotations = looks(maps, source, target)
    hidden = np.tanh((state @ params["w_query"])[:, None] + annotations @ params["w_key"])
    scores = np.where(source != PAD, hidden @ params["v"], -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights, seen[:, 0], atol=1e-5)
    assert {name: a.shape for name, a in params.items()} == {
        "w_query": (UNITS, UNITS),
        "w_key": (UNITS, UNITS),
        "v": (UNITS,),
        "gru_x": (2 * UNITS, 3 * UNITS),
        "gru_h": (UNITS, 3 * UNITS),
        "gru_b": (3 * UNITS,),
    }


def test_a_position_that_is_forbidden_at_one_step_is_not_read_there(chosen):
    model, maps = chosen
    source, target = encode_numbers(NUMBERS)
    allowed = np.repeat((source != PAD)[:, None], TARGET_LENGTH, axis=1)
    allowed[1, 2, 0] = False
    step = steps_by_hand.keras_step(model)
    _, weights = steps_by_hand.translate_by_steps(step, model, maps, source, given=target, allowed=allowed)
    assert weights[1, 2, 0] == 0
    assert weights[1, 3, 0] > 0
    assert weights[1, 2].sum() == pytest.approx(1, abs=1e-5)


def test_uniform_weights_are_equal_and_stay_so(decoder):
    model, maps = build(decoder, context="uniform")
    source, target = encode_numbers(NUMBERS)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
    model.compile("adam", loss, run_eagerly=True)
    model.fit([source, recurrent_translator.shift_right(target)], target, verbose=0)
    real = source != PAD
    want = np.repeat((real / real.sum(axis=1, keepdims=True))[:, None], TARGET_LENGTH, axis=1)
    np.testing.assert_allclose(looks(maps, source, target)[0], want, atol=1e-6)


@pytest.mark.filterwarnings("ignore:You are using a softmax over axis")
def test_a_fixed_context_is_the_final_state_of_the_encoder(decoder, chosen):
    _, maps = build(decoder, context="fixed")
    _, other = chosen  # the same seed: the same encoder
    source, target = encode_numbers(NUMBERS)
    weights, _, context = looks(maps, source, target)
    annotations = looks(other, source, target)[2]
    assert weights.shape == (4, TARGET_LENGTH, 1)
    last = (source != PAD).sum(axis=1) - 1
    half = UNITS // 2
    np.testing.assert_allclose(context[:, 0, :half], annotations[np.arange(4), last, :half], atol=1e-6)
    np.testing.assert_allclose(context[:, 0, half:], annotations[:, 0, half:], atol=1e-6)


def test_a_forward_encoder_does_not_see_what_follows(decoder, chosen):
    for (_, maps), sees in ((build(decoder, encoder="forward"), False), (chosen, True)):
        source, target = encode_numbers([1_000, 1_000_000])  # one thousand, one million
        annotations = looks(maps, source, target)[2]
        assert annotations.shape == (2, 14, UNITS)
        assert (np.abs(annotations[0, 0] - annotations[1, 0]).max() > 1e-6) is np.bool_(sees)


def test_annotations_that_change_are_counted():
    assert recurrent_translator.count_changed_annotations(words=5, change=-1) == {"forward": 1, "bidirectional": 5}
    assert recurrent_translator.count_changed_annotations(words=5, change=1) == {"forward": 4, "bidirectional": 5}


def test_exact_match_asks_for_every_real_word():
    target = np.array([[5, 6, 2, PAD], [5, 7, 2, PAD], [8, 2, PAD, PAD]])
    written = np.array([[5, 6, 2, 9], [5, 6, 2, PAD], [8, 2, PAD, PAD]])
    shares = steps_by_hand.exact_match(written, target, np.array([2, 2, 1]))
    assert shares[1] == 1.0
    assert shares[2] == 0.5
    assert steps_by_hand.count_different(written, target) == 1  # what comes after the end mark does not count


def test_misses_of_one_length_are_counted_by_how_they_begin(capsys):
    numbers = [1_000_021, 1_000_007, 2_000_007, 1_007]
    written = encode_numbers([1_000_021, 2_000_007, 2_000_008, 1_008])[1]  # the last is wrong too, but short
    steps_by_hand.show_misses(written, numbers, digits=7)
    assert capsys.readouterr().out.splitlines() == [
        "7 digits: 2 of 3 wrong",
        "  beginning with 'one million': 1 of 2 wrong",
        "  beginning with 'two million': 1 of 1 wrong",
        "  one million seven",
        "    right   eine Million sieben",
        "    written zwei Millionen sieben",
    ]
    steps_by_hand.show_misses(written[:1], numbers[:1], digits=7)
    assert capsys.readouterr().out == "7 digits: 0 of 1 wrong\n"


def test_mean_accuracy_cuts_each_map_to_the_german_words_of_its_number():
    weights = np.zeros((2, TARGET_LENGTH, 14))
    for rows, number in zip(weights, (21, 7), strict=True):
        for i, right in enumerate(translate_number(number)[2]):
            rows[i, min(right, default=0)] = 1
    weights[0, 0] = np.eye(14)[0]  # ein is read from twenty
    assert alignments.mean_accuracy(None, weights, [21, 7]) == pytest.approx(0.75)
    seen = []
    assert alignments.mean_accuracy(lambda *given: seen.append(given) or 0.5, weights, [21, 7]) == 0.5
    assert [(rows.shape, gold) for rows, gold in seen] == [((3, 14), [{1}, set(), {0}]), ((1, 14), [{0}])]


def test_a_weight_on_padding_is_no_hit():
    diagonal = np.eye(TARGET_LENGTH, 14)[None]  # drei und zwanzig: zwanzig, the third word, reads a third English word
    assert alignments.mean_accuracy(None, diagonal, [23]) == 0
    assert alignments.mean_accuracy(lambda rows, gold: rows.argmax(axis=-1)[2], diagonal, [23]) == 2


def test_translating_one_number_returns_the_map_of_its_words(chosen):
    model, maps = chosen
    step = steps_by_hand.keras_step(model)
    english, german, gold, weights = steps_by_hand.translate_and_look(step, model, maps, 81_023)
    assert english == ["eighty", "one", "thousand", "twenty", "three"]
    assert gold == translate_number(81_023)[2]
    assert set(german) <= set(GERMAN)
    assert weights.shape == (len(german), 5)


def test_a_translation_that_ends_at_once_can_be_looked_at(chosen, monkeypatch):
    model, maps = chosen
    ends = np.full((1, TARGET_LENGTH), END), np.full((1, TARGET_LENGTH, 14), 1 / 14)
    monkeypatch.setattr(steps_by_hand, "translate_by_steps", lambda *given: ends)
    english, german, gold, weights = steps_by_hand.translate_and_look(None, model, maps, 81_023)
    assert german == [GERMAN[END]]
    assert weights.shape == (1, len(english))
    alignments.show_one_word(english, german, gold, weights, 3)  # as a slider asks for it


def test_a_verdict_says_what_was_measured(capsys):
    predictions.settle(None, 0.25, what="diagonal")
    assert capsys.readouterr().out == "diagonal: measured 0.250; you made no prediction\n"


@pytest.mark.parametrize(
    ("guess", "measured", "says"),
    [
        (None, 0.25, "measured 0.250; you made no prediction"),
        (0.3, 0.25, "measured 0.250; you predicted 0.3, which is close (at most 0.1 off)"),
        (0.9, 0.25, "measured 0.250; you predicted 0.9, which is too high"),
        (0, 0.25, "measured 0.250; you predicted 0, which is too low"),
        (5, 6, "measured 6; you predicted 5, which is too low"),
        (6, 6, "measured 6; you predicted 6, which is right"),
        ("tens", "tens", "measured tens; you predicted tens, which is right"),
        ("unit", "tens", "measured tens; you predicted unit, which is wrong"),
        (None, "else", "measured else; you made no prediction"),
    ],
)
def test_a_prediction_gets_its_verdict(guess, measured, says, capsys):
    predictions.settle(guess, measured)
    assert capsys.readouterr().out.strip() == says


def test_the_annotations_of_both_directions_belong_to_their_words(chosen):
    """Keras' own Bidirectional, not unrolled, is the oracle; unrolled, it zeroes backward states of the first words."""
    model, maps = chosen
    source, target = encode_numbers(NUMBERS)
    words = next(layer for layer in model.layers if isinstance(layer, keras.layers.Embedding))(source)
    half, real = UNITS // 2, source != PAD
    both = keras.layers.Bidirectional(keras.layers.GRU(half, return_sequences=True))
    both.build(words.shape)
    both.forward_layer.set_weights(model.get_layer("forward").get_weights())
    both.backward_layer.set_weights(model.get_layer("backward").get_weights())
    expected = np.asarray(both(words, mask=real))
    np.testing.assert_allclose(looks(maps, source, target)[2][real], expected[real], atol=1e-6)
