# %% wrong: normalises_the_wrong_axis
# says: Your cosine takes the length over the vectors instead of over the entries of each vector. Each vector has its own length, over the last axis.
# self-check: wrong axis
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-2, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: nan_for_zero_vectors
# says: A zero vector has length 0, and 0 divided by 0 is nan. Its cosine is 0 here, so treat that length apart.
# self-check: nan
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        query, key = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: width_instead_of_its_root
# says: You divide by D. The variance grows with D, so the scores themselves grow with its square root.
# self-check: the square root is missing
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / query.shape[-1] if kind == "scaled_dot" else scores

# %% wrong: unknown_kind_is_dot
# says: A kind that you do not know gives dot products. A misspelt kind would go unnoticed; raise ValueError.
# self-check: unknown kind
def similarity(query, key, kind="dot"):
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: all_axes_turned
# says: `.T` reverses all axes, the leading ones too. Swap the last two axes only.
# self-check: runs
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = query @ key.T
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: sign_lost
# says: You take the absolute value of the cosine. Vectors that point in opposite directions are as unlike as can be, not alike.
# self-check: the sign got lost
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = query @ np.swapaxes(key, -2, -1)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
        return np.abs(query @ np.swapaxes(key, -2, -1))
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: one_side_normalised
# says: You divide by the length of the key only. The cosine forgets both lengths.
# self-check: only one side
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        length = np.linalg.norm(key, axis=-1, keepdims=True)
        key = key / np.where(length == 0, 1, length)
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: small_number_in_the_divisor
# says: A small number added to the lengths avoids the division by zero, but it swamps short vectors: their cosine comes out too small. Treat exact zeros apart.
# self-check: swamps short vectors
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        query, key = (x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-8) for x in (query, key))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: scaled_by_the_number_of_keys
# says: You divide by the root of the number of keys. What makes scores large is the width of the vectors.
# self-check: number of keys
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = query @ np.swapaxes(key, -2, -1)
    return scores / np.sqrt(key.shape[-2]) if kind == "scaled_dot" else scores

