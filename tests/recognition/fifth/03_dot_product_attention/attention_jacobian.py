# %% wrong: cov_default_normalisation
# says: np.cov by default divides as for a sample (ddof=1) instead of by the sum of the weights, so the covariance is too large by the factor 1 / (1 - sum of squared weights), and nan if one key has all the weight.
def attention_jacobian(query, key, value):
    K, V = len(query), value.shape[1]
    weights = given_masked_softmax(key @ query / np.sqrt(K))
    both = np.cov(value.T, key.T, aweights=weights)
    return both[:V, V:] / np.sqrt(K)


# %% wrong: plain_means
# says: Values and keys are compared with their plain means over all keys instead of their means under the attention weights, so the result is right only if the weights are equal.
def attention_jacobian(query, key, value):
    root = np.sqrt(key.shape[1])
    w = given_masked_softmax(key @ query / root)
    dv = value - value.mean(axis=0)
    dk = key - key.mean(axis=0)
    return np.einsum("s,sa,sb->ab", w, dv, dk) / root


# %% right: cov_with_bias
# why: With aweights and ddof=0, np.cov is exactly the covariance under the weights; the block of values against keys, divided by the root of K, is the Jacobian.
def attention_jacobian(query, key, value):
    K, V = len(query), value.shape[1]
    weights = given_masked_softmax(key @ query / np.sqrt(K))
    return np.cov(value.T, key.T, aweights=weights, ddof=0)[:V, V:] / np.sqrt(K)
