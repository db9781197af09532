"""Notebook 1's translator part by part: with the student's functions and without them the lesson shows the same."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from helpers import bottleneck_runs, number_reading, translator_parts
from helpers.number_words import END, GERMAN, PAD, START, TARGET_LENGTH, count_digits, decode_ids, translate_number
from keras import layers

from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course.find()
NUMBERS = [7, 21, 4023, 1_000_001, 345_678_912, 101_000_000, 90]


@pytest.fixture(scope="module")
def lesson():
    """What the notebook defines: the reference answers and the function that builds the model."""
    nb = read_notebook(COURSE.source("01_seq2seq_bottleneck"))
    space = {"np": np, "keras": keras, **vars(translator_parts)}
    for exercise in exercises(nb):
        exec(exercise.answer, space)
    for cell in nb.cells:
        if any(f"def {name}(" in cell.source for name in ("read_sentence", "write_sentence", "build_translator")):
            exec(cell.source, space)
    return space


@pytest.fixture(scope="module")
def translator(lesson):
    keras.utils.set_random_seed(3)
    return lesson["build_translator"](6)


def test_pairs_are_the_same_with_the_students_functions(lesson):
    ours = translator_parts.prepare_pairs(NUMBERS)
    theirs = translator_parts.prepare_pairs(NUMBERS, lesson["pad_batch"], lesson["teacher_forcing"])
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    source, decoder_input, target, mask = ours
    assert mask.dtype == bool
    assert mask.sum(axis=1).tolist() == [len(translate_number(n)[1]) + 1 for n in NUMBERS]  # the end mark is real
    assert decode_ids(target[4], GERMAN) == translate_number(NUMBERS[4])[1]
    assert (decoder_input[:, 0] == START).all()
    assert np.array_equal(decoder_input[:, 1:], target[:, :-1])
    assert source.shape == (7, 14)


def test_the_writer_computes_what_the_model_computes(translator):
    source, decoder_input, _, _ = translator_parts.prepare_pairs(NUMBERS)
    expected = np.asarray(translator([source, decoder_input]))
    writer = translator_parts.Writer(translator)
    state = writer.read(source)
    for t in range(TARGET_LENGTH):
        logits, state = writer.step(decoder_input[:, t], state)
        assert np.allclose(logits, expected[:, t], atol=1e-5)


@pytest.mark.parametrize(("push", "ending"), [(-1.0, 0), (0.05, 40)])
def test_sentences_are_the_same_with_the_students_decoder(lesson, translator, push, ending):
    writer = translator_parts.Writer(translator)
    vectors = np.random.default_rng(1).uniform(-1, 1, size=(40, 6))
    writer.b_out[END] += push  # makes the end mark less or more likely
    side_by_side = writer.write(vectors)
    assert np.array_equal(side_by_side, writer.write(vectors, lesson["greedy_decode"]))
    assert (side_by_side == END).any(axis=1).sum() == ending
    assert ((side_by_side == PAD) <= (np.cumsum(side_by_side == END, axis=1) > 0)).all()


def test_shares_and_losses_are_the_same_with_the_students_functions(lesson):
    rng = np.random.default_rng(2)
    numbers = rng.integers(1, 10**5, size=60)
    _, _, target, mask = translator_parts.prepare_pairs(numbers)
    says = np.where(rng.random((60, 1)) < 0.5, target, np.roll(target, 1, axis=0))
    digits = count_digits(numbers)
    ours = translator_parts.match_by_digits(says, target, mask, digits)
    theirs = translator_parts.match_by_digits(says, target, mask, digits, lesson["exact_match_by_length"])
    assert np.allclose(ours, theirs)
    assert 0 < np.mean(ours) < 1
    logits = rng.normal(size=(*target.shape, len(GERMAN))).astype("float32")
    theirs = bottleneck_runs.mean_loss(logits, target, mask, lesson["masked_cross_entropy"])
    assert np.isclose(bottleneck_runs.mean_loss(logits, target, mask), theirs, rtol=1e-5)


def test_the_lesson_works_with_the_students_mask(lesson):
    _, _, target, mask = translator_parts.prepare_pairs([7, 4023], lesson["pad_batch"])
    shorter = lambda lists: (lesson["pad_batch"](lists)[0], lesson["pad_batch"]([s[:1] for s in lists])[1])  # noqa: E731
    assert translator_parts.prepare_pairs([7, 4023], shorter)[3].sum(axis=1).tolist() == [1, 1]
    logits = np.random.default_rng(5).normal(size=(*target.shape, len(GERMAN)))
    first = mask & (np.arange(TARGET_LENGTH) == 0)
    for loss in (None, lesson["masked_cross_entropy"]):
        losses = [bottleneck_runs.mean_loss(logits, target, m, loss) for m in (mask, first)]
        assert not np.isclose(*losses)
    wrong_later = target.copy()
    wrong_later[:, 1] += 1
    match = lesson["exact_match_by_length"]
    shares = [translator_parts.match_by_digits(wrong_later, target, m, np.array([1, 4]), match) for m in (mask, first)]
    assert shares == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("bits", range(1, 9))
def test_rounding_is_the_same_with_the_students_function(lesson, translator, bits):
    writer = translator_parts.Writer(translator)
    vectors = np.random.default_rng(4).uniform(-1, 1, size=(30, 6))
    ours = bottleneck_runs.write_rounded(writer, vectors, bits)
    assert np.array_equal(ours, bottleneck_runs.write_rounded(writer, vectors, bits, lesson["quantize"]))


def test_the_lesson_rounds_to_as_many_levels_as_it_shows(lesson, translator):
    writer, vectors = translator_parts.Writer(translator), np.zeros((1, 6))
    assert bottleneck_runs.write_rounded(writer, vectors, 9, lesson["quantize"]).shape == (1, TARGET_LENGTH)
    with pytest.raises(IndexError):
        bottleneck_runs.write_rounded(writer, vectors, 9)


def test_narrow_models_differ_in_the_vector_alone(lesson):
    kinds = {(w, e): bottleneck_runs.build_narrow(lesson["build_translator"], w, 0, e) for w in (4, 8) for e in (0, 1)}
    for (width, every), model in kinds.items():
        assert model.get_layer("bottleneck").output.shape == (None, width)
        grus = [layer.units for layer in model.layers if isinstance(layer, layers.GRU)]
        assert grus == [bottleneck_runs.NARROW_UNITS]
        inputs = next(layer for layer in model.layers if isinstance(layer, layers.GRU)).input[0]
        assert inputs.shape[-1] == bottleneck_runs.NARROW_UNITS + width * every


def test_narrow_shares_look_at_short_numbers_alone(lesson):
    model = bottleneck_runs.build_narrow(lesson["build_translator"], 4, 0)
    numbers = [9999, 9875, 7, 123456, 77, 777]
    source, decoder_input, target, _ = translator_parts.prepare_pairs(numbers)
    says = np.asarray(
        model([source[:, : bottleneck_runs.NARROW_SOURCE], decoder_input[:, : bottleneck_runs.NARROW_TARGET]])
    )
    learned = target.copy()
    learned[:, : bottleneck_runs.NARROW_TARGET] = says.argmax(axis=-1)  # as if the model were right throughout
    learned[target == PAD] = PAD
    shares = bottleneck_runs.narrow_shares(model, source, decoder_input, learned, count_digits(numbers))
    assert shares == [1.0] * 4


@pytest.mark.parametrize("number", [*NUMBERS, 1, 11, 100, 999_999_999, 21_000, 1_001, 2_000_000])
def test_german_words_are_read_back(number):
    assert number_reading.read_number(translate_number(number)[1]) == number


@pytest.mark.parametrize("words", ["", "und", "zwanzig drei", "tausend", "drei und", "ein hundert hundert", "eine"])
def test_what_names_no_number_is_told(words):
    assert number_reading.read_number(words.split()) is None


def test_mistakes_are_shown_as_the_number_they_say(capsys):
    said = [translate_number(n)[1] for n in (24, 23, 57)] + [["und", "und"]]
    says = np.full((4, TARGET_LENGTH), PAD)
    for row, words in zip(says, said, strict=True):
        row[: len(words) + 1] = [*(GERMAN.index(w) for w in words), END]
    number_reading.show_mistakes([23, 23, 75, 80], says, count=2)
    printed = capsys.readouterr().out
    assert "23 became           24\n    vier und zwanzig" in printed
    assert "75 became           57" in printed
    assert printed.startswith(
        "3 of 4 translations are wrong; 2 of these are correct names of other numbers. The first 2:\n"
    )


@pytest.mark.parametrize("radius", [0.7, 1.1])
def test_gradients_are_the_same_with_the_students_encoder(lesson, radius):
    ours = bottleneck_runs.gradient_norms(radius)
    theirs = bottleneck_runs.gradient_norms(radius, lesson["rnn_encode"])
    assert np.allclose(theirs, ours, rtol=1e-3)
    forgetful = lambda x, *rest: lesson["rnn_encode"](x[:, -1:], rest[0][:, -1:], *rest[1:])  # noqa: E731
    assert np.allclose(bottleneck_runs.gradient_norms(radius, forgetful)[1:], 0)


def encode_in_float32(x, mask, w_x, w_h, b):
    x, w_x, w_h, b = (np.asarray(a, dtype="float32") for a in (x, w_x, w_h, b))
    state, states = np.zeros((len(x), len(b)), dtype="float32"), []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), state


@pytest.mark.parametrize("radius", [0.7, 0.9, 1.1])
def test_gradients_fade_in_float32_too(radius):  # the contract of rnn_encode calls it precise enough
    ours, rough = (np.asarray(bottleneck_runs.gradient_norms(radius, e)) for e in (None, encode_in_float32))
    assert np.allclose(rough[:21], ours[:21], rtol=0.02)
    assert (rough < 3 * ours).all()


def test_training_reads_the_decoder_input_that_it_is_handed(lesson):
    nb = read_notebook(COURSE.source("01_seq2seq_bottleneck"))
    space = dict(lesson)
    exec(next(c.source for c in nb.cells if "def train_translator" in c.source), space)
    source, decoder_input, target, _ = translator_parts.prepare_pairs(NUMBERS)
    losses = []
    tf.config.run_functions_eagerly(True)  # one step: to compile it would take longer
    try:
        for handed in (decoder_input, np.full_like(decoder_input, START)):
            keras.utils.set_random_seed(1)
            losses.append(space["train_translator"](lesson["build_translator"](6), source, handed, target, epochs=1)[0])
    finally:
        tf.config.run_functions_eagerly(False)
    assert losses[0] != losses[1]


def test_gradients_fade_faster_with_smaller_weights():
    small, large = (bottleneck_runs.gradient_norms(size) for size in (0.7, 1.1))
    assert len(small) == 31
    assert small[30] / small[0] < 1e-3 * large[30] / large[0]
