"""Self-check of notebook 1: the loss."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors
from helpers.observed import Observed, name_slip, observed


def _batch(sentences, length, words, step):
    """Make logits, targets and a mask of which each sentence has one word more than the one before."""
    n, m = np.arange(sentences * length * words), np.arange(sentences * length)
    shape = sentences, length
    return (
        (n * n * step % 13 - 6).reshape(*shape, words) / 4,
        (m * m * step % words).reshape(shape),
        np.tri(*shape, dtype=bool),
    )


_OTHERS = _batch(3, 4, 5, 2), _batch(4, 6, 7, 3)

#: What known mistakes return for the two cases of the check and for the two others, several rows for several forms.
_LOSSES = {
    "the minus sign is missing": [-1.60944, -2.00248, -1.82638, -2.58511],
    "that is the sum over the tokens, not their mean": [6.43775, 8.00993, 10.9583, 25.8511],
    "it divides by all B*T positions; padding does not count": [0.536479, 0.667494, 0.913188, 1.07713],
    "it divides by the number of sentences, not of real tokens": [3.21888, 4.00496, 3.65275, 6.46278],
    "use the natural logarithm": [2.32193, 2.88897, 2.6349, 3.72953],
    "the softmax runs over the positions, the wrong axis: it belongs on the last one":
        [1.79176, 1.79176, 1.68291, 2.46392],
    "the softmax runs over the sentences, the wrong axis: it belongs on the last one":
        [0.693147, 0.693147, 1.34273, 1.62705],
    "the softmax runs over all entries at once; each position needs its own": [4.09434, 4.37053, 4.5011, 5.8104],
    "that is the probability of the right word; the loss is its negative logarithm": [0.2, 0.16038, 0.209342, 0.139168],
    "that is the mean of the sentences' means; average over all tokens at once": [1.60944, 2.39552, 2.10024, 2.90856],
    "padding counts too: the mean belongs to the positions where mask is True, and only to these":
        [1.60944, 1.74045, 1.82868, 2.66202],
    "padding counts too, with logits of 0: the mean belongs to the positions where mask is True":
        [1.60944, 1.74045, 1.71791, 2.21225],
    "a right id may be 0: take the real tokens from `mask`, not from `targets`":
        ([1.60944, 2.1335, 1.76501, 2.59131], [1.60944, 2.1335, 1.63306, 2.29812]),
    "the real tokens are left out and the padding counts: is the mask inverted?": [1.60944, 1.60944, 1.83099, 2.71696],
    "the softmax is taken twice": [1.60944, 1.66357, 1.61009, 1.95882],
    "you subtract the largest logit in one of two terms of -log p(target); do so in both terms":
        [1.60944, 1.25248, 0.951377, 1.23511],
    "that is the mean logit of the right words; -log p(target) needs the other logits too": [0.0, 0.0, 0.125, 0.175],
}  # fmt: skip


@self_check("masked_cross_entropy")
def check_masked_cross_entropy(report, masked_cross_entropy):
    """Check `masked_cross_entropy` on cases whose value is known."""

    def quietly(*args):
        with np.errstate(all="ignore"):
            return float(masked_cross_entropy(*args))

    targets, mask = np.zeros((2, 6), dtype=int), np.arange(6) < np.array([[3], [1]])
    targets[mask] = 1, 0, 4, 3
    plain, logits = np.zeros((2, 6, 5)), np.zeros((2, 6, 5))
    logits[1, 0, 2] = 3.0  # the short sentence is wrong: its one token costs more than the others
    words = "Ids in square brackets pick along the first axis, the sentences; np.take_along_axis picks along the last"
    priced = explain_errors(masked_cross_entropy, {"out of bounds": words})
    loss = report.call(priced, plain, targets, mask)
    seen = Observed(f"Yours has shape {np.shape(loss)}")
    report.expect(np.ndim(loss) == 0, "it returns one number", seen, stop=True)

    def expect(line, place, x, right, question):
        loss = float(report.call(masked_cross_entropy, x, targets, mask))
        hint, fits = "", np.isclose(loss, right)
        if not fits:
            losses = [quietly(*case) for case in ((x, targets, mask), *_OTHERS)]
            slips = {text: rows if isinstance(rows, tuple) else (rows,) for text, rows in _LOSSES.items()}
            slips = {text: tuple(row.__getitem__ for row in rows) for text, rows in slips.items()}
            hint = name_slip(losses, [(place,), (2,), (3,)], slips) or observed(loss, right, question)
        report.expect(fits, line, hint, stop=True)
        return loss

    one, token = np.log(5), np.log(4 + np.exp(3.0))  # the cost of a token
    asked = "What does a token cost if all five words are equally likely?"
    expect("zero logits cost ln(vocab_size)", 0, plain, one, asked)
    asked = "Which tokens are real here, and what does each of them cost?"
    loss = expect("every real token has the same weight", 1, logits, (token + 3 * one) / 4, asked)
    changed = np.where(mask[..., None], logits, np.arange(5.0) * 2)
    same = np.isclose(loss, float(report.call(masked_cross_entropy, changed, targets, mask)))
    report.expect(same, "logits on padding have no influence", "leave masked positions out", stop=True)
    large, ids = np.where(np.arange(5) == 2, 1e4, -1e4) * np.ones((2, 6, 1)), np.full((2, 6), 2)
    loss = float(report.call(masked_cross_entropy, large, ids, mask))
    hint = Observed(f"Your function returns {loss}, also if no logit is above 0. Where may it take the logarithm of 0?")
    if not np.isfinite(loss) and np.isfinite(quietly(large - 1e4, ids, mask)):
        hint = "overflow: exp(1e4) is inf; subtract the largest logit first"
    report.expect(np.isfinite(loss), "logits of 10,000 give a finite loss", hint, stop=True)
    hint = observed(loss, 0.0, "What is the probability of the right word here?")
    report.expect(abs(loss) < 1e-6, "a confident right answer costs nothing", hint, stop=True)
    loss = float(report.call(masked_cross_entropy, large, ids - 1, mask))
    hint = observed(loss, 2e4, "What is -log p(target) if the logit of the target is 20,000 below the largest?")
    if np.isinf(loss):
        hint = "log(0) is infinite: subtract logarithms instead of dividing"
    elif np.isclose(loss, quietly(large / 2, ids - 1, mask)):
        hint = "clipped: half as large logits cost the same. A clip, or a number added before the log, hides how wrong "
        hint += "the model is"
    report.expect(np.isclose(loss, 2e4), "a confident wrong answer costs 20,000", hint, stop=True)
    mixed, both = np.array([[[1e4, 0.0], [0.0, 1.0]]]), np.ones((1, 2), dtype=bool)
    right = np.log1p(np.exp(-1))
    loss = float(report.call(masked_cross_entropy, mixed, np.array([[0, 1]]), both))
    hint = observed(loss, right / 2, "What do these two tokens cost, one by one?")
    if np.isclose(quietly(mixed[:, 1:], np.array([[1]]), both[:, 1:]), right):
        hint = "the second position alone is right, beside large logits it is not: subtract the largest logit of each "
        hint += "position, not one that several positions share"
    report.expect(np.isclose(loss, right / 2), "large logits do not disturb other positions", hint)
