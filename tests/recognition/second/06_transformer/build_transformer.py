# %% wrong: causal_in_cross
# says: a causal mask in cross-attention
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
        y = add_sublayer(y, lambda a: cross(a, memory, attention_mask=real, use_causal_mask=True), config)
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


# %% wrong: one_layer
# says: builds one layer of the decoder, whatever num_layers says
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
    for _ in range(1):
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


# %% wrong: dropout_on_input
# says: dropout on what enters the sublayer
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
        return x + compute(drop(norm(x)))
    return norm(x + compute(drop(x)))


# %% wrong: scale_inverse
# says: divides by the root of d_model
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
    vectors = keras.layers.Embedding(vocab_size, D)(ids) / D**0.5
    return vectors + keras.ops.take(table, places, axis=0)


def add_sublayer(x, compute, config):
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    drop = keras.layers.Dropout(config["dropout"])
    if config["norm_first"]:
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% right: way_1
# why: the functional model with the two small functions
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
        return x + drop(compute(norm(x)))
    return norm(x + drop(compute(x)))


# %% right: way_3
# why: a subclass of keras.Model with layers in lists, called once on two ids before it is handed out so that its weights exist
class _Sublayer(keras.layers.Layer):
    def __init__(self, config, **options):
        super().__init__(**options)
        self.norm = keras.layers.LayerNormalization(epsilon=1e-5)
        self.drop = keras.layers.Dropout(config["dropout"])
        self.first = config["norm_first"]

    def around(self, x, compute, training):
        if self.first:
            return x + self.drop(compute(self.norm(x)), training=training)
        return self.norm(x + self.drop(compute(x), training=training))


class _Attend(_Sublayer):
    def __init__(self, config, **options):
        super().__init__(config, **options)
        self.attention = keras.layers.MultiHeadAttention(
            config["num_heads"], config["d_model"] // config["num_heads"])

    def call(self, x, memory=None, mask=None, causal=False, training=False):
        return self.around(
            x, lambda a: self.attention(
                a, a if memory is None else memory, attention_mask=mask, use_causal_mask=causal, training=training),
            training)


class _Transform(_Sublayer):
    def __init__(self, config, **options):
        super().__init__(config, **options)
        self.hidden = keras.layers.Dense(config["d_ff"], activation="relu")
        self.back = keras.layers.Dense(config["d_model"])

    def call(self, x, training=False):
        return self.around(x, lambda a: self.back(self.hidden(a)), training)


class _Transformer(keras.Model):
    def __init__(self, config):
        super().__init__()
        D, N = config["d_model"], config["num_layers"]
        self.root, self.first = D**0.5, config["norm_first"]
        self.table = given_sinusoidal_encoding(config["max_length"], D)
        self.source_words = keras.layers.Embedding(config["source_vocab_size"], D)
        self.target_words = keras.layers.Embedding(config["target_vocab_size"], D)
        self.encoder = [(_Attend(config), _Transform(config)) for _ in range(N)]
        self.decoder = [(_Attend(config), _Attend(config), _Transform(config)) for _ in range(N)]
        self.ends = [keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(2)] if self.first else []
        self.logits = keras.layers.Dense(config["target_vocab_size"])

    def call(self, inputs, training=False):
        source, target = (keras.ops.convert_to_tensor(a) for a in inputs)
        real = keras.ops.not_equal(source, 0)[:, None, :]
        x = self.source_words(source) * self.root + self.table[: source.shape[1]]
        for attend, transform in self.encoder:
            x = transform(attend(x, mask=real, training=training), training=training)
        if self.first:
            x = self.ends[0](x)
        y = self.target_words(target) * self.root + self.table[: target.shape[1]]
        for attend, cross, transform in self.decoder:
            y = attend(y, causal=True, training=training)
            y = transform(cross(y, memory=x, mask=real, training=training), training=training)
        return self.logits(self.ends[1](y) if self.first else y)


def build_transformer(config):
    model = _Transformer(config)
    model([np.ones((1, 1), "int32"), np.ones((1, 1), "int32")])
    return model
