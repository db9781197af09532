"""A trained translator run one decoder step at a time, with any function as the step."""

from collections import Counter

import numpy as np
from helpers.number_words import (
    DIGITS,
    END,
    GERMAN,
    PAD,
    START,
    TARGET_LENGTH,
    decode_ids,
    encode_numbers,
    translate_number,
)


def read_params(model):
    """Return the trained weights as the `params` of a decoder step, in float64."""
    decoder = model.get_layer("decoder")
    weights = {"w_query": decoder.project_query.kernel, "w_key": decoder.project_key.kernel,
               "v": decoder.attention.scale, "gru_x": decoder.cell.kernel, "gru_h": decoder.cell.recurrent_kernel,
               "gru_b": decoder.cell.bias}  # fmt: skip
    return {name: np.asarray(w, dtype="float64") for name, w in weights.items()}


def keras_step(model):
    """Return the decoder step of a trained model as a function of the same form as the student's."""
    decoder = model.get_layer("decoder")

    def step(embedded, state, encoder_states, mask, params):
        """Make the step with the layers that `model` was trained with; `params` is theirs already."""
        a, b, c = (np.asarray(x, dtype="float32") for x in (embedded, state, encoder_states))
        return tuple(np.asarray(x) for x in decoder.step(a, b, c, decoder.project_key(c), mask))

    return step


def translate_by_steps(step, model, maps, source, given=None, allowed=None):
    """Translate greedily, calling `step` once for each word, for all sentences at once.

    Args:
        step: `(embedded (B, D), state (B, U), encoder_states (B, S, E), mask (B, S), params)` to
            `(state, context, weights)`.
        model: The trained model, for its embeddings and its output layer.
        maps: The model with the same layers that returns weights, first state and annotations.
        source: English ids `(B, S)`.
        given: German ids `(B, T)` to be read instead of the words that were written; `None` for its own words.
        allowed: Booleans `(B, T, S)`: which source positions each step may read; `None` for every real one.

    Returns:
        `(tokens, weights)`: ids `(B, T)` and weights `(B, T, S)`.
    """
    params, table = read_params(model), np.asarray(model.get_layer("words").embeddings)
    kernel, bias = (np.asarray(w) for w in model.get_layer("logits").weights)
    empty = np.full((len(source), TARGET_LENGTH), PAD)
    _, state, annotations = (np.asarray(part) for part in maps([source, empty]))
    last, tokens, weights = np.full(len(source), START), [], []
    for t in range(TARGET_LENGTH):
        mask = source != PAD if allowed is None else allowed[:, t]
        state, context, row = step(table[last], state, annotations, mask, params)
        last = (np.concatenate([state, context], axis=-1) @ kernel + bias).argmax(axis=-1)
        tokens.append(last)
        weights.append(np.asarray(row))
        last = last if given is None else given[:, t]
    return np.stack(tokens, axis=1), np.stack(weights, axis=1)


def translate_and_look(step, model, maps, number):
    """Translate one number: its words, what was written, the known alignment, and the weights `(T, S)` between them."""
    tokens, weights = translate_by_steps(step, model, maps, encode_numbers([number])[0])
    english, _, gold = translate_number(number)
    german = decode_ids(tokens[0], GERMAN) or [GERMAN[END]]  # a poor model may write nothing else
    return english, german, gold, weights[0, : len(german), : len(english)]


def exact_match(written, target, digits):
    """Return the share of sentences with every real word right, for each count of digits that occurs."""
    right = ((written == target) | (target == PAD)).all(axis=1)
    return {d: round(float(right[digits == d].mean()), 3) for d in DIGITS if (digits == d).any()}


def count_different(written, other):
    """Return how many sentences differ in a word up to the end mark."""
    return sum(decode_ids(a, GERMAN) != decode_ids(b, GERMAN) for a, b in zip(written, other, strict=True))


def show_misses(written, numbers, digits):
    """Print how many numbers of one length were translated wrongly, how those begin in English, and the first of them.

    Args:
        written: German ids `(N, T)`.
        numbers: The `N` numbers.
        digits: The length.
    """
    pairs = [(number, decode_ids(ids, GERMAN)) for ids, number in zip(written, numbers, strict=True)]
    pairs = [(*translate_number(number)[:2], german) for number, german in pairs if len(str(number)) == digits]
    wrong = [pair for pair in pairs if pair[1] != pair[2]]
    print(f"{digits} digits: {len(wrong)} of {len(pairs)} wrong")
    occurring = Counter(" ".join(english[:2]) for english, _, _ in pairs)
    for start, count in Counter(" ".join(english[:2]) for english, _, _ in wrong).most_common(3):
        print(f"  beginning with {start!r}: {count} of {occurring[start]} wrong")
    for english, right, german in wrong[:1]:
        print(f"  {' '.join(english)}\n    right   {' '.join(right)}\n    written {' '.join(german)}")
