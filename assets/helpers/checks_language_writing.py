"""Self-checks of notebook 8: the loss of a model that writes, and the distribution it draws from."""

import contextlib

import keras
import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, observed


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
    asked = observed(float(got), want, "Which row predicts which id?")
    hint = next((text for value, text in hints.items() if np.isclose(got, value, rtol=1e-4)), asked)
    report.expect(np.isclose(got, want, rtol=1e-4), "the loss is that of Keras for the next ids", hint, stop=True)
    table = np.log(np.array([[[1, 3, 4], [6, 1, 1], [1, 1, 2]], [[1, 2, 1], [2, 5, 1], [1, 1, 1]]], dtype=float))
    padded = np.array([[1, 2, 0], [2, 1, 2]])  # targets with probability 4/8; 2/4 and 1/8
    got = float(report.call(causal_lm_loss, table, padded))
    want = -np.mean(np.log([4 / 8, 2 / 4, 1 / 8]))
    hint = observed(got, float(want), "Which three targets count?")
    if np.isclose(got, -np.mean(np.log([4 / 8, 6 / 8, 2 / 4, 1 / 8]))):
        hint = "the padding counts as a target"
    elif np.isclose(got, -np.sum(np.log([4 / 8, 2 / 4, 1 / 8])) / 4):
        hint = "padding adds nothing, but you still divide by its number"
    elif np.isclose(got, -(np.log(4 / 8) + np.log(2 / 32) / 2) / 2):
        hint = "a mean of means: take one mean over all targets of the batch"
    report.expect(np.isclose(got, want), "padding does not count", hint, stop=True)
    texts = [[0, 0, 2], [0, 0, 0]], [[0, 2, 1], [1, 0, 1]]  # targets with probability 1/8; 4/8, 1/8 and 5/8
    bits = [float(report.call(causal_lm_loss, table, np.array(ids))) / np.log(2) for ids in texts]
    slips = {
        "yours drops a target if the id before it is padding": (0, 3),
        "yours drops all targets after the first padding of a text": (0, 0),
        "yours drops all targets after the first target that is padding": (0, 2),
    }
    asked = observed(bits[0] * np.log(2), np.log(8), "Which targets of a text that begins with padding count?")
    hint = next((text for text, wrong in slips.items() if np.allclose(bits, wrong)), asked)
    report.expect(np.isclose(bits[0], 3), "padding may come first", hint)
    got = float(report.call(causal_lm_loss, table, np.array([[1, 0, 0], [2, 0, 0]])))
    report.expect(not got, "without any target the loss is 0.0", Observed(f"It is {got}. What is the mean of nothing?"))
    got = float(report.call(causal_lm_loss, table, padded, 2))
    other = -np.mean(np.log([6 / 8, 2 / 4]))
    hint = name_mistake(got, {"use the argument pad_id instead of 0": want}, float(other), "Which ids are padding now?")
    report.expect(np.isclose(got, other), "another pad_id works", hint)
    steep = np.array([[[0.0, 1e4, 0.0]] * 2])
    got, likely = (float(report.call(causal_lm_loss, steep, np.array([[1, target]]))) for target in (2, 1))
    hint = observed(got, 1e4, "What does your softmax make of a logit that is 1e4 smaller than the largest?")
    if np.isnan(likely):
        hint = "for the likeliest target it is nan, because exp overflows: subtract the largest logit first"
    elif np.isinf(got):
        hint = "it is inf, because a probability became 0: take the logarithm before anything becomes 0"
    elif np.isclose(got, float(report.call(causal_lm_loss, steep / 2, np.array([[1, 2]])))):
        hint = "5e3 costs the same, so you clip, or add a small number: take the logarithm before that is needed"
    report.expect(np.isclose(got, 1e4), "logits of 1e4 give a finite loss", hint)


