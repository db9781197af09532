r"""Train the small retrieval task of notebook 3 with and without the scale 1/sqrt(K); store what is learned.

Two optimizers, two scales, several learning rates and seeds; model and task are those of `assets/helpers/retrieval.py`.
The learning rates are chosen so that the best of each model lies inside their range, because the scale also changes how
far a step moves the scores, and one rate for all would compare that.

    nice -n 10 python assets/experiments/scale_training.py        # about five minutes of processor time
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

from helpers import retrieval  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_scale.py"
HEAD = '''"""The retrieval task of notebook 3 with and without the scale, by assets/experiments/scale_training.py.

`accuracy`: for each optimizer and model a table from the learning rate to a list of runs, one for each seed: the share
of 1,000 held-out memories that are answered right, after each epoch of 128 steps.
"""

# fmt: off
'''
WIDTH, EPOCHS = 512, 3
SCALES = {"no scale": 1.0, "divided by sqrt(K)": WIDTH**-0.5}
RATES = {
    "SGD": (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0),
    "Adam": (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
}


def as_text(table: dict) -> str:
    """Write the table as Python, in lines that fit into a notebook."""
    return f"STORED_SCALE = (\n{pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n)\n"


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    table: dict = {
        "settings": {"width": WIDTH, "epochs": EPOCHS, "memories": 8192, "date": args.date,
                     "python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__},
        "accuracy": {optimizer: {name: {} for name in SCALES} for optimizer in RATES},
    }  # fmt: skip
    for optimizer, rates in RATES.items():
        for name, scale in SCALES.items():
            for rate in rates:
                begun = time.process_time()
                runs = []
                for seed in range(args.seeds):
                    model = retrieval.build_reader(WIDTH, scale, seed)
                    runs.append(retrieval.train_reader(model, optimizer, rate, EPOCHS, seed))
                table["accuracy"][optimizer][name][rate] = runs
                print(optimizer, name, rate, runs, f"{time.process_time() - begun:.0f} CPU s", flush=True)
            STORE.write_text(HEAD + as_text(table), encoding="utf-8")


if __name__ == "__main__":
    main()
