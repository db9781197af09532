# %% wrong: target_mask_in_cross_attention
# says: You handed self_mask to cross-attention. There the keys are source positions: their mask is memory_mask.
# self-check: this mask is (3, 3), but 3 queries and 5 keys
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    c = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, self_mask)[0]
    x = given_layer_norm(x + c, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: query_and_value_swapped
# says: In cross-attention memory asks and the decoder answers. The query comes from the decoder; memory is value and key.
# self-check: shape
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    c = given_multi_head_attention(memory, x, x, weights["cross_attention"], num_heads)[0]
    x = given_layer_norm(memory + c, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: two_residuals
# says: The residual around cross-attention is missing: every sublayer has one.
# self-check: residual around cross-attention
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: self_mask_missing
# says: self_mask is not used: a word sees those that come after it.
# self-check: self_mask is not used
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: memory_mask_missing
# says: memory_mask is not used: padding of the source is attended to.
# self-check: memory_mask is not used
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: memory_not_used
# says: Your second attention reads the decoder again. Keys and values of cross-attention are the memory.
# self-check: memory is not used
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["cross_attention"], num_heads, self_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: cross_attention_first
# says: You attend to the memory first. Self-attention comes first.
# self-check: self-attention comes first
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: own_causal_mask
# says: Your layer makes its own causal mask. The caller passes the masks; None allows everything.
# self-check: adds a causal one
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    past = np.tri(x.shape[1], dtype=bool)
    self_mask = past if self_mask is None else self_mask & past
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: causal_where_a_mask_is_given
# says: You make every self mask causal. The caller does that where it is wanted: take self_mask as it comes.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if self_mask is not None:
        self_mask = self_mask & np.tri(x.shape[1], dtype=bool)
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: sees_itself_always
# says: You let each word attend to itself, whatever self_mask says. Take the mask as it comes.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if self_mask is not None:
        self_mask = self_mask | np.eye(x.shape[1], dtype=bool)
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: one_memory_mask_for_all_words
# says: You use one row of memory_mask for all target positions. With a mask (T, S) or (B, T, S) each has its own.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if memory_mask is not None:
        memory_mask = memory_mask[..., :1, :]
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: memory_allowed_for_one_is_for_all
# says: You allow a place of the memory to all target positions if one of them may attend to it. With a mask (T, S) or (B, T, S) each position has a row of its own.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if memory_mask is not None:
        memory_mask = memory_mask.any(axis=-2, keepdims=True)
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: residual_always_from_x
# says: Your residuals all carry the x that came into the layer. Each carries what came into its own sublayer.
# self-check: not the layer's x
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    z = given_layer_norm(x + given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(z + given_feed_forward(z, **weights["ffn"]), **weights["norm3"])

# %% wrong: asks_with_x
# says: Cross-attention asks with the layer's input. Its query is the result of the first norm.
# self-check: asks with x
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    z = given_layer_norm(y + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(z + given_feed_forward(z, **weights["ffn"]), **weights["norm3"])

# %% wrong: last_norm_missing
# says: The last sum is not normalised. Three sublayers, three norms.
# self-check: last norm is missing
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return x + given_feed_forward(x, **weights["ffn"])

# %% wrong: one_norm_for_all
# says: norm1 serves all three sublayers. Each has its own.
# self-check: has its own
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    x = given_layer_norm(x + given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm1"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm1"])

# %% wrong: masks_exchanged
# says: The two masks are swapped: self_mask belongs to self-attention, memory_mask to cross-attention.
# self-check: this mask is
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, memory_mask)[0], **weights["norm1"])
    c = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, self_mask)[0]
    x = given_layer_norm(x + c, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: pair_not_taken_apart
# says: given_multi_head_attention returns a pair. Take [0], the output.
# self-check: take [0]
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask), **weights["norm1"])
    c = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)
    x = given_layer_norm(x + c, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])

