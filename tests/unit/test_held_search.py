"""The results that the self-check of beam search holds, made anew: by the right answer, and by each mistake."""

import numpy as np
import pytest
from helpers import beam_slips, checks_search

from tests.unit.held import answers, apart, same

#: The mistakes that `slipped_search` can make, in the order of the table.
SLIPS = (
    "ascending",
    "keeps_end",
    "end_not_scored",
    "go_on",
    "make_room",
    "set_aside",
    "dropped",
    "first_ended",
    "filled",
    "by_mean",
    "unfinished_lost",
    "greedy",
    "prune_by_score",
    "no_penalty",
    "no_penalty_in_choice",
    "raw_score",
    "multiplied",
    "by_length",
    "alpha_outside",
    "end_not_counted",
    "start_counted",
    "one_step_less",
    "one_step_more",
)


def score_of(tokens, total, alpha, slip):
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


def ended(tokens):
    return len(tokens) > 1 and tokens[-1] == 1


def slipped_search(model, size, limit, alpha=0.0, slip=""):
    """Search with beams from id 0 to id 1, with one mistake or none."""
    beam, apart, closed, paid = [([0], 0.0)], [], set(), {(0,): 0.0}
    size = 1 if slip == "greedy" else size
    for _ in range(limit + (slip == "one_step_more") - (slip == "one_step_less")):
        grown = [h for h in beam if ended(h[0]) and slip not in ("go_on", "dropped")]
        for tokens, total in beam:
            if slip == "go_on" or not ended(tokens):
                grown += [([*tokens, i], total + p) for i, p in enumerate(model(tokens))]
                paid |= {(*tokens, i): total for i in range(len(model(tokens)))}
        if not grown:
            break
        pruned = alpha if slip == "prune_by_score" else 0.0
        grown.sort(key=lambda h: score_of(*h, pruned, ""), reverse=slip != "ascending")
        closed |= {tuple(h[0]) for h in grown if ended(h[0])}
        if slip == "make_room":
            apart += [h for h in grown[:size] if ended(h[0])]
            grown = [h for h in grown if not ended(h[0])]
        beam = grown[:size]
        if slip == "set_aside":
            apart, beam = apart + [h for h in beam if ended(h[0])], [h for h in beam if not ended(h[0])]
        first = [h for h in beam if ended(h[0])]
        if (slip == "first_ended" and first) or (slip == "filled" and len(closed) >= size):
            beam = first[:1] if slip == "first_ended" else beam
            break
    left = apart + beam
    if slip == "unfinished_lost":
        left = [h for h in left if ended(h[0])]
    if not left:
        return [], -np.inf
    compared = "no_penalty" if slip == "no_penalty_in_choice" else slip
    tokens, total = max(left, key=lambda h: score_of(*h, alpha, compared))
    total = paid[tuple(tokens)] if slip == "end_not_scored" and ended(tokens) else total
    paid_out = "no_penalty" if slip == "raw_score" else slip
    return [t for t in tokens[1:] if t != 1 or slip == "keeps_end"], score_of(tokens, total, alpha, paid_out)


def results(slip):
    """Return how many ids a search with a mistake finds in the cases of the check, and their score."""
    found = [slipped_search(beam_slips.hashed_model(seed), *args, slip) for seed, *args in beam_slips.BEAM_CASES]
    return [(len(tokens), score) for tokens, score in found]


def right_results():
    search = answers("07")["beam_search"]
    found = [search(beam_slips.hashed_model(seed), 0, 1, *args) for seed, *args in beam_slips.BEAM_CASES]
    return [(len(tokens), score) for tokens, score in found]


@pytest.mark.parametrize("n", range(len(SLIPS)))
def test_results_of_mistakes(n):
    made = results(SLIPS[n])
    assert same(list(beam_slips.BEAM_SLIPS.values())[n], made), made
    for other in (right_results(), *(results(slip) for slip in SLIPS if slip != SLIPS[n])):
        assert apart(made, other)


def test_each_mistake_has_its_results():
    assert len(SLIPS) == len(beam_slips.BEAM_SLIPS)
    np.testing.assert_allclose([score for _, score in results("")], [score for _, score in right_results()])


@pytest.mark.parametrize("case", checks_search._CASES, ids=[case[0] for case in checks_search._CASES])
def test_right_results_of_trees(case):
    _, tree, otherwise, *args, tokens, score = case
    found = answers("07")["beam_search"](checks_search._from_tree(tree, otherwise, []), 0, 1, *args)
    assert found[0] == tokens
    np.testing.assert_allclose(found[1], score, rtol=1e-8)
