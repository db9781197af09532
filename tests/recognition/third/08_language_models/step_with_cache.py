# %% wrong: writes_into_the_cache
# says: The longer keys and values are stored in the dict that was handed in, so the caller's cache changes.
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    K = D // num_heads
    q, k, v = ((x @ weights["w_" + n] + weights["b_" + n]).reshape(B, num_heads, 1, K) for n in "qkv")
    if cache is None:
        cache = {"key": k, "value": v}
    else:
        cache["key"] = np.concatenate([cache["key"], k], axis=2)
        cache["value"] = np.concatenate([cache["value"], v], axis=2)
    p = given_softmax(q @ np.swapaxes(cache["key"], -2, -1) / np.sqrt(K))
    output = (p @ cache["value"]).reshape(B, D) @ weights["w_o"] + weights["b_o"]
    return output, cache


# %% wrong: does_not_see_itself
# says: From the second position on the query attends only to the keys of the cache, and its own key is appended after that.
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    K = D // num_heads
    q = (x @ weights["w_q"] + weights["b_q"]).reshape(B, num_heads, 1, K)
    k = (x @ weights["w_k"] + weights["b_k"]).reshape(B, num_heads, 1, K)
    v = (x @ weights["w_v"] + weights["b_v"]).reshape(B, num_heads, 1, K)
    keys, values = (k, v) if cache is None else (np.asarray(cache["key"]), np.asarray(cache["value"]))
    scores = q @ keys.transpose(0, 1, 3, 2) / K**0.5
    mixed = (given_softmax(scores) @ values).reshape(B, D)
    if cache is not None:
        keys, values = np.concatenate([keys, k], axis=2), np.concatenate([values, v], axis=2)
    return mixed @ weights["w_o"] + weights["b_o"], {"key": keys, "value": values}


# %% wrong: heads_interleaved
# says: The columns are dealt out to the heads in turn, so head h gets columns h, h + H and so on instead of a block.
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    K = D // num_heads

    def project(n):
        return (x @ weights["w_" + n] + weights["b_" + n]).reshape(B, K, num_heads).transpose(0, 2, 1)[:, :, None]

    q, k, v = project("q"), project("k"), project("v")
    if cache is not None:
        k, v = np.concatenate([cache["key"], k], axis=2), np.concatenate([cache["value"], v], axis=2)
    p = given_softmax(np.einsum("bhqk,bhtk->bhqt", q, k) / np.sqrt(K))
    out = np.einsum("bhqt,bhtk->bqkh", p, v).reshape(B, D)
    return out @ weights["w_o"] + weights["b_o"], {"key": k, "value": v}


# %% right: way_1
# why: one pass over the positions with a running maximum and a running sum, no softmax call
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape
    H, K = int(num_heads), D // int(num_heads)
    q, k, v = (np.reshape(x @ np.asarray(weights[f"w_{n}"]) + np.asarray(weights[f"b_{n}"]), (B, H, K)) for n in "qkv")
    keys, values = k[:, :, None].copy(), v[:, :, None].copy()
    if cache is not None:
        keys = np.append(np.asarray(cache["key"]), keys, axis=2)
        values = np.append(np.asarray(cache["value"]), values, axis=2)
    highest = np.full((B, H, 1), -np.inf)
    norm, mixed = np.zeros((B, H, 1)), np.zeros((B, H, K))
    for t in range(keys.shape[2]):
        score = (q * keys[:, :, t]).sum(axis=-1, keepdims=True) / K**0.5
        higher = np.maximum(highest, score)
        old, new = np.exp(highest - higher), np.exp(score - higher)
        norm, mixed, highest = norm * old + new, mixed * old + new * values[:, :, t], higher
    output = (mixed / norm).reshape(B, D) @ np.asarray(weights["w_o"]) + np.asarray(weights["b_o"])
    return output, {"key": keys, "value": values}
