# %% wrong: first_seen_wins
# says: Of equally frequent pairs the one that was counted first is taken, not the smallest in the order of Python's tuples.
def train_bpe(word_counts, num_merges):
    split = {word: list(word) for word in word_counts}
    merges = []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in split.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        merges.append(best)
        split = {word: apply_bpe(word, merges) for word in split}
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        i = 0
        while i + 1 < len(symbols):
            if symbols[i] == first and symbols[i + 1] == second:
                symbols[i:i + 2] = [first + second]
            i += 1
    return symbols


# %% wrong: once_per_word
# says: A pair that stands twice in a word is counted only once for that word; it counts each time that the word contains it.
def train_bpe(word_counts, num_merges):
    from collections import Counter

    def fuse(parts, a, b):
        out, k = [], 0
        while k < len(parts):
            if k + 1 < len(parts) and parts[k] == a and parts[k + 1] == b:
                out.append(a + b)
                k += 2
            else:
                out.append(parts[k])
                k += 1
        return out

    corpus = [(list(w), n) for w, n in word_counts.items()]
    learned = []
    for _ in range(num_merges):
        counter = Counter()
        for parts, n in corpus:
            for pair in set(zip(parts[:-1], parts[1:])):
                counter[pair] += n
        if len(counter) == 0:
            return learned
        top = max(counter.values())
        a, b = min(p for p in counter if counter[p] == top)
        learned.append((a, b))
        corpus = [(fuse(parts, a, b), n) for parts, n in corpus]
    return learned


def apply_bpe(word, merges):
    parts = [ch for ch in word]
    for a, b in merges:
        out = []
        rest = parts[:]
        while rest:
            if rest[:2] == [a, b]:
                out.append(a + b)
                rest = rest[2:]
            else:
                out.append(rest[0])
                rest = rest[1:]
        parts = out
    return parts


# %% wrong: blank_as_separator
# says: apply_bpe writes the symbols with blanks between them and splits at blanks again, so a blank that belongs to the word is lost.
def train_bpe(word_counts, num_merges):
    words = [list(w) for w in word_counts]
    counts = list(word_counts.values())
    merges = []
    for _ in range(num_merges):
        stats = {}
        for symbols, n in zip(words, counts):
            for i in range(len(symbols) - 1):
                pair = (symbols[i], symbols[i + 1])
                stats[pair] = stats.get(pair, 0) + n
        if not stats:
            break
        pair = sorted(stats, key=lambda p: (-stats[p], p))[0]
        merges.append(pair)
        for symbols in words:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == pair:
                    symbols[i] += symbols.pop(i + 1)
                i += 1
    return merges


def apply_bpe(word, merges):
    import re

    text = " ".join(word)
    for first, second in merges:
        pattern = re.compile(r"(?<!\S)" + re.escape(first + " " + second) + r"(?!\S)")
        text = pattern.sub(lambda match: first + second, text)
    return text.split()


# %% right: way_1
# why: A word is never taken apart: only the list of its cuts is kept, and a merge deletes the cut between two symbols.
def train_bpe(word_counts, num_merges):
    cuts = {word: list(range(len(word) + 1)) for word in word_counts}
    merges = []
    for _ in range(num_merges):
        places = {}
        for word, c in cuts.items():
            for a, b, d in zip(c, c[1:], c[2:]):
                places.setdefault((word[a:b], word[b:d]), []).append((word, b))
        if not places:
            break
        best = min(places, key=lambda pair: (-sum(word_counts[word] for word, _ in places[pair]), pair))
        for word, cut in places[best]:
            cuts[word].remove(cut)
        merges.append(best)
    return merges


def apply_bpe(word, merges):
    cuts = list(range(len(word) + 1))
    for first, second in merges:
        i = 1
        while i < len(cuts) - 1:
            if word[cuts[i - 1]:cuts[i]] == first and word[cuts[i]:cuts[i + 1]] == second:
                del cuts[i]
            else:
                i += 1
    return [word[a:b] for a, b in zip(cuts, cuts[1:])]
