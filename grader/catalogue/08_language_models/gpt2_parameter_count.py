# %% wrong: untied
# says: You count the word vectors twice. GPT-2 makes the logits with the same table that it reads words with.
# self-check: count them once
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 13 * d_model
    return (2 * vocab_size + context) * d_model + num_layers * layer + 2 * d_model

# %% wrong: no_norms
# says: The two normalisations of each layer are missing, with two vectors of width D each.
# self-check: normalisations, are missing
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 9 * d_model
    return (vocab_size + context) * d_model + num_layers * layer + 2 * d_model

# %% wrong: no_last_norm
# says: GPT-2 has one more normalisation after its last layer.
# self-check: after the last layer
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 13 * d_model
    return (vocab_size + context) * d_model + num_layers * layer

# %% wrong: no_biases
# says: The projections and the feed-forward network of GPT-2 have biases.
# self-check: Yours adds
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 4 * d_model
    return (vocab_size + context) * d_model + num_layers * layer + 2 * d_model

# %% wrong: no_positions
# says: The position vectors are missing: one for each place of the context.
# self-check: without layers
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 13 * d_model
    return vocab_size * d_model + num_layers * layer + 2 * d_model

# %% wrong: norm_of_one_number
# says: Each normalisation holds two vectors of width D, a scale and a shift, not two numbers.
# self-check: without layers
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 9 * d_model + 4
    return (vocab_size + context) * d_model + num_layers * layer + 2

# %% wrong: layers_share
# says: You count one layer only. The layers do not share their parameters.
# self-check: share
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    layer = 12 * d_model * d_model + 13 * d_model
    return (vocab_size + context) * d_model + min(num_layers, 1) * layer + 2 * d_model

# %% wrong: no_pooler
# says: The pooler of BERT is missing: a dense layer of width D with a bias.
# self-check: pooler is missing
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 4 * d_model * d_model + 9 * d_model + 2 * d_model * d_ff + d_ff
    return (vocab_size + max_length + type_vocab) * d_model + 2 * d_model + num_layers * layer

# %% wrong: norm_of_the_tables_missing
# says: BERT has a normalisation right after its tables, before the first layer.
# self-check: after the tables
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 4 * d_model * d_model + 9 * d_model + 2 * d_model * d_ff + d_ff
    return (vocab_size + max_length + type_vocab) * d_model + num_layers * layer + d_model * d_model + d_model

# %% wrong: feed_forward_of_gpt2
# says: You use a feed-forward width of 4 D for BERT as well. It is an argument here, d_ff.
# self-check: Yours adds
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 12 * d_model * d_model + 13 * d_model
    tables = (vocab_size + max_length + type_vocab) * d_model + 2 * d_model
    return tables + num_layers * layer + d_model * d_model + d_model

# %% wrong: no_segments
# says: The segment vectors are missing: type_vocab of them.
# self-check: segment vectors
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 4 * d_model * d_model + 9 * d_model + 2 * d_model * d_ff + d_ff
    tables = (vocab_size + max_length) * d_model + 2 * d_model
    return tables + num_layers * layer + d_model * d_model + d_model

# %% wrong: always_two_segments
# says: You count two segment vectors, as the published BERT has them. There are type_vocab of them.
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 4 * d_model * d_model + 9 * d_model + 2 * d_model * d_ff + d_ff
    tables = (vocab_size + max_length + 2) * d_model + 2 * d_model
    return tables + num_layers * layer + d_model * d_model + d_model

# %% right: list_of_shapes
# why: lists every array and multiplies its sizes
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    D = d_model
    layer = 4 * [(D, D), (D,)] + [(D, 4 * D), (4 * D,), (4 * D, D), (D,)] + 4 * [(D,)]
    return sum(int(np.prod(s)) for s in [(vocab_size, D), (context, D), (D,), (D,)] + num_layers * layer)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    D = d_model
    layer = 4 * [(D, D), (D,)] + [(D, d_ff), (d_ff,), (d_ff, D), (D,)] + 4 * [(D,)]
    tables = [(n, D) for n in (vocab_size, max_length, type_vocab)]
    return sum(int(np.prod(s)) for s in tables + [(D,), (D,), (D, D), (D,)] + num_layers * layer)

# %% right: dense_layers
# why: a small function counts a dense layer
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    def dense(n, m):
        return (n + 1) * m

    count = d_model * (vocab_size + context + 2)
    for _ in range(num_layers):
        count += 4 * dense(d_model, d_model) + dense(d_model, 4 * d_model) + dense(4 * d_model, d_model) + 4 * d_model
    return count

# %% right: layers_of_keras
# why: Keras builds the parts of a layer and counts them
def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    def built(layer, width):
        layer.build((1, width))
        return layer.count_params()

    dense, D = keras.layers.Dense, d_model
    layer = 4 * built(dense(D), D) + built(dense(d_ff), D) + built(dense(D), d_ff)
    layer += 2 * built(keras.layers.LayerNormalization(), D)
    tables = D * (vocab_size + max_length + type_vocab) + built(keras.layers.LayerNormalization(), D)
    return tables + num_layers * layer + built(dense(D), D)
