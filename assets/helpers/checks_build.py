"""Self-check of notebook 6: the whole model, looked at through its logits."""

from collections import Counter

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, describe_error
from helpers.transformer_slips import MODEL_SLIPS, name_flat_mask, slipped_logits

#: No random number of single precision is as large as this rate of dropout: in training everything is dropped.
_SIZES = {"num_layers": 2, "d_model": 8, "num_heads": 2, "d_ff": 6, "source_vocab_size": 10, "target_vocab_size": 9,
          "max_length": 7, "dropout": 0.99999995, "norm_first": False}  # fmt: skip
_NORM, _FORWARD, _ATTENTION = [8, 8], [48, 6, 48, 8], [64, 64, 64, 64, 8, 8, 8, 8]  # sizes of weight arrays


def _expected_sizes(norm_first):
    """Return how many weight arrays of each size a right model has."""
    encoder, decoder = _ATTENTION + 2 * _NORM + _FORWARD, 2 * _ATTENTION + 3 * _NORM + _FORWARD
    return Counter([80, 72, *2 * encoder, *2 * decoder, 72, 9, *2 * norm_first * _NORM])


def _size_hint(sizes):
    """Name the mistake behind the sizes of all weight arrays; an `Observed` if no known one has these."""
    right, got = _expected_sizes(False), Counter(int(n) for n in sizes)
    encoder, decoder = _ATTENTION + 2 * _NORM + _FORWARD, 2 * _ATTENTION + 3 * _NORM + _FORWARD
    missing, extra = right - got, got - right
    wide = right - Counter(6 * _ATTENTION) + Counter(6 * [128, 128, 128, 128, 16, 16, 16, 8])
    shared = "serves more than one place, so weights are missing: make a new one for each sublayer"
    lack = {
        "the encoder has one layer: build num_layers": encoder,
        "the decoder has one layer: build num_layers": decoder,
        "each side has one layer: build num_layers": encoder + decoder,
        "the logits do not depend on the layers of the encoder: cross-attention reads their result": 2 * encoder,
        "the last layer is a Dense layer of its own, not the embedding's matrix": [72],
        "the last layer is a Dense layer of its own, with a bias": [9],
        "the last layer has no weights of its own: make it a Dense layer, not the embedding's matrix": [72, 9],
    } | {f"{n} of 6 attentions are missing, or one {shared}": n * _ATTENTION for n in range(1, 6)}
    lack |= {f"{n} of 4 feed-forwards are missing, or one {shared}": n * _FORWARD for n in range(1, 4)}
    lack |= {f"{n} of 10 norms are missing, or one {shared}": n * _NORM for n in range(1, 11)}
    more = {
        "a post-norm model has no norm at the end": 2 * _NORM,
        "a post-norm model has no norm at the end; yours has one on one side": _NORM,
        "positions are a fixed table, not learned": [56],
        "positions are a fixed table, not learned; yours has two": [56, 56],
        "an embedding of the source is made twice": [80],
        "an embedding of the target is made twice": [72],
    }
    known = [text for text, arrays in lack.items() if missing == Counter(arrays) and not extra]
    known += [text for text, arrays in more.items() if extra == Counter(arrays) and not missing]
    known += ["key_dim is the width of one head: d_model // num_heads"] * (got == wide)
    told = "; ".join(", ".join(f"{k} of size {n}" for n, k in sorted(some.items())) + f" are {text}"
                     for some, text in ((missing, "missing"), (extra, "too many")) if some)  # fmt: skip
    total = sum(n * count for n, count in got.items())
    asked = f"Yours has {total} weights. Counted by array, {told}. Which parts does a layer of each side have?"
    return known[0] if len(known) == 1 else Observed(asked)


