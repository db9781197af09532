# %% wrong: v_left_out
# says: This is the plain sum of the tanh. Each unit of the hidden layer counts with its weight in v.
# self-check: v has no influence
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None]).sum(axis=-1)

# %% wrong: tanh_outside
# says: You took the tanh of the finished score. The tanh belongs to the hidden layer, before v.
# self-check: tanh
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh(((query @ w_query)[:, :, None] + (key @ w_key)[:, None]) @ v)

# %% wrong: no_tanh
# says: Without the tanh the query adds the same number to all scores of its row, and the softmax forgets it.
# self-check: without a tanh
def additive_scores(query, key, w_query, w_key, v):
    return ((query @ w_query)[:, :, None] + (key @ w_key)[:, None]) @ v

# %% wrong: projections_swapped
# says: w_query projects the queries and w_key the keys; yours are exchanged.
# self-check: swapped
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh((query @ w_key)[:, :, None] + (key @ w_query)[:, None]) @ v

# %% wrong: relu
# says: The hidden layer has a tanh, not a ReLU.
# self-check: ReLU
def additive_scores(query, key, w_query, w_key, v):
    return np.maximum((query @ w_query)[:, :, None] + (key @ w_key)[:, None], 0) @ v

# %% wrong: same_position_only
# says: Only pairs with i = j were scored. Every query meets every key: (B, T, 1, A) + (B, 1, S, A).
# self-check: every query
def additive_scores(query, key, w_query, w_key, v):
    n = min(query.shape[1], key.shape[1])
    return np.tanh(query[:, :n] @ w_query + key[:, :n] @ w_key) @ v

# %% wrong: rows_are_keys
# says: Rows and columns are exchanged: queries are rows (T), keys are columns (S).
# self-check: rows
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, None] + (key @ w_key)[:, :, None]) @ v

# %% wrong: already_weights
# says: Scores are wanted, the softmax comes later.
# self-check: softmax
def additive_scores(query, key, w_query, w_key, v):
    s = np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None]) @ v
    return given_masked_softmax(s) if "given_masked_softmax" in globals() else keras.ops.convert_to_numpy(keras.ops.softmax(s))

# %% wrong: product_of_projections
# says: You multiplied the projections: that is a dot product. Here they are added, and a tanh follows.
# self-check: added
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, :, None] * (key @ w_key)[:, None]) @ v

# %% wrong: two_tanh
# says: You took a tanh of each projection and added afterwards. Add first: the tanh makes query and key interact.
# self-check: interact
def additive_scores(query, key, w_query, w_key, v):
    return (np.tanh(query @ w_query)[:, :, None] + np.tanh(key @ w_key)[:, None]) @ v

# %% wrong: scaled
# says: Additive scores are not divided by the root of a size; that belongs to the dot product.
# self-check: divided
def additive_scores(query, key, w_query, w_key, v):
    hidden = np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None])
    return hidden @ v / np.sqrt(len(v))

# %% wrong: query_with_every_batch
# says: Queries met the keys of the other sentence. The batch axes of both belong together.
# self-check: first axis
def additive_scores(query, key, w_query, w_key, v):
    return np.tanh((query @ w_query)[:, :, None] + (key[::-1] @ w_key)[:, None]) @ v

# %% right: double_loop
# why: pair by pair, slowly
def additive_scores(query, key, w_query, w_key, v):
    out = np.zeros((query.shape[0], query.shape[1], key.shape[1]))
    for b, i, j in np.ndindex(*out.shape):
        out[b, i, j] = np.dot(v, np.tanh(query[b, i] @ w_query + key[b, j] @ w_key))
    return out

# %% right: einsum
# why: the same sums in index notation
def additive_scores(query, key, w_query, w_key, v):
    q, k = np.einsum("btd,da->bta", query, w_query), np.einsum("bsd,da->bsa", key, w_key)
    return np.einsum("btsa,a->bts", np.tanh(np.expand_dims(q, 2) + np.expand_dims(k, 1)), v)

# %% right: with_keras_ops
# why: tensors in between, float32
def additive_scores(query, key, w_query, w_key, v):
    ops = keras.ops
    query, key, w_query, w_key, v = (ops.convert_to_tensor(a, "float32") for a in (query, key, w_query, w_key, v))
    hidden = ops.expand_dims(ops.matmul(query, w_query), 2) + ops.expand_dims(ops.matmul(key, w_key), 1)
    return ops.sum(v * ops.tanh(hidden), axis=-1)

# %% right: one_query_at_a_time
# why: a loop over target positions, as a decoder would do it
def additive_scores(query, key, w_query, w_key, v):
    k = key @ w_key
    rows = [np.tanh((query[:, i] @ w_query)[:, None] + k) @ v for i in range(query.shape[1])]
    return np.stack(rows, axis=1)

# %% right: loop_of_pairs
# why: a loop around the given score of one pair is slow and right
def additive_scores(query, key, w_query, w_key, v):
    return [
        [[given_pair_score(q, k, w_query, w_key, v) for k in keys] for q in queries]
        for queries, keys in zip(query, key)
    ]

# %% right: row_times_column
# why: v^T tanh(...) as it stands in the paper: a row times a column, an array of one element that NumPy 2.1 to 2.3 takes
def additive_scores(query, key, w_query, w_key, v):
    B, T, S = query.shape[0], query.shape[1], key.shape[1]
    scores = np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            for s in range(S):
                hidden = np.tanh(query[b, t] @ w_query + key[b, s] @ w_key)
                scores[b, t, s] = v.reshape(1, -1) @ hidden.reshape(-1, 1)
    return scores
