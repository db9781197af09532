r"""Measure exact match while only the width of the vector between encoder and decoder changes, and store it.

The model is notebook 1's own: the script runs the cells that define `build_translator` and `train_translator`. Encoder
and decoder keep 32 units; the vector has 4, 8, 16 or 32 numbers, and reaches the decoder once, as its first state, or
at every step as well. Numbers of one to four digits only, so that thirty runs take about eight minutes of a processor.
With `--longer` narrow vectors alone are trained for four times the epochs, and nothing else is measured again: it
tells a vector that is too narrow from one that was trained too briefly. Such a run takes about a minute of a processor.

    python assets/experiments/bottleneck_width.py
    python assets/experiments/bottleneck_width.py --longer --seeds 3
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import keras
import numpy as np
from length_curves import ROOT, notebook_functions, number_words, sentences_right, train

STORE = ROOT / "assets" / "helpers" / "stored_widths.py"
HEAD = '''"""Exact match by length for several widths of the vector, measured by assets/experiments/bottleneck_width.py.

Runs by the way the vector reaches the decoder, then by its width: one for each seed, with a share for each length.
"""

'''
UNITS, DIGITS, EPOCHS, SEEDS, TIMES = 32, 4, 12, 5, 4
RUNS = {"first state": (4, 8, 16, 32), "every step": (4, 8)}
LONGER = {f"first state, {TIMES} x the epochs": (4, 8)}


def read_store(path: Path = STORE) -> dict:
    """Read what was measured before, in the form that `write_store` takes."""
    space: dict = {}
    exec(path.read_text(encoding="utf-8"), space)
    stored = space["STORED_WIDTHS"]
    named = ("settings", "counts")
    return {n: stored[n] for n in named} | {"curves": {n: c for n, c in stored.items() if n not in named}}


def write_store(entry: dict, path: Path = STORE) -> None:
    """Write what was measured as a helper module."""
    lines = ["STORED_WIDTHS = {", '    "settings": {']
    lines += [f"        {json.dumps(name)}: {json.dumps(value)}," for name, value in entry["settings"].items()]
    lines += ["    },", f'    "counts": {entry["counts"]},']
    for way, curves in entry["curves"].items():
        lines.append(f"    {json.dumps(way)}: {{")
        for width, runs in curves.items():
            lines += [f"        {width}: [", *(f"            {run}," for run in runs), "        ],"]
        lines.append("    },")
    path.write_text("\n".join([HEAD + lines[0], *lines[1:], "}", ""]), encoding="utf-8")


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--longer", action="store_true", help="measure narrow vectors with four times the epochs only")
    args = parser.parse_args()
    needed = ["read_sentence", "write_sentence", "build_translator", "train_translator"]
    space = notebook_functions(["01_seq2seq_bottleneck"], needed)
    both = number_words.split_numbers(0, 2000, 200)
    numbers, held_out = (n[number_words.count_digits(n) <= DIGITS] for n in both)
    pairs = [number_words.encode_numbers(n) for n in (numbers, held_out)]
    lengths = [int((ids != number_words.PAD).sum(axis=1).max()) for ids in pairs[0]]
    (source, target), (held_source, held_target) = [
        [ids[:, :n] for ids, n in zip(p, lengths, strict=True)] for p in pairs
    ]
    digits = number_words.count_digits(held_out)
    entry = {
        "settings": {"units": UNITS, "training pairs": len(numbers), "epochs": EPOCHS, "keras": keras.__version__,
                     "numpy": np.__version__, "python": platform.python_version()},
        "counts": [int((digits == d).sum()) for d in range(1, DIGITS + 1)],
        "curves": {},
    }  # fmt: skip
    entry |= {"curves": read_store()["curves"]}
    runs, epochs = (LONGER, TIMES * EPOCHS) if args.longer else (RUNS, EPOCHS)
    entry["curves"] |= {way: {width: [] for width in widths} for way, widths in runs.items()}
    for seed in range(args.seeds):
        for way, widths in runs.items():
            for width in widths:
                begun = time.process_time()
                keras.utils.set_random_seed(seed)
                model = space["build_translator"](UNITS, width, way == "every step", *lengths)
                train(space["train_translator"], model, source, target, epochs)
                right = sentences_right(model, held_source, held_target)
                shares = [round(float(right[digits == d].mean()), 3) for d in range(1, DIGITS + 1)]
                entry["curves"][way][width].append(shares)
                print(
                    f"{way}, width {width}, seed {seed}: {shares}, {time.process_time() - begun:.0f} CPU s", flush=True
                )
                keras.backend.clear_session()
        write_store(entry)


if __name__ == "__main__":
    main()
