# %% wrong: key_dim_is_d_model
# says: key_dim is the width of one head, d_model // num_heads. Yours is the whole width.
# self-check: width of one head
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: no_causal_mask
# says: Your decoder sees words that are not written yet: its self-attention needs the causal mask.
# self-check: causal
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: causal_mask_in_cross_attention
# says: Your cross-attention is causal. The whole source is known from the start; only its padding is masked.
# self-check: whole source
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real, use_causal_mask=True), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: target_mask_in_cross_attention
# says: Your cross-attention is masked by the target's padding. Its keys are source positions: use the source's mask.
# self-check: runs
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=keras.ops.not_equal(target, 0)[:, None, :]), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: padding_attended
# says: Padding of the source is attended to. Mask it in encoder self-attention and in cross-attention.
# self-check: padding
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: first_word_taken_for_padding
# says: Your mask forbids id 1 of the source as well. Only id 0 is padding.
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.greater(source, 1)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: padding_in_the_encoder_only
# says: Encoder self-attention is masked, cross-attention is not: padding still has weight there.
# self-check: padding
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: embedding_not_scaled
# says: The embedding is not multiplied by the root of d_model.
# self-check: root of d_model
def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    words = keras.layers.Embedding(vocab_size, config["d_model"])(ids)
    return words + keras.ops.take(table, positions, axis=0)


# %% wrong: sum_scaled
# says: You scaled the sum of embedding and positions. The root of d_model belongs to the embedding only.
# self-check: root of d_model
def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    words = keras.layers.Embedding(vocab_size, config["d_model"])(ids) * config["d_model"] ** 0.5
    return (words / config["d_model"] ** 0.5 + keras.ops.take(table, positions, axis=0)) * config["d_model"] ** 0.5


# %% wrong: positions_along_the_batch
# says: Positions are counted along the batch: every word of a sentence gets the same. Count along axis 1.
# self-check: along the batch
def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=0) - 1
    words = keras.layers.Embedding(vocab_size, config["d_model"])(ids) * config["d_model"] ** 0.5
    return words + keras.ops.take(table, positions, axis=0)


# %% wrong: no_positions
# says: There are no positions: source and target are bags of words.
# self-check: positions are missing
def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    words = keras.layers.Embedding(vocab_size, config["d_model"])(ids) * config["d_model"] ** 0.5
    return words


# %% wrong: no_residual
# says: Sublayers replace what came in. Add it.
# self-check: residual
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(drop(compute(x)))


# %% wrong: norm_first_ignored
# says: norm_first has no influence on your model.
# self-check: norm_first changes nothing
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if False else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    return norm(x + drop(compute(x)))


# %% wrong: no_last_norm
# says: Your pre-norm model does not normalise at the end of encoder and decoder.
# self-check: one more norm
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if False else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: softmax_at_the_end
# says: Your model gives probabilities. Logits are asked for: leave the softmax out.
# self-check: softmax
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"], activation="softmax")(close[1](y)))


# %% wrong: one_attention_for_all_layers
# says: All layers share one attention. Each sublayer needs weights of its own: make the layers inside the loop.
# self-check: more than one place
def build_transformer(config):
    shared = keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])

    def attend(x, memory, **mask):
        return shared(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: encoder_left_out
# says: Cross-attention reads the embedded source. The encoder's result is not used.
# self-check: weights
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](embed_ids(source, config["source_vocab_size"], config))
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: encoder_layer_of_the_same_depth
# says: Each layer of your decoder reads the encoder layer of the same depth. All of them read the result of the last encoder layer.
# self-check: encoder layer of its own
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    memories = []
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
        memories.append(x)
    memories[-1] = close[0](memories[-1])
    for memory in memories:
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: no_relu
# says: The feed-forward has no ReLU: its two products are one linear map.
# self-check: ReLU
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"])(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: always_pre_norm
# says: Your sublayers are always pre-norm. With norm_first=False the sum is normalised.
# self-check: pre-norm all the same
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    return x + drop(compute(norm(x)))


