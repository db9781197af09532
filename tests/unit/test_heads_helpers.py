"""What notebook 4 trains and computes with the student's function: the tasks are what the text says they are."""

import helpers.role_reader as role_reader
import keras
import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers.circles import (
    CIRCLES,
    COLOURS,
    PARTS,
    build_circle_reader,
    make_circle_sentences,
    train_circle_reader,
    try_matrices,
)
from helpers.layer_uses import compare_uses, matrices_of, show_split_words
from helpers.role_sentences import VERB_POSITION, print_role_sentences, role_data
from helpers.stored_heads import STORED_HEADS
from helpers.suspects import compare_suspects, make_suspects, show_suspects
from helpers.tap_heads import show_convolution_by_heads, show_hand_made_head, tap_layer

THINGS = [thing for circle in CIRCLES for thing in circle]


def attend(query, value, key, weights, num_heads, mask=None):
    def heads(x, part):
        x = x @ weights[f"w_{part}"] + weights[f"b_{part}"]
        return x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)

    scores = heads(query, "q") @ heads(key, "k").swapaxes(-2, -1) / np.sqrt(query.shape[-1] / num_heads)
    if mask is not None:
        scores = np.where(mask[:, None] if mask.ndim == 3 else mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    maps = e / e.sum(axis=-1, keepdims=True)
    merged = (maps @ heads(value, "v")).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], maps


@pytest.fixture
def shown_alt(monkeypatch):
    """Collect alternative texts instead of displaying figures."""
    collected = []

    def show(figure, alt):
        collected.append(alt)
        plt.close(figure)

    for module in ("layer_uses", "plots"):
        monkeypatch.setattr(f"helpers.{module}.show", show)
    return collected


@pytest.fixture(scope="module")
def data():
    return role_data(train=60, test=40)


@pytest.fixture(scope="module")
def reader(data):
    return role_reader.train_reader(2, data[0], epochs=1)


def test_one_matrix_never_serves_all_three():
    found = try_matrices(500)
    assert found["one matrix"].sum() == found["two matrices"].sum() == 500
    assert found["one matrix"][3] == 0
    assert found["two matrices"][3] > 0


def test_every_thing_is_asked_for_the_colour_of_what_it_beats():
    things, colours, wanted = make_circle_sentences(np.random.default_rng(3), 50)
    beats = {a: b for circle in CIRCLES for a, b in zip(circle, circle[1:] + circle[:1], strict=True)}
    for row, painted, answers in zip(things, colours, wanted, strict=True):
        names = [THINGS[i] for i in row]
        assert len(set(names)) == 6
        assert [painted[names.index(beats[name])] for name in names] == list(answers)
    assert colours.max() == len(COLOURS) - 1


@pytest.mark.parametrize("left_out", PARTS)
def test_a_part_that_is_left_out_is_not_there(left_out):
    names = {layer.name for layer in build_circle_reader(left_out).layers}
    assert ("W_Q" in names) == (left_out != "without W_Q")
    assert ("W_K" in names) == (left_out not in ("without W_K", "one matrix for W_Q and W_K"))
    assert ("W_V" in names) == (left_out != "without W_V")


def test_a_circle_reader_learns():
    assert train_circle_reader("nothing left out", seed=0, sentences=256, epochs=1) > 0.1


def test_the_reader_computed_by_hand_agrees_with_the_model(reader, data, capsys):
    ids, *roles = data[1]
    by_keras, by_hand = role_reader.read_roles(reader, ids), role_reader.read_roles(reader, ids, attend)
    assert np.allclose(by_keras[2], by_hand[2], atol=1e-5)
    for logits, *answers in zip(reader(ids), by_keras[:2], by_hand[:2], strict=True):
        assert all(np.array_equal(np.asarray(logits).argmax(axis=-1), a) for a in answers)
    assert role_reader.role_accuracy(reader(ids), *roles) == role_reader.role_accuracy(by_hand[:2], *roles)
    role_reader.show_agreement(reader, data[1], attend)
    assert "answers that differ from those of the Keras model: 0 of 80" in capsys.readouterr().out


def test_a_head_that_is_off_adds_nothing(reader, data, capsys):
    ids = data[1][0]
    before = [w.copy() for w in reader.get_weights()]
    found = role_reader.switch_off(reader, data[1], attend)
    assert list(found) == ["all heads", "without head 1", "without head 2"]
    assert found == role_reader.switch_off(reader, data[1])
    assert all(map(np.array_equal, before, reader.get_weights()))
    seen = {}

    def remember(*args):
        seen.update(args[3])
        return attend(*args)

    role_reader.read_roles(reader, ids, remember, off=1)
    assert np.all(seen["w_o"][12:] == 0)
    assert np.any(seen["w_o"][:12] != 0)


def test_keys_without_names_give_every_name_the_same_weights(data):
    keras.utils.set_random_seed(0)
    model = role_reader.build_reader(1, keys="positions")
    layer, ids = model.get_layer("attention"), data[0][0][:2].copy()
    ids[1] = ids[0]
    ids[1, 0] = (ids[0, 0] + 1) % 12  # another name
    x = model.get_layer("words")(ids) + model.get_layer("positions").get_weights()[0]
    _, maps = layer(x, x, x - model.get_layer("words")(ids), return_attention_scores=True)
    rows = np.asarray(maps)[:, :, VERB_POSITION]
    assert np.allclose(rows[0], rows[1], atol=1e-6)


