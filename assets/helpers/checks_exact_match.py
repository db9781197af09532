"""Self-check of notebook 1: exact match by length."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors
from helpers.observed import Observed, observed, quietly

_END = 2


def _mistakes(predicted, target, lengths):
    """Return the right result, and for each known mistake what it returns: dicts from lengths to fractions."""
    same, place = predicted == target, np.arange(target.shape[1])
    real, counted = place < lengths[:, None], (target != 0).sum(axis=1)
    early = place >= np.where((predicted == _END).any(1), (predicted == _END).argmax(1), 99)[:, None]
    words = [sorted(p[:n]) == sorted(t[:n]) for p, t, n in zip(predicted, target, lengths, strict=True)]

    def shares(rows, by=lengths):
        return {int(n): float(np.asarray(rows)[by == n].mean()) for n in np.unique(by)}

    right = shares((same | ~real).all(1))
    rows = {n: int((lengths == n).sum()) for n in right}
    return right, {
        "that is token accuracy: one wrong token makes the whole row wrong": {
            n: float(same[real & (lengths == n)[:, None]].mean()) for n in right
        },
        "it compares the padding too; only the first `length` positions count": shares(same.all(1)),
        "it compares the padding next to a sentence; only the first `length` positions count: off by one": shares(
            (same | (place > lengths[:, None])).all(1)
        ),
        "the last real position, the end mark, has to be right as well: off by one": shares(
            (same | (place >= lengths[:, None] - 1)).all(1)
        ),
        "all positions have to be right, any is not enough": shares((same & real).any(1)),
        "a real id may be 0: take the real positions from `lengths`, not from the ids": shares(
            (same | (target == 0)).all(1)
        ),
        "a real id may be 0: use the `lengths` handed in, do not count ids": shares(
            (same | (place >= counted[:, None])).all(1), counted
        ),
        "it compares the padding and leaves the real positions out: inverted": shares((same | real).all(1)),
        "it compares which words there are; their order counts as well": shares(words),
        "a sentence that ends too early counts as right; compare all real positions of the target": shares(
            (same | ~real | early).all(1)
        ),
        "rows that are longer count as well; each length averages its own rows": {
            n: float(same[lengths >= n, :n].all(1).mean()) for n in right
        },
        "that is a count: divide by the number of rows of this length": {n: rows[n] * right[n] for n in right},
        "you divide by the number of all rows: each length averages its own rows": {
            n: rows[n] * right[n] / len(lengths) for n in right
        },
        "these are percent": {n: 100 * right[n] for n in right},
        "one key for each length that occurs; no others": dict.fromkeys(range(1, 5), 0.0) | right,
        "the keys are the lengths themselves": {n - 1: right[n] for n in right},
    }


def _more_cases(predicted, target, lengths):
    """Return the same rows in other orders and pairs, in which other ones are right."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        rows = rng.integers(0, len(lengths), size=9)
        spoilt = np.where(rng.random((9, target.shape[1])) < 0.2, 3, target[rows])
        yield np.where(rng.random((9, 1)) < 0.4, predicted[rows], spoilt), target[rows], lengths[rows]


@self_check("exact_match_by_length")
def check_exact_match_by_length(report, exact_match_by_length):
    """Check `exact_match_by_length` on seven rows of lengths 1, 3 and 4; each usual mistake counts others of them."""
    target = [[5, 0, 0, 0], [4, 0, 0, 0], [6, 7, 2, 0], [8, 7, 2, 0], [6, 6, 6, 2], [5, 0, 7, 2], [9, 7, 8, 2]]
    predicted = [[5, 9, 9, 9], [3, 0, 0, 0], [6, 7, 2, 5], [8, 2, 7, 0], [6, 6, 6, 5], [5, 9, 7, 2], [7, 9, 8, 2]]
    predicted, target = (np.pad(rows, ((0, 0), (0, 2))) for rows in (predicted, target))
    lengths = np.array([1, 1, 3, 3, 4, 4, 4])  # seven, and six columns: without a second axis they do not fit
    hints = {"broadcast": "The lengths are (N,): give them a second axis, [:, None]"}
    got = report.call(explain_errors(exact_match_by_length, hints), predicted, target, lengths)
    seen = Observed(f"Yours is {type(got).__name__}")
    report.expect(isinstance(got, dict), "it returns a dict", seen, stop=True)
    got = {int(k): float(v) for k, v in got.items()}
    right, mistakes = _mistakes(predicted, target, lengths)

    def is_it(text, got, wrong):
        got = {int(k): float(v) for k, v in got.items()}
        extra = [got[n] for n in got.keys() - wrong.keys()]
        same = got.keys() >= wrong.keys() and np.allclose(np.nan_to_num([got[n] for n in wrong]), list(wrong.values()))
        return same and (not extra or ("no others" in text and not np.nan_to_num(extra).any()))

    tried = [(got, mistakes)]  # three fractions are the same for many mistakes
    for case in _more_cases(predicted, target, lengths):
        tried.append((quietly(exact_match_by_length, *case), _mistakes(*case)[1]))
    known = mistakes if all(isinstance(result, dict) for result, _ in tried) else ()
    hint = next((text for text in known if all(is_it(text, result, wrong[text]) for result, wrong in tried)), "")
    hint = hint or observed(got, right, "Which rows have length 3, and which of these are right throughout?")
    report.expect(got.keys() == right.keys(), "its keys are the lengths that occur", hint, stop=True)
    fine = all(0 <= value <= 1 for value in got.values())
    report.expect(fine, "its values are fractions from 0 to 1", hint, stop=True)
    short = "one of two rows of length 1 is right, whatever follows the real position"
    report.expect(got[1] == 0.5, short, hint, stop=True)
    report.expect(got[4] == 0, "none of three rows of length 4 is right, each has a wrong token", hint, stop=True)
    report.expect(np.isclose(got[3], 1 / 2), "one of two rows of length 3 is right", hint)
