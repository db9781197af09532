# %% wrong: causal_when_no_mask_is_given
# says: Without a self_mask the answer makes a causal mask of its own. The exercise says that None means no mask and that only the caller makes it causal.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    if self_mask is None:
        T = x.shape[1]
        self_mask = np.tril(np.ones((T, T), dtype=bool))
    own = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    x = given_layer_norm(x + own, **weights["norm1"])
    other = given_multi_head_attention(x, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    x = given_layer_norm(x + other, **weights["norm2"])
    return given_layer_norm(x + given_feed_forward(x, **weights["ffn"]), **weights["norm3"])


# %% wrong: cross_attention_asks_with_the_layer_input
# says: The query of the cross-attention is the input x of the layer instead of the result of the self-attention and its norm. The residual and the rest are right.
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def attend(query, source, name, mask):
        output, _ = given_multi_head_attention(query, source, source, weights[name], num_heads, mask)
        return output

    def norm(a, i):
        return given_layer_norm(a, **weights[f"norm{i}"])

    y1 = norm(x + attend(x, x, "self_attention", self_mask), 1)
    y2 = norm(y1 + attend(x, memory, "cross_attention", memory_mask), 2)
    y3 = norm(y2 + given_feed_forward(y2, **weights["ffn"]), 3)
    return y3
