# %% wrong: changes_the_cache_that_came_in
# says: The longer arrays are written into the dict that the caller passed and the same dict is returned; the cache that came in should stay as it is and a new dict be returned.
def step_with_cache(x, weights, num_heads, cache=None):
    B, D = x.shape
    K = D // num_heads

    def project(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(B, num_heads, 1, K)

    q, k, v = project("q"), project("k"), project("v")
    if cache is None:
        cache = {"key": k, "value": v}
    else:
        cache["key"] = np.concatenate([cache["key"], k], axis=2)
        cache["value"] = np.concatenate([cache["value"], v], axis=2)
    scores = q @ cache["key"].transpose(0, 1, 3, 2) / np.sqrt(K)
    mixed = given_softmax(scores) @ cache["value"]
    return mixed.reshape(B, D) @ weights["w_o"] + weights["b_o"], cache


# %% wrong: head_columns_interleaved
# says: Head h gets every num_heads-th column (h, h + H, ...) instead of the K neighbouring columns from h * K on, because the columns are reshaped to (K, H) instead of (H, K).
def step_with_cache(x, weights, num_heads, cache=None):
    batch, width = x.shape
    size = width // num_heads

    def split(a):
        return a.reshape(batch, 1, size, num_heads).transpose(0, 3, 1, 2)

    query = split(x @ weights["w_q"] + weights["b_q"])
    key = split(x @ weights["w_k"] + weights["b_k"])
    value = split(x @ weights["w_v"] + weights["b_v"])
    if cache is not None:
        key = np.concatenate([cache["key"], key], axis=2)
        value = np.concatenate([cache["value"], value], axis=2)
    attention = given_softmax(np.einsum("bhik,bhtk->bhit", query, key) / np.sqrt(size))
    heads = np.einsum("bhit,bhtk->bhik", attention, value)
    joined = heads.transpose(0, 2, 3, 1).reshape(batch, width)
    return joined @ weights["w_o"] + weights["b_o"], {"key": key, "value": value}
