"""A head that looks a fixed number of words back: built from a matrix, and learned from examples."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import PAPER, show

#: How figures and sentences name the heads.
_SHOWN_BACK = {"built": "built", "learned": "learned"}


def head_maps(encoding, w_q, w_k):
    """Return the weights `(T, T)` of one head that sees positions only.

    Args:
        encoding: Positions `(T, D)`.
        w_q: Matrix `(D, K)` of the queries.
        w_k: Matrix `(D, K)` of the keys.
    """
    scores = (encoding @ w_q) @ (encoding @ w_k).T / np.sqrt(w_q.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def build_back_head(encoding, back, shift=None, sharpness=64.0):
    """Return `(w_q, w_k)` of a head that looks `back` words back.

    Args:
        encoding: Sinusoidal positions `(T, D)`, D even.
        back: How many words.
        shift: The student's `shift_matrix`; with None the matrix is fitted to the encoding by least squares.
        sharpness: By how much the products of positions are multiplied.
    """
    width = encoding.shape[1]
    if shift is None:
        w_q = np.linalg.lstsq(encoding[back:], encoding[:-back], rcond=None)[0]
    else:
        w_q = np.asarray(shift(-back, width)).T  # a position is a row here, and the matrix is for columns
    return sharpness * w_q, np.eye(width)


def train_back_head(encoding, back, seed=0, steps=600):
    """Return `(w_q, w_k)` that gradient descent finds from random matrices, with the right key as the answer.

    Args:
        encoding: Positions `(T, D)` to learn from.
        back: How many words the answer is back.
        seed: Seed of the two matrices.
        steps: Steps of Adam.
    """
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    length, width = encoding.shape
    x = keras.Input((length, width))
    query, key = (keras.layers.Dense(width, use_bias=False, name=name)(x) for name in ("query", "key"))
    scores = query @ keras.ops.swapaxes(key, 1, 2) / width**0.5
    model = keras.Model(x, scores[:, back:])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, steps_per_execution=50, jit_compile=False)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    copies = np.repeat(encoding[None].astype("float32"), 50, axis=0)
    wanted = np.tile(np.arange(length - back), (50, 1))
    model.fit(copies, wanted, batch_size=1, epochs=steps // 50, verbose=0, shuffle=False)
    return [model.get_layer(name).get_weights()[0].astype(float) for name in ("query", "key")]


def show_back_heads(heads, encoding, back, trained):
    """Show where heads look, within and beyond the positions they were trained on, and print the weight that is right.

    Args:
        heads: For each label `(w_q, w_k)`.
        encoding: Positions `(T, D)`, more than in training.
        back: How many words a head should look back.
        trained: How many positions the training had.

    Returns:
        For each label the mean weight on the right key, within and beyond the trained positions.
    """
    figure, axes = plt.subplots(1, len(heads), figsize=(7, 3.3), layout="constrained", squeeze=False)
    found = {}
    said = []
    for ax, (name, head) in zip(axes[0], heads.items(), strict=True):
        maps, label = head_maps(encoding, *head), _SHOWN_BACK.get(name, name)
        right = np.diagonal(maps, -back)  # the right key of every query that has one
        within, beyond = found[name] = float(right[: trained - back].mean()), float(right[trained - back :].mean())
        image = ax.imshow(maps, vmin=0, vmax=1, interpolation="nearest")
        ax.axhline(trained - 0.5, color=PAPER, lw=1, ls=(0, (4, 3)))
        ax.grid(False)
        ax.set(title=label, xlabel="key: position")
        print(f"{label}: mean weight {back} back {within:.3f}, beyond {trained} positions {beyond:.3f}")
        said.append(f"{label}: {within:.2f} and {beyond:.2f}")
    axes[0][0].set_ylabel(f"query: position (dashed: {trained})")
    figure.colorbar(image, ax=axes, label="weight", fraction=0.03, shrink=0.8).outline.set_visible(False)
    words = "; ".join(said)
    show(
        figure,
        f"Where heads look, a row for each query, the trained positions above a dashed line. Mean weight on the key "
        f"{back} back, within and beyond the {trained} trained positions: {words}.",
    )
    return found


def compare_blocks(built, learned, encoding, back, trained):
    """Print the cosine of the 2 x 2 blocks of two heads, pair by pair, and how the learned one looks with blocks alone.

    Args:
        built: `(w_q, w_k)` of one head.
        learned: The same of another.
        encoding: Positions `(T, D)`, more than in training.
        back: How many words a head should look back.
        trained: How many positions the training had.
    """
    products = [np.asarray(w_q) @ np.asarray(w_k).T for w_q, w_k in (built, learned)]
    cosines = []
    for i in range(0, len(products[0]), 2):
        one, other = (product[i : i + 2, i : i + 2] for product in products)
        cosines.append(float((one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other)))
    print("cosine of the blocks of both heads, fast pairs first:")
    print(*(f"{cosine:.2f}" for cosine in cosines))
    width = len(products[1])
    alone = products[1] * np.kron(np.eye(width // 2), np.ones((2, 2)))  # zeros outside the blocks
    beyond = np.diagonal(head_maps(encoding, alone, np.eye(width)), -back)[trained - back :].mean()
    print(f"learned, zeros outside the blocks: mean weight {back} back, beyond {trained} positions {beyond:.3f}")
