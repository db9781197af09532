# %% wrong: norm_over_axis_0
# says: takes the lengths over the vectors (second to last axis) instead of over the entries of each vector
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError("unknown kind")
    if kind == "cosine":
        nq = np.linalg.norm(query, axis=-2, keepdims=True)
        nk = np.linalg.norm(key, axis=-2, keepdims=True)
        query, key = query / np.where(nq == 0, 1, nq), key / np.where(nk == 0, 1, nk)
    scores = query @ np.swapaxes(key, -2, -1)
    if kind == "scaled_dot":
        scores = scores / np.sqrt(query.shape[-1])
    return scores


# %% wrong: zero_query_only
# says: thinks of zero vectors among the queries only; a zero key still gives nan
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError("unknown kind")
    if kind == "cosine":
        nq = np.linalg.norm(query, axis=-1, keepdims=True)
        query = query / np.where(nq == 0, 1, nq)
        key = key / np.linalg.norm(key, axis=-1, keepdims=True)
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores


# %% wrong: key_t
# says: turns the key with .T, which reverses all axes and not only the last two
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError("unknown kind")
    if kind == "cosine":
        nq, nk = np.linalg.norm(query, axis=-1, keepdims=True), np.linalg.norm(key, axis=-1, keepdims=True)
        query, key = query / np.where(nq > 0, nq, 1), key / np.where(nk > 0, nk, 1)
    scores = query @ key.T
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores


# %% wrong: else_dot
# says: an unknown kind falls through to the plain dot product instead of raising ValueError
def similarity(query, key, kind="dot"):
    dot = query @ np.swapaxes(key, -2, -1)
    if kind == "cosine":
        nq = np.linalg.norm(query, axis=-1)[..., :, None]
        nk = np.linalg.norm(key, axis=-1)[..., None, :]
        return np.where(nq * nk == 0, 0, dot / np.where(nq * nk == 0, 1, nq * nk))
    if kind == "scaled_dot":
        return dot / np.sqrt(query.shape[-1])
    return dot


# %% right: way_4
# why: divides 0 by 0 with the warnings switched off and replaces nan by 0 afterwards; the product by a broadcast sum
def similarity(query, key, kind="dot"):
    dots = (query[..., :, None, :] * key[..., None, :, :]).sum(axis=-1)
    if kind == "dot":
        return dots
    if kind == "scaled_dot":
        return dots / np.sqrt(key.shape[-1])
    if kind != "cosine":
        raise ValueError(f"{kind!r} is not known")
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
        return np.nan_to_num(dots / lengths)


# %% right: way_1
# why: pure Python loops over every leading index, every query and every key, with math.sqrt
import math


def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(f"unknown kind: {kind}")
    query, key = np.asarray(query, dtype=float), np.asarray(key, dtype=float)
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    (T, D), S = query.shape[-2:], key.shape[-2]
    query, key = np.broadcast_to(query, lead + (T, D)), np.broadcast_to(key, lead + (S, D))
    result = np.zeros(lead + (T, S))
    for b in np.ndindex(*lead):
        for i in range(T):
            for j in range(S):
                q, k = query[b][i], key[b][j]
                dot = 0.0
                for c in range(D):
                    dot += float(q[c]) * float(k[c])
                if kind == "scaled_dot":
                    dot /= math.sqrt(D)
                elif kind == "cosine":
                    length_q = math.sqrt(sum(float(a) ** 2 for a in q))
                    length_k = math.sqrt(sum(float(a) ** 2 for a in k))
                    dot = dot / length_q / length_k if length_q > 0 and length_k > 0 else 0.0
                result[b + (i, j)] = dot
    return result
