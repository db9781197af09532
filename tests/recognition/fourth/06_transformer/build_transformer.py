# %% wrong: default_epsilon
# says: Leaves the epsilon of all norms at the default of Keras, 1e-3, instead of 1e-5.
from keras import ops


def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention(query, memory, mask, causal=False):
        layer = keras.layers.MultiHeadAttention(H, D // H)
        return layer(query, memory, memory, attention_mask=mask, use_causal_mask=causal)

    def feed_forward(x):
        hidden = keras.layers.Dense(config["d_ff"], activation="relu")(x)
        return keras.layers.Dense(D)(hidden)

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    source_mask = ops.expand_dims(ops.not_equal(source, 0), 1)
    target_mask = ops.expand_dims(ops.not_equal(target, 0), 1)

    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        x = add_sublayer(x, lambda z: attention(z, z, source_mask), config)
        x = add_sublayer(x, feed_forward, config)
    if config["norm_first"]:
        x = keras.layers.LayerNormalization()(x)
    memory = x

    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda z: attention(z, z, target_mask, causal=True), config)
        y = add_sublayer(y, lambda z: attention(z, memory, source_mask), config)
        y = add_sublayer(y, feed_forward, config)
    if config["norm_first"]:
        y = keras.layers.LayerNormalization()(y)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(y))


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    angle = np.arange(config["max_length"])[:, None] * 10000.0 ** (-2.0 * np.arange(D // 2) / D)
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(-1, D).astype("float32")
    positions = ops.cumsum(ops.ones_like(ids), axis=1) - 1
    return keras.layers.Embedding(vocab_size, D)(ids) * float(np.sqrt(D)) + ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization()
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + dropout(compute(norm(x)))
    return norm(x + dropout(compute(x)))


# %% wrong: dropout_after_the_sum
# says: Drops from the sum of input and sublayer, so the residual is dropped too in training.
from keras import ops


def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention(query, memory, mask, causal=False):
        layer = keras.layers.MultiHeadAttention(H, D // H)
        return layer(query, memory, memory, attention_mask=mask, use_causal_mask=causal)

    def feed_forward(x):
        hidden = keras.layers.Dense(config["d_ff"], activation="relu")(x)
        return keras.layers.Dense(D)(hidden)

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    source_mask = ops.expand_dims(ops.not_equal(source, 0), 1)
    target_mask = ops.expand_dims(ops.not_equal(target, 0), 1)

    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        x = add_sublayer(x, lambda z: attention(z, z, source_mask), config)
        x = add_sublayer(x, feed_forward, config)
    if config["norm_first"]:
        x = keras.layers.LayerNormalization(epsilon=1e-5)(x)
    memory = x

    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda z: attention(z, z, target_mask, causal=True), config)
        y = add_sublayer(y, lambda z: attention(z, memory, source_mask), config)
        y = add_sublayer(y, feed_forward, config)
    if config["norm_first"]:
        y = keras.layers.LayerNormalization(epsilon=1e-5)(y)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(y))


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    angle = np.arange(config["max_length"])[:, None] * 10000.0 ** (-2.0 * np.arange(D // 2) / D)
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(-1, D).astype("float32")
    positions = ops.cumsum(ops.ones_like(ids), axis=1) - 1
    return keras.layers.Embedding(vocab_size, D)(ids) * float(np.sqrt(D)) + ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return dropout(x + compute(norm(x)))
    return norm(dropout(x + compute(x)))


# %% wrong: cross_attention_sees_padding
# says: The cross-attention gets no mask, so the decoder attends to the padding (id 0) of the source.
from keras import ops


def build_transformer(config):
    D, H = config["d_model"], config["num_heads"]

    def attention(query, memory, mask, causal=False):
        layer = keras.layers.MultiHeadAttention(H, D // H)
        return layer(query, memory, memory, attention_mask=mask, use_causal_mask=causal)

    def feed_forward(x):
        hidden = keras.layers.Dense(config["d_ff"], activation="relu")(x)
        return keras.layers.Dense(D)(hidden)

    source = keras.Input((None,), dtype="int32")
    target = keras.Input((None,), dtype="int32")
    source_mask = ops.expand_dims(ops.not_equal(source, 0), 1)
    target_mask = ops.expand_dims(ops.not_equal(target, 0), 1)

    x = embed_ids(source, config["source_vocab_size"], config)
    for _ in range(config["num_layers"]):
        x = add_sublayer(x, lambda z: attention(z, z, source_mask), config)
        x = add_sublayer(x, feed_forward, config)
    if config["norm_first"]:
        x = keras.layers.LayerNormalization(epsilon=1e-5)(x)
    memory = x

    y = embed_ids(target, config["target_vocab_size"], config)
    for _ in range(config["num_layers"]):
        y = add_sublayer(y, lambda z: attention(z, z, target_mask, causal=True), config)
        y = add_sublayer(y, lambda z: attention(z, memory, None), config)
        y = add_sublayer(y, feed_forward, config)
    if config["norm_first"]:
        y = keras.layers.LayerNormalization(epsilon=1e-5)(y)
    return keras.Model([source, target], keras.layers.Dense(config["target_vocab_size"])(y))


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    angle = np.arange(config["max_length"])[:, None] * 10000.0 ** (-2.0 * np.arange(D // 2) / D)
    table = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(-1, D).astype("float32")
    positions = ops.cumsum(ops.ones_like(ids), axis=1) - 1
    return keras.layers.Embedding(vocab_size, D)(ids) * float(np.sqrt(D)) + ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    dropout = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + dropout(compute(norm(x)))
    return norm(x + dropout(compute(x)))


# %% right: way_1
# why: Reduces over a list of sublayers, keeps each feed-forward in a `keras.Sequential` with a ReLU layer, and writes the causal mask as a comparison of positions.
from keras import ops


from functools import reduce


def build_transformer(config):
    D, H, layers = config["d_model"], config["num_heads"], keras.layers

    def network():
        return keras.Sequential([layers.Dense(config["d_ff"]), layers.ReLU(), layers.Dense(D)])

    def attend_to_self(mask):
        layer = layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
        return lambda z: layer(query=z, value=z, key=z, attention_mask=mask)

    def attend_to(memory, mask):
        layer = layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
        return lambda z: layer(query=z, value=memory, key=memory, attention_mask=mask)

    def side(ids, vocab_size, sublayers):
        start = embed_ids(ids, vocab_size, config)
        end = reduce(lambda x, make: add_sublayer(x, make(), config), sublayers * config["num_layers"], start)
        return layers.LayerNormalization(epsilon=1e-5)(end) if config["norm_first"] else end

    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    is_source_word = ops.not_equal(source, 0)[:, None, :]
    count = ops.cumsum(ops.ones_like(target), axis=1)
    not_later = ops.greater_equal(count[:, :, None], count[:, None, :])
    visible = ops.logical_and(not_later, ops.not_equal(target, 0)[:, None, :])

    memory = side(source, config["source_vocab_size"], [lambda: attend_to_self(is_source_word), network])
    decoded = side(
        target,
        config["target_vocab_size"],
        [lambda: attend_to_self(visible), lambda: attend_to(memory, is_source_word), network],
    )
    return keras.Model([source, target], layers.Dense(config["target_vocab_size"])(decoded))


def embed_ids(ids, vocab_size, config):
    D = config["d_model"]
    omega = 10000.0 ** (-2.0 * (np.arange(D) // 2) / D)
    shift = np.pi / 2 * (np.arange(D) % 2)
    table = np.sin(np.arange(config["max_length"])[:, None] * omega + shift).astype("float32")
    vectors = keras.layers.Embedding(vocab_size, D)(ids)
    positions = ops.cumsum(ops.ones_like(ids), axis=1) - 1
    return ops.sqrt(float(D)) * vectors + ops.take(table, positions, axis=0)


def add_sublayer(x, compute, config):
    first = bool(config["norm_first"])
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    inside = norm(x) if first else x
    total = keras.layers.add([x, keras.layers.Dropout(config["dropout"])(compute(inside))])
    return total if first else norm(total)
