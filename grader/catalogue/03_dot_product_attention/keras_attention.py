# %% wrong: query_key_value_order
# says: Your arguments come as query, key, value. Keras takes query, value, key; with equal widths nothing complains.
def keras_attention(
    query, key, value=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    value = key if value is None else value
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: always_scaled
# says: You divide by the square root of the width. The layer has no scale unless it is told to learn one.
# self-check: without scale=
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: zero_is_no_scale
# says: `scale or 1.0` takes 0.0 for None. Ask whether it `is None`.
# self-check: is None
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = scale or 1.0
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: divides_by_the_scale
# says: The layer multiplies by its scale; you divide.
# self-check: divided by the scale
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = (1 / scale if scale else 0.0) * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: query_mask_hides_keys
# says: You let the query mask act on the weights. In the layer it only sets rows of the output to zero.
# self-check: query_mask leaves the weights alone
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    if query_mask is not None:
        mask = mask & query_mask[:, :, None]
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    return output, weights

# %% wrong: query_mask_ignored
# says: The query mask has no effect. Rows of the output where it is False are zero.
# self-check: query_mask makes output rows zero
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    return output, weights

# %% wrong: masks_swapped
# says: You apply the query mask to the keys and the value mask to the output. The names say whose positions they are.
# self-check: runs
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if query_mask is None else query_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if value_mask is not None:
        output = np.where(value_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: value_mask_inverted
# says: Your value mask hides the real keys. True means may be attended to.
# self-check: inverted
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else ~value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: value_mask_after_softmax
# says: You set weights to zero after the softmax; the rest of the row no longer sums to 1.
# self-check: before the softmax
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, np.tri(*scores.shape[-2:], dtype=bool) if use_causal_mask else None) * mask
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: concat_without_weight
# says: The sum of the tanh is multiplied by concat_score_weight. Yours has no effect.
# self-check: weight is missing
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: zero_is_no_weight
# says: `concat_weight or 1.0` takes 0.0 for None. Ask whether it `is None`.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (concat_weight or 1.0)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: concat_scale_outside
# says: In concat mode the scale stands inside the tanh, on query + key. Outside it is a second concat_weight.
# self-check: inside the tanh
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = scale * np.tanh(pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: concat_scale_ignored
# says: In concat mode too there may be a scale, inside the tanh.
# self-check: scale
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: concat_without_tanh
# says: Without the tanh the score is a sum of a number of the query and one of the key, and the query drops out of the softmax.
# self-check: tanh
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = (scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: concat_mode_ignored
# says: score_mode makes no difference in your answer. There are two modes.
# self-check: no effect
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode in ("dot", "concat"):
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: causal_bottom_right
# says: Your triangle is aligned with the last query and the last key. The layer counts both from the beginning.
# self-check: aligned bottom-right
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], k=scores.shape[-1] - scores.shape[-2], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: causal_ignored
# says: use_causal_mask has no effect in your answer.
# self-check: no effect
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: causal_replaces_value_mask
# says: With use_causal_mask the value mask is lost. Both have to allow a key.
# self-check: value mask is lost
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: causal_transposed
# says: Your triangle lets a query see the future.
# self-check: query i sees the keys
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[:-3:-1], dtype=bool).T
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: key_default_is_query
# says: Without a key the value is the key; you take the query.
# self-check: runs
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = query if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: largest_score_of_all
# says: You subtract the largest score of all queries. Where a row's own scores are far below it, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score of each row.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(scores - np.where(allowed, scores, -1e30).max()), 0)
    weights = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: scores_clipped
# says: You clip the scores before exp, so that large ones become equal. Subtract the largest score of each row instead.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(np.clip(scores.astype("float64"), -700, 700)), 0)
    weights = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: masked_values_set_to_zero_in_place
# says: You set the values of masked keys to zero in the array that was handed in. Make a copy, or leave them: their weight is 0.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None, :]
    if use_causal_mask:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    if value_mask is not None:
        value[~value_mask] = 0
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: zero_scores_forbidden
# says: You multiply the scores by the value mask and forbid what is 0 then. A score of 0 is an ordinary score: take what to forbid from the mask alone.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    if value_mask is not None:
        scores = np.where(scores * value_mask[:, None] == 0, -np.inf, scores)
    if use_causal_mask:
        scores = np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% wrong: zeros_of_the_triangle_forbidden
# says: You forbid what is 0 in the lower triangle of the scores. A score of 0 is an ordinary score: take what to forbid from the triangle alone.
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    scale = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = scale * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None, :] + key[:, None, :, :]
        scores = np.tanh(scale * pairs).sum(axis=-1) * (1.0 if concat_weight is None else concat_weight)
    if value_mask is not None:
        scores = np.where(value_mask[:, None], scores, -np.inf)
    if use_causal_mask:
        scores = np.where(np.tril(scores) == 0, -np.inf, scores)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
    return output, weights

