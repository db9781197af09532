"""Self-check of notebook 1: the encoder."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors, two_parts
from helpers.observed import observed, quietly
from helpers.relations import alike


@self_check("rnn_encode")
def check_rnn_encode(report, rnn_encode):
    """Check `rnn_encode` step by step: first the recurrence on full rows, then the mask."""
    rng = np.random.default_rng(3)
    x, w_x, w_h, b = (rng.normal(size=s) for s in ((2, 4, 3), (3, 5), (5, 5), (5,)))
    everywhere = np.ones((2, 4), dtype=bool)
    axis = "An array of shape (2,) has one number for each sentence, as `mask[:, t]` does, and the state is (B, U)"
    axis += ": give it an axis, `mask[:, t, None]`"
    rows = "`mask[:, t]` is one: compute the new state of all sentences, then choose for each sentence with np.where"
    encode = explain_errors(rnn_encode, {"(2,)": axis, "truth value": rows})
    states, last = two_parts(report, report.call(encode, x, everywhere, w_x, w_h, b), "states and last")
    states = report.array(states, (2, 4, 5), "f", "states")
    last = report.array(last, (2, 5), "f", "last")
    first, second = x[:, 0] @ w_x, x[:, 1] @ w_x + b
    before = states[:, 0] @ w_h

    def near(state, inside):  # float32 states are right too
        return np.allclose(state, np.tanh(inside), rtol=2e-4, atol=2e-5)

    mistakes = {
        "tanh is missing": first + b,
        "the bias b is missing": np.tanh(first),
        "the bias b is added after the tanh; it belongs inside": np.tanh(first) + b,
        "the bias b is subtracted": np.tanh(first - b),
        "it is the state after the last word: the steps run backwards": np.tanh(x[:, -1] @ w_x + b),
        "a sigmoid is used in place of the tanh": 1 / (1 + np.exp(-first - b)),
        "a ReLU is used in place of the tanh": np.maximum(first + b, 0),
    }
    hint = next((text for text, wrong in mistakes.items() if alike(states[:, 0], wrong)), "")
    if not hint and np.allclose(states, states[:, -1:]) and states.any():
        hint = "all steps show the same array, one state: each step has its own"
    elif not hint and not states.any() and np.any(encode(x, ~everywhere, w_x, w_h, b)[0]):
        hint = "it stays zero where the mask is True: yours is inverted, True marks a real step"
    hint = hint or observed(states[:, 0], np.tanh(first + b), "What is tanh(x[:, 0] @ w_x + b)?")
    report.expect(near(states[:, 0], first + b), "the first state is right", hint, stop=True)
    mistakes = {
        "the state was reset: the second step does not see the first": np.tanh(second),
        "w_h is transposed": np.tanh(second + states[:, 0] @ w_h.T),
        "the second step reads the first input again": np.tanh(first + b + before),
        "the state before it is multiplied by w_h outside of the tanh; it belongs inside": np.tanh(second) + before,
        "the state before it is added without w_h": np.tanh(second + states[:, 0]),
        "the state before it is added on top of the new one": np.tanh(second + before) + states[:, 0],
    }
    hint = next((text for text, wrong in mistakes.items() if alike(states[:, 1], wrong)), "")
    question = "What is tanh(x[:, 1] @ w_x + state @ w_h + b)?"
    hint = hint or observed(states[:, 1], np.tanh(second + before), question)
    report.expect(near(states[:, 1], second + before), "the second state builds on the first", hint, stop=True)
    hint = observed(last, states[:, -1], "Which of the states is the last one?")
    report.expect(np.allclose(last, states[:, -1], atol=1e-5), "last is the last state", hint, stop=True)
    mask = np.array([[True, True, False, False], [True, False, True, True]])
    kept, last = (np.asarray(a) for a in report.call(encode, x, mask, w_x, w_h, b))
    alone = quietly(encode, x[:1], mask[:1], w_x, w_h, b)
    if np.allclose(kept, states):
        hint = "the mask has no effect here: where a sentence has False, its own state must not change"
    elif near(kept[0, 2], states[0, 1] @ w_h + b):
        hint = "the input is zero there, but the step still happens"
    elif np.allclose(kept[0, 2], 0):
        hint = "zero there: a masked step repeats the state before it"
    elif np.allclose(kept[0, 1], kept[0, 0]) and alone and near(np.asarray(alone[0])[0, 1], second[0] + before[0]):
        hint = "a sentence stands still where another one is masked: choose for each sentence"
    else:
        hint = observed(kept[0, 1:], states[0, [1, 1, 1]], "What should be left after a masked step?")
    report.expect(np.allclose(kept[0, 1:], states[0, 1], atol=1e-5), "a masked step keeps the state", hint, stop=True)
    inside = x[1, 2] @ w_x + b
    if near(kept[1, 2], inside):
        hint = "do not restart it at zero"
    elif alike(kept[1, 2], kept[1, 0]) and alike(kept[1, 3], kept[1, 0]):
        hint = "yours stands still for good: real words may follow a masked step"
    else:
        hint = observed(kept[1, 2], np.tanh(inside + kept[1, 0] @ w_h), "Which state does the step after the gap read?")
    later = near(kept[1, 2], inside + kept[1, 0] @ w_h)
    report.expect(later, "after a gap the encoder goes on from the state it kept", hint, stop=True)
    hint = observed(last, kept[:, -1], "Which of the states is the last one?")
    report.expect(np.allclose(last, kept[:, -1], atol=1e-5), "last == states[:, -1] with a mask too", hint)
    shown = np.asarray(report.call(encode, x, np.array([[True, False, True, False]] * 2), w_x, w_h, b)[0])
    right = np.tanh(x[:, 2] @ w_x + states[:, 0] @ w_h + b)
    right = np.stack([states[:, 0], states[:, 0], right, right], axis=1)
    ends = "yours ends at the first step that is masked in every sentence; real words may follow"
    lacks = "such a step has a state too, the one before it: there are T states in the end"
    forms = [(ends, [0]), (lacks, [0, 2]), (lacks, [0, 1, 2])]  # the steps at which the state was stored
    forms = [(text, (right[:, t], right * np.isin(range(4), t)[:, None])) for text, t in forms]
    hint = next((text for text, results in forms if any(alike(shown, one) for one in results)), "")
    hint = hint or observed(shown, right, "Which state is left where every sentence is masked?")
    report.expect(alike(shown, right), "a step that is masked in every sentence keeps the state", hint, stop=True)
    begun = np.asarray(report.call(encode, x, np.array([[False, True, True, True]] * 2), w_x, w_h, b)[0])
    hint = observed(begun[:, 0], np.zeros((2, 5)), "Which state does a sentence have before its first word?")
    hint = "the first step takes place whatever its mask says" if near(begun[:, 0], first + b) else hint
    report.expect(np.allclose(begun[:, 0], 0), "before the first real word the state is zero", hint)
