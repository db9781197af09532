"""Pictures of notebook 9: scenes, where a model looks, curves over the size of the training set."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, QUIET, show
from helpers.scenes import PATCH, extent_of


def _bare(ax, picture):
    ax.imshow(np.clip(picture, 0, 1), interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    for side in ax.spines.values():
        side.set(visible=True, color=QUIET, linewidth=0.8)


def _frame(ax, box, colour=INK):
    top, left, bottom, right = (PATCH * side - 0.5 for side in box)
    ax.add_patch(
        plt.Rectangle((left, top), right - left, bottom - top, fill=False, ec=colour, lw=1.8, ls="--", clip_on=False)
    )


def _dim(picture, cells):
    """Darken what is not looked at: the largest cell stays clear. Rounded, or 256 colours would not do for all."""
    shares = np.kron(cells / max(cells.max(), 1e-12), np.ones((len(picture) // len(cells),) * 2))
    return np.round(20 * np.clip(picture, 0, 1) * (0.55 + 0.45 * shares[..., None])) / 20


def _peak(cells):
    row, column = np.unravel_index(cells.argmax(), cells.shape)
    return int(row), int(column)


def _spot(cells, box):
    """Describe in words where the largest cell of a map is, and whether that is inside a box."""
    row, column = _peak(cells)
    text = f"largest in row {row}, column {column} ({cells[row, column]:.2f})"
    if box is None:
        return text
    top, left, bottom, right = box
    inside = top <= row < bottom and left <= column < right
    return f"{text}, {'inside' if inside else 'outside'} the box of {extent_of(box)}"


def show_scenes(pictures, captions, title, boxes=None):
    """Show pictures in a row, each with its caption; boxes, if there are any, are dashed."""
    figure, axes = plt.subplots(
        1, len(pictures), figsize=(2.1 * len(pictures), 3.05), squeeze=False, layout="compressed"
    )
    figure.get_layout_engine().set(h_pad=0.09)  # between the title and the captions
    said = []
    for n, (ax, picture, caption) in enumerate(zip(axes[0], pictures, captions, strict=True)):
        _bare(ax, picture)
        ax.set_title(caption, fontsize=8.5, loc="center")
        framed = [] if boxes is None else np.atleast_2d(boxes[n])
        for box in framed:
            _frame(ax, box)
        said.append(", ".join([*caption.split("\n"), *(f"a box in {extent_of(box)}" for box in framed)]))
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    show(figure, f"{title}. Generated pictures, boxes in cells of a grid: {'; '.join(said)}.")


def show_looks(picture, maps, titles, title, boxes=None, scene=""):
    """Show where a model looks: one copy of a picture for each map, dark where the map is small.

    Args:
        picture: `(side, side, 3)`.
        maps: One map `(h, w)` for each copy.
        titles: What is above each copy: most often a word.
        title: The message of the picture.
        boxes: For each copy the right box, in cells, or None.
        scene: What is where in the picture, for its alternative text.
    """
    boxes = [None] * len(maps) if boxes is None else boxes
    size = (1.75 * len(maps), 2.3) if len(maps) > 1 else (3.3, 3.8)
    figure, axes = plt.subplots(1, len(maps), figsize=size, squeeze=False, layout="compressed")
    for ax, cells, name, box in zip(axes[0], maps, titles, boxes, strict=True):
        _bare(ax, _dim(picture, cells))
        if len(maps) > 1:  # the only one is named by the title
            ax.set_title(name, fontsize=9.5, loc="center")
        if box is not None:
            _frame(ax, box, "#D55E00")
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    words = [f"{name}: {_spot(m, box)}" for name, m, box in zip(titles, maps, boxes, strict=True)]
    show(figure, f"{title}. {scene and scene + ' '}Bright is where the map is large. {'; '.join(words)}.")


def show_sizes(sizes, runs, title, ylabel, level=None):
    """Show curves over the size of the training set: the mean of the runs as a line, their range as a band.

    Args:
        sizes: Numbers of training pictures.
        runs: For each label an array `(runs, sizes)`.
        title: The message of the picture.
        ylabel: What is measured.
        level: Optionally `(value, name)`, drawn as a dotted line.
    """
    figure, ax = plt.subplots(figsize=(6.2, 3.6))
    words = []
    for i, (label, values) in enumerate(runs.items()):
        values = np.atleast_2d(values)
        mean, low, high = values.mean(axis=0), values.min(axis=0), values.max(axis=0)
        ax.plot(sizes, mean, color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=label)
        ax.fill_between(sizes, low, high, color=OKABE_ITO[i], alpha=0.18, lw=0)
        told = (f"{m:.2f} ({a:.2f} to {b:.2f})" for m, a, b in zip(mean, low, high, strict=True))
        words.append(f"{label} {', '.join(told)}")
    if level:
        ax.axhline(level[0], color=QUIET, ls=":", lw=1.4, label=level[1])
        words.append(f"dotted line: {level[1]} {level[0]:.2f}")
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.minorticks_off()
    ax.set(ylim=(0, 1.04), xlabel="training pictures", ylabel=ylabel, title=title)
    ax.legend(loc="best")
    counts = ", ".join(f"{n:,}" for n in sizes)
    show(figure, f"{title}. {ylabel} for {counts} training pictures (range of the runs): {'; '.join(words)}.")


def show_similarity(table, side, title):
    """Show how similar the positions of some cells are to those of all cells, cosine from -1 to 1.

    Args:
        table: Positions `(side * side, D)` without that of the class token.
        side: Cells of the grid along a side.
        title: The message of the picture.
    """
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    chosen = [(r, c) for r in (0, side // 2, side - 1) for c in (0, side // 2, side - 1)]
    figure, axes = plt.subplots(3, 3, figsize=(4.6, 4.6), layout="compressed")
    words = []
    for ax, (row, column) in zip(axes.flat, chosen, strict=True):
        cosine = (unit @ unit[row * side + column]).reshape(side, side)
        image = ax.imshow(cosine, vmin=-1, vmax=1, cmap="RdBu_r")
        ax.set(xticks=[], yticks=[])
        ax.grid(False)
        ax.set_title(f"row {row}, col. {column}", fontsize=9, loc="center")
        cosine[row, column] = -2
        words.append(f"row {row}, column {column} is most similar to row {_peak(cosine)[0]}, column {_peak(cosine)[1]}")
    figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, label="cosine").outline.set_visible(False)
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    text = f"Heat maps of the cosine between the position of one cell and those of all: {'; '.join(words)}."
    show(figure, f"{title}. {text}")
