"""Self-check of notebook 4: the whole layer."""

import traceback

import numpy as np
from helpers.checks import self_check
from helpers.checks_head_weights import HEAD_WEIGHTS, by_keras, weights_hint, with_zeroed_scores
from helpers.observed import Observed, describe_error, name_mistake


@self_check("multi_head_attention")
def check_multi_head_attention(report, multi_head_attention):
    """Check weights, output and masks against the Keras layer, and the empty row against our contract."""
    rng = np.random.default_rng(7)
    B, T, S, D, H = 2, 4, 5, 6, 3
    weights = {n: 0.5 * rng.normal(size=(D, D) if n[0] == "w" else D) for n in HEAD_WEIGHTS}
    query, value, key = (rng.normal(size=s) for s in ((B, T, D), (B, S, D), (B, S, D)))

    def named(*arguments):
        try:
            return multi_head_attention(*arguments)
        except NotImplementedError as error:
            _, *frames = traceback.extract_tb(error.__traceback__)
            if len(frames) > 1:  # not the student's function itself but one it calls
                raise RuntimeError(f"{frames[-1].name}, which it calls, is not written yet") from None
            raise

    result = report.call(named, query, value, key, weights, H)
    hint = "separate them by a comma after return"
    report.expect(isinstance(result, tuple | list) and len(result) == 2, "it returns output and attention", hint, True)
    want, wanted = by_keras(query, value, key, weights, H)
    got = report.array(result[1], (B, H, T, S), "f", "attention")
    hint = "" if np.allclose(got, wanted, atol=1e-5) else weights_hint(got, query, value, key, weights, H, wanted)
    report.expect(not hint, "the weights are those of Keras", hint, stop=True)
    output = report.array(result[0], (B, T, D), "f", "the output")
    merged = np.linalg.solve(weights["w_o"].T, (want - weights["b_o"]).reshape(-1, D).T).T.reshape(want.shape)
    apart = merged.reshape(B, T, H, D // H).swapaxes(1, 2)
    interleaved = merged.reshape(B, T, H, D // H).swapaxes(-2, -1).reshape(B, T, D)
    averaged = wanted.mean(axis=1) @ (value @ weights["w_v"] + weights["b_v"])
    mistakes = {
        "the output projection w_o (and b_o) is missing": merged,
        "the bias b_o is missing": want - weights["b_o"],
        "the heads are averaged": averaged @ weights["w_o"] + weights["b_o"],
        "heads were merged interleaved: those of one head belong side by side": interleaved @ weights["w_o"]
        + weights["b_o"],
        "reshape alone does not merge: first bring the axis of the heads after that of the words": apart.reshape(
            B, T, D
        )
        @ weights["w_o"]
        + weights["b_o"],
        "the key was used as value": by_keras(query, key, key, weights, H)[0],
        "the bias b_v is missing": want - weights["b_v"] @ weights["w_o"],
        "w_o is transposed": merged @ weights["w_o"].T + weights["b_o"],
    }
    asked = "What do the weights of each head mix, and what happens to the heads then?"
    hint = name_mistake(output, mistakes, want, asked)
    report.expect(np.allclose(output, want, atol=1e-5), "the output is that of Keras", hint, stop=True)
    for shape in ((T, S), (B, 1, S), (B, T, S), (B, 1, T, S), (B, H, T, S)):
        mask = rng.random(shape) < 0.5
        mask[..., 1], mask[..., 3] = True, False
        full = np.broadcast_to(mask[:, None] if mask.ndim == 3 else mask, (B, H, T, S))
        try:
            got = np.asarray(multi_head_attention(query, value, key, weights, H, mask)[1])
        except Exception as error:
            said = str(error).replace(" ", "")
            hint = Observed(f"It raised {describe_error(error)}. Which axes does this mask have?")
            if len(shape) == 3 and f"(1,{B},{T},{S})" in said:
                hint = "the axis of the heads belongs after B; yours comes before it"
            elif len(shape) == 3 and "broadcast" in said:
                hint = "a mask of three axes lacks the axis of the heads, after B"
            elif len(shape) == 2 and f"({T},1,{S})" in said:
                hint = "only a mask of three axes lacks the axis of the heads"
            report.expect(False, f"a mask of shape {shape} works", hint, stop=True)
        masked, hint = by_keras(query, value, key, weights, H, full)[1], ""
        right = got.shape == full.shape and np.allclose(got, masked, atol=1e-5)
        if not right:
            other = {
                "inverted: True means may attend": ~full,
                "every sentence gets the mask of the first one": full[:1],
                "every head gets the mask of the first one": full[:, :1],
            }
            mistakes = {text: by_keras(query, value, key, weights, H, wrong)[1] for text, wrong in other.items()}
            mistakes["the mask has no effect"] = wanted
            mistakes["your mask multiplies the scores, but a score of 0 still gets weight, since exp(0) is 1"] = (
                with_zeroed_scores(query, key, weights, H, full)
            )
            mistakes["rows no longer sum to 1: mask the scores before the softmax"] = wanted * full
            hint = name_mistake(got, mistakes, masked, "Which axis of the mask is which? The last is S.")
            inverted = got.shape == full.shape and np.allclose(got[full], 0)
            hint = "inverted: True means may attend" if inverted else hint
        report.expect(right, f"a mask of shape {shape} is right", hint, stop=True)
    mask = np.ones((B, T, S), dtype=bool)
    mask[1, 2] = False
    output, got = (np.asarray(a) for a in multi_head_attention(query, value, key, weights, H, mask))
    row = got[1, :, 2]
    hint = name_mistake(row, {"it is uniform": np.full((H, S), 1 / S)}, 0 * row, "What may this query attend to?")
    nan = "nan: a row of -inf divides zero by zero; given_masked_softmax returns zeros for such a row"
    report.expect(np.all(row == 0), "an empty row has zero weights", nan if np.isnan(got).any() else hint)
    zero = "it is zero: with zero weights the merged heads are zero, and the bias b_o remains"
    hint = name_mistake(output[1, 2], {zero: np.zeros(D)}, weights["b_o"], "What is left if all heads return zeros?")
    report.expect(np.allclose(output[1, 2], weights["b_o"]), "the output of an empty row is b_o", hint)
    large = np.asarray(report.call(multi_head_attention, 20 * query, value, 100 * key, weights, H)[1])
    hint = "overflow: smaller scores give finite weights. Is your softmax stable?"
    report.expect(np.isfinite(large).all(), "large scores give finite weights", hint)
