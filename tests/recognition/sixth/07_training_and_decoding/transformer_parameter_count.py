# %% wrong: output_matrix_from_key_dim
# says: The attention's output matrix is counted with num_heads * key_dim rows instead of num_heads * value_dim, which differs only if the two widths differ.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    query_key_output = 3 * d_model * num_heads * key_dim
    attention = query_key_output + d_model * num_heads * value_dim
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: cross_attention_without_norm
# says: Counts only two norms in a decoder layer instead of three.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * (key_dim + value_dim)
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    two_norms = 4 * d_model
    encoder = attention + feed_forward + two_norms
    decoder = encoder + attention
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% right: sizes_of_real_shapes
# why: Writes down the shapes of all arrays of one pair of layers and adds up their products with math.prod.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    import math
    keys, values = num_heads * key_dim, num_heads * value_dim
    attention = [(d_model, keys), (d_model, keys), (d_model, values), (values, d_model)]
    feed_forward = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,)] * 2
    pair = 3 * attention + 2 * feed_forward + 5 * norm
    return math.prod((vocab_size, d_model)) + num_layers * sum(map(math.prod, pair))
