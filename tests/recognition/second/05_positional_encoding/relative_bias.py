# %% wrong: value_of_clip
# says: clips the bias instead of the distance
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.clip(places[None, :] - places[:, None], -R, R)
    return np.clip(table[distance + R], -R, R)


# %% wrong: clip_one_side
# says: clips far keys only; places far before the query wrap around
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.minimum(places[None, :] - places[:, None], R)
    return table[(distance + R) % len(table)]


# %% wrong: r_rounded_up
# says: takes (len + 1) // 2 for R: the middle is off by one
def relative_bias(length, table):
    R = (len(table) + 1) // 2
    places = np.arange(length)
    distance = np.clip(places[None, :] - places[:, None], -R, R)
    return table[np.minimum(distance + R, len(table) - 1)]


# %% wrong: whole_table_only
# says: uses the table as it is: works if the length is at most R + 1
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    return np.array([table[R - i : R - i + length] for i in places])


# %% right: way_1
# why: loops with min and max
def relative_bias(length, table):
    R = (len(table) - 1) // 2
    result = np.empty((length, length))
    for i in range(length):
        for j in range(length):
            result[i, j] = table[max(-R, min(R, j - i)) + R]
    return result


# %% right: way_4
# why: np.fromfunction, clipping after R was added (the same thing with the borders moved)
def relative_bias(length, table):
    R = len(table) // 2
    return np.fromfunction(lambda i, j: np.take(table, j - i + R, mode="clip"), (length, length), dtype=int)
