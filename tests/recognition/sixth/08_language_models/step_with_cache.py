# %% wrong: callers_cache_changed
# says: Writes the longer keys and values into the dict that was passed in and returns that same dict, instead of making a new one.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape
    K = D // num_heads
    q, k, v = ((x @ weights["w_" + p] + weights["b_" + p]).reshape(B, num_heads, 1, K) for p in "qkv")
    if cache is None:
        cache = {"key": k, "value": v}
    else:
        cache["key"] = np.concatenate([cache["key"], k], axis=2)
        cache["value"] = np.concatenate([cache["value"], v], axis=2)
    scores = q @ np.swapaxes(cache["key"], 2, 3) / np.sqrt(K)
    mixed = given_softmax(scores) @ cache["value"]
    return mixed.reshape(B, D) @ weights["w_o"] + weights["b_o"], cache


# %% wrong: heads_interleaved
# says: Cuts the columns into heads in turn (head h gets the columns h, h + H, h + 2H, ...) instead of giving each head a block of K neighbouring columns.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape
    K = D // num_heads

    def split(name):
        y = x @ weights[f"w_{name}"] + weights[f"b_{name}"]
        return y.reshape(B, K, num_heads).transpose(0, 2, 1)[:, :, None, :]

    query, key, value = split("q"), split("k"), split("v")
    if cache is not None:
        key = np.concatenate([cache["key"], key], axis=2)
        value = np.concatenate([cache["value"], value], axis=2)
    a = given_softmax(np.einsum("bhqk,bhtk->bhqt", query, key) / np.sqrt(K))
    out = np.einsum("bhqt,bhtk->bqkh", a, value).reshape(B, D)
    return out @ weights["w_o"] + weights["b_o"], {"key": key, "value": value}


# %% right: head_by_head_slices
# why: Loops over the heads with slices of columns, scales the query instead of the scores, and adds up each head's share of the output through its rows of w_o.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    K = x.shape[1] // num_heads
    keys, values = [], []
    output = np.zeros(x.shape) + np.asarray(weights["b_o"])
    for h in range(num_heads):
        part = slice(h * K, (h + 1) * K)
        q, k, v = (x @ np.asarray(weights["w_" + n])[:, part] + np.asarray(weights["b_" + n])[part] for n in "qkv")
        k, v = k[:, None], v[:, None]
        if cache is not None:
            k = np.hstack([np.asarray(cache["key"])[:, h], k])
            v = np.hstack([np.asarray(cache["value"])[:, h], v])
        scores = np.sum((q / K ** 0.5)[:, None] * k, axis=-1)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = np.sum(e[..., None] * v, axis=1) / e.sum(axis=-1)[:, None]
        output = output + mixed @ np.asarray(weights["w_o"])[part]
        keys.append(k)
        values.append(v)
    return output, {"key": np.stack(keys, axis=1), "value": np.stack(values, axis=1)}
