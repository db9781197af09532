"""Seven attention functions for the section that looks for sabotage. Look here after you have found it."""

import keras
import numpy as np

_HEADS, _KEY_DIM = 2, 4


def suspect_weights():
    """Return the arrays that all suspects share: `w_q, w_k, w_v, w_o`, each `(8, 8)`."""
    rng = np.random.default_rng(11)
    return {name: rng.normal(size=(8, 8)) / np.sqrt(8) for name in ("w_q", "w_k", "w_v", "w_o")}


def suspect_positions(length):
    """Return the vectors that suspects with ordered positions add to the words, `(length, 8)`."""
    return np.random.default_rng(12).normal(size=(length, 8))


def make_suspects():
    """Make the suspects.

    Returns:
        Dict from letter to `(claim, function)`. The claim is `"set"`, `"ordered"` or `"causal"`; the function takes
        `x (B, T, 8)` and returns `(output (B, T, 8), weights (B, 2, T, T))`.
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


def _verdict(probe, *args):
    """Return what a student's probe says, as a text."""
    try:
        return str(bool(probe(*args)))
    except Exception as error:
        return type(error).__name__


def show_suspects(equivariant=None, probe=None):
    """Print what each suspect claims and what the probes say of it.

    Args:
        equivariant: The student's `is_permutation_equivariant`; with None a single order, the reversed one, is tried.
        probe: A function of `(output, weights)` of a suspect that returns True or False; None for no such column.
    """
    x = np.random.default_rng(8).normal(size=(2, 6, 8))
    later = x.copy()
    later[:, -1] += 1.0
    print("suspect  says      equivariant  looks ahead" + ("  your probe" if probe else ""))
    for letter, (claim, f) in make_suspects().items():
        output, weights = f(x)
        if equivariant is None:
            alike = str(np.allclose(f(x[:, ::-1])[0][:, ::-1], output))
        else:
            alike = _verdict(equivariant, lambda rows, f=f: f(rows[None])[0][0], x[0], np.random.default_rng(0))
        ahead = bool(np.abs(f(later)[0] - output)[:, :-1].max() > 1e-6)
        more = f"  {_verdict(probe, output, weights)}" if probe else ""
        print(f"{letter:8} {claim:9} {alike:12} {ahead!s:11}{more}".rstrip())


def compare_suspects():
    """Print how far each suspect is from a Keras layer with the same arrays that does what the suspect claims."""
    x = np.random.default_rng(8).normal(size=(2, 6, 8))
    layer = keras.layers.MultiHeadAttention(num_heads=_HEADS, key_dim=_KEY_DIM, use_bias=False, dtype="float64")
    layer.build(x.shape, x.shape)
    shapes = [w.shape for w in layer.get_weights()]
    layer.set_weights([w.reshape(shape) for w, shape in zip(suspect_weights().values(), shapes, strict=True)])
    placed = x + suspect_positions(6)
    honest = {"set": layer(x, x), "ordered": layer(placed, placed), "causal": layer(x, x, use_causal_mask=True)}
    for letter, (claim, f) in make_suspects().items():
        difference = np.abs(f(x)[0] - np.asarray(honest[claim])).max()
        print(f"{letter} says {claim:8} largest difference from Keras {difference:.3f}")
