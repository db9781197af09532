# %% wrong: scaled_by_the_width
# says: divides the scores by the root of D instead of the root of K, the width of a head
def step_with_cache(x, weights, num_heads, cache=None):
    batch, width = x.shape
    size = width // num_heads

    def project(name):
        return (x @ weights["w_" + name] + weights["b_" + name]).reshape(batch, num_heads, 1, size)

    query, key, value = project("q"), project("k"), project("v")
    if cache is not None:
        key = np.concatenate([cache["key"], key], axis=2)
        value = np.concatenate([cache["value"], value], axis=2)
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width)
    mixed = given_softmax(scores) @ value
    output = mixed.reshape(batch, width) @ weights["w_o"] + weights["b_o"]
    return output, {"key": key, "value": value}


# %% wrong: same_dict_again
# says: puts the longer keys and values into the dict that it was given and returns that one
def step_with_cache(x, weights, num_heads, cache=None):
    b, d = x.shape
    k = d // num_heads
    q, key, value = (
        (x @ weights[f"w_{c}"] + weights[f"b_{c}"]).reshape(b, num_heads, 1, k) for c in "qkv"
    )
    if cache is None:
        cache = {"key": key, "value": value}
    else:
        cache["key"] = np.concatenate([cache["key"], key], axis=2)
        cache["value"] = np.concatenate([cache["value"], value], axis=2)
    p = given_softmax(np.einsum("bhqk,bhtk->bhqt", q, cache["key"]) / k**0.5)
    heads = np.einsum("bhqt,bhtk->bqhk", p, cache["value"]).reshape(b, d)
    return heads @ weights["w_o"] + weights["b_o"], cache


# %% wrong: newest_first
# says: puts the new position in front of the old ones in the cache
def step_with_cache(x, weights, num_heads, cache=None):
    b, d = x.shape
    k = d // num_heads
    q = (x @ weights["w_q"] + weights["b_q"]).reshape(b, num_heads, 1, k)
    key = (x @ weights["w_k"] + weights["b_k"]).reshape(b, num_heads, 1, k)
    value = (x @ weights["w_v"] + weights["b_v"]).reshape(b, num_heads, 1, k)
    if cache is not None:
        key = np.concatenate([key, cache["key"]], axis=2)
        value = np.concatenate([value, cache["value"]], axis=2)
    scores = (q * key).sum(axis=-1) / np.sqrt(k)
    p = given_softmax(scores)
    context = (p[..., None] * value).sum(axis=2)
    return context.reshape(b, d) @ weights["w_o"] + weights["b_o"], {"key": key, "value": value}


# %% wrong: exponentials_as_they_are
# says: takes the exponentials of the scores as they are, so large scores give nan
def step_with_cache(x, weights, num_heads, cache=None):
    b, d = x.shape
    k = d // num_heads

    def split(a):
        return a.reshape(b, num_heads, 1, k)

    q = split(x @ weights["w_q"] + weights["b_q"])
    key = split(x @ weights["w_k"] + weights["b_k"])
    value = split(x @ weights["w_v"] + weights["b_v"])
    if cache is not None:
        key = np.concatenate((cache["key"], key), axis=2)
        value = np.concatenate((cache["value"], value), axis=2)
    e = np.exp(q @ np.swapaxes(key, -1, -2) / np.sqrt(k))
    p = e / e.sum(axis=-1, keepdims=True)
    out = (p @ value).reshape(b, d) @ weights["w_o"] + weights["b_o"]
    return out, {"key": key, "value": value}


# %% wrong: every_hth_column
# says: gives head h every H-th column instead of K neighbouring ones
def step_with_cache(x, weights, num_heads, cache=None):
    batch, width = x.shape
    size = width // num_heads

    def heads(name):
        a = x @ weights["w_" + name] + weights["b_" + name]
        return a.reshape(batch, size, num_heads).transpose(0, 2, 1)[:, :, np.newaxis]

    query, key, value = heads("q"), heads("k"), heads("v")
    if cache is not None:
        key = np.concatenate([cache["key"], key], axis=2)
        value = np.concatenate([cache["value"], value], axis=2)
    p = given_softmax(query @ key.swapaxes(2, 3) / np.sqrt(size))
    mixed = (p @ value)[:, :, 0].transpose(0, 2, 1).reshape(batch, width)
    return mixed @ weights["w_o"] + weights["b_o"], {"key": key, "value": value}


# %% right: way_1
# why: loops over sequences and heads, cuts the columns of a head out of each matrix, fills new arrays
def step_with_cache(x, weights, num_heads, cache=None):
    batch, width = np.shape(x)
    size = width // num_heads
    old = 0 if cache is None else np.shape(cache["key"])[2]
    keys = np.zeros((batch, num_heads, old + 1, size))
    values = np.zeros((batch, num_heads, old + 1, size))
    if old:
        keys[:, :, :old] = cache["key"]
        values[:, :, :old] = cache["value"]
    output = np.tile(np.asarray(weights["b_o"], dtype=float), (batch, 1))
    for i in range(batch):
        for h in range(num_heads):
            part = slice(h * size, (h + 1) * size)
            query = x[i] @ weights["w_q"][:, part] + weights["b_q"][part]
            keys[i, h, old] = x[i] @ weights["w_k"][:, part] + weights["b_k"][part]
            values[i, h, old] = x[i] @ weights["w_v"][:, part] + weights["b_v"][part]
            scores = keys[i, h] @ query / size**0.5
            p = np.exp(scores - max(scores))
            output[i] += (p / p.sum()) @ values[i, h] @ weights["w_o"][part]
    return output, dict(key=keys, value=values)


# %% right: way_2
# why: keras.ops in single precision with einsum over matrices cut into heads; the output and the cache are tensors
def step_with_cache(x, weights, num_heads, cache=None):
    ops = keras.ops
    x = ops.cast(x, "float32")
    width = x.shape[1]
    size = width // num_heads
    w = {name: ops.cast(array, "float32") for name, array in weights.items()}

    def heads(c):
        matrix = ops.reshape(w["w_" + c], (width, num_heads, size))
        return ops.einsum("bd,dhk->bhk", x, matrix) + ops.reshape(w["b_" + c], (num_heads, size))

    query = heads("q") / size**0.5
    new = {"key": ops.expand_dims(heads("k"), 2), "value": ops.expand_dims(heads("v"), 2)}
    if cache is not None:
        new = {name: ops.concatenate([ops.cast(cache[name], "float32"), new[name]], axis=2) for name in new}
    p = ops.softmax(ops.einsum("bhk,bhtk->bht", query, new["key"]), axis=-1)
    context = ops.einsum("bht,bhtk->bhk", p, new["value"])
    output = ops.einsum("bhk,hkd->bd", context, ops.reshape(w["w_o"], (num_heads, size, width))) + w["b_o"]
    return output, new
