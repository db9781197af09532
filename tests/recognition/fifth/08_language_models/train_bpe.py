# %% wrong: stops_at_pairs_that_occur_once
# says: train_bpe stops as soon as the most frequent pair occurs only once, although pairs are left, so the list can be shorter than num_merges without need.
def merge_pair(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == tuple(pair):
            out.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


def train_bpe(word_counts, num_merges):
    splits = {word: list(word) for word in word_counts}
    merges = []
    for _ in range(num_merges):
        pairs = {}
        for word, symbols in splits.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        if pairs[best] < 2:
            break
        merges.append(best)
        splits = {word: merge_pair(symbols, best) for word, symbols in splits.items()}
    return merges


def apply_bpe(word, merges):
    symbols = list(word)
    for pair in merges:
        symbols = merge_pair(symbols, pair)
    return symbols


# %% wrong: apply_by_text_replacement
# says: apply_bpe joins the symbols with a separator and replaces text, so a merge (s, e) also hits the end of a longer symbol such as 'es' followed by 'e'. Only whole symbols may be merged. train_bpe is right.
def train_bpe(word_counts, num_merges):
    words = [(list(w), c) for w, c in word_counts.items()]
    merges = []
    while len(merges) < num_merges:
        counts = {}
        for symbols, c in words:
            for k in range(len(symbols) - 1):
                p = (symbols[k], symbols[k + 1])
                counts[p] = counts.get(p, 0) + c
        if len(counts) == 0:
            return merges
        first, second = min(counts, key=lambda p: (-counts[p], p))
        merges.append((first, second))
        for symbols, _ in words:
            k = 0
            while k < len(symbols) - 1:
                if symbols[k] == first and symbols[k + 1] == second:
                    symbols[k:k + 2] = [first + second]
                k += 1
    return merges


def apply_bpe(word, merges):
    bar = chr(0)
    text = bar.join(word)
    for first, second in merges:
        text = text.replace(first + bar + second, first + second)
    return text.split(bar)


# %% right: stack_instead_of_index
# why: A merge is applied with a growing list whose last symbol is replaced when it and the next one are the pair; since a merged symbol is never equal to the first of the pair, this is one pass from left to right.
def apply_bpe(word, merges):
    symbols = tuple(word)
    for first, second in merges:
        done = []
        for s in symbols:
            if done and s == second and done[-1] == first:
                done[-1] += s
            else:
                done.append(s)
        symbols = tuple(done)
    return list(symbols)


def train_bpe(word_counts, num_merges):
    from collections import Counter

    vocabulary = [[tuple(word), count] for word, count in word_counts.items()]
    learned = []
    for _ in range(num_merges):
        tally = Counter()
        for symbols, count in vocabulary:
            for pair in zip(symbols[:-1], symbols[1:]):
                tally[pair] += count
        if not tally:
            break
        top = max(tally.values())
        learned.append(min(pair for pair, n in tally.items() if n == top))
        for entry in vocabulary:
            entry[0] = tuple(apply_bpe(entry[0], learned[-1:]))
    return learned
