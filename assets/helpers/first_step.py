"""The explorer of notebook 8: what the settings leave of the next symbol's distribution, and a text."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.language_lesson import print_samples, shaped
from helpers.plots import OKABE_ITO, QUIET, show
from helpers.subwords import END
from helpers.writing import softmax_only


def show_first_step(writing, cut, prompt, shape, temperature, top_k, top_p):
    """Draw the next symbol's distribution before and after shaping, and print a continuation.

    Args:
        writing: A `Writer`.
        cut: `Subwords`.
        prompt: Beginning of the text.
        shape: The student's `next_token_probabilities`, or None.
        temperature: Temperature.
        top_k: Number of ids kept, or None.
        top_p: Sum of the probabilities kept, or None.
    """
    logits = writing.logits(np.array([END, *cut.encode(prompt)]))[-1]
    before, after = softmax_only(1.0)(logits), np.asarray(shaped(shape, temperature, top_k, top_p)(logits))
    best = np.argsort(-before, kind="stable")[:12]
    names = [cut.show(i) for i in best]
    figure, ax = plt.subplots(figsize=(6.6, 3.0))
    ax.bar(np.arange(12) - 0.2, before[best], width=0.4, color=QUIET, label="as the model says")
    ax.bar(np.arange(12) + 0.2, after[best], width=0.4, color=OKABE_ITO[0], hatch="//", ec="white", label="as you draw")
    ax.set_xticks(range(12), names, rotation=45)
    ax.set(ylim=(0, 1.15 * max(before.max(), after.max())), ylabel="probability")
    kept = int((after > 0).sum())
    ax.set_title(f"after “{prompt}”: {kept} of {len(after)} symbols can be drawn")
    ax.legend()
    ax.grid(axis="x", visible=False)
    said = ", ".join(f"{n} {a:.2f} becomes {b:.2f}" for n, a, b in zip(names, before[best], after[best], strict=True))
    show(figure, f"Bars of the twelve likeliest next symbols after {prompt!r}, before and after shaping: {said}.")
    print(f"{kept} of {len(after)} symbols can be drawn; the likeliest has probability {after.max():.2f}")
    print_samples(writing, cut, prompt, shape, [(temperature, top_k, top_p)])
