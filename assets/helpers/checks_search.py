"""Self-check of notebook 7: beam search."""

import numpy as np
from helpers.checks import self_check


def _from_tree(tree, otherwise, seen):
    """Make a model from a dict of prefixes (start id left out) to probabilities; `seen` collects the questions."""

    def next_log_probs(tokens):
        seen.append([int(t) for t in tokens])
        if len(seen) > 400:
            raise RuntimeError("asked for the 401st time: the loop does not stop")
        with np.errstate(divide="ignore"):
            return np.log(np.array(tree.get(tuple(seen[-1][1:]), otherwise), dtype=float))

    return next_log_probs


@self_check("beam_search")
def check_beam_search(report, beam_search):
    """Check one beam, two beams, the place of ended hypotheses, the final choice and the penalty."""
    seen = []

    def run(tree, otherwise, *args):
        seen.clear()
        result = report.call(beam_search, _from_tree(tree, otherwise, seen), 0, 1, *args)
        pair = isinstance(result, tuple | list) and len(result) == 2 and np.ndim(result[1]) == 0
        if not pair:
            report.expect(False, "it returns tokens and score", f"got {type(result).__name__}", stop=True)
        return [int(t) for t in result[0]], float(result[1])

    chain = {(): [0.1, 0.1, 0.6, 0.2], (2,): [0.0, 0.2, 0.1, 0.7], (2, 3): [0.1, 0.8, 0.1, 0.0]}
    got, score = run(chain, [0.25] * 4, 1, 6)
    report.expect(seen[0] == [0], "the first question is [start_id]", f"got {seen[0]}", stop=True)
    length = len(seen[1]) if len(seen) > 1 else 2
    hint = {1: "only the last token was given", 2: "the whole list, start id first"}.get(
        length, "it is too long: make a new list for each candidate, append changes the hypothesis itself"
    )
    report.expect(seen[1:2] == [[0, 2]], "the second question is the list so far", hint, stop=True)
    if got[-1:] == [1]:
        hint = "the end id is kept; leave it out"
    elif got[:1] == [0]:
        hint = "the start id is kept; leave it out"
    elif len(seen) > 3:
        hint = "it went on after the end id"
    else:
        hint = "take the likeliest id at each step"
    report.expect(got == [2, 3] and len(seen) == 3, "one beam is greedy and stops at the end id", hint, stop=True)
    hint = "add logarithms, the end id's too"
    if np.isclose(score, np.log(0.42)):
        hint = "the end id's log probability is missing from the score"
    elif np.isclose(score, 0.336) or score > 0:
        hint = "this is no sum of log probabilities: probabilities multiplied, or logarithms multiplied?"
    elif np.isclose(score, np.log(0.336) / 3):
        hint = "divided by the length; with alpha=0 the score is the plain sum"
    report.expect(np.isclose(score, np.log(0.336)), "its score is ln 0.6 + ln 0.7 + ln 0.8", hint, stop=True)
    got, score = run({}, [0.1, 0.05, 0.8, 0.05], 1, 4)
    hint = f"max_length=4 allows 4 steps, yours made {len(seen)}"
    if got == []:
        hint = "unfinished hypotheses are lost; they compete in the end"
    report.expect(got == [2] * 4 and len(seen) == 4, "it stops after max_length steps, unfinished", hint, stop=True)
    trap = {(): [0.0, 0.1, 0.5, 0.4], (2,): [0.0, 0.3, 0.35, 0.35], (3,): [0.0, 0.9, 0.05, 0.05]}
    got, score = run(trap, [0.0, 1.0, 0.0, 0.0], 2, 5)
    hint = "keep the best by their total sum"
    if [0, 3] not in seen:
        hint = "beam_size has no influence: keep several hypotheses"
    elif score < np.log(0.2):
        hint = "an ended hypothesis is lost: it keeps its place in the beam until better ones push it out"
    report.expect(got == [3] and np.isclose(score, np.log(0.36)), "two beams find the better sentence", hint, stop=True)
    early = {(): [0.0, 0.4, 0.55, 0.05]}
    got, _ = run(early, [0.0, 0.05, 0.9, 0.05], 2, 3)
    hint = "the first ended hypothesis wins too soon, or unfinished ones are lost: all compete after the last step"
    report.expect(got == [2, 2, 2], "an unfinished hypothesis of 0.45 beats an ended one of 0.4", hint, stop=True)
    got, _ = run(early, [0.0, 0.05, 0.9, 0.05], 2, 5)
    hint = "an ended hypothesis keeps its place in the beam until it is pushed out"
    report.expect(got == [], "an ended hypothesis of 0.4 beats an unfinished one of 0.36", hint, stop=True)
    report.expect(
        all(1 not in tokens[1:] for tokens in seen),
        "ended hypotheses are not continued",
        "the end id ends it",
        stop=True,
    )
    narrow = {(): [0.0, 0.5, 0.3, 0.2], (2,): [0.0, 0.4, 0.3, 0.3], (3,): [0.0, 0.0, 1.0, 0.0]}
    got, _ = run(narrow, [0.0, 1.0, 0.0, 0.0], 2, 4, 4.0)
    hint = "an ended hypothesis takes a place of the beam; yours leaves the place to others"
    report.expect(got == [], "ended hypotheses take a place", hint, stop=True)
    long = {(): [0.0, 0.5, 0.5, 0.0], (2,): [0.0, 0.0, 0.9, 0.1], (2, 2): [0.0, 1.0, 0.0, 0.0]}
    got, score = run(long, [0.0, 1.0, 0.0, 0.0], 2, 6, 1.0)
    if got == [] and np.isclose(score, np.log(0.5)):
        hint = "the penalty is ignored, or you multiply by it: the sign of the penalty; divide"
    elif np.isclose(score, np.log(0.45) / (7 / 6)):
        hint = "n counts the end id as well"
    elif np.isclose(score, np.log(0.45) / (9 / 6)):
        hint = "n leaves the start id out"
    elif got == []:
        hint = "divide by the penalty, do not multiply"
    else:
        hint = "divide by ((5 + n) / 6) ** alpha"
    right = got == [2, 2] and np.isclose(score, np.log(0.45) / (8 / 6))
    report.expect(right, "with alpha=1 the longer sentence wins, n = 3", hint, stop=True)
    late = {(): [0.0, 0.3, 0.4, 0.299], (2,): [0.0, 0.0, 0.55, 0.45], (2, 3): [0.0, 1.0, 0.0, 0.0]}
    got, _ = run(late, [0.4, 0.2, 0.2, 0.2], 2, 4, 4.0)
    hint = "yours prunes by score: the penalty has a say only in the final choice"
    report.expect(got == [2, 2, 0, 0], "pruning compares raw sums", hint)
