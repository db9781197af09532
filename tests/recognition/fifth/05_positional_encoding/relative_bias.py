# %% wrong: zero_beyond_r
# says: Pairs further apart than R get the bias 0, because only the diagonals from -R to R are filled; they should get the first or last entry of the table.
def relative_bias(length, table):
    R = (len(table) - 1) // 2
    bias = np.zeros((length, length))
    for d in range(-R, R + 1):
        bias += table[d + R] * np.eye(length, k=d)
    return bias


# %% wrong: limited_at_one_end
# says: The index is limited only at the upper end; distances below -R give negative indices, which count from the end of the table (or raise an IndexError), instead of the entry for -R.
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    index = np.minimum(places[None, :] - places[:, None] + R, 2 * R)
    return table[index]


# %% right: take_with_clip
# why: np.take with mode="clip" limits every index to the ends of the table, which is the limit of distances to -R and R; no explicit clip is needed.
def relative_bias(length, table):
    distance = -np.subtract.outer(np.arange(length), np.arange(length))
    return np.take(table, distance + len(table) // 2, mode="clip")
