# %% wrong: lower_edge_cut_off
# says: In window_mask the key exactly radius positions before the query is excluded, because the lower triangle that is removed is one diagonal too large; after the query the edge is right.
def window_mask(T, S, radius):
    upper = np.tri(T, S, radius, dtype=bool)
    lower = np.tri(T, S, -radius, dtype=bool)
    return upper & ~lower


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=1)]


# %% wrong: close_scores_as_ties
# says: hard_attention treats scores that are merely close to the maximum (np.isclose) as ties and takes the first of them; only exactly equal scores are ties, so a slightly smaller earlier score can win.
def window_mask(T, S, radius):
    return np.array([[abs(i - j) <= radius for j in range(S)] for i in range(T)])


def hard_attention(scores, value):
    rows = []
    for row in scores:
        ties = np.isclose(row, row.max())
        rows.append(value[int(np.flatnonzero(ties)[0])])
    return np.stack(rows)
