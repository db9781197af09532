"""Self-check of notebook 6: encoder layer."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_transformer import matches, name_held, waves
from helpers.explained_errors import call_explained


def layer_weights(attentions, norms):
    """Make weights of width 4 for a layer: dicts for the named attentions, for `norms` norms, and `ffn`."""
    weights = {}
    for i, name in enumerate(attentions):
        weights[name] = {f"w_{p}": waves(7 + 9 * i + n, 4, 4) for n, p in enumerate("qkvo")}
        weights[name] |= {f"b_{p}": waves(11 + 9 * i + n, 4) for n, p in enumerate("qkvo")}
    for i in range(norms):
        weights[f"norm{i + 1}"] = {"gamma": 1 + waves(27 + i, 4) / 2, "beta": waves(31 + i, 4)}
    shapes = {"w1": (4, 7), "b1": (7,), "w2": (7, 4), "b2": (4,)}
    return weights | {"ffn": {name: waves(35 + n, *shape) for n, (name, shape) in enumerate(shapes.items())}}


_ENCODER_CASE = waves(3, 2, 3, 4), layer_weights(["attention"], 2)
_ENCODER_MASK = np.array([[True, True, False], [True, False, True]])[:, None]
#: What is right, and what known mistakes make of position [1, 1]: without a mask, and with one.
_POST_RESULTS = {
    "": [[[0.136966, 1.31887, 0.510066, -2.14591], [0.0291594, 1.35599, 0.425613, -2.07449],
          [-0.125799, 1.42053, 0.23448, -1.94437]],
         [[-0.659363, 1.38584, 0.355328, -1.16165], [-0.66059, 1.41892, 0.23543, -1.18002],
          [1.40055, 1.48803, -1.33143, -2.59864]]],
    "the residual of the attention is missing": [-0.604879, 1.43884, 0.172517, -1.28196],
    "the residual of the feed-forward is missing": [-0.439177, 1.45586, 0.124741, -1.54333],
    "you normalise what the sublayer computes; normalise the sum": [-3.95035, 0.480653, 2.29995, -1.69618],
    "the second residual carries what came into its own sublayer, not x": [-0.422189, 1.36267, 0.470587, -1.52025],
    "the feed-forward reads the result of the first norm, not x": [-0.447065, 1.43628, 0.204589, -1.53071],
    "norm1 and norm2 are swapped": [-2.12389, 0.837339, 0.986422, -0.752784],
    "norm1 is used twice": [-2.66917, 0.0490329, 1.17062, -0.688239],
    "the second norm is missing": [-6.8213, 6.42452, 7.34386, -3.93233],
    "the first norm is missing": [-0.897316, 1.40393, 0.169382, -0.694443],
    "this is pre-norm; norm_first=False is post-norm": [-17.1722, 12.6469, 11.8574, -13.6975],
    "the feed-forward comes first; the attention should": [-0.745027, 1.62129, -1.11634, -0.458516],
    "the feed-forward, with norm2, comes first; the attention should": [2.1107, -1.79072, 0.710323, -0.791824],
    "the attention is missing": [2.16716, 0.726767, -0.0713796, -1.46442],
    "the feed-forward is missing": [-1.11517, 1.25102, 0.330906, 0.167543],
}  # fmt: skip
_PRE_RESULTS = {
    "": [[[-13.6659, 10.4801, 3.20827, -12.7138], [-15.5556, 11.4198, -1.10027, -9.80345],
          [-13.5066, 9.06219, 7.45518, -15.7778]],
         [[-12.9627, 6.61873, -2.55596, -5.00265], [-17.1722, 12.6469, 11.8574, -13.6975],
          [-11.157, 6.93375, -6.69161, -7.28672]]],
    "norm_first is ignored": [-0.66059, 1.41892, 0.23543, -1.18002],
    "the residual carries the normalised value; it carries what came in": [-17.551, 10.366, 12.5204, -14.1274],
    "the residual carries the normalised value": [-3.84119, 7.03535, 2.96988, -7.4644],
    "there is a norm at the end; pre-norm adds none": [-0.545042, 1.4585, 0.102856, -1.38053],
    "query, key and value are all normalised, yours only the query": [-9.93939, 9.18126, 4.7698, -3.21667],
    "the second sublayer needs its own norm": [-43.3503, 43.4659, 50.7949, -19.8278],
    "norm1 is used twice": [-17.5232, 13.6616, 16.0369, -10.7526],
    "the first sublayer needs its own norm": [-10.0663, 9.52083, 6.98064, -5.66064],
    "the residual of the attention is missing": [-17.1581, 13.7444, 10.3115, -13.4487],
    "the residual of the feed-forward is missing": [-3.1494, 5.43011, 2.01651, -6.522],
    "the norm is taken of what a sublayer computes; it comes before the sublayer":
        [-3.95035, 0.480653, 2.29995, -1.69618],
}  # fmt: skip
_MASKED_POST = {
    "": [[[-0.362571, 1.46739, 0.0754227, -1.65007], [-0.492443, 1.41832, 0.271036, -1.45707],
          [-0.303388, 1.48511, -0.00762707, -1.7226]],
         [[-0.702523, 1.42853, 0.183838, -1.10681], [-0.661947, 1.43085, 0.188714, -1.1813],
          [1.41436, 1.48626, -1.34115, -2.59821]]],
    "the mask has no influence on your result": [-0.66059, 1.41892, 0.23543, -1.18002],
    "the mask seems inverted: True = may attend": [-0.579585, 1.38342, 0.3836, -1.29608],
    "every sentence gets the mask of the first one": [-0.66358, 1.41881, 0.234899, -1.17465],
}  # fmt: skip
_MASKED_PRE = {
    "": [[[-14.264, 10.5568, 2.25244, -12.1895], [-15.5557, 11.4198, -1.10031, -9.80343],
          [-15.1993, 9.87752, 5.78542, -14.7085]],
         [[-12.9613, 6.61452, -2.56404, -4.99987], [-17.2193, 12.6849, 11.5741, -13.5699],
          [-11.1569, 6.9337, -6.69187, -7.28662]]],
    "the mask has no influence on your result": [-17.1722, 12.6469, 11.8574, -13.6975],
    "the mask seems inverted: True = may attend": [-15.4821, 10.2108, 22.4336, -18.0259],
    "every sentence gets the mask of the first one": [-18.5344, 13.3919, 14.3119, -14.5188],
}  # fmt: skip


def not_a_pair(report, result):
    """Stop if the attention weights were returned as well."""
    pair = isinstance(result, tuple | list)
    report.expect(not pair, "it returns the array only", "leave the attention weights out", stop=pair)
    return result


@self_check("encoder_layer")
def check_encoder_layer(report, encoder_layer):
    """Check both kinds of layer against their usual mistakes, and the mask."""
    x, weights = _ENCODER_CASE
    got = call_explained(report, encoder_layer, x, weights, 1, on="x (2, 3, 4)")
    got = report.array(not_a_pair(report, got), x.shape)
    hint = name_held(got, _POST_RESULTS, "What is LN(x + Attention(x)) there, and what LN(y + FFN(y))?")
    right = matches(got, _POST_RESULTS[""], 1e-5)
    report.expect(right, "post-norm: each sum is normalised", hint, stop=True)
    got = report.array(report.call(encoder_layer, x, weights, 1, None, True), x.shape, what="the pre-norm result")
    hint = name_held(got, _PRE_RESULTS, "What is x + Attention(LN(x)) there, and what y + FFN(LN(y))?")
    right = matches(got, _PRE_RESULTS[""], 1e-5)
    report.expect(right, "pre-norm: the norm at the entrance, no norm of a sum", hint, stop=True)
    for kind, table in (("post-norm", _MASKED_POST), ("pre-norm", _MASKED_PRE)):
        got = np.asarray(report.call(encoder_layer, x, weights, 1, _ENCODER_MASK, kind == "pre-norm"))
        hint = name_held(got, table, "Which of the three positions may this one attend to?")
        right = matches(got, table[""], 1e-5)
        report.expect(right, f"{kind}: what the mask forbids has no influence", hint, stop=True)
