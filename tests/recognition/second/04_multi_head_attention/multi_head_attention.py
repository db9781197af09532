# %% wrong: no_w_o
# says: hands out the merged heads without the output projection
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores, mask)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged, attention


# %% wrong: w_from_left
# says: applies the matrices from the left, as in W x: the transposed matrices
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name].T + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores, mask)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: empty_row_uniform
# says: fills forbidden scores with -1e9, so an empty row is uniform
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores if mask is None else np.where(mask, scores, -1e9))
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: mask_as_is
# says: a mask of three axes gets no axis for the heads: (B, T, S) is taken as (H, T, S)
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    attention = given_masked_softmax(scores, mask)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% right: way_3
# why: the Keras layer itself with the weights set, in double precision; asked for its weights it gives zeros in empty rows
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    D = query.shape[-1]
    layer = keras.layers.MultiHeadAttention(num_heads=num_heads, key_dim=D // num_heads, dtype="float64")
    layer.build((1, 1, D), (1, 1, D))
    names = ["w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o"]
    layer.set_weights([np.reshape(weights[n], w.shape) for n, w in zip(names, layer.weights)])
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
        mask = np.broadcast_to(mask, (len(query), num_heads, query.shape[1], key.shape[1]))
    return layer(query, value, key, attention_mask=mask, return_attention_scores=True)


# %% right: way_1
# why: loops over sentences, heads and queries, softmax written out with math.exp
import math


def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads
    attention, merged = np.zeros((B, num_heads, T, S)), np.zeros((B, T, D))
    for b in range(B):
        q = query[b] @ weights["w_q"] + weights["b_q"]
        k = key[b] @ weights["w_k"] + weights["b_k"]
        v = value[b] @ weights["w_v"] + weights["b_v"]
        for h in range(num_heads):
            columns = slice(h * K, (h + 1) * K)
            for t in range(T):
                if mask is None:
                    row = [True] * S
                elif mask.ndim == 2:
                    row = mask[t]
                elif mask.ndim == 3:
                    row = mask[b, t if mask.shape[1] > 1 else 0]
                else:
                    row = mask[b, h if mask.shape[1] > 1 else 0, t]
                seen = [s for s in range(S) if row[s]]
                scores = [float(q[t, columns] @ k[s, columns]) / math.sqrt(K) for s in seen]
                parts = [math.exp(x - max(scores)) for x in scores]
                for s, part in zip(seen, parts):
                    attention[b, h, t, s] = part / sum(parts)
                    merged[b, t, columns] += attention[b, h, t, s] * v[s, columns]
    output = np.zeros((B, T, D))
    for b in range(B):
        output[b] = merged[b] @ weights["w_o"] + weights["b_o"]
    return output, attention
