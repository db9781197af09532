# %% wrong: key_dim_not_per_head
# says: In Keras key_dim is the width of one head. All heads together have num_heads * key_dim columns.
# self-check: per head
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = d_model * (2 * key_dim + value_dim) + value_dim * d_model
    return kernels + (2 * key_dim + value_dim + d_model if use_bias else 0)

# %% wrong: four_squares
# says: You count four square matrices. That is right only if num_heads * key_dim equals d_model, which Keras does not ask for.
# self-check: key_dim is not used
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    return 4 * d_model * d_model + (4 * d_model if use_bias else 0)

# %% wrong: no_output_bias
# says: The output projection has a bias too, with d_model numbers.
# self-check: output bias is missing
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = d_model * num_heads * (2 * key_dim + 2 * value_dim)
    return kernels + (num_heads * (2 * key_dim + value_dim) if use_bias else 0)

# %% wrong: output_bias_per_head
# says: The bias of the output has as many numbers as the output is wide, d_model, however wide the heads are.
# self-check: output bias has the wrong size
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = d_model * num_heads * (2 * key_dim + 2 * value_dim)
    return kernels + (num_heads * (2 * key_dim + 2 * value_dim) if use_bias else 0)

# %% wrong: no_biases
# says: By default all four projections have biases, which you leave out.
# self-check: biases are missing
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    return 2 * d_model * num_heads * (key_dim + value_dim)

# %% wrong: no_output_projection
# says: The fourth projection, from the heads back to d_model, is missing.
# self-check: output projection is missing
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    width = num_heads * (2 * key_dim + value_dim)
    return d_model * width + (width if use_bias else 0)

# %% wrong: output_kernel_square
# says: You count W_O as d_model times d_model. It takes in the merged heads, num_heads * value_dim numbers, and only if that equals d_model is it square.
# self-check: W_O is counted as D x D
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = d_model * num_heads * (2 * key_dim + value_dim) + d_model * d_model
    return kernels + (num_heads * (2 * key_dim + value_dim) + d_model if use_bias else 0)

# %% wrong: value_dim_ignored
# says: value_dim is not used. It is the width of the values per head, and with it that of the input of the output projection.
# self-check: value_dim has no effect
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    kernels = 4 * d_model * num_heads * key_dim
    return kernels + (3 * num_heads * key_dim + d_model if use_bias else 0)

# %% wrong: value_dim_not_in_output
# says: The output projection takes in what the heads bring home, num_heads * value_dim numbers, not num_heads * key_dim.
# self-check: what goes into the output projection
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = d_model * num_heads * (2 * key_dim + value_dim) + num_heads * key_dim * d_model
    return kernels + (num_heads * (2 * key_dim + value_dim) + d_model if use_bias else 0)

# %% wrong: use_bias_ignored
# says: use_bias=False leaves out all biases; your count does not change.
# self-check: use_bias has no effect
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = value_dim or key_dim
    return 2 * d_model * num_heads * (key_dim + value_dim) + num_heads * (2 * key_dim + value_dim) + d_model

# %% wrong: output_bias_always
# says: With use_bias=False the output projection has no bias either.
# self-check: no output bias either
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = 2 * d_model * num_heads * (key_dim + value_dim)
    return kernels + d_model + (num_heads * (2 * key_dim + value_dim) if use_bias else 0)

# %% wrong: biases_per_head_once
# says: The biases of query, key and value are per head: multiply them by num_heads as well.
# self-check: biases are per head
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    kernels = 2 * d_model * num_heads * (key_dim + value_dim)
    return kernels + (2 * key_dim + value_dim + d_model if use_bias else 0)

# %% wrong: a_float
# says: The count is a whole number; yours is a float.
# self-check: integer
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    total = 2.0 * d_model * num_heads * (key_dim + value_dim)
    return total + (num_heads * (2 * key_dim + value_dim) + d_model if use_bias else 0)

# %% right: build_the_layer
# why: Keras counts
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim, use_bias=use_bias)
    layer.build((1, 1, d_model), (1, 1, d_model))
    return layer.count_params()

# %% right: four_dense_layers
# why: adds up four projections, each with inputs and outputs
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    q = k = (d_model, num_heads * key_dim)
    v, o = (d_model, num_heads * value_dim), (num_heads * value_dim, d_model)
    return sum((inputs + bool(use_bias)) * outputs for inputs, outputs in (q, k, v, o))

# %% right: head_by_head
# why: a loop over the heads, and numpy integers
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    V = value_dim or key_dim
    count = np.int64(d_model if use_bias else 0)
    for _ in range(num_heads):
        count += 2 * d_model * key_dim + 2 * d_model * V
        count += 2 * key_dim + V if use_bias else 0
    return count
