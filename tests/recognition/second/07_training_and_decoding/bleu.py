# %% wrong: one_n_too_many
# says: runs n from 1 to max_n + 1, so one precision too many is in the mean
def bleu(candidates, references, max_n=4):
    precisions = []
    for n in range(1, max_n + 2):
        hits = total = 0
        for ours, theirs in zip(candidates, references):
            a = [tuple(ours[i : i + n]) for i in range(len(ours) - n + 1)]
            b = [tuple(theirs[i : i + n]) for i in range(len(theirs) - n + 1)]
            total += len(a)
            hits += sum(min(a.count(gram), b.count(gram)) for gram in set(a))
        if hits == 0:
            return 0.0
        precisions.append(hits / total)
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(np.mean(np.log(precisions)) + min(0, 1 - r / c)))


# %% wrong: last_precision_only
# says: takes the precision of n = max_n alone instead of the mean over all n
def bleu(candidates, references, max_n=4):
    n, hits, total = max_n, 0, 0
    for ours, theirs in zip(candidates, references):
        a = [tuple(ours[i : i + n]) for i in range(len(ours) - n + 1)]
        b = [tuple(theirs[i : i + n]) for i in range(len(theirs) - n + 1)]
        total += len(a)
        hits += sum(min(a.count(gram), b.count(gram)) for gram in set(a))
    c, r = sum(map(len, candidates)), sum(map(len, references))
    if hits == 0:
        return 0.0
    return hits / total * float(np.exp(min(0, 1 - r / c)))


# %% right: joined_ids
# why: gives each n-gram a number by a table that all sentences share, and counts with np.bincount
def bleu(candidates, references, max_n=4):
    logs = 0.0
    for n in range(1, max_n + 1):
        table, hits, total = {}, 0, 0
        numbers = [
            [table.setdefault(tuple(tokens[i : i + n]), len(table)) for i in range(len(tokens) - n + 1)]
            for tokens in [*candidates, *references]
        ]
        for a, b in zip(numbers[: len(candidates)], numbers[len(candidates) :]):
            counts = [np.bincount(np.array(part, dtype=int), minlength=len(table)) for part in (a, b)]
            hits, total = hits + np.minimum(*counts).sum(), total + len(a)
        if hits == 0:
            return 0.0
        logs += np.log(hits / total)
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return float(np.exp(logs / max_n) * np.exp(min(0.0, 1 - r / c)))
