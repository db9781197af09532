# %% wrong: no_scale
# says: The scale is missing. Divide the scores by the square root of the key width, or the softmax saturates as the width grows.
# self-check: the scale is missing
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1), mask)
    return weights @ value, weights

# %% wrong: width_of_the_value
# says: You scale by the width of the values. The scores are sums over the entries of query and key, so their width counts.
# self-check: width of value
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(value.shape[-1]), mask)
    return weights @ value, weights

# %% wrong: width_instead_of_its_root
# says: You divide by K. The square root is missing.
# self-check: the square root is missing
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / query.shape[-1], mask)
    return weights @ value, weights

# %% wrong: softmax_over_queries
# says: Your weights sum to 1 over the queries. Each query shares its attention among the keys, the last axis.
# self-check: over the queries
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    return weights @ value, weights

# %% wrong: leading_axes_lost
# says: `.T` reverses all axes. With a batch, swap the last two axes of key only.
# self-check: runs
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ key.T / np.sqrt(query.shape[-1]), mask)
    return weights @ value, weights

# %% wrong: mask_after_softmax
# says: You set weights to 0 after the softmax, so the rest of the row no longer sums to 1. The mask has to act before the sum is taken.
# self-check: after the softmax
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights

# %% wrong: mask_inverted
# says: You attend exactly where the mask forbids it: True means that the query may attend.
# self-check: inverted
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    weights = given_masked_softmax(scores, None if mask is None else ~np.asarray(mask))
    return weights @ value, weights

# %% wrong: mask_forgotten
# says: The mask does not reach the softmax, so masked keys still have weights.
# self-check: no effect
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    return weights @ value, weights

# %% wrong: uniform_for_empty_rows
# says: A row without any allowed key comes out uniform, since all its scores are the same large negative number. By contract it is zeros.
# self-check: uniform
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = given_masked_softmax(scores)
    return weights @ value, weights

# %% wrong: returns_scores
# says: You return the scores, before the softmax, where the weights are asked for.
# self-check: still scores
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    return given_masked_softmax(scores, mask) @ value, scores

# %% wrong: unstable_softmax
# says: exp overflows for large scores. Subtract the largest score of each row first, or use the given function.
# self-check: overflow
def scaled_dot_product_attention(query, value, key, mask=None):
    e = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    if mask is not None:
        e = np.where(mask, e, 0.0)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return weights @ value, weights

# %% wrong: keys_mixed_for_values
# says: You mix the keys. Keys are only for finding; the output is made of values.
# self-check: output has shape
def scaled_dot_product_attention(query, value, key, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]), mask)
    return weights @ key, weights

# %% wrong: query_key_value_order
# says: Your arguments come as query, key, value. Here, as in Keras, the order is query, value, key.
def scaled_dot_product_attention(query, key, value, mask=None):
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]), mask)
    return weights @ value, weights

# %% wrong: mask_by_its_truth
# says: You ask whether anything in the mask is True to find out whether there is one. A mask that is False everywhere is a mask: ask whether it `is None`.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / key.shape[-1] ** 0.5
    weights = given_masked_softmax(scores, mask if np.any(mask) else None)
    return weights @ value, weights

# %% wrong: largest_score_of_all
# says: You subtract the largest score of all queries. Where a row's own scores are far below it, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score of each row.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query / np.sqrt(query.shape[-1]) @ np.swapaxes(key, -2, -1)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(scores - np.where(allowed, scores, -1e30).max()), 0)
    weights = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    return weights @ value, weights

# %% wrong: scores_clipped
# says: You clip the scores before exp, so that large ones become equal. Subtract the largest score of each row instead.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query / np.sqrt(query.shape[-1]) @ np.swapaxes(key, -2, -1)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(np.clip(scores.astype("float64"), -700, 700)), 0)
    weights = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    return weights @ value, weights

# %% wrong: query_divided_in_place
# says: You divide query in place: the array that was handed in is changed, in float32 at least. Make a new one.
def scaled_dot_product_attention(query, value, key, mask=None):
    query = np.asarray(query, "float32")
    query /= np.sqrt(query.shape[-1])
    scores = query @ np.swapaxes(key, -2, -1)
    weights = given_masked_softmax(scores, mask)
    return weights @ value, weights

# %% wrong: zero_scores_forbidden
# says: You multiply the scores by the mask and forbid what is 0 then. A score of 0 is an ordinary score, as of a query of zeros: take what to forbid from the mask alone.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
        scores = np.where(scores == 0, -np.inf, scores)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return weights @ value, weights

# %% right: einsum
# why: the scale is applied to the query, before the product
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = np.einsum("...tk,...sk->...ts", query * query.shape[-1] ** -0.5, key)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, -np.inf).max(axis=-1, keepdims=True)
    e = np.where(allowed, np.exp(np.minimum(scores - np.where(np.isfinite(top), top, 0), 0)), 0)
    weights = e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)
    return np.einsum("...ts,...sv->...tv", weights, value), weights

# %% right: with_the_keras_layer
# why: the layer with its scale set, and empty rows set to zero afterwards
def scaled_dot_product_attention(query, value, key, mask=None):
    q, k, v = (keras.ops.convert_to_tensor(x) for x in (query, key, value))
    scores = keras.ops.matmul(q, keras.ops.swapaxes(k, -2, -1)) / keras.ops.sqrt(keras.ops.cast(q.shape[-1], q.dtype))
    scores = keras.ops.convert_to_numpy(scores)
    allowed = np.broadcast_to(np.ones((), bool) if mask is None else mask, scores.shape)
    weights = keras.ops.softmax(keras.ops.where(allowed, scores, -1e30))
    weights = keras.ops.where(allowed, weights, 0.0)
    return keras.ops.convert_to_numpy(keras.ops.matmul(weights, v)), keras.ops.convert_to_numpy(weights)

# %% right: in_float32
# why: any float dtype may come out
def scaled_dot_product_attention(query, value, key, mask=None):
    query, value, key = (np.asarray(x, dtype=np.float32) for x in (query, value, key))
    scores = np.matmul(query, np.moveaxis(key, -1, -2)) / np.float32(query.shape[-1]) ** np.float32(0.5)
    weights = given_masked_softmax(scores, mask)
    return np.matmul(weights, value), weights

# %% right: loop_over_queries
# why: one query at a time
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(key.shape[-1])
    if mask is not None:
        mask = np.broadcast_to(mask, scores.shape)
    rows = []
    for t in range(scores.shape[-2]):
        rows.append(given_masked_softmax(scores[..., t : t + 1, :], None if mask is None else mask[..., t : t + 1, :]))
    weights = np.concatenate(rows, axis=-2)
    return weights @ value, weights

# %% equivalent
# because: swapping two axes is the same in either order, and query and key have the same width
# was: scores = query / np.sqrt(query.shape[-1]) @ np.swapaxes(key, -2, -1)
# now: scores = query / np.sqrt(query.shape[-1]) @ np.swapaxes(key, -1, -2)
# was: scores = query / np.sqrt(query.shape[-1]) @ np.swapaxes(key, -2, -1)
# now: scores = query / np.sqrt(key.shape[-1]) @ np.swapaxes(key, -2, -1)
