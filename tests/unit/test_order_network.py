"""What notebook 5 trains and computes with the student's functions: by hand as by Keras, and changes that change."""

import numpy as np
import pytest
from helpers import order_by_hand, order_network, three_back
from helpers.stored_positions import STORED_POSITIONS

RNG = np.random.default_rng(0)


def sines(length, depth):
    hands = np.exp(1j * np.outer(np.arange(length), 10000.0 ** (-np.arange(0, depth, 2) / depth)))
    return np.stack([hands.imag, hands.real], axis=-1).reshape(length, depth)


def add(ids, table, encoding):
    return np.sqrt(table.shape[1]) * table[ids] + encoding[: ids.shape[1]]


def bias(length, table):
    radius, places = len(table) // 2, np.arange(length)
    return table[np.clip(places[None] - places[:, None], -radius, radius) + radius]


def turn(x, base=10000.0):
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(
        1j * np.arange(x.shape[-2])[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    )
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@pytest.fixture(scope="module")
def networks():
    kinds = ("none", "learned", "sinusoidal", "relative", "rotary")
    trained = {kind: order_network.train_order_network(kind, 0, sines, count=256, epochs=2) for kind in kinds}
    trained["relative"].get_layer("attention").biases.assign(RNG.normal(size=2 * order_network.RADIUS + 1))
    return trained


def test_every_sequence_has_one_a_and_one_b_and_the_label_is_their_order():
    ids, label = order_network.make_sequences(300, 7, np.random.default_rng(1))
    assert ((ids == 0).sum(axis=1) == 1).all()
    assert ((ids == 1).sum(axis=1) == 1).all()
    assert np.array_equal(label > 0, (ids == 0).argmax(axis=1) < (ids == 1).argmax(axis=1))
    assert 0.4 < label.mean() < 0.6


@pytest.mark.parametrize("kind", ["distance", "causal"])
def test_controls_see_what_they_should(kind):
    layer = order_network.PlacedAttention(kind)
    x = RNG.normal(size=(1, 6, order_network.UNITS)).astype("float32")
    before, changed = np.asarray(layer(x)), x.copy()
    changed[0, -1] += 1
    moved = np.abs(np.asarray(layer(changed)) - before)[0].max(axis=1)
    assert moved[-1] > 1e-3
    assert (moved[:-1].max() < 1e-6) == (kind == "causal")
    reversed_too = np.allclose(np.asarray(layer(x[:, ::-1]))[:, ::-1], before, atol=1e-5)
    assert reversed_too == (kind == "distance")


def test_the_table_of_the_student_is_in_the_network_and_stays(networks):
    assert np.allclose(networks["sinusoidal"].get_layer("letters").table.get_weights()[0], sines(64, 32), atol=1e-6)


@pytest.mark.parametrize("functions", [{}, {"add": add, "bias": bias, "turn": turn}])
@pytest.mark.parametrize("kind", ["none", "learned", "sinusoidal", "relative", "rotary"])
def test_the_network_by_hand_is_the_network(networks, kind, functions):
    ids = order_network.make_sequences(40, 23, RNG)[0]
    by_hand = order_by_hand.answer_by_hand(networks[kind], ids, **functions)
    assert np.allclose(by_hand, np.asarray(networks[kind](ids))[:, 0], atol=1e-3)


@pytest.mark.parametrize("kind", ["learned", "sinusoidal", "relative", "rotary"])
def test_a_wrong_function_of_the_student_shows(networks, kind, capsys):
    order_by_hand.compare_by_hand(networks, 15, add, bias, turn)
    assert all(int(line.split()[-1]) == 0 for line in capsys.readouterr().out.splitlines()[1:])
    wrong = {
        "add": lambda ids, table, encoding: table[ids] + encoding[0],
        "bias": lambda length, table: bias(length, table).T,
        "turn": lambda x: turn(x[..., ::-1, :]),
    }
    ids = order_network.make_sequences(40, 23, RNG)[0]
    by_hand = order_by_hand.answer_by_hand(networks[kind], ids, **wrong)
    assert not np.allclose(by_hand, np.asarray(networks[kind](ids))[:, 0], atol=1e-2)


def test_distances_are_what_rotations_leave():
    query, key = RNG.normal(size=(2, 3, 9, 32))
    lag = np.arange(9)[None] - np.arange(9)[:, None]
    rotated = turn(query) @ turn(key).swapaxes(1, 2)
    assert np.allclose(order_by_hand.scores_by_distance(query, key, lag), rotated)
    assert not np.allclose(order_by_hand.scores_by_distance(query, key, -lag), rotated)
    assert np.allclose(order_by_hand.scores_by_distance(query, key, 0 * lag), query @ key.swapaxes(1, 2))


def test_changed_distances_and_biases_change_answers(networks):
    ids = order_network.make_sequences(40, 23, RNG)[0]
    rotary, relative = networks["rotary"], networks["relative"]
    asked = []
    same = order_by_hand.answer_by_hand(rotary, ids, turn=asked.append, distances=lambda d: d)
    assert not asked  # rotations have no distances
    assert np.allclose(same, np.asarray(rotary(ids))[:, 0], atol=1e-3)
    assert not np.allclose(same, order_by_hand.answer_by_hand(rotary, ids, distances=lambda d: np.clip(d, -3, 3)))
    learned = relative.get_layer("attention").biases.numpy()
    flat = order_by_hand.flatten_outer(learned)
    assert flat[0] == flat[-1]
    assert np.array_equal(flat[1:-1], learned[1:-1].astype(float))
    apart = order_by_hand.separate_outer(learned)
    assert np.allclose([apart[0], apart[-1]], [learned[1:8].mean(), learned[9:-1].mean()])
    answers = [order_by_hand.answer_by_hand(relative, ids, biases=b) for b in (learned, flat, apart)]
    assert not np.allclose(answers[0], answers[1])
    assert not np.allclose(answers[1], answers[2])


def test_accuracy_counts_answers():
    def first(ids):
        return (ids == 1).argmax(axis=1) - (ids == 0).argmax(axis=1)

    assert order_network.accuracy_at(first, 9, 1200) == 1.0
    assert order_network.accuracy_at(lambda ids: -first(ids), 9, 1200) == 0.0


@pytest.mark.parametrize("given", [None, "shift"])
def test_a_built_head_looks_back_everywhere(given):
    encoding = sines(80, 32)

    def shift(offset, depth):
        hands = np.exp(1j * offset * 10000.0 ** (-np.arange(0, depth, 2) / depth))
        blocks = [[[z.real, z.imag], [-z.imag, z.real]] for z in hands]
        matrix = np.zeros((depth, depth))
        for i, block in enumerate(blocks):
            matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
        return matrix

    head = three_back.build_back_head(encoding, 3, shift if given else None)
    maps = three_back.head_maps(encoding, *head)
    assert np.diagonal(maps, -3).min() > 0.98
    assert np.allclose(maps.sum(axis=1), 1)


def test_a_head_learns_to_look_back(monkeypatch, capsys):
    told = []
    monkeypatch.setattr(three_back, "show", lambda figure, alt: told.append(alt))
    encoding = sines(32, 16)
    heads = {"built": three_back.build_back_head(encoding, 2), "learned": three_back.train_back_head(encoding[:16], 2)}
    found = three_back.show_back_heads(heads, encoding, back=2, trained=16)
    assert min(found["built"]) > 0.9
    assert found["learned"][0] > 0.5
    assert "built: " in told[0]
    capsys.readouterr()
    three_back.compare_blocks(heads["built"], heads["built"], encoding, back=2, trained=16)
    title, cosines, alone = capsys.readouterr().out.splitlines()
    assert title.endswith("first:")
    assert cosines == " ".join(["1.00"] * 8)
    assert alone.startswith("learned, zeros outside the blocks: mean weight 2 back, beyond 16 positions ")


def test_what_a_learned_head_has_outside_its_blocks_spoils_it_beyond_training(capsys):
    encoding = sines(128, 32)
    for seed in (1, 3):  # seed 0 is the one of the lesson
        head = three_back.train_back_head(encoding[:64], 3, seed=seed)
        right = np.diagonal(three_back.head_maps(encoding, *head), -3)
        assert right[:61].mean() > 0.95
        assert right[61:].mean() < 0.9
        three_back.compare_blocks(head, head, encoding, back=3, trained=64)
        assert float(capsys.readouterr().out.split()[-1]) > 0.97


def test_what_the_lesson_says_of_the_stored_runs():
    runs, at = STORED_POSITIONS["accuracy"], STORED_POSITIONS["lengths"].index
    changed = STORED_POSITIONS["changed"]
    assert all(
        run[at(10)] > 0.99 for kind in ("learned", "sinusoidal", "relative", "rotary", "causal") for run in runs[kind]
    )
    assert all(run[at(60)] > 0.99 for kind in ("relative", "causal") for run in runs[kind])
    assert round(np.mean([run[at(40)] for run in runs["rotary"]]), 2) == 0.74
    assert round(np.mean([run[at(20)] for run in runs["sinusoidal"]]), 2) == 0.67
    assert round(np.mean([run[at(40)] for run in runs["sinusoidal"]]), 2) == 0.42
    assert sum(run[at(40)] < 0.5 for run in runs["sinusoidal"]) == 4
    assert min(changed["rotary"]["distances clipped"]) > 0.999
    assert min(changed["rotary"]["distances squeezed"]) > 0.94
    assert max(changed["relative"]["outermost made equal"]) < 0.9
    assert min(changed["relative"]["outermost set to the mean of their side"]) > 0.999
