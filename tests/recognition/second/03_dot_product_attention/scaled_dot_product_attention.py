# %% wrong: scale_after_softmax
# says: divides the weights by the root of the width instead of the scores
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1), mask) / np.sqrt(query.shape[-1])
    return weights @ value, weights


# %% wrong: mask_times_scores
# says: multiplies the scores by the mask; a score of 0 is not a forbidden one
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = given_masked_softmax(scores)
    return weights @ value, weights


# %% wrong: softmax_over_queries
# says: the softmax runs over the queries, the second to last axis
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


# %% wrong: empty_row_uniform
# says: puts -1e9 at forbidden keys and leaves it at that: a fully masked row becomes uniform
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = given_masked_softmax(scores)
    return weights @ value, weights


# %% right: way_2
# why: vectorised NumPy with a softmax of its own: minus infinity, and empty rows divided by 1
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = np.einsum("...tk,...sk->...ts", query, key) / np.sqrt(key.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    parts = np.exp(scores - top)
    total = parts.sum(axis=-1, keepdims=True)
    weights = parts / np.where(total == 0, 1.0, total)
    return weights @ value, weights


# %% right: way_4
# why: the given softmax, in single precision, returned as a list
def scaled_dot_product_attention(query, value, key, mask=None):
    q, v, k = (np.asarray(a).astype("float32") for a in (query, value, key))
    weights = given_masked_softmax(q @ np.swapaxes(k, -2, -1) / np.float32(np.sqrt(q.shape[-1])), mask)
    return [np.matmul(weights, v), weights]
