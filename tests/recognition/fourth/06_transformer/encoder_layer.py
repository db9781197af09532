# %% wrong: pre_norm_keys_not_normalised
# says: In the pre-norm layer only the query is normalised; value and key are the raw input.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    n1, n2, ffn = weights["norm1"], weights["norm2"], weights["ffn"]
    if norm_first:
        y = given_layer_norm(x, n1["gamma"], n1["beta"])
        x = x + given_multi_head_attention(y, x, x, weights["attention"], num_heads, mask)[0]
        y = given_layer_norm(x, n2["gamma"], n2["beta"])
        return x + given_feed_forward(y, ffn["w1"], ffn["b1"], ffn["w2"], ffn["b2"])
    a, _ = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)
    x = given_layer_norm(x + a, n1["gamma"], n1["beta"])
    f = given_feed_forward(x, ffn["w1"], ffn["b1"], ffn["w2"], ffn["b2"])
    return given_layer_norm(x + f, n2["gamma"], n2["beta"])


# %% wrong: pre_norm_without_mask
# says: The pre-norm branch forgets to hand the mask to the attention.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        y = given_layer_norm(x, **weights["norm1"])
        a, _ = given_multi_head_attention(y, y, y, weights["attention"], num_heads)
        h = x + a
        return h + given_feed_forward(given_layer_norm(h, **weights["norm2"]), **weights["ffn"])
    a, _ = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)
    h = given_layer_norm(x + a, **weights["norm1"])
    return given_layer_norm(h + given_feed_forward(h, **weights["ffn"]), **weights["norm2"])


# %% wrong: post_norm_second_residual_from_x
# says: In the post-norm layer the residual of the feed-forward carries the layer's input x, not what came into the feed-forward.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        y = given_layer_norm(x, **weights["norm1"])
        h = x + given_multi_head_attention(y, y, y, weights["attention"], num_heads, mask)[0]
        return h + given_feed_forward(given_layer_norm(h, **weights["norm2"]), **weights["ffn"])
    a = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0]
    h = given_layer_norm(x + a, **weights["norm1"])
    return given_layer_norm(x + given_feed_forward(h, **weights["ffn"]), **weights["norm2"])


# %% right: way_1
# why: One loop serves both kinds: each norm is either the function before the sublayer or the one after the sum, the other one is the identity.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def same(z):
        return z

    def attend(z):
        return given_multi_head_attention(z, z, z, weights["attention"], num_heads, mask)[0]

    def think(z):
        return given_feed_forward(z, *(weights["ffn"][name] for name in ("w1", "b1", "w2", "b2")))

    for sublayer, name in zip((attend, think), ("norm1", "norm2")):

        def norm(z, p=weights[name]):
            return given_layer_norm(z, p["gamma"], p["beta"])

        before, after = (norm, same) if norm_first else (same, norm)
        x = after(sublayer(before(x)) + x)
    return x
