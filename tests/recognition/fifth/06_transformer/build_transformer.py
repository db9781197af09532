# %% wrong: target_padding_masked_as_well
# says: The decoder's self-attention also masks the padding of the target ids; it should be causal only, with nothing else masked.
def build_transformer(config):
    heads, width = config["num_heads"], config["d_model"]
    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    source_real = keras.ops.expand_dims(keras.ops.not_equal(source, 0), 1)
    target_real = keras.ops.expand_dims(keras.ops.not_equal(target, 0), 1)

    def attention():
        return keras.layers.MultiHeadAttention(heads, width // heads)

    def feed():
        first = keras.layers.Dense(config["d_ff"], activation="relu")
        second = keras.layers.Dense(width)
        return lambda h: second(first(h))

    memory = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        memory = add_sublayer(memory, lambda h: attention()(h, h, attention_mask=source_real), config)
        memory = add_sublayer(memory, feed(), config)
    if config["norm_first"]:
        memory = keras.layers.LayerNormalization(epsilon=1e-5)(memory)

    x = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        x = add_sublayer(x, lambda h: attention()(h, h, attention_mask=target_real, use_causal_mask=True), config)
        x = add_sublayer(x, lambda h: attention()(h, memory, attention_mask=source_real), config)
        x = add_sublayer(x, feed(), config)
    if config["norm_first"]:
        x = keras.layers.LayerNormalization(epsilon=1e-5)(x)
    logits = keras.layers.Dense(config["target_vocab_size"])(x)
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    words = keras.layers.Embedding(vocab_size, config["d_model"])(ids)
    return words * config["d_model"] ** 0.5 + keras.ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + dropout(compute(norm(x)))
    return norm(x + dropout(compute(x)))


# %% wrong: decoder_layer_reads_encoder_layer_of_same_depth
# says: Each decoder layer attends to the output of the encoder layer of the same depth; all decoder layers must attend to the output of the last encoder layer. With one layer it is right.
def build_transformer(config):
    L = keras.layers
    d, h = config["d_model"], config["num_heads"]
    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]

    def ffn(a):
        a = L.Dense(config["d_ff"], activation="relu")(a)
        return L.Dense(d)(a)

    x = embed_ids(source, config["source_vocab_size"], config)
    memories = []
    for i in range(config["num_layers"]):
        mha = L.MultiHeadAttention(num_heads=h, key_dim=d // h)
        x = add_sublayer(x, lambda a: mha(a, a, attention_mask=real), config)
        x = add_sublayer(x, ffn, config)
        memories.append(x)
    if config["norm_first"]:
        memories[-1] = L.LayerNormalization(epsilon=1e-5)(memories[-1])

    y = embed_ids(target, config["target_vocab_size"], config)
    for i in range(config["num_layers"]):
        own = L.MultiHeadAttention(num_heads=h, key_dim=d // h)
        cross = L.MultiHeadAttention(num_heads=h, key_dim=d // h)
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memories[i], attention_mask=real), config)
        y = add_sublayer(y, ffn, config)
    if config["norm_first"]:
        y = L.LayerNormalization(epsilon=1e-5)(y)
    return keras.Model([source, target], L.Dense(config["target_vocab_size"])(y))


def embed_ids(ids, vocab_size, config):
    d = config["d_model"]
    x = keras.layers.Embedding(vocab_size, d)(ids) * float(d) ** 0.5
    where = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    return x + keras.ops.take(given_sinusoidal_encoding(config["max_length"], d), where, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return keras.layers.add([x, drop(compute(norm(x)))])
    return norm(keras.layers.add([x, drop(compute(x))]))


# %% right: one_side_function_and_explicit_causal_mask
# why: Encoder and decoder come from one function; the causal mask is made by comparing positions instead of use_causal_mask, the feed-forward is a small Sequential, and the scaling a Rescaling layer. The function is the same as the usual one.
def embed_ids(ids, vocab_size, config):
    d = config["d_model"]
    scaled = keras.layers.Rescaling(float(d) ** 0.5)(keras.layers.Embedding(vocab_size, d)(ids))
    table = given_sinusoidal_encoding(config["max_length"], d)
    return scaled + keras.ops.take(table, count_positions(ids), axis=0)


def count_positions(ids):
    return keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    inside = norm(x) if config["norm_first"] else x
    total = x + keras.layers.Dropout(config["dropout"])(compute(inside))
    return total if config["norm_first"] else norm(total)


def build_transformer(config):
    d, heads = config["d_model"], config["num_heads"]

    def side(x, own_mask, memory=None, memory_mask=None):
        for _ in range(config["num_layers"]):
            own = keras.layers.MultiHeadAttention(heads, d // heads)
            x = add_sublayer(x, lambda h: own(h, h, attention_mask=own_mask), config)
            if memory is not None:
                cross = keras.layers.MultiHeadAttention(heads, d // heads)
                x = add_sublayer(x, lambda h: cross(h, memory, attention_mask=memory_mask), config)
            hidden = keras.layers.Dense(config["d_ff"], activation="relu")
            x = add_sublayer(x, keras.Sequential([hidden, keras.layers.Dense(d)]), config)
        return keras.layers.LayerNormalization(epsilon=1e-5)(x) if config["norm_first"] else x

    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    real = keras.ops.expand_dims(keras.ops.not_equal(source, 0), axis=1)
    place = count_positions(target)
    causal = keras.ops.greater_equal(keras.ops.expand_dims(place, 2), keras.ops.expand_dims(place, 1))
    memory = side(embed_ids(source, config["source_vocab_size"], config), real)
    out = side(embed_ids(target, config["target_vocab_size"], config), causal, memory, real)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(out))
