# %% wrong: pair_once_in_a_word
# says: A pair that stands twice in one word is counted only once for that word.
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


def merge_pair(symbols, pair):
    merged, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def apply_bpe(word, merges):
    symbols = list(word)
    for pair in merges:
        symbols = merge_pair(symbols, pair)
    return symbols


# %% wrong: ties_by_merged_text
# says: Equally frequent pairs are ordered by the text that they merge into, not as pairs.
def train_bpe(word_counts, num_merges):
    def merge(symbols, a, b):
        out = []
        for s in symbols:
            if out and out[-1] == a and s == b:
                out[-1] = a + b
            else:
                out.append(s)
        return out

    words = [(list(word), count) for word, count in word_counts.items()]
    merges = []
    while len(merges) < num_merges:
        pairs = {}
        for symbols, count in words:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        a, b = min(pairs, key=lambda pair: (-pairs[pair], pair[0] + pair[1]))
        merges.append((a, b))
        words = [(merge(symbols, a, b), count) for symbols, count in words]
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for a, b in merges:
        i, out = 0, []
        while i < len(symbols):
            if i + 1 < len(symbols) and symbols[i] == a and symbols[i + 1] == b:
                out.append(a + b)
                i += 2
            else:
                out.append(symbols[i])
                i += 1
        symbols = out
    return symbols


# %% wrong: replaced_in_spaced_text
# says: The symbols are written with blanks between them and merged by replacing text, which also hits the end of a longer symbol and loses blanks of the word.
def train_bpe(word_counts, num_merges):
    words = [(list(word), count) for word, count in word_counts.items()]
    merges = []
    for _ in range(num_merges):
        pairs = {}
        for symbols, count in words:
            for a, b in zip(symbols, symbols[1:]):
                pairs[a, b] = pairs.get((a, b), 0) + count
        if not pairs:
            break
        most = max(pairs.values())
        best = min(pair for pair, count in pairs.items() if count == most)
        merges.append(best)
        for symbols, _count in words:
            i = 0
            while i + 1 < len(symbols):
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return merges


def apply_bpe(word, merges):
    text = " ".join(word)
    for a, b in merges:
        text = text.replace(a + " " + b, a + b)
    return text.split(" ")


# %% right: way_1
# why: a word is kept as its places to cut; a merge crosses out the cut between two pieces
def train_bpe(word_counts, num_merges):
    from collections import Counter

    cuts = {word: list(range(len(word) + 1)) for word in word_counts}
    merges = []
    while len(merges) < num_merges:
        seen = Counter()
        for word, places in cuts.items():
            for i, j, k in zip(places, places[1:], places[2:]):
                seen[word[i:j], word[j:k]] += int(word_counts[word])
        if not seen:
            break
        most = max(seen.values())
        merges.append(min(pair for pair in seen if seen[pair] == most))
        for word, places in cuts.items():
            _cross_out(word, places, *merges[-1])
    return merges


def _cross_out(word, places, first, second):
    n = 1
    while n < len(places) - 1:
        if word[places[n - 1] : places[n]] == first and word[places[n] : places[n + 1]] == second:
            del places[n]
        n += 1


def apply_bpe(word, merges):
    places = list(range(len(word) + 1))
    for first, second in merges:
        _cross_out(word, places, first, second)
    return [word[i:j] for i, j in zip(places, places[1:])]
