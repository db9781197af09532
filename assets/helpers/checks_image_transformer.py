"""Self-checks of notebook 9: rollout through the layers, and the count of a Vision Transformer's weights."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_image_patches import near
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, name_slip, observed

#: Weights of three layers, each for two pictures and four heads: rows that sum to 1, in some order.
_LAYERS = np.array([
    [0.2, 0.3, 0.5], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2],
    [0.0, 0.1, 0.9], [0.6, 0.1, 0.3], [0.3, 0.5, 0.2],
])[(np.arange(72) ** 2 + np.arange(72) // 5) % 7].reshape(3, 2, 4, 3, 3)  # fmt: skip
#: What is right for both pictures, and what known mistakes make of the first one: of the first layer, and of all.
_ONE_LAYER = {
    "": [[[0.625, 0.2, 0.175], [0.1875, 0.6375, 0.175], [0.0875, 0.1125, 0.8]],
         [[0.6125, 0.1, 0.2875], [0.175, 0.6375, 0.1875], [0.25, 0.125, 0.625]]],
    "the identity is missing: a token also keeps itself, by the residual":
        [[0.25, 0.4, 0.35], [0.375, 0.275, 0.35], [0.175, 0.225, 0.6]],
    "you took the largest of the heads; take their mean":
        [[0.592593, 0.222222, 0.185185], [0.21875, 0.5, 0.28125], [0.193548, 0.193548, 0.612903]],
    "the identity is added, but the rows do not sum to 1 yet":
        [[1.25, 0.4, 0.35], [0.375, 1.275, 0.35], [0.175, 0.225, 1.6]],
    "you summed over the heads; take their mean":
        [[0.4, 0.32, 0.28], [0.3, 0.42, 0.28], [0.14, 0.18, 0.68]],
    "one head only; take the mean of all":
        [[0.6, 0.15, 0.25], [0.35, 0.6, 0.05], [0.0, 0.05, 0.95]],
}  # fmt: skip
_THREE_LAYERS = {
    "": [[[0.39184, 0.301227, 0.306934], [0.306914, 0.384297, 0.308789], [0.232928, 0.260334, 0.506738]],
         [[0.424391, 0.217609, 0.358], [0.283402, 0.367244, 0.349354], [0.320457, 0.261162, 0.418381]]],
    "you follow each head by itself, with a mean at the end; take the mean of the heads in each layer":
        [[0.403531, 0.299906, 0.296563], [0.30325, 0.385437, 0.311312], [0.216938, 0.271062, 0.512]],
    "the order is reversed: each later layer multiplies from the left":
        [[0.430699, 0.274996, 0.294305], [0.340191, 0.356412, 0.303396], [0.266477, 0.238498, 0.495025]],
    "the identity belongs to every layer":
        [[0.318609, 0.338031, 0.343359], [0.320469, 0.344375, 0.335156], [0.313586, 0.340711, 0.345703]],
    "this multiplies entry by entry; use @":
        [[0.284766, 0.0061875, 0.00328125], [0.00996094, 0.244043, 0.00382812], [0.00159961, 0.00225, 0.401625]],
    "this is the mean of the layers; multiply them":
        [[0.658333, 0.1875, 0.154167], [0.216667, 0.625, 0.158333], [0.120833, 0.1375, 0.741667]],
    "only the last layer came out":
        [[0.675, 0.1375, 0.1875], [0.25, 0.625, 0.125], [0.1125, 0.1, 0.7875]],
    "only the first layer came out":
        [[0.625, 0.2, 0.175], [0.1875, 0.6375, 0.175], [0.0875, 0.1125, 0.8]],
}  # fmt: skip
_HALVED = [[[0.75, 0.133333, 0.116667], [0.125, 0.758333, 0.116667], [0.0583333, 0.075, 0.866667]],
         [[0.741667, 0.0666667, 0.191667], [0.116667, 0.758333, 0.125], [0.166667, 0.0833333, 0.75]]]  # fmt: skip


@self_check("attention_rollout")
def check_attention_rollout(report, attention_rollout):
    """Check one layer, the order of two, the identity, the heads and rows that do not sum to 1."""

    def roll(*arrays):
        return attention_rollout(list(arrays))

    got = call_explained(report, roll, _LAYERS[0], on="a list of one array (2, 4, 3, 3)",
                         expected="The heads are axis 1.")  # fmt: skip
    got = report.array(got, (2, 3, 3), what="the rollout of one layer")
    right = _ONE_LAYER[""]
    hint = _name_rollout(got, _ONE_LAYER, "Which steps lead from the heads to rows that sum to 1?")
    report.expect(near(got, right), "one layer: the mean of the heads and the identity", hint, stop=True)
    got = np.asarray(call_explained(report, roll, *_LAYERS, on="three layers"))
    hint = _name_rollout(got, _THREE_LAYERS, "Which matrices do you multiply, and in which order?")
    report.expect(near(got, _THREE_LAYERS[""]), "three layers, the last one leftmost", hint, stop=True)
    given = [layer.copy() for layer in _LAYERS]
    kept = list(given)
    attention_rollout(given)
    same = len(given) == len(kept) and all(a is b for a, b in zip(given, kept, strict=True))
    report.expect(
        same, "the list is unchanged", "your function changes the list that it is given: work on a copy of it"
    )
    report.expect(near(got.sum(-1), np.ones((2, 3))), "rows sum to 1", Observed("Which sums do you divide by?"))
    got = np.asarray(call_explained(report, roll, 0.5 * _LAYERS[0], on="rows that sum to 0.5"))
    hint = observed(got, _HALVED, "Do you divide by the row's own sum?")
    if near(got, right):
        hint = "you divided by the row's sum before the identity was added; add first, divide once"
    report.expect(near(got, _HALVED), "rows that do not sum to 1 before are divided by their sum", hint)


def _name_rollout(got, table, question):
    """Name the mistake that makes the same of the first picture, or say how the result of both differs."""
    mistakes = {text: rows for text, rows in table.items() if text}
    named = Observed() if np.shape(got) != (2, 3, 3) else name_mistake(got[0], mistakes, table[""][0])
    return observed(got, table[""], question) if isinstance(named, Observed) else named


_TWO_SIZES, _WHOLES = ((12, 4, 2, 3, 5, 7, 11), (15, 3, 4, 2, 6, 11, 8)), (962, 1134)
#: What is missing (below 0) or too much at these sizes.
_SLIPS = {
    "d_model weights are missing: the class token, its position, or the bias of the patch projection": (-5, -6),
    "2 d_model weights are missing: the last norm, or the class token with its position": (-10, -12),
    "there is no position for the patches, only for the class token, or none at all": (-45, -150),
    "the positions are missing, one for each patch and one for the class token": (-50, -156),
    "you counted the patches along one side; square that number": (-30, -120),
    "square the number of patches along a side first; the class token adds one position after that": (30, 60),
    "a norm has gamma and beta": (-35, -30),
    "gamma and beta have d_model numbers each; yours have one": (-56, -50),
    "the norms are missing: two in each layer, and a last one": (-70, -60),
    "each layer has two norms": (-30, -24),
    "query, key, value and output each have a bias": (-60, -48),
    "the output matrix of the attention is missing": (-90, -84),
    "the feed-forward has two biases, of d_ff and of d_model": (-36, -34),
    "the second bias of the feed-forward has d_model numbers, not d_ff": (6, 10),
    "the hidden width is d_ff, not four times d_model": (429, 338),
    "the head has a bias": (-11, -8),
    "the head reads the class token alone, not all tokens": (495, 1200),
    "a patch has patch_size ** 2 * channels numbers": (-80, -162),
    "num_layers is missing": (-444, -341),
}


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
    counts = [call_explained(report, vit_parameter_count, *sizes, on="seven small sizes") for sizes in _TWO_SIZES]
    one = all(np.shape(got) == () and int(got) == got for got in counts)
    report.expect(one, "it returns a whole number", Observed(f"Yours is {counts[0]!r}"), stop=True)
    kind = Observed("Yours is a float. Which operator divides whole numbers without making floats?")
    report.expect(np.asarray(counts[0]).dtype.kind in "iu", "that is an integer", kind)
    more = [count - whole for count, whole in zip(counts, _WHOLES, strict=True)]
    hint = name_slip(more, [(0,), (1,)], {text: row.__getitem__ for text, row in _SLIPS.items()})
    if not hint and more[0]:
        hint = observed(counts[0], 962, _first_wrong_growth(vit_parameter_count, _TWO_SIZES[0], int(counts[0])))
    report.expect(counts[0] == 962, "962 weights for sizes that are all different", hint, stop=True)
    got = int(call_explained(report, vit_parameter_count, 224, 16, 3, 12, 768, 3072, 1000, on="ViT-B/16"))
    report.expect(got == 86_567_656, "ViT-B/16 has 86,567,656", Observed(f"Yours has {got:,}."))
