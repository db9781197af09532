"""From paragraphs to ids: held-out texts, word counts, subwords, and windows of equal length."""

import random
import zlib
from collections import Counter

import numpy as np
from helpers.manuals import cut_words

PAD, MASK, END = 0, 1, 2
SPECIAL = ("[PAD]", "[MASK]", "[END]")
SHOWN_ALONE = {" ": "·(blank)"}  # symbols of which too little is seen
_CHARACTERS = " '(),-.0123456789:;abcdefghijklmnopqrstuvwxyz"


def hold_out(manuals, share=10):
    """Put every tenth docstring aside, by a checksum of its summary.

    Args:
        manuals: What `read_manuals` returns.
        share: One in so many is held out.

    Returns:
        Two dicts like `manuals`: for training, and held out.
    """
    parts = {}
    for library, texts in manuals.items():
        aside = [zlib.crc32(b"held" + text[0].encode()) % share == 0 for text in texts]
        parts[library] = [[t for t, out in zip(texts, aside, strict=True) if out == wanted] for wanted in (False, True)]
    return tuple({library: part[i] for library, part in parts.items()} for i in (0, 1))


def all_paragraphs(manuals):
    """Return the paragraphs of all libraries as one list, shuffled."""
    paragraphs = [p for texts in manuals.values() for text in texts for p in text]
    random.Random(8).shuffle(paragraphs)
    return paragraphs


def count_words_of(paragraphs, most=1000):
    """Return how often each of the most frequent words occurs, as a dict from word to int."""
    words = Counter(word for p in paragraphs for word in cut_words(p))
    return dict(sorted(words.items(), key=lambda item: (-item[1], item[0]))[:most])


class Subwords:
    """A vocabulary of characters and merged symbols.

    Args:
        merges: List of pairs.
        split: Function of a word and the merges that returns subwords; None takes the longest known subword from the
            left, again and again, as WordPiece does.
    """

    def __init__(self, merges, split=None):
        self.merges, self.split, self._seen = [tuple(pair) for pair in merges], split, {}
        symbols = dict.fromkeys([*SPECIAL, *_CHARACTERS, *(a + b for a, b in self.merges)])
        self.symbols = list(symbols)
        self.ids = {symbol: i for i, symbol in enumerate(self.symbols)}

    def __len__(self):
        """Return the size of the vocabulary."""
        return len(self.symbols)

    def cut(self, word):
        """Return the subwords of one word."""
        if word not in self._seen:
            self._seen[word] = self._longest(word) if self.split is None else list(self.split(word, self.merges))
        return self._seen[word]

    def _longest(self, word):
        parts = []
        while word:
            size = next(n for n in range(len(word), 0, -1) if n == 1 or word[:n] in self.ids)
            parts.append(word[:size])
            word = word[size:]
        return parts

    def encode(self, text):
        """Return the ids of a text, without an end."""
        return [self.ids[symbol] for word in cut_words(text) for symbol in self.cut(word)]

    def decode(self, ids):
        """Return the text of ids, without special ones."""
        return "".join(self.symbols[i] for i in ids if i >= len(SPECIAL)).strip()

    def show(self, i):
        """Return one symbol so that its blank is seen."""
        return SHOWN_ALONE.get(self.symbols[i], self.symbols[i].replace(" ", "·"))


def windows(sequences, length=64):
    """Lay texts end to end and cut them into windows.

    Args:
        sequences: Lists of ids; `END` is put before the first and after each.
        length: Length T of a window.

    Returns:
        `(inputs, targets)`, both `(N, T)`: the targets are one position later.
    """
    line = np.array([END, *(i for s in sequences for i in (*s, END))])
    count = (len(line) - 1) // length
    return line[: count * length].reshape(count, length), line[1 : count * length + 1].reshape(count, length)


def padded(sequences, length):
    """Return lists of ids as an array `(N, length)`, cut or filled with `PAD`."""
    rows = np.full((len(sequences), length), PAD)
    for row, ids in zip(rows, sequences, strict=True):
        row[: len(ids)] = ids[:length]
    return rows
