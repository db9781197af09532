# %% wrong: pre_norm_at_end
# says: a norm at the end of the pre-norm layer
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
        return norm2(y + transform(norm2(y)))
    y = norm1(x + attend(x))
    return norm2(y + transform(y))


# %% wrong: post_no_residual_ffn
# says: post-norm without the residual around the feed-forward
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
    y = norm1(x + attend(x))
    return norm2(transform(y))


# %% wrong: mask_lost_pre
# says: the mask is lost in the pre-norm branch
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
        mask = None
        y = x + attend(norm1(x))
        return y + transform(norm2(y))
    y = norm1(x + attend(x))
    return norm2(y + transform(y))


# %% wrong: mask_lost
# says: the mask is not handed on
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def attend(a):
        return given_multi_head_attention(a, a, a, weights["attention"], num_heads)[0]

    def transform(a):
        return given_feed_forward(a, **weights["ffn"])

    def norm1(a):
        return given_layer_norm(a, **weights["norm1"])

    def norm2(a):
        return given_layer_norm(a, **weights["norm2"])

    if norm_first:
        y = x + attend(norm1(x))
        return y + transform(norm2(y))
    y = norm1(x + attend(x))
    return norm2(y + transform(y))


# %% right: way_2
# why: the given functions, with the norms chosen by the flag in one loop over two sublayers
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    sublayers = (
        ("norm1", lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]),
        ("norm2", lambda a: given_feed_forward(a, **weights["ffn"])),
    )
    for name, compute in sublayers:
        before = given_layer_norm(x, **weights[name]) if norm_first else x
        x = x + compute(before)
        if not norm_first:
            x = given_layer_norm(x, **weights[name])
    return x


# %% right: way_3
# why: Keras layers with the weights set, in double precision; a tensor
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    D = x.shape[-1]
    F = weights["ffn"]["w1"].shape[1]
    attention = keras.layers.MultiHeadAttention(num_heads, D // num_heads, dtype="float64")
    attention.build(x.shape, x.shape)
    names = ["w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o"]
    attention.set_weights([np.reshape(weights["attention"][n], w.shape) for n, w in zip(names, attention.weights)])
    hidden, back = keras.layers.Dense(F, "relu", dtype="float64"), keras.layers.Dense(D, dtype="float64")
    hidden.build((None, D)), back.build((None, F))
    hidden.set_weights([weights["ffn"]["w1"], weights["ffn"]["b1"]])
    back.set_weights([weights["ffn"]["w2"], weights["ffn"]["b2"]])
    norms = []
    for name in ("norm1", "norm2"):
        norm = keras.layers.LayerNormalization(epsilon=1e-5, dtype="float64")
        norm.build(x.shape)
        norm.set_weights([weights[name]["gamma"], weights[name]["beta"]])
        norms.append(norm)
    full = None if mask is None else np.broadcast_to(mask, (len(x), x.shape[1], x.shape[1]))

    def attend(a):
        return attention(a, a, attention_mask=full)

    x = keras.ops.convert_to_tensor(x, dtype="float64")
    if norm_first:
        x = x + attend(norms[0](x))
        return x + back(hidden(norms[1](x)))
    x = norms[0](x + attend(x))
    return norms[1](x + back(hidden(x)))