@self_check("build_transformer")
def check_build_transformer(report, build_transformer, model_logits):
    """Check shape, count, masks, positions, residuals, norms and dropout, as the tests do, with other words."""
    source, target, tried = np.array([[7, 3, 8, 2]]), np.array([[1, 6, 3, 2, 7]]), []

    def run(source, target, seed=1, flags=(), **changes):
        source, target = np.asarray(source), np.asarray(target)
        result = report.call(model_logits, {**_SIZES, **changes}, seed, source, target, *flags)
        if seed == 1:
            options = {"norm_first": changes.get("norm_first", False), "dropped": flags[:1] == (True,)}
            rows = enumerate(zip(source, target, result[0], strict=True))
            tried.extend((ids, other, row, options, logits) for row, (ids, other, logits) in rows)
        return result

    def fits(slip, norm_first):
        return all(np.abs(logits - slipped_logits(ids, other, row=row, **options, **slip)).max() < 2e-5
                   for ids, other, row, options, logits in tried if options["norm_first"] == norm_first)  # fmt: skip

    def expect(holds, line, question, known="", stop=True):
        hint = known
        if not holds and not known:
            run([[7, 3, 8, 2, 0]], target, norm_first=True)
            spoilt = [norm_first for norm_first in (False, True) if not fits({}, norm_first)]  # one kind may be right
            found = [text for text, slip in MODEL_SLIPS.items() if all(fits(slip, kind) for kind in spoilt)]
            hint = found[0] if len(found) == 1 else Observed(question)
        report.expect(holds, line, hint, stop=stop)

    logits, sizes, gradients = run(source, target, 1, (False, True))
    asked = "The source has 4 ids and the target 5. Which does your model take first, and whose vectors end in logits?"
    seen = Observed(f"Yours have shape {logits.shape}. {asked}")
    report.expect(logits.shape == (1, 5, 9), "logits have shape (B, T, target_vocab_size)", seen, stop=True)
    base, right = logits[0], _expected_sizes(False)
    total = sum(right.elements())
    same = Counter(int(n) for n in sizes) == right
    report.expect(same, f"{total} weights for a small configuration of two layers", _size_hint(sizes), stop=True)
    apart = np.abs(base.sum(-1) - 1).max()
    report.expect(apart > 1e-3, "these are logits", "they sum to 1: leave the softmax out", stop=True)
    bare = run(source, [[1, 6, 6, 2]], 0)[0][0]
    hint = "with all sublayers zero no word comes through: a residual connection is missing"
    report.expect(np.abs(bare[0] - bare[3]).max() > 1e-3, "residuals carry the words through", hint, stop=True)
    later = target.copy()
    later[0, 3] = 8
    moved = np.abs(run(source, later)[0][0] - base).max(-1) > 1e-5
    asked = "A later word changes earlier logits. What in your decoder mixes positions, and with which mask?"
    expect(not moved[:3].any(), "no look-ahead", asked)
    expect(moved[3], "a target word acts at its own place", "Yours does not. Which way does it take to the logits?")
    two = np.repeat(source, 2, 0), np.repeat(target, 2, 0)
    try:
        model_logits(dict(_SIZES), 1, *two)
    except Exception as error:
        known = name_flat_mask(lambda *ids: model_logits(dict(_SIZES), 1, *ids)[0])
        asked = Observed(f"One alone runs; two raise {describe_error(error)}. Which axis of each mask is the batch?")
        report.expect(False, "two sentences at once run", known or asked, stop=True)
    apart = np.abs(run(*two)[0] - base).max()
    asked = f"The two rows differ by up to {apart:.2g}. Along which axis do the positions run?"
    expect(apart < 1e-4, "the same pair gives the same in each row", asked)
    moved = np.abs(run([[7, 3, 8, 4]], target)[0][0] - base).max()
    expect(moved > 1e-4, "the source has influence", "It has none. What does cross-attention read?")
    moved = np.abs(run([[7, 3, 8, 2, 0, 0]], target)[0][0] - base).max()
    asked = f"Your logits change by up to {moved:.2g}. Which attentions see it, and is your mask True for words?"
    expect(moved < 1e-4, "padding after the source changes nothing", asked)
    moved = np.abs(run([[3, 7, 8, 2]], target)[0][0] - base).max()
    expect(moved > 1e-4, "the order of the source matters", "What tells your encoder where a word is?")
    moved = np.abs(run(source, target[:, [1, 0, 2, 3, 4]])[0][0, 2:] - base[2:]).max()
    expect(moved > 1e-4, "the order of the target matters", "What tells your decoder where a word is?")
    apart = np.abs(run([[4]], target)[0] - run([[4, 5]], target)[0]).max()
    asked = "What multiplies the embedding, what the positions, and is the table the given one?"
    expect(apart < 1e-3, "source: word 5 at position 1 equals word 4 at position 0", asked)
    pair = run(source, [[4, 5]])[0][0]
    asked = "Which source words does each target word see, and what multiplies the target's embedding?"
    expect(np.abs(pair[0] - pair[1]).max() < 1e-3, "target: the same, with the same memory", asked)
    least = int((gradients > 1e-6).sum())
    asked = f"{len(sizes) - least} of {len(sizes)} get none. Which part of the model do the logits not depend on?"
    fine = np.isfinite(gradients).all() and least >= len(sizes) - 6
    expect(fine, "gradients arrive at all weights but the biases of the keys", asked, stop=False)
    asked = "What does each attention read, where is each norm, and what is between the layers of a feed-forward?"
    apart = np.abs(base - slipped_logits(source[0], target[0])).max()
    expect(apart < 1e-4, "the logits of a right post-norm model", asked)
    logits, sizes, _ = run(source, target, norm_first=True)
    known = "norm_first changes nothing: where is it used? Encoder and decoder end in one more norm each"
    known = known if np.abs(logits[0] - base).max() < 1e-6 else "Encoder and decoder end in one more norm each"
    known, more = known if int(sizes.sum()) == total else "", int(sizes.sum()) - total
    told = f"Yours has {total + more} weights, not {total + 32}. Where does a pre-norm model have further norms?"
    expect(more == 32, "norm_first=True adds two norms", told, known)
    apart = np.abs(logits[0] - slipped_logits(source[0], target[0], True)).max()
    expect(apart < 1e-4, "the logits of a right pre-norm model", asked)
    for norm_first in (False, True):
        still = run(source, target, 1, (True,), norm_first=norm_first)[0][0]
        apart = np.abs(still - slipped_logits(source[0], target[0], norm_first, True)).max()
        asked = f"Yours are up to {apart:.2g} off. What does Dropout fall on, and with which rate?"
        line = f"norm_first={norm_first}: in training a dropout of nearly 1 lets only the residuals through"
        expect(apart < 1e-4, line, asked)
