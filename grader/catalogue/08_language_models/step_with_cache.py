# %% wrong: own_position_only
# says: Your query attends to its own key only, so the cache has no effect. Append the new key and value to those of the cache first.
# self-check: own position only
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    merged = (attention @ v).reshape(x.shape)
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: new_position_not_seen
# says: Your query attends to the cache before the new key is in it. A position sees itself as well.
# self-check: step 2
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    old_k, old_v = (k, v) if cache is None else (cache["key"], cache["value"])
    merged = (given_softmax(q @ old_k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])) @ old_v).reshape(x.shape)
    if cache is not None:
        k, v = np.concatenate([old_k, k], axis=2), np.concatenate([old_v, v], axis=2)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: cache_changed
# says: You put the new arrays into the dict that was handed in. Whoever still needs the old cache, for a second continuation say, has lost it.
# self-check: make new arrays
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is None:
        cache = {"key": k, "value": v}
    else:
        cache["key"] = np.concatenate([cache["key"], k], axis=2)
        cache["value"] = np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ cache["key"].swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    return (attention @ cache["value"]).reshape(x.shape) @ weights["w_o"] + weights["b_o"], cache

# %% wrong: query_cached
# says: The cache holds queries in place of keys. Nobody asks an old query again: only keys and values are needed.
# self-check: step 2
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("q"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: heads_interleaved
# says: Your heads hold every H-th column. The columns of head h are a block, h * K to (h + 1) * K.
# self-check: step 2
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(len(x), -1, num_heads).swapaxes(1, 2)[:, :, None]

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    merged = (attention @ v)[:, :, 0].swapaxes(1, 2).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: scale_by_d_model
# says: The scale is the root of K, the width of one head, not that of D.
# self-check: root of K
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(x.shape[-1]))
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: no_scale
# says: The scores are not divided by the root of K.
# self-check: root of K
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1))
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: overflow
# says: exp of a large score is inf, and inf / inf is nan. Subtract the largest score of each row first, or use given_softmax.
# self-check: large scores
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    e = np.exp(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    merged = (e / e.sum(axis=-1, keepdims=True) @ v).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: shifted_by_the_largest_of_all
# says: You subtract the largest score of all sequences and heads. Where a row's own scores are far below it, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score of each row.
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])
    e = np.exp(scores - scores.max())
    merged = (e / e.sum(axis=-1, keepdims=True) @ v).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: shifted_by_the_largest_of_a_sequence
# says: You subtract the largest score of a sequence's heads together. Where a row's own scores are far below it, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score of each row.
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])
    e = np.exp(scores - scores.max(axis=(1, 3), keepdims=True))
    merged = (e / e.sum(axis=-1, keepdims=True) @ v).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: newest_first
# says: The new position comes first in your cache. The output does not notice, but the order of the cache is the order of the text.
# self-check: newest first
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([k, cache["key"]], axis=2), np.concatenate([v, cache["value"]], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: no_output_projection
# says: The heads lie side by side but w_o and b_o are missing.
# self-check: then w_o and b_o
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    return (attention @ v).reshape(x.shape), {"key": k, "value": v}

# %% wrong: remembered_elsewhere
# says: You remember keys and values inside the function's defaults, so a second text goes on with the first one's. All that is remembered belongs
#   into the cache that you return.
# self-check: make new arrays
def step_with_cache(x, weights, num_heads, cache=None, kept={}):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    if cache is None:
        kept.clear()
    q, k, v = heads("q"), heads("k"), heads("v")
    if "key" in kept and kept["key"].shape[:2] == k.shape[:2] and kept["key"].shape[3] == k.shape[3]:
        k, v = np.concatenate([kept["key"], k], axis=2), np.concatenate([kept["value"], v], axis=2)
    kept.update(key=k, value=v)
    attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: time_axis_second
# says: Your cache is (B, t, H, K). The docstring asks for (B, H, t, K), the form in which heads attend.
# self-check: should be
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), 1, num_heads, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=1), np.concatenate([cache["value"], v], axis=1)
    attention = given_softmax(np.einsum("bihk,bthk->bhit", q, k) / np.sqrt(k.shape[-1]))
    merged = np.einsum("bhit,bthk->bihk", attention, v).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: softmax_over_heads
