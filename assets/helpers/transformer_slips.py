"""The logits of a Transformer of notebook 6 with a known mistake in it, for the weights that `model_logits` sets."""

import numpy as np

#: The sizes: width, hidden width of the feed-forward, words of source and target.
WIDTH, HIDDEN, SOURCE_WORDS, TARGET_WORDS = 8, 6, 10, 9
_USUAL = {
    "add": "", "relu": "between", "epsilon": 1e-5, "end_epsilon": 1e-5, "scale": WIDTH**0.5, "sum_scale": 1.0,
    "places": ("source", "target"), "causal": True, "cross_causal": False, "masked": ("encoder", "cross"),
    "memory": "encoder", "heads": 2, "softmax": False, "drop": "computed", "flat": {},
}  # fmt: skip
#: What is said of each mistake, and what it changes.
MODEL_SLIPS = {
    "the ReLU of the feed-forward is missing": {"relu": ""},
    "there is a second ReLU, after the feed-forward; its output may be negative": {"relu": "twice"},
    "the epsilon of your norms: 1e-5 is asked for, Keras' default is 1e-3": {"epsilon": 1e-3, "end_epsilon": 1e-3},
    "the epsilon in your sublayers: 1e-5 is asked for, Keras' default is 1e-3": {"epsilon": 1e-3},
    "the epsilon of the norms at the end: 1e-5 is asked for, Keras' default is 1e-3": {"end_epsilon": 1e-3},
    "the residual carries the normalised value; it carries what came in": {"add": "carry"},
    "a residual connection is missing: add what came in": {"add": "none"},
    "the sublayers have no norm": {"add": "bare"},
    "the norm is taken of what is computed: post-norm has to normalise the sum, pre-norm what enters": {"add": "after"},
    "norm_first is ignored in the sublayers, which are post-norm all the same": {"add": "post"},
    "your sublayers are pre-norm all the same": {"add": "pre"},
    "the embedding has to be multiplied by the root of d_model": {"scale": 1.0},
    "the root of d_model belongs on the embedding alone, not on the positions": {"scale": 1.0, "sum_scale": WIDTH**0.5},
    "the embedding is multiplied by d_model; take its root": {"scale": float(WIDTH)},
    "the embedding is divided by the root of d_model; multiply": {"scale": WIDTH**-0.5},
    "positions are missing in the encoder": {"places": ("target",)},
    "positions are missing in the decoder": {"places": ("source",)},
    "positions are missing": {"places": ()},
    "positions run along the words, not along the batch": {"places": "batch"},
    "the decoder's self-attention must be causal": {"causal": False},
    "your cross-attention is causal, and every target word may see the whole source": {"cross_causal": True},
    "the source's padding is not masked in encoder self-attention": {"masked": ("cross",)},
    "the source's padding is not masked in cross-attention": {"masked": ("encoder",)},
    "the source's padding is masked nowhere: mask it in encoder self-attention and in cross-attention": {"masked": ()},
    "the encoder's mask hides queries: its last axis belongs to the keys": {"masked": ("rows", "cross")},
    "the source's mask seems inverted: it has to be True for words": {"masked": ("encoder", "cross", "inverted")},
    "cross-attention reads the embedded source, not the encoder's result": {"memory": "embedded"},
    "each decoder layer reads an encoder layer of its own; all read the result of the last one": {"memory": "own"},
    "num_heads and key_dim are swapped: the number of heads comes first": {"heads": 4},
    "these are probabilities: leave the softmax out": {"softmax": True},
    "nothing is dropped in training: dropout is missing": {"drop": "nothing"},
    "dropout hits the attentions only; what the feed-forward computes is dropped as well": {"drop": "attention"},
    "dropout hits the feed-forwards only; what an attention computes is dropped as well": {"drop": "transform"},
    "dropout falls on the sum; it belongs on what a sublayer computes, before that is added": {"drop": "sum"},
    "dropout falls on what enters a sublayer; it belongs on what the sublayer computes": {"drop": "input"},
    "dropout comes after the norm; it belongs on what a sublayer computes": {"drop": "norm"},
    "your dropout is that of the attention weights; it belongs on what a sublayer computes": {"drop": "weights"},
}


