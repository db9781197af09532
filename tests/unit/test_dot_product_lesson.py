"""Notebook 3's experiments and hunts measure what they say, with the student's functions and without."""

import itertools

import keras
import numpy as np
import pytest
from helpers import (
    diagrams_dot_product,
    diagrams_scaled,
    four_ways,
    gradient_tails,
    layer_hunt,
    plots,
    retrieval,
    score_costs,
    soft_dictionary,
    stored_scale,
)

MODULES = (diagrams_dot_product, diagrams_scaled, gradient_tails, retrieval, score_costs, soft_dictionary)


@pytest.fixture
def told(monkeypatch):
    """Collect the alternative texts, and draw each figure as it would be shown."""
    texts = []

    def shown(figure, alt):
        figure.canvas.draw()
        texts.append(alt)
        plots.plt.close(figure)

    for module in MODULES:
        monkeypatch.setattr(module, "show", shown)
    return texts


def softmax(scores, mask=None):
    """Return the masked softmax along the last axis; zeros where nothing is allowed."""
    parts = np.where(True if mask is None else mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = parts.sum(axis=-1, keepdims=True)
    return parts / np.where(total > 0, total, 1.0)


def attend(query, value, key, mask=None):
    """Return output and weights of scaled dot-product attention."""
    weights = softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]), mask)
    return weights @ value, weights


def masks_by_hand():
    """Return three functions that make masks, as exercise 3.3 has them."""

    def combine(*masks):
        return np.logical_and.reduce(np.broadcast_arrays(*masks))

    return lambda n: np.tri(n, dtype=bool), lambda ids: (ids != 0)[:, None], combine


def test_the_dictionary_is_a_gaussian_kernel(told, capsys):
    soft_dictionary.show_kernel_regression([0, 30, 60, 90], np.array([4.0, 18.0, 26.0, 35.0]), "°")
    assert "largest difference of the answers 0.000000" in capsys.readouterr().out
    assert "length 12: from 4" in told[0]


@pytest.mark.parametrize("compare", [None, "own"])
def test_length_and_sign_are_the_same_by_angle_and_by_product(capsys, compare):
    def own(query, key, kind):
        lengths = [np.linalg.norm(a, axis=-1) if kind == "cosine" else np.ones(len(a)) for a in (query, key)]
        return query @ key.T / lengths[0][:, None] / lengths[1]

    keys, query = soft_dictionary.make_arrows([0, 30, 60, 90]), soft_dictionary.make_arrows([45])
    words = ["cold", "mild", "warm", "hot"]
    assert soft_dictionary.show_length_and_sign(words, keys, query, own if compare else None) == ("hot", "different")
    rows = capsys.readouterr().out.splitlines()
    assert "[0.04 0.46 0.46 0.04]" in rows[1]
    assert "[0. 0. 0. 1.]" in rows[2]
    assert "[0.46 0.04 0.04 0.46]" in rows[4]


def test_the_variance_of_scores_is_the_width():
    variance, largest = soft_dictionary.measure_peaks([4, 64])
    assert np.allclose(variance["no scale"], [4, 64], rtol=0.1)
    assert np.allclose(variance["divided by sqrt(K)"], 1, rtol=0.1)
    assert largest["no scale"][1] > 2 * largest["divided by sqrt(K)"][1]


@pytest.mark.parametrize(
    ("guess", "drawn"), [(None, False), ([0.2, 0.3], True), ([0.2], False), ([20, 30], False), (["a", "b"], False)]
)
def test_only_a_guess_that_fits_is_drawn(told, capsys, guess, drawn):
    soft_dictionary.show_peaks([4, 16], guess)
    assert ("your guess: " in told[0]) == drawn
    assert ("your guess is not drawn" in capsys.readouterr().out) == (guess is not None and not drawn)


def test_the_slopes_are_the_derivative_of_the_loss():
    _, query, key, liking = gradient_tails.draw_layer(width=6, length=5, sentences=2, queries=3)

    def loss(asked, scale):
        return (softmax(scale * asked @ key.swapaxes(-2, -1)) * liking).sum()

    for scale in (1.0, 6**-0.5):
        slopes = gradient_tails._slopes(query, key, liking, scale)
        for index in itertools.product(range(2), range(3), range(6)):
            step = np.zeros_like(query)
            step[index] = 1e-5
            rise = (loss(query + step, scale) - loss(query - step, scale)) / 2e-5
            assert np.isclose(slopes[index], rise, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [8, 16, 64])
def test_without_the_scale_many_stall_and_a_few_dominate(length, seed):
    """What the lesson and the model answer say holds for every seed that was tried."""
    found = gradient_tails.measure_gradients(512, length, seed)
    (bare, bare_matrix), (scaled, scaled_matrix) = found["no scale"], found["divided by sqrt(K)"]
    assert np.median(bare) < np.median(scaled) / (20 if length <= 16 else 2)  # with more keys fewer queries stall
    assert bare_matrix > 2 * scaled_matrix
    undecided, share = gradient_tails.measure_undecided(512, length, seed)
    assert undecided < 0.4
    assert share > 0.9


