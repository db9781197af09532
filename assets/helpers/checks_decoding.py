"""Self-check of notebook 1: the loss."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors
from helpers.observed import Observed, name_slip, observed


def _log_softmax(logits, axis=-1):
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _costs(logits, targets, axis=-1):
    """Return the cost of each token, padding included."""
    return -np.take_along_axis(_log_softmax(logits, axis), targets[..., None], axis=-1)[..., 0]


def _mean(logits, targets, real, axis=-1):
    return _costs(logits, targets, axis)[real].mean()


def _picked(logits, targets, real):
    return np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0][real]


#: What known mistakes return for logits, targets and the mask.
_LOSSES = {
    "the minus sign is missing": lambda x, y, real: -_mean(x, y, real),
    "that is the sum over the tokens, not their mean": lambda x, y, real: _mean(x, y, real) * real.sum(),
    "it divides by all B*T positions; padding does not count": lambda x, y, real: _mean(x, y, real) * real.mean(),
    "it divides by the number of sentences, not of real tokens": lambda x, y, real: (
        _mean(x, y, real) * real.sum() / len(x)
    ),
    "use the natural logarithm": lambda x, y, real: _mean(x, y, real) / np.log(2),
    "the softmax runs over the positions, the wrong axis: it belongs on the last one": lambda *args: _mean(*args, 1),
    "the softmax runs over the sentences, the wrong axis: it belongs on the last one": lambda *args: _mean(*args, 0),
    "the softmax runs over all entries at once; each position needs its own": lambda *args: _mean(*args, (0, 1, 2)),
    "that is the probability of the right word; the loss is its negative logarithm": lambda x, y, real: np.exp(
        -_costs(x, y)[real]
    ).mean(),
    "that is the mean of the sentences' means; average over all tokens at once": lambda x, y, real: np.mean(
        [row[kept].mean() for row, kept in zip(_costs(x, y), real, strict=True)]
    ),
    "padding counts too: the mean belongs to the positions where mask is True, and only to these": lambda x, y, real: (
        _costs(x, y).mean()
    ),
    "padding counts too, with logits of 0: the mean belongs to the positions where mask is True": lambda x, y, real: (
        _costs(x * real[..., None], y).mean()
    ),
    "a right id may be 0: take the real tokens from `mask`, not from `targets`": (
        lambda x, y, real: _mean(x, y, y != 0),
        lambda x, y, real: _mean(x, y, real & (y != 0)),
    ),
    "the real tokens are left out and the padding counts: is the mask inverted?": lambda x, y, real: _mean(x, y, ~real),
    "the softmax is taken twice": lambda x, y, real: _mean(np.exp(_log_softmax(x)), y, real),
    "you subtract the largest logit in one of two terms of -log p(target); do so in both terms": lambda x, y, real: (
        _costs(x, y) - x.max(-1)
    )[real].mean(),
    "that is the mean logit of the right words; -log p(target) needs the other logits too": lambda x, y, real: (
        -_picked(x, y, real).mean()
    ),
}


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
    rng = np.random.default_rng(0)
    others = [(rng.normal(size=(4, 6, 7)), rng.integers(0, 7, size=(4, 6)), np.tri(4, 6, dtype=bool)) for _ in range(2)]
    words = "Ids in square brackets pick along the first axis, the sentences; np.take_along_axis picks along the last"
    priced = explain_errors(masked_cross_entropy, {"out of bounds": words})
    loss = report.call(priced, plain, targets, mask)
    seen = Observed(f"Yours has shape {np.shape(loss)}")
    report.expect(np.ndim(loss) == 0, "it returns one number", seen, stop=True)

    def expect(line, x, right, question):
        loss = float(report.call(masked_cross_entropy, x, targets, mask))
        hint, fits = "", np.isclose(loss, right)
        if not fits:
            cases = [(x, targets, mask), *others]
            hint = name_slip([quietly(*case) for case in cases], cases, _LOSSES) or observed(loss, right, question)
        report.expect(fits, line, hint, stop=True)
        return loss

    one, token = np.log(5), np.log(4 + np.exp(3.0))  # the cost of a token
    asked = "What does a token cost if all five words are equally likely?"
    expect("zero logits cost ln(vocab_size)", plain, one, asked)
    asked = "Which tokens are real here, and what does each of them cost?"
    loss = expect("every real token has the same weight", logits, (token + 3 * one) / 4, asked)
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