def test_weights_on_roles_are_read_at_the_names(data, capsys):
    ids, giver, _ = data[1]
    maps = np.zeros((len(ids), 1, 5, 5))
    maps[np.arange(len(ids)), 0, VERB_POSITION, (ids == giver[:, None]).argmax(axis=1)] = 1
    assert np.array_equal(role_reader.mean_weight_on_roles(maps, data[1]), [[1, 0]])
    assert capsys.readouterr().out == "head 1: mean weight on the giver 1.00, on the receiver 0.00\n"


def test_sentences_are_printed_with_their_roles(data, capsys):
    print_role_sentences(data[0], 3)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_uses_of_a_layer_are_compared(capsys):
    compare_uses(attend)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["self", "cross", "padded", "causal"]
    assert all(float(line.split()[-1]) < 1e-9 for line in lines)
    compare_uses()
    assert "difference" not in capsys.readouterr().out


def split_in_blocks(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)


def lay_side_by_side(heads):
    return np.concatenate(list(heads.swapaxes(0, 1)), axis=-1)


def test_words_are_split_by_the_student_as_by_keras(shown_alt, capsys):
    x, words = np.random.default_rng(0).normal(size=(3, 8)), ["a", "b", "c"]
    show_split_words(x, words)
    assert capsys.readouterr().out == ""
    show_split_words(x, words, (split_in_blocks, lay_side_by_side))
    assert float(capsys.readouterr().out.split()[-1]) < 1e-6
    assert shown_alt[0] == shown_alt[1]
    show_split_words(x, words, (lambda x, H: x.reshape(1, 2, 3, 4), lay_side_by_side))
    assert float(capsys.readouterr().out.split()[-1]) > 0.1
    assert shown_alt[2] != shown_alt[1]


def test_the_head_made_by_hand_is_drawn(shown_alt):
    def make_head(length, depth, back=1):
        return 99 * np.eye(depth, k=-back), np.eye(depth), np.eye(length, depth)

    show_hand_made_head(["a", "b", "c"])
    show_hand_made_head(["a", "b", "c"], make_head)
    assert all("b: a 1.00; c: b 1.00" in alt for alt in shown_alt)
    show_hand_made_head(["a", "b", "c"], lambda T, D: make_head(T, D, -1))
    assert "a: b 1.00; b: c 1.00" in shown_alt[-1]


def test_arrays_are_made_into_matrices():
    layer = keras.layers.MultiHeadAttention(2, 3)
    layer.build((1, 4, 6), (1, 4, 6))
    matrices = matrices_of(layer.get_weights())
    assert np.array_equal(matrices["w_k"][:, :3], layer.get_weights()[2][:, 0])
    assert matrices["b_o"].shape == (6,)


@pytest.mark.parametrize(("T", "C", "W", "V"), [(7, 4, 3, 5), (5, 2, 4, 3), (3, 6, 5, 20)])
def test_heads_of_taps_are_a_convolution(T, C, W, V):
    rng = np.random.default_rng(0)
    x, kernel = rng.normal(size=(T, C)), rng.normal(size=(W, C, V))
    vectors, weights, num_heads, rows = tap_layer(x, kernel)
    output, maps = attend(vectors, vectors, vectors, weights, num_heads)
    want = np.asarray(keras.ops.conv(x[None], kernel, padding="same"))[0]
    assert num_heads == W
    assert np.allclose(output[0, rows, :V], want, atol=1e-9)
    assert maps[0, :, rows].max(axis=-1).min() > 0.99


def test_both_ways_to_a_convolution_are_compared(capsys):
    show_convolution_by_heads()
    show_convolution_by_heads(attend, lambda x, kernel: np.zeros((len(x), kernel.shape[2])))
    first, second, third = capsys.readouterr().out.splitlines()
    assert float(first.split()[-1]) < 1e-9
    assert float(second.split()[-1]) < 1e-9
    assert float(third.split()[-1]) > 1


def test_suspects_are_listed_with_what_probes_say(capsys):
    def equivariant(f, x, rng):
        order = rng.permutation(len(x))
        return np.abs(f(x[order]) - f(x)[order]).max() < 1e-3

    show_suspects(equivariant)
    with_test = capsys.readouterr().out
    show_suspects()
    assert capsys.readouterr().out == with_test
    show_suspects(equivariant, lambda output, weights: np.allclose(weights.sum(axis=-1), 1))
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line[0] for line in lines if line.endswith("False")] == ["G"]
    show_suspects(equivariant, lambda output: True)
    assert capsys.readouterr().out.count("TypeError") == len(make_suspects())
    compare_suspects()
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines if float(line.split()[-1]) > 0.01] == ["A", "C", "D", "G"]


def test_stored_runs_are_complete():
    seeds = STORED_HEADS["settings"]["seeds"]
    assert list(STORED_HEADS["parts"]) == list(PARTS)
    assert all(len(runs) == seeds for runs in STORED_HEADS["parts"].values())
    for series in STORED_HEADS["roles"].values():
        assert [len(runs) for runs in series.values()] == [seeds, seeds]
