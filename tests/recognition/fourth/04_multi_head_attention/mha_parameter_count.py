# %% wrong: output_kernel_from_key_dim
# says: Gives W_O a row for each of H * K columns; it must be H * V, which differs if `value_dim` is given.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    kernels = 2 * d_model * num_heads * key_dim + d_model * num_heads * value_dim + num_heads * key_dim * d_model
    biases = 2 * num_heads * key_dim + num_heads * value_dim + d_model
    return kernels + biases if use_bias else kernels


# %% wrong: value_bias_from_key_dim
# says: Counts three biases of width H * K, although that of the values has width H * V.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 3 * num_heads * key_dim + d_model
    return count


# %% wrong: output_bias_always
# says: Without biases it still counts the bias of the output projection.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    b = 1 if use_bias else 0
    query = (d_model + b) * num_heads * key_dim
    key = (d_model + b) * num_heads * key_dim
    value = (d_model + b) * num_heads * value_dim
    output = num_heads * value_dim * d_model + d_model
    return query + key + value + output


# %% right: way_1
# why: Takes each projection as one matrix with an extra row for the bias, and sums the products of the shapes.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    import math

    widths = [key_dim, key_dim, value_dim or key_dim]
    shapes = [(d_model, num_heads * w) for w in widths]
    shapes.append(shapes[-1][::-1])
    return sum(math.prod((rows + bool(use_bias), columns)) for rows, columns in shapes)
