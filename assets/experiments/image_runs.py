r"""Train the captioners and classifiers that notebook 9 shows as stored runs.

- `captioners`: learned weights, the same with the doubly stochastic penalty, and uniform weights;
- `drawn`: a captioner that sees one drawn cell at a time in training, by a Gumbel trick (Jang et al., 2017);
- `sizes`: the Vision Transformer and the convolutional network on training sets of several sizes;
- `shuffles`: what is left of both if patches lose their places;
- `maps`: the pointing game for the maps of ViTs trained on true labels (with `sizes`) and on shuffled ones (with
  `shuffles`).

Models, data and the game are those of `assets/helpers`; the attention is the given one of the notebook.

    nice -n 15 python assets/experiments/image_runs.py                # about half an hour of processor time
    nice -n 15 python assets/experiments/image_runs.py sizes --more   # goes on where the stored seeds of a part end
"""

from __future__ import annotations

import argparse
import datetime
import importlib
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
sys.path[:0] = [str(ROOT), str(ROOT / "assets"), str(ROOT / "assets" / "experiments")]

from helpers import captioner, glimpses, scenes, token_maps, vision_models  # noqa: E402
from length_curves import notebook_functions  # noqa: E402

NOTEBOOK = "09_attention_for_images"
STORE = ROOT / "assets" / "helpers" / "stored_images.py"
HEAD = '''"""Stored runs of notebook 9, by assets/experiments/image_runs.py; one entry for each seed.

`captioners`: share of captions entirely right, pointing accuracy of the naming words, and the penalty that is reached.
`drawn`: captioners trained on drawn cells. Share of captions right if the decoder, while it writes, sees a drawn cell,
the cell with the largest weight, or the mixture; and pointing.
`sizes`: share right after training on so many pictures, on new ones and (`known`) on those of the training. `shuffles`:
share right with patches out of place. `maps`: pointing accuracy of three maps, for true and for shuffled labels.
"""

# fmt: off
'''
GRID = (scenes.GRID, scenes.GRID)
PICTURES = (250, 1000, 4000)
PARTS = {"sizes": 5, "captioners": 3, "drawn": 3, "shuffles": 3}  # and the number of seeds
CAPTIONERS = {"chosen": ("chosen", 0.0), "penalty": ("chosen", 0.1), "uniform": ("uniform", 0.0)}


def rounded(value, digits=3):
    """Return numbers inside lists and dictionaries rounded."""
    if isinstance(value, dict):
        return {key: rounded(part, digits) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part, digits) for part in value]
    return round(value, digits) if isinstance(value, float) else value


def train_captioners(attend, seed, found):
    """Train the three captioners with one seed and add what they reach."""
    lessons, unseen = scenes.make_captioned(4000, seed=0), scenes.make_captioned(1000, seed=1)
    for name, (looks, weight) in CAPTIONERS.items():
        vision_models.start_vision(seed)
        model, eye = captioner.build_captioner(looks)
        captioner.train_captioner(model, lessons, epochs=12, penalty=weight)
        way = attend if looks == "chosen" else lambda state, grid, *_: (
            grid.mean(axis=(1, 2)), np.full(grid.shape[:3], 1 / grid[0, ..., 0].size))  # fmt: skip
        written, _ = glimpses.write_captions(model, eye, unseen["images"], way)
        _, maps = glimpses.write_captions(model, eye, unseen["images"], way, given=unseen["captions"])
        looked = maps.reshape(len(maps), maps.shape[1], -1).sum(axis=1)
        runs = found.setdefault(name, {"captions": [], "pointing": [], "reached": []})
        runs["captions"].append(glimpses.right_captions(written, unseen["captions"]))
        pointed = glimpses.play(*glimpses.naming_maps(maps, unseen["boxes"]))
        runs["pointing"].append(pointed if looks == "chosen" else glimpses.chance(unseen["boxes"].reshape(-1, 4), GRID))
        runs["reached"].append(float(((1 - looked) ** 2).sum(axis=1).mean()))
        print(name, seed, rounded(runs), flush=True)


