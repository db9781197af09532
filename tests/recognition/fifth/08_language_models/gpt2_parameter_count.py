# %% wrong: bert_ignores_d_ff
# says: bert_parameter_count uses the layer with a feed-forward width of 4 * d_model and ignores its argument d_ff. It is right only if d_ff is four times d_model.
def layer_count(d):
    hidden = 4 * d
    attention = 4 * (d * d + d)
    ffn = d * hidden + hidden + hidden * d + d
    return attention + ffn + 2 * 2 * d


def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    return (vocab_size + context) * d_model + num_layers * layer_count(d_model) + 2 * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    vectors = (vocab_size + max_length + type_vocab) * d_model
    pooler = d_model * d_model + d_model
    return vectors + 2 * d_model + num_layers * layer_count(d_model) + pooler


# %% wrong: output_projection_without_bias
# says: Only query, key and value get a bias; the bias of the fourth projection (the output of the attention) is missing in each layer, in both functions.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    D = d_model
    total = vocab_size * D + context * D
    for _ in range(num_layers):
        total += 2 * D
        total += D * 3 * D + 3 * D
        total += D * D
        total += 2 * D
        total += D * 4 * D + 4 * D
        total += 4 * D * D + D
    return total + 2 * D


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    D, F = d_model, d_ff
    per_layer = 4 * D * D + 3 * D + 2 * D * F + F + D + 4 * D
    around = D * (vocab_size + max_length + type_vocab) + 2 * D + D * (D + 1)
    return around + per_layer * num_layers
