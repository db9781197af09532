"""Self-check of notebook 6: the whole model, looked at through its logits."""

import numpy as np
from helpers.checks import self_check

_SIZES = {"num_layers": 1, "d_model": 8, "num_heads": 2, "d_ff": 6, "source_vocab_size": 10, "target_vocab_size": 9,
          "max_length": 7, "dropout": 0.1, "norm_first": False}  # fmt: skip


def _expected_count(norm_first, key_dim=4, extra=0):
    """Count the weights for `_SIZES`."""
    d, inner = 8, 2 * key_dim
    attention = 3 * (d * inner + inner) + inner * d + d
    return 19 * d + 3 * attention + 2 * (2 * d * 6 + 6 + d) + 10 * d + d * 9 + 9 + (4 * d if norm_first else 0) + extra


@self_check("build_transformer")
def check_build_transformer(report, build_transformer, model_logits):
    """Check shape, count, masks, positions and residuals, as the tests do, with other words."""
    source, target = np.array([[7, 3, 8, 2]]), np.array([[1, 6, 3, 2, 7]])

    def run(source, target, seed=1, **changes):
        return report.call(model_logits, {**_SIZES, **changes}, seed, np.asarray(source), np.asarray(target))

    logits, sizes, gradients = run(source, target)
    report.expect(
        logits.shape == (1, 5, 9), "logits have shape (B, T, target_vocab_size)", f"got {logits.shape}", stop=True
    )
    base, count, right = logits[0], int(sizes.sum()), _expected_count(False)
    hints = {
        _expected_count(False, 8): "key_dim is the width of one head: d_model // num_heads",
        right - 72: "the last layer is a Dense layer of its own, not the embedding's matrix",
        right + 32: "a post-norm model has no norm at the end",
        right + 2 * 7 * 8: "positions are a fixed table, not learned",
    }
    hint = hints.get(count, f"{count} weights; count one layer by hand: each sublayer has its own norm")
    report.expect(count == right, f"{right} weights for a small configuration", hint, stop=True)
    report.expect(
        np.abs(base.sum(-1) - 1).max() > 1e-3, "these are logits", "they sum to 1: leave the softmax out", stop=True
    )
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
    bare = run(source, [[1, 6, 6, 2]], 0)[0][0]
    hint = "with all sublayers zero no word comes through: a residual connection is missing"
    report.expect(np.abs(bare[0] - bare[3]).max() > 1e-3, "residuals carry the words through", hint, stop=True)
    hint = "some weights get no gradient: a part of the model is cut off"
    report.expect(np.isfinite(gradients).all() and (gradients > 1e-6).sum() >= len(sizes) - 3, "gradients arrive", hint)
    count, right = int(run(source, target, norm_first=True)[1].sum()), _expected_count(True)
    hint = "is norm_first used? Encoder and decoder end in one more norm each"
    report.expect(count == right, "norm_first=True adds two norms", hint)
