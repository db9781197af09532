# %% wrong: empty_rows_without_bias
# says: Where a query may attend to nothing the output is set to zero, but it should be the output bias b_o.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def project(x, name):
        y = x @ weights["w_" + name] + weights["b_" + name]
        return y.reshape(len(y), y.shape[1], num_heads, -1).transpose(0, 2, 1, 3)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), mask)
    heads = (attention @ v).transpose(0, 2, 1, 3).reshape(query.shape)
    output = heads @ weights["w_o"] + weights["b_o"]
    sees_something = attention.sum(axis=(1, 3)) > 0
    output = np.where(sees_something[:, :, None], output, 0.0)
    return output, attention


# %% wrong: keys_made_from_values
# says: The key projection is applied to value instead of key, so the argument key is ignored; the result is right only if key and value are the same array.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S = value.shape[1]
    K = D // num_heads
    q = (query @ weights["w_q"] + weights["b_q"]).reshape(B, T, num_heads, K)
    k = (value @ weights["w_k"] + weights["b_k"]).reshape(B, S, num_heads, K)
    v = (value @ weights["w_v"] + weights["b_v"]).reshape(B, S, num_heads, K)
    scores = np.einsum("bthk,bshk->bhts", q, k) / np.sqrt(K)
    if mask is not None and np.ndim(mask) == 3:
        mask = np.expand_dims(mask, 1)
    attention = given_masked_softmax(scores, mask)
    merged = np.einsum("bhts,bshk->bthk", attention, v).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% right: sum_over_heads
# why: It never merges the heads: each head's result is multiplied by its block of K rows of w_o, and the products are added to the output bias. A 3-axis mask gets the axis of the heads, then every mask is broadcast to all heads.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads
    allowed = np.asarray(True if mask is None else mask)
    if allowed.ndim == 3:
        allowed = allowed[:, None]
    allowed = np.broadcast_to(allowed, (B, num_heads, T, S))
    output = np.zeros((B, T, D)) + weights["b_o"]
    maps = []
    for h in range(num_heads):
        block = slice(h * K, (h + 1) * K)
        q, k, v = (x @ weights["w_" + n][:, block] + weights["b_" + n][block]
                   for x, n in ((query, "q"), (key, "k"), (value, "v")))
        maps.append(given_masked_softmax((q / np.sqrt(K)) @ k.swapaxes(1, 2), allowed[:, h]))
        output = output + maps[-1] @ v @ weights["w_o"][block]
    return output, np.stack(maps, axis=1)