def test_gradients_are_shown(told, capsys):
    assert gradient_tails.show_gradients(512, 16) == {"median": "smaller", "matrix": "larger"}
    gradient_tails.show_gradient_growth([16, 64], lengths=[8, 16])
    printed = capsys.readouterr().out
    assert "at W_Q" in printed
    assert "no scale, 8 keys" in told[1]
    bare = printed.splitlines()[-13:-7]  # its name, its head, a row for each size; the other block comes below
    assert bare[0] == "no scale"
    rows = [row.split() for row in bare[2:]]
    assert [row[:2] for row in rows] == [["8", "16"], ["8", "64"], ["16", "16"], ["16", "64"]]
    norms, _ = gradient_tails.measure_gradients(64, 16)["no scale"]
    tails = norms.mean(), np.median(norms), np.quantile(norms, 0.99), np.mean(norms < 1e-3)
    assert np.allclose([float(cell) for cell in rows[-1][2:6]], tails, atol=0.05)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [8, 64])
def test_both_tails_grow_with_the_width_without_the_scale_only(length, seed):
    found = [gradient_tails.measure_gradients(width, length, seed) for width in (16, 64, 256, 1024)]
    largest, share, mean = (
        {name: [measure(one[name][0]) for one in found] for name in ("no scale", "divided by sqrt(K)")}
        for measure in (lambda n: np.quantile(n, 0.99), lambda n: np.mean(n < 1e-3), np.mean)
    )
    assert (np.diff(largest["no scale"]) > 0.5).all()
    assert (np.diff(share["no scale"]) > 0.02).all()
    assert np.ptp(largest["divided by sqrt(K)"]) < 0.2
    assert max(share["divided by sqrt(K)"]) < 0.005
    assert (np.divide(mean["no scale"], mean["divided by sqrt(K)"]) > 2).all()


def test_the_students_derivative_measures_the_same(capsys):
    def jacobian(query, key, value):
        root = np.sqrt(len(query))
        weights = softmax(key @ query / root)
        return (value * weights[:, None]).T @ (key - weights @ key) / root

    gradient_tails.show_slopes(64, 8, slope=None, queries=40)
    gradient_tails.show_slopes(64, 8, slope=jacobian, queries=40)
    rows = capsys.readouterr().out.splitlines()
    assert rows[:2] == rows[2:]


def test_a_memory_holds_the_answer():
    (asked, items, values), kinds = retrieval.make_memories(50, seed=0)
    nearest = np.einsum("nd,nsd->ns", asked[:, 0], items).argmax(axis=1)
    found = values[np.arange(50), nearest].argmax(axis=1)
    assert (found == kinds).mean() > 0.95


def test_a_reader_learns_and_answers_through_another_function(capsys):
    model = retrieval.build_reader(16, scale=0.25)
    assert [w.shape for w in model.trainable_weights] == [(32, 16), (32, 16)]
    assert retrieval.train_reader(model, "Adam", rate=0.01, epochs=1)[-1] > 0.2
    retrieval.answer_with(model, count=100)
    retrieval.answer_with(model, lambda q, v, k, scale: attend(q * scale * 4.0, v, k), count=100)
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == rows[2]
    assert float(rows[3].rpartition(" ")[2]) < 1e-4


def test_the_stored_rates_are_shown(told, capsys):
    assert retrieval.show_rates(stored_scale.STORED_SCALE) == ("neither", "both")
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 8
    assert all("best" in row for row in said)


def test_the_best_stored_rate_lies_inside_its_range():
    """Else the comparison would be one of ranges."""
    for models in stored_scale.STORED_SCALE["accuracy"].values():
        for by_rate in models.values():
            for epoch in (0, -1):
                means = [np.mean([run[epoch] for run in runs]) for runs in by_rate.values()]
                assert 0 < int(np.argmax(means)) < len(means) - 1


def test_agreement_names_the_calls_that_agree(capsys):
    one = np.ones((2, 3))
    assert layer_hunt.show_agreement(one, 2 * one, one.copy(), one - 0.5) == "C"
    rows = [row.split("  largest difference from A: ") for row in capsys.readouterr().out.splitlines()]
    assert "".join(call[0] for call, _ in rows) == "ABCD"
    assert [apart for _, apart in rows] == ["0.000000", "1.000000", "0.000000", "0.500000"]


@pytest.mark.parametrize("own_masks", [False, True])
@pytest.mark.parametrize("own_attention", [False, True])
def test_influence_is_the_same_with_every_function(capsys, own_masks, own_attention):
    layer_hunt.show_influence(masks=masks_by_hand() if own_masks else None, attend=attend if own_attention else None)
    rows = [row.partition("outputs ")[2] for row in capsys.readouterr().out.splitlines()]
    assert rows == ["x x x x x x", "x x x x x x", ". . . x x x", ". . . . . x"]


