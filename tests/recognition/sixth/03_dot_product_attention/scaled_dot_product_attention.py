# %% wrong: root_of_the_value_width
# says: Divides by the square root of the width of the values instead of that of the keys.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(value.shape[-1])
    weights = given_masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: scales_after_the_softmax
# says: Divides the weights by the root after the softmax, so they no longer sum to 1 and the scores are not scaled.
def scaled_dot_product_attention(query, value, key, mask=None):
    scores = query @ np.swapaxes(key, -1, -2)
    weights = given_masked_softmax(scores, mask) / np.sqrt(key.shape[-1])
    return weights @ value, weights


# %% right: einsum_with_split_root
# why: Uses einsum with an ellipsis and divides query and key each by the fourth root of the width.
def scaled_dot_product_attention(query, value, key, mask=None):
    root = key.shape[-1] ** 0.25
    scores = np.einsum("...ik,...jk->...ij", query / root, key / root)
    weights = given_masked_softmax(scores, mask)
    return np.einsum("...ij,...jv->...iv", weights, value), weights