def train_drawing(attend, seed, found):
    """Train a captioner on drawn cells with one seed and add what it reaches with them and with mixtures."""
    lessons, unseen = scenes.make_captioned(4000, seed=0), scenes.make_captioned(1000, seed=1)
    vision_models.start_vision(seed)
    model, eye = captioner.build_captioner("drawn")
    captioner.train_captioner(model, lessons, epochs=12)
    luck = np.random.default_rng(seed)
    ways = {
        "one cell drawn": glimpses.one_cell(attend, lambda weights: glimpses.draw_cells(weights, luck)),
        "largest cell": glimpses.one_cell(attend, lambda weights: weights.argmax(axis=1)),
        "mixture": attend,
    }
    for name, way in ways.items():
        written, _ = glimpses.write_captions(model, eye, unseen["images"], way)
        add(found, name, glimpses.right_captions(written, unseen["captions"]))
    _, maps = glimpses.write_captions(model, eye, unseen["images"], ways["one cell drawn"], given=unseen["captions"])
    add(found, "pointing", glimpses.play(*glimpses.naming_maps(maps, unseen["boxes"])))
    print("drawn", seed, rounded(found), flush=True)


def fresh_vit(seed, patches, labels, **options):
    """Train a ViT from a seed; return it and the model that shows its attention."""
    vision_models.start_vision(seed)
    model, look = vision_models.build_vit(**options)
    vision_models.train_classifier(model, patches, labels, vision_models.VIT_RATE)
    return model, look


def fresh_convnet(seed, images, labels):
    """Train a convolutional network from a seed."""
    vision_models.start_vision(seed)
    model = vision_models.build_convnet()
    vision_models.train_classifier(model, images, labels, vision_models.CONV_RATE)
    return model


def score_maps(model, look, data, patches):
    """Return the pointing accuracy of three maps on pictures that were not used in training."""
    attentions = look.predict(patches, verbose=0)[1:]
    maps = {
        "last layer": attentions[-1].mean(axis=1)[:, 0, 1:],
        "rollout": token_maps.class_token_row(attentions)[:, 1:],
        "gradient": token_maps.slope_of_patches(model, patches, data["labels"]),
    }
    return {name: glimpses.play(m.reshape(-1, *GRID), data["boxes"]) for name, m in maps.items()}


def add(found, name, value):
    """Add what one seed reached: a number, or a dictionary of numbers."""
    if isinstance(value, dict):
        for key, part in value.items():
            add(found.setdefault(name, {}), key, part)
    else:
        found.setdefault(name, []).append(value)


def shuffle_things(seed, data, unseen, found):
    """Train with patches out of place and with shuffled labels, with one seed."""
    patches, new = vision_models.as_patches(data["images"]), vision_models.as_patches(unseen["images"])
    rng = np.random.default_rng(seed)
    order = rng.permutation(patches.shape[1])
    orders = rng.permuted(np.tile(np.arange(patches.shape[1]), (len(new), 1)), axis=1)
    mixed = np.take_along_axis(new, orders[..., None], axis=1)
    runs = found["shuffles"]
    set_reader, _ = fresh_vit(seed, patches, data["labels"], positions=False)
    add(runs, "no positions", vision_models.accuracy(set_reader, new, unseen["labels"]))
    add(runs, "no positions, shuffled", vision_models.accuracy(set_reader, mixed, unseen["labels"]))
    model, _ = fresh_vit(seed, patches[:, order], data["labels"])
    add(runs, "fixed shuffle", vision_models.accuracy(model, new[:, order], unseen["labels"]))
    torn, new_torn = (join(p[:, order]) for p in (patches, new))
    model = fresh_convnet(seed, torn, data["labels"])
    add(runs, "convnet, fixed shuffle", vision_models.accuracy(model, new_torn, unseen["labels"]))
    model, look = fresh_vit(seed, patches, rng.permutation(data["labels"]))
    add(found["maps"], "shuffled labels", score_maps(model, look, unseen, new))


