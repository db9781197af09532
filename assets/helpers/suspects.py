"""Seven attention functions for the section that looks for sabotage. Look here after you have found it."""

import numpy as np

_HEADS, _KEY_DIM = 2, 4


def suspect_weights():
    """Give the weights that all suspects share: `w_q, w_k, w_v, w_o`, each `(8, 8)`."""
    rng = np.random.default_rng(11)
    return {name: rng.normal(size=(8, 8)) / np.sqrt(8) for name in ("w_q", "w_k", "w_v", "w_o")}


def suspect_positions(length):
    """Give the vectors that the suspects that claim order add to the words, `(length, 8)`."""
    return np.random.default_rng(12).normal(size=(length, 8))


def make_suspects():
    """Make the suspects.

    Returns:
        Dict from letter to `(claim, function)`. The claim is `"set"`, `"ordered"` or `"causal"`; the function takes
        `x (B, T, 8)` and gives `(output (B, T, 8), weights (B, 2, T, T))`.
    """
    matrices = suspect_weights()

    def attend(x, scale=_KEY_DIM, axis=-1, mask=None):
        def heads(name):
            return (x @ matrices[name]).reshape(*x.shape[:2], _HEADS, _KEY_DIM).swapaxes(1, 2)

        scores = heads("w_q") @ heads("w_k").swapaxes(-2, -1) / scale**0.5
        scores = scores if mask is None else np.where(mask, scores, -1e9)
        weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
        weights /= weights.sum(axis=axis, keepdims=True)
        return (weights @ heads("w_v")).swapaxes(1, 2).reshape(x.shape) @ matrices["w_o"], weights

    def past(length):
        return np.tri(length, dtype=bool)

    return {
        "A": ("causal", lambda x: attend(x, mask=~past(x.shape[1]))),  # mask inverted
        "B": ("set", lambda x: attend(x)),
        "C": ("set", lambda x: attend(x, scale=(_HEADS * _KEY_DIM) ** 2)),  # divided by d_model, not by the root of K
        "D": ("ordered", lambda x: attend(x + suspect_positions(len(x))[:, None])),  # along the batch axis
        "E": ("causal", lambda x: attend(x, mask=past(x.shape[1]))),
        "F": ("ordered", lambda x: attend(x + suspect_positions(x.shape[1]))),
        "G": ("set", lambda x: attend(x, axis=-2)),  # softmax over the queries
    }
