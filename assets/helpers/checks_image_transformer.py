"""Self-checks of notebook 9: rollout through the layers, and the count of a Vision Transformer's weights."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_image_patches import near
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, name_slip, observed


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
    slips = {"you follow each head by itself, with a mean at the end; take the mean of the heads in each layer": heads,
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
    given = [layer.copy() for layer in layers]
    kept = list(given)
    attention_rollout(given)
    same = len(given) == len(kept) and all(a is b for a, b in zip(given, kept, strict=True))
    report.expect(
        same, "the list is unchanged", "your function changes the list that it is given: work on a copy of it"
    )
    report.expect(near(got.sum(-1), np.ones((2, 3))), "rows sum to 1", Observed("Which sums do you divide by?"))
    got = np.asarray(call_explained(report, roll, 0.5 * layers[0], on="rows that sum to 0.5"))
    hint = observed(got, _mix(first / 2), "Do you divide by the row's own sum?")
    if near(got, _mix(first)):
        hint = "you divided by the row's sum before the identity was added; add first, divide once"
    report.expect(near(got, _mix(first / 2)), "rows that do not sum to 1 before are divided by their sum", hint)


# What is missing (below 0) or too much: a function of all sizes for each mistake.
_SLIPS = {
    "d_model weights are missing: the class token, its position, or the bias of the patch projection":
        lambda i, p, c, n, d, f, k: -d,
    "2 d_model weights are missing: the last norm, or the class token with its position":
        lambda i, p, c, n, d, f, k: -2 * d,
    "there is no position for the patches, only for the class token, or none at all":
        lambda i, p, c, n, d, f, k: -((i // p) ** 2) * d,
    "the positions are missing, one for each patch and one for the class token":
        lambda i, p, c, n, d, f, k: -((i // p) ** 2 + 1) * d,
    "you counted the patches along one side; square that number":
        lambda i, p, c, n, d, f, k: (i // p - (i // p) ** 2) * d,
    "square the number of patches along a side first; the class token adds one position after that":
        lambda i, p, c, n, d, f, k: 2 * (i // p) * d,
    "a norm has gamma and beta": lambda i, p, c, n, d, f, k: -(2 * n + 1) * d,
    "gamma and beta have d_model numbers each; yours have one": lambda i, p, c, n, d, f, k: -(2 * n + 1) * 2 * (d - 1),
    "the norms are missing: two in each layer, and a last one": lambda i, p, c, n, d, f, k: -(4 * n + 2) * d,
    "each layer has two norms": lambda i, p, c, n, d, f, k: -2 * n * d,
    "query, key, value and output each have a bias": lambda i, p, c, n, d, f, k: -4 * n * d,
    "the output matrix of the attention is missing": lambda i, p, c, n, d, f, k: -n * (d * d + d),
    "the feed-forward has two biases, of d_ff and of d_model": lambda i, p, c, n, d, f, k: -n * (f + d),
    "the second bias of the feed-forward has d_model numbers, not d_ff": lambda i, p, c, n, d, f, k: n * (f - d),
    "the hidden width is d_ff, not four times d_model":
        lambda i, p, c, n, d, f, k: n * (2 * d + 1) * (4 * d - f),
    "the head has a bias": lambda i, p, c, n, d, f, k: -k,
    "the head reads the class token alone, not all tokens": lambda i, p, c, n, d, f, k: (i // p) ** 2 * d * k,
    "a patch has patch_size ** 2 * channels numbers": lambda i, p, c, n, d, f, k: -p * p * (c - 1) * d,
    "num_layers is missing": lambda i, p, c, n, d, f, k: (1 - n) * (4 * (d * d + d) + 2 * d * f + f + 5 * d),
}  # fmt: skip


def _first_wrong_growth(vit_parameter_count, sizes, count):
    """Return a question about the first part of the model that does not grow as it should when one size grows."""
    parts = [("one more class", 6, 1, 6, "Which weights does the head have?"),
             ("one more channel", 2, 1, 80, "Which weights does the projection of a patch have?"),
             ("one more number in the hidden layer", 5, 1, 33, "Which weights does a feed-forward have?"),
             ("4 x 4 patches instead of 3 x 3", 0, 4, 35, "How many positions are there?"),
             ("one more layer", 3, 1, 222, "Which weights does a layer have?")]  # fmt: skip
    for what, place, more, weights, question in parts:
        grown = int(vit_parameter_count(*[size + more * (n == place) for n, size in enumerate(sizes)])) - count
        if grown != weights:
            return f"With {what} your count grows by {grown:,}, and {weights:,} are expected. {question}"
    return "What exists once in the model, whatever the number of layers, classes and patches?"


@self_check("vit_parameter_count")
def check_vit_parameter_count(report, vit_parameter_count):
    """Check sizes that are all different, twice, and the published model."""
    cases, wholes = [(12, 4, 2, 3, 5, 7, 11), (15, 3, 4, 2, 6, 11, 8)], (962, 1134)
    counts = [call_explained(report, vit_parameter_count, *sizes, on="seven small sizes") for sizes in cases]
    one = all(np.shape(got) == () and int(got) == got for got in counts)
    report.expect(one, "it returns a whole number", Observed(f"Yours is {counts[0]!r}"), stop=True)
    kind = Observed("Yours is a float. Which operator divides whole numbers without making floats?")
    report.expect(np.asarray(counts[0]).dtype.kind in "iu", "that is an integer", kind)
    more = [count - whole for count, whole in zip(counts, wholes, strict=True)]
    hint = name_slip(more, cases, _SLIPS)
    if not hint and more[0]:
        hint = observed(counts[0], wholes[0], _first_wrong_growth(vit_parameter_count, cases[0], int(counts[0])))
    report.expect(counts[0] == 962, "962 weights for sizes that are all different", hint, stop=True)
    got = int(call_explained(report, vit_parameter_count, 224, 16, 3, 12, 768, 3072, 1000, on="ViT-B/16"))
    report.expect(got == 86_567_656, "ViT-B/16 has 86,567,656", Observed(f"Yours has {got:,}."))
