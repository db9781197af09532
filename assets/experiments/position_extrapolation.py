"""Measure how positions hold beyond the trained length, over several seeds, and store it for notebook 5.

The networks are built and trained by the notebook's own cells, looked up by the names that they define and run. What
is measured goes to `assets/helpers/stored_positions.py`.

    python assets/experiments/position_extrapolation.py --seeds 5
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import os
import platform
import pprint
import sys
import time
from pathlib import Path

from grader.core.names import names_of

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grader.core.course import Course  # noqa: E402
from grader.core.notebook import read_notebook  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_positions.py"
ASSIGNMENT = "05_positional_encoding"
NEEDED = (
    "given_sinusoidal_encoding", "given_turn", "make_sequences", "TokensAndPositions", "PlacedAttention",
    "train_order_network", "share_right",
)  # fmt: skip
HEAD = '''"""Share of right answers to "does a come before b?" by length.

Measured by assets/experiments/position_extrapolation.py: for each kind of position a list of runs (one per seed), each
with a share for every length; trained on the first length.
For the runs with a relative bias also what they learned, for the distances -8 to 8.
"""

# fmt: off
'''


def notebook_names() -> dict:
    """Run the notebook's cells that define what the experiment needs.

    Returns:
        The namespace in which the cells ran.
    """
    space: dict = {"keras": keras, "np": np}
    for cell in read_notebook(Course(ROOT).source(ASSIGNMENT)).cells:
        if cell.cell_type == "code" and names_of(cell.source).bound & set(NEEDED):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, cell.id, "exec"), space)
    missing = [name for name in NEEDED if name not in space]
    if missing:
        raise SystemExit(f"no cell of {ASSIGNMENT} defines {', '.join(missing)}")
    return space


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", help="measure these kinds only and keep what is stored of the others")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=[10, 15, 20, 30, 40, 50, 60])
    parser.add_argument("--count", type=int, default=4000, help="test sequences per length")
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()

    space = notebook_names()
    stored: dict = {}
    if STORE.exists() and args.kinds:
        exec(STORE.read_text(encoding="utf-8"), stored)
    table = stored.get("STORED_POSITIONS", {})
    runs, biases = table.get("share right", {}), table.get("learned biases", [])
    for kind in args.kinds or space["KINDS"]:
        runs[kind] = []
        biases = [] if kind == "relative" else biases
        for seed in range(args.seeds):
            begun = time.monotonic()
            network = space["train_order_network"](kind, seed=seed)
            shares = [round(space["share_right"](network, length, args.count), 3) for length in args.lengths]
            runs[kind].append(shares)
            if kind == "relative":
                layer = next(layer for layer in network.layers if type(layer).__name__ == "PlacedAttention")
                biases.append([round(float(bias), 2) for bias in np.asarray(layer.table)])
            print(f"{kind} seed {seed} {time.monotonic() - begun:.0f} s {shares}", flush=True)
            keras.backend.clear_session()
    table = {
        "settings": {
            "test sequences": args.count,
            "date": args.date,
            "python": platform.python_version(),
            "keras": keras.__version__,
            "numpy": np.__version__,
        },
        "lengths": args.lengths,
        "share right": runs,
        "learned biases": biases,
    }
    STORE.write_text(
        f"{HEAD}STORED_POSITIONS = {pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
