# %% wrong: words_only
# says: counts single words and never longer runs, so max_n has no influence
def bleu(candidates, references, max_n=4):
    hits = words = wanted = 0
    for ours, theirs in zip(candidates, references):
        words, wanted = words + len(ours), wanted + len(theirs)
        hits += sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
    if words == 0:
        return 0.0
    return hits / words * min(1.0, float(np.exp(1 - wanted / words)))


# %% wrong: penalty_is_the_ratio
# says: multiplies by c / r instead of exp(1 - r / c)
def bleu(candidates, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for ours, theirs in zip(candidates, references):
            a = [tuple(ours[i : i + n]) for i in range(len(ours) - n + 1)]
            b = [tuple(theirs[i : i + n]) for i in range(len(theirs) - n + 1)]
            total += len(a)
            hits += sum(min(a.count(gram), b.count(gram)) for gram in set(a))
        if hits == 0:
            return 0.0
        product *= hits / total
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return product ** (1 / max_n) * min(1.0, c / r)


# %% right: lists_that_shrink
# why: removes each hit from a copy of the reference's list of n-grams
def bleu(candidates, references, max_n=4):
    score = 0.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for ours, theirs in zip(candidates, references):
            left = [tuple(theirs[i : i + n]) for i in range(len(theirs) - n + 1)]
            for i in range(len(ours) - n + 1):
                total += 1
                gram = tuple(ours[i : i + n])
                if gram in left:
                    left.remove(gram)
                    hits += 1
        if hits == 0:
            return 0.0
        score += float(np.log(hits / total)) / max_n
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(score)) * (1.0 if c > r else float(np.exp(1 - r / c)))
