# %% wrong: pre_norm_without_mask
# says: The pre-norm branch does not hand the mask to the attention, so with norm_first=True masked positions are attended to.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    x = np.asarray(x)
    if norm_first:
        n = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads)[0]
        n = given_layer_norm(y, **weights["norm2"])
        return y + given_feed_forward(n, **weights["ffn"])
    a = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0]
    y = given_layer_norm(x + a, **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])


# %% wrong: second_residual_from_x
# says: In post-norm the residual of the feed-forward adds the layer's input x instead of y, which came into the feed-forward.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    x = np.asarray(x)
    if not norm_first:
        attended = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0]
        y = given_layer_norm(x + attended, **weights["norm1"])
        z = given_layer_norm(x + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])
    else:
        normed = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(normed, normed, normed, weights["attention"], num_heads, mask)[0]
        z = y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
    return z


# %% right: loop_with_two_switchable_norms
# why: One loop over the two sublayers, with a norm at the entrance and one at the exit, of which one is always the identity.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]

    def think(a):
        f = weights["ffn"]
        return given_feed_forward(a, f["w1"], f["b1"], f["w2"], f["b2"])

    stream = np.array(x)
    for sublayer, name in ((attend, "norm1"), (think, "norm2")):
        def norm(a, p=weights[name]):
            return given_layer_norm(a, p["gamma"], p["beta"])

        def same(a):
            return a

        entrance, leaving = (norm, same) if norm_first else (same, norm)
        stream = leaving(stream + sublayer(entrance(stream)))
    return stream
