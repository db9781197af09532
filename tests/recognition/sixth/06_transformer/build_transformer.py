# %% wrong: no_last_norm_in_the_encoder
# says: With norm_first only the decoder ends in one more norm; the encoder's output goes to the decoder without one.
def build_transformer(config):
    d, heads = config["d_model"], config["num_heads"]
    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.expand_dims(keras.ops.not_equal(source, 0), 1)

    def feed_forward():
        first = keras.layers.Dense(config["d_ff"], activation="relu")
        second = keras.layers.Dense(d)
        return lambda a: second(first(a))

    memory = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        attention = keras.layers.MultiHeadAttention(heads, d // heads)
        memory = add_sublayer(memory, lambda a: attention(a, a, attention_mask=real), config)
        memory = add_sublayer(memory, feed_forward(), config)

    x = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = keras.layers.MultiHeadAttention(heads, d // heads)
        cross = keras.layers.MultiHeadAttention(heads, d // heads)
        x = add_sublayer(x, lambda a: own(a, a, use_causal_mask=True), config)
        x = add_sublayer(x, lambda a: cross(a, memory, attention_mask=real), config)
        x = add_sublayer(x, feed_forward(), config)
    if config["norm_first"]:
        x = keras.layers.LayerNormalization(epsilon=1e-5)(x)
    logits = keras.layers.Dense(config["target_vocab_size"])(x)
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    d = config["d_model"]
    vectors = keras.layers.Embedding(vocab_size, d)(ids) * d ** 0.5
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    table = given_sinusoidal_encoding(config["max_length"], d)
    return vectors + keras.ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + dropout(compute(norm(x)))
    return norm(x + dropout(compute(x)))


# %% wrong: dropout_after_the_sum
# says: Dropout is applied to the sum of residual and sublayer instead of to what the sublayer computes before it is added, so the residual is dropped too.
def build_transformer(config):
    d, heads = config["d_model"], config["num_heads"]
    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]

    def attention():
        return keras.layers.MultiHeadAttention(num_heads=heads, key_dim=d // heads)

    def feed_forward(a):
        return keras.layers.Dense(d)(keras.layers.Dense(config["d_ff"], activation="relu")(a))

    def finish(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    memory = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        memory = add_sublayer(memory, lambda a: attention()(a, a, attention_mask=real), config)
        memory = add_sublayer(memory, feed_forward, config)
    memory = finish(memory)
    x = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        x = add_sublayer(x, lambda a: attention()(a, a, use_causal_mask=True), config)
        x = add_sublayer(x, lambda a: attention()(a, memory, attention_mask=real), config)
        x = add_sublayer(x, feed_forward, config)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(finish(x)))


def embed_ids(ids, vocab_size, config):
    d = config["d_model"]
    positions = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    table = given_sinusoidal_encoding(config["max_length"], d)
    words = keras.layers.Embedding(vocab_size, d)(ids)
    return words * float(np.sqrt(d)) + keras.ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return dropout(x + compute(norm(x)))
    return norm(dropout(x + compute(x)))


# %% right: one_function_for_both_sides
# why: Encoder and decoder are built by one inner function that writes a list of sublayers first and runs it afterwards; sums are Add layers, the ReLU is a layer of its own, and the table is looked up as a constant.
def build_transformer(config):
    inputs = [keras.Input((None,), dtype="int32", name=name) for name in ("source", "target")]
    is_word = keras.ops.expand_dims(keras.ops.cast(inputs[0], "bool"), axis=-2)
    width = config["d_model"] // config["num_heads"]

    def attend(memory=None, **masks):
        layer = keras.layers.MultiHeadAttention(config["num_heads"], width)
        if memory is None:
            return lambda x: layer(query=x, value=x, key=x, **masks)
        return lambda x: layer(query=x, value=memory, key=memory, **masks)

    def think():
        return keras.Sequential([keras.layers.Dense(config["d_ff"]), keras.layers.ReLU(),
                                 keras.layers.Dense(config["d_model"])])

    def side(ids, vocab_size, memory=None):
        plan = []
        for _ in range(config["num_layers"]):
            if memory is None:
                plan.append(attend(attention_mask=is_word))
            else:
                plan.append(attend(use_causal_mask=True))
                plan.append(attend(memory, attention_mask=is_word))
            plan.append(think())
        x = embed_ids(ids, vocab_size, config)
        for compute in plan:
            x = add_sublayer(x, compute, config)
        if config["norm_first"]:
            x = keras.layers.LayerNormalization(axis=-1, epsilon=1e-5)(x)
        return x

    memory = side(inputs[0], config["source_vocab_size"])
    words = side(inputs[1], config["target_vocab_size"], memory)
    return keras.Model(inputs, keras.layers.Dense(config["target_vocab_size"], name="logits")(words))


def embed_ids(ids, vocab_size, config):
    table = given_sinusoidal_encoding(config["max_length"], config["d_model"])
    place = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    word = keras.layers.Embedding(vocab_size, config["d_model"])(ids)
    return keras.layers.Add()([word * config["d_model"] ** 0.5, keras.ops.take(table, place, axis=0)])


def add_sublayer(x, compute, config):
    first = bool(config["norm_first"])
    norm = keras.layers.LayerNormalization(axis=-1, epsilon=1e-5)
    new = compute(norm(x) if first else x)
    both = keras.layers.Add()([x, keras.layers.Dropout(config["dropout"])(new)])
    return both if first else norm(both)