# %% wrong: masks_only_if_self_mask
# says: Without self_mask you ignore memory_mask too. Each of the two masks may be None on its own.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    attend = given_multi_head_attention
    own, cross = weights["self_attention"], weights["cross_attention"]
    if self_mask is None:
        a = attend(x, x, x, own, num_heads)[0]
        y = given_layer_norm(x + a, **weights["norm1"])
        c = attend(y, memory, memory, cross, num_heads)[0]
    else:
        a = attend(x, x, x, own, num_heads, self_mask)[0]
        y = given_layer_norm(x + a, **weights["norm1"])
        c = attend(y, memory, memory, cross, num_heads, memory_mask)[0]
    y = given_layer_norm(y + c, **weights["norm2"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm3"])

# %% wrong: memory_mask_also_self
# says: Without self_mask your self-attention takes memory_mask. None allows everything there.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if self_mask is None and memory_mask is not None and memory_mask.shape[-1] == x.shape[1]:
        self_mask = memory_mask
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    y = given_layer_norm(y + given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0], **weights["norm2"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm3"])

# %% wrong: empty_row_of_memory_adds_nothing
# says: A word that may attend to nothing in the memory gets 0 from your cross-attention. It gets b_o there, as from given_multi_head_attention.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    y = given_layer_norm(x + given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0], **weights["norm1"])
    c = given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    if memory_mask is not None:
        c = np.where(np.broadcast_to(memory_mask, (len(x), x.shape[1], memory.shape[1])).any(-1)[..., None], c, 0)
    y = given_layer_norm(y + c, **weights["norm2"])
    return given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm3"])

# %% right: with_a_loop
# why: the three sublayers in a list
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    parts = [
        lambda a: given_multi_head_attention(a, a, a, weights["self_attention"], num_heads, self_mask)[0],
        lambda a: given_multi_head_attention(a, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0],
        lambda a: given_feed_forward(a, **weights["ffn"]),
    ]
    for i, part in enumerate(parts):
        x = given_layer_norm(x + part(x), **weights[f"norm{i + 1}"])
    return x

# %% right: own_parts
# why: norm and feed-forward in plain numpy, arguments by name
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def close(a, norm):
        a = a - a.mean(-1, keepdims=True)
        return norm["gamma"] * a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) + norm["beta"]
    f = weights["ffn"]
    y = close(x + given_multi_head_attention(query=x, value=x, key=x, weights=weights["self_attention"], num_heads=num_heads, mask=self_mask)[0], weights["norm1"])
    y = close(y + given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, mask=memory_mask)[0], weights["norm2"])
    return close(y + np.maximum(y @ f["w1"] + f["b1"], 0) @ f["w2"] + f["b2"], weights["norm3"])

# %% right: sentence_by_sentence
# why: one sentence of the batch at a time
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def one(mask, b):
        return mask if mask is None or mask.ndim == 2 else mask[b : b + 1]
    rows = []
    for b in range(len(x)):
        y, m = x[b : b + 1], memory[b : b + 1]
        y = given_layer_norm(y + given_multi_head_attention(y, y, y, weights["self_attention"], num_heads, one(self_mask, b))[0], **weights["norm1"])
        y = given_layer_norm(y + given_multi_head_attention(y, m, m, weights["cross_attention"], num_heads, one(memory_mask, b))[0], **weights["norm2"])
        rows.append(given_layer_norm(y + given_feed_forward(y, **weights["ffn"]), **weights["norm3"]))
    return np.concatenate(rows)

# %% right: keras_layers_in_float32
# why: norms and feed-forward are Keras layers in single precision, as the lesson allows
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    D, F = weights["ffn"]["w1"].shape
    def norm(k):
        l = keras.layers.LayerNormalization(epsilon=1e-5); l.build((None, None, D)); l.set_weights([weights[k]["gamma"], weights[k]["beta"]]); return l
    up, down = keras.layers.Dense(F, activation="relu"), keras.layers.Dense(D)
    up.build((None, None, D)); down.build((None, None, F))
    up.set_weights([weights["ffn"]["w1"], weights["ffn"]["b1"]]); down.set_weights([weights["ffn"]["w2"], weights["ffn"]["b2"]])
    t = lambda a: keras.ops.convert_to_tensor(a, dtype="float32")
    x = norm("norm1")(t(x) + t(given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]))
    x = norm("norm2")(x + t(given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]))
    return norm("norm3")(x + down(up(x)))
