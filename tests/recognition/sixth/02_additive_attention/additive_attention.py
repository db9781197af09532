# %% wrong: mixes_the_keys
# says: The context is the weighted sum of the keys instead of the values.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    return weights @ key, weights


# %% wrong: mask_only_on_the_context
# says: The mask is not given to the softmax; the weights of forbidden positions are set to 0 afterwards, without renormalising.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        key = value
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v))
    if mask is not None:
        weights = np.where(mask, weights, 0.0)
    return weights @ value, weights
