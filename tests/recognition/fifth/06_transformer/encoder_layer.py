# %% wrong: post_norm_ffn_reads_the_unnormalised_sum
# says: In the post-norm layer the feed-forward gets the sum of x and the attention before it is normalised; it must get the output of the first norm. The pre-norm layer is right.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    n1, n2, ffn, att = weights["norm1"], weights["norm2"], weights["ffn"], weights["attention"]
    if norm_first:
        h = given_layer_norm(x, **n1)
        x = x + given_multi_head_attention(h, h, h, att, num_heads, mask)[0]
        return x + given_feed_forward(given_layer_norm(x, **n2), **ffn)
    summed = x + given_multi_head_attention(x, x, x, att, num_heads, mask)[0]
    normed = given_layer_norm(summed, **n1)
    return given_layer_norm(normed + given_feed_forward(summed, **ffn), **n2)


# %% wrong: mask_lost_in_pre_norm
# says: With norm_first=True the mask is not handed to the attention, so a pre-norm layer attends to masked positions as well.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def norm(a, which):
        return given_layer_norm(a, weights[which]["gamma"], weights[which]["beta"])

    def feed(a):
        p = weights["ffn"]
        return given_feed_forward(a, p["w1"], p["b1"], p["w2"], p["b2"])

    if norm_first:
        inner = norm(x, "norm1")
        attended, _ = given_multi_head_attention(inner, inner, inner, weights["attention"], num_heads)
        x = x + attended
        x = x + feed(norm(x, "norm2"))
    else:
        attended, _ = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)
        x = norm(x + attended, "norm1")
        x = norm(x + feed(x), "norm2")
    return x


# %% right: one_loop_with_before_and_after
# why: Both kinds share one loop over two sublayers; a norm before and a norm after are chosen, one of which is the identity. The residual always adds what came in.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    sublayers = [
        ("norm1", lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]),
        ("norm2", lambda a: given_feed_forward(a, **weights["ffn"])),
    ]
    for name, compute in sublayers:
        norm = lambda a: given_layer_norm(a, **weights[name])
        same = lambda a: a
        before, after = (norm, same) if norm_first else (same, norm)
        x = after(compute(before(x)) + x)
    return x
