"""Train the small Transformer of notebook 7 with the paper's recipe and without each part of it; store what it reaches.

Each seed trains the same model on the same pairs with all three parts (warm-up, smoothed labels, dropout), without each
of them, and without any. Model, recipe and decoding are those of `assets/helpers`.

    nice -n 15 python assets/experiments/recipe_runs.py
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
sys.path[:0] = [str(ROOT), str(ROOT / "assets")]

from helpers import number_words, recipe, translator  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_recipe.py"
HEAD = '''"""The small Transformer of notebook 7 with the paper's recipe and without parts of it.

Measured by assets/experiments/recipe_runs.py, one number a seed: `exact match` of held-out numbers, decoded greedily,
and `loss`, the cross entropy per word in nats, of right words as they are (not smoothed).
"""

# fmt: off
'''
#: Whether each training warms up, smooths and drops.
RUNS = {
    "all three": (True, True, True),
    "without warm-up": (False, True, True),
    "without smoothing": (True, False, True),
    "without dropout": (True, True, False),
    "none of them": (False, False, False),
}
WIDTH, DEPTH, D_FF = 32, 1, 64


def measure(name: str, seed: int, pairs: int, epochs: int) -> dict:
    """Train one model and return what it reaches."""
    warm_up, smoothed, dropped = RUNS[name]
    train, held_out = number_words.split_numbers(0, 1000, 200)
    source, target = (ids[:pairs] for ids in number_words.encode_numbers(train))
    held_source, held_target = number_words.encode_numbers(held_out)
    words, lengths = len(number_words.GERMAN), (number_words.SOURCE_LENGTH, number_words.TARGET_LENGTH)
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    model, _ = translator.make_translator(
        len(number_words.ENGLISH), words, *lengths, width=WIDTH, depth=DEPTH, d_ff=D_FF
    )
    updates = epochs * -(-len(source) // recipe.RECIPE["batch_size"])
    rates = recipe.rates_of_recipe(updates, WIDTH, warm_up=warm_up)
    labels = recipe.labels_of_recipe(words) if smoothed else np.eye(words, dtype="float32")
    recipe.train_by_recipe(model, source, target, epochs, rates, labels, recipe.RECIPE["dropout"] if dropped else 0.0)
    right = translator.whole_sentence_right(translator.decode_greedily(model, held_source), held_target)
    return {"exact match": float(right.mean()), "loss": recipe.loss_per_word(model, held_source, held_target)}


def store(runs: dict, pairs: int, epochs: int) -> None:
    """Write what was reached so far, `runs[name]` a list of what `measure` returned, one for each seed."""
    table = {
        "settings": {
            "width": WIDTH, "layers": DEPTH, "epochs": epochs, "training pairs": pairs, **recipe.RECIPE,
            "date": datetime.date.today().isoformat(), "python": platform.python_version(),
            "keras": keras.__version__, "numpy": np.__version__,
        },
        "runs": {
            name: {what: [round(one[what], 4) for one in reached] for what in ("exact match", "loss")}
            for name, reached in runs.items()
        },
    }  # fmt: skip
    record = pprint.pformat(table, width=110, sort_dicts=False)
    STORE.write_text(f"{HEAD}STORED_RECIPE = (\n{record}\n)\n", encoding="utf-8")


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=9000)
    asked = parser.parse_args()
    runs: dict = {name: [] for name in RUNS}
    for seed in range(asked.seeds):
        for name, reached in runs.items():
            began = time.process_time()
            reached.append(measure(name, seed, asked.pairs, asked.epochs))
            print(seed, name, reached[-1], round(time.process_time() - began), "s of processor time", flush=True)
        store(runs, asked.pairs, asked.epochs)  # after each seed: a long run may be cut short


if __name__ == "__main__":
    main()
