# %% wrong: penalty_without_the_minimum
# says: Multiplies by exp(1 - r/c) even if the candidates are longer than the references, so too long candidates get a factor above 1.
def bleu(candidates, references, max_n=4):
    from collections import Counter
    c = sum(len(s) for s in candidates)
    r = sum(len(s) for s in references)
    if c == 0:
        return 0.0
    log_sum = 0.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for cand, ref in zip(candidates, references):
            a = Counter(tuple(cand[i:i + n]) for i in range(len(cand) - n + 1))
            b = Counter(tuple(ref[i:i + n]) for i in range(len(ref) - n + 1))
            hits += sum((a & b).values())
            total += sum(a.values())
        if hits == 0:
            return 0.0
        log_sum += np.log(hits / total)
    return float(np.exp(1 - r / c) * np.exp(log_sum / max_n))


# %% wrong: clipped_over_the_corpus
# says: Pools the n-grams of all candidates and of all references and clips once, so an n-gram of one candidate can be a hit because of the reference of another sentence.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def grams(sentences, n):
        counts = Counter()
        for s in sentences:
            counts.update(tuple(s[i:i + n]) for i in range(len(s) - n + 1))
        return counts

    c, r = sum(map(len, candidates)), sum(map(len, references))
    product = 1.0
    for n in range(1, max_n + 1):
        found = grams(candidates, n)
        total = sum(found.values())
        if total == 0:
            return 0.0
        product *= sum((found & grams(references, n)).values()) / total
    if product == 0:
        return 0.0
    return float(min(1.0, np.exp(1 - r / c)) * product ** (1 / max_n))


# %% right: crossing_off_a_list
# why: No Counter: each n-gram of a candidate is crossed off a list of the reference's n-grams, all numbers are kept in two lists, and the geometric mean is a product of roots.
def bleu(candidates, references, max_n=4):
    import math
    hits, totals = [0] * max_n, [0] * max_n
    for candidate, reference in zip(candidates, references):
        for n in range(1, max_n + 1):
            left = list(zip(*(reference[k:] for k in range(n))))
            for gram in zip(*(candidate[k:] for k in range(n))):
                totals[n - 1] += 1
                if gram in left:
                    left.remove(gram)
                    hits[n - 1] += 1
    if min(hits) == 0:
        return 0.0
    result = 1.0
    for h, t in zip(hits, totals):
        result *= (h / t) ** (1 / max_n)
    c = totals[0]
    r = sum(len(reference) for reference in references)
    return result if c >= r else result * math.exp(1 - r / c)
