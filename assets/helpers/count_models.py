"""Models that only count subwords: single ones with one added to each count, pairs and triples with discounts."""

from collections import Counter, defaultdict

import numpy as np
from helpers.subwords import END


def counted(training, vocab_size, discount=0.75):
    """Count n-grams in training texts and return a function that finds their losses on a text.

    A pair that was seen loses the discount; what is saved goes to all ids, in proportion to how many different ids come
    before them (Kneser and Ney, 1995). A triple that was seen loses it too, and there what is saved goes to all ids in
    proportion to their probability by the bigram model.

    Args:
        training: Lists of ids, each of which ends where `END` is to be predicted.
        vocab_size: Number of ids.
        discount: What is taken from each count.

    Returns:
        Function from a list of ids, as above, to an array `(targets, 3)` of nats, by unigram, bigram and trigram.
    """
    single, pairs = np.ones(vocab_size), np.zeros((vocab_size, vocab_size))
    triples = defaultdict(Counter)
    for ids in training:
        line = [END, END, *ids, END]
        np.add.at(single, line[2:], 1)
        np.add.at(pairs, (line[1:-1], line[2:]), 1)
        for a, b, c in zip(line, line[1:], line[2:], strict=False):
            triples[a, b][c] += 1
    before = (pairs > 0).sum(axis=0) + 0.5
    total, kinds = pairs.sum(axis=1, keepdims=True), (pairs > 0).sum(axis=1, keepdims=True)
    saved = np.where(total > 0, discount * kinds / np.maximum(total, 1), 1)
    bigram = np.maximum(pairs - discount, 0) / np.maximum(total, 1) + saved * before / before.sum()

    def losses(ids):
        line, chances = [END, END, *ids, END], []
        for a, b, c in zip(line, line[1:], line[2:], strict=False):
            third, seen = bigram[b, c], triples.get((a, b))
            if seen:
                n = sum(seen.values())
                third = (max(seen[c] - discount, 0) + discount * len(seen) * third) / n
            chances.append((single[c] / single.sum(), bigram[b, c], third))
        return -np.log(chances)

    return losses


def counted_losses(training, held_out, vocab_size):
    """Count n-grams in training texts and return their mean loss on held-out ones.

    Args:
        training: Lists of ids, as `counted` takes them.
        held_out: The same, of other texts.
        vocab_size: Number of ids.

    Returns:
        Dict from `"unigram"`, `"bigram"` and `"trigram"` to nats per subword.
    """
    losses = counted(training, vocab_size)
    means = np.concatenate([losses(ids) for ids in held_out]).mean(axis=0)
    return dict(zip(("unigram", "bigram", "trigram"), means.tolist(), strict=True))
