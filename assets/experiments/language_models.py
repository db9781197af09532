r"""Measure the small language models of notebook 8 in runs too long for it; store losses and accuracies.

`scaling`: held-out loss of causal models of other widths, with other amounts of text and other numbers of updates, one
run each. `wrong_mask`: a model trained to write without a causal mask. `transfer`: accuracy on held-out summaries of
the library task, for 10, 30 and 100 labels of each class. Text and subwords are those that the notebook makes from the
libraries installed here.

    nice -n 15 python assets/experiments/language_models.py        # about eight minutes of processor time
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import pprint
import sys
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import matplotlib
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "assets"), str(ROOT)]

from helpers import count_models, libraries_task, manuals, stack_training, subwords  # noqa: E402

from grader.core.cells import exercises  # noqa: E402
from grader.core.notebook import read_notebook  # noqa: E402

STORE = ROOT / "assets" / "helpers" / "stored_language.py"
SOURCE = ROOT / "solutions" / "08_language_models" / "08_language_models.ipynb"
HEAD = '''"""Runs of the small language models of notebook 8, by assets/experiments/language_models.py.

Losses are nats per subword on held-out documentation. `scaling`: (width, share of the text, updates) to parameters,
loss and processor seconds. `transfer`: for each way and each number of labels per class the accuracies of the seeds.
"""

# fmt: off
'''
MERGES = 200
SCALING = ((64, 1, 900), (32, 1, 900), (64, 0.25, 900), (64, 1, 2700), (128, 1, 900), (64, 0.0625, 900))
PER_CLASS = (10, 30, 100)
WAYS = ("pre-trained", "from scratch", "words counted", "words placed")


def answers() -> dict:
    """Run the answer cells of the notebook; return the names they define."""
    names: dict = {"np": np, "keras": keras}
    for exercise in exercises(read_notebook(SOURCE)):
        exec(exercise.answer, names)
    return names


def as_text(table: dict) -> str:
    """Write the table as Python, in lines that fit into a notebook."""
    return f"STORED_LANGUAGE = (\n{pprint.pformat(table, width=110, compact=True, sort_dicts=False)}\n)\n"


def stored_table() -> dict:
    """Return what is stored now."""
    names: dict = {}
    exec(STORE.read_text(encoding="utf-8"), names)
    return names["STORED_LANGUAGE"]


def prepare(names: dict) -> tuple:
    """Return training texts, held-out texts, subwords and encoded paragraphs, as the notebook makes them."""
    training, held_out = subwords.hold_out(manuals.read_manuals())
    paragraphs = subwords.all_paragraphs(training)
    merges = names["train_bpe"](subwords.count_words_of(paragraphs), MERGES)
    cut = subwords.Subwords(merges, names["apply_bpe"])
    encoded = [[cut.encode(p) for p in part] for part in (paragraphs, subwords.all_paragraphs(held_out))]
    return training, held_out, cut, *encoded


def scale(cut, encoded, held_out) -> dict:
    """Train causal models of several widths, on parts of the text, for several numbers of updates."""
    found: dict = {}
    new = subwords.windows(held_out)
    for width, share, steps in SCALING:
        begun = time.process_time()
        inputs, targets = subwords.windows(encoded[: int(share * len(encoded))])
        model = stack_training.new_stack(len(cut), d_model=width)
        stack_training.fit_stack(model, inputs, targets, steps=steps)
        loss, spent = stack_training.held_out_loss(model, *new), time.process_time() - begun
        found[width, share, steps] = {
            "parameters": model.count_params(),
            "loss": round(loss, 3),
            "seconds": round(spent),
        }
        print(width, share, steps, found[width, share, steps], flush=True)
    return found


def leave_out_the_mask(cut, encoded, held_out) -> dict:
    """Train to write without a causal mask; measure the loss as in training, and when nothing later is there to see."""
    model = stack_training.new_stack(len(cut), causal=False)
    rows, next_ids = subwords.windows(encoded, 12)
    history = stack_training.fit_stack(model, rows, next_ids, steps=600, batch=64, rate=4e-3)
    inputs, targets = subwords.windows(held_out, 12)
    shown = stack_training.held_out_loss(model, inputs, targets)
    loss, alone = keras.losses.SparseCategoricalCrossentropy(from_logits=True), []
    for t in range(12):  # a text that ends at position t, the rest is padding
        logits = model.predict(np.where(np.arange(12) <= t, inputs, subwords.PAD), batch_size=256, verbose=0)
        alone.append(float(loss(targets[:, t], logits[:, t])))
    result = {"updates": 600, "training": round(history[-1], 3), "all seen": round(shown, 3),
              "nothing later": round(float(np.mean(alone)), 3)}  # fmt: skip
    print(result, flush=True)
    return result


class WordsPlaced:
    """Words as vectors by what they occur with (latent semantic analysis), from unlabelled paragraphs.

    Args:
        paragraphs: Texts.
        words: How many of the most frequent words to use.
        width: Length of the vectors.
    """

    def __init__(self, paragraphs, words=2000, width=100):
        counts = Counter(w for p in paragraphs for w in manuals.cut_words(p))
        self.columns = {w: i for i, (w, _) in enumerate(counts.most_common(words))}
        seen = self._logs(paragraphs)
        self.rarity = np.log(len(paragraphs) / (1 + (seen > 0).sum(axis=0)))
        seen *= self.rarity
        self.vectors = np.linalg.eigh(seen.T @ seen)[1][:, -width:]

    def _logs(self, texts):
        rows = np.zeros((len(texts), len(self.columns)))
        for row, text in zip(rows, texts, strict=True):
            for word in manuals.cut_words(text):
                if word in self.columns:
                    row[self.columns[word]] += 1
        return np.log1p(rows)

    def _unit(self, texts):
        placed = self._logs(texts) * self.rarity @ self.vectors
        return placed / (np.linalg.norm(placed, axis=1, keepdims=True) + 1e-9)

    def classes(self, texts, labels, new_texts):
        """Return for each new text the class whose labelled texts are nearest on average."""
        known = self._unit(texts)
        middles = np.stack([known[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
        middles /= np.linalg.norm(middles, axis=1, keepdims=True)
        return (self._unit(new_texts) @ middles.T).argmax(axis=1)


def transfer(cut, encoded, training, held_out, names, seeds) -> dict:
    """Fine-tune pre-trained and new stacks on few labels, beside two ways to count words, on equally long texts."""
    texts, labels = libraries_task.summaries(training)
    new_texts, new_labels = libraries_task.evenly(*libraries_task.summaries(held_out))
    length = libraries_task.LENGTH  # what the stacks read
    texts, new_texts = ([cut.decode(cut.encode(t)[:length]) for t in part] for part in (texts, new_texts))
    inputs, _ = subwords.windows(encoded)
    placed, reader = WordsPlaced(subwords.all_paragraphs(training)), {"causal": False, "near": 1}
    ways: dict = {way: {} for way in WAYS}
    for seed in range(seeds):
        masked = stack_training.new_stack(len(cut), seed=seed, **reader)
        stack_training.fit_masked(masked, inputs, names["mask_tokens"], seed=seed)
        trained = masked.get_weights()
        for count in PER_CLASS:
            chosen = libraries_task.few_labels(labels, count, seed)
            some = [texts[i] for i in chosen], labels[chosen]
            got = []
            for weights in (trained, None):
                stack = stack_training.new_stack(len(cut), seed=seed, **reader)
                if weights is not None:
                    stack.set_weights(weights)
                got.append(libraries_task.fine_tune(stack, cut, *some, new_texts, new_labels, seed=seed))
            for judge in (libraries_task.count_words_alone, placed.classes):
                got.append(float((judge(*some, new_texts) == new_labels).mean()))
            for way, accuracy in zip(WAYS, got, strict=True):
                ways[way].setdefault(count, []).append(round(accuracy, 3))
            print(seed, count, {way: runs[count][-1] for way, runs in ways.items()}, flush=True)
    return {"test texts of each class": len(new_labels) // 4, "accuracy": ways}


def main() -> None:
    """Measure and store; parts that are not measured stay as they are."""
    parts = {"scaling": scale, "wrong_mask": leave_out_the_mask, "transfer": transfer}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(parts), help=f"of {', '.join(parts)}; all if none is named")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--date", default=str(datetime.date.today()))
    args = parser.parse_args()
    names = answers()
    training, held_out, cut, encoded, new = prepare(names)
    for name in args.parts:
        more = (training, held_out, names, args.seeds) if name == "transfer" else (new,)
        result = parts[name](cut, encoded, *more)
        table = stored_table() | {
            "settings": {"merges": MERGES, "date": args.date, "python": platform.python_version(),
                         "keras": keras.__version__, "numpy": np.__version__, "matplotlib": matplotlib.__version__},
            "merges": "|".join(a + "+" + b for a, b in cut.merges),
            "text": {"paragraphs": len(encoded), "subwords": sum(map(len, encoded)), "held out": sum(map(len, new))},
            "counting": {k: round(v, 3) for k, v in count_models.counted_losses(encoded, new, len(cut)).items()},
            name: result,
        }  # fmt: skip
        STORE.write_text(HEAD + as_text(table), encoding="utf-8")


if __name__ == "__main__":
    main()
