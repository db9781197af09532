# %% wrong: no_residual_of_attention
# says: The attention's result replaces x. Add it to what came in.
# self-check: residual of the attention
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    a = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0]
    y = given_layer_norm(a, **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: no_residual_of_ffn
# says: The feed-forward's result replaces what came in. Add it.
# self-check: residual of the feed-forward
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: norm_of_the_sublayer_only
# says: You normalise what the sublayer computes and add it to x. Post-norm normalises the sum.
# self-check: normalise the sum
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        n = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads, mask)[0]
        return y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
    y = x + given_layer_norm(given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return y + given_layer_norm(given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: residual_from_the_normalised
# says: In pre-norm your residual carries the normalised value. It carries what came in, untouched.
# self-check: carries the normalised value
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        if norm_first:
            n = given_layer_norm(x, **weights[norm])
            return n + f(n)
        return given_layer_norm(x + f(x), **weights[norm])
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "norm1")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm2")

# %% wrong: norm_first_ignored
# says: norm_first has no influence on your layer.
# self-check: ignored
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: norm_at_the_end_of_pre_norm
# says: Your pre-norm layer normalises its result. Pre-norm adds no norm at the end of a layer.
# self-check: norm at the end
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        n = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads, mask)[0]
        y = y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
        return given_layer_norm(y, **weights["norm2"])
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: only_the_query_normalised
# says: In your pre-norm layer only the query is normalised. Query, value and key are the same normalised array.
# self-check: only the query
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        y = x + given_multi_head_attention(given_layer_norm(x, **weights["norm1"]), x, x, weights["attention"], num_heads, mask)[0]
        return y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: norms_exchanged
# says: norm1 and norm2 are swapped.
# self-check: swapped
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        return x + f(given_layer_norm(x, **weights[norm])) if norm_first else given_layer_norm(x + f(x), **weights[norm])
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "norm2")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm1")

# %% wrong: one_norm_twice
# says: norm1 serves both sublayers. The second has a norm of its own.
# self-check: norm1 is used twice
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        return x + f(given_layer_norm(x, **weights[norm])) if norm_first else given_layer_norm(x + f(x), **weights[norm])
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "norm1")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm1")

# %% wrong: mask_missing
# says: The mask was not handed on: padding is attended to.
# self-check: mask has no influence
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        return x + f(given_layer_norm(x, **weights[norm])) if norm_first else given_layer_norm(x + f(x), **weights[norm])
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads)[0], "norm1")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm2")

# %% wrong: mask_inverted
# says: Your mask is inverted: True means that a position may be attended to.
# self-check: inverted
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        return x + f(given_layer_norm(x, **weights[norm])) if norm_first else given_layer_norm(x + f(x), **weights[norm])
    mask = None if mask is None else ~mask
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "norm1")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm2")

# %% wrong: second_residual_from_x
# says: Your second residual carries the layer's x. Each residual carries what came into its own sublayer.
# self-check: not x
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(x + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: returns_the_weights_too
# says: You returned the attention weights as well. The contract asks for the array only.
# self-check: leave the attention weights out
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    a, attention = given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)
    y = given_layer_norm(x + a, **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"]), attention

# %% wrong: mask_missing_in_pre_norm
# says: With norm_first=True the mask has no influence on your layer.
# self-check: pre-norm: what the mask forbids
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        n = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads)[0]
        return y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: sees_itself_always
# says: You let each position attend to itself, whatever the mask says. Hand the mask on as it comes.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def sub(x, f, norm):
        return x + f(given_layer_norm(x, **weights[norm])) if norm_first else given_layer_norm(x + f(x), **weights[norm])
    if mask is not None:
        mask = mask | np.eye(x.shape[1], dtype=bool)
    y = sub(x, lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "norm1")
    return sub(y, lambda a: given_feed_forward(a, **weights["ffn"]), "norm2")

