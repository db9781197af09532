# %% wrong: norm_of_sublayer
# says: normalises what the sublayer gives and not the sum
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]

    def transform(a):
        return given_feed_forward(a, **weights["ffn"])

    def norm1(a):
        return given_layer_norm(a, **weights["norm1"])

    def norm2(a):
        return given_layer_norm(a, **weights["norm2"])

    if norm_first:
        y = x + attend(norm1(x))
        return y + transform(norm2(y))
    y = x + norm1(attend(x))
    return y + norm2(transform(y))


# %% wrong: post_no_residual_attention
# says: post-norm without the residual around the attention
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]

    def transform(a):
        return given_feed_forward(a, **weights["ffn"])

    def norm1(a):
        return given_layer_norm(a, **weights["norm1"])

    def norm2(a):
        return given_layer_norm(a, **weights["norm2"])

    if norm_first:
        y = x + attend(norm1(x))
        return y + transform(norm2(y))
    y = norm1(attend(x))
    return norm2(y + transform(y))


# %% wrong: feed_forward_first
# says: feed-forward first, then attention
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]

    def transform(a):
        return given_feed_forward(a, **weights["ffn"])

    def norm1(a):
        return given_layer_norm(a, **weights["norm1"])

    def norm2(a):
        return given_layer_norm(a, **weights["norm2"])

    if norm_first:
        y = x + attend(norm1(x))
        return y + transform(norm2(y))
    y = norm2(x + transform(x))
    return norm1(y + attend(y))


# %% wrong: pre_ffn_not_normalised
# says: the feed-forward of a pre-norm layer reads the sum as it is
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]

    def transform(a):
        return given_feed_forward(a, **weights["ffn"])

    def norm1(a):
        return given_layer_norm(a, **weights["norm1"])

    def norm2(a):
        return given_layer_norm(a, **weights["norm2"])

    if norm_first:
        y = x + attend(norm1(x))
        return y + transform(y)
    y = norm1(x + attend(x))
    return norm2(y + transform(y))


# %% right: way_1
# why: loops: one sentence at a time, attention and norms written out without the given functions
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    B, T, D = x.shape
    K = D // num_heads
    w, ffn = weights["attention"], weights["ffn"]
    allowed = np.broadcast_to(True if mask is None else mask, (B, T, T))

    def norm(name, rows):
        result = []
        for row in rows:
            spread = np.sqrt(((row - row.mean()) ** 2).mean() + 1e-5)
            result.append(weights[name]["gamma"] * (row - row.mean()) / spread + weights[name]["beta"])
        return np.array(result)

    def attend(rows, b):
        q, k, v = (rows @ w["w_" + n] + w["b_" + n] for n in "qkv")
        merged = np.zeros((T, D))
        for h in range(num_heads):
            part = slice(h * K, (h + 1) * K)
            for t in range(T):
                seen = np.flatnonzero(allowed[b, t])
                if len(seen):
                    scores = k[seen, part] @ q[t, part] / K**0.5
                    shares = np.exp(scores - scores.max())
                    merged[t, part] = shares / shares.sum() @ v[seen, part]
        return merged @ w["w_o"] + w["b_o"]

    def transform(rows):
        return np.array([np.maximum(row @ ffn["w1"] + ffn["b1"], 0) @ ffn["w2"] + ffn["b2"] for row in rows])

    result = []
    for b in range(B):
        rows = x[b]
        if norm_first:
            rows = rows + attend(norm("norm1", rows), b)
            rows = rows + transform(norm("norm2", rows))
        else:
            rows = norm("norm1", rows + attend(rows, b))
            rows = norm("norm2", rows + transform(rows))
        result.append(rows)
    return np.stack(result)
