# %% wrong: no_tanh
# says: leaves the tanh out, so the score is a sum of a part of the query and a part of the key
def additive_scores(query, key, w_query, w_key, v):

    q = query @ w_query
    k = key @ w_key
    return (q[:, :, None] + k[:, None]) @ v


# %% wrong: softmax_too
# says: returns weights instead of scores, because the softmax follows anyway
def additive_scores(query, key, w_query, w_key, v):

    hidden = np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None])
    scores = hidden @ v
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% wrong: one_projection
# says: projects query and key with the same matrix, as if both lived in one space
def additive_scores(query, key, w_query, w_key, v):

    hidden = np.tanh((query @ w_query)[:, :, None] + (key @ w_query)[:, None])
    return hidden @ v


# %% wrong: reshaped
# says: gives the projected keys the shape (B, 1, S, A) of the wrong memory order: reshapes a transposed array
def additive_scores(query, key, w_query, w_key, v):

    q = query @ w_query
    k = np.transpose(key @ w_key, (0, 2, 1))
    B, A, S = k.shape
    return np.tanh(q[:, :, None] + k.reshape(B, 1, S, A)) @ v


# %% right: way_2
# why: vectorised with einsum; keys are laid along axis 2 by expand_dims, float64 throughout
def additive_scores(query, key, w_query, w_key, v):

    q = np.einsum("btd,da->bta", query, w_query)
    k = np.einsum("bsd,da->bsa", key, w_key)
    hidden = np.tanh(np.expand_dims(q, 2) + np.expand_dims(k, 1))
    return np.einsum("btsa,a->bts", hidden, v)
