# %% wrong: root_of_the_full_width
# says: Divides the scores by the square root of D, the width of all heads together, instead of K, the width of one head.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def project(x, name):
        y = x @ weights["w_" + name] + weights["b_" + name]
        B, T, D = y.shape
        return y.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(query.shape[-1])
    attention = given_masked_softmax(scores, mask)
    heads = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return heads @ weights["w_o"] + weights["b_o"], attention


# %% wrong: keys_projected_from_value
# says: Projects the argument value with w_k for the keys and never uses the argument key, so the result is wrong whenever key and value differ.
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    def project(x, name):
        y = x @ weights["w_" + name] + weights["b_" + name]
        B, T, D = y.shape
        return y.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(value, "k"), project(value, "v")
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    attention = given_masked_softmax(scores, mask)
    heads = (attention @ v).swapaxes(1, 2).reshape(query.shape)
    return heads @ weights["w_o"] + weights["b_o"], attention