@self_check("next_token_probabilities")
def check_next_token_probabilities(report, next_token_probabilities):
    """Check temperature, top-k, top-p and errors, in the order in which they are applied."""
    chances = np.array([0.1, 0.4, 0.2, 0.3])
    logits = np.log(chances)

    def ask(*options, of=logits, **named):
        result = report.call(lambda: next_token_probabilities(of.copy(), *options, **named))
        with contextlib.suppress(ValueError):
            array = np.asarray(result)
            if report.held and (array.shape, array.dtype.kind) == (of.shape, "f"):
                return array  # said once already
        return report.array(result, of.shape)

    got = ask()
    hint = observed(got, chances, "Which two steps make a softmax?")
    report.expect(np.allclose(got, chances), "without options it is the softmax", hint, stop=True)
    got, want = ask(2.0), np.sqrt(chances) / np.sqrt(chances).sum()
    hint = observed(got, want, "Which numbers do you divide by the temperature?")
    if np.allclose(got, chances**2 / (chances**2).sum()):
        hint = "yours multiplies by the temperature"
    elif np.allclose(got, chances):
        hint = "the temperature has no effect. It divides the logits; where it divides the probabilities it cancels, "
        hint += "because their sum is made 1 again"
    report.expect(np.allclose(got, want), "temperature 2 flattens", hint, stop=True)
    got = ask(0, of=np.array([1.0, 3.0, 3.0]))
    hint = observed(got, [0.0, 1.0, 0.0], "Does it need a case of its own?")
    report.expect(np.array_equal(got, [0, 1, 0]), "temperature 0 takes the first of the largest", hint)
    got = ask(of=np.array([1e4, 0.0, -1e4]))
    hint = observed(got, [1.0, 0.0, 0.0], "What can be subtracted from all logits before exp?")
    report.expect(np.allclose(got, [1, 0, 0]), "logits of 1e4 work", hint)
    got = ask(top_k=2)
    two = np.array([0, 4 / 7, 0, 3 / 7])
    slips = {"divide by the sum again: what is kept has sum 0.7": np.array([0, 0.4, 0, 0.3]),
             "yours is sorted: the probabilities stay in their places": np.array([4 / 7, 3 / 7, 0, 0])}  # fmt: skip
    hint = name_mistake(got, slips, two, "Which two ids are kept, and what is their sum?")
    report.expect(np.allclose(got, two), "top_k=2 keeps two ids", hint, stop=True)
    got = ask(top_k=2, of=np.zeros(4))
    lower = np.array([0.5, 0.5, 0, 0])
    backwards = {"of equally likely ids the lower ones are kept; yours keeps the higher ones": lower[::-1]}
    slips = {**backwards,
             "yours keeps all that are as likely as the last one: exactly two stay": np.full(4, 0.25)}  # fmt: skip
    hint = name_mistake(got, slips, lower, "In which order do you list equally likely ids?")
    report.expect(np.allclose(got, lower), "ties go to the lower ids", hint)
    got = ask(top_k=9)
    hint = observed(got, chances, "How many ids can be kept?")
    report.expect(np.allclose(got, chances), "top_k may be larger than the vocabulary", hint)
    got = ask(top_p=0.6)
    one = np.array([0.0, 1, 0, 0])
    slips = {"the id that crosses the line belongs to the set": one} if np.allclose(ask(top_p=0.75), two) else {}
    hint = name_mistake(got, slips, two, "0.4 is less than 0.6, and 0.4 + 0.3 is not. How many ids are kept?")
    report.expect(np.allclose(got, two), "top_p=0.6 keeps two ids", hint, stop=True)
    got = ask(top_p=0.1)
    report.expect(np.allclose(got, one), "at least one id is kept", observed(got, one, "Can your set be empty?"))
    got = ask(top_p=0.5, of=np.zeros(4))
    slips = backwards | {"the first two have the sum 0.5 already, and yours takes another": np.array([1, 1, 1, 0]) / 3}
    hint = name_mistake(got, slips, lower, "When has the sum reached 0.5?")
    report.expect(np.allclose(got, lower), "the set ends as soon as its sum reaches top_p", hint)
    got = ask(1.0, 2, 0.5)
    slips = {"top-k first, and divide by the sum: 4/7 reaches 0.5, 0.4 does not": two}
    slips = slips if np.allclose(ask(1.0, 3, 0.3), one) else {}  # top_p has an effect beside top_k
    hint = name_mistake(got, slips, one, "Which distribution does top-p look at?")
    report.expect(np.allclose(got, one), "top-p comes after top-k", hint)
    got, late = ask(0.5, None, 0.5), np.array([0, 16 / 25, 0, 9 / 25])
    slips = {"yours chooses the ids at temperature 1: the temperature comes before top-p": late}
    hint = name_mistake(got, slips, one, "At temperature 0.5 the probability of id 1 is 16/30. Which ids reach 0.5?")
    report.expect(np.allclose(got, one), "top-p looks at the distribution with its temperature", hint)
    settings = ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.1})
    for options in (*settings, {"temperature": 0, "top_k": 0}, {"temperature": 0, "top_p": 1.1}):
        try:
            next_token_probabilities(logits.copy(), **options)
            raised = "nothing"
        except Exception as error:
            raised = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        report.expect(raised == "ValueError", f"{options} raises a ValueError", Observed(f"Yours raised {raised}."))
    kept = logits.copy()
    next_token_probabilities(kept, 0.5, 2, 0.5)
    hint = Observed("They changed. Into which array do you write?")
    report.expect(np.array_equal(kept, logits), "logits stay as they are", hint)
