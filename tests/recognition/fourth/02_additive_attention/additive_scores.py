# %% wrong: tanh_before_the_sum
# says: tanh is applied to the projected query and the projected key separately and then they are added; it has to act on their sum.
def additive_scores(query, key, w_query, w_key, v):
    q = np.tanh(query @ w_query)
    k = np.tanh(key @ w_key)
    return np.einsum("btsa,a->bts", q[:, :, None] + k[:, None], v)


# %% wrong: reshaped_not_transposed
# says: The scores are computed as (B, S, T) and brought to (B, T, S) with reshape instead of a transpose, so they end up at wrong pairs of query and key.
def additive_scores(query, key, w_query, w_key, v):
    B, T, _ = query.shape
    S = key.shape[1]
    q, k = query @ w_query, key @ w_key
    scores = []
    for b in range(B):
        for j in range(S):
            hidden = np.tanh(k[b, j] + q[b])
            scores.append(hidden @ v)
    return np.array(scores).reshape(B, T, S)


# %% wrong: squeezes_every_axis
# says: np.squeeze without an axis removes every axis of size 1, so with one sentence, one query or one key the result is not (B, T, S) any more.
def additive_scores(query, key, w_query, w_key, v):
    q = np.expand_dims(np.matmul(query, w_query), 2)
    k = np.expand_dims(np.matmul(key, w_key), 1)
    column = v.reshape(-1, 1)
    return np.squeeze(np.matmul(np.tanh(q + k), column))


# %% right: joined_pairs
# why: joins each query with each key into one vector and multiplies by the two projections stacked, which is the same sum
def additive_scores(query, key, w_query, w_key, v):
    (B, T, Dq), (_, S, Dk) = query.shape, key.shape
    pairs = np.concatenate(
        [np.broadcast_to(query[:, :, None], (B, T, S, Dq)), np.broadcast_to(key[:, None], (B, T, S, Dk))], axis=3
    )
    return np.dot(np.tanh(np.dot(pairs, np.vstack([w_query, w_key]))), v)
