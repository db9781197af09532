"""Self-checks of notebook 7: learning rate, smoothed labels, counting weights."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_transformer import name_mistake


@self_check("noam_learning_rate")
def check_noam_learning_rate(report, noam_learning_rate):
    """Check the rise, the peak, the fall and the width at a small schedule."""

    def rate(step, width=16, warmup=9):
        value = report.call(noam_learning_rate, step, width, warmup)
        if np.ndim(value):
            report.expect(False, "it gives one number", f"got shape {np.shape(value)}", stop=True)
        return float(np.asarray(value))

    got = [rate(n) for n in (1, 3, 9, 36, 81)]
    right = [0.25 * min(n**-0.5, n * 9**-1.5) for n in (1, 3, 9, 36, 81)]
    steps = np.array([1, 3, 9, 36, 81.0])
    mistakes = {
        "max stands where min belongs": 0.25 * np.maximum(steps**-0.5, steps * 9**-1.5),
        "the power of the step is -0.5: one over the root": 0.25 * np.minimum(steps**0.5, steps * 9**-1.5),
        "d_model is missing": np.minimum(steps**-0.5, steps * 9**-1.5),
        "the power of d_model is -0.5": 4 * np.minimum(steps**-0.5, steps * 9**-1.5),
        "the power of warmup_steps is -1.5": 0.25 * np.minimum(steps**-0.5, steps * 9**-0.5),
        "steps count from 1; yours counts one too many": 0.25 * np.minimum((steps + 1) ** -0.5, (steps + 1) * 9**-1.5),
        "after the warm-up it falls with the root of the step": 0.25 * np.minimum(1 / steps, steps / 81),
        "after the warm-up it falls, yours stays": 0.25 * np.minimum(1 / 3, steps * 9**-1.5),
        "the rise is missing": 0.25 * steps**-0.5,
        "divide by the root of d_model, not by d_model": np.minimum(steps**-0.5, steps * 9**-1.5) / 16,
    }
    hint = name_mistake(got, mistakes, "work out steps 1, 9 and 36 by hand for width 16 and a warm-up of 9")
    report.expect(got[0] < got[1] < got[2], "it rises during the warm-up", hint, stop=True)
    report.expect(got[2] > got[3] > got[4], "it falls afterwards", hint, stop=True)
    report.expect(np.allclose(got, right), "values for width 16 and a warm-up of 9", hint, stop=True)
    report.expect(np.isclose(rate(4, 64, 1), 1 / 16), "a warm-up of one step", "the two branches meet at the warm-up")


@self_check("smooth_labels")
def check_smooth_labels(report, smooth_labels):
    """Check shape, sums and the two values that occur."""
    targets = np.array([2, 0, 4])
    got = report.array(report.call(smooth_labels, targets, 5, 0.2), (3, 5))
    one_hot = np.eye(5)[targets]
    mistakes = {
        "the share goes to the others only: spread it over all words": np.where(one_hot > 0, 0.8, 0.05),
        "the target keeps its whole 1: multiply by 1 - epsilon": one_hot + 0.04,
        "the target is left out of the spreading": np.where(one_hot > 0, 0.8, 0.04),
        "epsilon and 1 - epsilon are exchanged": 0.2 * one_hot + 0.8 / 5,
        "every word gets the whole epsilon: divide by vocab_size": 0.8 * one_hot + 0.2,
        "nothing is smoothed": one_hot,
        "epsilon is halved": 0.9 * one_hot + 0.02,
        "ids count from 0; yours from 1": 0.8 * np.eye(5)[targets - 1] + 0.04,
        "you divided by the number of targets: vocab_size": 0.8 * one_hot + 0.2 / 3,
    }
    hint = name_mistake(got, mistakes, "(1 - epsilon) times one-hot, plus epsilon / vocab_size everywhere")
    report.expect(np.allclose(got.sum(-1), 1), "rows sum to 1", hint, stop=True)
    report.expect(np.allclose(got, 0.8 * one_hot + 0.04), "0.84 at the target, 0.04 elsewhere", hint, stop=True)
    plain = np.asarray(report.call(smooth_labels, targets, 5, 0.0))
    report.expect(np.allclose(plain, one_hot), "epsilon 0 gives one-hot vectors", "is epsilon an argument?")


@self_check("transformer_parameter_count")
def check_transformer_parameter_count(report, count):
    """Check the smallest model, the base model, and what each size costs."""
    got = report.call(count, 1, 1, 1, 1, 1, 1, 1)
    report.expect(np.ndim(got) == 0 and int(got) == got, "it gives a whole number", f"got {got!r}", stop=True)
    sizes = {"num_layers": 2, "d_model": 6, "d_ff": 10, "num_heads": 2, "key_dim": 3, "value_dim": 4, "vocab_size": 50}
    d, f, h, k, v, words = 6, 10, 2, 3, 4, 50
    a, t, n = 2 * d * h * (k + v), 2 * d * f + f + d, 2 * d
    whole = words * d + 2 * (3 * a + 2 * t + 5 * n)
    mistakes = {
        "the vocabulary's matrix counts once: tied": (whole + words * d, whole + 2 * words * d),
        "a decoder layer has two attentions": (whole - 2 * a,),
        "a decoder layer has three norms": (whole - 2 * n, whole - 4 * n),
        "a norm has gamma and beta": (whole - 10 * d,),
        "attention has no biases here": (whole + 6 * (2 * h * k + h * v + d), whole + 6 * 4 * d),
        "the feed-forward has two biases": (whole - 4 * (f + d), whole - 4 * f, whole - 4 * d),
        "num_heads is missing: key_dim and value_dim are per head": (whole - 6 * a // 2,),
        "value_dim is a size of its own": (whole + 6 * 2 * d * h * (k - v), whole - 6 * d * h),
        "the output matrix of the attention is missing": (whole - 6 * d * h * v,),
        "the decoder is missing": (whole - 2 * (2 * a + t + 3 * n),),
        "the embedding is missing": (whole - words * d,),
        "positions are computed, not learned": (whole + words,),
        "num_layers counts each side": (words * d + 1 * (3 * a + 2 * t + 5 * n),),
        "the decoder has a feed-forward too": (whole - 2 * t,),
    }
    got = int(report.call(count, *sizes.values()))
    hint = next((text for text, wrong in mistakes.items() if got in wrong), "count one layer by hand")
    report.expect(got == whole, f"{whole:,} weights for sizes that are all different", hint, stop=True)
    got = int(report.call(count, 6, 512, 2048, 8, 64, 64, 37_000))
    report.expect(got == 63_045_632, "the base model with 37,000 tokens", f"yours has {got:,}, expected 63,045,632")
