# %% wrong: numbers_as_places
# says: the number of the place as a vector: products of numbers are largest for the last place, not for i - 1
def previous_token_head(length, depth):
    positions = np.repeat(np.arange(length)[:, None], depth, axis=1) / length
    w_k = np.eye(depth)
    w_q = 100.0 * np.sqrt(depth) * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: too_soft
# says: forgets that a softmax needs large scores: ones only
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: negative
# says: makes the score of the wanted place the smallest instead of the largest
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = -100.0 * np.sqrt(depth) * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: ten
# says: a factor of 10 that forgets the root of K in the denominator
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 10.0 * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% right: way_4
# why: whole numbers instead of floats, Keras' identity for the keys, a list as result
def previous_token_head(length, depth):
    w_q = 1000 * depth * np.eye(depth, k=-1, dtype=int)
    return [w_q, keras.ops.eye(depth, dtype="int32"), np.eye(length, depth, dtype=int)]


# %% right: way_1
# why: one-hot places filled in by loops; only the matrix of the query is large
def previous_token_head(length, depth):
    positions = np.zeros((length, depth))
    w_q, w_k = np.zeros((depth, depth)), np.zeros((depth, depth))
    for t in range(length):
        positions[t, t] = 1.0
    for d in range(depth):
        w_k[d, d] = 1.0
        if d > 0:
            w_q[d, d - 1] = 30.0 * depth
    return w_q, w_k, positions
