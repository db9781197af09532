r"""Measure exact match by length for several sizes and seeds, and store it for the notebooks.

The models are built and trained by the notebooks' own code: the script looks up the cells that define the
named functions and runs them. What it measures goes to `assets/helpers/stored_curves.py`, beside what stands there
for other kinds of model.

    python assets/experiments/length_curves.py                          # the fixed state vector of notebook 1
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import datetime
import inspect
import io
import json
import os
import platform
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

from helpers import number_words, recurrent_translator  # noqa: E402

from grader.core.course import Course  # noqa: E402
from grader.core.notebook import read_notebook  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_curves.py"
HEAD = '''"""Exact match by length on held-out number words, measured by assets/experiments/length_curves.py.

For each kind of model: the settings, how many held-out numbers each count of digits has, and for each size a list of
runs (one per seed), each with nine shares for 1 to 9 digits.
"""

'''


def defined_names(source: str) -> set[str]:
    """Name the functions and classes that a cell defines at top level."""
    return {n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def notebook_functions(assignments: list[str], names: list[str]) -> dict:
    """Run the notebook cells that define some functions.

    Args:
        assignments: Notebooks, searched in order.
        names: Names of the functions.

    Returns:
        The namespace in which the cells ran.
    """
    course = Course(ROOT)
    space = {**vars(number_words), "keras": keras, "layers": keras.layers, "np": np, "ops": keras.ops}
    space["WordByWord"] = recurrent_translator.WordByWord
    missing = list(names)
    for assignment in assignments:
        for cell in read_notebook(course.source(assignment)).cells:
            if cell.cell_type == "code" and defined_names(cell.source) & set(missing):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(cell.source, cell.id, "exec"), space)
                missing = [name for name in missing if name not in space]
    if missing:
        raise SystemExit(f"no cell defines {', '.join(missing)}; searched {', '.join(assignments)}")
    return space


def shifted(target) -> np.ndarray:
    """Return the decoder's input `(N, T)`: the target one step later, with the start mark in front."""
    return np.concatenate([np.full_like(target[:, :1], number_words.START), target[:, :-1]], axis=1)


def train(train_translator, model, source, target, epochs: int) -> list[float]:
    """Train a model with a notebook's own function; only that of notebook 1 is handed the decoder's input."""
    inputs = [shifted(target)] if "decoder_input" in inspect.signature(train_translator).parameters else []
    return train_translator(model, source, *inputs, target, epochs=epochs)


def sentences_right(model, source, target) -> np.ndarray:
    """Return for each sentence `(N,)` whether every word is right.

    The decoder gets the right words. Up to its first mistake that is what it would have written itself, so a sentence
    is entirely right this way if and only if it is right when the decoder writes alone.
    """
    says = model.predict([source, shifted(target)], batch_size=512, verbose=0).argmax(axis=-1)
    return ((says == target) | (target == number_words.PAD)).all(axis=1)


def parse_run(text: str) -> tuple[int, int, int]:
    """Read `UNITSxTIMES:SEEDS`, such as `64x4:2`: 64 units, four times the epochs, two seeds."""
    size, seeds = text.split(":")
    units, times = size.split("x")
    return int(units), int(times), int(seeds)


def read_store() -> dict:
    """Read what is stored: for each kind of model its settings, counts and curves."""
    space: dict = {}
    if STORE.exists():
        exec(STORE.read_text(encoding="utf-8"), space)
    return space.get("STORED_CURVES", {})


def write_store(kind: str, entry: dict) -> None:
    """Store the curves of one kind of model; those of other kinds stay."""
    lines = ["STORED_CURVES = {"]
    for name, stored in {**read_store(), kind: entry}.items():
        lines += [f"    {json.dumps(name)}: {{", '        "settings": {']
        lines += [f"            {json.dumps(k)}: {json.dumps(v)}," for k, v in stored["settings"].items()]
        lines += ["        },", f'        "counts": {stored["counts"]},', '        "curves": {']
        for label, runs in stored["curves"].items():
            lines += [
                f"            {json.dumps(label)}: [",
                *(f"                {run}," for run in runs),
                "            ],",
            ]
        lines += ["        },", "    },"]
    STORE.write_text("\n".join([HEAD + lines[0], *lines[1:], "}", ""]), encoding="utf-8")


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="fixed", help="under which name the curves are stored")
    parser.add_argument("--notebook", nargs="+", default=["01_seq2seq_bottleneck"], help="where the functions stand")
    parser.add_argument("--build", default="build_translator", help="function that builds the model from its units")
    parser.add_argument("--also", nargs="*", default=["read_sentence", "write_sentence"], metavar="NAME",
                        help="functions and classes that the builder uses")  # fmt: skip
    parser.add_argument("--train", default="train_translator")
    parser.add_argument("--runs", nargs="+", type=parse_run, metavar="UNITSxTIMES:SEEDS",
                        default=[(16, 1, 5), (32, 1, 5), (64, 1, 5), (32, 4, 1), (64, 4, 1)])  # fmt: skip
    parser.add_argument("--epochs", type=int, default=10, help="epochs of a run with TIMES 1")
    parser.add_argument("--train-per-length", type=int, default=2000)
    parser.add_argument("--held-out-per-length", type=int, default=200)
    parser.add_argument("--add", action="store_true", help="keep the sizes stored before under this name")
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()

    notebooks = [*args.notebook, "01_seq2seq_bottleneck"]
    space = notebook_functions(notebooks, [*args.also, args.build, args.train])
    numbers, held_out = number_words.split_numbers(0, args.train_per_length, args.held_out_per_length)
    source, target = number_words.encode_numbers(numbers)
    held_source, held_target = number_words.encode_numbers(held_out)
    digits = number_words.count_digits(held_out)
    settings = {
        "epochs": args.epochs,
        "training pairs": len(numbers),
        "date": args.date,
        "python": platform.python_version(),
        "keras": keras.__version__,
        "numpy": np.__version__,
    }
    counts = [int((digits == d).sum()) for d in number_words.DIGITS]
    kept = read_store().get(args.kind, {}).get("curves", {}) if args.add else {}
    entry = {"settings": settings, "counts": counts, "curves": dict(kept)}
    for units, times, seeds in args.runs:
        label = f"{units} units" + (f", {times} x the epochs" if times > 1 else "")
        entry["curves"][label] = runs = []
        for seed in range(seeds):
            begun = time.monotonic()
            keras.utils.set_random_seed(seed)
            model = space[args.build](units)
            losses = train(space[args.train], model, source, target, args.epochs * times)
            right = sentences_right(model, held_source, held_target)
            runs.append([round(float(right[digits == d].mean()), 3) for d in number_words.DIGITS])
            seconds = time.monotonic() - begun
            print(f"{label} seed {seed} {seconds:.0f} s loss {losses[-1]:.3f} {runs[-1]}", flush=True)
            keras.backend.clear_session()
        write_store(args.kind, entry)


if __name__ == "__main__":
    main()
