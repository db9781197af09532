"""Self-checks of notebook 9: rollout through the layers, and the count of a Vision Transformer's weights."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_image_patches import near
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, observed


def _mix(attention, identity=1.0):
    mixed = attention + identity * np.eye(attention.shape[-1])
    return mixed / mixed.sum(-1, keepdims=True)


@self_check("attention_rollout")
def check_attention_rollout(report, attention_rollout):
    """Check one layer, the order of two, the identity, the heads and rows that do not sum to 1."""
    rng = np.random.default_rng(0)
    layers = [rng.dirichlet(np.full(3, 0.5), size=(2, 4, 3)) for _ in range(3)]  # (B, H, T, T)
    first, second, third = (layer.mean(axis=1) for layer in layers)

    def roll(*arrays):
        return attention_rollout(list(arrays))

    got = call_explained(report, roll, layers[0], on="a list of one array (2, 4, 3, 3)",
                         expected="The heads are axis 1.")  # fmt: skip
    got = report.array(got, (2, 3, 3), what="the rollout of one layer")
    most = layers[0].max(axis=1)
    slips = {"the identity is missing: a token also keeps itself, by the residual": first,
             "you took the largest of the heads; take their mean": _mix(most),
             "the identity is added, but the rows do not sum to 1 yet": first + np.eye(3),
             "you summed over the heads; take their mean": _mix(layers[0].sum(axis=1)),
             "one head only; take the mean of all": _mix(layers[0][:, 0])}  # fmt: skip
    hint = name_mistake(got, slips, _mix(first), "Which steps lead from the heads to rows that sum to 1?")
    report.expect(near(got, _mix(first)), "one layer: the mean of the heads and the identity", hint, stop=True)
    got = np.asarray(call_explained(report, roll, *layers, on="three layers"))
    heads = np.mean([_mix(layers[2][:, h]) @ _mix(layers[1][:, h]) @ _mix(layers[0][:, h]) for h in range(4)], axis=0)
    slips = {"each head is followed by itself, with the mean at the end; take the mean over the heads in each layer": heads,
             "the order is reversed: each later layer multiplies from the left":
                 _mix(first) @ _mix(second) @ _mix(third),
             "the identity belongs to every layer": third @ second @ _mix(first),
             "this multiplies entry by entry; use @": _mix(first) * _mix(second) * _mix(third),
             "this is the mean of the layers; multiply them": (_mix(first) + _mix(second) + _mix(third)) / 3,
             "only the last layer came out": _mix(third), "only the first layer came out": _mix(first)}  # fmt: skip
    want = _mix(third) @ _mix(second) @ _mix(first)
    hint = name_mistake(got, slips, want, "Which matrices do you multiply, and in which order?")
    report.expect(near(got, want), "three layers, the last one leftmost", hint,
                  stop=True)  # fmt: skip
    report.expect(near(got.sum(-1), np.ones((2, 3))), "rows sum to 1", Observed("Which sums do you divide by?"))
    got = np.asarray(call_explained(report, roll, 0.5 * layers[0], on="rows that sum to 0.5"))
    hint = observed(got, _mix(first / 2), "Do you divide by the row's own sum?")
    if near(got, _mix(first)):
        hint = "you divided by the row's sum before the identity was added; add first, divide once"
    report.expect(near(got, _mix(first / 2)), "rows that do not sum to 1 before are divided by their sum", hint)


def _first_wrong_growth(vit_parameter_count, sizes, count):
    """Return a question about the first part of the model that does not grow as it should when one size grows."""
    parts = [("one class more", 6, 1, 6, "Which weights has the head?"),
             ("one channel more", 2, 1, 80, "Which weights has the projection of a patch?"),
             ("one hidden number more", 5, 1, 33, "Which weights has a feed-forward?"),
             ("4 x 4 patches instead of 3 x 3", 0, 4, 35, "How many positions are there?"),
             ("one layer more", 3, 1, 222, "Which weights has a layer?")]  # fmt: skip
    for what, place, more, weights, question in parts:
        larger = [size + more * (n == place) for n, size in enumerate(sizes)]
        try:
            grown = int(vit_parameter_count(*larger)) - count
        except Exception:
            break
        if grown != weights:
            return f"With {what} your count grows by {grown:,}, and {weights:,} are expected. {question}"
    return "What exists once in the model, whatever the number of layers, classes and patches?"


@self_check("vit_parameter_count")
def check_vit_parameter_count(report, vit_parameter_count):
    """Check sizes that are all different, and the published model."""
    sizes = (12, 4, 2, 3, 5, 7, 11)
    got = call_explained(report, vit_parameter_count, *sizes, on="seven small sizes")
    report.expect(np.shape(got) == () and int(got) == got, "it returns a number", Observed(f"Yours is {got!r}"), stop=True)
    kind = Observed("It is a float. Which operator divides whole numbers without leaving them?")
    report.expect(np.asarray(got).dtype.kind in "iu", "and this is an integer", kind)
    whole, d, f = 962, 5, 7
    slips = {
        "d_model weights are missing: the class token, its position, or the bias of the patch projection": whole - d,
        "2 d_model weights are missing: the last norm, or the class token with its position": whole - 2 * d,
        "there is no position for the patches, only for the class token, or none at all": whole - 9 * d,
        "the positions are missing, one for each patch and one for the class token": whole - 10 * d,
        "a norm has gamma and beta": whole - 7 * d,
        "the norms are missing: two in each layer, and a last one": whole - 14 * d,
        "each layer has two norms": whole - 3 * 2 * d,
        "query, key, value and output each have a bias": whole - 3 * 4 * d,
        "the output matrix of the attention is missing": whole - 3 * (d * d + d),
        "the feed-forward has two biases, of d_ff and of d_model": whole - 3 * (f + d),
        "the head has a bias": whole - 11,
        "a patch has patch_size ** 2 * channels numbers": whole - 16 * d,
        "num_layers is missing": whole - 2 * (4 * 30 + 82 + 4 * d),
        "the second bias of the feed-forward has d_model numbers, not d_ff": whole + 3 * (f - d),
        "the head reads the class token alone, not all tokens": whole + 9 * d * 11,
        "gamma and beta have d_model numbers each; yours have one": whole - 7 * 2 * (d - 1),
        "the hidden width is d_ff, whatever four times d_model is": whole + 3 * (2 * d + 1) * (4 * d - f),
        "square the number of patches along a side first; the class token adds one position after that": whole + 6 * d,
    }  # fmt: skip
    hint = name_mistake(int(got), slips, whole, _first_wrong_growth(vit_parameter_count, sizes, int(got)))
    report.expect(got == whole, f"{whole:,} weights for sizes that are all different", hint, stop=True)
    got = int(call_explained(report, vit_parameter_count, 224, 16, 3, 12, 768, 3072, 1000, on="ViT-B/16"))
    report.expect(got == 86_567_656, "ViT-B/16 has 86,567,656", Observed(f"Yours has {got:,}."))
