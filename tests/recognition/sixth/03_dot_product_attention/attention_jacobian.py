# %% wrong: root_forgotten_in_derivative
# says: The weights use the scaled scores, but the derivative of the score with respect to the query lacks the factor 1 / sqrt(K).
def attention_jacobian(query, key, value):
    w = given_masked_softmax(key @ query / np.sqrt(len(query)))
    return (value - w @ value).T @ (w[:, None] * key)


# %% wrong: softmax_treated_as_independent
# says: Uses only the diagonal w (1 - w) of the softmax's derivative, as if each weight depended on its own score alone.
def attention_jacobian(query, key, value):
    w = given_masked_softmax(key @ query / np.sqrt(len(query)))
    return value.T @ ((w * (1 - w))[:, None] * key) / np.sqrt(len(query))


# %% right: sum_over_pairs_of_keys
# why: Sums over all pairs of keys, w_i w_j (v_i - v_j)(k_i - k_j) / 2, the covariance written with differences.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    w = given_masked_softmax(key @ query / root)
    dv = value[:, None] - value[None]
    dk = key[:, None] - key[None]
    return np.einsum("i,j,ija,ijb->ab", w, w, dv, dk) / (2 * root)
