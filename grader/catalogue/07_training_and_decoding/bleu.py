# %% wrong: mean_of_sentences
# says: You take the mean of the sentences' own values. Add up hits and n-grams of all sentences, then divide once.
# self-check: mean of the sentences
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    def one(ours, theirs):
        logs = []
        for n in range(1, max_n + 1):
            hits = (ngrams(ours, n) & ngrams(theirs, n)).total()
            if hits == 0:
                return 0.0
            logs.append(np.log(hits / (len(ours) - n + 1)))
        return np.exp(np.mean(logs) + min(0.0, 1 - len(theirs) / len(ours)))

    return float(np.mean([one(ours, theirs) for ours, theirs in zip(candidates, references)]))


# %% wrong: not_clipped
# says: Your counts are not clipped. An n-gram counts at most as often as the reference of its sentence has it.
# self-check: clipped
def bleu(candidates, references, max_n=4):
    def ngrams(tokens, n):
        return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]

    logs = []
    for n in range(1, max_n + 1):
        hits = sum(part in ngrams(theirs, n) for ours, theirs in zip(candidates, references) for part in ngrams(ours, n))
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(len(ngrams(ours, n)) for ours in candidates)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c)))


# %% wrong: each_ngram_once
# says: You compare sets, so that an n-gram counts once however often it occurs. Take the smaller of the two counts.
# self-check: different words
def bleu(candidates, references, max_n=4):
    def ngrams(tokens, n):
        return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}

    logs = []
    for n in range(1, max_n + 1):
        hits = sum(len(ngrams(ours, n) & ngrams(theirs, n)) for ours, theirs in zip(candidates, references))
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(len(ngrams(ours, n)) for ours in candidates)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c)))


# %% wrong: penalty_missing
# says: The brevity penalty is missing: candidates that are shorter than their references lose nothing.
# self-check: penalty is missing
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    return float(np.exp(np.mean(logs)))


# %% wrong: penalty_on_the_wrong_side
# says: Your penalty hits candidates that are too long. It is for those that are too short, c < r.
# self-check: r and c are swapped
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + 1 - c / r))


# %% wrong: rewards_length
# says: Your factor exp(1 - r / c) grows above 1 for long candidates. It is at most 1.
# self-check: grows above 1
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + 1 - r / c))


# %% wrong: arithmetic_mean
# says: You take the arithmetic mean of the precisions. BLEU takes the geometric one, so one precision of 0 makes it 0.
# self-check: arithmetic
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    precisions = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        count = sum(ours.total() for ours, _ in pairs)
        if count == 0:
            return 0.0
        precisions.append(sum((ours & theirs).total() for ours, theirs in pairs) / count)
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.mean(precisions) * np.exp(min(0.0, 1 - r / c)))


# %% wrong: percent
# says: Your result lies between 0 and 100. Here it lies between 0 and 1.
# self-check: not between 0 and 100
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(100 * np.exp(np.mean(logs) + min(0.0, 1 - r / c)))


# %% wrong: one_bag_of_references
# says: You compare with the words of all references together. Each candidate has a reference of its own.
# self-check: its own sentence
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(corpus, n):
        return Counter(tuple(tokens[i : i + n]) for tokens in corpus for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        ours, theirs = ngrams(candidates, n), ngrams(references, n)
        hits = (ours & theirs).total()
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / ours.total()))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c)))


# %% wrong: penalty_for_each_sentence
# says: You take a brevity penalty for each sentence and multiply them. Compare the sums of all lengths.
# self-check: sums of all lengths
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    penalty = sum(min(0.0, 1 - len(theirs) / max(len(ours), 1)) for ours, theirs in zip(candidates, references))
    return float(np.exp(np.mean(logs) + penalty))


# %% wrong: divided_by_the_reference
# says: You divide by the n-grams of the references. That is recall; precision divides by those of the candidates.
# self-check: not by those of the reference
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(theirs.total() for _, theirs in pairs)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c)))


# %% wrong: skips_what_is_missing
# says: You leave out an n of which no candidate has any n-gram. The result is 0.0 then.
# self-check: no candidate has three words
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        count, hits = sum(ours.total() for ours, _ in pairs), sum((ours & theirs).total() for ours, theirs in pairs)
        if count == 0:
            continue
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / count))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c))) if logs else 0.0


# %% wrong: product_without_the_root
# says: You multiply the precisions without taking the root of order max_n.
# self-check: root is missing
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in zip(candidates, references)]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        product *= hits / sum(ours.total() for ours, _ in pairs)
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(product * np.exp(min(0.0, 1 - r / c)))


