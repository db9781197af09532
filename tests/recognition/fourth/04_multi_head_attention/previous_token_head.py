# %% wrong: forgets_root_of_k
# says: Chooses a fixed score of 30 before the division by the root of K, so with a large depth (K = D) the softmax is too flat.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 30.0 * np.eye(depth, k=-1)
    return w_q, w_k, positions


# %% wrong: ignores_number_of_competitors
# says: Makes the right score log(1000) after scaling, whatever T; with 12 or more positions the others together take more than 0.01.
def previous_token_head(length, depth):
    positions = np.zeros((length, depth))
    for t in range(length):
        positions[t, t] = 1.0
    w_k = np.eye(depth)
    w_q = np.zeros((depth, depth))
    for i in range(1, depth):
        w_q[i, i - 1] = np.log(1000.0) * np.sqrt(depth)
    return w_q, w_k, positions


# %% wrong: next_token
# says: The shift goes in the wrong direction, so query i finds key i + 1.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_k = np.eye(depth)
    w_q = 100.0 * np.sqrt(depth) * np.eye(depth, k=1)
    return w_q, w_k, positions


# %% right: way_1
# why: Puts the positions on a circle in two columns, with K = 2 for any depth; the query matrix rotates back by one step, and the scores are large enough for any length.
def previous_token_head(length, depth):
    theta = 2 * np.pi / length
    angle = theta * np.arange(length)
    positions = np.zeros((length, max(depth, 2)))
    positions[:, 0], positions[:, 1] = np.cos(angle), np.sin(angle)
    size = np.sqrt(30.0) * length
    w_k = size * np.eye(max(depth, 2), 2)
    back = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    w_q = w_k @ back
    return w_q[:depth], w_k[:depth], positions[:, :depth]
