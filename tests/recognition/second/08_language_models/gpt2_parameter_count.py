# %% wrong: a_matrix_for_the_logits
# says: counts a matrix of its own for the logits of GPT-2, which uses the word vectors again
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    d = d_model
    layer = 4 * (d * d + d) + (d * 4 * d + 4 * d) + (4 * d * d + d) + 2 * 2 * d
    embeddings = vocab_size * d + context * d
    logits = d * vocab_size
    return embeddings + num_layers * layer + 2 * d + logits


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    d = d_model
    layer = 4 * (d * d + d) + (d * d_ff + d_ff) + (d_ff * d + d) + 2 * 2 * d
    return (vocab_size + max_length + type_vocab) * d + 2 * d + num_layers * layer + d * d + d


# %% wrong: four_times_the_width_in_bert
# says: takes 4 * d_model for the feed-forward width of BERT too, instead of d_ff
def layer_parameters(d, f):
    return 4 * d * (d + 1) + f * (d + 1) + d * (f + 1) + 4 * d


def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    return (vocab_size + context + 2) * d_model + num_layers * layer_parameters(d_model, 4 * d_model)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    vectors = (vocab_size + max_length + type_vocab + 2) * d_model
    return vectors + num_layers * layer_parameters(d_model, 4 * d_model) + d_model * (d_model + 1)


# %% wrong: bert_ends_with_a_normalisation
# says: gives BERT one more normalisation after the last layer as well, which only GPT-2 has
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    norm = 2 * d_model
    return vocab_size * d_model + context * d_model + num_layers * (attention + feed_forward + 2 * norm) + norm


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    embeddings = (vocab_size + max_length + type_vocab) * d_model + norm
    pooler = d_model * d_model + d_model
    return embeddings + num_layers * (attention + feed_forward + 2 * norm) + norm + pooler


# %% wrong: projections_without_bias
# says: counts the four projections of a layer without their biases, as in notebook 7
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    d, f = d_model, 4 * d_model
    layer = 4 * d * d + d * f + f + f * d + d + 2 * 2 * d
    return num_layers * layer + (vocab_size + context) * d + 2 * d


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    d, f = d_model, d_ff
    layer = 4 * d * d + d * f + f + f * d + d + 2 * 2 * d
    return num_layers * layer + (vocab_size + max_length + type_vocab) * d + 2 * d + d * d + d


# %% wrong: two_vectors_for_both
# says: counts two vectors for the two normalisations of a layer together instead of two for each
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    per_layer = 4 * (d_model**2 + d_model) + 8 * d_model**2 + 5 * d_model + 2 * d_model
    return vocab_size * d_model + context * d_model + num_layers * per_layer + 2 * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    per_layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 2 * d_model
    outside = (vocab_size + max_length + type_vocab) * d_model + 2 * d_model + d_model**2 + d_model
    return outside + num_layers * per_layer


# %% right: way_1
# why: lists the shapes of all arrays and sums their sizes; the result is a NumPy integer
def shapes_of_layer(d, f):
    return [(d, d), (d,)] * 4 + [(d, f), (f,), (f, d), (d,)] + [(d,)] * 4


def size_of(shapes):
    return np.sum([np.prod(shape, dtype=np.int64) for shape in shapes], dtype=np.int64)


def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    shapes = [(vocab_size, d_model), (context, d_model), (2, d_model)]
    return size_of(shapes + num_layers * shapes_of_layer(d_model, 4 * d_model))


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    shapes = [(n, d_model) for n in (vocab_size, max_length, type_vocab, 2)]
    shapes += [(d_model, d_model), (1, d_model)]
    return size_of(shapes + num_layers * shapes_of_layer(d_model, d_ff))


# %% right: way_2
# why: polynomials in D, multiplied out, one function in terms of the other
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    # BERT of the same size, with no segment vector and without the pooler: the normalisation only moves
    return bert_parameter_count(num_layers, d_model, 4 * d_model, vocab_size, context, 0) - d_model * (d_model + 1)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    quadratic = 4 * num_layers + 1
    linear = vocab_size + max_length + type_vocab + 3 + num_layers * (9 + 2 * d_ff)
    return (quadratic * d_model + linear) * d_model + num_layers * d_ff