# %% wrong: tokens_glued
# says: You glue the tokens of an n-gram to one text, so "ab", "c" and "a", "bc" count as the same. Use a tuple of tokens.
# self-check: glued to one text
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter("".join(map(str, tokens[i : i + n])) for i in range(len(tokens) - n + 1))

    hits, totals = np.zeros(max_n), np.zeros(max_n)
    for ours, theirs in zip(candidates, references):
        for n in range(1, max_n + 1):
            mine, right = ngrams(ours, n), ngrams(theirs, n)
            hits[n - 1] += (mine & right).total()
            totals[n - 1] += mine.total()
    if not hits.all():
        return 0.0
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.log(hits / totals).mean() + min(0.0, 1 - r / c)))

# %% wrong: tokens_joined_by_blanks
# says: You join the tokens of an n-gram with blanks, so tokens that hold a blank themselves are mistaken for others. Use a tuple of tokens.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(" ".join(map(str, tokens[i : i + n])) for i in range(len(tokens) - n + 1))

    hits, totals = np.zeros(max_n), np.zeros(max_n)
    for ours, theirs in zip(candidates, references):
        for n in range(1, max_n + 1):
            mine, right = ngrams(ours, n), ngrams(theirs, n)
            hits[n - 1] += (mine & right).total()
            totals[n - 1] += mine.total()
    if not hits.all():
        return 0.0
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.log(hits / totals).mean() + min(0.0, 1 - r / c)))

# %% wrong: pairs_with_a_short_reference_left_out
# says: You leave out a pair whose reference has fewer than n tokens. The n-grams of its candidate count, though none of them is a hit.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(tokens, n):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    logs = []
    for n in range(1, max_n + 1):
        both = [pair for pair in zip(candidates, references) if len(pair[0]) >= n and len(pair[1]) >= n]
        pairs = [(ngrams(ours, n), ngrams(theirs, n)) for ours, theirs in both]
        hits = sum((ours & theirs).total() for ours, theirs in pairs)
        if hits == 0:
            return 0.0
        logs.append(np.log(hits / sum(ours.total() for ours, _ in pairs)))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(logs) + min(0.0, 1 - r / c)))

# %% right: with_dicts
# why: plain dicts, each hit crossed off the reference's list, and the product instead of logarithms
def bleu(candidates, references, max_n=4):
    product, c, r = 1.0, 0, 0
    for n in range(1, max_n + 1):
        hits = count = 0
        for ours, theirs in zip(candidates, references):
            left = {}
            for i in range(len(theirs) - n + 1):
                key = tuple(theirs[i : i + n])
                left[key] = left.get(key, 0) + 1
            for i in range(len(ours) - n + 1):
                key, count = tuple(ours[i : i + n]), count + 1
                if left.get(key, 0) > 0:
                    left[key] -= 1
                    hits += 1
        if not hits:
            return 0.0
        product *= (hits / count) ** (1 / max_n)
    for ours, theirs in zip(candidates, references):
        c, r = c + len(ours), r + len(theirs)
    return product if c >= r else product * float(np.exp(1 - r / c))


# %% right: with_zip
# why: n-grams as zipped shifts of the sentence, counts of tuples by list.count
def bleu(candidates, references, max_n=4):
    precisions = []
    for n in range(1, max_n + 1):
        hits, count = 0, 0
        for ours, theirs in zip(candidates, references):
            a = list(zip(*[ours[k:] for k in range(n)]))
            b = list(zip(*[theirs[k:] for k in range(n)]))
            hits += sum(min(a.count(gram), b.count(gram)) for gram in set(a))
            count += len(a)
        precisions.append(hits / count if count else 0.0)
    c, r = sum(len(s) for s in candidates), sum(len(s) for s in references)
    if min(precisions) == 0:
        return 0.0
    penalty = 1.0 if c >= r else np.exp(1 - r / c)
    return penalty * np.prod(precisions) ** (1 / max_n)


# %% right: arrays_of_counts
# why: hits and counts of each sentence as arrays of a float each n, summed over the corpus
def bleu(candidates, references, max_n=4):
    from collections import Counter

    table = np.zeros((2, max_n))
    lengths = np.zeros(2)
    for ours, theirs in zip(candidates, references):
        lengths += [len(ours), len(theirs)]
        for n in range(max_n):
            a, b = (Counter(tuple(s[i : i + n + 1]) for i in range(len(s) - n)) for s in (ours, theirs))
            table[:, n] += [sum(min(k, b[gram]) for gram, k in a.items()), sum(a.values())]
    if not table.all():
        return np.float64(0.0)
    return np.exp(np.log(table[0] / table[1]).mean() + np.minimum(0, 1 - lengths[1] / lengths[0]))
