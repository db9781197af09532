# %% wrong: scale_by_d_model
# says: The scale is the root of K, the width of one head, not that of d_model: each score is a sum of K products. Yours makes all weights too even.
# self-check: root of d_model
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(query.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: no_scale
# says: The scores are not divided by the root of K, so the weights are too sharp.
# self-check: scale is missing
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1)
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: divided_by_key_width
# says: The scores are divided by K; it should be its root.
# self-check: scale is off
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / q.shape[-1]
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: no_output_projection
# says: The heads lie side by side but nothing mixes them: w_o and b_o are missing.
# self-check: output projection
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged, attention

# %% wrong: no_output_bias
# says: The bias of the output, b_o, is missing.
# self-check: b_o is missing
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"], attention

# %% wrong: no_biases
# says: The projections of query, key and value have biases too: b_q, b_k, b_v.
# self-check: b_q
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: heads_averaged
# says: You average the heads' weights, so the layer has one head again. Each head multiplies its own weights with its own values.
# self-check: averaged
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    attention = np.broadcast_to(attention.mean(axis=1, keepdims=True), attention.shape)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: heads_averaged_in_the_output
# says: The output uses the mean of the heads' weights. Each head multiplies its own weights with its own values.
# self-check: averaged
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention.mean(axis=1, keepdims=True) @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: softmax_over_queries
# says: The softmax runs over the queries, so columns sum to 1. Every query has to share out a weight of 1 over the keys.
# self-check: over the queries
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores.swapaxes(-2, -1), None if mask is None else np.broadcast_to(mask, scores.shape).swapaxes(-2, -1)).swapaxes(-2, -1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_inverted
# says: The mask is inverted: True means may attend.
# self-check: inverted
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, None if mask is None else ~np.asarray(mask))
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_ignored
# says: The mask has no effect. Hand it on to the softmax.
# self-check: no effect
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_without_head_axis
# says: A mask with three axes meets scores with four: its B lands on the axis of the heads. Insert an axis after B.
# self-check: axis of the heads
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_axis_for_all
# says: You insert an axis of the heads into every mask. Masks with two or four axes fit as they are.
# self-check: axis of the heads
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_axis_in_front
# says: The new axis of the mask belongs after B, not before it.
# self-check: axis of the heads
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_after_softmax
# says: You multiply the weights by the mask after the softmax. The rows no longer sum to 1: forbidden keys have taken their share.
# self-check: before the softmax
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores) * (1 if mask is None else mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: mask_times_scores
# says: You multiply the scores by the mask. A forbidden score becomes 0, and exp(0) is 1, so its key still gets weight.
# self-check: multiplies the scores
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores if mask is None else scores * mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: empty_row_uniform
# says: With -1e9 in place of forbidden scores a row in which all are forbidden becomes uniform. It should attend to nothing and give b_o.
# self-check: empty row
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores if mask is None else np.where(mask, scores, -1e9))
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: empty_row_nan
# says: A row of -inf gives nan: zero divided by zero. A row that may attend to nothing has zero weights.
# self-check: nan
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention = e / e.sum(axis=-1, keepdims=True)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: empty_row_without_bias
# says: An empty row brings zeros home, and the output of zeros is b_o. You set the output of such rows to zero.
# self-check: b_o
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    output = merged @ weights["w_o"] + weights["b_o"]
    empty = ~attention.any(axis=(1, 3))
    return np.where(empty[..., None], 0, output), attention

# %% wrong: key_as_value
# says: The values are made from key. The arguments come as query, value, key.
# self-check: key was used as value
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(key, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: value_and_key_swapped
# says: Value and key are exchanged. The arguments come as query, value, key.
# self-check: value comes before key
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(value, "k"), heads(key, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: split_by_reshape
# says: A reshape to (B, H, T, K) in one go mixes words. Reshape to (B, T, H, K) first, then exchange axes.
# self-check: split
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(len(x), num_heads, x.shape[1], -1)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: split_interleaved
# says: The columns of one head are a block. Yours are every H-th column.
# self-check: split
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], -1, num_heads).transpose(0, 3, 1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: merge_by_reshape
# says: Before the heads are laid side by side, T has to come before H again. A reshape alone mixes words.
# self-check: merge
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: merge_interleaved
# says: The columns of one head belong side by side before w_o; yours are mixed like cards.
# self-check: interleaved
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).transpose(0, 2, 3, 1).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: weights_transposed
# says: The matrices are applied from the right, x @ w. You transpose them.
# self-check: w_q and w_k are transposed
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name].T + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: returns_scores
# says: The second result should be the weights, after the softmax. You return the scores.
# self-check: not the scores
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], scores