def join(patches):
    """Return pictures made of patches, row by row."""
    side, size = scenes.GRID, scenes.PATCH
    split = patches.reshape(len(patches), side, side, size, size, -1)
    return split.swapaxes(2, 3).reshape(len(patches), side * size, side * size, -1)


def store(found):
    """Write what was found so far."""
    STORE.write_text(f"{HEAD}STORED_IMAGES = (\n{pprint.pformat(rounded(found), width=118, sort_dicts=False)}\n)\n")


def compare_sizes(seed, data, unseen, found):
    """Train both classifiers on training sets of all sizes with one seed; score the maps of the largest ViT."""
    patches, new = vision_models.as_patches(data["images"]), vision_models.as_patches(unseen["images"])
    runs = {"vit": [], "conv": [], "vit known": [], "conv known": []}
    for count in PICTURES:
        labels = data["labels"][:count]
        vit, look = fresh_vit(seed, patches[:count], labels)
        convnet = fresh_convnet(seed, data["images"][:count], labels)
        for name, model, seen, fresh in (
            ("vit", vit, patches, new),
            ("conv", convnet, data["images"], unseen["images"]),
        ):
            runs[name].append(vision_models.accuracy(model, fresh, unseen["labels"]))
            runs[f"{name} known"].append(vision_models.accuracy(model, seen[:count], labels))
        print(seed, count, {name: run[-1] for name, run in runs.items()}, flush=True)
    add(found["maps"], "true labels", score_maps(vit, look, unseen, new))
    for name, run in runs.items():
        found["sizes"].setdefault(name, []).append(run)


def stored_seeds(found, part):
    """Return how many seeds of a part are stored."""
    runs = found.get(part, {})
    while isinstance(runs, dict):  # the first run by name has one entry for each seed
        runs = next((run for name, run in runs.items() if name != "pictures"), [])
    return len(runs)


def main():
    """Run the parts that are asked for and store them beside the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which to run again; all by default")
    parser.add_argument("--seeds", type=int, help="other than usual")
    parser.add_argument("--more", action="store_true", help="keep the stored seeds and go on with the next")
    asked = parser.parse_args()
    attend = notebook_functions([NOTEBOOK], ["given_spatial_attention"])["given_spatial_attention"]
    data, unseen = scenes.make_labelled(max(PICTURES), seed=0), scenes.make_labelled(1000, seed=1)
    found = importlib.import_module("helpers.stored_images").STORED_IMAGES if STORE.exists() else {}
    found["settings"] = {
        "updates": vision_models.UPDATES, "rates": [vision_models.VIT_RATE, vision_models.CONV_RATE],
        "date": datetime.date.today().isoformat(), "python": platform.python_version(),
        "keras": keras.__version__, "numpy": np.__version__,
    }  # fmt: skip
    for part in asked.parts or PARTS:
        first = stored_seeds(found, part) if asked.more else 0
        if not first:
            found[part] = {"pictures": list(PICTURES)} if part == "sizes" else {}
            found.setdefault("maps", {}).pop({"sizes": "true labels", "shuffles": "shuffled labels"}.get(part), None)
        for seed in range(first, asked.seeds or PARTS[part]):
            began = time.process_time()
            if part == "captioners":
                train_captioners(attend, seed, found[part])
            elif part == "drawn":
                train_drawing(attend, seed, found[part])
            elif part == "sizes":
                compare_sizes(seed, data, unseen, found)
            else:
                shuffle_things(seed, data, unseen, found)
            store(found)
            print(part, seed, round(time.process_time() - began), "s of processor time", flush=True)


if __name__ == "__main__":
    main()
