"""Self-check of notebook 7: beam search."""

import itertools
import math

import numpy as np
from helpers.beam_slips import BEAM_CASES, BEAM_SLIPS, hashed_model
from helpers.checks import self_check
from helpers.observed import Observed, observed


def _from_tree(tree, otherwise, seen):
    """Make a model from a dict of prefixes (start id left out) to probabilities; `seen` collects the lists it gets."""
    times = itertools.count(1)

    def next_log_probs(tokens):
        tokens = [int(t) for t in tokens]
        seen.extend([tokens] if tokens not in seen else [])
        if next(times) > 400:
            raise RuntimeError("asked for the 401st time: the loop does not stop")
        with np.errstate(divide="ignore"):
            return np.log(np.array(tree.get(tuple(tokens[1:]), otherwise), dtype=float))

    return next_log_probs


_CHAIN = {(): [0.1, 0.1, 0.6, 0.2], (2,): [0.0, 0.2, 0.1, 0.7], (2, 3): [0.1, 0.8, 0.1, 0.0]}
_TRAP = {(): [0.0, 0.1, 0.5, 0.4], (2,): [0.0, 0.3, 0.35, 0.35], (3,): [0.0, 0.9, 0.05, 0.05]}
_NARROW = {(): [0.0, 0.5, 0.3, 0.2], (2,): [0.0, 0.4, 0.3, 0.3], (3,): [0.0, 0.0, 1.0, 0.0]}
_LONG = {(): [0.0, 0.5, 0.5, 0.0], (2,): [0.0, 0.0, 0.9, 0.1], (2, 2): [0.0, 1.0, 0.0, 0.0]}
_LATE = {(): [0.0, 0.3, 0.4, 0.299], (2,): [0.0, 0.0, 0.55, 0.45], (2, 3): [0.0, 1.0, 0.0, 0.0]}
_ENDS, _ON = [0.0, 1.0, 0.0, 0.0], [0.0, 0.05, 0.9, 0.05]
#: Property, model (a tree and what follows elsewhere), beam size, steps, alpha; then what is right.
_CASES = (
    ("one beam is greedy, stops at the end id and leaves it out", _CHAIN, [0.25] * 4, 1, 6, 0.0, [2, 3], -1.09064412),
    ("it stops after max_length steps, unfinished", {}, [0.1, 0.05, 0.8, 0.05], 1, 4, 0.0, [2, 2, 2, 2], -0.892574205),
    ("two beams find the better sentence", _TRAP, _ENDS, 2, 5, 0.0, [3], -1.02165125),
    (
        "an unfinished hypothesis of 0.45 beats an ended one of 0.4",
        {(): [0.0, 0.4, 0.55, 0.05]},
        _ON,
        2,
        3,
        0.0,
        [2, 2, 2],
        -0.808558032,
    ),
    (
        "an ended hypothesis of 0.4 beats an unfinished one of 0.36",
        {(): [0.0, 0.4, 0.55, 0.05]},
        _ON,
        2,
        5,
        0.0,
        [],
        -0.916290732,
    ),
    ("ended hypotheses take a place", _NARROW, _ENDS, 2, 4, 4.0, [], -0.693147181),
    ("with alpha=1 the longer sentence wins, n = 3", _LONG, _ENDS, 2, 6, 1.0, [2, 2], -0.598880772),
    ("pruning compares raw sums", _LATE, [0.4, 0.2, 0.2, 0.2], 2, 4, 4.0, [2, 2, 0, 0], -0.66107836),
)


