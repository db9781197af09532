# %% wrong: layers_in_all
# says: num_layers counts both sides together
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 3 * norm
    return num_layers * (encoder + decoder) // 2 + vocab_size * d_model


# %% wrong: no_decoder_ffn
# says: no feed-forward in the decoder layer
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: one_attention
# says: one attention in the decoder layer
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = attention + transform + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model


# %% wrong: output_bias
# says: adds a bias of the output layer
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    transform = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + transform + 2 * norm
    decoder = 2 * attention + transform + 3 * norm
    return num_layers * (encoder + decoder) + vocab_size * d_model + vocab_size


# %% right: way_3
# why: builds the layers in Keras and asks them
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim=value_dim, use_bias=False)
    attention.build((1, 1, d_model), (1, 1, d_model))
    hidden, back = keras.layers.Dense(d_ff), keras.layers.Dense(d_model)
    hidden.build((None, d_model)), back.build((None, d_ff))
    norm = keras.layers.LayerNormalization()
    norm.build((None, d_model))
    layer = 3 * attention.count_params() + 2 * (hidden.count_params() + back.count_params()) + 5 * norm.count_params()
    return num_layers * layer + vocab_size * d_model
