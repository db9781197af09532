# %% wrong: causal_from_the_right
# says: The causal triangle is aligned at the last key instead of the first, so if there are more (or fewer) keys than queries, query i sees keys up to i + S - T instead of 0 to i.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if score_mode == "concat":
        pairs = query[:, :, None, :] + key[:, None, :, :]
        if scale is not None:
            pairs = pairs * scale
        scores = np.tanh(pairs).sum(axis=-1)
        if concat_weight is not None:
            scores = scores * concat_weight
    else:
        scores = query @ key.transpose(0, 2, 1)
        if scale is not None:
            scores = scores * scale
    T, S = scores.shape[1:]
    allowed = np.ones(scores.shape, dtype=bool)
    if value_mask is not None:
        allowed = allowed & value_mask[:, None, :]
    if use_causal_mask:
        allowed = allowed & np.tri(T, S, k=S - T, dtype=bool)
    weights = given_masked_softmax(scores, allowed)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights


# %% wrong: zero_concat_weight_becomes_one
# says: "concat_weight or 1.0" treats a concat_weight of 0.0 as missing and uses 1.0, although 0.0 should make all scores 0 and the weights equal.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    keys = value if key is None else key
    factor = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = factor * np.einsum("btk,bsk->bts", query, keys)
    else:
        g = concat_weight or 1.0
        scores = g * np.sum(np.tanh(factor * (query[:, :, None] + keys[:, None])), axis=-1)
    B, T, S = scores.shape
    mask = np.ones((B, T, S), dtype=bool)
    if value_mask is not None:
        mask &= np.asarray(value_mask)[:, None]
    if use_causal_mask:
        mask &= np.arange(S) <= np.arange(T)[:, None]
    weights = given_masked_softmax(scores, mask)
    output = np.einsum("bts,bsv->btv", weights, value)
    if query_mask is not None:
        output = output * np.asarray(query_mask)[..., None]
    return output, weights
