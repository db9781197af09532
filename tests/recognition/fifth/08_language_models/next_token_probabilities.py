# %% wrong: top_p_before_dividing_after_top_k
# says: After top-k the probabilities are not divided by their sum before top-p, so the line top_p is compared with sums of the old distribution and too many ids are kept.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature must not be negative")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be at least 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p must be above 0 and at most 1")
    z = np.asarray(logits, dtype=float)
    if temperature == 0:
        p = np.zeros(len(z))
        p[np.argmax(z)] = 1.0
        return p
    p = np.exp((z - z.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-z, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0.0
    if top_p is not None:
        before = np.concatenate([[0.0], np.cumsum(p[order])[:-1]])
        p[order[before >= top_p]] = 0.0
    return p / p.sum()


# %% wrong: reversed_argsort_prefers_the_higher_id
# says: The ids are sorted upwards and the list is turned round, so of equally likely ids the higher one comes first; ties should go to the lower id.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    bad = temperature < 0 or (top_k is not None and top_k < 1)
    bad = bad or (top_p is not None and (top_p <= 0 or top_p > 1))
    if bad:
        raise ValueError("an argument is out of range")
    logits = np.asarray(logits, dtype="float64")
    size = logits.shape[0]
    if temperature == 0:
        return np.eye(size)[logits.argmax()]
    p = np.exp((logits - np.max(logits)) / temperature)
    p /= p.sum()
    ranking = np.argsort(p, kind="stable")[::-1]
    if top_k is not None:
        p[ranking[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        reached = 0.0
        for i in ranking:
            if reached >= top_p:
                p[i] = 0
            else:
                reached += p[i]
        p /= p.sum()
    return p


# %% right: python_loop_with_sorted
# why: Plain Python: the ids are sorted by (minus logit, id), top-k is a slice, top-p a loop that stops once the sum has reached the line; all checks come first and the division by the sum happens after each step.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    import math

    if temperature < 0:
        raise ValueError(f"temperature {temperature} is negative")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k {top_k} is less than 1")
    if top_p is not None and not (0 < top_p <= 1):
        raise ValueError(f"top_p {top_p} is not in (0, 1]")
    values = [float(v) for v in logits]
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    if temperature == 0:
        kept = {order[0]: 1.0}
    else:
        top = values[order[0]]
        mass = [(i, math.exp((values[i] - top) / temperature)) for i in order]
        mass = mass[:top_k]
        total = math.fsum(m for _, m in mass)
        kept, reached = {}, 0.0
        for i, m in mass:
            if top_p is not None and reached >= top_p:
                break
            kept[i] = m / total
            reached += kept[i]
    whole = math.fsum(kept.values())
    return np.array([kept.get(i, 0.0) / whole for i in range(len(values))])
