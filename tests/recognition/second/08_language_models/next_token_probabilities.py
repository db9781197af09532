# %% wrong: top_p_of_the_old_probabilities
# says: does not divide by the sum after top-k, so top-p sums up the probabilities from before top-k
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("no such setting")
    order = np.argsort(-logits, kind="stable")
    p = np.zeros(len(logits))
    if temperature == 0:
        p[order[0]] = 1.0
        return p
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    if top_k is not None:
        p[order[top_k:]] = 0
    if top_p is not None:
        ordered = p[order]
        before = np.cumsum(ordered) - ordered
        p[order[before >= top_p]] = 0
    return p / p.sum()


# %% wrong: all_as_likely_as_the_kth
# says: keeps every id that is at least as likely as the k-th, so with ties more than top_k are left
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("the temperature is negative")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k is less than 1")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p is no such probability")
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    if top_k is not None and top_k < len(p):
        smallest = np.sort(logits)[-top_k]
        p = np.where(logits >= smallest, p, 0.0)
        p = p / p.sum()
    if top_p is not None:
        order = np.argsort(-p, kind="stable")
        sums = np.cumsum(p[order])
        kept = int(np.searchsorted(sums, top_p)) + 1
        p[order[kept:]] = 0.0
        p = p / p.sum()
    return p


# %% wrong: temperature_zero_before_the_checks
# says: at temperature 0 answers before it looks at top_k and top_p, so impossible ones are not refused
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature must not be negative")
    if temperature == 0:
        p = np.zeros(len(logits))
        p[np.argmax(logits)] = 1.0
        return p
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be at least 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p must be above 0 and at most 1")
    p = np.exp((logits - np.max(logits)) / temperature)
    p /= p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0.0
        p /= p.sum()
    if top_p is not None:
        sums = np.cumsum(p[order])
        p[order[1:][sums[:-1] >= top_p]] = 0.0
        p /= p.sum()
    return p


# %% wrong: temperature_last
# says: filters the distribution of temperature 1 and applies the temperature to what is left
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError
    order = np.argsort(-logits, kind="stable")
    if temperature == 0:
        return np.where(np.arange(len(logits)) == order[0], 1.0, 0.0)
    p = np.exp(logits - logits.max())
    p = p / p.sum()
    keep = np.ones(len(logits), dtype=bool)
    if top_k is not None:
        keep[order[top_k:]] = False
        p = np.where(keep, p, 0.0)
        p = p / p.sum()
    if top_p is not None:
        ordered = p[order]
        keep[order[np.cumsum(ordered) - ordered >= top_p]] = False
    z = np.where(keep, (logits - logits.max()) / temperature, -np.inf)
    p = np.exp(z)
    return p / p.sum()


# %% wrong: goes_on_where_the_sum_is_reached
# says: where the sum is exactly top_p it keeps one id more, as if the sum had to be above top_p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and not (top_p > 0 and top_p <= 1):
        raise ValueError("top_p")
    p = np.zeros(len(logits))
    if temperature == 0:
        p[int(np.argmax(logits))] = 1.0
        return p
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        order = order[:top_k]
    e = np.exp((logits[order] - logits[order[0]]) / temperature)
    kept = e / e.sum()
    if top_p is not None:
        n = np.searchsorted(np.cumsum(kept), top_p, side="right") + 1
        kept, order = kept[:n], order[:n]
    p[order] = kept / kept.sum()
    return p


# %% right: way_1
# why: plain Python: a sorted list of ids, a loop that adds up until the line is crossed, a dict of what is left
import math


def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError(f"temperature {temperature} is negative")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k {top_k} is less than 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p {top_p} is not above 0 and at most 1")
    logits = [float(logit) for logit in logits]
    ids = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    highest = logits[ids[0]]
    if temperature == 0:
        ids, weights = ids[:1], [1.0]
    else:
        ids = ids[: len(ids) if top_k is None else int(top_k)]
        weights = [math.exp((logits[i] - highest) / temperature) for i in ids]
    total = sum(weights)
    left, reached = {}, 0.0
    for i, weight in zip(ids, weights):
        left[i] = weight
        reached += weight / total
        if top_p is not None and reached >= top_p:
            break
    total = sum(left.values())
    return np.array([left.get(i, 0.0) / total for i in range(len(logits))])


# %% right: way_2
# why: keras.ops in single precision: top_k sorts, scatter puts the numbers back in their places; a tensor
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    refused = [temperature < 0, top_k is not None and top_k < 1, top_p is not None and not 0.0 < top_p <= 1.0]
    if any(refused):
        raise ValueError("a setting without a meaning")
    ops = keras.ops
    size = len(logits)
    logits = ops.cast(logits, "float32")
    k = 1 if temperature == 0 else size if top_k is None else min(int(top_k), size)
    largest, ids = ops.top_k(logits, k)
    p = ops.softmax((largest - largest[0]) / (float(temperature) or 1.0))
    if top_p is not None:
        before = ops.concatenate([ops.zeros((1,), "float32"), ops.cumsum(p)[:-1]], axis=0)
        p = ops.where(before < float(top_p), p, 0.0)
        p = p / ops.sum(p)
    return ops.scatter(ops.expand_dims(ids, 1), p, (size,))
