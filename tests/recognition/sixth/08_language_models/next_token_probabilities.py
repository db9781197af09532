# %% wrong: no_checks_at_temperature_zero
# says: At temperature 0 it returns the most likely id before top_k and top_p are checked, so bad values of these raise no ValueError there.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    logits = np.asarray(logits, dtype="float64")
    if temperature < 0:
        raise ValueError("temperature is negative")
    if temperature == 0:
        p = np.zeros(len(logits))
        p[np.argmax(logits)] = 1.0
        return p
    if top_k is not None and top_k < 1:
        raise ValueError("top_k is less than 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p is not above 0 and at most 1")
    order = np.argsort(-logits, kind="stable")
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        before = np.cumsum(p[order]) - p[order]
        p[order[before >= top_p]] = 0
        p = p / p.sum()
    return p


# %% wrong: ties_at_the_kth_all_stay
# says: Top-k keeps every id that is at least as likely as the k-th one, so with ties at that place more than top_k ids are kept.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1):
        raise ValueError("temperature or top_k")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p")
    logits = np.asarray(logits, dtype="float64")
    n = len(logits)
    if temperature == 0:
        return np.eye(n)[np.argmax(logits)]
    scaled = (logits - logits.max()) / temperature
    p = np.exp(scaled) / np.exp(scaled).sum()
    if top_k is not None:
        line = np.sort(logits)[::-1][min(top_k, n) - 1]
        p = np.where(logits >= line, p, 0.0)
        p = p / p.sum()
    if top_p is not None:
        order = np.argsort(-p, kind="stable")
        total = 0.0
        keep = np.zeros(n, dtype=bool)
        for i in order:
            keep[i] = True
            total += p[i]
            if total >= top_p:
                break
        p = np.where(keep, p, 0.0)
        p = p / p.sum()
    return p
