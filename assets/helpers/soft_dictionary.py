"""A dictionary of arrows: asked at every angle, and asked by longer, shorter and reversed arrows."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.diagrams_dot_product import show_curves
from helpers.plots import INK, OKABE_ITO, show
from helpers.tables import to_width


def make_arrows(angles, length=3.0):
    """Return arrows of one length, `(N, 2)`, at angles in degrees."""
    turned = np.deg2rad(np.asarray(angles, dtype=float))
    return length * np.stack([np.cos(turned), np.sin(turned)], axis=-1)


def _weights(scores):
    """Return the softmax along the last axis."""
    parts = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return parts / parts.sum(axis=-1, keepdims=True)


def show_kernel_regression(angles, values, unit, lengths=(1.0, 3.0, 12.0), reach=3.0):
    """Show the dictionary's answer at every angle, for queries of several lengths, beside a Gaussian kernel's.

    A Gaussian of the distance between arrows of the keys' length has the variance `reach / length`.

    Args:
        angles: The keys' angles in degrees, `(S,)`.
        values: Array `(S,)`.
        unit: Unit of the values.
        lengths: Lengths of the queries.
        reach: Length of the keys.
    """
    keys, asked = make_arrows(angles, reach), np.linspace(np.min(angles), np.max(angles), 91)
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    apart, told = 0.0, []
    for i, length in enumerate(lengths):
        answers = _weights(make_arrows(asked, length) @ keys.T) @ values
        gaps = np.square(make_arrows(asked, reach)[:, None] - keys[None]).sum(axis=-1)
        by_kernel = _weights(-gaps * length / (2 * reach)) @ values
        apart = max(apart, float(np.abs(answers - by_kernel).max()))
        ax.plot(asked, answers, color=OKABE_ITO[i], ls=("-", "--", "-.")[i % 3], label=f"query of length {length:g}")
        told.append(f"length {length:g}: from {answers[0]:.1f} to {answers[-1]:.1f} {unit}")
    ax.plot(angles, values, "s", color=INK, ms=7, zorder=4, label="keys and their values")
    ax.set_xticks(angles)
    ax.set(xlabel="angle of the query (degrees)", ylabel=f"answer ({unit})")
    ax.set_title("A longer query is a narrower kernel")
    ax.legend(loc="upper left")
    finding = f"dot products and Gaussian kernel: largest difference of the answers {apart:.6f} {unit}"
    show(figure, f"The answer against the angle of the query. {'; '.join(told)}. {finding}.")
    print(finding)


def show_length_and_sign(words, keys, query, compare=None):
    """Print the weights from dot products and from cosines, for arrows that are made longer, shorter or reversed.

    Args:
        words: The `S` words.
        keys: Array `(S, 2)`.
        query: Array `(1, 2)`.
        compare: `similarity`, or None to compare the arrows by their angles.

    Returns:
        `(word, how)`: the word with the largest weight when the last key is three times as long, and whether the
        weights of the reversed query are all "zero", all "equal" or still "different".
    """
    longer = keys * np.where(np.arange(len(keys)) == len(keys) - 1, 3.0, 1.0)[:, None]
    cases = {
        "as before": (query, keys),
        f"{words[-1]} 3 x": (query, longer),
        "query / 2": (query / 2, keys),
        "query reversed": (-query, keys),
    }
    print(f"{'':16}{to_width('weights from dot products', 30)}weights from cosines    ({', '.join(words)})")
    heaviest = {}
    for name, (asking, offered) in cases.items():
        if compare is None:
            lengths = np.linalg.norm(asking, axis=-1)[:, None], np.linalg.norm(offered, axis=-1)
            turns = [np.arctan2(a[:, 1], a[:, 0]) for a in (asking, offered)]
            cosines = np.cos(turns[0][:, None] - turns[1])
            scores = cosines * lengths[0] * lengths[1], cosines
        else:
            scores = [np.asarray(compare(asking, offered, kind)) for kind in ("dot", "cosine")]
        dots, cosines = (_weights(s)[0] for s in scores)
        heaviest[name] = words[int(dots.argmax())]
        print(f"{to_width(name, 16)}{np.round(dots, 2)!s:30}{np.round(cosines, 2)}")
    how = "zero" if not dots.any() else "different" if np.ptp(dots) > 1e-6 else "equal"  # the last case: reversed
    return heaviest[f"{words[-1]} 3 x"], how


def measure_peaks(widths, keys=8, queries=2000, seed=0):
    """Draw random queries and keys, and measure the variance of their scores and the largest weight of a query.

    Args:
        widths: Widths K.
        keys: Keys that a query is compared with.
        queries: Queries for each width.
        seed: Seed of the random numbers.

    Returns:
        `(variance, largest)`: for "no scale" and "divided by sqrt(K)" a list with a number for each width.
    """
    rng = np.random.default_rng(seed)
    variance, largest = {}, {}
    for width in widths:
        asking, offered = rng.normal(size=(queries, width)), rng.normal(size=(queries, keys, width))
        raw = np.einsum("nk,nsk->ns", asking, offered)
        for name, scores in (("no scale", raw), ("divided by sqrt(K)", raw / np.sqrt(width))):
            variance.setdefault(name, []).append(float(scores.var()))
            largest.setdefault(name, []).append(float(_weights(scores).max(axis=-1).mean()))
    return variance, largest


def _guess_trouble(guess, count):
    """Return why a guess cannot be drawn; empty if it can, or if there is none."""
    if guess is None:
        return ""
    values = np.asarray(guess, dtype=object).ravel()
    fits = len(values) == count and all(isinstance(v, int | float) and 0 <= v <= 1 for v in values.tolist())
    return "" if fits else f"write a list of {count} numbers from 0 to 1"


def show_peaks(widths, guess=None):
    """Show how the variance of a score and the largest of eight weights depend on the width.

    Args:
        widths: Widths K.
        guess: The largest weights guessed beforehand, one for each width; None for no guess.
    """
    variance, largest = measure_peaks(widths)
    trouble = _guess_trouble(guess, len(widths))
    if trouble:
        print(f"your guess is not drawn: {trouble}")
    panels = [
        {"title": "Variance of a score", "curves": variance, "log": True},
        {"title": "Largest of 8 weights, on average", "curves": largest},
    ]
    show_curves(widths, panels, "width K", None if trouble else guess)
    for name, values in largest.items():
        found = f"variance {np.round(variance[name], 1).tolist()}, largest weight {np.round(values, 2).tolist()}"
        print(to_width(name, 19), found)
