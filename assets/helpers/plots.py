"""Figures of the course: one look, alternative text on each, words as labels."""

import base64
import html
import io

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.patheffects import withStroke
from PIL import Image

# Okabe and Ito's palette: told apart by colour-blind readers; the order alternates dark and light for print in grey.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, PAPER, QUIET = "#222222", "#FFFFFF", "#8A8A8A"
SHARPNESS = 2  # pixels of the file for each of the page: screens of high resolution, slides
# One colour a role in all diagrams: cool on the encoder's side, warm on the decoder's; INKS: dark enough for text.
ROLES = {"encoder": "#0072B2", "decoder": "#E69F00", "query": "#D55E00", "key": "#56B4E9", "value": "#009E73",
         "weights": "#CC79A7"}  # fmt: skip
INKS = {"encoder": "#00598C", "decoder": "#805300", "query": "#A84A00", "key": "#1A6E9E", "value": "#00694D",
        "weights": "#95406F"}  # fmt: skip

STYLE = {
    "figure.dpi": 100,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": QUIET,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.prop_cycle": plt.cycler(color=OKABE_ITO),
    "grid.color": "#E4E4E4",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.8,
}
plt.rcParams.update(STYLE)


def show(figure, alt):
    """Show a figure with its alternative text and close it.

    JupyterLab, Colab and nbconvert hand on the `alt` of an `<img>` only, so the picture goes out as HTML;
    the plain text of the output is the alternative text as well.

    Args:
        figure: A matplotlib figure.
        alt: What a reader who cannot see the figure has to know: what is drawn and what it shows.
    """
    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", bbox_inches="tight", pad_inches=0.08, dpi=SHARPNESS * figure.dpi)
    plt.close(figure)
    picture = Image.open(full).convert("RGB").quantize(256)  # a third of the size, no visible difference
    picture.save(small, "png", optimize=True)
    source = f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode('ascii')}"
    words, width = html.escape(alt, quote=True), picture.width // SHARPNESS
    image = f'<img alt="{words}" src="{source}" width="{width}" style="max-width:100%">'
    display({"text/html": image, "text/plain": alt}, raw=True)


def ink_on(colour):
    """Give `"black"` or `"white"`, whichever stands out on a colour given as RGB or RGBA values in 0..1."""
    luminance = np.dot(np.asarray(colour)[:3], (0.2126, 0.7152, 0.0722))
    return "black" if luminance > 0.45 else "white"


def draw_weights(ax, weights, queries, keys, title="", gold=None, numbers=None, low=0.0, high=1.0, cmap="viridis"):
    """Draw attention weights as a heat map: a row for each query, a column for each key.

    Args:
        ax: Matplotlib axes.
        weights: Array `(T, S)`.
        queries: `T` labels of the rows.
        keys: `S` labels of the columns.
        title: The message of the picture.
        gold: Optionally, for each row the set of columns known to be right; they are framed.
        numbers: Whether to write the values into the cells; by default up to 12 x 12.
        low: Value of the darkest colour.
        high: Value of the lightest colour.
        cmap: Colour map; a diverging one only for signed scores.

    Returns:
        The image, for a colour bar.
    """
    weights = np.asarray(weights, dtype=float)
    rows, columns = weights.shape
    image = ax.imshow(weights, vmin=low, vmax=high, cmap=cmap, aspect="auto")
    ax.grid(False)
    turned = 45 if max((len(str(k)) for k in keys), default=0) > 3 else 0
    ax.set_xticks(range(columns), keys, rotation=turned, ha="left" if turned else "center", rotation_mode="anchor")
    ax.set_yticks(range(rows), queries)
    ax.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("key (framed: the known alignment)" if gold else "key")
    ax.set_ylabel("query")
    if title:
        ax.set_title(title, pad=10)
    if numbers if numbers is not None else max(rows, columns) <= 12:
        for i, j in np.ndindex(rows, columns):
            colour = ink_on(image.cmap(image.norm(weights[i, j])))
            ax.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center", fontsize=8, color=colour)
    heavy = min(1.0, ax.get_window_extent().width / columns / 36) ** 1.25  # thinner frames in small pictures
    for i, columns_of_row in enumerate(gold or ()):
        for j in columns_of_row:
            frame = plt.Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec="#D55E00", lw=2.2 * heavy)
            frame.set_path_effects([withStroke(linewidth=4 * heavy, foreground=PAPER)])  # seen on every colour
            ax.add_patch(frame)
    return image


def top_alignments(weights, queries, keys):
    """Describe where each query looks most, such as "drei: three 0.97; und: three, twenty 0.46 each" (a tie).

    Args:
        weights: Array `(T, S)`.
        queries: `T` labels.
        keys: `S` labels.
    """
    told = []
    for query, row in zip(queries, np.asarray(weights, dtype=float), strict=True):
        best = [str(key) for key, weight in zip(keys, row, strict=True) if np.isclose(weight, row.max(), atol=1e-6)]
        names = "all keys" if 1 < len(best) == len(row) else ", ".join(best)
        told.append(f"{query}: {names} {row.max():.2f}{' each' if len(best) > 1 else ''}")
    return "; ".join(told)


def show_weights(weights, queries, keys, title="", gold=None, numbers=None):
    """Show attention weights as a heat map with words as labels; the alternative text names each row's maximum.

    Args:
        weights: Array `(T, S)`, rows summing to 1.
        queries: `T` labels of the rows.
        keys: `S` labels of the columns.
        title: The message of the picture.
        gold: Optionally, for each row the set of columns known to be right; they are framed.
        numbers: Whether to write the values into the cells; by default up to 12 x 12.
    """
    weights = np.asarray(weights)
    rows, columns = weights.shape
    figure, ax = plt.subplots(figsize=(min(7.0, 1.8 + 0.52 * columns), min(7.0, 1.3 + 0.36 * rows)))
    image = draw_weights(ax, weights, queries, keys, title, gold, numbers)
    figure.colorbar(image, ax=ax, label="weight", fraction=0.05, pad=0.03).outline.set_visible(False)
    show(figure, f"Heat map of attention weights. {title}. Largest per row: {top_alignments(weights, queries, keys)}.")
