# %% wrong: output_bias_per_head
# says: The bias of the output projection is counted with H * V numbers (like that of the values) instead of d_model.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    hk, hv = num_heads * key_dim, num_heads * value_dim
    total = 2 * d_model * hk + 2 * d_model * hv
    if use_bias:
        total += 2 * hk + 2 * hv
    return total


# %% wrong: output_reads_key_width
# says: The kernel of the output projection is counted as H * key_dim times d_model, although the merged heads have H * value_dim columns.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = key_dim if value_dim is None else value_dim
    hk, hv = num_heads * key_dim, num_heads * value_dim
    total = 2 * d_model * hk + d_model * hv + hk * d_model
    if use_bias:
        total += 2 * hk + hv + d_model
    return total


# %% right: bias_as_an_extra_input
# why: Counts each bias as one more input row of its projection.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    extra = int(use_bias)
    into_heads = (d_model + extra) * num_heads * (key_dim + key_dim + value_dim)
    return into_heads + (num_heads * value_dim + extra) * d_model
