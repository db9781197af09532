# %% wrong: mixes_the_keys
# says: The context is the weighted sum of the keys; the keys only decide where to look, and the values have to be mixed.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    keys = value if key is None else key
    weights = given_masked_softmax(given_additive_scores(query, keys, w_query, w_key, v), mask)
    context = np.einsum("bts,bsd->btd", weights, keys)
    return context, weights


# %% wrong: mean_instead_of_sum
# says: The weighted values are averaged over the source positions instead of summed, so every context is too small by the factor S.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    weighted = weights[:, :, :, np.newaxis] * value[:, np.newaxis, :, :]
    return np.mean(weighted, axis=2), weights


# %% wrong: mask_lost_without_keys
# says: If key is None, the function calls itself with the values as keys but does not hand on the mask, so forbidden positions get weight.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        return additive_attention(query, value, value, w_query, w_key, v)
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask=mask)
    return weights @ value, weights


# %% right: one_source_position_at_a_time
# why: adds up the context source position by source position, each value scaled by its weight
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    looked_at = {True: value, False: key}[key is None]
    weights = given_masked_softmax(given_additive_scores(query, looked_at, w_query, w_key, v), mask)
    context = np.zeros(weights.shape[:2] + value.shape[-1:])
    for j, column in enumerate(np.moveaxis(weights, -1, 0)):
        context += column[..., None] * value[:, j][:, None]
    return context, weights
