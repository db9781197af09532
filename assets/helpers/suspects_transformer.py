"""Eight whole Transformers for the section that looks for sabotage. Look here after you have found it."""

import numpy as np

#: What each of them is.
WHOLE_SUSPECTS = {
    "A": "leaks the future: no causal mask",
    "B": "sound, post-norm",
    "C": "the target's causal mask in cross-attention",
    "D": "padded positions scored in the loss",
    "E": "sound, pre-norm",
    "F": "positions added along the batch axis",
    "G": "embeddings not scaled by the root of the width",
    "H": "padding of the source attended to",
}
_SUSPECT_WORDS, _SUSPECT_WIDTH, _SUSPECT_HEADS = 12, 8, 2


def make_whole_suspects():
    """Make the suspects, in numpy, one layer on each side, with the same random weights.

    Returns:
        Dict from letter to `(encode, decode, loss)`: from `source (B, S)` to the memory `(B, S, 8)`; from memory,
        source and `target (B, T)` to logits `(B, T, 12)`; from logits and targets to the mean loss. Id 0 is padding.
    """
    rng = np.random.default_rng(21)
    matrices = {
        f"{use}{part}": rng.normal(size=(_SUSPECT_WIDTH, _SUSPECT_WIDTH)) / 2
        for use in ("encoder", "self", "cross")
        for part in "qkvo"
    }
    matrices |= {name: rng.normal(size=(_SUSPECT_WIDTH, _SUSPECT_WIDTH)) / 2 for name in ("up", "down", "UP", "DOWN")}
    words, heads_out = (
        rng.normal(size=(2, _SUSPECT_WORDS, _SUSPECT_WIDTH)),
        rng.normal(size=(_SUSPECT_WIDTH, _SUSPECT_WORDS)),
    )
    angles = np.arange(40)[:, None] / 10000.0 ** (2 * (np.arange(_SUSPECT_WIDTH) // 2) / _SUSPECT_WIDTH)
    places = np.where(np.arange(_SUSPECT_WIDTH) % 2, np.cos(angles), np.sin(angles))

    def normal(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    def attend(use, x, memory, mask):
        def split(a, part):
            return (a @ matrices[use + part]).reshape(*a.shape[:2], _SUSPECT_HEADS, -1).swapaxes(1, 2)

        scores = split(x, "q") @ split(memory, "k").swapaxes(-2, -1) / (_SUSPECT_WIDTH // _SUSPECT_HEADS) ** 0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True)) * mask
        weights = weights / weights.sum(-1, keepdims=True)
        return (weights @ split(memory, "v")).swapaxes(1, 2).reshape(x.shape) @ matrices[use + "o"]

    def add(letter, x, compute):
        return x + compute(normal(x)) if letter == "E" else normal(x + compute(x))

    def embed(letter, ids, side):
        place = places[: len(ids), None] if letter == "F" else places[: ids.shape[1]]
        return words[side][ids] * (1.0 if letter == "G" else _SUSPECT_WIDTH**0.5) + place

    def make(letter):
        def allowed(source):
            return np.ones(source.shape)[:, None, None, :] if letter == "H" else (source != 0)[:, None, None, :]

        def encode(source):
            x = embed(letter, source, 0)
            x = add(letter, x, lambda a: attend("encoder", a, a, allowed(source)))
            x = add(letter, x, lambda a: np.maximum(a @ matrices["up"], 0) @ matrices["down"])
            return normal(x) if letter == "E" else x

        def decode(memory, source, target):
            past = np.ones((target.shape[1],) * 2) if letter == "A" else np.tri(target.shape[1])
            over_memory = np.tri(target.shape[1], source.shape[1]) if letter == "C" else allowed(source)
            y = add(letter, embed(letter, target, 1), lambda a: attend("self", a, a, past))
            y = add(letter, y, lambda a: attend("cross", a, memory, over_memory))
            y = add(letter, y, lambda a: np.maximum(a @ matrices["UP"], 0) @ matrices["DOWN"])
            return (normal(y) if letter == "E" else y) @ heads_out

        def loss(logits, target):
            e = np.exp(logits - logits.max(-1, keepdims=True))
            p = np.take_along_axis(e / e.sum(-1, keepdims=True), np.asarray(target)[..., None], axis=-1)[..., 0]
            counted = np.ones(p.shape) if letter == "D" else np.asarray(target) != 0
            return float((-np.log(p) * counted).sum() / counted.sum())

        return encode, decode, loss

    return {letter: make(letter) for letter in WHOLE_SUSPECTS}
