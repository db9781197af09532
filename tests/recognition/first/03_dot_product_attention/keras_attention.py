# %% wrong: concat_no_scale
# says: thinks that the scale belongs to the dot scores only
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if score_mode == "dot":
        scores = query @ np.swapaxes(key, -2, -1)
        if scale is not None:
            scores = scores * scale
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(pairs).sum(axis=-1)
        if concat_weight is not None:
            scores = concat_weight * scores
    T, S = scores.shape[-2:]
    mask = None
    if value_mask is not None:
        mask = value_mask[:, None, :]
    if use_causal_mask:
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights


# %% wrong: value_mask_after_softmax
# says: zeroes weights by the value mask after the softmax
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if score_mode == "dot":
        scores = query @ np.swapaxes(key, -2, -1)
        if scale is not None:
            scores = scores * scale
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        if scale is not None:
            pairs = scale * pairs
        scores = np.tanh(pairs).sum(axis=-1)
        if concat_weight is not None:
            scores = concat_weight * scores
    T, S = scores.shape[-2:]
    mask = None
    if use_causal_mask:
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    if value_mask is not None:
        weights = weights * value_mask[:, None, :]
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights


# %% wrong: concat_scale_outside
# says: multiplies by the scale outside the tanh
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if score_mode == "dot":
        scores = query @ np.swapaxes(key, -2, -1)
        if scale is not None:
            scores = scores * scale
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        if scale is not None:
            pass
        scores = np.tanh(pairs).sum(axis=-1) * (1.0 if scale is None else scale)
        if concat_weight is not None:
            scores = concat_weight * scores
    T, S = scores.shape[-2:]
    mask = None
    if value_mask is not None:
        mask = value_mask[:, None, :]
    if use_causal_mask:
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights


# %% wrong: causal_triu
# says: the causal mask allows the future
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    if score_mode == "dot":
        scores = query @ np.swapaxes(key, -2, -1)
        if scale is not None:
            scores = scores * scale
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        if scale is not None:
            pairs = scale * pairs
        scores = np.tanh(pairs).sum(axis=-1)
        if concat_weight is not None:
            scores = concat_weight * scores
    T, S = scores.shape[-2:]
    mask = None
    if value_mask is not None:
        mask = value_mask[:, None, :]
    if use_causal_mask:
        causal = np.triu(np.ones((T, S), dtype=bool))
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights


# %% right: way_2
# why: vectorised NumPy with a float mask that is added and a softmax of its own
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    factor = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = factor * np.einsum("btk,bsk->bts", query, key)
    else:
        scores = np.tanh(factor * (query[:, :, None] + key[:, None])).sum(-1)
        scores = scores * (1.0 if concat_weight is None else concat_weight)
    T, S = scores.shape[1:]
    hidden = np.zeros_like(scores)
    if value_mask is not None:
        hidden = hidden + np.where(value_mask, 0.0, -np.inf)[:, None, :]
    if use_causal_mask:
        hidden = hidden + np.where(np.arange(S) > np.arange(T)[:, None], -np.inf, 0.0)
    scores = scores + hidden
    parts = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = parts / parts.sum(axis=2, keepdims=True)
    output = np.matmul(weights, value)
    if query_mask is not None:
        output = output * np.asarray(query_mask)[..., None]
    return output, weights


# %% right: way_3
# why: builds the Keras layer itself, in double precision, and sets its numbers; gives tensors
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    layer = keras.layers.Attention(use_scale=scale is not None, score_mode=score_mode, dtype="float64")
    layer.build([query.shape, value.shape, key.shape])
    if scale is not None:
        layer.scale.assign(scale)
    if score_mode == "concat":
        layer.concat_score_weight.assign(1.0 if concat_weight is None else concat_weight)
    return layer(
        [query, value, key], mask=[query_mask, value_mask], use_causal_mask=use_causal_mask,
        return_attention_scores=True,
    )
