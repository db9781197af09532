"""Train post-norm and pre-norm Transformers of two depths at several learning rates, with and without a warm-up.

The model is the one that notebook 6 builds, by the reference solution of its exercise 6.5. Each run starts from fresh
weights, reads numbers of up to four digits and makes the same number of updates; what is stored is the mean loss per
word over the last 20 of them.

    nice -n 15 python assets/experiments/norm_and_warmup.py        # about ten minutes of processor time
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

from helpers import norm_runs, number_words  # noqa: E402

from grader.core.course import Course  # noqa: E402
from grader.core.notebook import read_notebook  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_norms.py"
HEAD = '''"""Loss per word of post-norm and pre-norm Transformers, measured by assets/experiments/norm_and_warmup.py.

`losses`: for each depth (layers on each side) and recipe a list for each learning rate, with a number for each seed,
the mean over the last 20 of `settings["steps"]` updates. `by frequency`: the loss of a model that knows how frequent
each word is and nothing else.
"""

# fmt: off
'''
RECIPES = {
    "post-norm, without warm-up": (False, 0), "post-norm, with warm-up": (False, 100),
    "pre-norm, without warm-up": (True, 0), "pre-norm, with warm-up": (True, 100),
}  # fmt: skip


def notebook_builder():
    """Return `build_transformer` as notebook 6 defines it, with the two functions that it calls."""
    space = {"keras": keras, "np": np}
    for cell in read_notebook(Course(ROOT).source("06_transformer")).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in ("given_sinusoidal_encoding", "build_transformer"):
            exec(cell.source, space)
    return space["build_transformer"]


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-3, 3e-3, 1e-2])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    build = notebook_builder()
    numbers = number_words.split_numbers(0, 1000, 200)[0]
    source, target = number_words.encode_numbers(numbers[numbers < 10_000])
    source, target = (ids[:, (ids != number_words.PAD).any(axis=0)] for ids in (source, target))
    table: dict = {
        "settings": {
            "steps": args.steps, "seeds": args.seeds, "digits": "1 to 4", "warm-up": 100, "width": 32, "heads": 4,
            "d_ff": 64, "batch": 64,
            "date": args.date, "python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__,
        },
        "depths": args.depths, "rates": args.rates, "by frequency": round(norm_runs.word_entropy(target), 3),
        "losses": {depth: {name: [[] for _ in args.rates] for name in RECIPES} for depth in args.depths},
    }  # fmt: skip
    for depth in args.depths:
        for norm_first in (False, True):
            config = {
                "num_layers": depth, "d_model": 32, "num_heads": 4, "d_ff": 64, "dropout": 0.0,
                "source_vocab_size": len(number_words.ENGLISH), "target_vocab_size": len(number_words.GERMAN),
                "max_length": number_words.TARGET_LENGTH, "norm_first": norm_first,
            }  # fmt: skip
            starts = []
            for seed in range(args.seeds):
                keras.utils.set_random_seed(seed)
                model = build(config)
                starts.append(model.get_weights())
            empty = None
            for recipe, (first, warmup) in RECIPES.items():
                if first != norm_first:
                    continue
                for column, rate in enumerate(args.rates):
                    for seed, start in enumerate(starts):
                        begun = time.process_time()
                        model.set_weights(start)
                        if empty is not None:  # one compiled model serves all runs: the optimizer begins anew too
                            for variable, value in zip(model.optimizer.variables, empty, strict=True):
                                variable.assign(value)
                        losses = norm_runs.train_at_rate(model, source, target, rate, warmup, args.steps, seed=seed)
                        if empty is None:
                            empty = [np.zeros(variable.shape) for variable in model.optimizer.variables]
                        end = float(losses[-20:].mean())
                        table["losses"][depth][recipe][column].append(round(end, 3))
                        spent = time.process_time() - begun
                        print(f"depth {depth} {recipe} rate {rate:g} seed {seed}: {end:.3f}, {spent:.0f} s", flush=True)
            keras.backend.clear_session()
        record = pprint.pformat(table, width=110, compact=True, sort_dicts=False)  # after each depth
        STORE.write_text(f"{HEAD}STORED_NORMS = {record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
