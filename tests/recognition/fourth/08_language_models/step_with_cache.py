# %% wrong: scaled_by_model_width
# says: The scores are divided by the square root of the model width D; it has to be the square root of the width K of one head.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape

    def project(name):
        y = x @ weights["w_" + name] + weights["b_" + name]
        return y.reshape(B, num_heads, 1, D // num_heads)

    q, k, v = project("q"), project("k"), project("v")
    if cache is not None:
        k = np.concatenate([cache["key"], k], axis=2)
        v = np.concatenate([cache["value"], v], axis=2)
    attention = given_softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-1]))
    out = (attention @ v).reshape(B, D) @ weights["w_o"] + weights["b_o"]
    return out, {"key": k, "value": v}


# %% wrong: writes_into_old_cache
# says: The longer keys and values are written into the dict that was given, and that dict is returned; a function must not change it but return a new dict.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape
    K = D // num_heads
    q = np.reshape(x @ weights["w_q"] + weights["b_q"], (B, num_heads, K))
    k = np.reshape(x @ weights["w_k"] + weights["b_k"], (B, num_heads, 1, K))
    v = np.reshape(x @ weights["w_v"] + weights["b_v"], (B, num_heads, 1, K))
    if cache is None:
        cache = {"key": k, "value": v}
    else:
        cache["key"] = np.concatenate((cache["key"], k), axis=2)
        cache["value"] = np.concatenate((cache["value"], v), axis=2)
    scores = np.einsum("bhk,bhtk->bht", q, cache["key"]) / K ** 0.5
    mixed = np.einsum("bht,bhtk->bhk", given_softmax(scores), cache["value"])
    output = mixed.reshape(B, D) @ weights["w_o"] + weights["b_o"]
    return output, cache


# %% wrong: interleaved_heads
# says: The heads take every H-th column instead of neighbouring ones; the columns of head h are h * K to (h + 1) * K.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x)
    B, D = x.shape
    keys = x @ weights["w_k"] + weights["b_k"]
    values = x @ weights["w_v"] + weights["b_v"]
    queries = x @ weights["w_q"] + weights["b_q"]
    heads = range(num_heads)
    new_key = np.stack([keys[:, h::num_heads] for h in heads], axis=1)[:, :, None]
    new_value = np.stack([values[:, h::num_heads] for h in heads], axis=1)[:, :, None]
    if cache is None:
        key, value = new_key, new_value
    else:
        key = np.append(cache["key"], new_key, axis=2)
        value = np.append(cache["value"], new_value, axis=2)
    mixed = np.zeros((B, D))
    for h in heads:
        q = queries[:, h::num_heads]
        scores = np.sum(q[:, None] * key[:, h], axis=-1) / np.sqrt(D // num_heads)
        p = given_softmax(scores)
        mixed[:, h::num_heads] = np.sum(p[..., None] * value[:, h], axis=1)
    return mixed @ weights["w_o"] + weights["b_o"], {"key": key, "value": value}


# %% right: way_1
# why: A running softmax: it goes through the positions once with a running maximum, sum and mixture, so it needs neither a softmax function nor all scores at once.
def step_with_cache(x, weights, num_heads, cache=None):
    x = np.asarray(x).astype("float64")
    B, D = x.shape
    H = int(num_heads)
    K = D // H
    w = {name: np.asarray(value).astype("float64") for name, value in weights.items()}
    q, k, v = ((x @ w["w_" + n] + w["b_" + n]).reshape(B, H, K) for n in "qkv")
    q = q / np.sqrt(K)
    past_k = np.zeros((B, H, 0, K)) if cache is None else np.asarray(cache["key"])
    past_v = np.zeros((B, H, 0, K)) if cache is None else np.asarray(cache["value"])
    all_k = np.concatenate([past_k, k[:, :, None]], axis=2)
    all_v = np.concatenate([past_v, v[:, :, None]], axis=2)
    top = (q * k).sum(-1, keepdims=True)
    mass, mix = np.ones((B, H, 1)), v.copy()
    for t in range(past_k.shape[2]):
        s = (q * all_k[:, :, t]).sum(-1, keepdims=True)
        higher = np.maximum(top, s)
        old, new = np.exp(top - higher), np.exp(s - higher)
        mass = mass * old + new
        mix = mix * old + new * all_v[:, :, t]
        top = higher
    return (mix / mass).reshape(B, D) @ w["w_o"] + w["b_o"], {"key": all_k, "value": all_v}
