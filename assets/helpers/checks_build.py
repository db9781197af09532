"""Self-check of notebook 6: the whole model, looked at through its logits."""

import numpy as np
from helpers.checks import self_check

#: No random number of single precision is as large as this rate of dropout: in training everything is dropped.
_SIZES = {"num_layers": 2, "d_model": 8, "num_heads": 2, "d_ff": 6, "source_vocab_size": 10, "target_vocab_size": 9,
          "max_length": 7, "dropout": 0.99999995, "norm_first": False}  # fmt: skip
_D, _HEAD, _ATTENTION = 8, 4, 4 * (8 * 8 + 8)  # width, width of a head, weights of one attention


def _expected_count(norm_first, key_dim=_HEAD):
    """Count the weights for `_SIZES`."""
    inner = 2 * key_dim
    attention = 3 * (_D * inner + inner) + inner * _D + _D
    layers = 2 * (3 * attention + 2 * (2 * _D * 6 + 6 + _D) + 10 * _D)
    return 19 * _D + layers + _D * 9 + 9 + (4 * _D if norm_first else 0)


def _post(x, compute, norm):
    return norm(x + compute(x))


def _pre(x, compute, norm):
    return x + compute(norm(x))


def _expected_logits(source, target, add, end, relu=True, epsilon=1e-5):
    """Give the logits of a model of `_SIZES` filled with seed 1, for a source without padding.

    `add(x, compute, norm)` is the sublayer, `end` tells whether both sides end in a norm.
    """

    def w(*shape):
        return np.random.default_rng([1, *shape]).normal(size=shape) * (_D**-0.5 if len(shape) > 1 else 0.2)

    def norm(x):
        return (1 + w(_D)) * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) + w(_D)

    def attend(x, memory, mask=1.0):
        q, k = (np.einsum("td,dhk->htk", a, w(_D, 2, _HEAD)) + w(2, _HEAD)[:, None] for a in (x, memory))
        e = np.exp(q @ k.swapaxes(-2, -1) / np.sqrt(_HEAD)) * mask
        return np.einsum("htk,hkd->td", e / e.sum(-1, keepdims=True) @ k, w(2, _HEAD, _D)) + w(_D)

    def transform(x):
        hidden = x @ w(_D, 6) + w(6)
        return (np.maximum(hidden, 0) if relu else hidden) @ w(6, _D) + w(_D)

    def embed(ids, words):
        angles = np.arange(len(ids))[:, None] * 10000.0 ** (-np.arange(0, _D, 2) / _D)
        return w(words, _D)[ids] * _D**0.5 + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(ids), _D)

    x, y = embed(source, 10), embed(target, 9)
    for _ in range(2):
        x = add(add(x, lambda a: attend(a, a), norm), transform, norm)
    memory = norm(x) if end else x
    for _ in range(2):
        y = add(y, lambda a: attend(a, a, np.tri(len(a))), norm)
        y = add(add(y, lambda a: attend(a, memory), norm), transform, norm)
    return (norm(y) if end else y) @ w(_D, 9) + w(9)


def _check_norms(report, got, source, target, norm_first):
    """Compare logits with those of a right model, and name the mistake whose logits they are."""
    right, other = (_pre, _post) if norm_first else (_post, _pre)
    ignored = "norm_first is ignored in the sublayers" if norm_first else "your sublayers are pre-norm all the same"
    behind = "the norm belongs in front of the sublayer" if norm_first else "normalise the sum, not what is computed"
    mistakes = {
        "the ReLU of the feed-forward is missing": {"relu": False},
        "the epsilon of your norms: 1e-5 is asked for, Keras' default is 1e-3": {"epsilon": 1e-3},
        "the residual carries the normalised value": {"add": lambda x, compute, norm: norm(x) + compute(norm(x))},
        ignored: {"add": other},
        behind: {"add": lambda x, compute, norm: x + norm(compute(x))},
    }
    settings = {"add": right, "end": norm_first}
    results = {text: _expected_logits(source, target, **(settings | change)) for text, change in mistakes.items()}
    hint = next((text for text, wrong in results.items() if np.abs(got - wrong).max() < 1e-4), "")
    hint = hint or "where do the norms stand? is the feed-forward's ReLU there, and epsilon 1e-5?"
    kind = "pre-norm" if norm_first else "post-norm"
    apart = np.abs(got - _expected_logits(source, target, **settings)).max()
    report.expect(apart < 1e-4, f"the logits of a right {kind} model", hint, stop=True)


