r"""Compare the Transformer of notebook 6 with the recurrent model of notebook 2, and store the figures for notebook 7.

Both get about the same number of weights, the same pairs and the same updates (batches of 64); three seeds each. The
recurrent model is built, trained and decoded by notebook 2's own cells (found by the functions that they define), the
Transformer by the helper that notebook 7 carries. A second run trains both on short sources only and asks for longer
ones.

    nice -n 15 python assets/experiments/transformer_comparison.py
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import datetime
import io
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

from helpers import number_words, recurrent_translator, translator  # noqa: E402

from grader.core.course import Course  # noqa: E402
from grader.core.notebook import read_notebook  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_transformer.py"
HEAD = '''"""Transformer and recurrent model with attention, measured by assets/experiments/transformer_comparison.py.

`models`: for each model its weights, the exact match of each seed on held-out number words, and the seconds of
processor time of each epoch but the first, which includes the tracing.
`longer`: exact match by the number of source words, one list for each seed, of models that were trained on sources of
up to `trained_to` words.
"""

# fmt: off
'''
RECURRENT = ["AttentionLayers", "AttentionDecoder"]
BATCH = 64  # for both: with the same pairs and epochs they make the same number of updates


def notebook_cells(assignment: str, names: list[str]) -> dict:
    """Run the cells of a notebook that define the named functions and classes; give the namespace."""
    space = {**vars(number_words), "shift_right": translator.shift_right, "keras": keras, "np": np}
    space["WordByWord"] = recurrent_translator.WordByWord
    for cell in read_notebook(Course(ROOT).source(assignment)).cells:
        if cell.cell_type != "code":
            continue
        tree = ast.parse(cell.source)
        tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name in names]
        if tree.body:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(tree, assignment, "exec"), space)
    missing = [name for name in names if name not in space]
    if missing:
        raise SystemExit(f"no cell of {assignment} defines {', '.join(missing)}")
    return space


@contextlib.contextmanager
def timed_epochs(model: keras.Model):
    """Collect the seconds of processor time of each epoch of `model.fit`, which other work slows less than a clock."""
    seconds: list[float] = []

    class Clock(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.begun = time.process_time()

        def on_epoch_end(self, epoch, logs=None):
            seconds.append(time.process_time() - self.begun)

    fit = model.fit
    model.fit = lambda *args, **options: fit(*args, callbacks=[Clock()], **options)
    yield seconds
    model.fit = fit


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument(
        "--units", type=int, default=100, help="of the recurrent model: as many weights as the Transformer"
    )
    parser.add_argument("--trained-to", type=int, default=9, help="words of the longest source in the second run")
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    space = notebook_cells("02_additive_attention", RECURRENT)

    def recurrent(source, target):
        decoder = space["AttentionDecoder"](args.units, name="decoder")
        model, _ = recurrent_translator.build_translator(decoder, args.units)
        with timed_epochs(model) as seconds:
            recurrent_translator.train_translator(model, source, target, epochs=args.epochs, batch_size=BATCH)
        return model, seconds, recurrent_translator.translate

    def transformer(source, target):
        model, _ = translator.make_translator(
            len(number_words.ENGLISH), len(number_words.GERMAN), number_words.SOURCE_LENGTH, number_words.TARGET_LENGTH
        )
        with timed_epochs(model) as seconds:
            translator.train_translator(model, source, target, epochs=args.epochs, batch_size=BATCH)
        return model, seconds, translator.decode_greedily

    models = {"Transformer": transformer, "recurrent with attention": recurrent}
    train, held_out = number_words.split_numbers(0, 1000, 200)
    many, _ = number_words.split_numbers(0, 3000, 200)
    many = many[~np.isin(many, held_out)]
    pairs, held_pairs = number_words.encode_numbers(train), number_words.encode_numbers(held_out)
    all_source, all_target = number_words.encode_numbers(many)
    short = (all_source != number_words.PAD).sum(axis=1) <= args.trained_to
    short_pairs = all_source[short][: len(train)], all_target[short][: len(train)]
    held_words = (held_pairs[0] != number_words.PAD).sum(axis=1)
    words = [int(w) for w in np.unique(held_words) if (held_words == w).sum() >= 20]
    table: dict = {
        "settings": {
            "epochs": args.epochs, "training pairs": len(train), "short training pairs": len(short_pairs[0]),
            "updates": args.epochs * -(-len(train) // BATCH),
            "date": args.date, "python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__,
        },
        "models": {name: {"weights": 0, "exact_match": [], "seconds": []} for name in models},
        "longer": {
            "words": words, "counts": [int((held_words == w).sum()) for w in words], "trained_to": args.trained_to,
            "curves": {name: [] for name in models},
        },
    }  # fmt: skip
    for seed in range(args.seeds):
        for name, run in models.items():
            for kind, (source, target) in (("all", pairs), ("short", short_pairs)):
                keras.utils.set_random_seed(seed)
                model, seconds, decode = run(source, target)
                right = translator.whole_sentence_right(decode(model, held_pairs[0]), held_pairs[1])
                if kind == "all":
                    row = table["models"][name]
                    row["weights"] = model.count_params()
                    row["exact_match"].append(round(float(right.mean()), 4))
                    row["seconds"] += [round(s, 2) for s in seconds[1:]]
                else:
                    table["longer"]["curves"][name].append(
                        [round(float(right[held_words == w].mean()), 3) for w in words]
                    )
                print(f"seed {seed} {name} {kind}: {right.mean():.4f}, epochs {np.round(seconds, 1)}", flush=True)
                keras.backend.clear_session()
        record = pprint.pformat(table, width=110, sort_dicts=False)  # after each seed: a long run may be cut short
        STORE.write_text(f"{HEAD}STORED_COMPARISON = {record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