# %% wrong: heads_and_key_dim_exchanged
# says: num_heads and key_dim are swapped: MultiHeadAttention takes the number of heads first.
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["d_model"] // config["num_heads"], config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: norm_of_what_is_computed
# says: You normalise what the sublayer computes and add that. Post-norm normalises the sum.
# self-check: normalise the sum
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return x + norm(drop(compute(x)))


# %% wrong: norm_first_ignored_in_sublayers
# says: Your sublayers are post-norm even with norm_first=True; only the norms at the end are there.
# self-check: norm_first is ignored in the sublayers
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    return norm(x + drop(compute(x)))


# %% wrong: residual_carries_the_normalised
# says: In your pre-norm sublayers the residual carries the normalised value. It carries what came in.
# self-check: residual carries
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        x = norm(x)
        return x + drop(compute(x))
    return norm(x + drop(compute(x)))


# %% wrong: norm_after_the_sublayer_in_pre_norm
# says: In your pre-norm sublayers the norm comes after the sublayer, not before it.
# self-check: norm is taken of what is computed
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + norm(drop(compute(x)))
    return norm(x + drop(compute(x)))


# %% wrong: keras_epsilon
# says: Your norms have Keras' default epsilon, 1e-3. Here it is 1e-5.
# self-check: epsilon
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization() if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-3), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% wrong: keras_epsilon_in_sublayers
# says: The norms of your sublayers have Keras' default epsilon, 1e-3. Here it is 1e-5.
# self-check: epsilon
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-3), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% wrong: keras_epsilon_at_the_end
# says: The norms at the end of your pre-norm model have Keras' default epsilon, 1e-3. Here it is 1e-5.
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization() if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% wrong: no_dropout
# says: There is no Dropout in your model.
# self-check: dropout
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + compute(norm(x))
    return norm(x + compute(x))


# %% wrong: dropout_after_the_norm
# says: Dropout comes after the norm. It belongs on what the sublayer computes, before that is added.
# self-check: dropout
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return drop(norm(x + compute(x)))


# %% wrong: dropout_of_the_sum
# says: Dropout falls on the sum, so it hits the residual as well. It belongs on what the sublayer computes.
# self-check: dropout
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return drop(x + compute(norm(x)))
    return norm(drop(x + compute(x)))


# %% wrong: dropout_of_the_input
# says: Dropout falls on what enters the sublayer. It belongs on what the sublayer computes.
# self-check: dropout
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + compute(drop(norm(x)))
    return norm(x + compute(drop(x)))


# %% wrong: dropout_of_attention_weights_only
# says: Your dropout is that of the attention weights. What each sublayer computes needs it.
# self-check: dropout
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"], dropout=config["dropout"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + compute(norm(x))
    return norm(x + compute(x))


# %% wrong: fixed_dropout
# says: Your dropout rate is fixed. Use the one of the config.
# self-check: dropout
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(0.1)
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% wrong: no_dropout_in_pre_norm
# says: With norm_first=True nothing is dropped.
def add_sublayer(x, compute, config):
    norm, drop = keras.layers.LayerNormalization(epsilon=1e-5), keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + compute(norm(x))
    return norm(x + drop(compute(x)))


