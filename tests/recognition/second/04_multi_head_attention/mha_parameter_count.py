# %% wrong: d_model_over_heads
# says: takes D / H for the width of a head, whatever key_dim says
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    key_dim = d_model // num_heads
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 2 * num_heads * key_dim + num_heads * value_dim + d_model
    return count


# %% wrong: biases_per_head
# says: counts the biases of one head only
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 2 * key_dim + value_dim + d_model
    return count


# %% wrong: float
# says: gives a float, as it works with D / H style divisions
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 2 * num_heads * key_dim + num_heads * value_dim + d_model
    return count / 1


# %% wrong: value_dim_total
# says: takes value_dim for the width of all heads together
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim / num_heads
    count = 2 * d_model * num_heads * key_dim + 2 * d_model * num_heads * value_dim
    if use_bias:
        count += 2 * num_heads * key_dim + num_heads * value_dim + d_model
    return int(count)


# %% right: way_3
# why: builds the layer and asks Keras
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim=value_dim, use_bias=use_bias)
    layer.build((1, 1, d_model), (1, 1, d_model))
    return layer.count_params()