@self_check("beam_search")
def check_beam_search(report, beam_search):
    """Check one beam, two beams, the place of ended hypotheses, the final choice and the penalty."""
    seen = []

    def run(model, *args, start=0):
        result = report.call(beam_search, model, start, 1, *args)
        pair = isinstance(result, tuple | list) and len(result) == 2 and np.ndim(result[1]) == 0
        if not pair:
            kind = Observed(f"Yours is {type(result).__name__}")
            report.expect(False, "it returns tokens and score", kind, stop=True)
        return [int(t) for t in result[0]], float(result[1])

    def why(got, right, question):
        """Name the slip that returns the same as the student's function in all cases, or say what it returns."""
        try:
            found = [beam_search(hashed_model(seed), 0, 1, *args) for seed, *args in BEAM_CASES]
            found = np.array([(len(tokens), score) for tokens, score in found])
            fitting = [text for text, results in BEAM_SLIPS.items() if np.allclose(found, results, rtol=1e-4)]
        except Exception:  # it raises in one of these cases: then none is known
            fitting = []
        if len(fitting) == 1:
            return fitting[0]
        if got[0] == right[0][:-1]:
            question = "Is the last id of an unfinished sentence the end id?"
        elif got[0] != right[0] and np.isclose(got[1], right[1]):
            question = "The score is right. Which of the ids belong to the result, and which do you leave out or add?"
        elif got[0] == right[0]:
            question = "The ids are right. What is the sum of their log probabilities, and the penalty?"
        told = f"Your function returns {got[0]} with the score {got[1]:.4g}, and {right[0]} with {right[1]:.4g} is "
        return Observed(f"{told}expected. {question}")

    got, score = run(_from_tree(_CHAIN, [0.25] * 4, seen), 1, 6)
    first = observed(seen[0] if seen else None, [0], "What is known before the first id?")
    report.expect(seen[:1] == [[0]], "the first question is [start_id]", first, stop=True)
    right = [2, 3], math.log(0.6 * 0.7 * 0.8)
    length = len(seen[1]) if len(seen) > 1 else 2
    if seen[1:2] != [[0, 2]]:
        second = seen[1] if len(seen) > 1 else "missing"
        asked = f"It is {second}, and [0, 2] is expected, since 2 has 0.6. Which id has the "
        hint = why((got, score), right, "Which id is the likeliest?") if length == 2 else Observed()
        hint = Observed(f"{asked}largest log probability?") if isinstance(hint, Observed) else hint
        if second == [2]:
            hint = "only the last token was given; the model needs the whole list, start id first"
        elif second == [0, 0, 1, 2, 3]:  # all four ids after the start id
            hint = "it is too long: make a new list for each candidate, append changes the hypothesis itself"
        report.expect(False, "the second question is the list so far", hint, stop=True)
    hint = "it went on, with others, after its one hypothesis had ended: an ended one takes up a place in the beam"
    if any(1 in tokens[1:] for tokens in seen):
        hint = "it went on after the end id"
    if got[:1] == [0]:
        hint = "the start id is kept; leave it out"
    if got[:1] == [0] or len(seen) > 3:
        report.expect(False, "one beam is greedy, stops at the end id and leaves it out", hint, stop=True)
    products = np.prod([0.6, 0.7, 0.8]), abs(np.prod(np.log([0.6, 0.7, 0.8])))
    if score > 0 or np.isclose(abs(score), products).any():
        hint = observed(score, right[1], "Which three numbers do you add up?")
        if np.isclose(score, -right[1]):
            hint = "its sign is reversed: a sum of logarithms of probabilities is below 0"
        elif np.isclose(abs(score), products).any():
            hint = "this is no sum of log probabilities: probabilities multiplied, or logarithms multiplied?"
        report.expect(False, "its score is ln 0.6 + ln 0.7 + ln 0.8", hint, stop=True)
    for line, tree, otherwise, *args, tokens, total in _CASES:
        seen.clear()
        model = _from_tree(tree, otherwise, seen)
        got, right = run(model, *args), (tokens, total)
        asked = "Which hypotheses are in the beam after each step, and what are their sums?"
        continued = any(1 in tokens[1:] for tokens in seen)
        if continued:
            hint = why(got, right, asked)
            hint = "it went on after the end id" if isinstance(hint, Observed) else hint
            report.expect(False, "ended hypotheses are not continued", hint, stop=True)
        fits = got[0] == right[0] and np.isclose(got[1], right[1])
        report.expect(fits, line, "" if fits else why(got, right, asked), stop=True)
    model = _from_tree({(): [0.1, 0.1, 0.7, 0.1], (2,): [0.0, 0.8, 0.1, 0.1]}, [0.25] * 4, [])
    tokens, score = run(model, 1, 3, start=1)
    hint = Observed(f"Your function returns {tokens} with the score {score:.4g}. Does the start id end a hypothesis?")
    if tokens == [] and score == 0:
        hint = "the first id ends nothing: look for the end id among the generated ids only"
    right = tokens == [2] and np.isclose(score, np.log(0.7 * 0.8))
    report.expect(right, "one id may be the start and the end", hint)
