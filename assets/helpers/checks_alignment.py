"""Self-check of notebook 2: the score of an alignment."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_slip, observed, quietly

#: What known mistakes return in `_CASES` and in eight random ones; tests/unit/test_held_additive.py makes them anew.
_SLIPS = {
    "this is the number of hits; divide it": (3, 2, 1, 2, 2, 2, 0, 2, 0, 3, 2, 1, 0, 1),
    "a share from 0 to 1, not percent": (75, 100, 100, 66.666667, 66.666667, 66.666667, 0, 50, 0, 75, 50, 25, 0, 25),
    "rows are target positions: along which axis do the candidates for one of them lie?":
        (0.666667, 0.5, 1, 0.5, 1, 0, 0.25, 0.5, 0.5, 0.5, 0.5, 0, 0.25, 0.5),
    "a row is right or wrong; do not add up weights":
        (0.5, 0.9, 0.4, 0.5, 0.633333, 0.5, 0.65, 0.95, 0.775, 0.925, 0.9, 0.675, 0.65, 0.675),
    "the smallest weight of each row was taken":
        (0.25, 0.5, 0, 0.666667, 0.333333, 0.333333, 0.25, 0.25, 0.5, 0.25, 0.25, 0.5, 0.5, 0.25),
    "no row is ever right: is there one position for each row, and is it *in* its set?": (0,) * 14,
    "position 0 is a position, and yours takes the set {0} for an empty one":
        (1, 1, 0, 0, 0.5, 0.5, 0, 0.333333, 0, 0.75, 0.5, 0.333333, 0, 0.25),
    "you compare with the whole set; one element of the set suffices":
        (0.75, 0.5, 1, 0.666667, 0.666667, 0.666667, 0, 0.25, 0, 0.25, 0, 0, 0, 0),
    "you compare with the smallest element alone; one element of the set suffices":
        (0.75, 0.5, 1, 0.666667, 0.666667, 0.666667, 0, 0.25, 0, 0.5, 0.25, 0.25, 0, 0.25),
    "you divide by the number of right positions; divide by the number of rows":
        (0.75, 0.666667, 1, 0.666667, 0.666667, 0.666667, 0, 0.285714, 0, 0.428571, 0.285714, 0.142857, 0, 0.142857),
    "the largest weight counts however small it is; yours has to be above one half":
        (0.75, 1, 0, 0, 0.666667, 0.666667, 0.25, 0.75, 0.5, 1, 0.75, 0.25, 0.25, 0.25),
    "of equal weights yours takes the last; take the first":
        (0.75, 1, 1, 0.333333, 0.666667, 0.666667, 0.25, 0, 0, 0.75, 0.25, 0.25, 0, 0.25),
    "of equal weights yours takes all; take the first":
        (0.75, 1, 1, 1, 0.666667, 0.666667, 0.25, 0.5, 0, 0.75, 0.5, 0.25, 0, 0.25),
    "rows with an empty set were counted as wrong":
        (0.75, 1, 1, 0.666667, 0.5, 0.4, 0, 0.333333, 0, 0.5, 0.333333, 0.166667, 0, 0.166667),
    "rows with an empty set were counted as right":
        (0.75, 1, 1, 0.666667, 0.75, 0.8, 0.333333, 0.666667, 0.333333, 0.833333, 0.666667, 0.5, 0.333333, 0.5),
    "after an empty set yours compares each row with the next set; compare it with its own set":
        (0.75, 1, 1, 0.666667, 1, 0.333333, 0, 0.25, 0.5, 0.75, 0.5, 0.5, 0.25, 0.5),
    "yours stops at the first empty set; leave that row out and go on":
        (0.75, 1, 1, 0.666667, 1, 0, 0, 0.5, 0, 1, 0.5, 0, 0, 0.5),
}  # fmt: skip
#: What the share is by columns, in four square arrays.
_BY_COLUMNS = (0, 0, 0.4, 0.2)
#: Property, weights, gold sets, and the share.
_CASES = (
    ("three of four positions right give 0.75",
     [[0.6, 0.3, 0.1], [0.2, 0.1, 0.7], [0.1, 0.5, 0.4], [0.1, 0.3, 0.6]], [{0}, {2}, {0}, {2}], 0.75),
    ("one of several right positions is enough", [[0.2, 0.8]] * 2, [{0, 1}, {1}], 1),
    ("the largest weight counts", [[0.4, 0.3, 0.3]], [{0}], 1),
    ("of equal weights the first counts", [[0.5, 0.5]] * 3, [{0}, {1}, {0}], 2 / 3),
    ("positions with an empty set are left out",
     [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.7, 0.3]], [{0}, set(), {1}, {1}], 2 / 3),
    ("several empty sets are left out", [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.8, 0.2], [0.6, 0.4]],
     [{1}, set(), {1}, set(), {0}], 2 / 3),
)  # fmt: skip


def _random_cases():
    rng, cases = np.random.default_rng(1), []
    for _ in range(8):
        sets = [set(rng.permutation(5)[:n].tolist()) for n in (1, 2, 0, 3, 1, 0)]
        cases.append((rng.integers(1, 9, size=(6, 5)) / 10, sets))
    return cases


def _takes_columns(alignment_accuracy):
    """Return whether an answer takes the largest weight of each column, in four square arrays."""
    rng = np.random.default_rng(2)
    cases = [(rng.random((5, 5)), [{int(n)} for n in rng.integers(0, 5, size=5)]) for _ in range(4)]
    got = [quietly(alignment_accuracy, *case) for case in cases]
    return all(
        np.shape(one) == () and one is not None and agree(one, n) for one, n in zip(got, _BY_COLUMNS, strict=True)
    )


@self_check("alignment_accuracy")
def check_alignment_accuracy(report, alignment_accuracy):
    """Check small cases, each of which one mistake gets wrong."""
    rows = "rows are target positions: along which axis do the candidates for one of them lie?"
    try:
        alignment_accuracy(np.array(_CASES[0][1]), [{0}, {2}, {0}, {2}])
    except IndexError:  # three columns, four rows; with as many columns as rows it may run
        if _takes_columns(alignment_accuracy):
            report.expect(False, "there is a largest weight for each of the four rows", rows, stop=True)
    except Exception:  # report.call says it
        pass

    def why(want, weights, gold):
        """Name the slip that returns the same in all cases, or say what came."""
        cases = [(np.array(w), g) for _, w, g, _ in _CASES] + _random_cases()
        asked = f"With the sets {gold}, which of these {len(weights)} rows are right?"
        slips = {text: results.__getitem__ for text, results in _SLIPS.items()}
        try:
            results = [float(alignment_accuracy(*case)) for case in cases]
            named = name_slip(results, [(number,) for number in range(len(cases))], slips)
        except Exception:  # in one of these cases
            named = ""
        return named or observed(float(got), want, asked)

    for line, weights, gold, want in _CASES:
        got = call_explained(report, alignment_accuracy, np.array(weights), gold, on=f"weights {np.shape(weights)}",
                             expected="Which axis are the target positions?")  # fmt: skip
        if not report.held or np.shape(got):
            kind = Observed(f"Yours is {type(got).__name__}")
            report.expect(np.shape(got) == (), "it returns one number", kind, stop=True)
        report.expect(agree(got, want), line, "" if agree(got, want) else why(want, weights, gold), stop=True)
