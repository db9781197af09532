# %% wrong: output_kernel_with_key_dim
# says: The kernel of the output projection is counted with key_dim rows per head, but it reads the values, so with a value_dim of its own the count is wrong.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    if value_dim is None:
        value_dim = key_dim
    hk, hv = num_heads * key_dim, num_heads * value_dim
    count = d_model * hk + d_model * hk + d_model * hv + hk * d_model
    if use_bias:
        count += hk + hk + hv + d_model
    return count


# %% wrong: output_bias_per_head
# says: It counts one output bias of width d_model for each head; there is only one for all heads together, so the count is too large with more than one head.
def mha_parameter_count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    value_dim = value_dim or key_dim
    per_head = 2 * d_model * key_dim + d_model * value_dim + value_dim * d_model
    if use_bias:
        per_head += 2 * key_dim + value_dim + d_model
    return num_heads * per_head
