# %% wrong: root_of_k_forgotten
# says: The factor is just large enough for scores without the division by the root of K; after that division the scores are too small and the weight on the previous word stays below 0.99.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    factor = np.log(99 * length) + 1
    w_q = factor * np.eye(depth, k=-1)
    w_k = np.eye(depth)
    return w_q, w_k, positions


# %% wrong: no_column_for_one_position
# says: K is chosen as length - 1, so for a single position the matrices have no columns (K = 0), although K must be at least 1; the scores then divide by the root of 0.
def previous_token_head(length, depth):
    K = length - 1
    positions = np.zeros((length, depth))
    w_q = np.zeros((depth, K))
    w_k = np.zeros((depth, K))
    for i in range(length):
        positions[i, i] = 1.0
    for i in range(1, length):
        w_q[i, i - 1] = 100.0 * np.sqrt(K)
        w_k[i - 1, i - 1] = 1.0
    return w_q, w_k, positions


# %% right: squared_distance
# why: With K = 2 the query (2(i - 1), -1) and the key (j, j * j) have the product (i - 1)^2 - (j - (i - 1))^2, which is largest at j = i - 1; the factor makes the gap to the neighbours at least 20 after the division by the root of 2.
def previous_token_head(length, depth):
    n = np.arange(depth, dtype=float)
    factor = 20 * np.sqrt(2)
    w_q = factor * np.stack([2 * (n - 1), -np.ones(depth)], axis=1)
    w_k = np.stack([n, n ** 2], axis=1)
    return w_q, w_k, np.eye(length, depth)