# %% wrong: one_mask_for_the_first_sentence
# says: You use the mask of the first sentence for all of them. A mask with an axis B has a mask for each.
# self-check: mask of the first one
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[0]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: shifted_by_the_largest_of_all
# says: You subtract the largest score of all rows and heads. Where a row's own scores are far below it, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest score of each row.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(scores - scores.max()), 0)
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), total, 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: shifted_by_a_forbidden_score
# says: You subtract the largest score of a row before the mask, a forbidden one perhaps. If all allowed scores are far below it, exp makes zeros of them, and 0 / 0 is nan. Take the largest of the allowed ones.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), total, 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: forbidden_scores_lowered_by_a_thousand
# says: You lower forbidden scores by 1,000. A score of 5,000 is still the largest then, and its key gets the weight. Use -1e9 or -inf.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    lowered = np.where(allowed, scores, scores - 1e3)
    e = np.exp(lowered - lowered.max(axis=-1, keepdims=True)) * allowed.any(axis=-1, keepdims=True)
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), total, 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: shifted_without_a_mask_only
# says: With a mask you do not subtract the largest score, so exp of a large one is inf, and inf / inf is nan.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = scores.max(axis=-1, keepdims=True) if mask is None else 0
    e = np.where(allowed, np.exp(scores - top), 0)
    total = e.sum(axis=-1, keepdims=True)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), total, 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: forbidden_scores_lowered_by_ten_thousand