def slipped_logits(source, target, norm_first=False, dropped=False, row=0, **slip):
    """Compute the logits of a model of two layers a side, filled with seed 1.

    Args:
        source: Ids, of one sentence.
        target: Ids, of one sentence.
        norm_first: Pre-norm.
        dropped: In training, with a rate of dropout so near to 1 that nothing is left.
        row: The row of the batch that the sentence is.
        **slip: What is other than it should be, as in `MODEL_SLIPS`.

    Returns:
        Logits, a row for each target id.
    """
    o = _USUAL | slip
    D, drop, heads = WIDTH, o["drop"] if dropped else "nothing", o["heads"]
    places = np.arange(max(len(source), len(target), 2))[:, None] * 10000.0 ** (-np.arange(0, D, 2) / D)
    places = np.stack([np.sin(places), np.cos(places)], -1).reshape(-1, D)

    def w(*shape):
        return np.random.default_rng([1, *shape]).normal(size=shape) * (D**-0.5 if len(shape) > 1 else 0.2)

    def norm(x, epsilon=o["epsilon"]):
        return (1 + w(D)) * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) + w(D)

    def attend(x, memory, mask):
        k = D // heads
        q, v = (np.einsum("td,dhk->htk", a, w(D, heads, k)) + w(heads, k)[:, None] for a in (x, memory))
        e = np.where(mask, np.exp(q @ v.swapaxes(-2, -1) / np.sqrt(k)), 1e-30)  # as in Keras: an empty row is uniform
        mixed = e / e.sum(-1, keepdims=True) @ v * (drop != "weights")
        return np.einsum("htk,hkd->td", mixed, w(heads, k, D)) + w(D)

    def transform(x):
        hidden = x @ w(D, HIDDEN) + w(HIDDEN)
        result = (np.maximum(hidden, 0) if o["relu"] else hidden) @ w(HIDDEN, D) + w(D)
        return np.maximum(result, 0) if o["relu"] == "twice" else result

    def add(x, compute):
        kind = "transform" if compute is transform else "attention"
        gone = drop in ("computed", kind) or (drop == "norm" and norm_first)

        def f(x):
            return 0 * x if gone else compute(0 * x if drop == "input" else x)

        if o["add"] in ("carry", "none", "bare", "after"):
            return {"carry": lambda: norm(x) + f(norm(x)), "bare": lambda: x + f(x), "after": lambda: x + norm(f(x)),
                    "none": lambda: f(norm(x)) if norm_first else norm(f(x))}[o["add"]]()  # fmt: skip
        if o["add"] == "pre" or (norm_first and o["add"] != "post"):
            return (x + f(norm(x))) * (drop != "sum")
        return norm((x + f(x)) * (drop != "sum")) * (drop != "norm")

    def embed(ids, words, side):
        table = w(words, D)
        table[5] = table[4] + (places[0] - places[1]) / D**0.5
        shown = places[[row] * len(ids)] if o["places"] == "batch" else places[: len(ids)] * (side in o["places"])
        return (table[ids] * o["scale"] + shown) * o["sum_scale"]

    real = (np.asarray(source) != 0) ^ ("inverted" in o["masked"])
    x, y = embed(source, SOURCE_WORDS, "source"), embed(target, TARGET_WORDS, "target")
    encoder, cross = (real if side in o["masked"] else True for side in ("encoder", "cross"))
    encoder = real[:, None] if "rows" in o["masked"] else o["flat"].get("encoder", encoder)
    layers = [x]
    for _ in range(2):
        layers.append(add(add(layers[-1], lambda a: attend(a, a, encoder)), transform))
    last = norm(layers[2], o["end_epsilon"]) if norm_first else layers[2]
    memories = {"encoder": (last, last), "embedded": (x, x), "own": (layers[1], last)}[o["memory"]]
    cross = o["flat"].get("cross", cross)
    cross = cross & np.tri(len(target), len(source), dtype=bool) if o["cross_causal"] else cross
    for memory in memories:
        y = add(y, lambda a: attend(a, a, np.tri(len(a), dtype=bool) if o["causal"] else True))
        y = add(add(y, lambda a, memory=memory: attend(a, memory, cross)), transform)
    logits = (norm(y, o["end_epsilon"]) if norm_first else y) @ w(D, TARGET_WORDS) + w(TARGET_WORDS)
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True) if o["softmax"] else logits


def name_flat_mask(logits_of):
    """Name a mask of the source without an axis for the queries, `(B, S)`; empty if such a mask computes other logits.

    With as many sentences as words it runs, and a query sees what is a word in the sentence with the query's number.

    Args:
        logits_of: Function from ids of sources and targets to the logits of a model filled with seed 1.
    """
    sources = np.array([[7, 3, 8, 2], [3, 7, 2, 0], [8, 2, 0, 0], [2, 0, 0, 0]])
    targets = np.array([[1, 6, 3, 2]] * 4)
    try:
        logits = np.asarray(logits_of(sources, targets))
    except Exception:  # it is another mistake
        return ""
    for sides in (("encoder", "cross"), ("encoder",), ("cross",)):
        flat = dict.fromkeys(sides, sources != 0)
        wanted = [slipped_logits(*pair, row=n, flat=flat) for n, pair in enumerate(zip(sources, targets, strict=True))]
        if logits.shape == np.shape(wanted) and np.abs(logits - wanted).max() < 2e-5:
            return "a mask of the source is (B, S), and Keras takes its rows for queries; make it (B, 1, S)"
    return ""
