# %% wrong: zero_returns_before_the_checks
# says: Temperature 0 is answered before top_k and top_p are checked, so settings without a meaning pass there.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    logits = np.asarray(logits, dtype="float64")
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
    p = np.exp((logits - logits.max()) / temperature)
    p /= p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p /= p.sum()
    if top_p is not None:
        before = np.cumsum(p[order]) - p[order]
        p[order[before >= top_p]] = 0
        p /= p.sum()
    return p


# %% wrong: order_read_backwards
# says: The ids are sorted upwards and the list is reversed, so of equally likely ids the higher one goes first.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("invalid setting")
    logits = np.asarray(logits, dtype="float64")
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    e = np.exp((logits - logits.max()) / temperature)
    p = e / e.sum()
    order = np.argsort(p, kind="stable")[::-1]
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        total = np.cumsum(p[order])
        last = np.argmax(total >= top_p) if (total >= top_p).any() else len(p) - 1
        p[order[last + 1 :]] = 0
        p = p / p.sum()
    return p


# %% wrong: top_p_of_the_unfiltered
# says: The sum for top-p runs over the softmax as it was before top-k, not over what top-k left and rescaled.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p")
    logits = np.asarray(logits, dtype="float64")
    if temperature == 0:
        return np.eye(logits.size)[np.argmax(logits)]
    scaled = (logits - logits.max()) / temperature
    p = np.exp(scaled) / np.exp(scaled).sum()
    order = np.argsort(-p, kind="stable")
    keep = np.ones(len(p), dtype=bool)
    if top_k is not None:
        keep[order[top_k:]] = False
    if top_p is not None:
        before = np.cumsum(p[order]) - p[order]
        keep[order[before >= top_p]] = False
    p = np.where(keep, p, 0.0)
    return p / p.sum()


# %% right: way_1
# why: no sorting: the rank of an id and the probability before it come from a table that compares all pairs of ids
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if not temperature >= 0:
        raise ValueError("temperature must be at least 0")
    if top_k is not None and not top_k >= 1:
        raise ValueError("top_k must be at least 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p must be above 0 and at most 1")
    x = np.array(logits, dtype="float64")
    x -= x.max()
    ids = np.arange(x.size)
    first = (x[None] > x[:, None]) | ((x[None] == x[:, None]) & (ids[None] < ids[:, None]))  # [i, j]: j before i
    if temperature == 0:
        return (~first.any(axis=1)).astype("float64")
    p = np.exp(x / temperature)
    p = p / p.sum()
    if top_k is not None:
        p = np.where(first.sum(axis=1) < top_k, p, 0.0)
        p = p / p.sum()
    if top_p is not None:
        p = np.where(first @ p < top_p, p, 0.0)
        p = p / p.sum()
    return p
