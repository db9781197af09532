# %% wrong: mean_of_sentence_precisions
# says: The precision is computed for each sentence and then averaged; hits and n-grams must be added up over all sentences before they are divided.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    c = sum(len(s) for s in candidates)
    r = sum(len(s) for s in references)
    if c == 0:
        return 0.0
    precisions = []
    for n in range(1, max_n + 1):
        values = []
        for cand, ref in zip(candidates, references):
            grams = Counter(tuple(cand[i:i + n]) for i in range(len(cand) - n + 1))
            allowed = Counter(tuple(ref[i:i + n]) for i in range(len(ref) - n + 1))
            if grams:
                values.append(sum((grams & allowed).values()) / sum(grams.values()))
        precisions.append(np.mean(values) if values else 0.0)
    if min(precisions) == 0:
        return 0.0
    penalty = 1.0 if c >= r else np.exp(1 - r / c)
    return float(penalty * np.exp(np.mean(np.log(precisions))))


# %% wrong: one_pool_of_references
# says: Counts are clipped against the n-grams of all references together; each candidate may only be clipped against the reference of its own sentence.
def bleu(candidates, references, max_n=4):
    def count(sentences, n):
        table = {}
        for s in sentences:
            for start in range(len(s) - n + 1):
                gram = tuple(s[start:start + n])
                table[gram] = table.get(gram, 0) + 1
        return table

    c, r = sum(map(len, candidates)), sum(map(len, references))
    if not c:
        return 0.0
    product = 1.0
    for n in range(1, max_n + 1):
        mine, theirs = count(candidates, n), count(references, n)
        total = sum(mine.values())
        if total == 0:
            return 0.0
        hits = sum(min(k, theirs.get(gram, 0)) for gram, k in mine.items())
        product *= hits / total
    return float(min(1.0, np.exp(1 - r / c)) * product ** (1 / max_n))


# %% wrong: glued_tokens
# says: The tokens of an n-gram are glued into one text, so different n-grams such as (1, 11) and (11, 1) count as equal; they must be compared token by token.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(sentence, n):
        words = [str(w) for w in sentence]
        return Counter("".join(words[i:i + n]) for i in range(len(words) - n + 1))

    hits = np.zeros(max_n)
    totals = np.zeros(max_n)
    for cand, ref in zip(candidates, references):
        for n in range(1, max_n + 1):
            a, b = ngrams(cand, n), ngrams(ref, n)
            totals[n - 1] += sum(a.values())
            hits[n - 1] += sum(min(a[g], b[g]) for g in a)
    if np.any(totals == 0) or np.any(hits == 0):
        return 0.0
    c = sum(len(x) for x in candidates)
    r = sum(len(x) for x in references)
    return float(min(1.0, np.exp(1.0 - r / c)) * np.prod(hits / totals) ** (1.0 / max_n))


# %% right: way_1
# why: Clipping by crossing out: every n-gram of a candidate uses up one equal n-gram of its own reference, if one is still there.
def bleu(candidates, references, max_n=4):
    import math

    c = sum(len(s) for s in candidates)
    r = sum(len(s) for s in references)
    log_sum = 0.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for cand, ref in zip(candidates, references):
            left = list(zip(*(ref[k:] for k in range(n))))
            for gram in zip(*(cand[k:] for k in range(n))):
                total += 1
                if gram in left:
                    left.remove(gram)
                    hits += 1
        if hits == 0:
            return 0.0
        log_sum += math.log(hits) - math.log(total)
    return math.exp(min(0.0, 1.0 - r / c) + log_sum / max_n)