# %% wrong: pair_not_taken_apart
# says: given_multi_head_attention returns a pair. Take [0], the output.
# self-check: take [0]
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask), **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% wrong: empty_row_adds_nothing
# says: A position that may attend to nothing gets 0 from your attention. It gets b_o there, as from given_multi_head_attention.
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def att(a):
        o = given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]
        if mask is not None:
            o = np.where(np.broadcast_to(mask, (len(x), x.shape[1], x.shape[1])).any(-1)[..., None], o, 0)
        return o
    if norm_first:
        x = x + att(given_layer_norm(x, **weights["norm1"]))
        return x + given_feed_forward(given_layer_norm(x, **weights["norm2"]), **weights["ffn"])
    x = given_layer_norm(x + att(x), **weights["norm1"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm2"])

# %% right: written_out
# why: four lines for each kind, no inner functions
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    if norm_first:
        n = given_layer_norm(x, **weights["norm1"])
        y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads, mask)[0]
        return y + given_feed_forward(given_layer_norm(y, **weights["norm2"]), **weights["ffn"])
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["attention"], num_heads, mask)[0], **weights["norm1"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm2"])

# %% right: own_parts
# why: norm and feed-forward in plain numpy
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    def norm(a, gamma, beta):
        return gamma * (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5) + beta
    def ffn(a, w1, b1, w2, b2):
        return np.maximum(a @ w1 + b1, 0) @ w2 + b2
    n = norm(x, **weights["norm1"]) if norm_first else x
    y = x + given_multi_head_attention(n, n, n, weights["attention"], num_heads, mask)[0]
    y = y if norm_first else norm(y, **weights["norm1"])
    z = y + ffn(norm(y, **weights["norm2"]) if norm_first else y, **weights["ffn"])
    return z if norm_first else norm(z, **weights["norm2"])

# %% right: in_float32
# why: the result in float32 is precise enough for float32 inputs; float64 stays
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    parts = [("norm1", lambda a: given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0]),
             ("norm2", lambda a: given_feed_forward(a, *(weights["ffn"][k] for k in ("w1", "b1", "w2", "b2"))))]
    y = x
    for name, part in parts:
        norm = weights[name]
        if norm_first:
            y = y + part(given_layer_norm(y, norm["gamma"], norm["beta"]))
        else:
            y = given_layer_norm(y + part(y), norm["gamma"], norm["beta"])
    return y.astype(x.dtype)

# %% right: keras_layers_in_float32
# why: norms and feed-forward are Keras layers in single precision, as the lesson allows
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    D, F = weights["ffn"]["w1"].shape
    norm = {k: keras.layers.LayerNormalization(epsilon=1e-5) for k in ("norm1", "norm2")}
    for k, l in norm.items():
        l.build((None, None, D)); l.set_weights([weights[k]["gamma"], weights[k]["beta"]])
    up, down = keras.layers.Dense(F, activation="relu"), keras.layers.Dense(D)
    up.build((None, None, D)); down.build((None, None, F))
    up.set_weights([weights["ffn"]["w1"], weights["ffn"]["b1"]]); down.set_weights([weights["ffn"]["w2"], weights["ffn"]["b2"]])
    x = keras.ops.convert_to_tensor(x, dtype="float32")
    def att(a): return keras.ops.convert_to_tensor(given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], dtype="float32")
    if norm_first:
        x = x + att(norm["norm1"](x))
        return x + down(up(norm["norm2"](x)))
    x = norm["norm1"](x + att(x))
    return norm["norm2"](x + down(up(x)))

# %% right: earlier_answers_in_float32
# why: the parts are those of 6.1 and 6.2, written with keras.ops in single precision
def layer_norm(x, gamma, beta, epsilon=1e-5):
    return keras.ops.layer_normalization(keras.ops.cast(x, "float32"), gamma=keras.ops.cast(gamma, "float32"), beta=keras.ops.cast(beta, "float32"), epsilon=epsilon)
def feed_forward(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (keras.ops.cast(a, "float32") for a in (x, w1, b1, w2, b2))
    return keras.ops.matmul(keras.ops.relu(keras.ops.matmul(x, w1) + b1), w2) + b2
def encoder_layer(x, weights, num_heads, mask=None, norm_first=False):
    x = keras.ops.cast(x, "float32")
    def attention(a):
        return keras.ops.cast(given_multi_head_attention(a, a, a, weights["attention"], num_heads, mask)[0], "float32")
    if norm_first:
        x = x + attention(layer_norm(x, **weights["norm1"]))
        return x + feed_forward(layer_norm(x, **weights["norm2"]), **weights["ffn"])
    x = layer_norm(x + attention(x), **weights["norm1"])
    return layer_norm(x + feed_forward(x, **weights["ffn"]), **weights["norm2"])
