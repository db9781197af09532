# %% wrong: short_sentence_counts_one_ngram
# says: A candidate with fewer than n tokens adds 1 to the number of n-grams (max(1, ...)) although it has none, so a corpus with short sentences gets too low a precision.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def ngrams(words, n):
        return Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))

    c = sum(len(s) for s in candidates)
    r = sum(len(s) for s in references)
    if c == 0:
        return 0.0
    logs = 0.0
    for n in range(1, max_n + 1):
        hits = total = 0
        for cand, ref in zip(candidates, references):
            hits += sum((ngrams(cand, n) & ngrams(ref, n)).values())
            total += max(1, len(cand) - n + 1)
        if hits == 0:
            return 0.0
        logs += np.log(hits / total)
    penalty = 1.0 if c > r else np.exp(1 - r / c)
    return float(penalty * np.exp(logs / max_n))


# %% wrong: clipped_over_the_whole_corpus
# says: The n-grams of all candidates and of all references are thrown together before the smaller counts are taken, so a candidate gets hits from the reference of another sentence. Clipping has to happen sentence by sentence.
def bleu(candidates, references, max_n=4):
    from collections import Counter

    def count_all(sentences, n):
        bag = Counter()
        for s in sentences:
            bag.update(zip(*(s[k:] for k in range(n))))
        return bag

    length = sum(map(len, candidates))
    wanted = sum(map(len, references))
    precisions = []
    for n in range(1, max_n + 1):
        have = count_all(candidates, n)
        hits = have & count_all(references, n)
        if not hits:
            return 0.0
        precisions.append(sum(hits.values()) / sum(have.values()))
    brevity = min(1.0, np.exp(1 - wanted / length))
    return float(brevity * np.prod(precisions) ** (1 / max_n))
