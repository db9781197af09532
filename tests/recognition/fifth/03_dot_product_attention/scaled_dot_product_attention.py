# %% wrong: power_before_division
# says: K ** 1 / 2 is K divided by 2, not the square root of K, so the scores are divided by the wrong number (it happens to agree for K = 4 only).
def scaled_dot_product_attention(query, value, key, mask=None):
    K = key.shape[-1]
    scores = query @ np.swapaxes(key, -2, -1) / (K ** 1 / 2)
    weights = given_masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: all_false_mask_taken_as_none
# says: It asks np.any(mask) to find out whether there is a mask, so a mask that is False everywhere is treated like no mask at all: the weights are those without a mask instead of zeros.
def scaled_dot_product_attention(query, value, key, mask=None):
    scaled = query / np.sqrt(query.shape[-1])
    scores = np.einsum("...tk,...sk->...ts", scaled, key)
    if np.any(mask):
        weights = given_masked_softmax(scores, mask)
    else:
        weights = given_masked_softmax(scores)
    output = np.matmul(weights, value)
    return output, weights
