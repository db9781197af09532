# %% wrong: zero_output_instead_of_bias
# says: Sets the output of a query that may attend to nothing to zero, instead of leaving b_o.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S = key.shape[1]
    K = D // num_heads

    def split(x):
        return x.reshape(B, -1, num_heads, K).transpose(0, 2, 1, 3)

    q = split(query @ weights["w_q"] + weights["b_q"])
    k = split(key @ weights["w_k"] + weights["b_k"])
    v = split(value @ weights["w_v"] + weights["b_v"])
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(K)
    if mask is None:
        allowed = np.ones((B, num_heads, T, S), dtype=bool)
    else:
        mask = np.asarray(mask)
        if mask.ndim == 3:
            mask = mask[:, None]
        allowed = np.broadcast_to(mask, (B, num_heads, T, S))
    scores = np.where(allowed, scores, -1e30)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(total == 0, 1.0, total)
    merged = (attention @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    output = merged @ weights["w_o"] + weights["b_o"]
    nothing = ~allowed.any(axis=(1, 3))
    output[nothing] = 0.0
    return output, attention


# %% wrong: value_and_key_swapped
# says: Projects the keys from `value` and the values from `key`, as if the order of the arguments were query, key, value.
def multi_head_attention(query, key, value, weights, num_heads, mask=None):
    B, T, D = query.shape
    S = key.shape[1]
    K = D // num_heads

    def split(x):
        return x.reshape(B, -1, num_heads, K).transpose(0, 2, 1, 3)

    q = split(query @ weights["w_q"] + weights["b_q"])
    k = split(key @ weights["w_k"] + weights["b_k"])
    v = split(value @ weights["w_v"] + weights["b_v"])
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(K)
    if mask is None:
        allowed = np.ones((B, num_heads, T, S), dtype=bool)
    else:
        mask = np.asarray(mask)
        if mask.ndim == 3:
            mask = mask[:, None]
        allowed = np.broadcast_to(mask, (B, num_heads, T, S))
    scores = np.where(allowed, scores, -1e30)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(total == 0, 1.0, total)
    merged = (attention @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: mask_of_first_head_for_all
# says: Works head by head and takes `mask[:, 0]` of every mask with four axes, so a mask `(B, H, T, S)` applies that of head 0 in all heads.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    D = query.shape[-1]
    K = D // num_heads
    q = query @ weights["w_q"] + weights["b_q"]
    k = key @ weights["w_k"] + weights["b_k"]
    v = value @ weights["w_v"] + weights["b_v"]
    if mask is None:
        mask = np.ones((q.shape[1], k.shape[1]), dtype=bool)
    mask = np.asarray(mask)
    if mask.ndim == 4:
        mask = mask[:, 0]
    heads, attentions = [], []
    for h in range(num_heads):
        columns = slice(h * K, (h + 1) * K)
        scores = q[..., columns] @ np.swapaxes(k[..., columns], 1, 2) / np.sqrt(K)
        scores = np.where(mask, scores, -1e30)
        e = np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
        total = e.sum(axis=-1, keepdims=True)
        a = e / np.where(total == 0, 1.0, total)
        heads.append(a @ v[..., columns])
        attentions.append(a)
    output = np.concatenate(heads, axis=-1) @ weights["w_o"] + weights["b_o"]
    return output, np.stack(attentions, axis=1)


# %% right: way_1
# why: Reshapes the matrices instead of the data (one slice per head), computes the softmax through logaddexp, and sums W_O over the heads without merging.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    D = query.shape[-1]
    K = D // num_heads

    def project(x, name):
        w = np.asarray(weights["w_" + name], dtype=np.float64).reshape(D, num_heads, K)
        b = np.asarray(weights["b_" + name], dtype=np.float64).reshape(num_heads, 1, K)
        return np.einsum("bsd,dhk->bhsk", np.asarray(x, dtype=np.float64), w) + b

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = np.einsum("bhtk,bhsk->bhts", q, k) * K**-0.5
    if mask is None:
        mask = True
    elif np.ndim(mask) == 3:
        mask = np.expand_dims(mask, 1)
    scores = np.where(mask, scores, -np.inf)
    log_total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    attention = np.exp(scores - np.where(np.isneginf(log_total), 0.0, log_total))
    w_o = np.asarray(weights["w_o"], dtype=np.float64).reshape(num_heads, K, D)
    output = np.einsum("bhts,bhsk,hkd->btd", attention, v, w_o, optimize=True) + weights["b_o"]
    return output, attention
