# %% wrong: causal_bottom_right
# says: The causal mask is aligned at the bottom right, so with T and S different query i sees keys up to S - T + i instead of keys 0 to i.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    s = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = s * np.einsum("btk,bsk->bts", query, key)
    else:
        g = 1.0 if concat_weight is None else concat_weight
        scores = g * np.tanh(s * (query[:, :, None, :] + key[:, None, :, :])).sum(axis=-1)
    T, S = query.shape[1], key.shape[1]
    allowed = np.ones(scores.shape, dtype=bool)
    if value_mask is not None:
        allowed &= value_mask[:, None, :]
    if use_causal_mask:
        allowed &= np.tri(T, S, S - T, dtype=bool)
    weights = given_masked_softmax(scores, allowed)
    output = weights @ value
    if query_mask is not None:
        output = output * query_mask[:, :, None]
    return output, weights


# %% wrong: concat_weight_on_dot
# says: The concat_weight multiplies the dot scores as well, although only concat scores use it.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if scale is None:
        scale = 1.0
    if concat_weight is None:
        concat_weight = 1.0

    if score_mode == "concat":
        pairs = np.expand_dims(query, 2) + np.expand_dims(key, 1)
        scores = np.sum(np.tanh(scale * pairs), axis=-1)
    else:
        scores = scale * np.matmul(query, np.transpose(key, (0, 2, 1)))
    scores = concat_weight * scores

    masks = []
    if value_mask is not None:
        masks.append(np.expand_dims(value_mask, 1))
    if use_causal_mask:
        masks.append(np.arange(key.shape[1])[None, None, :] <= np.arange(query.shape[1])[None, :, None])
    mask = None
    for m in masks:
        mask = m if mask is None else mask & m

    weights = given_masked_softmax(scores, mask)
    output = np.matmul(weights, value)
    if query_mask is not None:
        output = np.where(query_mask[..., None], output, 0.0)
    return output, weights


# %% wrong: query_mask_in_softmax
# says: The query mask is part of the mask before the softmax, so the weights of masked queries become zero; it has to act on the output rows only.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    k = key if key is not None else value
    B, T, S = query.shape[0], query.shape[1], value.shape[1]
    factor = scale if scale is not None else 1
    scores = np.zeros((B, T, S))
    for i in range(T):
        for j in range(S):
            if score_mode == "dot":
                scores[:, i, j] = factor * (query[:, i] * k[:, j]).sum(axis=1)
            else:
                scores[:, i, j] = np.tanh(factor * (query[:, i] + k[:, j])).sum(axis=1)
    if score_mode == "concat" and concat_weight is not None:
        scores *= concat_weight
    q_ok = np.ones((B, T), bool) if query_mask is None else query_mask
    v_ok = np.ones((B, S), bool) if value_mask is None else value_mask
    allowed = q_ok[:, :, None] & v_ok[:, None, :]
    if use_causal_mask:
        allowed = allowed & np.tril(np.ones((T, S), bool))
    weights = given_masked_softmax(scores, allowed)
    return np.einsum("bts,bsv->btv", weights, value), weights


# %% right: feature_by_feature
# why: adds up both kinds of scores feature by feature and adds minus infinity where a key is forbidden; the query mask multiplies the finished output
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    s = 1.0 if scale is None else float(scale)
    g = 1.0 if concat_weight is None else float(concat_weight)
    q = np.moveaxis(np.asarray(query, dtype=np.float64), -1, 0)[..., :, None]
    k = np.moveaxis(np.asarray(value if key is None else key, dtype=np.float64), -1, 0)[..., None, :]
    if score_mode == "concat":
        scores = g * sum(np.tanh(s * (a + b)) for a, b in zip(q, k))
    else:
        scores = s * sum(a * b for a, b in zip(q, k))
    if value_mask is not None:
        scores = scores + np.where(value_mask, 0.0, -np.inf)[:, None]
    if use_causal_mask:
        late = np.less.outer(np.arange(scores.shape[1]), np.arange(scores.shape[2]))
        scores = scores + np.where(late, -np.inf, 0.0)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    output = weights @ value
    return output * (1.0 if query_mask is None else np.asarray(query_mask)[..., None]), weights
