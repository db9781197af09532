# %% wrong: looks_at_the_next_word
# says: The shift goes in the wrong direction: the query of position i matches the key of position i + 1.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_q = np.eye(depth, k=1) * 30.0 * np.sqrt(depth)
    w_k = np.eye(depth)
    return w_q, w_k, positions


# %% wrong: scale_too_small_for_long_sentences
# says: The right score is a fixed 6 above the others whatever the length, which gives more than 0.99 only for a few positions; longer sentences get less.
def previous_token_head(length, depth):
    positions = np.eye(length, depth)
    w_q = np.eye(depth, k=-1) * 6.0 * np.sqrt(depth)
    w_k = np.eye(depth)
    return w_q, w_k, positions


# %% right: points_on_a_circle
# why: K is 2: the keys are points on a circle and the queries the points of the previous position, multiplied by a number that grows with the square of the length.
def previous_token_head(length, depth):
    angle = 2 * np.pi * np.arange(length) / (length + 1)
    w_k = np.zeros((depth, 2))
    w_k[:length] = np.column_stack([np.cos(angle), np.sin(angle)])
    w_q = np.zeros((depth, 2))
    step = 2 * np.pi / (length + 1)
    w_q[:length] = np.column_stack([np.cos(angle - step), np.sin(angle - step)])
    gap = 1 - np.cos(step)
    w_q *= 30.0 * np.sqrt(2) / gap
    return w_q, w_k, np.eye(length, depth)
