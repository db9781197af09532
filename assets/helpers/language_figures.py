"""Figures of notebook 8: two masks, likely next subwords, accuracy by labels, loss by size."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, draw_weights, show
from helpers.predictions import settle

_SHOWN_WAYS = {  # the keys of stored runs, as a legend says them
    "pre-trained": "pre-trained", "from scratch": "from scratch", "words counted": "words counted",
    "words placed": "words placed",
}  # fmt: skip
_SHOWN_SIZES = {"parameters": "parameters"}


def show_two_masks(words, hidden):
    """Draw who may look at whom when a stack writes, and when it fills gaps.

    Args:
        words: Words of a sentence.
        hidden: Place of the word that is hidden from the reading stack.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.4))
    size = len(words)
    gaps = ["[MASK]" if i == hidden else w for i, w in enumerate(words)]
    for ax, mask, names, title in (
        (axes[0], np.tri(size), words, "to write: causal mask"),
        (axes[1], np.ones((size, size)), gaps, "to read: all may look, one word hidden"),
    ):
        draw_weights(ax, mask, names, names, numbers=False, cmap="cividis")
        ax.set_title(title, pad=8)
        ax.set_xticks(np.arange(size - 1) + 0.5, minor=True)
        ax.set_yticks(np.arange(size - 1) + 0.5, minor=True)
        ax.grid(which="minor", color="white", lw=1.2)
        ax.tick_params(which="minor", length=0)
    axes[1].set_ylabel("")
    figure.tight_layout()
    figure.text(0.5, -0.03, "light: may look, dark: may not", ha="center", fontsize=9)
    alt = "Two grids of queries by keys. Left, to write: every word looks at itself and at the words before it only. "
    show(figure, alt + f"Right, to read: every word may look at every other, and {words[hidden]!r} is hidden.")


def show_next(prompts, chances, cut):
    """Draw the most likely next symbols after several beginnings, and print them.

    Args:
        prompts: Texts.
        chances: An array `(vocab_size,)` for each.
        cut: `Subwords`.
    """
    figure, axes = plt.subplots(1, len(prompts), figsize=(7.0, 2.8))
    said = []
    for ax, prompt, p in zip(axes, prompts, chances, strict=True):
        best = np.argsort(-p, kind="stable")[:6]
        names = [cut.show(i) for i in best]
        ax.barh(range(6), p[best], color=OKABE_ITO[0])
        ax.set_yticks(range(6), names)
        ax.invert_yaxis()
        ax.set(xlim=(0, 1.1 * max(q.max() for q in chances)), xlabel="probability")
        ax.set_title(f"{prompt} ...", fontsize=9)
        ax.grid(axis="y", visible=False)
        said.append(f"after {prompt!r}: " + ", ".join(f"{s} {v:.2f}" for s, v in zip(names, p[best], strict=True)))
    figure.tight_layout()
    print("\n".join(said))
    show(figure, "Bars of the six most likely next symbols for each beginning, " + "; ".join(said) + ".")


def show_transfer(stored, live=None):
    """Draw accuracy against the number of labels for each way; the range of the seeds as a band.

    Args:
        stored: Part `transfer` of the stored runs.
        live: Optionally `(labels per class, accuracy)` of this session's run.
    """
    figure, ax = plt.subplots(figsize=(6.6, 3.6))
    said = []
    for n, (way, runs) in enumerate(stored["accuracy"].items()):
        counts, values, name = list(runs), np.array(list(runs.values())), _SHOWN_WAYS[way]
        ax.plot(counts, values.mean(axis=1), color=OKABE_ITO[n], marker=MARKERS[n], label=name)
        ax.fill_between(counts, values.min(axis=1), values.max(axis=1), color=OKABE_ITO[n], alpha=0.18, lw=0)
        told = (f"{v.mean():.2f} ({v.min():.2f} to {v.max():.2f}) at {c}" for c, v in zip(counts, values, strict=True))
        said.append(f"{name}: {', '.join(told)}")
    if live is not None:
        ax.plot(*live, marker="*", ms=17, mfc="none", mew=1.6, color=INK, ls="", label="your run, pre-trained")
        said.append(f"your run {live[1]:.2f} at {live[0]}")
    ax.axhline(0.25, color=INK, lw=1, ls=":")
    ax.set_xscale("log")
    ax.set_xticks(counts, counts)
    ax.minorticks_off()
    ax.set(xlabel="labels of each class", ylabel="accuracy, held-out summaries", ylim=(0.2, 0.8))
    ax.set_title("Which library? Accuracy with few labels (dotted: guessing)")
    seeds = f"lines: means of {values.shape[1]} seeds, bands: from the worst to the best of them; your run: one seed"
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, title=seeds, title_fontsize=9)
    print("\n".join(said))
    show(figure, "Accuracy against labels of each class, mean and range of the seeds. " + "; ".join(said) + ".")