# %% wrong: transposed
# says: Your result has a row for each key. Rows belong to queries, columns to keys.
# self-check: transposed
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key)]
        query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
    scores = key @ np.swapaxes(query, -2, -1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: distance
# says: You compute a distance. A dot product multiplies entry by entry and adds up.
# self-check: distance
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = -((query[..., :, None, :] - key[..., None, :, :]) ** 2).sum(axis=-1)
    return scores / np.sqrt(query.shape[-1]) if kind == "scaled_dot" else scores

# %% wrong: changes_its_inputs
# says: `/=` works in place and changes the arrays that were handed to you. Write `query = query / ...`.
# self-check: inputs are unchanged
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = query @ np.swapaxes(key, -2, -1)
    if kind == "cosine":
        for x in (query, key):
            n = np.linalg.norm(x, axis=-1, keepdims=True)
            x /= np.where(n == 0, 1, n)
        scores = query @ np.swapaxes(key, -2, -1)
    if kind == "scaled_dot":
        query /= np.sqrt(query.shape[-1])
        scores = query @ np.swapaxes(key, -2, -1)
    return scores

# %% wrong: normalised_in_place
# says: For the cosine you divide the arrays that you were given, so the caller's vectors have length 1 afterwards. Make new arrays.
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    if kind == "cosine":
        for rows in (query, key):
            length = np.sqrt(np.sum(rows**2, axis=-1, keepdims=True))
            np.divide(rows, np.where(length > 0, length, 1), out=rows)
    scores = np.einsum("...td,...sd->...ts", query, key)
    return scores / query.shape[-1] ** 0.5 if kind == "scaled_dot" else scores

# %% wrong: one_zero_is_a_zero_vector
# says: You take a vector with a 0 among its entries for a zero vector. A zero vector has nothing but zeros: ask for all of them, or for the length.
# self-check: all of them have to be 0
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = np.einsum("...td,...sd->...ts", query, key)
    if kind == "dot":
        return scores
    if kind == "scaled_dot":
        return scores / np.sqrt(query.shape[-1])
    lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
    zero = (query == 0).any(axis=-1)[..., :, None] | (key == 0).any(axis=-1)[..., None, :]
    return np.where(zero, 0, scores / np.where(zero, 1, lengths))

# %% wrong: sum_of_zero_is_a_zero_vector
# says: You take a vector whose entries add up to 0 for a zero vector, and [1, -1] is none. Ask whether all entries are 0, or the length.
# self-check: each of them has to be 0
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = np.einsum("...td,...sd->...ts", query, key)
    if kind == "dot":
        return scores
    if kind == "scaled_dot":
        return scores / np.sqrt(query.shape[-1])
    lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
    zero = (query.sum(axis=-1) == 0)[..., :, None] | (key.sum(axis=-1) == 0)[..., None, :]
    return np.where(zero, 0, scores / np.where(zero, 1, lengths))

# %% wrong: zero_entry_in_the_key
# says: You take a key with a 0 among its entries for a zero vector. A zero vector has nothing but zeros.
# self-check: all of them have to be 0
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = np.einsum("...td,...sd->...ts", query, key)
    if kind == "dot":
        return scores
    if kind == "scaled_dot":
        return scores / np.sqrt(query.shape[-1])
    lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
    zero = (lengths == 0) | (np.prod(key, axis=-1) == 0)[..., None, :]
    return np.where(zero, 0, scores / np.where(zero, 1, lengths))

# %% right: divides_at_the_end
# why: the dot products divided by the product of the lengths, in float64
def similarity(query, key, kind="dot"):
    scores = np.einsum("...td,...sd->...ts", query, key)
    if kind == "dot":
        return scores
    if kind == "scaled_dot":
        return scores * query.shape[-1] ** -0.5
    if kind == "cosine":
        lengths = np.sqrt((query**2).sum(-1))[..., :, None] * np.sqrt((key**2).sum(-1))[..., None, :]
        return np.divide(scores, lengths, out=np.zeros(scores.shape), where=lengths > 0)
    raise ValueError("unknown kind")

# %% right: all_pairs_by_broadcasting
# why: an axis for queries and one for keys, then a sum over the last
def similarity(query, key, kind="dot"):
    known = {"dot": 1.0, "scaled_dot": 1 / np.sqrt(query.shape[-1]), "cosine": 1.0}
    if kind not in known:
        raise ValueError(kind)
    q, k = query[..., :, None, :], key[..., None, :, :]
    scores = (q * k).sum(axis=-1) * known[kind]
    if kind == "cosine":
        lengths = np.sqrt((q**2).sum(-1)) * np.sqrt((k**2).sum(-1))
        scores = np.where(lengths > 0, scores / np.where(lengths > 0, lengths, 1), 0)
    return scores

# %% right: with_keras
# why: the library's operations give the same arrays
def similarity(query, key, kind="dot"):
    if kind not in {"dot", "cosine", "scaled_dot"}:
        raise ValueError(kind)
    q, k = keras.ops.convert_to_tensor(query), keras.ops.convert_to_tensor(key)
    if kind == "cosine":
        norm_q = keras.ops.sqrt(keras.ops.sum(q * q, axis=-1, keepdims=True))
        norm_k = keras.ops.sqrt(keras.ops.sum(k * k, axis=-1, keepdims=True))
        q = keras.ops.where(norm_q > 0, q / norm_q, 0.0)
        k = keras.ops.where(norm_k > 0, k / norm_k, 0.0)
    if kind == "scaled_dot":
        q = q / keras.ops.sqrt(keras.ops.cast(q.shape[-1], q.dtype))
    return keras.ops.convert_to_numpy(keras.ops.matmul(q, keras.ops.swapaxes(k, -2, -1)))

# %% right: in_float32
# why: any float dtype may come out
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    query, key = np.asarray(query, dtype="float32"), np.asarray(key, dtype="float32")
    if kind == "cosine":
        query, key = (np.nan_to_num(x / np.linalg.norm(x, axis=-1, keepdims=True)) for x in (query, key))
    if kind == "scaled_dot":
        query = query / np.float32(np.sqrt(query.shape[-1]))
    return np.matmul(query, np.moveaxis(key, -1, -2))

# %% equivalent
# because: a zero vector stays zero whatever it is divided by
# was: query, key = (x / np.where(n == 0, 1, n) for x, n in zip((query, key), lengths))
# now: query, key = (x / np.where(n == 0, 2, n) for x, n in zip((query, key), lengths))

# %% equivalent
# because: swapping two axes is the same in either order, and query and key have the same width
# was: scores = query @ np.swapaxes(key, -2, -1)
# now: scores = query @ np.swapaxes(key, -1, -2)
# was: return scores / np.sqrt(query.shape[-1]) if kind == 'scaled_dot' else scores
# now: return scores / np.sqrt(key.shape[-1]) if kind == 'scaled_dot' else scores
