# %% wrong: one_norm_per_layer
# says: Counts one normalisation in each layer instead of two, for both models.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    d, f = d_model, 4 * d_model
    layer = 4 * (d * d + d) + (d * f + f) + (f * d + d) + 2 * d
    return vocab_size * d + context * d + num_layers * layer + 2 * d


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    d = d_model
    layer = 4 * (d * d + d) + (d * d_ff + d_ff) + (d_ff * d + d) + 2 * d
    tables = (vocab_size + max_length + type_vocab) * d
    return tables + 2 * d + num_layers * layer + d * d + d


# %% wrong: bert_ignores_d_ff
# says: BERT's feed-forward is counted with the width 4 * d_model, as in GPT-2, and the argument d_ff is ignored.
def stack_count(num_layers, d_model):
    width = 4 * d_model
    attention = 4 * d_model * (d_model + 1)
    feed_forward = d_model * width + width + width * d_model + d_model
    return num_layers * (attention + feed_forward + 4 * d_model)


def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    return (vocab_size + context) * d_model + stack_count(num_layers, d_model) + 2 * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    tables = (vocab_size + max_length + type_vocab) * d_model
    pooler = d_model * d_model + d_model
    return tables + 2 * d_model + stack_count(num_layers, d_model) + pooler


# %% right: everything_times_d_model
# why: Counts rows of width D in closed form (everything but the bias of the hidden layer is a multiple of D), and BERT's count calls GPT-2's and corrects the differences.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    rows_of_a_layer = 4 * (d_model + 1) + 2 * 4 * d_model + 4 + 1 + 4
    return d_model * (vocab_size + context + 2 + num_layers * rows_of_a_layer)


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    like_gpt2 = gpt2_parameter_count(num_layers, d_model, vocab_size, max_length + type_vocab)
    other_width = num_layers * (d_ff - 4 * d_model) * (2 * d_model + 1)
    return like_gpt2 + other_width + d_model * (d_model + 1)
