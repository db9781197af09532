# %% wrong: nucleus_before_division
# says: After top-k the probabilities are not divided by their sum, so top-p is compared with sums of the full distribution and can keep too many ids.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p")
    logits = np.asarray(logits, dtype="float64")
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p, kind="stable")
    kept = list(order) if top_k is None else list(order[:top_k])
    if top_p is not None:
        nucleus, mass = [], 0.0
        for i in kept:
            nucleus.append(i)
            mass += p[i]
            if mass >= top_p:
                break
        kept = nucleus
    result = np.zeros_like(p)
    result[kept] = p[kept]
    return result / result.sum()


# %% wrong: threshold_keeps_ties
# says: Top-k keeps every id that is at least as likely as the k-th, so with ties more than top_k ids stay; of equally likely ids the lower ones go first.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and (top_p <= 0 or top_p > 1)):
        raise ValueError("a setting is out of its range")
    logits = np.asarray(logits).astype("float64")
    V = logits.shape[0]
    if temperature == 0:
        out = np.zeros(V)
        out[int(np.argmax(logits))] = 1.0
        return out
    scaled = logits / temperature
    p = np.exp(scaled - scaled.max())
    p /= p.sum()
    if top_k is not None:
        limit = np.sort(p)[::-1][min(top_k, V) - 1]
        p = np.where(p >= limit, p, 0.0)
        p /= p.sum()
    if top_p is not None:
        order = np.argsort(-p, kind="stable")
        before = np.append(0.0, np.cumsum(p[order])[:-1])
        p[order[before >= top_p]] = 0.0
        p /= p.sum()
    return p


# %% wrong: zero_means_off
# says: The checks test whether `top_k` and `top_p` are truthy, so top_k=0 and top_p=0.0 count as switched off instead of raising a ValueError.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError(f"temperature must not be negative: {temperature}")
    if top_k and top_k < 1:
        raise ValueError(f"top_k must be at least 1: {top_k}")
    if top_p and (top_p < 0 or top_p > 1):
        raise ValueError(f"top_p must be above 0 and at most 1: {top_p}")
    x = np.array(logits, dtype="float64")
    probs = np.zeros(x.size)
    if temperature == 0:
        probs[x.argmax()] = 1
        return probs
    x = (x - x.max()) / temperature
    probs = np.exp(x) / np.sum(np.exp(x))
    if top_k:
        drop = np.argsort(-probs, kind="stable")[top_k:]
        probs[drop] = 0
        probs = probs / probs.sum()
    if top_p:
        order = np.argsort(-probs, kind="stable")
        size = 1 + np.searchsorted(np.cumsum(probs[order]), top_p)
        probs[order[size:]] = 0
        probs = probs / probs.sum()
    return probs


# %% right: way_1
# why: Works on a Python list of (id, probability) sorted by likelihood and shortens it; itertools finds how many ids stay below top_p.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    from itertools import accumulate

    bad = [temperature < 0, top_k is not None and top_k < 1, top_p is not None and not (0 < top_p <= 1)]
    if any(bad):
        raise ValueError("temperature, top_k or top_p is out of range")
    x = np.asarray(logits).astype("float64")
    gap = x - x.max()
    if temperature == 0:
        ranked = [(int(np.flatnonzero(gap == 0)[0]), 1.0)]
    else:
        ranked = sorted(enumerate(np.exp(gap / temperature).tolist()), key=lambda pair: (-pair[1], pair[0]))

    def divide(pairs):
        total = sum(weight for _, weight in pairs)
        return [(i, weight / total) for i, weight in pairs]

    ranked = divide(ranked)
    if top_k is not None:
        ranked = divide(ranked[:int(top_k)])
    if top_p is not None:
        below = sum(mass < top_p for mass in accumulate(weight for _, weight in ranked))
        ranked = divide(ranked[:below + 1])
    result = np.zeros(x.shape[0])
    for i, weight in ranked:
        result[i] = weight
    return result
