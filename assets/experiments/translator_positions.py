"""Exchange the positions in the course's Transformer and ask for sources longer than any in training.

Three Transformers differ in their positions only. `sines`: added to the words, as in the paper. `relative`: nothing is
added, and every self-attention has a learned bias for each head and distance, from -8 to 8. `rotary`: nothing is
added, and every self-attention rotates its queries and keys. Cross-attention has no positions of its own in any of
them. Each is trained on sources of at most nine words and tested on up to fourteen.

    nice -n 15 python assets/experiments/translator_positions.py        # about ten minutes of processor time
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import pprint
import sys
import time
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "assets")]

from helpers import number_words, translator  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_translator_positions.py"
HEAD = '''"""A Transformer with other positions, beyond the trained length: assets/experiments/translator_positions.py.

`curves`: for each kind of position a list of runs (one for each seed), each with the exact match on held-out numbers
for every number of source words in `words`; `counts` says how many numbers there are. Trained on sources of up to
`trained_to` words.
"""

# fmt: off
'''
KINDS = ("sines", "relative", "rotary")
RADIUS, WIDTH, HEADS, DEPTH, HIDDEN = 8, 64, 4, 2, 128


class PlacedHeads(keras.layers.Layer):
    """Multi-head self-attention with a bias by distance or a rotation, if the kind has one.

    Args:
        kind: One of `KINDS`.
    """

    def __init__(self, kind, **options):
        super().__init__(**options)
        self.kind, self.key_dim = kind, WIDTH // HEADS
        self.to_all, self.to_output = keras.layers.Dense(3 * WIDTH), keras.layers.Dense(WIDTH)
        if kind == "relative":
            self.biases = self.add_weight(shape=(HEADS, 2 * RADIUS + 1), initializer="zeros")

    def _rotate(self, x):
        angles = np.arange(x.shape[2])[:, None] * 1e4 ** (-np.arange(0, self.key_dim, 2) / self.key_dim)
        cos, sin = np.cos(angles).astype("float32"), np.sin(angles).astype("float32")
        a, b = x[..., 0::2], x[..., 1::2]
        return keras.ops.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)  # any order serves a product

    def call(self, x, mask):
        """Let `x (B, T, D)` attend to itself; `mask` fits `(B, H, T, T)`, True = may attend."""
        ops, length = keras.ops, x.shape[1]
        shape = (-1, length, HEADS, self.key_dim)
        parts = (ops.reshape(part, shape) for part in ops.split(self.to_all(x), 3, axis=-1))
        query, key, value = (ops.transpose(part, (0, 2, 1, 3)) for part in parts)
        if self.kind == "rotary":
            query, key = self._rotate(query), self._rotate(key)
        scores = ops.matmul(query, ops.swapaxes(key, -2, -1)) / self.key_dim**0.5
        if self.kind == "relative":
            distance = np.arange(length)[None, :] - np.arange(length)[:, None]
            scores = scores + ops.take(self.biases, np.clip(distance, -RADIUS, RADIUS) + RADIUS, axis=1)
        mixed = ops.matmul(ops.softmax(ops.where(mask, scores, -1e9)), value)
        return self.to_output(ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), (-1, length, WIDTH)))


def make_placed_translator(kind: str) -> keras.Model:
    """Build the course's Transformer with one kind of position; of fixed lengths, post-norm."""
    layers, ops = keras.layers, keras.ops
    lengths = number_words.SOURCE_LENGTH, number_words.TARGET_LENGTH
    source, target = (keras.Input((length,), dtype="int32") for length in lengths)
    real = ops.not_equal(source, number_words.PAD)[:, None, None, :]
    past = np.tri(lengths[1], dtype=bool)[None, None]

    def embed(ids, vocabulary, length):
        words = translator.WordsAndPlaces(len(vocabulary), WIDTH, length)
        if kind != "sines":
            words.places = np.zeros_like(words.places)
        return words(ids)

    def normalise(x, out):
        return layers.LayerNormalization(epsilon=1e-5)(x + out)

    def transform(x):
        return normalise(x, layers.Dense(WIDTH)(layers.Dense(HIDDEN, "relu")(x)))

    memory = embed(source, number_words.ENGLISH, lengths[0])
    for _ in range(DEPTH):
        memory = transform(normalise(memory, PlacedHeads(kind)(memory, real)))
    y = embed(target, number_words.GERMAN, lengths[1])
    for _ in range(DEPTH):
        y = normalise(y, PlacedHeads(kind)(y, past))
        y = transform(normalise(y, translator.HeadedAttention(WIDTH, HEADS)(y, memory, real)[0]))
    return keras.Model([source, target], layers.Dense(len(number_words.GERMAN))(y))


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=9000)
    parser.add_argument("--trained-to", type=int, default=9, help="words of the longest source in training")
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    _, held_out = number_words.split_numbers(0, 1000, 200)
    many, _ = number_words.split_numbers(0, 3000, 200)
    source, target = number_words.encode_numbers(many[~np.isin(many, held_out)])
    short = (source != number_words.PAD).sum(axis=1) <= args.trained_to
    source, target = source[short][: args.pairs], target[short][: args.pairs]
    held_source, held_target = number_words.encode_numbers(held_out)
    held_words = (held_source != number_words.PAD).sum(axis=1)
    words = [int(w) for w in np.unique(held_words) if (held_words == w).sum() >= 20]
    table: dict = {
        "settings": {
            "epochs": args.epochs, "training pairs": len(source), "date": args.date,
            "python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__,
        },
        "words": words, "counts": [int((held_words == w).sum()) for w in words], "trained_to": args.trained_to,
        "curves": {kind: [] for kind in KINDS},
    }  # fmt: skip
    for seed in range(args.seeds):
        for kind in KINDS:
            begun = time.process_time()
            keras.utils.set_random_seed(seed)
            model = make_placed_translator(kind)
            losses = translator.train_translator(model, source, target, epochs=args.epochs)
            right = translator.whole_sentence_right(translator.decode_greedily(model, held_source), held_target)
            table["curves"][kind].append([round(float(right[held_words == w].mean()), 3) for w in words])
            spent = time.process_time() - begun
            print(f"seed {seed} {kind}: loss {losses[-1]:.4f}, {right.mean():.4f}, {spent:.0f} CPU s", flush=True)
            keras.backend.clear_session()
        record = pprint.pformat(table, width=110, compact=True, sort_dicts=False)  # after each seed
        STORE.write_text(f"{HEAD}STORED_TRANSLATOR_POSITIONS = {record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
