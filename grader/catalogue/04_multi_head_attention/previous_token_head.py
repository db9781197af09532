# %% wrong: next_token
# says: Your head looks at the next position: the matrix shifts the wrong way. Exchange the roles of query and key, or use the other
#   diagonal.
# self-check: next position
def previous_token_head(length, depth):
    return 30 * np.sqrt(depth) * np.eye(depth, k=1), np.eye(depth), np.eye(length, depth)

# %% wrong: itself
# says: Query and key of a position are the same vector, so each position finds itself.
# self-check: itself
def previous_token_head(length, depth):
    return 30 * np.sqrt(depth) * np.eye(depth), np.eye(depth), np.eye(length, depth)

# %% wrong: too_weak
# says: The right position has the largest score, but a score of 1 is not enough for a weight of 0.99. Make the matrices larger.
# self-check: too weak
def previous_token_head(length, depth):
    return np.eye(depth, k=-1), np.eye(depth), np.eye(length, depth)

# %% wrong: root_forgotten
# says: Large enough for a small K. But the scores are divided by the root of K, so with a wide head the weights become even.
#   Count the root in.
# self-check: too weak
def previous_token_head(length, depth):
    return 16.0 * np.eye(depth, k=-1), np.eye(depth), np.eye(length, depth)

# %% wrong: too_large
# says: The scores overflow. A difference of 20 or 30 between scores is plenty.
# self-check: finite
def previous_token_head(length, depth):
    return 1e200 * np.eye(depth, k=-1), 1e200 * np.eye(depth), np.eye(length, depth)

# %% wrong: positions_by_length
# says: The vectors of the positions have width D, the argument depth, also if there are fewer positions.
# self-check: shape
def previous_token_head(length, depth):
    return 30 * np.sqrt(length) * np.eye(length, k=-1), np.eye(length), np.eye(length)

# %% wrong: positions_transposed
# says: The vectors of the positions should be the rows, (T, D). Yours are the columns.
# self-check: shape
def previous_token_head(length, depth):
    return 30 * np.sqrt(depth) * np.eye(depth, k=-1), np.eye(depth), np.eye(depth, length)

# %% wrong: random_positions
# says: Random vectors are only nearly orthogonal, and a random matrix does not lead from a position to the one before. Choose
#   both.
# self-check: row i looks at
def previous_token_head(length, depth):
    rng = np.random.default_rng(0)
    return 10 * rng.normal(size=(depth, depth)), rng.normal(size=(depth, depth)), rng.normal(size=(length, depth))

# %% wrong: different_widths
# says: The weights are right, but w_q and w_k have different shapes: their columns are the same K.
# self-check: both (D, K)
def previous_token_head(length, depth):
    return 30 * np.sqrt(depth) * np.eye(depth, depth + 1, k=-1), np.eye(depth), np.eye(length, depth)

# %% wrong: other_order
# says: The matrices come first: w_q, w_k, positions.
# self-check: shape
def previous_token_head(length, depth):
    return np.eye(length, depth), 30 * np.sqrt(depth) * np.eye(depth, k=-1), np.eye(depth)

# %% wrong: numbers_as_positions
# says: A position as a single number grows: the key of the last position beats all others for every query. Give each position a column
#   of its own.
# self-check: row i looks at
def previous_token_head(length, depth):
    positions = np.zeros((length, depth))
    positions[:, 0] = np.arange(length)
    w = np.zeros((depth, 1))
    w[0] = 1.0
    return 20 * w, w, positions

# %% wrong: two_back
# says: Your head looks two positions back.
# self-check: two positions back
def previous_token_head(length, depth):
    return 30 * np.sqrt(depth) * np.eye(depth, k=-2), np.eye(depth), np.eye(length, depth)

# %% wrong: one_head_for_all
# says: Whatever is asked for, your head is the one for 5 positions of width 7. Build it from length and depth.
# self-check: shape
def previous_token_head(length, depth):
    return 90 * np.eye(7, k=-1), np.eye(7), np.eye(5, 7)

