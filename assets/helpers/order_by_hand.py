"""The network of notebook 5 step by step in NumPy, with the student's functions and with changed distances."""

import numpy as np
from helpers.order_network import RADIUS, UNITS, accuracy_at
from helpers.tables import to_width


def answer_by_hand(network, ids, add=None, bias=None, turn=None, biases=None, distances=None):
    """Compute the logits of a trained network step by step.

    Args:
        network: What `train_order_network` returned; of its kinds only `"causal"` and `"distance"` do not work.
        ids: Sequences `(B, T)`.
        add: The student's `add_positions`; with None the network's own layer does this step.
        bias: The student's `relative_bias`; with None the biases are interpolated.
        turn: The student's `rotary`; with None the scores come from the distances.
        biases: For the relative kind: biases to use in place of those that were learned.
        distances: For the rotary kind: a function that changes the matrix of distances. Rotations have none, so then
            `turn` is not called.

    Returns:
        Logits `(B,)`.
    """
    letters, attention = network.get_layer("letters"), network.get_layer("attention")
    length = np.shape(ids)[1]
    x = np.asarray(letters(ids), dtype=float)
    if add is not None:
        encoding = np.zeros((length, UNITS)) if letters.table is None else letters.table.get_weights()[0]
        x = np.asarray(add(ids, letters.letters.get_weights()[0], encoding), dtype=float)
    query, key, value = (x @ part.get_weights()[0] for part in (attention.query, attention.key, attention.value))
    places = np.arange(length)
    distance = places[None, :] - places[:, None]  # key minus query
    if attention.kind == "rotary" and (turn is None or distances is not None):
        scores = scores_by_distance(query, key, distance if distances is None else distances(distance))
    else:
        if attention.kind == "rotary":
            query, key = np.asarray(turn(query)), np.asarray(turn(key))
        scores = query @ key.swapaxes(1, 2)
    scores = scores / np.sqrt(UNITS)
    if attention.kind == "relative":
        biases = attention.biases.numpy() if biases is None else np.asarray(biases)
        reach = np.arange(-RADIUS, RADIUS + 1)  # outside of it interpolation is constant
        scores = scores + (np.interp(distance, reach, biases) if bias is None else np.asarray(bias(length, biases)))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    y = x + weights / weights.sum(axis=-1, keepdims=True) @ value
    kernel, shift = network.get_layer("hidden").get_weights()
    pooled = np.maximum(y @ kernel + shift, 0).max(axis=1)  # (B, 2D)
    kernel, shift = network.get_layer("answer").get_weights()
    return (pooled @ kernel + shift)[:, 0]


#: The biases of a table for the distances -3 to 3 between seven positions, where nothing else computes them;
#: tests/unit/test_held_positions.py makes the numbers anew.
_AMONG_SEVEN = [
    [-1.0, -2.0, -1.5, -1.0, -1.0, -1.0, -1.0],
    [1.0, -1.0, -2.0, -1.5, -1.0, -1.0, -1.0],
    [0.5, 1.0, -1.0, -2.0, -1.5, -1.0, -1.0],
    [0.0, 0.5, 1.0, -1.0, -2.0, -1.5, -1.0],
    [0.0, 0.0, 0.5, 1.0, -1.0, -2.0, -1.5],
    [0.0, 0.0, 0.0, 0.5, 1.0, -1.0, -2.0],
    [0.0, 0.0, 0.0, 0.0, 0.5, 1.0, -1.0],
]  # fmt: skip


def spread_over_seven(bias, biases):
    """Return the biases `(7, 7)` of the lesson's table by the student's `relative_bias`; with None they are stored."""
    return np.array(_AMONG_SEVEN) if bias is None else np.asarray(bias(7, biases))


def scores_by_distance(query, key, distance):
    """Return the scores of rotated queries and keys without rotating any, from their distances alone.

    A pair of columns is a complex number, so the product of a query with a conjugate key has the angle between them.

    Args:
        query: Array `(B, T, 32)`, as wide as in the lesson's networks.
        key: Array `(B, T, 32)`.
        distance: Array `(T, T)`: position of the key minus position of the query, or other numbers in its place.

    Returns:
        Array `(B, T, T)`, not yet divided by the root of 32.
    """
    first, second = query[..., 0::2] + 1j * query[..., 1::2], key[..., 0::2] - 1j * key[..., 1::2]
    scores = 0.0
    for i in range(16):
        between = first[:, :, None, i] * second[:, None, :, i]  # (B, T, T)
        scores = scores + (between * np.exp(-1j * 10000.0 ** (-i / 16) * distance)).real
    return scores


def compare_by_hand(networks, length=40, add=None, bias=None, turn=None):
    """Print what the networks answer with the student's functions in them, and how often Keras answers differently.

    Args:
        networks: Trained networks by kind.
        length: Letters in a sequence.
        add: As in `answer_by_hand`.
        bias: The same.
        turn: The same.
    """
    print(f"{to_width('kind', 11)} {length} letters by hand   by Keras   answers that differ")
    for kind in ("learned", "sinusoidal", "relative", "rotary"):
        network, asked = networks[kind], []

        def answer(ids, network=network, asked=asked):
            mine, own = answer_by_hand(network, ids, add, bias, turn), np.asarray(network(ids))[:, 0]
            asked.append(int(((mine > 0) != (own > 0)).sum()))
            return mine

        by_hand = accuracy_at(answer, length, 1000)
        print(f"{kind:11} {by_hand:.3f} {accuracy_at(network, length, 1000):19.3f} {sum(asked):21d}")


def accuracy_with(network, length, count=1000, **changes):
    """Return the accuracy of a network with something changed in it.

    Args:
        network: A trained network.
        length: Letters in a sequence.
        count: How many sequences.
        **changes: Passed to `answer_by_hand`.
    """
    return accuracy_at(lambda ids: answer_by_hand(network, ids, **changes), length, count)


def flatten_outer(biases):
    """Return biases in which both outermost entries are their mean, so that far left equals far right."""
    changed = np.array(biases, dtype=float)
    changed[[0, -1]] = changed[[0, -1]].mean()
    return changed


def separate_outer(biases):
    """Return biases in which each outermost entry is the mean of the others on its side."""
    changed, radius = np.array(biases, dtype=float), len(biases) // 2
    changed[0], changed[-1] = changed[1:radius].mean(), changed[radius + 1 : -1].mean()
    return changed