@self_check("build_transformer")
def check_build_transformer(report, build_transformer, model_logits):
    """Check shape, count, masks, positions, residuals, norms and dropout, as the tests do, with other words."""
    source, target = np.array([[7, 3, 8, 2]]), np.array([[1, 6, 3, 2, 7]])

    def run(source, target, seed=1, flags=(), **changes):
        return report.call(model_logits, {**_SIZES, **changes}, seed, np.asarray(source), np.asarray(target), *flags)

    logits, sizes, gradients = run(source, target, 1, (False, True))
    report.expect(
        logits.shape == (1, 5, 9), "logits have shape (B, T, target_vocab_size)", f"got {logits.shape}", stop=True
    )
    base, count, right = logits[0], int(sizes.sum()), _expected_count(False)
    shared = "an attention serves more than one place, so weights are missing: make a new one for each sublayer"
    hints = {
        _expected_count(False, 8): "key_dim is the width of one head: d_model // num_heads",
        right - 72: "the last layer is a Dense layer of its own, not the embedding's matrix",
        right + 32: "a post-norm model has no norm at the end",
        right + 2 * 7 * 8: "positions are a fixed table, not learned",
    } | {right - n * _ATTENTION: shared for n in range(1, 6)}
    hint = hints.get(count, f"{count} weights; count one layer by hand: each sublayer has its own norm")
    report.expect(count == right, f"{right} weights for a small configuration of two layers", hint, stop=True)
    report.expect(
        np.abs(base.sum(-1) - 1).max() > 1e-3, "these are logits", "they sum to 1: leave the softmax out", stop=True
    )
    bare = run(source, [[1, 6, 6, 2]], 0)[0][0]
    hint = "with all sublayers zero no word comes through: a residual connection is missing"
    report.expect(np.abs(bare[0] - bare[3]).max() > 1e-3, "residuals carry the words through", hint, stop=True)
    later = target.copy()
    later[0, 3] = 8
    moved = np.abs(run(source, later)[0][0] - base).max(-1) > 1e-5
    report.expect(not moved[:3].any(), "no look-ahead", "the decoder's self-attention must be causal", stop=True)
    report.expect(moved[3], "a target word acts at its own place", "does the target reach the decoder?", stop=True)
    pair = run(np.repeat(source, 2, 0), np.repeat(target, 2, 0))[0]
    hint = "positions run along the words, not along the batch"
    report.expect(np.abs(pair - base).max() < 1e-4, "the same pair gives the same in each row", hint, stop=True)
    moved = np.abs(run([[7, 3, 8, 4]], target)[0][0] - base).max()
    report.expect(moved > 1e-4, "the source has influence", "cross-attention reads the encoder's output", stop=True)
    moved = np.abs(run([[7, 3, 8, 2, 0, 0]], target)[0][0] - base).max()
    hint = "mask the source's padding in encoder self-attention and in cross-attention"
    report.expect(moved < 1e-4, "padding behind the source changes nothing", hint, stop=True)
    moved = np.abs(run([[3, 7, 8, 2]], target)[0][0] - base).max()
    report.expect(moved > 1e-4, "the order of the source matters", "positions are missing in the encoder", stop=True)
    moved = np.abs(run(source, target[:, [1, 0, 2, 3, 4]])[0][0, 2:] - base[2:]).max()
    report.expect(moved > 1e-4, "the order of the target matters", "positions are missing in the decoder", stop=True)
    apart = np.abs(run([[4]], target)[0] - run([[4, 5]], target)[0]).max()
    hint = "the embedding is scaled by the root of d_model, positions are not; is the table the given one?"
    report.expect(apart < 1e-3, "source: word 5 at position 1 equals word 4 at position 0", hint, stop=True)
    pair = run(source, [[4, 5]])[0][0]
    hint = "does cross-attention see the whole source from every position? Or is the target's embedding not scaled?"
    report.expect(np.abs(pair[0] - pair[1]).max() < 1e-3, "target: the same, with the same memory", hint, stop=True)
    hint = "some weights get no gradient: a part of the model is cut off"
    report.expect(np.isfinite(gradients).all() and (gradients > 1e-6).sum() >= len(sizes) - 6, "gradients arrive", hint)
    logits, sizes, _ = run(source, target, norm_first=True)
    hint = "is norm_first used? Encoder and decoder end in one more norm each"
    report.expect(int(sizes.sum()) == right + 32, "norm_first=True adds two norms", hint, stop=True)
    _check_norms(report, base, source[0], target[0], False)
    _check_norms(report, logits[0], source[0], target[0], True)
    calm, still = (run(source, target, 0, (training,))[0] for training in (False, True))
    hint = "it changes what comes along the residuals; it belongs on what a sublayer computes, before that is added"
    report.expect(np.abs(calm - still).max() < 1e-4, "dropout leaves the residuals alone", hint, stop=True)
    still = run(source, target, 1, (True,))[0]
    apart = np.abs(still - _expected_logits(source[0], target[0], lambda x, compute, norm: norm(x), False)).max()
    hint = "is there Dropout, with the config's rate, on what every sublayer computes?"
    report.expect(apart < 1e-4, "in training a dropout of nearly 1 lets only the residuals through", hint)