def settle_best(stored, guess, labels):
    """Print which way is best with so many labels of each class, and how that compares with the guess.

    Args:
        stored: Part `transfer` of the stored runs. Whoever was ahead of the best mean with a seed counts as best too.
        guess: The name of a way, or None.
        labels: Number of labels of each class.
    """
    runs = {way: some[labels] for way, some in stored["accuracy"].items()}
    top = runs[max(runs, key=lambda way: np.mean(runs[way]))]
    best = [way for way, some in runs.items() if some is top or np.any(np.greater(some, top))]
    told = " / ".join(best)
    what = f"best with {labels} labels, stored runs" + f" (too close to call: {told})" * (len(best) > 1)
    settle(guess, guess if str(guess).lower() in best else told, what=what, options=runs)


def show_scaling(stored):
    """Print all scaling runs, and draw loss against width and against text; a run with more updates is a point."""
    runs, lines = stored["scaling"], stored["counting"]
    print("width   text  updates  parameters   loss  processor seconds")
    for (width, share, steps), run in runs.items():
        print(f"{width:5} {share:6.0%} {steps:8,} {run['parameters']:11,} {run['loss']:6.2f} {run['seconds']:8}")
    base = max(steps for width, share, steps in runs if share < 1)
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2))
    by_size = {r["parameters"]: r["loss"] for (w, s, n), r in runs.items() if s == 1 and n == base}
    by_text = {s: r["loss"] for (w, s, n), r in runs.items() if w == 64 and n == base}
    groups = ((_SHOWN_SIZES["parameters"], "all of the text", by_size), ("share of the text", "width 64", by_text))
    said = []
    for ax, (name, fixed, points) in zip(axes, groups, strict=True):
        xs = sorted(points)
        ax.plot(xs, [points[x] for x in xs], color=OKABE_ITO[0], marker="o", label=f"{base} updates")
        ax.set_xscale("log")
        ax.set_xticks(xs, [f"{x:,}" if x > 1 else f"{x:.0%}" for x in xs])
        ax.minorticks_off()
        ax.set(xlabel=name, title=fixed)
        for n, kind in enumerate(("unigram", "bigram", "trigram")):
            if n or ax is axes[1]:  # the left scale does not reach so far up
                ax.axhline(lines[kind], color=OKABE_ITO[n + 1], ls=("-.", "--", ":")[n], label=kind)
        said.append(f"by {name}: " + ", ".join(f"{points[x]:.2f} at {x:,}" for x in xs))
    for (_, _, steps), run in runs.items():
        if steps != base:
            at = run["parameters"], run["loss"]
            axes[0].plot(*at, color=INK, marker="*", ms=11, ls="", label=f"{steps:,} updates")
            said.append(f"after {steps:,} updates {at[1]:.2f} at {at[0]:,} parameters")
    axes[0].set_ylabel("loss, nats per symbol")
    axes[1].set_ylabel("loss, nats per symbol\n(longer scale)")
    near = [*by_size.values(), lines["bigram"], lines["trigram"]]  # the scale of what size changes, not of an outlier
    axes[0].set_ylim(min(near) - 0.2, max(near) + 0.2)
    figure.tight_layout()
    named = {label: line for ax in axes for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    order = sorted(named, key=lambda label: (not label.endswith("updates"), label == "trigram", label == "bigram"))
    figure.legend([named[n] for n in order], order, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=5)
    counted = f"unigram {lines['unigram']:.2f}, bigram {lines['bigram']:.2f}, trigram {lines['trigram']:.2f}"
    show(figure, f"Held-out loss after {base} updates, {'; '.join(said)}. Horizontal lines: {counted}.")
