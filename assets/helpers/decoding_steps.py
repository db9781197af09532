"""Watch a translator write, step by step, and take another word than the best."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, ROLES, show

_NOTHING, _BEGIN, _FINISH = 0, 1, 2  # padding, start and end mark, the same in both vocabularies of every task


def _write_on(model, source, tokens, start):
    """Fill `tokens (1, T + 1)` greedily from position `start` on; give the log probabilities `(T, vocab_size)`."""
    steps = np.zeros(model.output_shape[1:])
    for t in range(model.output_shape[1]):
        if t >= start or t == 0:  # the steps before `start` are known after one pass
            logits = model.predict_on_batch([source, tokens[:, :-1]])[0].astype(float)
            logits -= logits.max(axis=-1, keepdims=True)
            steps = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        if t >= start:
            tokens[0, t + 1] = steps[t].argmax()
        if tokens[0, t + 1] == _FINISH:
            break
    return steps


def follow_choice(model, source, step, rank):
    """Write greedily, but take the word of another rank at one step, and go on greedily behind it.

    Args:
        model: From `[source ids (B, S), decoder input (B, T)]` to logits `(B, T, vocab_size)`.
        source: Ids `(1, S)`.
        step: The step at which to choose, from 0.
        rank: Which word to take there, 1 for the most probable.

    Returns:
        `(tokens, candidates, shares, total)`: ids with start and end mark, the ids of the five most probable words at
        the step, their probabilities, and the sum of the log probabilities of all that was written.
    """
    tokens = np.full((1, model.output_shape[1] + 1), _NOTHING)
    tokens[0, 0] = _BEGIN
    steps = _write_on(model, source, tokens, 0)
    candidates = np.argsort(-steps[step])[:5]
    shares = np.exp(steps[step][candidates])
    if rank > 1:
        tokens[0, step + 1], tokens[0, step + 2 :] = candidates[rank - 1], _NOTHING
        steps = _write_on(model, source, tokens, step + 1)
    written = tokens[0, 1:]
    last = int((written == _FINISH).argmax()) if (written == _FINISH).any() else len(written) - 1
    return tokens[0, : last + 2], candidates, shares, float(sum(steps[t, written[t]] for t in range(last + 1)))


def show_choice(words, step, rank, candidates, shares, source, weights, total, best_total):
    """Draw the most probable words of one step and where cross-attention looks, and say what follows from a choice.

    Args:
        words: All that is written, with the end mark.
        step: The step, from 1.
        rank: Which of the candidates was taken, 1 for the most probable.
        candidates: The most probable words of the step.
        shares: Their probabilities.
        source: The `S` source words.
        weights: Cross-attention of the step, `(S,)`.
        total: Log probability of all that is written.
        best_total: The same if the most probable word is taken at each step.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 2.7), width_ratios=(1, 1.5), layout="constrained")
    places = np.arange(len(candidates))
    bars = left.barh(places, shares, color=ROLES["decoder"], edgecolor=INK, lw=0.8)
    bars[rank - 1].set(hatch="//", lw=1.8)
    for place, share in zip(places, shares, strict=True):
        left.text(share + 0.02, place, f"{share:.3f}", va="center", fontsize=9)
    # In words too: of a word that is hardly probable the hatched bar cannot be seen.
    left.set_yticks(places, [f"taken: {word}" if place == rank - 1 else word for place, word in enumerate(candidates)])
    left.get_yticklabels()[rank - 1].set_fontweight("bold")
    left.invert_yaxis()
    left.set(xlim=(0, 1.28), title=f"step {step}: next word", xlabel="probability")
    left.set_xticks((0, 0.5, 1))
    left.grid(False, axis="y")
    right.bar(range(len(source)), weights, color=ROLES["weights"], edgecolor=INK, lw=0.8)
    for place, weight in enumerate(weights):
        right.text(place, weight + 0.02, f"{weight:.2f}", ha="center", fontsize=9)
    right.set_xticks(range(len(source)), source, rotation=30, ha="right", rotation_mode="anchor")
    right.set(ylim=(0, 1.14), ylabel="weight", title="where it looks (last layer, mean of heads)")
    right.grid(False, axis="x")
    best = int(np.argmax(weights))
    before = " ".join(words[: step - 1]) or "nothing"
    finding = f"Step {step}. Written so far: {before}.\nMost probable next: {candidates[0]} {shares[0]:.3f}, "
    finding += f"then {candidates[1]} {shares[1]:.3f}. "
    finding += f"It looks most at {source[best]}, {weights[best]:.2f}.\n"
    finding += f"Taken: {candidates[rank - 1]}. With the most probable word from there on:\n{' '.join(words)}\n"
    finding += f"Log probability of the whole {total:.2f}"
    finding += f"; {best_total:.2f} without your choice." if rank > 1 else "."
    show(figure, f"Bars of the most probable next words, and of attention to the source. {finding}")
    print(finding)
