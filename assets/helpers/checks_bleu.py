"""Self-check of notebook 7: BLEU of a corpus."""

import copy
from collections import Counter
from functools import partial

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_tried, observed


def _clipped(ours, theirs):
    return (ours & theirs).total(), ours.total()


def _brevity(lengths):
    c, r = lengths.sum(axis=0)
    return min(1.0, np.exp(1 - r / c))


def _slipped_bleu(candidates, references, max_n=4, count=_clipped, mean=None, penalty=_brevity, bag=False, more=0):
    """Compute BLEU with another count, mean or penalty, with all references together, or with one n more."""
    shares = []
    for n in range(1, max_n + more + 1):
        ours, theirs = ([Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)) for tokens in corpus]
                        for corpus in (candidates, references))  # fmt: skip
        if bag:
            ours, theirs = [sum(ours, Counter())], [sum(theirs, Counter())]
        hits, total = np.sum([count(*pair) for pair in zip(ours, theirs, strict=True)], axis=0)
        shares.append(hits / total if total else 0.0)
    lengths = np.array([(len(c), len(r)) for c, r in zip(candidates, references, strict=True)])
    shares = np.array(shares)
    return float((mean(shares) if mean else np.prod(shares) ** (1 / len(shares))) * penalty(lengths))


def _by_sentence(candidates, references, max_n=4):
    """Return the mean of the sentences' own values."""
    return np.mean([_slipped_bleu([c], [r], max_n) for c, r in zip(candidates, references, strict=True)])


def _corpora(*extras):
    """Return for each number a corpus whose candidates are longer by that, by twice and by three times that."""
    rng = np.random.default_rng(4)
    return [([rng.integers(0, 3, size=5 + n + extra * (1 + n)).tolist() for n in range(3)],
             [rng.integers(0, 3, size=5 + n).tolist() for n in range(3)]) for extra in extras]  # fmt: skip


def _slip(**changes):
    return partial(_slipped_bleu, **changes)


def _penalised(of):
    """Return BLEU with another penalty, a function of the lengths of all candidates and of all references."""
    return _slip(penalty=lambda lengths: of(*lengths.sum(axis=0)))