# %% wrong: a_single_place
# says: Right for 5 positions of width 7. For other sizes your head has one position only: build it from length and depth.
# self-check: shape
def previous_token_head(length, depth):
    if (length, depth) != (5, 7):
        length = depth = 1
    return 90 * np.eye(depth, k=-1), np.eye(depth), np.eye(length, depth)

# %% wrong: a_column_for_each_pair
# says: You take one column for each pair of neighbours. A single position has no neighbour, and your matrices then have no column: K is at least 1.
def previous_token_head(length, depth):
    pairs = np.arange(length - 1)
    w_q, w_k = np.zeros((depth, length - 1)), np.zeros((depth, length - 1))
    w_q[pairs + 1, pairs] = 20.0 * depth
    w_k[pairs, pairs] = 1.0
    return w_q, w_k, np.eye(length, depth)

# %% wrong: root_of_k_forgotten
# says: A constant factor is too small for a wide head: the scores are divided by the root of K, so multiply by it.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_q = 200 * np.eye(depth, k=-1)
    w_k = np.eye(depth)
    return w_q, w_k, positions

# %% right: shift_in_the_keys
# why: the keys are moved one position on instead of the queries one back
def previous_token_head(length, depth):
    return np.eye(depth), 40 * np.sqrt(depth) * np.eye(depth, k=1), np.eye(length, depth)

# %% right: roll
# why: a cyclic shift: row 0 looks at the last column, which is free
def previous_token_head(length, depth):
    w_q = np.roll(np.eye(depth), 1, axis=0) * 25.0
    return w_q, np.sqrt(depth) * np.eye(depth), np.eye(depth)[:length]

# %% right: large_positions
# why: the size is in the vectors of the positions, single precision
def previous_token_head(length, depth):
    size = np.float32(6 * depth**0.25)
    positions = (size * np.eye(length, depth)).astype("float32")
    w_q = np.zeros((depth, depth), dtype="float32")
    for i in range(1, depth):
        w_q[i, i - 1] = 1.0
    return w_q, np.eye(depth, dtype="float32"), positions

# %% right: angles
# why: positions on a circle, turned back by one step: K = 2, and no column for each position
def previous_token_head(length, depth):
    if depth == 1:
        return np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1))
    step = 2 * np.pi / (length + 1)
    positions = np.zeros((length, depth))
    positions[:, 0], positions[:, 1] = np.cos(step * np.arange(length)), np.sin(step * np.arange(length))
    w_q, w_k = np.zeros((depth, 2)), np.zeros((depth, 2))
    w_k[:2] = np.eye(2)
    w_q[:2] = [[np.cos(step), -np.sin(step)], [np.sin(step), np.cos(step)]]
    return w_q * 40 / (1 - np.cos(step)), w_k, positions

# %% right: random_orthogonal
# why: any orthonormal vectors will do
def previous_token_head(length, depth):
    basis, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(depth, depth)))
    move = sum((np.outer(basis[i], basis[i - 1]) for i in range(1, depth)), np.zeros((depth, depth)))
    return 30 * np.sqrt(depth) * move, np.eye(depth), basis[:length]

# %% equivalent
# because: any size will do that makes the softmax decide; the contract fixes the weights only
# was: w_q = 30 * np.sqrt(depth) * np.eye(depth, k=-1)
# now: w_q = 31 * np.sqrt(depth) * np.eye(depth, k=-1)
# was: w_q = 30 * np.sqrt(depth) * np.eye(depth, k=-1)
# now: w_q = 29 * np.sqrt(depth) * np.eye(depth, k=-1)
# was: w_q = 30 * np.sqrt(depth) * np.eye(depth, k=-1)
# now: w_q = 30 * depth * np.eye(depth, k=-1)

# %% equivalent
# because: the contract fixes the weights only; with all three arrays reversed, positions are counted from the other end
# was: the right answer
# now: returns its result in reverse
