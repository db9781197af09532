# %% wrong: key_or_value
# says: writes key or value, which fails for arrays
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    key = key or value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: mask_forgotten
# says: does not hand the mask on to the softmax
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores)
    return weights @ value, weights


# %% wrong: returns_scores
# says: returns the scores as the second array, because Keras calls it attention scores
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    return weights @ value, scores


# %% wrong: empty_row_uniform
# says: writes its own masked softmax with -1e9, so a query that may attend to nothing gets the mean of all values
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ value, weights


# %% right: way_2
# why: vectorised: own broadcast scores and own masked softmax, the sum with einsum, none of the given functions
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    key = value if key is None else key
    hidden = np.tanh((query @ w_query)[:, :, np.newaxis] + (key @ w_key)[:, np.newaxis])
    scores = hidden @ v
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1)
    return np.einsum("bts,bsv->btv", weights, value), weights


# %% right: way_3
# why: Keras operations, float32, returned as a list of two tensors
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    ops = keras.ops

    def tensor(a):
        return ops.cast(ops.convert_to_tensor(a), "float32")

    values = tensor(value)
    keys = values if key is None else tensor(key)
    q, k = ops.matmul(tensor(query), tensor(w_query)), ops.matmul(keys, tensor(w_key))
    scores = ops.sum(ops.tanh(ops.expand_dims(q, 2) + ops.expand_dims(k, 1)) * tensor(v), axis=-1)
    weights = ops.convert_to_tensor(given_masked_softmax(np.asarray(scores), mask))
    weights = ops.cast(weights, "float32")
    return [ops.matmul(weights, values), weights]
