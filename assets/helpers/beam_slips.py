"""Beam search with the usual mistakes, to hold an answer of notebook 7 against; the start id is 0, the end id 1."""

import numpy as np

#: What is said of each mistake that `slipped_search` can make.
BEAM_SLIPS = {
    "ascending": "the smallest sums are kept: sort in the other direction",
    "keeps_end": "the end id is kept; leave it out",
    "end_not_scored": "the end id's log probability is missing from the score",
    "go_on": "it went on after the end id: an ended hypothesis only keeps its place",
    "make_room": "as many others as before go on: an ended hypothesis takes up a place in the beam",
    "set_aside": "an ended hypothesis is set aside, which frees its place: it should keep its place in the beam",
    "dropped": "an ended hypothesis is lost: it keeps its place in the beam until better ones push it out",
    "first_ended": "the first ended hypothesis wins too soon: all compete after the last step",
    "filled": "it stops too soon, when enough have ended, in the beam or not: all compete after the last step",
    "by_mean": "yours is the mean of the log probabilities; with alpha=0 the score is their sum",
    "unfinished_lost": "unfinished hypotheses are lost: all compete after the last step",
    "greedy": "beam_size has no influence: keep several hypotheses",
    "prune_by_score": "yours prunes by score: the penalty affects only the final choice",
    "no_penalty": "the penalty is ignored",
    "no_penalty_in_choice": "the largest raw sum wins: the final choice compares sums divided by the penalty",
    "raw_score": "the sum is returned undivided: the score is the sum divided by the penalty",
    "multiplied": "you multiply by the penalty; divide the sum by it",
    "by_length": "the penalty is a power of n itself: it is ((5 + n) / 6) ** alpha",
    "alpha_outside": "alpha multiplies the penalty: it is the power, ((5 + n) / 6) ** alpha",
    "end_not_counted": "n counts the end id as well",
    "start_counted": "n leaves the start id out",
    "one_step_less": "max_length counts steps; yours makes one less",
    "one_step_more": "max_length counts steps; yours makes one more",
}


def _score(tokens, total, alpha, slip):
    n = len(tokens) - 1
    n += (slip == "start_counted") - (slip == "end_not_counted" and tokens[-1] == 1)
    penalty = ((5 + n) / 6) ** alpha
    if slip == "by_mean":
        penalty *= max(n, 1)
    elif slip == "by_length":
        penalty = max(n, 1) ** alpha
    elif slip == "alpha_outside":
        penalty = alpha * (5 + n) / 6 if alpha else 1.0
    return total * penalty if slip == "multiplied" else total if slip == "no_penalty" else total / penalty


def _ended(tokens):
    return len(tokens) > 1 and tokens[-1] == 1


def slipped_search(model, size, limit, alpha=0.0, slip=""):
    """Search with beams, with one mistake or none.

    Args:
        model: Returns the log probabilities for a list of ids.
        size: Hypotheses kept.
        limit: Steps at most.
        alpha: Length penalty.
        slip: One of `BEAM_SLIPS`; an empty text for none.

    Returns:
        Ids and score.
    """
    beam, apart, closed, paid = [([0], 0.0)], [], set(), {(0,): 0.0}
    size = 1 if slip == "greedy" else size
    for _ in range(limit + (slip == "one_step_more") - (slip == "one_step_less")):
        grown = [h for h in beam if _ended(h[0]) and slip not in ("go_on", "dropped")]
        for tokens, total in beam:
            if slip == "go_on" or not _ended(tokens):
                grown += [([*tokens, i], total + p) for i, p in enumerate(model(tokens))]
                paid |= {(*tokens, i): total for i in range(len(model(tokens)))}
        if not grown:
            break
        pruned = alpha if slip == "prune_by_score" else 0.0
        grown.sort(key=lambda h: _score(*h, pruned, ""), reverse=slip != "ascending")
        closed |= {tuple(h[0]) for h in grown if _ended(h[0])}
        if slip == "make_room":
            apart += [h for h in grown[:size] if _ended(h[0])]
            grown = [h for h in grown if not _ended(h[0])]
        beam = grown[:size]
        if slip == "set_aside":
            apart, beam = apart + [h for h in beam if _ended(h[0])], [h for h in beam if not _ended(h[0])]
        first = [h for h in beam if _ended(h[0])]
        if (slip == "first_ended" and first) or (slip == "filled" and len(closed) >= size):
            beam = first[:1] if slip == "first_ended" else beam
            break
    left = apart + beam
    if slip == "unfinished_lost":
        left = [h for h in left if _ended(h[0])]
    if not left:
        return [], -np.inf
    compared = "no_penalty" if slip == "no_penalty_in_choice" else slip
    tokens, total = max(left, key=lambda h: _score(*h, alpha, compared))
    total = paid[tuple(tokens)] if slip == "end_not_scored" and _ended(tokens) else total
    paid_out = "no_penalty" if slip == "raw_score" else slip
    return [t for t in tokens[1:] if t != 1 or slip == "keeps_end"], _score(tokens, total, alpha, paid_out)