# %% right: the_layer_itself
# why: Keras computes it; the scalars are set as weights
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    layer = keras.layers.Attention(use_scale=scale is not None, score_mode=score_mode, dtype=str(query.dtype))
    layer.build([query.shape, value.shape, key.shape])
    if scale is not None:
        layer.scale.assign(scale)
    if score_mode == "concat" and concat_weight is not None:
        layer.concat_score_weight.assign(concat_weight)
    mask = None if query_mask is None and value_mask is None else [query_mask, value_mask]
    output, weights = layer(
        [query, value, key], mask=mask, use_causal_mask=use_causal_mask, return_attention_scores=True
    )
    return np.asarray(output), np.asarray(weights)

# %% right: penalty_added
# why: forbidden scores become -inf before the softmax; the query mask multiplies
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    factor = 1.0 if scale is None else float(scale)
    if score_mode == "dot":
        scores = np.einsum("btk,bsk->bts", query * factor, key)
    else:
        scores = np.tanh((query[:, :, None] + key[:, None]) * factor).sum(-1)
        if concat_weight is not None:
            scores = concat_weight * scores
    T, S = scores.shape[1:]
    if use_causal_mask:
        scores = np.where(np.arange(S) <= np.arange(T)[:, None], scores, -np.inf)
    if value_mask is not None:
        scores = np.where(np.expand_dims(value_mask, 1), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = np.einsum("bts,bsv->btv", weights, value)
    if query_mask is not None:
        output = output * query_mask[..., None]
    return output, weights

# %% right: loops_over_the_batch
# why: one sentence and one query at a time
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    s, w = 1.0 if scale is None else scale, 1.0 if concat_weight is None else concat_weight
    (B, T), S = query.shape[:2], key.shape[1]
    output, weights = np.zeros((B, T, value.shape[2])), np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            if score_mode == "dot":
                scores = np.array([s * np.dot(query[b, t], k) for k in key[b]])
            else:
                scores = np.array([w * np.tanh(s * (query[b, t] + k)).sum() for k in key[b]])
            allowed = np.ones(S, dtype=bool) if value_mask is None else value_mask[b].copy()
            if use_causal_mask:
                allowed[t + 1 :] = False
            e = np.where(allowed, np.exp(np.where(allowed, scores - scores[allowed].max(), 0)), 0)
            weights[b, t] = e / e.sum()
            if query_mask is None or query_mask[b, t]:
                output[b, t] = weights[b, t] @ value[b]
    return output, weights

# %% right: in_float32
# why: any float dtype may come out
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    query, value, key = (np.asarray(x, "float32") for x in (query, value, key))
    scale = np.float32(1 if scale is None else scale)
    if score_mode == "dot":
        scores = np.matmul(query, key.transpose(0, 2, 1)) * scale
    else:
        scores = np.tanh(scale * (query[:, :, None] + key[:, None])).sum(-1)
        scores = scores * np.float32(1 if concat_weight is None else concat_weight)
    allowed = np.ones(scores.shape, bool)
    if value_mask is not None:
        allowed &= value_mask[:, None]
    if use_causal_mask:
        allowed = np.tril(allowed)
    weights = given_masked_softmax(scores, allowed)
    rows = np.ones(query.shape[:2], bool) if query_mask is None else query_mask
    return np.where(rows[..., None], weights @ value, np.float32(0)), weights

# %% equivalent
# because: swapping two axes is the same in either order
# was: scores = scale * (query @ np.swapaxes(key, -2, -1))
# now: scores = scale * (query @ np.swapaxes(key, -1, -2))
