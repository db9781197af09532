# %% wrong: output_from_keys
# says: The output matrix of the attention takes num_heads * key_dim rows, though it reads the values, so key_dim counts three times and value_dim once.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 3 * d_model * num_heads * key_dim + d_model * num_heads * value_dim
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: last_norms
# says: One more norm is counted at the end of the encoder's and of the decoder's stack, as pre-norm models have it; the table has none.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + feed_forward + 2 * norm) + norm
    decoder = num_layers * (2 * attention + feed_forward + 3 * norm) + norm
    return encoder + decoder + vocab_size * d_model


# %% wrong: decoder_counted_as_encoder_plus_attention
# says: The decoder layer gets its second attention but not the norm that comes with it, so it has two norms.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * (key_dim + value_dim)
    feed_forward = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    norms = 2 * (2 * d_model)
    encoder = attention + feed_forward + norms
    decoder = encoder + attention
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% right: way_1
# why: lists the shape of every array of the model and sums their sizes
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    keys, values = (num_heads * int(key_dim), num_heads * int(value_dim))
    attention = [(d_model, keys), (d_model, keys), (d_model, values), (values, d_model)]
    feed_forward = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,), (d_model,)]
    shapes = [(vocab_size, d_model)]
    for sublayers in ("an fn", "an an fn"):
        for _ in range(num_layers):
            for letter in sublayers.replace(" ", ""):
                shapes += {"a": attention, "f": feed_forward, "n": norm}[letter]
    total = 0
    for shape in shapes:
        size = 1
        for side in shape:
            size *= int(side)
        total += size
    return total
