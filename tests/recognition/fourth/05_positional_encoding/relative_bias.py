# %% wrong: long_table_off_centre
# says: Pads the table up to the distances needed and takes entry T - 1 for the centre, which is wrong if the table is longer than needed (R > T - 1).
def relative_bias(length, table):
    R = len(table) // 2
    missing = max(0, length - 1 - R)
    padded = np.pad(table, missing, mode="edge")
    return np.array([padded[length - 1 - m : 2 * length - 1 - m] for m in range(length)])


# %% wrong: result_of_integers
# says: Creates the result with `zeros_like` of the integer distances, so the biases lose their fractions.
def relative_bias(length, table):
    R = len(table) // 2
    distance = np.arange(length)[None, :] - np.arange(length)[:, None]
    out = np.zeros_like(distance)
    for m in range(length):
        for n in range(length):
            out[m, n] = table[min(max(distance[m, n], -R), R) + R]
    return out


# %% wrong: far_distances_wrap_around
# says: Brings distances beyond R back into the table with a modulo, instead of clipping them.
def relative_bias(length, table):
    R = (len(table) - 1) // 2
    n = np.arange(length)
    return table[(n[None, :] - n[:, None] + R) % len(table)]


# %% right: way_1
# why: Extends the table at its edges by T on each side; the rows are windows of it, each one step further left.
def relative_bias(length, table):
    R = len(table) // 2
    line = np.pad(table, length, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(line, length)
    return windows[length + R - np.arange(length)]
