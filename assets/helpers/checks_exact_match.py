"""Self-check of notebook 1: exact match by length."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors
from helpers.observed import Observed, observed, quietly

#: What known mistakes return on the seven rows, and on three draws of them (tests/unit/test_held_seq2seq.py).
_MISTAKES = {
    "that is token accuracy: one wrong token makes the whole row wrong": (
        {1: 0.5, 3: 0.666667, 4: 0.666667}, {1: 0.666667, 3: 1, 4: 0.75}, {3: 0.5, 4: 0.8},
        {1: 1, 3: 0.75, 4: 0.833333}),
    "it compares the padding too; only the first `length` positions count": (
        {1: 0, 3: 0, 4: 0}, {1: 0, 3: 0.5, 4: 0}, {3: 0, 4: 0.2}, {1: 0, 3: 0.5, 4: 0}),
    "it compares the padding next to a sentence; only the first `length` positions count: off by one": (
        {1: 0, 3: 0, 4: 0}, {1: 0, 3: 0.75, 4: 0}, {3: 0, 4: 0.2}, {1: 0.5, 3: 0.5, 4: 0}),
    "the last real position, the end mark, has to be right as well: off by one": (
        {1: 1, 3: 0.5, 4: 0.333333}, {1: 1, 3: 1, 4: 0}, {3: 0.5, 4: 0.6}, {1: 1, 3: 0.75, 4: 1}),
    "all positions have to be right, any is not enough": (
        {1: 0.5, 3: 1, 4: 1}, {1: 0.666667, 3: 1, 4: 1}, {3: 1, 4: 1}, {1: 1, 3: 1, 4: 1}),
    "a real id may be 0: take the real positions from `lengths`, not from the ids": (
        {1: 0.5, 3: 0.5, 4: 0.333333}, {1: 0.666667, 3: 1, 4: 1}, {3: 0, 4: 0.4}, {1: 1, 3: 0.5, 4: 0.333333}),
    "a real id may be 0: use the `lengths` handed in, do not count ids": (
        {1: 0.5, 3: 0.333333, 4: 0}, {1: 0.666667, 3: 0.666667}, {3: 0, 4: 0.4}, {1: 1, 3: 0.5, 4: 0.333333}),
    "it compares the padding and leaves the real positions out: inverted": (
        {1: 0.5, 3: 0.5, 4: 1}, {1: 0.333333, 3: 0.5, 4: 1}, {3: 0.5, 4: 0.8}, {1: 0, 3: 1, 4: 0.666667}),
    "it compares which words there are; their order counts as well": (
        {1: 0.5, 3: 1, 4: 0.333333}, {1: 0.666667, 3: 1, 4: 0}, {3: 0.25, 4: 0.4}, {1: 1, 3: 0.75, 4: 0.333333}),
    "a sentence that ends too early counts as right; compare all real positions of the target": (
        {1: 0.5, 3: 1, 4: 0}, {1: 0.666667, 3: 1, 4: 0}, {3: 0.25, 4: 0.4}, {1: 1, 3: 0.75, 4: 0.333333}),
    "rows that are longer count as well; each length averages its own rows": (
        {1: 0.714286, 3: 0.4, 4: 0}, {1: 0.888889, 3: 0.666667, 4: 0}, {3: 0.333333, 4: 0.4},
        {1: 1, 3: 0.714286, 4: 0.333333}),
    "that is a count: divide by the number of rows of this length": (
        {1: 1, 3: 1, 4: 0}, {1: 2, 3: 4, 4: 0}, {3: 0, 4: 2}, {1: 2, 3: 2, 4: 1}),
    "you divide by the number of all rows: each length averages its own rows": (
        {1: 0.142857, 3: 0.142857, 4: 0}, {1: 0.222222, 3: 0.444444, 4: 0}, {3: 0, 4: 0.222222},
        {1: 0.222222, 3: 0.222222, 4: 0.111111}),
    "these are percent": (
        {1: 50, 3: 50, 4: 0}, {1: 66.666667, 3: 100, 4: 0}, {3: 0, 4: 40}, {1: 100, 3: 50, 4: 33.333333}),
    "one key for each length that occurs; no others": (
        {1: 0.5, 2: 0, 3: 0.5, 4: 0}, {1: 0.666667, 2: 0, 3: 1, 4: 0}, {1: 0, 2: 0, 3: 0, 4: 0.4},
        {1: 1, 2: 0, 3: 0.5, 4: 0.333333}),
    "the keys are the lengths themselves": (
        {0: 0.5, 2: 0.5, 3: 0}, {0: 0.666667, 2: 1, 3: 0}, {2: 0, 3: 0.4}, {0: 1, 2: 0.5, 3: 0.333333}),
}  # fmt: skip
_RIGHT = {1: 0.5, 3: 0.5, 4: 0}


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

    def is_it(text, got, wrong):
        got = {int(k): float(v) for k, v in got.items()}
        extra = [got[n] for n in got.keys() - wrong.keys()]
        same = got.keys() >= wrong.keys() and np.allclose(np.nan_to_num([got[n] for n in wrong]), list(wrong.values()))
        return same and (not extra or ("no others" in text and not np.nan_to_num(extra).any()))

    tried = [got]  # three fractions are the same for many mistakes
    tried += [quietly(exact_match_by_length, *case) for case in _more_cases(predicted, target, lengths)]
    known = _MISTAKES if all(isinstance(result, dict) for result in tried) else {}
    hint = next((text for text, wrong in known.items() if all(map(is_it, [text] * 4, tried, wrong))), "")
    hint = hint or observed(got, _RIGHT, "Which rows have length 3, and which of these are right throughout?")
    report.expect(got.keys() == _RIGHT.keys(), "its keys are the lengths that occur", hint, stop=True)
    fine = all(0 <= value <= 1 for value in got.values())
    report.expect(fine, "its values are fractions from 0 to 1", hint, stop=True)
    short = "one of two rows of length 1 is right, whatever follows the real position"
    report.expect(got[1] == 0.5, short, hint, stop=True)
    report.expect(got[4] == 0, "none of three rows of length 4 is right, each has a wrong token", hint, stop=True)
    report.expect(np.isclose(got[3], 1 / 2), "one of two rows of length 3 is right", hint)
