# %% wrong: causal_if_no_mask_given
# says: If self_mask is None it makes a causal mask itself, although no mask of its own may be added.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x, memory = np.asarray(x), np.asarray(memory)
    if self_mask is None:
        T = x.shape[1]
        self_mask = np.tril(np.ones((T, T), dtype=bool))
    a = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    x = given_layer_norm(x + a, **weights["norm1"])
    c = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    x = given_layer_norm(x + c, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])


# %% wrong: cross_query_is_the_input
# says: The query of the cross-attention is the layer's input x instead of the result of the first norm (the residual is right).
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x, memory = np.asarray(x), np.asarray(memory)
    looked = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = given_layer_norm(x + looked, **weights["norm1"])
    crossed = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    z = given_layer_norm(y + crossed, **weights["norm2"])
    return given_layer_norm(z + given_feed_forward(z, **weights["ffn"]), **weights["norm3"])
