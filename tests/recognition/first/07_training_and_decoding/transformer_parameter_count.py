# %% wrong: two_norms
# says: two norms in the decoder layer
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 2 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: positions
# says: adds learned positions of 512 places
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 3 * norm
    return num_layers * (encoder + decoder) + (vocab_size + 512) * d_model


# %% wrong: keys_shared
# says: query and key share one matrix
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: output_square
# says: the output matrix of an attention is d_model x d_model
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + d_model * num_heads * value_dim + d_model * d_model
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% right: way_1
# why: loops that add up the sizes of all arrays, one by one
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    count = vocab_size * d_model
    for attentions, norms in ((1, 2), (2, 3)):
        for _ in range(num_layers):
            for _ in range(attentions):
                for width in (key_dim, key_dim, value_dim, value_dim):
                    count += d_model * num_heads * width
            for rows, columns in ((d_model, d_ff), (d_ff, d_model)):
                count += rows * columns + columns
            for _ in range(norms):
                count += d_model + d_model
    return count


# %% right: way_2
# why: NumPy: counts of each kind of part times its size, as a product of vectors; a NumPy integer
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    parts = np.array([[1, 1, 2], [2, 1, 3]]).sum(axis=0)
    sizes = np.array([
        2 * d_model * num_heads * (key_dim + value_dim), 2 * d_model * d_ff + d_ff + d_model, 2 * d_model,
    ])
    return num_layers * (parts @ sizes) + vocab_size * d_model