# %% wrong: no_dropout_in_the_feed_forward
# says: What the feed-forward computes is not dropped.
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, {**config, "dropout": 0.0})
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, {**config, "dropout": 0.0})
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% right: written_as_one
# why: one function, no helpers, loops over both stacks
def build_transformer(config):
    width, heads, layers, ops = config["d_model"], config["num_heads"], keras.layers, keras.ops
    table = given_sinusoidal_encoding(config["max_length"], width)
    source, target = keras.Input((None,), dtype="int32", name="source"), keras.Input((None,), dtype="int32", name="target")
    pre = config["norm_first"]

    def embed(ids, size):
        place = ops.cumsum(ops.ones_like(ids), axis=-1) - 1
        return layers.Embedding(size, width)(ids) * ops.sqrt(float(width)) + ops.take(table, place, axis=0)

    def block(x, kind, memory, mask, causal):
        norm = layers.LayerNormalization(epsilon=1e-5)
        inner = norm(x) if pre else x
        if kind == "ffn":
            out = layers.Dense(width)(layers.Dense(config["d_ff"], activation="relu")(inner))
        else:
            other = inner if memory is None else memory
            out = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads)(inner, other, other, attention_mask=mask, use_causal_mask=causal)
        out = layers.Add()([x, layers.Dropout(config["dropout"])(out)])
        return out if pre else norm(out)

    mask = ops.expand_dims(ops.not_equal(source, 0), axis=1)
    x = embed(source, config["source_vocab_size"])
    for _ in range(config["num_layers"]):
        x = block(block(x, "attention", None, mask, False), "ffn", None, None, False)
    x = layers.LayerNormalization(epsilon=1e-5)(x) if pre else x
    y = embed(target, config["target_vocab_size"])
    for _ in range(config["num_layers"]):
        y = block(y, "attention", None, None, True)
        y = block(y, "attention", x, mask, False)
        y = block(y, "ffn", None, None, False)
    y = layers.LayerNormalization(epsilon=1e-5)(y) if pre else y
    return keras.Model([source, target], layers.Dense(config["target_vocab_size"])(y))


# %% right: layer_for_positions
# why: a small layer of its own adds the positions by slicing the table
class Positions(keras.layers.Layer):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def compute_output_shape(self, input_shape):
        return input_shape

    def call(self, x):
        return x + self.table[None, : keras.ops.shape(x)[1]]


def embed_ids(ids, vocab_size, config):
    x = keras.layers.Embedding(vocab_size, config["d_model"])(ids)
    return Positions(given_sinusoidal_encoding(config["max_length"], config["d_model"]))(x * config["d_model"] ** 0.5)


# %% right: target_padding_masked_too
# why: masking the target's padding as well changes no logits of real words
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True, attention_mask=keras.ops.not_equal(target, 0)[:, None, :]), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% right: full_mask
# why: the mask of the source is spelled out for each query
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    words = keras.ops.cast(keras.ops.not_equal(source, 0), "int32")
    real = words[:, None, :]
    real = keras.ops.cast(real, "bool")
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% right: dropout_of_attention_weights_too
# why: Keras' own dropout of the attention weights may stand beside the one that is asked for
def build_transformer(config):
    def attend(x, memory, **mask):
        return keras.layers.MultiHeadAttention(config["num_heads"], config["d_model"] // config["num_heads"], dropout=config["dropout"])(x, memory, **mask)

    def transform(x):
        return keras.layers.Dense(config["d_model"])(keras.layers.Dense(config["d_ff"], activation="relu")(x))

    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x, y = embed_ids(source, config["source_vocab_size"], config), embed_ids(target, config["target_vocab_size"], config)
    close = [keras.layers.LayerNormalization(epsilon=1e-5) if config["norm_first"] else (lambda a: a) for _ in range(2)]
    for _ in range(config["num_layers"]):
        x = add_sublayer(add_sublayer(x, lambda a: attend(a, a, attention_mask=real), config), transform, config)
    memory = close[0](x)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda a: attend(a, a, use_causal_mask=True), config)
        y = add_sublayer(add_sublayer(y, lambda a: attend(a, memory, attention_mask=real), config), transform, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(close[1](y)))


# %% right: one_dropout_layer
# why: a Dropout layer has no weights, so one may serve all sublayers; the sum is an Add layer
shared_dropout = {}


def add_sublayer(x, compute, config):
    drop = shared_dropout.setdefault(config["dropout"], keras.layers.Dropout(config["dropout"]))
    norm = keras.layers.LayerNormalization(axis=-1, epsilon=0.00001)
    out = keras.layers.Add()([drop(compute(norm(x) if config["norm_first"] else x)), x])
    return out if config["norm_first"] else norm(out)


