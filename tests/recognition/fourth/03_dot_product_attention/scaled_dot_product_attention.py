# %% wrong: root_of_value_width
# says: The scores are divided by the root of the width of the values; it has to be the width K of queries and keys.
def scaled_dot_product_attention(query, value, key, mask=None):
    from keras import ops

    width = value.shape[-1]
    scores = ops.matmul(query, np.swapaxes(key, -1, -2)) / width**0.5
    weights = given_masked_softmax(ops.convert_to_numpy(scores), mask)
    return ops.matmul(weights, value), weights


# %% wrong: divides_query_in_place
# says: The query is divided by the root of K in place, so the caller's array is changed.
def scaled_dot_product_attention(query, value, key, mask=None):
    query /= np.sqrt(query.shape[-1])
    weights = given_masked_softmax(np.einsum("...tk,...sk->...ts", query, key), mask)
    return np.matmul(weights, value), weights


# %% wrong: empty_rows_uniform
# says: Forbidden scores are replaced by -1e9 and nothing else, so a query that may attend to nothing gets equal weights and the mean of the values instead of zeros.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = (query @ key.swapaxes(-2, -1)) / np.sqrt(key.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ value, weights


# %% right: fourth_roots
# why: scales queries and keys by the fourth root of K each, then divides the mixed values by the total of the exponentials, with empty rows guarded
def scaled_dot_product_attention(query, value, key, mask=None):
    q, v, k = (np.asarray(a, dtype=np.float64) for a in (query, value, key))
    root = q.shape[-1] ** 0.25
    scores = np.einsum("...tk,...sk->...ts", q / root, k / root)
    scores = np.where(True if mask is None else mask, scores, -np.inf)
    top = np.max(scores, axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(top == -np.inf, 0.0, top))
    total = powers.sum(axis=-1, keepdims=True)
    total = total + (total == 0)
    return np.einsum("...ts,...sv->...tv", powers, v) / total, powers / total
