# %% wrong: negative_counts
# says: The number of n-grams is taken as length - n + 1 even where a candidate is shorter than n, so short sentences subtract from the sum.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    c, r = sum(len(s) for s in candidates), sum(len(s) for s in references)
    if c == 0:
        return 0.0
    product = 1.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for candidate, reference in zip(candidates, references):
            ours = Counter(tuple(candidate[i : i + n]) for i in range(len(candidate) - n + 1))
            theirs = Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
            hits += sum((ours & theirs).values())
            total += len(candidate) - n + 1
        if hits == 0:
            return 0.0
        product *= hits / total
    return float(min(1.0, np.exp(1 - r / c)) * product ** (1 / max_n))


# %% wrong: tokens_glued_together
# says: The tokens of an n-gram are glued to one text, so different n-grams with the same letters, such as ab c and a bc, count as equal.
def bleu(candidates, references, max_n=4):
    def grams(sentence, n):
        counts = {}
        for i in range(len(sentence) - n + 1):
            gram = "".join(str(token) for token in sentence[i : i + n])
            counts[gram] = counts.get(gram, 0) + 1
        return counts

    c, r = sum(map(len, candidates)), sum(map(len, references))
    if c == 0:
        return 0.0
    logs = []
    for n in range(1, max_n + 1):
        hits = total = 0
        for candidate, reference in zip(candidates, references):
            ours, theirs = grams(candidate, n), grams(reference, n)
            hits += sum(min(count, theirs.get(gram, 0)) for gram, count in ours.items())
            total += sum(ours.values())
        if hits == 0 or total == 0:
            return 0.0
        logs.append(np.log(hits / total))
    return float(min(1, np.exp(1 - r / c)) * np.exp(np.mean(logs)))


# %% wrong: penalty_under_the_root
# says: The brevity penalty is multiplied to the product before the N-th root is taken, so it is weakened.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    c = sum(len(s) for s in candidates)
    r = sum(len(s) for s in references)
    if c == 0:
        return 0.0
    result = min(1.0, np.exp(1 - r / c))
    for n in range(1, max_n + 1):
        hits = total = 0
        for candidate, reference in zip(candidates, references):
            ours = Counter(zip(*(candidate[k:] for k in range(n))))
            theirs = Counter(zip(*(reference[k:] for k in range(n))))
            hits += sum(min(ours[g], theirs[g]) for g in ours)
            total += sum(ours.values())
        if total == 0:
            return 0.0
        result *= hits / total
    return float(result ** (1 / max_n))


# %% right: way_1
# why: no counting: each n-gram of a candidate crosses out one equal n-gram of a copy of the reference's list
def bleu(candidates, references, max_n=4):
    hits, totals = np.zeros(max_n), np.zeros(max_n)
    c = r = 0
    for candidate, reference in zip(candidates, references):
        candidate, reference = list(candidate), list(reference)
        c, r = c + len(candidate), r + len(reference)
        for n in range(1, max_n + 1):
            open_ones = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
            for i in range(len(candidate) - n + 1):
                totals[n - 1] += 1
                gram = tuple(candidate[i : i + n])
                if gram in open_ones:
                    open_ones.remove(gram)
                    hits[n - 1] += 1
    if not hits.all():
        return 0.0
    exponent = np.log(hits / totals).sum() / max_n + min(0.0, 1 - r / c)
    return float(min(1.0, np.exp(exponent)))
