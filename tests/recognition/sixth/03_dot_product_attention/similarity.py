# %% wrong: zero_only_checked_for_queries
# says: Protects only zero queries from division by zero; a zero key gives nan instead of 0.
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = query @ np.swapaxes(key, -1, -2)
    if kind == "scaled_dot":
        return scores / np.sqrt(query.shape[-1])
    if kind == "cosine":
        q = np.linalg.norm(query, axis=-1, keepdims=True)
        k = np.linalg.norm(key, axis=-1, keepdims=True)
        scores = scores / np.where(q == 0, 1.0, q) / np.swapaxes(k, -1, -2)
    return scores


# %% wrong: scaled_is_default_for_unknown
# says: An unknown kind is not refused; everything that is neither "dot" nor "cosine" is treated as "scaled_dot".
def similarity(query, key, kind="dot"):
    if kind == "cosine":
        q = np.linalg.norm(query, axis=-1, keepdims=True)
        k = np.linalg.norm(key, axis=-1, keepdims=True)
        query = query / np.where(q == 0, 1.0, q)
        key = key / np.where(k == 0, 1.0, k)
    scores = query @ np.swapaxes(key, -1, -2)
    if kind in ("dot", "cosine"):
        return scores
    return scores / np.sqrt(query.shape[-1])
