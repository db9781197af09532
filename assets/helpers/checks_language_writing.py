"""Self-checks of notebook 8: the loss of a model that writes, and the distribution it draws from."""

import keras
import numpy as np
from helpers.checks import self_check


@self_check("causal_lm_loss")
def check_causal_lm_loss(report, causal_lm_loss):
    """Check the shift against Keras, then padding by hand, then large logits."""
    rng = np.random.default_rng(18)
    logits, ids = rng.normal(size=(2, 5, 7)) * 2, rng.integers(1, 7, size=(2, 5))
    got = report.array(report.call(causal_lm_loss, logits, ids), (), "f", "the loss")
    entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    want = float(entropy(ids[:, 1:], logits[:, :-1]))
    probabilities = keras.ops.softmax(logits)
    hints = {
        float(entropy(ids, logits)): "nothing is shifted: row t predicts the id at t + 1",
        float(entropy(ids[:, :-1], logits[:, 1:])): "shifted the wrong way: row t predicts the id at t + 1",
        float(entropy(np.roll(ids, -1, axis=1), logits)): "np.roll wraps around: the last row has no target",
        float(entropy(ids[:, 1:], probabilities[:, :-1])): "the softmax was taken twice",
        want / np.log(2): "in bits: take the natural logarithm",
        want * 8: "a sum: divide by the number of targets",
        -want: "the sign is wrong: a loss is minus the logarithm",
    }
    hint = next((text for value, text in hints.items() if np.isclose(got, value, rtol=1e-4)), "check shift and softmax")
    report.expect(np.isclose(got, want, rtol=1e-4), "the loss is that of Keras for the next ids", hint, stop=True)
    table = np.log(np.array([[[1, 3, 4], [6, 1, 1], [1, 1, 2]], [[1, 2, 1], [2, 5, 1], [1, 1, 1]]], dtype=float))
    padded = np.array([[1, 2, 0], [2, 1, 2]])  # targets with probability 4/8; 2/4 and 1/8
    got = float(report.call(causal_lm_loss, table, padded))
    hint = "the mean runs over the targets that are not padding"
    if np.isclose(got, -np.mean(np.log([4 / 8, 6 / 8, 2 / 4, 1 / 8]))):
        hint = "the padding counts as a target"
    elif np.isclose(got, -np.sum(np.log([4 / 8, 2 / 4, 1 / 8])) / 4):
        hint = "padding adds nothing, but you still divide by its number"
    elif np.isclose(got, -(np.log(4 / 8) + np.log(2 / 32) / 2) / 2):
        hint = "a mean of means: take one mean over all targets of the batch"
    right = np.isclose(got, -np.mean(np.log([4 / 8, 2 / 4, 1 / 8])))
    report.expect(right, "padding does not count", hint, stop=True)
    got = float(report.call(causal_lm_loss, table, np.array([[0, 0, 2], [0, 0, 0]])))
    hint = "what counts is whether the target is padding, not the id before it"
    report.expect(np.isclose(got, np.log(8)), "padding may come first", hint)
    got = float(report.call(causal_lm_loss, table, np.array([[1, 0, 0], [2, 0, 0]])))
    report.expect(got == 0, "without any target the loss is 0.0", f"it is {got}: a mean of nothing")
    got = float(report.call(causal_lm_loss, table, padded, 2))
    hint = "use the argument pad_id instead of 0"
    report.expect(np.isclose(got, -np.mean(np.log([6 / 8, 2 / 4]))), "another pad_id works", hint)
    got = float(report.call(causal_lm_loss, np.array([[[1e4, 0.0, 0.0]] * 2]), np.array([[1, 2]])))
    hint = f"it is {got}: subtract the largest logit, and take the logarithm before anything becomes 0"
    report.expect(np.isclose(got, 1e4), "logits of 1e4 give a finite loss", hint)


@self_check("next_token_probabilities")
def check_next_token_probabilities(report, next_token_probabilities):
    """Check temperature, top-k, top-p and errors, in the order in which they are applied."""
    chances = np.array([0.1, 0.4, 0.2, 0.3])
    logits = np.log(chances)

    def ask(*options, of=logits, **named):
        return report.array(report.call(lambda: next_token_probabilities(of.copy(), *options, **named)), of.shape)

    report.expect(np.allclose(ask(), chances), "without options it is the softmax", "exp, then divide by the sum", True)
    got, want = ask(2.0), np.sqrt(chances) / np.sqrt(chances).sum()
    hint = "divide the logits by the temperature, then take the softmax"
    if np.allclose(got, chances**2 / (chances**2).sum()):
        hint = "yours multiplies by the temperature"
    elif np.allclose(got, chances):
        hint = "the temperature was applied to the probabilities and cancels when you divide by the sum"
    report.expect(np.allclose(got, want), "temperature 2 flattens", hint, stop=True)
    got = ask(0, of=np.array([1.0, 3.0, 3.0]))
    report.expect(np.array_equal(got, [0, 1, 0]), "temperature 0 takes the first of the largest", "a case of its own")
    got = ask(of=np.array([1e4, 0.0, -1e4]))
    report.expect(np.allclose(got, [1, 0, 0]), "logits of 1e4 work", "subtract the largest logit first")
    got = ask(top_k=2)
    hint = "set all but the two most likely ids to zero, in their places"
    if np.allclose(got, [0, 0.4, 0, 0.3]):
        hint = "divide by the sum again: what is kept has sum 0.7"
    report.expect(np.allclose(got, [0, 4 / 7, 0, 3 / 7]), "top_k=2 keeps two ids", hint, stop=True)
    got = ask(top_k=2, of=np.zeros(4))
    hint = "exactly two are kept, of equally likely ids the lower ones; np.argsort needs kind='stable'"
    report.expect(np.allclose(got, [0.5, 0.5, 0, 0]), "ties go to the lower ids", hint)
    report.expect(np.allclose(ask(top_k=9), chances), "top_k may be larger than the vocabulary", "then all are kept")
    got = ask(top_p=0.6)
    hint = "0.4 is less than 0.6, 0.4 + 0.3 is not: two ids are kept"
    if np.allclose(got, [0, 1, 0, 0]):
        hint = "the id that crosses the line belongs to the set"
    report.expect(np.allclose(got, [0, 4 / 7, 0, 3 / 7]), "top_p=0.6 keeps two ids", hint, stop=True)
    report.expect(np.allclose(ask(top_p=0.1), [0, 1, 0, 0]), "at least one id is kept", "the first one always stays")
    got = ask(top_p=0.5, of=np.zeros(4))
    hint = "the sum of the first two is 0.5, which reaches top_p"
    report.expect(np.allclose(got, [0.5, 0.5, 0, 0]), "the set ends as soon as its sum reaches top_p", hint)
    hint = "top-k first, and divide by the sum: 4/7 reaches 0.5, 0.4 does not"
    report.expect(np.allclose(ask(1.0, 2, 0.5), [0, 1, 0, 0]), "top-p comes after top-k", hint)
    for options in ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.1}):
        try:
            next_token_probabilities(logits.copy(), **options)
            raised = "nothing"
        except Exception as error:
            raised = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        report.expect(raised == "ValueError", f"{options} raises a ValueError", f"yours raised {raised}")
    kept = logits.copy()
    next_token_probabilities(kept, 0.5, 2, 0.5)
    report.expect(np.array_equal(kept, logits), "logits stay as they are", "your function changes them: copy first")
