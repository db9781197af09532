# %% wrong: each_word_once
# says: counts each different word once instead of as often as it occurs
def train_bpe(word_counts, num_merges):
    words = [list(word) for word in word_counts]
    merges = []
    while len(merges) < num_merges:
        pairs = {}
        for symbols in words:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        words = [merge(symbols, best) for symbols in words]
    return merges


def merge(symbols, pair):
    result, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == tuple(pair):
            result.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def apply_bpe(word, merges):
    symbols = list(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols


# %% wrong: blanks_between
# says: keeps a word as symbols with blanks between them, so a blank that belongs to a word is lost
import re


def train_bpe(word_counts, num_merges):
    vocabulary = {" ".join(word): count for word, count in word_counts.items()}
    merges = []
    for _ in range(num_merges):
        pairs = {}
        for word, count in vocabulary.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pair = symbols[i], symbols[i + 1]
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        vocabulary = {pattern.sub(lambda found: "".join(best), word): count for word, count in vocabulary.items()}
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        i = 0
        while i < len(symbols) - 1:
            if symbols[i] == first and symbols[i + 1] == second:
                symbols[i : i + 2] = [first + second]
            i += 1
    return symbols


# %% wrong: ties_by_the_joined_text
# says: compares equally frequent pairs by the text that they make, not as tuples
from collections import Counter


def train_bpe(word_counts, num_merges):
    cut = {word: list(word) for word in word_counts}
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for word, count in word_counts.items():
            for a, b in zip(cut[word], cut[word][1:]):
                pairs[a, b] += count
        if not pairs:
            return merges
        best = min(pairs, key=lambda pair: (-pairs[pair], pair[0] + pair[1]))
        merges.append(best)
        cut = {word: apply_bpe(word, merges) for word in cut}
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        new = []
        for symbol in symbols:
            # a merged symbol is longer than its first half, so it is never merged again here
            if new and new[-1] == first and symbol == second:
                new[-1] = first + second
            else:
                new.append(symbol)
        symbols = new
    return symbols


# %% wrong: only_pairs_seen_twice
# says: stops as soon as the most frequent pair occurs only once, although pairs are left
from collections import Counter


def train_bpe(word_counts, num_merges):
    words = {tuple(word): count for word, count in word_counts.items()}
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for symbols, count in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < 2:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {tuple(merge_one(symbols, *best)): count for symbols, count in words.items()}
    return merges


def merge_one(symbols, first, second):
    result = []
    i = 0
    while i < len(symbols):
        if symbols[i] == first and i + 1 < len(symbols) and symbols[i + 1] == second:
            result.append(first + second)
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        symbols = merge_one(symbols, first, second)
    return symbols


# %% wrong: longest_piece_first
# says: cuts off the longest known piece at the beginning of the word instead of applying the merges in their order
def train_bpe(word_counts, num_merges):
    words = [(list(word), count) for word, count in word_counts.items()]
    merges = []
    for _ in range(num_merges):
        pairs = {}
        for symbols, count in words:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        words = [(join(symbols, best), count) for symbols, count in words]
    return merges


def join(symbols, pair):
    result, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            result.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            result.append(symbols[i])
            i += 1
    return result


def apply_bpe(word, merges):
    known = {first + second for first, second in merges}
    pieces, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start + 1 and word[start:end] not in known:
            end -= 1
        pieces.append(word[start:end])
        start = end
    return pieces


# %% right: way_1
# why: splits every word anew with all merges so far, replaces in a list from left to right, and returns pairs as lists
def train_bpe(word_counts, num_merges):
    merges = []
    for _ in range(num_merges):
        counts = {}
        for word in word_counts:
            pieces = apply_bpe(word, merges)
            for k in range(1, len(pieces)):
                key = pieces[k - 1], pieces[k]
                counts[key] = counts.get(key, 0) + word_counts[word]
        if len(counts) == 0:
            break
        highest = max(counts.values())
        first, second = sorted(key for key in counts if counts[key] == highest)[0]
        merges.append([first, second])
    return merges


def apply_bpe(word, merges):
    pieces = [character for character in word]
    for first, second in merges:
        k = 0
        while k < len(pieces) - 1:
            if pieces[k] == first and pieces[k + 1] == second:
                pieces[k] = pieces[k] + pieces.pop(k + 1)
            k += 1
    return pieces


# %% right: way_2
# why: a heap chooses the pair, a generator merges and holds back one symbol, a Counter of tuples holds the words
import heapq
from collections import Counter


def train_bpe(word_counts, num_merges):
    words = Counter({tuple(word): int(count) for word, count in word_counts.items()})
    merges = []
    while len(merges) < num_merges:
        pairs = Counter()
        for symbols, count in words.items():
            pairs.update({pair: 0 for pair in zip(symbols, symbols[1:])})
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += count
        heap = [(-count, pair) for pair, count in pairs.items()]
        if not heap:
            break
        heapq.heapify(heap)
        merges.append(heap[0][1])
        words = Counter({tuple(merged(symbols, merges[-1])): count for symbols, count in words.items()})
    return merges


def merged(symbols, pair):
    held = None
    for symbol in symbols:
        if held is not None and held == pair[0] and symbol == pair[1]:
            yield held + symbol
            held = None
            continue
        if held is not None:
            yield held
        held = symbol
    if held is not None:
        yield held


def apply_bpe(word, merges):
    symbols = tuple(word)
    for pair in merges:
        symbols = tuple(merged(symbols, pair))
    return list(symbols)
