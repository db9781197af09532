# %% wrong: reshaped_not_transposed
# says: The scores are computed with the key axis before the query axis and then reshaped to (B, T, S) instead of transposed, so the shape is right but the scores belong to the wrong pairs.
def additive_scores(query, key, w_query, w_key, v):
    B, T, _ = query.shape
    S = key.shape[1]
    q = (query @ w_query)[:, None, :, :]
    k = (key @ w_key)[:, :, None, :]
    scores = np.tanh(q + k) @ v
    return scores.reshape(B, T, S)


# %% wrong: tanh_before_the_sum
# says: It applies tanh to the projected query and the projected key separately and adds the results; tanh should be applied to their sum.
def additive_scores(query, key, w_query, w_key, v):
    def hidden(vectors, matrix):
        return np.tanh(vectors @ matrix)

    pairs = np.expand_dims(hidden(query, w_query), 2) + np.expand_dims(hidden(key, w_key), 1)
    return np.einsum("btsa,a->bts", pairs, v)
