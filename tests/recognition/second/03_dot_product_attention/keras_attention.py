# %% wrong: scale_or_one
# says: `scale or 1.0` in concat mode turns a scale of 0.0 into 1; the dot mode is right
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
        pairs = (scale or 1.0) * pairs
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


# %% wrong: query_mask_weights_too
# says: sets the rows of the weights to zero as well
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
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], output, 0.0)
        weights = np.where(query_mask[:, :, None], weights, 0.0)
    return output, weights


# %% wrong: query_mask_ignored
# says: takes the query mask for unimportant, as it does not change the weights
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
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    return output, weights


# %% wrong: query_mask_inverted
# says: makes zero what the query mask keeps
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
        causal = np.tri(T, S, dtype=bool)
        mask = causal if mask is None else mask & causal
    weights = given_masked_softmax(scores, mask)
    output = weights @ value
    if query_mask is not None:
        output = np.where(query_mask[:, :, None], 0.0, output)
    return output, weights


# %% right: way_1
# why: pure Python loops over batch, query and key, with math.exp and math.tanh
import math


def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    key = value if key is None else key
    (B, T, K), (S, V) = query.shape, value.shape[1:]
    output, weights = np.zeros((B, T, V)), np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            scores = []
            for s in range(S):
                if use_causal_mask and s > t or value_mask is not None and not value_mask[b][s]:
                    scores.append(-math.inf)
                    continue
                total = 0.0
                for c in range(K):
                    if score_mode == "concat":
                        total += math.tanh((1.0 if scale is None else scale) * (query[b, t, c] + key[b, s, c]))
                    else:
                        total += (1.0 if scale is None else scale) * query[b, t, c] * key[b, s, c]
                if score_mode == "concat" and concat_weight is not None:
                    total *= concat_weight
                scores.append(total)
            top = max(scores)
            shares = [math.exp(x - top) for x in scores]
            for s in range(S):
                weights[b, t, s] = shares[s] / sum(shares)
            if query_mask is None or query_mask[b][t]:
                for v in range(V):
                    output[b, t, v] = sum(weights[b, t, s] * value[b, s, v] for s in range(S))
    return output, weights


# %% right: way_4
# why: given_masked_softmax with one joint mask made by broadcasting; dot scores as a sum over a four-dimensional product
def keras_attention(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False,
):
    if key is None:
        key = value
    B, T, S = len(query), query.shape[1], key.shape[1]
    q, k = query[:, :, None, :], key[:, None, :, :]
    s = 1.0 if scale is None else scale
    w = 1.0 if concat_weight is None else concat_weight
    scores = (w * np.tanh(s * (q + k)) if score_mode == "concat" else s * q * k).sum(axis=-1)
    allowed = np.ones((B, T, S), dtype=bool)
    if value_mask is not None:
        allowed &= np.asarray(value_mask)[:, np.newaxis]
    if use_causal_mask:
        allowed &= np.tri(T, S, dtype=bool)
    weights = given_masked_softmax(scores, allowed)
    output = weights @ value
    if query_mask is not None:
        output[~np.asarray(query_mask)] = 0.0
    return output, weights