# says: You lower forbidden scores by 10,000. One of 9,000 is still larger than an allowed one of -9,000. Use -1e9 or -inf.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    lowered = np.where(allowed, scores, scores - 1e4)
    e = np.exp(lowered - lowered.max(axis=-1, keepdims=True)) * allowed.any(axis=-1, keepdims=True)
    attention = e / np.where(e.sum(axis=-1, keepdims=True) > 0, e.sum(axis=-1, keepdims=True), 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: forbidden_scores_of_minus_a_thousand
# says: You set forbidden scores to -1,000. If all allowed ones are below that, the forbidden keys get the weight. Use -1e9 or -inf.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    lowered = np.where(allowed, scores, -1e3)
    e = np.exp(lowered - lowered.max(axis=-1, keepdims=True)) * allowed.any(axis=-1, keepdims=True)
    attention = e / np.where(e.sum(axis=-1, keepdims=True) > 0, e.sum(axis=-1, keepdims=True), 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: largest_score_at_least_zero
# says: You take 0 for a forbidden score where you look for the largest one. If all allowed scores are far below 0, exp makes zeros of them, and 0 / 0 is nan.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, 0).max(axis=-1, keepdims=True)
    e = np.where(allowed, np.exp(scores - top), 0)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: largest_score_of_the_matrix
# says: You subtract the largest score of all queries of a head. Where a row's own scores are far below it, exp makes zeros of all of them. Subtract the largest score of each row.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, -1e30).max(axis=(-2, -1), keepdims=True)
    e = np.where(allowed, np.exp(scores - top), 0)
    attention = e / np.where(allowed.any(axis=-1, keepdims=True), e.sum(axis=-1, keepdims=True), 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: scores_clipped
# says: You clip the scores before exp, so that large ones become equal. Subtract the largest score of each row instead.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if np.ndim(mask) == 3:
        mask = np.asarray(mask)[:, None]
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(np.clip(scores.astype("float64"), -700, 700)), 0)
    attention = e / np.where(e.sum(axis=-1, keepdims=True) > 0, e.sum(axis=-1, keepdims=True), 1)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: zero_score_taken_for_forbidden
# says: You multiply the scores by the mask and take each score of 0 for a forbidden one. An allowed score may be 0 as well: ask the mask where to put minus infinity.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    allowed = True
    if mask is not None:
        scores = scores * (mask[:, None] if mask.ndim == 3 else mask)
        allowed = scores != 0
    attention = given_masked_softmax(scores, allowed)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: square_mask_taken_for_one_of_padding
# says: You take a mask of shape (B, S) for one of padding. With B = T that is the shape of a mask (T, S), the only one of two axes here.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def heads(x, name):
        projected = x @ weights["w_" + name] + weights["b_" + name]
        return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    if mask is not None and mask.shape == (len(query), key.shape[1]):
        mask = mask[:, None]
    if np.ndim(mask) == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores, mask)
    merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return merged @ weights["w_o"] + weights["b_o"], attention

# %% wrong: empty_head_uniform_in_output
# says: A head whose row is empty mixes all values in your output; you set its weights to 0 only afterwards. Mix with the weights that you return.
def split_heads(x, n):
    B, T, D = x.shape
    return x.reshape(B, T, n, D // n).swapaxes(1, 2)
def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    def heads(x, p):
        return split_heads(x @ weights["w_" + p] + weights["b_" + p], num_heads)
    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    s = q @ k.swapaxes(-2, -1) / np.sqrt(D // num_heads)
    m = np.ones(s.shape, bool) if mask is None else np.broadcast_to(mask[:, None] if mask.ndim == 3 else mask, s.shape)
    s = np.where(m, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)                     # an empty row is uniform here, as in Keras
    out = merge_heads(a @ v) @ weights["w_o"] + weights["b_o"]
    a = a * m                                            # zero weights for rows that may attend to nothing
    out = np.where(m.any(axis=(1, 3))[:, :, None], out, weights["b_o"])
    return out, a

# %% wrong: b_v_after_mixing
# says: You add b_v after mixing, which is the same only where the weights of a head sum to 1. In a head whose row is empty they are 0.
def split_heads(x, n):
    B, T, D = x.shape
    return x.reshape(B, T, n, D // n).swapaxes(1, 2)
def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    q, k = (split_heads(x @ weights["w_" + p] + weights["b_" + p], num_heads) for x, p in ((query, "q"), (key, "k")))
    v = split_heads(value @ weights["w_v"], num_heads)
    m = mask[:, None] if np.ndim(mask) == 3 else mask
    a = given_masked_softmax(q @ k.swapaxes(-2, -1) / np.sqrt(D // num_heads), m)
    mixed = merge_heads(a @ v) + weights["b_v"]          # the weights sum to 1
    empty = (a.sum((1, 3)) == 0)[..., None]
    return np.where(empty, 0, mixed) @ weights["w_o"] + weights["b_o"], a

# %% right: loop_over_heads
# why: the output as a sum over heads, each with its slices of the matrices
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads
    if mask is not None:
        mask = np.asarray(mask)
        mask = mask[:, None] if mask.ndim == 3 else mask
        mask = np.broadcast_to(mask, (B, num_heads, T, S))
    output, maps = np.zeros((B, T, D)) + weights["b_o"], []
    for h in range(num_heads):
        c = slice(h * K, (h + 1) * K)
        q, k, v = (x @ weights["w_" + n][:, c] + weights["b_" + n][c] for x, n in ((query, "q"), (key, "k"), (value, "v")))
        scores = np.einsum("btk,bsk->bts", q, k) / K**0.5
        maps.append(given_masked_softmax(scores, None if mask is None else mask[:, h]))
        output = output + maps[-1] @ v @ weights["w_o"][c]
    return output, np.stack(maps, axis=1)

# %% right: einsum_with_kernels
# why: kernels reshaped to (D, H, K) as Keras keeps them
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    D = query.shape[-1]
    K = D // num_heads

    def project(x, n):
        return np.einsum("btd,dhk->bhtk", x, weights["w_" + n].reshape(D, num_heads, K)) + weights["b_" + n].reshape(1, num_heads, 1, K)

    q, k, v = project(query / 1, "q"), project(key, "k"), project(value, "v")
    scores = np.einsum("bhtk,bhsk->bhts", q * K**-0.5, k)
    if mask is not None:
        mask = np.expand_dims(mask, 1) if np.ndim(mask) == 3 else mask
    a = given_masked_softmax(scores, mask)
    return np.einsum("bhts,bhsk,hkd->btd", a, v, weights["w_o"].reshape(num_heads, K, D)) + weights["b_o"], a

# %% right: own_softmax
# why: a softmax of its own with -inf, and empty rows set to zero
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    split = lambda x: np.stack(np.split(x, num_heads, axis=-1), axis=1)
    q = split(query @ weights["w_q"] + weights["b_q"])
    k = split(key @ weights["w_k"] + weights["b_k"])
    v = split(value @ weights["w_v"] + weights["b_v"])
    scores = (q @ np.swapaxes(k, 2, 3)) / np.sqrt(D / num_heads)
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed = allowed & (mask[:, np.newaxis] if mask.ndim == 3 else mask)
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    e = np.where(allowed, np.exp(scores - np.where(np.isfinite(top), top, 0)), 0)
    total = e.sum(axis=-1, keepdims=True)
    a = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
    return np.concatenate([*np.moveaxis(a @ v, 1, 0)], axis=-1) @ weights["w_o"] + weights["b_o"], a

# %% right: loops_over_everything
# why: a loop over sentences, heads and queries
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads
    if mask is None:
        mask = np.ones((T, S), dtype=bool)
    if mask.ndim == 3:
        mask = mask.reshape(mask.shape[0], 1, mask.shape[1], S)
    mask = np.broadcast_to(mask, (B, num_heads, T, S))
    output, attention = np.zeros((B, T, D)), np.zeros((B, num_heads, T, S))
    for b in range(B):
        q, k, v = query[b] @ weights["w_q"] + weights["b_q"], key[b] @ weights["w_k"] + weights["b_k"], value[b] @ weights["w_v"] + weights["b_v"]
        merged = np.zeros((T, D))
        for h in range(num_heads):
            c = range(h * K, (h + 1) * K)
            for t in range(T):
                js = np.flatnonzero(mask[b, h, t])
                if len(js):
                    s = np.array([np.dot(q[t, c], k[j, c]) for j in js]) / np.sqrt(K)
                    e = np.exp(s - s.max())
                    attention[b, h, t, js] = e / e.sum()
                    merged[t, c] = attention[b, h, t] @ v[:, c]
        output[b] = merged @ weights["w_o"] + weights["b_o"]
    return output, attention

# %% right: keras_layer
# why: the Keras layer itself, with empty rows mended
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S = key.shape[1]
    layer = keras.layers.MultiHeadAttention(num_heads, D // num_heads, dtype=str(query.dtype))
    layer.build((1, 1, D), (1, 1, D))
    names = [kind + part for part in "qkvo" for kind in ("w_", "b_")]
    layer.set_weights([np.reshape(weights[n], w.shape) for n, w in zip(names, layer.get_weights())])
    full = np.ones((B, num_heads, T, S), dtype=bool)
    if mask is not None:
        full = full & (np.asarray(mask)[:, None] if np.ndim(mask) == 3 else mask)
    _, a = layer(query, value, key, attention_mask=full, return_attention_scores=True)
    a = np.where(full, np.asarray(a), 0)
    v = (value @ weights["w_v"] + weights["b_v"]).reshape(B, S, num_heads, -1).transpose(0, 2, 1, 3)
    return (a @ v).transpose(0, 2, 1, 3).reshape(B, T, D) @ weights["w_o"] + weights["b_o"], a

# %% right: keras_ops
# why: the same steps as tensors, in the precision of the inputs
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    tensors = {n: keras.ops.convert_to_tensor(w) for n, w in weights.items()}
    D = query.shape[-1]

    def heads(x, n):
        y = keras.ops.matmul(keras.ops.convert_to_tensor(x), tensors["w_" + n]) + tensors["b_" + n]
        return keras.ops.transpose(keras.ops.reshape(y, (x.shape[0], x.shape[1], num_heads, D // num_heads)), (0, 2, 1, 3))

    scores = keras.ops.matmul(heads(query, "q"), keras.ops.transpose(heads(key, "k"), (0, 1, 3, 2))) / (D // num_heads) ** 0.5
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None, :, :]
    a = given_masked_softmax(scores, mask)
    merged = keras.ops.reshape(keras.ops.transpose(keras.ops.matmul(a, heads(value, "v")), (0, 2, 1, 3)), query.shape)
    return keras.ops.matmul(merged, tensors["w_o"]) + tensors["b_o"], a

# %% equivalent
# because: exchanging two axes is the same whichever is named first
# was: return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)
# now: return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(2, 1)
# was: scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
# now: scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
# was: merged = (attention @ v).swapaxes(1, 2).reshape(query.shape)
# now: merged = (attention @ v).swapaxes(2, 1).reshape(query.shape)

# %% equivalent
# because: NumPy takes any negative size for the one to be worked out
# was: return projected.reshape(*projected.shape[:2], num_heads, -1).swapaxes(1, 2)
# now: return projected.reshape(*projected.shape[:2], num_heads, -2).swapaxes(1, 2)
