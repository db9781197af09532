# %% wrong: order_query_key_value
# says: takes the second argument for the key and the third for the value
def scaled_dot_product_attention(query, value, key, mask=None):
    k, v = value, key
    scores = query @ np.swapaxes(k, -2, -1) / np.sqrt(query.shape[-1])
    weights = given_masked_softmax(scores, mask)
    return weights @ v, weights


# %% wrong: output_of_empty_row
# says: sets the weights of empty rows to zero only after the output was made from the others
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = given_masked_softmax(scores)
    output = weights @ value
    if mask is not None:
        weights = np.where(mask, weights, 0.0)
    return output, weights


# %% wrong: unstable_softmax
# says: exponentiates the scores as they are, so large scores overflow
def scaled_dot_product_attention(query, value, key, mask=None):
    e = np.exp(query @ np.swapaxes(key, -2, -1) / np.sqrt(query.shape[-1]))
    if mask is not None:
        e = np.where(mask, e, 0.0)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1.0, total)
    return weights @ value, weights


# %% wrong: scale_value_width
# says: scales by the root of the width of value
def scaled_dot_product_attention(query, value, key, mask=None):
    d = value.shape[-1]
    weights = given_masked_softmax(query @ np.swapaxes(key, -2, -1) / np.sqrt(d), mask)
    return weights @ value, weights


# %% right: way_1
# why: pure Python loops for every query, with the masked softmax written out and leading axes broadcast by hand
import math


def scaled_dot_product_attention(query, value, key, mask=None):
    query, value, key = (np.asarray(a, dtype=float) for a in (query, value, key))
    lead = np.broadcast_shapes(query.shape[:-2], value.shape[:-2], key.shape[:-2])
    T, K = query.shape[-2:]
    S, V = value.shape[-2:]
    query, value, key = (np.broadcast_to(a, lead + a.shape[-2:]) for a in (query, value, key))
    allowed = np.ones(lead + (T, S), dtype=bool) if mask is None else np.broadcast_to(mask, lead + (T, S))
    output, weights = np.zeros(lead + (T, V)), np.zeros(lead + (T, S))
    for b in np.ndindex(*lead):
        for t in range(T):
            seen = [s for s in range(S) if allowed[b][t, s]]
            if not seen:
                continue
            scores = [sum(float(query[b][t, c]) * float(key[b][s, c]) for c in range(K)) / math.sqrt(K) for s in seen]
            top = max(scores)
            shares = [math.exp(x - top) for x in scores]
            for s, share in zip(seen, shares):
                weights[b + (t, s)] = share / sum(shares)
                for v in range(V):
                    output[b + (t, v)] += weights[b + (t, s)] * value[b][s, v]
    return output, weights


# %% right: way_3
# why: Keras operations throughout; the scale goes to the query; results are tensors
def scaled_dot_product_attention(query, value, key, mask=None):
    query = keras.ops.convert_to_tensor(query)
    key, value = keras.ops.cast(key, query.dtype), keras.ops.cast(value, query.dtype)
    scaled = query / float(query.shape[-1]) ** 0.5
    scores = keras.ops.einsum("...tk,...sk->...ts", scaled, key)
    if mask is None:
        weights = keras.ops.softmax(scores, axis=-1)
    else:
        mask = keras.ops.broadcast_to(keras.ops.convert_to_tensor(mask, dtype="bool"), keras.ops.shape(scores))
        weights = keras.ops.softmax(keras.ops.where(mask, scores, keras.ops.full_like(scores, -1e30)), axis=-1)
        weights = keras.ops.where(mask, weights, keras.ops.zeros_like(weights))
    return keras.ops.matmul(weights, value), weights
