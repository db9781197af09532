# %% wrong: output_matrix_is_square
# says: The output matrix of the attention is counted as d_model x d_model instead of (num_heads * value_dim) x d_model, which is the same only if num_heads * value_dim equals d_model.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    query = key = d_model * num_heads * key_dim
    value = d_model * num_heads * value_dim
    attention = query + key + value + d_model * d_model
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + ffn + 2 * norm
    decoder = 2 * attention + ffn + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: both_ffn_biases_have_width_d_ff
# says: Both biases of the feed-forward are counted with d_ff numbers; the second one has d_model numbers.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    def attention():
        return num_heads * d_model * (2 * key_dim + 2 * value_dim)

    def feed_forward():
        return 2 * (d_model * d_ff + d_ff)

    total = vocab_size * d_model
    for _ in range(num_layers):
        total += 3 * attention() + 2 * feed_forward() + 5 * 2 * d_model
    return total


# %% right: list_of_shapes
# why: It writes down the shape of every array of the model, repeated as often as it occurs, and adds up the products with Python ints.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    import math

    attention = [(d_model, num_heads, key_dim)] * 2 + [(d_model, num_heads, value_dim), (num_heads, value_dim, d_model)]
    ffn = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder = attention + norm + ffn + norm
    decoder = attention + norm + attention + norm + ffn + norm
    shapes = [(vocab_size, d_model)] + (encoder + decoder) * int(num_layers)
    return sum(math.prod(shape) for shape in shapes)
