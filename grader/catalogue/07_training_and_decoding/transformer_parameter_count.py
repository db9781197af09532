# %% wrong: one_attention_in_the_decoder
# says: A decoder layer has two attentions: to itself and to the memory.
# self-check: two attentions
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (2 * a + 2 * f + 5 * n)

# %% wrong: untied
# says: You counted the vocabulary's matrix three times. It is tied: source, target and output share one.
# self-check: tied
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return 3 * vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: output_apart
# says: You counted the vocabulary's matrix twice, once more for the target or for the output layer. One tied matrix serves all three.
# self-check: tied
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return 2 * vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: two_norms_in_the_decoder
# says: A decoder layer has three norms, one for each sublayer.
# self-check: three norms
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 4 * n)

# %% wrong: norm_without_beta
# says: A norm has two vectors, gamma and beta.
# self-check: gamma and beta
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f = 2 * d_model * d_ff + d_ff + d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * d_model)

# %% wrong: attention_with_biases
# says: You counted biases in the attention. The paper's has none.
# self-check: no biases
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim) + num_heads * (2 * key_dim + value_dim) + d_model
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: feed_forward_without_biases
# says: The feed-forward has two biases, of d_ff and of d_model numbers.
# self-check: two biases
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * num_heads * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: widths_not_per_head
# says: key_dim and value_dim are per head: multiply by num_heads.
# self-check: per head
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 2 * d_model * (key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: values_as_wide_as_keys
# says: You used key_dim for the values too. They have a width of their own.
# self-check: value_dim
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = 4 * d_model * num_heads * key_dim
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% wrong: no_output_matrix
# says: The output matrix of the attention is missing: num_heads * value_dim rows, d_model columns.
# self-check: output matrix
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    a = d_model * num_heads * (2 * key_dim + value_dim)
    f, n = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    return vocab_size * d_model + num_layers * (3 * a + 2 * f + 5 * n)

# %% right: list_of_shapes
# why: every array of the model listed, sizes added up
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    wide, high = num_heads * key_dim, num_heads * value_dim
    attention = [(d_model, wide), (d_model, wide), (d_model, high), (high, d_model)]
    ffn = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,), (d_model,)]
    layer = (attention + ffn + 2 * norm) + (2 * attention + ffn + 3 * norm)
    return int(sum(int(np.prod(s)) for s in layer * num_layers + [(vocab_size, d_model)]))

# %% right: closed_formula
# why: one formula
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    return d_model * vocab_size + num_layers * (6 * d_model * num_heads * (key_dim + value_dim) + 4 * d_model * d_ff + 2 * d_ff + 12 * d_model)

# %% right: numpy_integer
# why: a numpy integer counts as well
def transformer_parameter_count(num_layers, d_model, d_ff, num_heads, key_dim, value_dim, vocab_size):
    parts = np.array([2 * d_model * num_heads * (key_dim + value_dim), 2 * d_model * d_ff + d_ff + d_model, 2 * d_model])
    return np.int64(vocab_size * d_model + num_layers * (parts @ np.array([3, 2, 5])))
