"""The gradient that reaches the queries of an attention layer before training, with and without the scale."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, show
from helpers.tables import to_width

_NAMES = ("no scale", "divided by sqrt(K)")
_HEAD = f"{to_width('mean', -6)} {to_width('median', -9)} "
_HEAD += f"{to_width('top 1 % exceed', -17)} {to_width('below 0.001', -14)}"
_AT_A_QUERY = "Norm of the gradient at a query; the share of queries where it is below 0.001"
_INPUTS = 64  # width of the vectors that are projected to queries and keys


def draw_layer(width, length, sentences=64, queries=16, seed=0):
    """Draw the queries and keys of a layer at its start, and how much the loss would like each key's value.

    Args:
        width: Width K of queries and keys, whose entries have variance 1.
        length: Keys S of a sentence.
        sentences: Number N of sentences.
        queries: Queries T of a sentence.
        seed: Seed of the random numbers.

    Returns:
        `(inputs, query, key, liking)` of shapes `(N, T, 64)`, `(N, T, K)`, `(N, S, K)` and `(N, T, S)`. `liking` is the
        derivative of the loss with respect to a weight, drawn from the standard normal distribution.
    """
    rng = np.random.default_rng(seed)
    inputs, items = (rng.normal(size=(sentences, count, _INPUTS)) for count in (queries, length))
    w_query, w_key = (rng.normal(size=(_INPUTS, width)) / np.sqrt(_INPUTS) for _ in range(2))
    return inputs, inputs @ w_query, items @ w_key, rng.normal(size=(sentences, queries, length))


def _slopes(query, key, liking, scale):
    """Return the derivative of the loss with respect to each query, `(N, T, K)`."""
    scores = scale * query @ key.swapaxes(-2, -1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    at_scores = weights * (liking - (weights * liking).sum(axis=-1, keepdims=True))
    return scale * at_scores @ key


def measure_gradients(width, length, seed=0):
    """Measure the gradient at the start, with and without the scale.

    Returns:
        For each of "no scale" and "divided by sqrt(K)": `(norms, projection)`, the norms of the gradient at the queries
        `(N * T,)` and the norm of the gradient at the matrix that makes the queries, summed over all of them.
    """
    inputs, query, key, liking = draw_layer(width, length, seed=seed)
    found = {}
    for name, scale in zip(_NAMES, (1.0, width**-0.5), strict=True):
        slopes = _slopes(query, key, liking, scale)
        at_matrix = np.einsum("nti,ntk->ik", inputs, slopes)
        found[name] = np.linalg.norm(slopes, axis=-1).ravel(), float(np.linalg.norm(at_matrix))
    return found


def measure_undecided(width, length, seed=0):
    """Return the share of queries without a weight above 0.9, without the scale, and theirs of the squared norms."""
    _, query, key, liking = draw_layer(width, length, seed=seed)
    scores = query @ key.swapaxes(-2, -1)
    undecided = np.exp(scores - scores.max(axis=-1, keepdims=True)).sum(axis=-1) > 1 / 0.9
    squares = (_slopes(query, key, liking, 1.0) ** 2).sum(axis=-1)
    return float(undecided.mean()), float(squares[undecided].sum() / squares.sum())


def _described(norms):
    """Return mean, median and tails of the norms as text below `_HEAD`."""
    return f"{norms.mean():6.2f} {np.median(norms):9.2g} {np.quantile(norms, 0.99):17.1f} {np.mean(norms < 1e-3):14.2f}"


def show_gradients(width, length):
    """Show the norm of the gradient over the queries and at the matrix W_Q, for a width K and a number of keys.

    Returns:
        `{"median": ..., "matrix": ...}`: whether each is "smaller" or "larger" without the scale.
    """
    found = measure_gradients(width, length)
    figure, ax = plt.subplots(figsize=(6.6, 3.3))
    edges, rows = np.linspace(-8, 2, 41), []
    for i, (name, (norms, matrix)) in enumerate(found.items()):
        logs = np.log10(np.clip(norms, 10.0 ** edges[0], 10.0 ** edges[-1]))
        ax.hist(logs, edges, color=OKABE_ITO[i], alpha=0.6, hatch=("//", "")[i], ec=OKABE_ITO[i], label=name)
        ax.axvline(np.median(logs), color=INK, ls=("--", "-")[i], lw=1.2, label=f"median, {name}")
        rows.append(f"{to_width(name, 19)} {_described(norms)} {matrix:9.0f}")
    ax.set_xticks(range(-8, 3, 2), [f"$10^{{{p}}}$" for p in range(-8, 3, 2)])
    ax.set(xlabel="norm of the gradient at one query (below $10^{-8}$: leftmost bar)", ylabel="queries")
    ax.set_title("Without the scale: many near 0, a minority very large")
    ax.legend(loc="upper left")
    said = "; ".join(f"{name} {np.median(norms):.2g}, {matrix:.0f}" for name, (norms, matrix) in found.items())
    alt = f"Histogram of the norm of the gradient at a query, width {width}, {length} keys. "
    show(figure, f"{alt}Medians (lines) and norms at W_Q: {said}.")
    print("\n".join([f"{_AT_A_QUERY}; norm at W_Q:", f"{'':19} {_HEAD} {to_width('at W_Q', -9)}", *rows]))
    (bare, at_bare), (scaled, at_scaled) = found.values()
    unsure, share = measure_undecided(width, length)
    print(f"no scale: {unsure:.2f} of the queries, without a weight above 0.9, have {share:.2f} of the squared norms")
    less = {"median": np.median(bare) < np.median(scaled), "matrix": at_bare < at_scaled}
    return {what: "smaller" if is_less else "larger" for what, is_less in less.items()}


def show_gradient_growth(widths, lengths):
    """Show how the gradient at the queries and at W_Q changes with the width K, for several numbers of keys."""
    (figure, axes), told = plt.subplots(1, 2, figsize=(7.0, 3.2)), []
    head = f"{to_width('keys', -4)} {to_width('width', -7)}  {_HEAD}"
    rows = {name: [f"\n{name}", head] for name in _NAMES}
    for length, line in zip(lengths, ("-", "--", ":"), strict=False):
        found = [measure_gradients(width, length) for width in widths]
        for i, name in enumerate(_NAMES):
            medians, at_matrix = [float(np.median(f[name][0])) for f in found], [f[name][1] for f in found]
            for ax, y in zip(axes, (np.maximum(medians, 1e-8), at_matrix), strict=True):
                ax.plot(widths, y, line, color=OKABE_ITO[i], marker=MARKERS[i], ms=5, label=f"{name}, {length} keys")
            told.append(f"{name}, {length} keys: medians {', '.join(f'{v:.1e}' for v in medians)}; "
                        f"at W_Q {', '.join(f'{v:.0f}' for v in at_matrix)}")  # fmt: skip
            described = (_described(f[name][0]) for f in found)
            rows[name] += [f"{length:4} {w:7}  {one}" for w, one in zip(widths, described, strict=True)]
    for ax, title in zip(axes, ("Median gradient norm at a query", "Gradient norm at W_Q"), strict=True):
        ax.set_xscale("log", base=2)
        ax.set(title=title, xlabel="width K", yscale="log")
        ax.set_xticks(widths, [f"{w}" for w in widths])
        ax.minorticks_off()
    figure.tight_layout(w_pad=2)
    curves = axes[1].get_legend_handles_labels()
    figure.legend(*curves, loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=2, handlelength=3.5)
    show(figure, f"Curves over the widths {', '.join(map(str, widths))}. {'. '.join(told)}.")
    print("\n".join([f"{_AT_A_QUERY}:", *(row for block in rows.values() for row in block)]))


def show_slopes(width, length, slope=None, queries=1024):
    """Measure the median gradient again, now one query at a time through the derivative of attention.

    Args:
        width: Width K.
        length: Number of keys.
        slope: `attention_jacobian`, or None for the formula of the whole layer.
        queries: Queries that are measured.
    """
    _, query, key, liking = draw_layer(width, length)
    query, liking = query.reshape(-1, width)[:queries], liking.reshape(-1, length)[:queries]
    key = key[np.arange(queries) // 16]
    for name, factor in zip([to_width(name, 19) for name in _NAMES], (width**0.5, 1.0), strict=True):
        if slope is None:
            slopes = _slopes(query[:, None], key, liking[:, None], factor * width**-0.5)[:, 0]
        else:  # without the scale the scores are those of a query that is sqrt(K) times as long
            parts = [slope(factor * q, k, c[:, None]) for q, k, c in zip(query, key, liking, strict=True)]
            slopes = factor * np.concatenate([np.asarray(part) for part in parts])
        norms = np.linalg.norm(slopes, axis=-1)
        print(f"{name} median {np.median(norms):.4f}, below 0.001: {np.mean(norms < 1e-3):.2f} of {queries} queries")
