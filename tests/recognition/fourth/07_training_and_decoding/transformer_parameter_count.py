# %% wrong: vocabulary_per_language
# says: The matrix of the vocabulary is counted twice, once for the encoder and once for the decoder, though one tied matrix serves everything and counts once.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    attention = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    embedding = vocab_size * d_model
    encoder = embedding + num_layers * (attention + feed_forward + 2 * norm)
    decoder = embedding + num_layers * (2 * attention + feed_forward + 3 * norm)
    return encoder + decoder


# %% wrong: square_output
# says: The output projection of the attention is taken as d_model x d_model; it leads from num_heads * value_dim back to d_model.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    def attention():
        w_q = d_model * num_heads * key_dim
        w_k = d_model * num_heads * key_dim
        w_v = d_model * num_heads * value_dim
        w_o = d_model * d_model
        return w_q + w_k + w_v + w_o

    def ffn():
        return (d_model + 1) * d_ff + (d_ff + 1) * d_model

    total = vocab_size * d_model
    for _ in range(num_layers):
        total += attention() + ffn() + 2 * (d_model + d_model)
        total += 2 * attention() + ffn() + 3 * (d_model + d_model)
    return total


# %% wrong: two_equal_biases
# says: Both biases of the feed-forward are given d_ff numbers; the second layer's bias has d_model, because it belongs to the output.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    keys = num_heads * key_dim
    values = num_heads * value_dim
    per_attention = sum([d_model * keys, d_model * keys, d_model * values, values * d_model])
    per_ffn = 2 * (d_model * d_ff + d_ff)
    per_norm = 2 * d_model
    counts = {"attention": 1 + 2, "ffn": 1 + 1, "norm": 2 + 3}
    layer_pair = counts["attention"] * per_attention + counts["ffn"] * per_ffn + counts["norm"] * per_norm
    return num_layers * layer_pair + vocab_size * d_model


# %% right: way_1
# why: It lists the shape of every single array of one layer pair and adds the products, so nothing is factored out by hand.
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    import math

    L, D, F, H, K, W, V = map(int, (num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size))
    attention = [(D, H, K), (D, H, K), (D, H, W), (H, W, D)]
    hidden = [(D, F), (F,), (F, D), (D,)]
    norm = [(D,), (D,)]
    arrays = (attention + hidden + norm * 2) + (attention * 2 + hidden + norm * 3)
    return math.prod((V, D)) + sum(math.prod(shape) for shape in arrays * L)
