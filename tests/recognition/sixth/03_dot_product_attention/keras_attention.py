# %% wrong: causal_at_bottom_right
# says: Aligns the causal mask at the bottom right (query i sees keys up to S - T + i) instead of the top left as Keras does.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    s = 1.0 if scale is None else scale
    T, S = query.shape[1], key.shape[1]
    if score_mode == "concat":
        g = 1.0 if concat_weight is None else concat_weight
        scores = g * np.tanh(s * (query[:, :, None] + key[:, None])).sum(axis=-1)
    else:
        scores = s * (query @ np.swapaxes(key, 1, 2))
    mask = np.ones((1, T, S), dtype=bool)
    if value_mask is not None:
        mask = mask & value_mask[:, None]
    if use_causal_mask:
        mask = mask & np.tri(T, S, k=S - T, dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[..., None], output, 0.0)
    return output, weights


# %% wrong: concat_weight_zero_becomes_one
# says: Uses "concat_weight or 1.0", so a concat weight of 0.0 is treated as missing and becomes 1.0.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    s = 1.0 if scale is None else scale
    T, S = query.shape[1], key.shape[1]
    if score_mode == "concat":
        g = concat_weight or 1.0
        scores = g * np.tanh(s * (query[:, :, None] + key[:, None])).sum(axis=-1)
    else:
        scores = s * (query @ np.swapaxes(key, 1, 2))
    mask = np.ones((1, T, S), dtype=bool)
    if value_mask is not None:
        mask = mask & value_mask[:, None]
    if use_causal_mask:
        mask = mask & np.tri(T, S, dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[..., None], output, 0.0)
    return output, weights


# %% right: query_by_query
# why: Loops over sentences and queries and takes the softmax only over the list of keys that each query may see.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    s = 1.0 if scale is None else scale
    g = 1.0 if concat_weight is None else concat_weight
    (B, T), (S, V) = query.shape[:2], value.shape[1:]
    output, weights = np.zeros((B, T, V)), np.zeros((B, T, S))
    for b in range(B):
        for i in range(T):
            seen = [j for j in range(S)
                    if (value_mask is None or value_mask[b, j]) and not (use_causal_mask and j > i)]
            if not seen:
                continue
            if score_mode == "concat":
                scores = g * np.tanh(s * (key[b, seen] + query[b, i])).sum(axis=1)
            else:
                scores = s * (key[b, seen] @ query[b, i])
            e = np.exp(scores - scores.max())
            weights[b, i, seen] = e / e.sum()
            if query_mask is None or query_mask[b, i]:
                output[b, i] = weights[b, i] @ value[b]
    return output, weights
