# %% wrong: relu_twice
# says: a ReLU on both layers of the feed-forward
def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention():
        return keras.layers.MultiHeadAttention(H, D // H)

    def feed_forward_layers():
        hidden, back = keras.layers.Dense(config["d_ff"], activation="relu"), keras.layers.Dense(D, activation="relu")
        return lambda a: back(hidden(a))

    def last_norm(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = attention()
        x = add_sublayer(x, lambda a: own(a, a, attention_mask=real), config)
        x = add_sublayer(x, feed_forward_layers(), config)
    memory = last_norm(x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own, cross = attention(), attention()
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real), config)
        y = add_sublayer(y, feed_forward_layers(), config)
    logits = keras.layers.Dense(config["target_vocab_size"])(last_norm(y))
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    table = given_sinusoidal_encoding(config["max_length"], D)
    places = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    vectors = keras.layers.Embedding(vocab_size, D)(ids) * D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% wrong: tied_output
# says: the output layer is the target's embedding, turned
def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention():
        return keras.layers.MultiHeadAttention(H, D // H)

    def feed_forward_layers():
        hidden, back = keras.layers.Dense(config["d_ff"], activation="relu"), keras.layers.Dense(D)
        return lambda a: back(hidden(a))

    def last_norm(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = attention()
        x = add_sublayer(x, lambda a: own(a, a, attention_mask=real), config)
        x = add_sublayer(x, feed_forward_layers(), config)
    memory = last_norm(x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own, cross = attention(), attention()
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real), config)
        y = add_sublayer(y, feed_forward_layers(), config)
    embedding = next(l for l in keras.Model([source, target], y).layers if isinstance(l, keras.layers.Embedding) and l.input_dim == config["target_vocab_size"])
    logits = keras.ops.matmul(last_norm(y), keras.ops.transpose(embedding.embeddings))
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    table = given_sinusoidal_encoding(config["max_length"], D)
    places = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    vectors = keras.layers.Embedding(vocab_size, D)(ids) * D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% wrong: residual_normalised
# says: the pre-norm residual carries the normalised vectors
def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention():
        return keras.layers.MultiHeadAttention(H, D // H)

    def feed_forward_layers():
        hidden, back = keras.layers.Dense(config["d_ff"], activation="relu"), keras.layers.Dense(D)
        return lambda a: back(hidden(a))

    def last_norm(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = attention()
        x = add_sublayer(x, lambda a: own(a, a, attention_mask=real), config)
        x = add_sublayer(x, feed_forward_layers(), config)
    memory = last_norm(x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own, cross = attention(), attention()
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real), config)
        y = add_sublayer(y, feed_forward_layers(), config)
    logits = keras.layers.Dense(config["target_vocab_size"])(last_norm(y))
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    table = given_sinusoidal_encoding(config["max_length"], D)
    places = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    vectors = keras.layers.Embedding(vocab_size, D)(ids) * D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        x = norm(x)
        return x + drop(compute(x))
    return norm(x + drop(compute(x)))


# %% wrong: mask_of_queries
# says: the mask as (B, S, 1) hides queries, not keys
def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention():
        return keras.layers.MultiHeadAttention(H, D // H)

    def feed_forward_layers():
        hidden, back = keras.layers.Dense(config["d_ff"], activation="relu"), keras.layers.Dense(D)
        return lambda a: back(hidden(a))

    def last_norm(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    rows = keras.ops.not_equal(source, 0)[:, :, None]
    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = attention()
        x = add_sublayer(x, lambda a: own(a, a, attention_mask=rows), config)
        x = add_sublayer(x, feed_forward_layers(), config)
    memory = last_norm(x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own, cross = attention(), attention()
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real), config)
        y = add_sublayer(y, feed_forward_layers(), config)
    logits = keras.layers.Dense(config["target_vocab_size"])(last_norm(y))
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    table = given_sinusoidal_encoding(config["max_length"], D)
    places = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    vectors = keras.layers.Embedding(vocab_size, D)(ids) * D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% right: way_2
# why: no small functions, explicit masks from positions, Add and Rescaling layers, positions by a matrix of ones
def build_transformer(config):
    layers, ops = keras.layers, keras.ops
    D, rate, first = config["d_model"], config["dropout"], config["norm_first"]
    ids = {side: layers.Input(shape=(None,), dtype="int32", name=side) for side in ("source", "target")}
    padding = ops.expand_dims(ids["source"] != 0, 1)
    table = ops.convert_to_tensor(given_sinusoidal_encoding(config["max_length"], D))
    streams, places = {}, {}
    for side, tokens in ids.items():
        places[side] = ops.cumsum(ops.ones_like(tokens), axis=-1) - 1
        words = layers.Rescaling(D**0.5)(layers.Embedding(config[f"{side}_vocab_size"], D)(tokens))
        streams[side] = layers.Add()([words, ops.take(table, places[side], axis=0)])
    causal = places["target"][:, None, :] <= places["target"][:, :, None]

    def sublayer(x, make):
        norm = layers.LayerNormalization(axis=-1, epsilon=1e-5)
        inner = make(norm(x) if first else x)
        x = layers.Add()([x, layers.Dropout(rate)(inner)])
        return x if first else norm(x)

    def attend(other=None, mask=None):
        layer = layers.MultiHeadAttention(num_heads=config["num_heads"], key_dim=D // config["num_heads"])
        return lambda a: layer(query=a, value=a if other is None else other, attention_mask=mask)

    def transform(a):
        return layers.Dense(D)(layers.ReLU()(layers.Dense(config["d_ff"])(a)))

    x, y = streams["source"], streams["target"]
    for _ in range(config["num_layers"]):
        x = sublayer(sublayer(x, attend(mask=padding)), transform)
    if first:
        x = layers.LayerNormalization(epsilon=1e-5)(x)
    for _ in range(config["num_layers"]):
        y = sublayer(y, attend(mask=causal))
        y = sublayer(y, attend(x, padding))
        y = sublayer(y, transform)
    if first:
        y = layers.LayerNormalization(epsilon=1e-5)(y)
    return keras.Model(inputs=list(ids.values()), outputs=layers.Dense(config["target_vocab_size"])(y))


def embed_ids(ids, vocab_size, config):
    raise NotImplementedError("not used")


def add_sublayer(x, compute, config):
    raise NotImplementedError("not used")


# %% right: way_4
# why: the feed-forward as two convolutions over one position, the same function with kernels of shape (1, D, F)
def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention():
        return keras.layers.MultiHeadAttention(H, D // H)

    def feed_forward_layers():
        hidden = keras.layers.Conv1D(config["d_ff"], 1, activation="relu")
        back = keras.layers.Conv1D(D, 1)
        return lambda a: back(hidden(a))

    def last_norm(a):
        return keras.layers.LayerNormalization(epsilon=1e-5)(a) if config["norm_first"] else a

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    real = keras.ops.not_equal(source, 0)[:, None, :]
    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own = attention()
        x = add_sublayer(x, lambda a: own(a, a, attention_mask=real), config)
        x = add_sublayer(x, feed_forward_layers(), config)
    memory = last_norm(x)
    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        own, cross = attention(), attention()
        y = add_sublayer(y, lambda a: own(a, a, use_causal_mask=True), config)
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real), config)
        y = add_sublayer(y, feed_forward_layers(), config)
    logits = keras.layers.Dense(config["target_vocab_size"])(last_norm(y))
    return keras.Model([source, target], logits)


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    table = given_sinusoidal_encoding(config["max_length"], D)
    places = keras.ops.cumsum(keras.ops.ones_like(ids), axis=1) - 1
    vectors = keras.layers.Embedding(vocab_size, D)(ids) * D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))
