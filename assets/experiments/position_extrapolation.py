"""Measure how positions hold beyond the trained length, over several seeds, and store it for notebook 5.

Two experiments with the networks of `assets/helpers/order_network.py`:

- `accuracy`: every kind of position, trained on one length, at several lengths;
- `changed`: trained networks with something in them overwritten, at one length. Relative: the outermost biases made
  equal, or set to the mean of their side. Rotary: distances beyond the trained ones counted as the largest of them, or
  all distances squeezed into the trained range.

    nice -n 10 python assets/experiments/position_extrapolation.py --seeds 5     # about eight minutes of processor time
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

from helpers import order_by_hand, order_network  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_positions.py"
HEAD = '''"""Accuracy of answers to "does a come before b?" by length.

Measured by assets/experiments/position_extrapolation.py: for each kind of position a list of runs (one per seed), each
with an accuracy for every length; trained on the first length. `changed`: accuracies at one length with something
overwritten in the trained networks, one number a seed. `learned biases`: what the runs with a relative bias learned,
for the distances -8 to 8.
"""

# fmt: off
'''


def sines(length: int, depth: int) -> np.ndarray:
    """Return the sinusoidal encoding `(length, depth)`, which the notebook takes from its student."""
    hands = np.exp(1j * np.outer(np.arange(length), 10000.0 ** (-np.arange(0, depth, 2) / depth)))
    return np.stack([hands.imag, hands.real], axis=-1).reshape(length, depth)


def changes(network: keras.Model, trained: int, length: int) -> dict[str, dict]:
    """Return, by its name, what is changed in a trained network of one kind."""
    attention = network.get_layer("attention")
    if attention.kind == "relative":
        learned = attention.biases.numpy()
        return {
            "as learned": {},
            "outermost made equal": {"biases": order_by_hand.flatten_outer(learned)},
            "outermost set to the mean of their side": {"biases": order_by_hand.separate_outer(learned)},
        }
    if attention.kind == "rotary":
        far = trained - 1
        return {
            "as trained": {},
            "distances clipped": {"distances": lambda d: np.clip(d, -far, far)},
            "distances squeezed": {"distances": lambda d: d * far / (length - 1)},
        }
    return {}


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", help="measure these kinds only and keep what is stored of the others")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=[10, 15, 20, 30, 40, 50, 60])
    parser.add_argument("--changed-at", type=int, default=40, help="length for the networks that are changed")
    parser.add_argument("--count", type=int, default=4000, help="test sequences per length")
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()

    stored: dict = {}
    if STORE.exists() and args.kinds:
        exec(STORE.read_text(encoding="utf-8"), stored)
    table = stored.get("STORED_POSITIONS", {})
    runs, changed, biases = table.get("accuracy", {}), table.get("changed", {}), table.get("learned biases", [])
    for kind in args.kinds or order_network.KINDS:
        runs[kind], here = [], {}
        biases = [] if kind == "relative" else biases
        for seed in range(args.seeds):
            begun = time.process_time()
            network = order_network.train_order_network(kind, seed, sines)
            runs[kind].append([round(order_network.accuracy_at(network, n, args.count), 3) for n in args.lengths])
            for name, change in changes(network, args.lengths[0], args.changed_at).items():
                accuracy = order_by_hand.accuracy_with(network, args.changed_at, args.count, **change)
                here.setdefault(name, []).append(round(accuracy, 3))
            if kind == "relative":
                biases.append([round(float(bias), 2) for bias in network.get_layer("attention").biases.numpy()])
            print(f"{kind} seed {seed} {time.process_time() - begun:.0f} CPU s {runs[kind][-1]}", flush=True)
        if here:
            changed[kind] = here
            print(here, flush=True)
    table = {
        "settings": {
            "test sequences": args.count,
            "changed at": args.changed_at,
            "date": args.date,
            "python": platform.python_version(),
            "keras": keras.__version__,
            "numpy": np.__version__,
        },
        "lengths": args.lengths,
        "accuracy": {kind: runs[kind] for kind in order_network.KINDS if kind in runs},
        "changed": changed,
        "learned biases": biases,
    }
    text = f"STORED_POSITIONS = (\n{pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n)\n"
    STORE.write_text(HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