# says: Your softmax runs over the heads instead of the positions.
# self-check: first step
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])
    attention = given_softmax(scores.swapaxes(1, 3)).swapaxes(1, 3)
    return (attention @ v).reshape(x.shape) @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% wrong: largest_absolute_score
# says: You subtract the largest absolute score. Where all scores are far below 0, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score.
def step_with_cache(x, weights, num_heads, cache=None):
    def heads(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(len(x), num_heads, 1, -1)

    q, k, v = heads("q"), heads("k"), heads("v")
    if cache is not None:
        k = np.concatenate([cache["key"], k], axis=2)
        v = np.concatenate([cache["value"], v], axis=2)
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1])
    e = np.exp(scores - np.abs(scores).max(axis=-1, keepdims=True))
    attention = e / e.sum(axis=-1, keepdims=True)
    merged = (attention @ v).reshape(x.shape)
    return merged @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}

# %% right: head_by_head
# why: loops over sequences and heads
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    K = D // num_heads
    q, k, v = ((x @ weights["w_" + n] + weights["b_" + n]).reshape(B, num_heads, K) for n in "qkv")
    t = 0 if cache is None else cache["key"].shape[2]
    keys, values = np.zeros((2, B, num_heads, t + 1, K), dtype=x.dtype)
    merged = np.zeros((B, D), dtype=x.dtype)
    for b in range(B):
        for h in range(num_heads):
            if t:
                keys[b, h, :t], values[b, h, :t] = cache["key"][b, h], cache["value"][b, h]
            keys[b, h, t], values[b, h, t] = k[b, h], v[b, h]
            e = keys[b, h] @ q[b, h] / K**0.5
            e = np.exp(e - e.max())
            merged[b, h * K : (h + 1) * K] = e / e.sum() @ values[b, h]
    return merged @ weights["w_o"] + weights["b_o"], {"key": keys, "value": values}

# %% right: einsum
# why: axes by name
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    parts = {n: np.einsum("bd,de->be", x, weights["w_" + n]) + weights["b_" + n] for n in "qkv"}
    q, k, v = (parts[n].reshape(B, num_heads, D // num_heads) for n in "qkv")
    old = cache or {"key": np.zeros((B, num_heads, 0, D // num_heads)), "value": np.zeros((B, num_heads, 0, D // num_heads))}
    new = {"key": np.append(old["key"], k[:, :, None], axis=2), "value": np.append(old["value"], v[:, :, None], axis=2)}
    attention = given_softmax(np.einsum("bhk,bhtk->bht", q, new["key"]) * (D // num_heads) ** -0.5)
    merged = np.einsum("bht,bhtk->bhk", attention, new["value"]).reshape(B, D)
    return np.einsum("bd,de->be", merged, weights["w_o"]) + weights["b_o"], new

# %% right: keras_ops
# why: the same steps as tensors, and tensors in the cache
def step_with_cache(x, weights, num_heads, cache=None):
    ops, (B, D) = keras.ops, x.shape
    q, k, v = (
        ops.reshape(ops.matmul(x, weights["w_" + n]) + weights["b_" + n], (B, num_heads, 1, D // num_heads)) for n in "qkv"
    )
    if cache is not None:
        k = ops.concatenate([ops.cast(cache["key"], k.dtype), k], axis=2)
        v = ops.concatenate([ops.cast(cache["value"], v.dtype), v], axis=2)
    scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / (D // num_heads) ** 0.5
    merged = ops.reshape(ops.matmul(ops.softmax(scores), v), (B, D))
    output = ops.matmul(merged, ops.cast(weights["w_o"], merged.dtype)) + ops.cast(weights["b_o"], merged.dtype)
    return ops.convert_to_numpy(output), {"key": ops.convert_to_numpy(k), "value": ops.convert_to_numpy(v)}

# %% equivalent
# because: exchanging two axes is the same whichever is named first
# was: attention = given_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(k.shape[-1]))
# now: attention = given_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1]))

# %% equivalent
# because: NumPy takes any negative size for the one to be worked out
# was: return (x @ weights['w_' + name] + weights['b_' + name]).reshape(len(x), num_heads, 1, -1)
# now: return (x @ weights['w_' + name] + weights['b_' + name]).reshape(len(x), num_heads, 1, -2)
