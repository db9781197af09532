# %% wrong: cross_first
# says: cross-attention before self-attention
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    crossed = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    y = norm("norm1", x + crossed)
    attended = given_multi_head_attention(y, y, y, weights["self_attention"], num_heads, self_mask)[0]
    z = norm("norm2", y + attended)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: weights_exchanged
# says: the weights of the two attentions exchanged
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["cross_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, memory, memory, weights["self_attention"], num_heads, memory_mask)[0]
    z = norm("norm2", y + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: norm1_everywhere
# says: norm1 serves everywhere
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights["norm1"])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    z = norm("norm2", y + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: memory_cut
# says: cuts the memory to the length of the target
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, memory[:, : x.shape[1]], memory[:, : x.shape[1]], weights["cross_attention"], num_heads, None if memory_mask is None else memory_mask[..., : x.shape[1]])[0]
    z = norm("norm2", y + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% right: way_2
# why: the given functions, all arguments by name, in one loop over the three sublayers
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def sublayers():
        yield lambda a: given_multi_head_attention(
            query=a, value=a, key=a, weights=weights["self_attention"], num_heads=num_heads, mask=self_mask)[0]
        yield lambda a: given_multi_head_attention(
            query=a, value=memory, key=memory, weights=weights["cross_attention"], num_heads=num_heads,
            mask=memory_mask)[0]
        yield lambda a: given_feed_forward(a, **weights["ffn"])

    for number, compute in enumerate(sublayers(), start=1):
        x = given_layer_norm(np.add(x, compute(x)), **weights[f"norm{number}"])
    return x


# %% right: way_1
# why: loops over sentences, heads and words, nothing given used
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    B, T, D = x.shape
    K = D // num_heads

    def norm(name, rows):
        return np.array([
            weights[name]["gamma"] * (r - r.mean()) / np.sqrt(r.var() + 1e-5) + weights[name]["beta"] for r in rows
        ])

    def attend(name, rows, others, allowed):
        w = weights[name]
        q, k, v = rows @ w["w_q"] + w["b_q"], others @ w["w_k"] + w["b_k"], others @ w["w_v"] + w["b_v"]
        merged = np.zeros((len(rows), D))
        for h in range(num_heads):
            part = slice(h * K, (h + 1) * K)
            for t in range(len(rows)):
                seen = [s for s in range(len(others)) if allowed[t, s]]
                if seen:
                    scores = np.array([q[t, part] @ k[s, part] for s in seen]) / np.sqrt(K)
                    shares = np.exp(scores - max(scores))
                    merged[t, part] = sum(a * v[s, part] for a, s in zip(shares / sum(shares), seen))
        return merged @ w["w_o"] + w["b_o"]

    own = np.broadcast_to(True if self_mask is None else self_mask, (B, T, T))
    other = np.broadcast_to(True if memory_mask is None else memory_mask, (B, T, memory.shape[1]))
    result, ffn = [], weights["ffn"]
    for b in range(B):
        y = norm("norm1", x[b] + attend("self_attention", x[b], x[b], own[b]))
        z = norm("norm2", y + attend("cross_attention", y, memory[b], other[b]))
        result.append(norm("norm3", z + np.maximum(z @ ffn["w1"] + ffn["b1"], 0) @ ffn["w2"] + ffn["b2"]))
    return np.array(result)
