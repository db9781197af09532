# %% wrong: inner_across_batches
# says: np.inner pairs every query with the keys of all batch entries, so with leading axes the result is not (..., T, S).
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(f"unknown kind {kind!r}")
    dots = np.inner(query, key)
    if kind == "dot":
        return dots
    if kind == "scaled_dot":
        return dots / np.sqrt(query.shape[-1])
    lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


# %% wrong: short_vectors_count_as_zero
# says: The cosine is set to 0 whenever the product of the lengths is below 1e-12, so short vectors that are not zero get cosine 0 instead of their ordinary cosine.
def similarity(query, key, kind="dot"):
    q, k = query.astype(np.float64), key.astype(np.float64)
    scores = np.einsum("...td,...sd->...ts", q, k)
    if kind == "dot":
        return scores
    elif kind == "scaled_dot":
        return scores * q.shape[-1] ** -0.5
    elif kind == "cosine":
        q_len = np.sqrt(np.sum(q**2, axis=-1))
        k_len = np.sqrt(np.sum(k**2, axis=-1))
        both = q_len[..., :, None] * k_len[..., None, :]
        return np.where(both > 1e-12, scores / np.maximum(both, 1e-300), 0.0)
    raise ValueError("kind must be dot, cosine or scaled_dot")


# %% wrong: part_of_a_string
# says: kind is checked with `in` on one long string, so parts of it such as "cos", "scaled" or "" raise no ValueError.
def similarity(query, key, kind="dot"):
    if kind not in "dot, cosine, scaled_dot":
        raise ValueError(kind)
    if kind == "cosine":
        q_norm = np.linalg.norm(query, axis=-1, keepdims=True)
        k_norm = np.linalg.norm(key, axis=-1, keepdims=True)
        query = query / np.where(q_norm == 0, 1, q_norm)
        key = key / np.where(k_norm == 0, 1, k_norm)
    result = query @ np.swapaxes(key, -1, -2)
    return result / np.sqrt(key.shape[-1]) if kind == "scaled_dot" else result


# %% right: stretch_first
# why: changes the vectors before the comparison (unit length, or the fourth root of D on both sides) and then sums entrywise products
def similarity(query, key, kind="dot"):
    def unit(a):
        length = np.sqrt(np.square(a).sum(axis=-1, keepdims=True))
        return a / (length + (length == 0))

    changes = {"dot": lambda a: a, "cosine": unit, "scaled_dot": lambda a: a / a.shape[-1] ** 0.25}
    if not isinstance(kind, str) or kind not in changes:
        raise ValueError(f"kind must be one of {sorted(changes)}")
    q, k = (changes[kind](np.asarray(a, dtype=np.float64)) for a in (query, key))
    return (q[..., :, None, :] * k[..., None, :, :]).sum(axis=-1)
