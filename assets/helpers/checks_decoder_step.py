"""Self-check of notebook 2: a decoder step with attention."""

import re

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.checks_attention import split_parts
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, observed


@self_check("attention_decoder_step")
def check_attention_decoder_step(report, attention_decoder_step):
    """Check shapes, the query, the mask, and what reaches the GRU."""
    rng = np.random.default_rng(0)
    B, S, D, U, E, A = 5, 7, 2, 8, 9, 10  # no cell of the notebook binds one of these letters to the same size
    shapes = {
        "w_query": (U, A),
        "w_key": (E, A),
        "v": (A,),
        "gru_x": (D + E, 3 * U),
        "gru_h": (U, 3 * U),
        "gru_b": (3 * U,),
    }
    params = {name: 0.6 * rng.normal(size=shape) for name, shape in shapes.items()}
    embedded, state, annotations = rng.normal(size=(B, D)), rng.normal(size=(B, U)), rng.normal(size=(B, S, E))
    mask = np.arange(S) < np.array([6, 4, 5, 3, 6])[:, None]

    try:
        _silently(attention_decoder_step, embedded.copy(), state.copy(), annotations.copy(), mask.copy(), dict(params))
    except ValueError as error:
        if re.search("index 0 has 2 dim.* index 1 has 3", str(error)):  # NumPy's words: (B, D) and (B, 1, E) are joined
            hint = "the context still has the axis of positions, (B, 1, E); take it away before you join"
            report.expect(False, "[embedded; context] can be joined", hint, stop=True)
    except Exception:  # report.call says it
        pass
    result = call_explained(report, attention_decoder_step, embedded, state, annotations, mask, params,
                 on="embedded (5, 2), state (5, 8), encoder_states (5, 7, 9), mask (5, 7)",
                 expected="The query is the previous state; the attention takes a query (B, 1, U), the GRU cell "
                          "x (B, D + E) and state (B, U).")  # fmt: skip
    new, context, weights = split_parts(report, result, ("state", "context", "weights"))
    shapes_of_results, wanted = [part.shape for part in (new, context, weights)], [(B, U), (B, E), (B, S)]
    if shapes_of_results != wanted and sorted(shapes_of_results) == sorted(wanted):
        hint = Observed(f"Yours have the shapes {shapes_of_results}")
        report.expect(False, "the results come in the order state, context, weights", hint, stop=True)
    if context.shape == (B, 1, E) or weights.shape == (B, 1, S):
        hint = f"yours are {context.shape} and {weights.shape}: the axis of positions is still there"
        report.expect(False, f"context and weights have the shapes {(B, E)} and {(B, S)}", hint, stop=True)
    report.array(new, (B, U), what="the new state")
    report.array(context, (B, E), what="the context")
    report.array(weights, (B, S), what="the array of weights")
    try:
        alone = _silently(attention_decoder_step, embedded[:1], state[:1], annotations[:1], mask[:1], params)
        shapes, lost = [part.shape for part in alone], any(part.ndim == 1 for part in alone)
    except Exception as error:
        shapes, lost = [], "number of dimensions" in str(error)
    hint = Observed(f"Yours have the shapes {shapes}" if shapes else "Your function raises an exception there")
    if lost:
        hint = "what removes every axis of size 1, as squeeze() does, removes the batch too; name the axis"
    report.expect(shapes == [(1, U), (1, E), (1, S)], "a batch of one sentence keeps its axis", hint, stop=True)
    projected = zip(state @ params["w_query"], annotations @ params["w_key"], strict=True)
    scores = np.array([[np.tanh(query + key) @ params["v"] for key in keys] for query, keys in projected])
    right, free, first, inverse = (
        np.exp(scores) * m / (np.exp(scores) * m).sum(-1, keepdims=True) for m in (mask, True, mask[:1], ~mask)
    )
    mistakes = {
        "the mask is inverted: True means may attend": inverse,
        "your weights are those without a mask: the mask has to reach the attention": free,
        "every sentence gets the mask of the first one; each has its own": first,
        "you masked after the softmax: the allowed positions have to share 1": free * mask,
    }
    hint = name_mistake(weights, mistakes, right, "Which positions of this sentence are real?")
    report.expect((weights[~mask] == 0).all(), "padding gets no weight", hint, stop=True)
    report.expect(agree(weights.sum(-1), 1), "the weights of a sentence sum to 1", hint, stop=True)
    mixed = np.einsum("bs,bse->be", weights, annotations)
    mistakes = {
        "yours is the plain mean of the annotations; mix with the weights": annotations.mean(1),
        "yours is the mean of the real annotations; mix with the weights": np.einsum(
            "bs,bse->be", mask / mask.sum(-1, keepdims=True), annotations
        ),
        "yours is the last annotation; mix all of them with the weights": annotations[:, -1],
        "yours is mixed with the weights from before the mask": np.einsum("bs,bse->be", free, annotations),
    }
    hint = name_mistake(context, mistakes, mixed, "Which annotation counts how much?")
    report.expect(agree(context, mixed), "the context is the weighted sum of the annotations", hint, stop=True)
    moved = _silently(attention_decoder_step, embedded + 1, state, annotations, mask, params)
    hint = "your weights depend on the embedded word, and the query is the state that came in, before the GRU's step"
    report.expect(agree(moved[2], weights), "the query is the previous state", hint, stop=True)
    asked = _silently(attention_decoder_step, embedded, state + 1, annotations, mask, params)
    hint = "your weights are the same for another state: what is your query?"
    report.expect(not agree(asked[2], weights), "another state asks for something else", hint, stop=True)
    hint = observed(weights, right, "With which state does the decoder ask, the one before the step or after it?")
    report.expect(agree(weights, right), "the weights are those of the previous state", hint, stop=True)
    report.expect(not agree(new, state), "the GRU made a step", "this is the state that came in", stop=True)
    hint = "another word leaves your state as it is: is embedded in the GRU's input?"
    report.expect(not agree(moved[0], new), "the new state depends on the word written last", hint)
    even = {**params, "v": 0 * params["v"]}
    flat, shifted = (
        _silently(attention_decoder_step, embedded, state, a, mask, even)[0] for a in (annotations, annotations + 1)
    )
    report.expect(
        not agree(flat, shifted), "the new state depends on the context", "the context has no influence", stop=True
    )
    twisted = annotations.copy()  # the same mean, another context
    twisted[:, 0] += 3.0
    twisted[:, 1] -= 3.0
    other = _silently(attention_decoder_step, embedded, state, twisted, mask, params)
    hint = "yours stays the same, so the GRU read something else than the context that you return"
    same = agree(other[0], new) and not agree(other[1], context)
    report.expect(not same, "another context makes another state", hint, stop=True)
    only = np.concatenate([params["gru_x"][:D], np.zeros((E, 3 * U))])  # rows for the embedded word alone
    flat, shifted = (_silently(attention_decoder_step, embedded, state, a, mask, {**even, "gru_x": only})[0]
                     for a in (annotations, annotations + 1))  # fmt: skip
    hint = "yours meet the context: the order is [embedded; context]"
    report.expect(agree(flat, shifted), "the first D rows of gru_x meet the embedded word", hint)
    still = {**even, "gru_x": 0 * params["gru_x"], "gru_h": 0 * params["gru_h"], "gru_b": 0 * params["gru_b"]}
    kept = _silently(attention_decoder_step, embedded, state, annotations, mask, still)[0]
    zero = "it started from zeros; hand the previous state to the GRU"
    hint = name_mistake(kept, {zero: 0 * state}, state / 2, "Which state does the GRU begin with?")
    report.expect(agree(kept, state / 2), "with all GRU parameters 0 half of the previous state is kept", hint)


def _silently(function, *args):
    """Call a function that has been checked before, and read its results as arrays."""
    return [np.asarray(part) for part in function(*args)]