# %% right: stages_side_by_side
# why: all layers are made first and called afterwards; the feed-forward is a Sequential
def build_transformer(config):
    L, D, layers = config["num_layers"], config["d_model"], keras.layers
    pre = config["norm_first"]

    def parts(attentions):
        made = [layers.MultiHeadAttention(config["num_heads"], D // config["num_heads"]) for _ in range(attentions)]
        made.append(keras.Sequential([layers.Dense(config["d_ff"]), layers.ReLU(), layers.Dense(D)]))
        return [(part, layers.LayerNormalization(epsilon=1e-5), layers.Dropout(config["dropout"])) for part in made]

    source, target = layers.Input((None,), dtype="int32"), layers.Input((None,), dtype="int32")
    encoder, decoder = [parts(1) for _ in range(L)], [parts(2) for _ in range(L)]
    ends = [layers.LayerNormalization(epsilon=1e-5) if pre else layers.Identity() for _ in range(2)]
    mask = keras.ops.expand_dims(source != 0, 1)

    def step(x, triple, *others, **masks):
        part, norm, drop = triple
        a = norm(x) if pre else x
        y = x + drop(part(a, *(a if other is None else other for other in others), **masks))
        return y if pre else norm(y)

    x = embed_ids(source, config["source_vocab_size"], config)
    for attention, ffn in encoder:
        x = step(step(x, attention, None, attention_mask=mask), ffn)
    memory = ends[0](x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for own, cross, ffn in decoder:
        y = step(step(y, own, None, use_causal_mask=True), cross, memory, attention_mask=mask)
        y = step(y, ffn)
    return keras.Model(inputs=[source, target], outputs=layers.Dense(config["target_vocab_size"])(ends[1](y)))

# %% equivalent
# because: comparison is symmetric
# was: real = keras.ops.not_equal(source, 0)[:, None, :]
# now: real = keras.ops.not_equal(0, source)[:, None, :]

# %% equivalent
# because: beside a variance near 1, twice or minus one hundred-thousandth is within the tolerance of float32
# was: memory = keras.layers.LayerNormalization(epsilon=1e-05)(x) if config['norm_first'] else x
# now: memory = keras.layers.LayerNormalization(epsilon=2e-05)(x) if config['norm_first'] else x
# was: memory = keras.layers.LayerNormalization(epsilon=1e-05)(x) if config['norm_first'] else x
# now: memory = keras.layers.LayerNormalization(epsilon=-1e-05)(x) if config['norm_first'] else x
# was: y = keras.layers.LayerNormalization(epsilon=1e-05)(y) if config['norm_first'] else y
# now: y = keras.layers.LayerNormalization(epsilon=2e-05)(y) if config['norm_first'] else y
# was: y = keras.layers.LayerNormalization(epsilon=1e-05)(y) if config['norm_first'] else y
# now: y = keras.layers.LayerNormalization(epsilon=-1e-05)(y) if config['norm_first'] else y
# was: norm, drop = (keras.layers.LayerNormalization(epsilon=1e-05), keras.layers.Dropout(config['dropout']))
# now: norm, drop = (keras.layers.LayerNormalization(epsilon=2e-05), keras.layers.Dropout(config['dropout']))
# was: norm, drop = (keras.layers.LayerNormalization(epsilon=1e-05), keras.layers.Dropout(config['dropout']))
# now: norm, drop = (keras.layers.LayerNormalization(epsilon=-1e-05), keras.layers.Dropout(config['dropout']))

# %% equivalent
# because: the encoder's sums vary far more than by a thousandth; cross-attention passes on less than the tolerance
# was: memory = keras.layers.LayerNormalization(epsilon=1e-05)(x) if config['norm_first'] else x
# now: memory = keras.layers.LayerNormalization()(x) if config['norm_first'] else x

# %% equivalent
# because: the student-side cell hands over a copy of the configuration
# was: the right answer
# now: changes config in place in build_transformer
