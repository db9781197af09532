# %% wrong: two_segments_assumed
# says: The number of segment vectors is fixed at two, as in the published BERT, whatever type_vocab says.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    d_ff = 4 * d_model
    layer = 4 * (d_model * d_model + d_model) + d_model * d_ff + d_ff + d_ff * d_model + d_model + 2 * 2 * d_model
    return num_layers * layer + (vocab_size + context) * d_model + 2 * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    layer = 4 * (d_model * d_model + d_model) + d_model * d_ff + d_ff + d_ff * d_model + d_model + 2 * 2 * d_model
    tables = (vocab_size + max_length + 2) * d_model
    pooler = d_model * d_model + d_model
    return num_layers * layer + tables + 2 * d_model + pooler


# %% wrong: both_biases_of_width_d
# says: Both biases of the feed-forward network are counted with D numbers, though that of the hidden layer has d_ff.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    attention = 4 * d_model * (d_model + 1)
    feed_forward = 2 * d_model * 4 * d_model + 2 * d_model
    norms = 4 * d_model
    return num_layers * (attention + feed_forward + norms) + (vocab_size + context + 2) * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    attention = 4 * d_model * (d_model + 1)
    feed_forward = 2 * d_model * d_ff + 2 * d_model
    norms = 4 * d_model
    around = (vocab_size + max_length + type_vocab) * d_model + 2 * d_model + d_model * (d_model + 1)
    return num_layers * (attention + feed_forward + norms) + around


# %% wrong: last_norm_for_bert_too
# says: BERT also gets the normalisation after the last layer that only GPT-2 has.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    return _stack(num_layers, d_model, 4 * d_model) + d_model * (vocab_size + context)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    embeddings = d_model * (vocab_size + max_length + type_vocab) + 2 * d_model
    return embeddings + _stack(num_layers, d_model, d_ff) + d_model**2 + d_model


def _stack(num_layers, d_model, d_ff):
    attention = 4 * (d_model**2 + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return num_layers * (attention + feed_forward + 4 * d_model) + 2 * d_model


# %% right: way_1
# why: everything multiplied out by hand into polynomials in D, written after Horner
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    L, D = int(num_layers), int(d_model)
    return D * (L * (12 * D + 13) + int(vocab_size) + int(context) + 2)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    L, D, F = int(num_layers), int(d_model), int(d_ff)
    tables = int(vocab_size) + int(max_length) + int(type_vocab)
    return L * F + D * (L * (4 * D + 2 * F + 9) + tables + D + 3)
