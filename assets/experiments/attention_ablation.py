r"""Take the decoder's attention apart: what does the work, and what does a weight prove? Stored for notebook 2.

Four models are trained with the same pairs, the same number of steps and the same seeds. They differ in one respect:

- `chosen`: the full model, which learns its weights;
- `uniform`: equal weights for all source words, at every step;
- `fixed`: the encoder's final state as the context of every step, as in Cho et al. (2014);
- `forward`: learned weights over the annotations of an encoder that reads forward only.

For `chosen`, the script also asks how often the right word is written if one step may not read the word it read most.
The decoder is the class of notebook 2; everything else comes from `assets/helpers`.

    nice -n 10 python assets/experiments/attention_ablation.py        # 12 to 18 minutes of processor time
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import pprint
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "assets"), str(ROOT / "assets" / "experiments")]

from helpers import alignments, number_words, recurrent_translator, steps_by_hand  # noqa: E402
from length_curves import notebook_functions  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_ablation.py"
PROBE = ROOT / "assets" / "experiments" / "forbidden_words.json"
HEAD = '''"""Notebook 2's translator with parts of its attention removed, by assets/experiments/attention_ablation.py.

`curves`: for each model a list of runs, one for each seed, of nine shares: exact match for 1 to 9 digits. `aligned`:
the share of words whose largest weight is on the known word; `und`: where the largest weight of *und* is.
"""

# fmt: off
'''
MODELS = {
    "chosen": {},
    "uniform": {"context": "uniform"},
    "fixed": {"context": "fixed"},
    "forward": {"encoder": "forward"},
}
KINDS = {"und": "und", **dict.fromkeys(("hundert", "tausend", "Million", "Millionen"), "hundert, tausend, Million")}


def forbid_most_read(step, model, maps, numbers):
    """Measure how often the right word is still written if that step may not read the word that it read most.

    For each step on its own: all others read as trained, and the right words are given as history.

    Returns:
        For each kind of German word - numerals, und, the scales - the share of right words, untouched and with the
        most-read word forbidden: `{kind: (as_trained, forbidden)}`.
    """
    source, target = number_words.encode_numbers(numbers)
    tokens, weights = steps_by_hand.translate_by_steps(step, model, maps, source, given=target)
    real = np.repeat((source != number_words.PAD)[:, None], number_words.TARGET_LENGTH, axis=1)
    hits = {kind: [] for kind in ("numerals", "und", "hundert, tausend, Million")}
    for t in range(number_words.TARGET_LENGTH):
        allowed = real.copy()
        np.put_along_axis(allowed[:, t], weights[:, t].argmax(axis=-1)[:, None], False, axis=-1)
        allowed[:, t] |= ~allowed[:, t].any(axis=-1, keepdims=True) & real[:, t]  # a single word stays readable
        blind, _ = steps_by_hand.translate_by_steps(step, model, maps, source, given=target, allowed=allowed)
        for row, number in enumerate(numbers):
            words = number_words.translate_number(number)[1]
            if t < len(words) and real[row, t].sum() > 1:
                kind = KINDS.get(words[t], "numerals")
                hits[kind].append((tokens[row, t] == target[row, t], blind[row, t] == target[row, t]))
    return {kind: tuple(float(share) for share in np.mean(pairs, axis=0)) for kind, pairs in hits.items()}


def measure(name, seed, decoder_class, units, epochs, pairs, held_out):
    """Train one model and measure it.

    Returns:
        Exact match by digits, the counts of `count_alignments`, the shares of `forbid_most_read` (or None), weights.
    """
    recurrent_translator.start_afresh(seed)
    model, maps = recurrent_translator.build_translator(decoder_class(units, name="decoder"), units, **MODELS[name])
    recurrent_translator.train_translator(model, *pairs, epochs)
    source, target = number_words.encode_numbers(held_out)
    right = (recurrent_translator.translate(model, source) == target) | (target == number_words.PAD)
    digits = number_words.count_digits(held_out)
    curve = [round(float(right.all(axis=1)[digits == d].mean()), 3) for d in number_words.DIGITS]
    aligned = None
    if name in ("chosen", "forward"):
        weights = maps.predict([source, recurrent_translator.shift_right(target)], batch_size=512, verbose=0)[0]
        aligned = alignments.count_alignments(weights, held_out)
    forbidden = None
    if name == "chosen":
        forbidden = forbid_most_read(steps_by_hand.keras_step(model), model, maps, held_out)
    return curve, aligned, forbidden, model.count_params()


def as_text(table: dict) -> str:
    """Write the table as Python, in lines that fit into a notebook."""
    return f"STORED_ABLATION = (\n{pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n)\n"


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    warnings.filterwarnings("ignore", "You are using a softmax over axis")  # the list of one annotation
    classes = notebook_functions(["02_additive_attention"], ["AttentionLayers", "AttentionDecoder"])
    decoder_class = classes["AttentionDecoder"]
    train, held_out = number_words.split_numbers(0, 2000, 200)
    pairs, digits = number_words.encode_numbers(train), number_words.count_digits(held_out)
    table: dict = {
        "settings": {"units": args.units, "epochs": args.epochs, "training pairs": len(train), "date": args.date,
                     "python": platform.python_version(), "keras": keras.__version__, "numpy": np.__version__},
        "counts": [int((digits == d).sum()) for d in number_words.DIGITS],
        "weights": {}, "curves": {name: [] for name in MODELS}, "aligned": {"chosen": [], "forward": []}, "und": [],
    }  # fmt: skip
    forbidden_by_kind: dict = {}  # not among the helpers: it answers the written question
    for seed in range(args.seeds):
        for name in MODELS:
            begun = time.process_time()
            curve, aligned, forbidden, count = measure(
                name, seed, decoder_class, args.units, args.epochs, pairs, held_out
            )
            table["curves"][name].append(curve)
            table["weights"][name] = count
            if aligned:
                table["aligned"][name].append(round(aligned["right"] / aligned["scored"], 3))
            if forbidden:
                table["und"].append(aligned["und"])
                for kind, shares in forbidden.items():
                    forbidden_by_kind.setdefault(kind, []).append([round(share, 3) for share in shares])
            print(name, seed, f"{time.process_time() - begun:.0f} CPU s", curve, aligned, forbidden, flush=True)
        PROBE.write_text(json.dumps(forbidden_by_kind, indent=1) + "\n", encoding="utf-8")
        STORE.write_text(HEAD + as_text(table), encoding="utf-8")


if __name__ == "__main__":
    main()