def test_influence_notices_a_mask_that_sees_the_future(capsys):
    causal, padding, combine = masks_by_hand()
    layer_hunt.show_influence(masks=(lambda n: causal(n).T, padding, combine), attend=attend)
    assert "both masks  word 3 changed: outputs x x x x . ." in capsys.readouterr().out


def test_a_value_mask_changes_weights_and_a_query_mask_does_not(capsys):
    arrays, attention = list(layer_hunt.hunt_arrays()), keras.layers.Attention()
    no_key, no_query = np.arange(5)[None].repeat(2, 0) != 1, np.arange(3)[None].repeat(2, 0) != 2
    plain, by_value, by_query = (
        attention(arrays, mask=mask, return_attention_scores=True)
        for mask in ([None, None], [None, no_key], [no_query, None])
    )
    assert layer_hunt.show_masked_query(2, plain, by_value, by_query) == "value"
    assert layer_hunt.show_masked_query(2, plain, by_query, by_value) == "query"
    assert layer_hunt.show_masked_query(2, plain, by_value, by_value) == "both"
    assert layer_hunt.show_masked_query(2, plain, by_query, by_query) == "neither"
    assert "query mask  weights of query 2: [0.15 0.23 0.15 0.05 0.42]" in capsys.readouterr().out


def test_what_the_last_query_sees_alone_is_told(capsys):
    together, alone = np.tri(3)[None], np.array([[[1.0, 0.0, 0.0]]])
    assert layer_hunt.show_last_rows(together, alone, np.full((1, 1, 3), 0.5)).tolist() == [True, False, False]
    assert [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "causal, all 3 queries: last row [1. 1. 1.]", "causal, only the last query", "no mask, only the last query"
    ]  # fmt: skip


def test_weight_on_pads_is_found(capsys):
    x = keras.layers.Embedding(10, 4, mask_zero=True)(np.array([[5, 3, 8, 0, 0]]))
    assert layer_hunt.show_weights_of_pads({"a": x, "b": x * 2}) == "b"
    assert "a  weight of the first word on the two pads: 0.00" in capsys.readouterr().out


def test_costs_are_measured_once(told, capsys, monkeypatch):
    monkeypatch.setattr(score_costs, "_LENGTHS", (16, 32))
    monkeypatch.setattr(score_costs, "_WIDTHS", (8, 16))
    score_costs.measure_costs.cache_clear()
    dot, additive = score_costs.show_costs()
    score_costs.show_costs()
    score_costs.measure_costs.cache_clear()
    rows = capsys.readouterr().out.splitlines()
    assert rows[:6] == rows[6:]
    assert rows[4] == f"memory for dot scores, each time the width doubles: times {dot:.2f}"
    assert additive > 1.5 > dot
    assert told[0] == told[1]


@pytest.mark.parametrize("own", [False, True])
def test_four_ways_are_the_same_with_every_function(told, own):
    def window(T, S, radius):
        return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius

    def hard(scores, value):
        return value[scores.argmax(axis=-1)]

    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    four_ways.show_four_ways(queries, keys, ["a", "b", "c"], attend if own else None, (window, hard) if own else None)
    four_ways.show_four_ways(queries, keys, ["a", "b", "c"])
    assert told[0] == told[1]
    assert told[0].count("soft") == 2


def test_four_ways_name_the_words_that_get_most(told):
    queries, keys = np.array([[0.0], [0.0], [3.0]]), np.array([[2.0], [0.0], [2.0]])
    assert four_ways.show_four_ways(queries, keys, ["a", "b", "c"]) == ("a", "c")
    keys[1] = 2.0
    assert four_ways.show_four_ways(queries, keys, ["a", "b", "c"]) == ("a", "b/c")


def test_content_moves_with_the_words_and_location_does_not(capsys):
    rng = np.random.default_rng(1)
    four_ways.show_content_and_location(rng.normal(size=4), rng.normal(size=(3, 4)), ["a", "b", "c"], swapped=(0, 2))
    rows = [row.partition("| ")[2].split(", ") for row in capsys.readouterr().out.splitlines()]
    assert rows[0] == rows[1][::-1]
    assert [part.split()[1] for part in rows[2]] == [part.split()[1] for part in rows[3]]


def test_empty_rows_have_three_answers(capsys):
    four_ways.show_empty_rows(lambda scores, mask: np.zeros_like(scores))
    rows = capsys.readouterr().out.splitlines()
    assert "[0.33 0.33 0.33]" in rows[2]
    assert "[0.26 0.16 0.58]" in rows[4]
    assert "[0. 0. 0.]" in rows[6]


def test_diagrams_say_what_they_show(told):
    diagrams_scaled.show_scaled_attention()
    four_ways.show_sentence_masks()
    assert "(T, S)" in told[0]
    assert "causal mask: the: the 1.00; cat: the, cat 0.50 each" in told[1]
    assert "<pad>: the, cat, drank 0.33 each; <pad>: the, cat, drank 0.33 each" in told[1].partition("both")[2]
