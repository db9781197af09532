r"""What does each projection do, and when is one head not enough? Trained with several seeds, stored for notebook 4.

Two experiments, each with the same data and the same training for all models:

- `parts`: one head finds what each thing beats (`circles.py`), with all three projections and with parts left out;
- `roles`: a reader names giver and receiver from the output at the verb (`role_reader.py`), with one head and with two;
  with one head whose keys do not depend on the names; and with one head and a hidden layer after the attention.

    nice -n 10 python assets/experiments/heads_and_projections.py     # about four minutes of processor time
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

from helpers import circles, role_reader, role_sentences  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_heads.py"
HEAD = '''"""One head with parts left out, and readers with heads, by assets/experiments/heads_and_projections.py.

`parts`: for each model the share of right colours in new sentences, one number a seed. `roles`: for each reader the
share of sentences with giver and receiver right, one number a seed, for new pairs of names and for those of training.
"""

# fmt: off
'''
READERS = {
    "one head": {"num_heads": 1},
    "two heads": {"num_heads": 2},
    "one head, keys without names": {"num_heads": 1, "keys": "positions"},
    "one head, then 96 hidden units": {"num_heads": 1, "hidden": 96},
    "two heads, then 96 hidden units": {"num_heads": 2, "hidden": 96},
}


def measure_roles(options: dict, seed: int, training: tuple, held_out: tuple) -> tuple[float, float, int]:
    """Train a reader; return the share with both roles right for new pairs and for training pairs, and its size."""
    model = role_reader.train_reader(sentences=training, seed=seed, **options)
    shares = [role_reader.role_accuracy(model(data[0]), *data[1:])[2] for data in (held_out, training)]
    return round(shares[0], 3), round(shares[1], 3), model.count_params()


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    training, held_out = role_sentences.role_data()
    table: dict = {
        "settings": {"seeds": 0, "date": args.date, "python": platform.python_version(),
                     "keras": keras.__version__, "numpy": np.__version__},
        "parts": {name: [] for name in circles.PARTS},
        "roles": {name: {"new pairs": [], "training pairs": []} for name in READERS},
        "parameters": {},
    }  # fmt: skip
    for seed in range(args.seeds):
        begun = time.process_time()
        for name in circles.PARTS:
            table["parts"][name].append(round(circles.train_circle_reader(name, seed), 3))
            print(name, seed, table["parts"][name][-1], flush=True)
        for name, options in READERS.items():
            new, old, table["parameters"][name] = measure_roles(options, seed, training, held_out)
            table["roles"][name]["new pairs"].append(new)
            table["roles"][name]["training pairs"].append(old)
            print(name, seed, new, old, flush=True)
        table["settings"]["seeds"] = seed + 1
        text = f"STORED_HEADS = (\n{pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n)\n"
        STORE.write_text(HEAD + text, encoding="utf-8")
        print(f"{time.process_time() - begun:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
