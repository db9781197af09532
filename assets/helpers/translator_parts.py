"""Notebook 1's translator, part by part: batches, the vector between the two networks, decoding from the vector."""

import keras
import numpy as np
from helpers.number_words import (
    DIGITS,
    END,
    ENGLISH,
    GERMAN,
    PAD,
    SOURCE_LENGTH,
    START,
    TARGET_LENGTH,
    decode_ids,
    encode_numbers,
    encode_words,
    translate_number,
)


def prepare_pairs(numbers, pad=None, shift=None):
    """Turn numbers into the arrays that the translator is trained on.

    Args:
        numbers: `N` integers.
        pad: `pad_batch`, or None for the padding of the generator itself.
        shift: `teacher_forcing`, or None for a shift by Keras' own padding.

    Returns:
        `(source, decoder_input, decoder_target, mask)`: ids `(N, 14)`, `(N, 18)` and `(N, 18)`, and a boolean array
        `(N, 18)`, `True` at the real tokens of the target.
    """
    if pad is None:
        source, target = encode_numbers(numbers)
        mask = target != PAD
    else:
        pairs = [translate_number(number)[:2] for number in numbers]
        english = [encode_words(words, ENGLISH, len(words)).tolist() for words, _ in pairs]
        german = [encode_words([*words, "<end>"], GERMAN, len(words) + 1).tolist() for _, words in pairs]
        source = _widen(pad(english)[0], SOURCE_LENGTH)
        target, mask = (_widen(part, TARGET_LENGTH) for part in pad(german))  # PAD is 0, which is False in a mask
    if shift is None:
        later = keras.utils.pad_sequences([[START, *row] for row in target.tolist()], TARGET_LENGTH, truncating="post")
        return source, later, target, mask
    return source, *(np.asarray(ids) for ids in shift(target, START)), mask


def _widen(rows, width):
    rows = np.asarray(rows)
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=PAD)


class Writer:
    """The decoder of a trained translator in NumPy: from a vector to a sentence.

    Args:
        translator: Model of `build_translator` whose vector is the decoder's first state.
    """

    def __init__(self, translator):
        decoder = [layer for layer in translator.layers if isinstance(layer, keras.layers.GRU)][-1]
        table = [layer for layer in translator.layers if isinstance(layer, keras.layers.Embedding)][-1]
        (self.table,) = table.get_weights()
        self.w_x, self.w_h, (self.b_x, self.b_h) = decoder.get_weights()
        self.w_out, self.b_out = translator.layers[-1].get_weights()
        inputs, vector = translator.inputs[0], translator.get_layer("bottleneck").output
        self.reader = keras.Model(inputs, vector)

    def read(self, source):
        """Return the vectors `(N, U)` that the encoder makes of English ids `(N, 14)`."""
        return np.asarray(self.reader(source))

    def step(self, ids, state):
        """Return the logits `(N, vocab_size)` and the new states `(N, U)` after one more word for each sentence."""
        z_x, r_x, h_x = np.split(self.table[ids] @ self.w_x + self.b_x, 3, axis=-1)
        z_h, r_h, h_h = np.split(state @ self.w_h + self.b_h, 3, axis=-1)
        keep, reset = 1 / (1 + np.exp(-z_x - z_h)), 1 / (1 + np.exp(-r_x - r_h))
        state = keep * state + (1 - keep) * np.tanh(h_x + reset * h_h)
        return state @ self.w_out + self.b_out, state

    def next_logits(self, vector):
        """Return the function that greedy decoding asks: from the list of ids so far to the next word's logits."""
        known = {(): (None, vector[None])}

        def ask(tokens):
            tokens = tuple(int(t) for t in tokens)
            for end in range(1, len(tokens) + 1):
                if tokens[:end] not in known:
                    known[tokens[:end]] = self.step(np.array([tokens[end - 1]]), known[tokens[: end - 1]][1])
            return known[tokens][0][0]

        return ask

    def write(self, vectors, decode=None):
        """Write the German sentence of each vector.

        Args:
            vectors: Float array `(N, U)`.
            decode: `greedy_decode`, called once for each sentence, or None to decode all sentences side by side.

        Returns:
            Ids `(N, 18)` with the end mark, padded.
        """
        ids = np.full((len(vectors), TARGET_LENGTH), PAD)
        if decode is not None:
            for row, vector in zip(ids, vectors, strict=True):
                words = decode(self.next_logits(vector), START, END, TARGET_LENGTH)
                row[: len(words)] = words
                row[len(words) : len(words) + 1] = END
            return ids
        last, state, open_ = np.full(len(vectors), START), vectors, np.ones(len(vectors), dtype=bool)
        for t in range(TARGET_LENGTH):
            logits, state = self.step(last, state)
            last = logits.argmax(axis=-1)
            ids[open_, t] = last[open_]
            open_ &= last != END
        return ids


def match_by_digits(says, target, mask, digits, match=None):
    """Return exact match for each number of digits.

    Args:
        says: Ids `(N, T)` that the model wrote.
        target: Right ids `(N, T)`.
        mask: Boolean array `(N, T)`, `True` at the real tokens of the target.
        digits: Integer array `(N,)`.
        match: `exact_match_by_length`, or None to compare the sentences as text.

    Returns:
        A fraction for each number of digits that occurs in `DIGITS`.
    """
    shares = []
    for d in [d for d in DIGITS if (digits == d).any()]:
        rows = digits == d
        if match is None:
            same = [
                decode_ids(s, GERMAN) == decode_ids(t, GERMAN) for s, t in zip(says[rows], target[rows], strict=True)
            ]
            shares.append(float(np.mean(same)))
            continue
        lengths = mask[rows].sum(axis=1)  # in tokens, the end mark included
        by_length = match(says[rows], target[rows], lengths)
        shares.append(float(sum(by_length[n] * (lengths == n).sum() for n in by_length) / rows.sum()))
    return shares
