"""What a Vision Transformer's tokens look at, how alike its positions are, and what its patches cost."""

import time

import keras
import numpy as np
from helpers.tables import to_width
from helpers.vision_models import HEADS, VIT, build_vit


def class_token_row(attentions, roll=None):
    """Return what reaches the class token through all layers, `(B, T)`.

    Args:
        attentions: Weights of each layer, `(B, H, T, T)`.
        roll: A student's rollout `(B, T, T)`, whose row of the class token is taken; with None that row is followed
            from the last layer back to the first.
    """
    if roll is not None:
        return np.asarray(roll(attentions))[:, 0]
    row = np.eye(attentions[0].shape[-1])[None, :1]
    for weights in attentions[::-1]:
        row = (row + row @ weights.mean(axis=1)) / 2
    return row[:, 0]


def slope_of_patches(vit, patches, labels):
    """Return how strongly the logit of the right class depends on each patch: gradient sizes, summed, `(B, N)`."""
    import tensorflow as tf  # gradients are the backend's: Keras has none of its own

    pixels = tf.constant(patches)
    with tf.GradientTape() as tape:
        tape.watch(pixels)
        logit = tf.gather(vit(pixels), labels, batch_dims=1)
    return np.abs(tape.gradient(logit, pixels)).sum(axis=-1)


def grid_correlation(table, side):
    """Return the correlation between the cosine of two positions and the nearness of their cells on the grid."""
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    cells = np.stack(np.divmod(np.arange(side * side), side), axis=1)
    distance = np.linalg.norm(cells[:, None] - cells[None], axis=-1)
    pairs = np.triu_indices(side * side, k=1)
    return float(np.corrcoef((unit @ unit.T)[pairs], -distance[pairs])[0, 1])


def enlarge_positions(table, old, new, resize=None):
    """Return positions for a square grid of another side: by a student's function, with None by Keras."""
    if resize is not None:
        return np.asarray(resize(table, (old, old), (new, new)))
    picture = np.reshape(table, (1, old, old, -1))
    return np.asarray(keras.ops.image.resize(picture, (new, new), antialias=False)).reshape(new * new, -1)


def with_positions(vit, positions):
    """Return a copy of a trained ViT that reads as many patches as these positions `(N, D)`, and uses them."""
    other, _ = build_vit(tokens=len(positions))
    for layer in vit.layers:
        if layer.name != "tokens" and layer.weights:
            other.get_layer(layer.name).set_weights(layer.get_weights())
    old, new = vit.get_layer("tokens"), other.get_layer("tokens")
    new.class_token.assign(old.class_token)
    new.table.assign(np.concatenate([np.asarray(old.table)[:1], positions]))
    return other


PICTURES = 8  # are timed at once
_SECONDS = {}  # a clock never says the same twice; a session that runs the cell again sees what it saw before


def _seconds_of(tokens, width, times=5):
    """Return the seconds of one attention layer on some pictures of so many tokens: the fastest of some calls."""
    if (tokens, width) not in _SECONDS:
        layer, taken = keras.layers.MultiHeadAttention(HEADS, width // HEADS), []
        x = np.zeros((PICTURES, tokens, width), "float32")
        layer(x, x, return_attention_scores=True)  # the first call is slow
        for _ in range(times):
            start = time.perf_counter()
            layer(x, x, return_attention_scores=True)
            taken.append(time.perf_counter() - start)
        _SECONDS[tokens, width] = min(taken)
    return _SECONDS[tokens, width]


def print_patch_costs(image_size, patch_sizes):
    """Print tokens, scores and the measured time of one attention layer for patches of several sizes."""
    before = None
    layer = f"one attention layer of width {VIT['d_model']} with {HEADS} heads"
    print(f"{layer}, {PICTURES} pictures of {image_size} x {image_size} pixels:")
    for size in patch_sizes:
        tokens = (image_size // size) ** 2 + 1
        taken = _seconds_of(tokens, VIT["d_model"])
        more = f", {taken / before:4.1f} times the line before" if before else ""
        counts = f"{tokens:4d} tokens, {tokens**2:9,d} scores a head"
        print(f"patches of {size:2d} pixels: {counts}, {1000 * taken:6.1f} ms{more}")
        before = taken


def print_captioners(stored):
    """Print what the stored captioners with and without the penalty reach, each run by itself."""
    for key, text in {"chosen": "learned weights", "penalty": "with the penalty"}.items():
        runs = stored[key]
        captions, pointing = (", ".join(f"{share:.3f}" for share in runs[what]) for what in ("captions", "pointing"))
        reached = ", ".join(f"{value:.1f}" for value in runs["reached"])
        print(f"{to_width(text, 17)} captions {captions}; pointing {pointing}\n{'':17} penalty {reached}")
