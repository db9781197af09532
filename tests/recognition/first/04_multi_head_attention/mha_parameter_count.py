# %% wrong: value_bias_key_dim
# says: gives the value's bias the width of the key
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 3 * num_heads * key_dim + d_model
    return count


# %% wrong: use_bias_ignored
# says: counts the biases always
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    count += 2 * num_heads * key_dim + num_heads * value_dim + d_model
    return count


# %% wrong: key_dim_total
# says: takes key_dim for the width of all heads together
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * key_dim + 2 * d_model * value_dim
    if use_bias:
        count += 2 * key_dim + value_dim + d_model
    return count


# %% wrong: output_bias_stays
# says: use_bias=False takes away three biases only, that of the output stays
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    count += d_model
    if use_bias:
        count += 2 * num_heads * key_dim + num_heads * value_dim
    return count


# %% right: way_1
# why: a loop over the four projections, a number at a time
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    inner = {"query": key_dim, "key": key_dim, "value": key_dim if value_dim is None else value_dim}
    count = 0
    for width in inner.values():
        for _ in range(num_heads):
            count += d_model * width
            if use_bias:
                count += width
    count += num_heads * inner["value"] * d_model
    if use_bias:
        count += d_model
    return count


# %% right: way_2
# why: NumPy: the shapes of the arrays, their products added up; a NumPy integer
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    v = key_dim if value_dim is None else value_dim
    kernels = np.array([[d_model, num_heads, key_dim]] * 2 + [[d_model, num_heads, v]] * 2)
    biases = np.array([num_heads * key_dim, num_heads * key_dim, num_heads * v, d_model]) * int(use_bias)
    return kernels.prod(axis=1).sum() + biases.sum()
