# %% wrong: own_causal_mask
# says: Makes a causal mask itself if the caller gives no `self_mask`.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if self_mask is None:
        T = x.shape[1]
        self_mask = np.tril(np.ones((T, T), dtype=bool))
    a, _ = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)
    x = given_layer_norm(x + a, **weights["norm1"])
    a, _ = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)
    x = given_layer_norm(x + a, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])


# %% wrong: cross_query_is_layer_input
# says: The query of the cross-attention is the input of the layer, not the result of the first sublayer (the residual is right).
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    a, _ = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)
    h1 = given_layer_norm(x + a, **weights["norm1"])
    c, _ = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)
    h2 = given_layer_norm(h1 + c, **weights["norm2"])
    return given_layer_norm(h2 + given_feed_forward(h2, **weights["ffn"]), **weights["norm3"])


# %% wrong: norm2_used_twice
# says: Uses norm2 again after the feed-forward (copied line), so norm3 has no influence.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    n1, n2, ffn = weights["norm1"], weights["norm2"], weights["ffn"]
    a, _ = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)
    x = given_layer_norm(x + a, n1["gamma"], n1["beta"])
    a, _ = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)
    x = given_layer_norm(x + a, n2["gamma"], n2["beta"])
    f = given_feed_forward(x, ffn["w1"], ffn["b1"], ffn["w2"], ffn["b2"])
    return given_layer_norm(x + f, n2["gamma"], n2["beta"])


# %% right: way_1
# why: Works backwards by recursion: level 3 asks for the result of level 2, and so on; keyword arguments throughout.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def attention(name, query, source, mask):
        return given_multi_head_attention(
            query=query, value=source, key=source, weights=weights[name], num_heads=num_heads, mask=mask
        )[0]

    compute = {
        1: lambda z: attention("self_attention", z, z, self_mask),
        2: lambda z: attention("cross_attention", z, memory, memory_mask),
        3: lambda z: given_feed_forward(x=z, **weights["ffn"]),
    }

    def level(n):
        if n == 0:
            return x
        below = level(n - 1)
        return given_layer_norm(x=compute[n](below) + below, **weights[f"norm{n}"])

    return level(3)
