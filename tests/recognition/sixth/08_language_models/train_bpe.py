# %% wrong: pair_once_per_word
# says: A pair that occurs several times in one word is counted only once for that word, because the pairs of a word are put into a set.
def merge_pair(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def train_bpe(word_counts, num_merges):
    words = {word: list(word) for word in word_counts}
    merges = []
    for _ in range(num_merges):
        pairs = {}
        for word, symbols in words.items():
            for pair in set(zip(symbols, symbols[1:])):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        words = {word: merge_pair(symbols, best) for word, symbols in words.items()}
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for pair in merges:
        symbols = merge_pair(symbols, tuple(pair))
    return symbols


# %% wrong: tie_by_joined_text
# says: Of equally frequent pairs it takes the one whose joined text comes first in the alphabet, not the smallest tuple, so ("ab", "a") wrongly goes before ("a", "bc").
def join_pair(symbols, first, second):
    out = []
    k = 0
    while k < len(symbols):
        if k < len(symbols) - 1 and symbols[k] == first and symbols[k + 1] == second:
            out.append(first + second)
            k += 2
        else:
            out.append(symbols[k])
            k += 1
    return out


def train_bpe(word_counts, num_merges):
    splits = [(list(word), count) for word, count in word_counts.items()]
    merges = []
    while len(merges) < num_merges:
        counts = {}
        for symbols, count in splits:
            for a, b in zip(symbols, symbols[1:]):
                counts[a, b] = counts.get((a, b), 0) + count
        if len(counts) == 0:
            break
        a, b = min(counts, key=lambda pair: (-counts[pair], pair[0] + pair[1]))
        merges.append((a, b))
        splits = [(join_pair(symbols, a, b), count) for symbols, count in splits]
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for a, b in merges:
        symbols = join_pair(symbols, a, b)
    return symbols


# %% right: apply_bpe_from_scratch
# why: train_bpe keeps no symbols but calls apply_bpe with all merges so far for every word in every round, and apply_bpe builds its list with a stack that may pop its last symbol.
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        stack, fresh = [], False
        for symbol in symbols:
            if stack and not fresh and stack[-1] == first and symbol == second:
                stack[-1] = first + second
                fresh = True
            else:
                stack.append(symbol)
                fresh = False
        symbols = stack
    return symbols


def train_bpe(word_counts, num_merges):
    merges = []
    for _ in range(num_merges):
        ranking = {}
        for word in word_counts:
            symbols = apply_bpe(word, merges)
            for k in range(1, len(symbols)):
                pair = (symbols[k - 1], symbols[k])
                ranking[pair] = ranking.get(pair, 0) - word_counts[word]
        if ranking:
            merges.append(min((score, pair) for pair, score in ranking.items())[1])
    return merges
