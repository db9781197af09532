"""Self-checks of notebook 2: a decoder step with attention, the score of an alignment."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.checks_attention import split_parts
from helpers.explained_errors import call_explained


@self_check("attention_decoder_step")
def check_attention_decoder_step(report, attention_decoder_step):
    """Check shapes, the query, the mask, and what reaches the GRU."""
    rng = np.random.default_rng(0)
    B, S, D, U, E, A = 2, 4, 3, 5, 6, 7
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
    mask = np.array([[True, True, True, False], [True, True, False, False]])

    try:
        _silently(attention_decoder_step, embedded.copy(), state.copy(), annotations.copy(), mask.copy(), dict(params))
    except ValueError as error:
        if "number of dimensions" in str(error):  # NumPy's words, when (B, D) and (B, 1, E) are joined
            hint = "the context still has the axis of positions, (B, 1, E); take it away before you join"
            report.expect(False, "[embedded; context] can be joined", hint, stop=True)
    except Exception:  # report.call says it
        pass
    result = call_explained(report, attention_decoder_step, embedded, state, annotations, mask, params,
                 on="embedded (2, 3), state (2, 5), encoder_states (2, 4, 6), mask (2, 4)",
                 expected="The query is the previous state; the attention takes a query (B, 1, U), the GRU cell "
                          "x (B, D + E) and state (B, U).")  # fmt: skip
    new, context, weights = split_parts(report, result, ("state", "context", "weights"))
    shapes_of_results, wanted = [part.shape for part in (new, context, weights)], [(B, U), (B, E), (B, S)]
    if shapes_of_results != wanted and sorted(shapes_of_results) == sorted(wanted):
        hint = f"they have the shapes {shapes_of_results}"
        report.expect(False, "the results come in the order state, context, weights", hint, stop=True)
    if context.shape == (B, 1, E) or weights.shape == (B, 1, S):
        hint = f"got {context.shape} and {weights.shape}: the axis of positions is still there"
        report.expect(False, f"context and weights have the shapes {(B, E)} and {(B, S)}", hint, stop=True)
    report.array(new, (B, U), what="the new state")
    report.array(context, (B, E), what="the context")
    report.array(weights, (B, S), what="the array of weights")
    try:
        alone = _silently(attention_decoder_step, embedded[:1], state[:1], annotations[:1], mask[:1], params)
        fits = [part.shape for part in alone] == [(1, U), (1, E), (1, S)]
    except Exception:
        fits = False
    hint = "squeeze() removes every axis of size 1, the batch too; name the axis"
    report.expect(fits, "a batch of one sentence keeps its axis", hint, stop=True)
    if (weights[mask] == 0).any() and (weights[~mask] > 0).any():
        report.expect(False, "padding gets no weight", "the mask is inverted: True means may attend", stop=True)
    report.expect(
        (weights[~mask] == 0).all(), "padding gets no weight", "the mask has to reach the attention", stop=True
    )
    report.expect(agree(weights.sum(-1), 1), "the weights of a sentence sum to 1", "a softmax over S", stop=True)
    mixed = np.einsum("bs,bse->be", weights, annotations)
    report.expect(
        agree(context, mixed), "the context is the weighted sum of the annotations", "mix with the weights", stop=True
    )
    moved = _silently(attention_decoder_step, embedded + 1, state, annotations, mask, params)
    hint = "your query depends on the embedded word; use the previous state"
    report.expect(agree(moved[2], weights), "the query is the previous state", hint, stop=True)
    asked = _silently(attention_decoder_step, embedded, state + 1, annotations, mask, params)
    report.expect(
        not agree(asked[2], weights), "another state asks for something else", "what is your query?", stop=True
    )
    report.expect(not agree(new, state), "the GRU made a step", "this is the state that came in", stop=True)
    report.expect(
        not agree(moved[0], new), "the new state depends on the word written last", "is embedded in the GRU's input?"
    )
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
    hint = "it read something else than the context that you return"
    same = agree(other[0], new) and not agree(other[1], context)
    report.expect(not same, "another context makes another state", hint, stop=True)
    only = np.concatenate([params["gru_x"][:D], np.zeros((E, 3 * U))])  # rows for the embedded word alone
    flat, shifted = (_silently(attention_decoder_step, embedded, state, a, mask, {**even, "gru_x": only})[0]
                     for a in (annotations, annotations + 1))  # fmt: skip
    report.expect(
        agree(flat, shifted), "the first D rows of gru_x meet the embedded word", "the order is [embedded; context]"
    )
    still = {**even, "gru_x": 0 * params["gru_x"], "gru_h": 0 * params["gru_h"], "gru_b": 0 * params["gru_b"]}
    kept = _silently(attention_decoder_step, embedded, state, annotations, mask, still)[0]
    hint = "it started from zeros; hand the previous state to the GRU"
    report.expect(agree(kept, state / 2), "with all GRU parameters 0 half of the previous state is kept", hint)


def _silently(function, *args):
    """Call a function that has been checked before, and read its results as arrays."""
    return [np.asarray(part) for part in function(*args)]


@self_check("alignment_accuracy")
def check_alignment_accuracy(report, alignment_accuracy):
    """Check small cases, each of which one mistake gets wrong."""
    weights = np.array([[0.6, 0.3, 0.1], [0.2, 0.1, 0.7], [0.1, 0.5, 0.4], [0.1, 0.3, 0.6]])
    rows = "rows are target positions: along which axis do the candidates for one of them lie?"
    try:
        alignment_accuracy(weights.copy(), [{0}, {2}, {0}, {2}])
    except IndexError:  # three columns, four rows
        report.expect(False, "there is a largest weight for each of the four rows", rows, stop=True)
    except Exception:  # report.call says it
        pass
    result = call_explained(report, alignment_accuracy, weights, [{0}, {2}, {0}, {2}],
                            on="weights (4, 3) and four gold sets", expected=rows)  # fmt: skip
    report.expect(np.shape(result) == (), "it returns one number", f"got {type(result).__name__}", stop=True)
    hints = {3.0: "this is the number of hits; divide it", 75.0: "a share from 0 to 1, not percent",
             0.0: "no row was right: is there one position for each row, and is it *in* its set?",
             0.6667: rows, 0.5: "a row is right or wrong; do not add up weights"}  # fmt: skip
    hint = hints.get(round(float(result), 4), "compare the largest weight of each row with that row's own set")
    hint = f"got {float(result):.4g}: {hint}"
    report.expect(agree(result, 0.75), "three of four positions right give 0.75", hint, stop=True)
    cases = [
        (
            "one of several right positions is enough",
            [[0.2, 0.8]] * 2,
            [{0, 1}, {1}],
            1.0,
            "one element of the set suffices",
        ),
        ("the largest weight counts", [[0.4, 0.3, 0.3]], [{0}], 1.0, "it counts however small it is"),
        ("of equal weights the first counts", [[0.5, 0.5]] * 3, [{0}, {1}, {0}], 2 / 3, "take the first"),
    ]
    for line, rows, gold, want, hint in cases:
        result = call_explained(report, alignment_accuracy, np.array(rows), gold, on=f"weights {np.shape(rows)}")
        report.expect(agree(result, want), line, hint, stop=True)
    rows, gold = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.7, 0.3]]), [{0}, set(), {1}, {1}]
    result = float(call_explained(report, alignment_accuracy, rows, gold, on="weights (4, 2) and an empty gold set"))
    hint = {0.5: "they were counted as wrong", 0.75: "they were counted as right"}.get(
        round(result, 4), "compare each row with its own set, also after an empty one")  # fmt: skip
    report.expect(agree(result, 2 / 3), "positions with an empty set are left out", hint)
