"""Self-check of notebook 2: the score of an alignment."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_slip, observed, quietly


def _share(hits):
    return float(np.mean(hits)) if len(hits) else 0.0


def _rows(weights, gold, best=None):
    """Return the pairs of a chosen position and a set that is not empty."""
    return [(j, g) for j, g in zip(weights.argmax(-1) if best is None else best, gold, strict=False) if g]


#: What known mistakes return.
_SLIPS = {
    "this is the number of hits; divide it": lambda w, gold: float(sum(j in g for j, g in _rows(w, gold))),
    "a share from 0 to 1, not percent": lambda w, gold: 100 * _share([j in g for j, g in _rows(w, gold)]),
    "rows are target positions: along which axis do the candidates for one of them lie?": lambda w, gold: _share(
        [j in g for j, g in _rows(w, gold, w.argmax(0))]
    ),
    "a row is right or wrong; do not add up weights": lambda w, gold: _share(
        [sum(row[j] for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "the smallest weight of each row was taken": lambda w, gold: _share(
        [j in g for j, g in _rows(w, gold, w.argmin(-1))]
    ),
    "no row is ever right: is there one position for each row, and is it *in* its set?": lambda w, gold: 0.0,
    "position 0 is a position, and yours takes the set {0} for an empty one": lambda w, gold: _share(
        [j in g for j, g in _rows(w, gold) if any(g)]
    ),
    "you compare with the whole set; one element of the set suffices": lambda w, gold: _share(
        [{j} == g for j, g in _rows(w, gold)]
    ),
    "you compare with the smallest element alone; one element of the set suffices": lambda w, gold: _share(
        [j == min(g) for j, g in _rows(w, gold)]
    ),
    "you divide by the number of right positions; divide by the number of rows": lambda w, gold: (
        sum(j in g for j, g in _rows(w, gold)) / sum(map(len, gold))
    ),
    "the largest weight counts however small it is; yours has to be above one half": lambda w, gold: _share(
        [any(row[j] > 0.5 for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "of equal weights yours takes the last; take the first": lambda w, gold: _share(
        [j in g for j, g in _rows(w, gold, w.shape[1] - 1 - w[:, ::-1].argmax(-1))]
    ),
    "of equal weights yours takes all; take the first": lambda w, gold: _share(
        [any(row[j] == row.max() for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "rows with an empty set were counted as wrong": lambda w, gold: _share(
        [j in g for j, g in zip(w.argmax(-1), gold, strict=True)]
    ),
    "rows with an empty set were counted as right": lambda w, gold: _share(
        [not g or j in g for j, g in zip(w.argmax(-1), gold, strict=True)]
    ),
    "after an empty set yours compares each row with the next set; compare it with its own set": lambda w, gold: _share(
        [j in g for j, g in zip(w.argmax(-1), [g for g in gold if g], strict=False)]
    ),
    "yours stops at the first empty set; leave that row out and go on": lambda w, gold: _share(
        [j in g for j, g in zip(w.argmax(-1), gold[: [*gold, set()].index(set())], strict=False)]
    ),
}
#: Property, weights and gold sets.
_CASES = (
    ("three of four positions right give 0.75",
     [[0.6, 0.3, 0.1], [0.2, 0.1, 0.7], [0.1, 0.5, 0.4], [0.1, 0.3, 0.6]], [{0}, {2}, {0}, {2}]),
    ("one of several right positions is enough", [[0.2, 0.8]] * 2, [{0, 1}, {1}]),
    ("the largest weight counts", [[0.4, 0.3, 0.3]], [{0}]),
    ("of equal weights the first counts", [[0.5, 0.5]] * 3, [{0}, {1}, {0}]),
    ("positions with an empty set are left out",
     [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.7, 0.3]], [{0}, set(), {1}, {1}]),
    ("several empty sets are left out", [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.8, 0.2], [0.6, 0.4]],
     [{1}, set(), {1}, set(), {0}]),
)  # fmt: skip


def _takes_columns(alignment_accuracy):
    """Return whether an answer takes the largest weight of each column, in four square arrays."""
    rng = np.random.default_rng(2)
    cases = [(rng.random((5, 5)), [{int(n)} for n in rng.integers(0, 5, size=5)]) for _ in range(4)]
    wanted = [_share([j in g for j, g in _rows(w, gold, w.argmax(0))]) for w, gold in cases]
    got = [quietly(alignment_accuracy, *case) for case in cases]
    return all(np.shape(one) == () and one is not None and agree(one, n) for one, n in zip(got, wanted, strict=True))


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
        cases = [(np.array(w), g) for _, w, g in _CASES]
        rng = np.random.default_rng(1)
        for _ in range(8):
            sets = [set(rng.permutation(5)[:n].tolist()) for n in (1, 2, 0, 3, 1, 0)]
            cases.append((rng.integers(1, 9, size=(6, 5)) / 10, sets))
        asked = f"With the sets {gold}, which of these {len(weights)} rows are right?"
        try:
            named = name_slip([float(alignment_accuracy(*case)) for case in cases], cases, _SLIPS)
        except Exception:  # in one of these cases
            named = ""
        return named or observed(float(got), want, asked)

    for line, weights, gold in _CASES:
        got = call_explained(report, alignment_accuracy, np.array(weights), gold, on=f"weights {np.shape(weights)}",
                             expected="Which axis are the target positions?")  # fmt: skip
        if not report.held or np.shape(got):
            kind = Observed(f"Yours is {type(got).__name__}")
            report.expect(np.shape(got) == (), "it returns one number", kind, stop=True)
        want = _share([j in g for j, g in _rows(np.array(weights), gold)])
        report.expect(agree(got, want), line, "" if agree(got, want) else why(want, weights, gold), stop=True)
