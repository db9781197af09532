"""Self-check of notebook 7: BLEU of a corpus."""

import copy

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, observed


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

    def expect(got, right, line, mistakes):
        hint = name_mistake(got, mistakes, right, "What are the numerator and the denominator of each factor here?")
        report.expect(np.isclose(got, right), line, hint, stop=True)

    got = score([["so", "so", "so", "far", "bad"]], [["so", "far", "so", "good", "yet"]], 1)
    expect(got, 3 / 5, "a word counts at most as often as in its reference: 3 of 5", {
        "the counts are not clipped": 4 / 5,
        "the result lies between 0 and 1, not between 0 and 100": 60.0,
        "count every occurrence of a word, not only the different words": 2 / 3,
        "a repeated word counts up to as often as its reference has it, not only once": 2 / 5,
        "one n too many is taken: n runs from 1 to max_n": (3 / 5 * 1 / 4) ** 0.5,
    })  # fmt: skip
    got = score([["a", "b", "c", "d"]], [["a", "b", "c", "x"]], 2)
    expect(got, (3 / 4 * 2 / 3) ** 0.5, "the geometric mean of 3/4 and 2/3", {
        "yours is the arithmetic mean over n": (3 / 4 + 2 / 3) / 2,
        "the root is missing: take the product to the power 1 / max_n": 3 / 4 * 2 / 3,
        "only the largest n counts in yours: take all n from 1 on": 2 / 3,
        "only single words count in yours: take all n up to max_n": 3 / 4,
        "yours is the harmonic mean over n": 2 / (4 / 3 + 3 / 2),
        "max_n itself is left out, or one n too many is taken": (3 / 4 * 2 / 3 * 1 / 2) ** (1 / 3),
    })  # fmt: skip
    got = score([["a"], ["b", "c", "d", "e"]], [["a"], ["b", "x", "y", "z"]], 1)
    expect(got, 2 / 5, "hits and words are summed over all sentences: 2 of 5", {
        "this is the mean of the sentences' own values; add up the counts of all sentences first": (1 + 1 / 4) / 2,
    })  # fmt: skip
    got = score([["a", "b"], ["c", "d"]], [["c", "b"], ["a", "d"]], 1)
    expect(got, 1 / 2, "each candidate is compared with its own reference", {
        "a word counts only if its own sentence's reference has it": 1.0,
    })  # fmt: skip
    got = score([["a", "b", "c"]], [["a", "b", "c", "d"]], 1)
    expect(got, np.exp(-1 / 3), "three words for four: the penalty is exp(1 - 4 / 3)", {
        "the brevity penalty is missing": 1.0,
        "divide by the words of the candidate, not by those of the reference": 3 / 4 * np.exp(-1 / 3),
        "the penalty is exp(1 - r / c), not c / r": 3 / 4,
        "r and c are swapped in the penalty": np.exp(1 / 4),
        "the penalty is exp(1 - r / c), yours is exp(c - r)": np.exp(-1.0),
    })  # fmt: skip
    got = score([["a", "b", "c", "d"]], [["a", "b", "c"]], 1)
    expect(got, 3 / 4, "a candidate that is too long gets neither penalty nor reward", {
        "the factor grows above 1: take the smaller of 1 and exp(1 - r / c)": 3 / 4 * np.exp(1 / 4),
        "the penalty is for candidates that are too short, yours is for long ones": 3 / 4 * np.exp(-1 / 3),
    })  # fmt: skip
    got = score([["a"], ["b", "c", "b"]], [["a", "b"], ["b", "c"]], 1)
    expect(got, 3 / 4, "the lengths of the penalty are summed over the corpus too", {
        "a penalty for each sentence: compare the sums of all lengths": 3 / 4 * np.exp(-1),
    })  # fmt: skip
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
    got = score([[7, 8], [9, 7, 8]], [[7, 8], [9, 7, 8]], 3)
    expect(got, 1.0, "ids are tokens too, and a short sentence beside a long one does no harm", {})
