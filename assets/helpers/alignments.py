"""Where a trained decoder looks: the weights of one word, and counts over many sentences."""

import textwrap
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from helpers.number_words import translate_number
from helpers.plots import INK, ROLES, draw_weights, show, top_alignments

_SCALES = ("hundert", "tausend", "Million", "Millionen")


def _draw_map(weights, german, english, gold, title, **options):
    """Draw a map with a German word in each row and an English word in each column; return figure, axes and image."""
    figure, ax = plt.subplots(figsize=(min(7.0, 2.0 + 0.52 * len(english)), min(7.0, 1.6 + 0.36 * len(german))))
    image = draw_weights(ax, weights, german, english, title, gold, **options)
    ax.set(xlabel="English (framed: the known alignment)", ylabel="German")
    ax.xaxis.set_label_position("top")  # where the English words are
    return figure, ax, image


def _print_both(english, german):
    """Print a number's words in both languages, one below the other: long ones do not fit side by side."""
    print(*english)
    print("->", *german)


def show_known_alignment(number):
    """Show a number in both languages and draw which English word each German word renders."""
    english, german, gold = translate_number(number)
    _print_both(english, german)
    empty, title = np.zeros((len(german), len(english))), "Which English word each German word renders"
    figure, ax, _ = _draw_map(empty, german, english, gold, title, numbers=False, cmap="Greys")
    for i, j in ((i, j) for i, right in enumerate(gold) for j in right):  # within the frames
        ax.add_patch(plt.Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fc="#CDCDCD", zorder=0.9))
    ax.set_xticks(np.arange(len(english) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(german) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="#E4E4E4", lw=1)  # without lines, white cells look like missing ones
    ax.tick_params(which="minor", length=0)
    said = (f"{word} renders {english[min(s)] if s else 'no word'}" for word, s in zip(german, gold, strict=True))
    show(figure, f"Known alignment of {number:,}: {'; '.join(said)}.")


def show_alignment(english, german, gold, weights):
    """Show where a decoder looked, a row of weights for each German word it wrote, and frame the known alignment."""
    figure, ax, image = _draw_map(weights, german, english, gold, "Where the decoder looked when it wrote each word")
    figure.colorbar(image, ax=ax, label="attention weight", fraction=0.05, pad=0.03).outline.set_visible(False)
    best = top_alignments(weights, german, english)
    _print_both(english, german)
    show(figure, f"Heat map of attention weights for {' '.join(english)}. Largest in each row: {best}.")


def show_query(weights, queries, keys, position, gold=None):
    """Show the weights of one query as bars, and say in words where it looks.

    Args:
        weights: Array `(T, S)`.
        queries: `T` words of the target.
        keys: `S` words of the source.
        position: Which query.
        gold: Optionally, for each query the set of right keys; they are marked. It may be shorter than `queries`.
    """
    row, right = np.asarray(weights)[position], gold[position] if gold and position < len(gold) else set()
    right = {j for j in right if j < len(keys)}
    figure, ax = plt.subplots(figsize=(6.6, 2.6))
    bars = ax.bar(range(len(keys)), row, color=ROLES["weights"], edgecolor=INK, lw=0.8)
    for j in right:
        bars[j].set(hatch="//", lw=1.8)
    for j, weight in enumerate(row):
        ax.text(j, weight + 0.02, f"{weight:.2f}", ha="center", fontsize=9)
    ax.set_xticks(range(len(keys)), keys, rotation=30 if len(keys) > 7 else 0)
    hatched = " (hatched: the known alignment)" if right else ""
    ax.set(ylim=(0, 1.12), ylabel="attention weight", xlabel=f"English{hatched}")
    ax.grid(axis="x", visible=False)
    best = int(row.argmax())
    sentence = " ".join(f"[{w}]" if i == position else w for i, w in enumerate(queries))
    ax.set_title(textwrap.fill(f"Writing the word in brackets: {sentence}", 60))
    known = ", ".join(keys[j] for j in sorted(right)) or "no word"
    finding = f"Writing {queries[position]} (position {position}), the decoder looks most at {keys[best]}, "
    finding += f"weight {row[best]:.2f}."
    if gold:
        known = known if position < len(gold) else "none, the right translation is shorter"
        finding += f"\nKnown alignment: {known}."
    values = ", ".join(f"{k} {w:.2f}" for k, w in zip(keys, row, strict=True))
    show(figure, f"Bars of attention weights for one query. {finding} All weights: {values}.")
    print(finding)


def show_one_word(english, german, gold, weights, position):
    """Show where a decoder looked at one position of the German sentence; after its end, at its last one."""
    show_query(weights, german, english, min(position, len(german) - 1), gold)


def count_alignments(weights, numbers):
    """Count how often the largest weight of a German word falls on the English word it renders.

    Args:
        weights: Weights `(N, T, S)`, one map for each number.
        numbers: The `N` numbers.

    Returns:
        Dictionary of `right` and `scored`, the number of words that are right and of those that have a right answer;
        `by_kind`, the share that is right among numerals and among the words for hundred, thousand and million; and
        `und`, how often the largest weight of *und* is on the tens word, on the unit word, or elsewhere; `und_by_next`,
        the same for each word that comes after the tens word; and `elsewhere`, the English words that *und* is on
        there, with their counts.
    """
    hits = {"numerals": [], "hundert, tausend, Million": []}
    places = {"tens": 0, "unit": 0, "else": 0}
    und, by_next, elsewhere = dict(places), {}, Counter()
    for map_of_number, number in zip(np.asarray(weights), numbers, strict=True):
        english, german, gold = translate_number(number)
        best = map_of_number.argmax(axis=-1)
        for i, right in enumerate(gold):
            if right:
                kind = "hundert, tausend, Million" if german[i] in _SCALES else "numerals"
                hits[kind].append(best[i] in right)
            else:  # und comes between unit and tens
                place = "tens" if best[i] in gold[i + 1] else "unit" if best[i] in gold[i - 1] else "else"
                und[place] += 1
                following = german[i + 2] if i + 2 < len(german) else "no word"
                by_next.setdefault(following, dict(places))[place] += 1
                if place == "else":
                    elsewhere[[*english, "padding"][min(best[i], len(english))]] += 1
    every = [hit for group in hits.values() for hit in group]
    by_kind = {kind: float(np.mean(group)) for kind, group in hits.items() if group}
    found = {"by_kind": by_kind, "und": und, "und_by_next": by_next, "elsewhere": dict(elsewhere.most_common())}
    return {"right": int(sum(every)), "scored": len(every), **found}


def mean_accuracy(accuracy, weights, numbers):
    """Return the mean of `accuracy(map, gold)` over the numbers, each map cut to the German words of its number.

    The columns of the padding stay. Without them, a row with all its weight on the padding would be all zeros, and its
    largest entry would be the first. With `None` for `accuracy`, `count_alignments` computes the share of each number.
    """
    shares = []
    for rows, number in zip(np.asarray(weights), numbers, strict=True):
        _, german, gold = translate_number(number)
        rows = rows[: len(german)]
        counts = None if accuracy else count_alignments([rows], [number])
        shares.append(accuracy(rows, gold) if accuracy else counts["right"] / counts["scored"])
    return float(np.mean(shares))