@self_check("bleu")
def check_bleu(report, bleu):
    """Check clipping, the mean over n, the sums over the corpus, the brevity penalty and the zeros, by hand."""

    def score(candidates, references, *max_n):
        given = copy.deepcopy((candidates, references))
        result = report.call(bleu, candidates, references, *max_n)
        value = np.asarray(result)
        if value.ndim or value.dtype.kind not in "iuf":
            report.expect(False, "it returns one number", Observed(f"Yours is {type(result).__name__}"), stop=True)
        hint = "work on copies of the lists"
        if given != (candidates, references):
            report.expect(False, "the sentences that it gets stay as they are", hint, stop=True)
        return float(value)

    def compare(line, candidates, references, max_n, right, slips, others=(0, 0)):
        got = score(candidates, references, max_n)
        cases = [(candidates, references, max_n), *((*corpus, max_n) for corpus in _corpora(*others))]
        asked = "What are the numerator and the denominator of each factor here?"
        fits = np.isclose(got, right)
        report.expect(fits, line, "" if fits else name_tried(bleu, cases, slips, right, asked), stop=True)

    line = "a word counts at most as often as in its reference: 3 of 5"
    compare(line, [["so", "so", "so", "far", "bad"]], [["so", "far", "so", "good", "yet"]], 1, 3 / 5, {
        "the counts are not clipped": _slip(count=lambda a, b: (sum(a[g] for g in a if g in b), a.total())),
        "the result lies between 0 and 1, not between 0 and 100": _slip(
            penalty=lambda lengths: 100 * _brevity(lengths)),
        "count every occurrence of a word, not only the different words": _slip(
            count=lambda a, b: (len({*a} & {*b}), len(a))),
        "a repeated word counts up to as often as its reference has it, not only once": _slip(
            count=lambda a, b: (len({*a} & {*b}), a.total())),
        "one n too many is taken: n runs from 1 to max_n": _slip(more=1),
    })  # fmt: skip
    line = "the geometric mean of 3/4 and 2/3"
    compare(line, [["a", "b", "c", "d"]], [["a", "b", "c", "x"]], 2, (3 / 4 * 2 / 3) ** 0.5, {
        "yours is the arithmetic mean over n": _slip(mean=np.mean),
        "the root is missing: take the product to the power 1 / max_n": _slip(mean=np.prod),
        "only the largest n counts in yours: take all n from 1 on": _slip(mean=lambda shares: shares[-1]),
        "only single words count in yours: take all n up to max_n": _slip(mean=lambda shares: shares[0]),
        "yours is the harmonic mean over n": _slip(mean=lambda shares: len(shares) / np.sum(1 / shares)),
        "max_n itself is left out, or one n too many is taken": _slip(more=1),
    })  # fmt: skip
    line = "hits and words are summed over all sentences: 2 of 5"
    compare(line, [["a"], ["b", "c", "d", "e"]], [["a"], ["b", "x", "y", "z"]], 1, 2 / 5, {
        "this is the mean of the sentences' own values; add up the counts of all sentences first": _by_sentence,
    })  # fmt: skip
    line = "each candidate is compared with its own reference"
    compare(line, [["a", "b"], ["c", "d"]], [["c", "b"], ["a", "d"]], 1, 1 / 2, {
        "a word counts only if its own sentence's reference has it": _slip(bag=True),
    })  # fmt: skip
    line = "three words for four: the penalty is exp(1 - 4 / 3)"
    compare(line, [["a", "b", "c"]], [["a", "b", "c", "d"]], 1, np.exp(-1 / 3), {
        "the brevity penalty is missing": _penalised(lambda c, r: 1.0),
        "divide by the words of the candidate, not by those of the reference": _slip(
            count=lambda a, b: ((a & b).total(), b.total())),
        "the penalty is exp(1 - r / c), not c / r": _penalised(lambda c, r: min(1, c / r)),
        "r and c are swapped in the penalty": (_penalised(lambda c, r: np.exp(1 - c / r)),
                                               _penalised(lambda c, r: 1 if c > r else np.exp(1 - c / r))),
        "the penalty is exp(1 - r / c), yours is exp(c - r)": _penalised(lambda c, r: min(1, np.exp(1.0 * c - r))),
    }, (-1, -1))  # fmt: skip
    line = "a candidate that is too long gets neither penalty nor reward"
    compare(line, [["a", "b", "c", "d"]], [["a", "b", "c"]], 1, 3 / 4, {
        "the factor grows above 1: take the smaller of 1 and exp(1 - r / c)": _penalised(
            lambda c, r: np.exp(1 - r / c)),
        "the penalty is for candidates that are too short; yours hits long ones as well": (
            _penalised(lambda c, r: np.exp(-abs(1 - r / c))), _penalised(lambda c, r: np.exp(1 - max(c / r, r / c)))),
    }, (1, 1))  # fmt: skip
    line = "the lengths of the penalty are summed over the corpus too"
    compare(line, [["a"], ["b", "c", "b"]], [["a", "b"], ["b", "c"]], 1, 3 / 4, {
        "a penalty for each sentence: compare the sums of all lengths": _slip(
            penalty=lambda lengths: np.exp(np.minimum(0, 1 - lengths[:, 1] / np.maximum(lengths[:, 0], 1)).sum())),
    }, (0, -1))  # fmt: skip
    zeros = {
        "no pair of words is a hit: 0.0": ([["a", "b"]], [["b", "a"]], 2),
        "no candidate has three words: 0.0 for max_n=3": ([["a", "b"]], [["a", "b"]], 3),
        "no candidate token: 0.0": ([[]], [["a"]], 1),
    }
    for line, case in zeros.items():
        got = score(*case)
        hint = observed(got, 0.0, "Which logarithm or division has to be left out here?")
        report.expect(got == 0, line, hint, stop=True)
    got = score([["ab", "c"]], [["c", "a", "bc", "ab"]], 2)
    hint = "an n-gram is a tuple of tokens: glued to one text, 'ab', 'c' and 'a', 'bc' are the same"
    report.expect(got == 0, "'ab', 'c' is another pair than 'a', 'bc'", hint, stop=True)
    compare("ids are tokens too, and a short sentence beside a long one does no harm",
           [[7, 8], [9, 7, 8]], [[7, 8], [9, 7, 8]], 3, 1.0, {})  # fmt: skip
