# %% wrong: scores_for_weights
# says: You returned the scores. The second result is the weights, after the softmax.
# self-check: scores
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = given_additive_scores(query, key, w_query, w_key, v)
    return given_masked_softmax(scores, mask) @ value, scores

# %% wrong: context_from_scores
# says: The context was mixed with the scores. Use the weights, which sum to 1.
# self-check: weighted sum
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = given_additive_scores(query, key, w_query, w_key, v)
    return scores @ value, given_masked_softmax(scores, mask)

# %% wrong: key_as_value
# says: The context was mixed from the keys. Keys say where to look; what is seen there are the values.
# self-check: mixed from the keys
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights @ key, weights

# %% wrong: value_as_key
# says: You scored the values. If keys are given, they decide where to look.
# self-check: score the keys
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    k = value if value.shape[-1] == w_key.shape[0] else key
    weights = given_masked_softmax(given_additive_scores(query, k, w_query, w_key, v), mask)
    return weights @ value, weights

# %% wrong: mask_only_with_keys
# says: Without keys, the mask does not reach the softmax.
# self-check: without keys the mask has no effect
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        weights = given_masked_softmax(given_additive_scores(query, value, w_query, w_key, v))
    else:
        weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights @ value, weights

# %% wrong: mask_not_forwarded
# says: The mask does not reach the softmax.
# self-check: mask
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v))
    return weights @ value, weights

# %% wrong: mask_inverted
# says: Your mask works the wrong way round: True means that a position may be attended to.
# self-check: inverted
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    mask = None if mask is None else ~np.asarray(mask)
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights @ value, weights

# %% wrong: mask_on_weights_only
# says: The context was mixed with weights from before the mask.
# self-check: weighted sum
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = given_additive_scores(query, key, w_query, w_key, v)
    return given_masked_softmax(scores) @ value, given_masked_softmax(scores, mask)

# %% wrong: softmax_over_queries
# says: The softmax ran over the queries. Each query has its own distribution over the keys.
# self-check: sum to 1
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores.swapaxes(1, 2)).swapaxes(1, 2)
    return weights @ value, weights

# %% wrong: results_swapped
# says: Return the context first, then the weights.
# self-check: context first
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights, weights @ value

# %% wrong: no_key_no_way
# says: With key=None the values are the keys too; yours fails without keys.
# self-check: key=None
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights @ value, weights

# %% wrong: mean_of_weighted
# says: The weights already sum to 1. Do not divide the weighted sum by the number of positions as well.
# self-check: weighted sum
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return (weights[..., None] * value[:, None]).mean(axis=2), weights

# %% wrong: only_context
# says: Return two arrays, the context and the weights.
# self-check: two arrays
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    return given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask) @ value

# %% wrong: values_scored
# says: You scored the values. If keys are given, they decide where to look.
# self-check: score the keys
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    weights = given_masked_softmax(given_additive_scores(query, value, w_query, w_key, v), mask)
    return weights @ value, weights

# %% right: by_hand
# why: all steps in NumPy, with broadcasting and einsum
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None]) @ v
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weights = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    return np.einsum("bts,bsv->btv", weights, value), weights

# %% right: query_by_query
# why: a loop over the target positions; a list instead of a tuple
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    weights = np.asarray(given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask))
    context = np.zeros((query.shape[0], query.shape[1], value.shape[2]))
    for b, i, j in np.ndindex(*weights.shape):
        context[b, i] += weights[b, i, j] * value[b, j]
    return [context, weights]

# %% right: with_the_layer
# why: the Keras layer for one sentence at a time, and zeros for empty rows
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    key = value if key is None else key
    scores = given_additive_scores(query, key, w_query, w_key, v)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    weights = keras.layers.Softmax(dtype="float32")(scores, mask=allowed)
    weights = keras.ops.convert_to_numpy(weights) * allowed
    return keras.ops.matmul(weights.astype("float32"), np.asarray(value, dtype="float32")), weights
