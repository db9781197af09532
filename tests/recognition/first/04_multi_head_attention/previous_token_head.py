# %% wrong: itself
# says: the same matrix for query and key: each place looks at itself
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 100.0 * np.sqrt(depth) * np.eye(depth)
    return w_q, w_k, positions


# %% wrong: single_place_fails
# says: divides by length - 1, which is 0 for a single place
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 100.0 * np.sqrt(depth) * (length - 1) // (length - 1) * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: transposed_positions
# says: the places as columns: positions of shape (D, T)
def previous_token_head(length, depth):
    positions = np.eye(depth, length)
    w_k = np.eye(depth)
    w_q = 100.0 * np.sqrt(depth) * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: fixed_factor
# says: a factor that suffices for the small example, but not for many places or a wide K
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 25.0 * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% right: way_3
# why: places on an arc of a circle, K = 2, the query matrix a rotation back by one step; single precision
def previous_token_head(length, depth):
    step = np.pi / max(length, 2)
    angles = step * np.arange(length)
    positions = np.zeros((length, max(depth, 2)), dtype="float32")
    positions[:, 0], positions[:, 1] = np.cos(angles), np.sin(angles)
    w_k = np.zeros((max(depth, 2), 2), dtype="float32")
    w_k[0, 0] = w_k[1, 1] = 1.0
    w_q = np.zeros_like(w_k)
    w_q[:2] = 1e5 * np.array([[np.cos(step), -np.sin(step)], [np.sin(step), np.cos(step)]])
    return w_q[:depth], w_k[:depth], positions[:, :depth]


# %% right: way_2
# why: np.roll of the identity, the first place looks at the last column; the factor shared by both matrices; K = length
def previous_token_head(length, depth):
    factor = np.sqrt(50.0 * np.sqrt(length))
    w_q = factor * np.roll(np.eye(depth, length), 1, axis=0)
    return w_q, factor * np.eye(depth, length), np.eye(length, depth)
