# %% wrong: zero_beyond_r
# says: Distances beyond R on either side get the bias 0 instead of the outermost entry of the table.
def relative_bias(length, table):
    table = np.asarray(table)
    R = len(table) // 2
    places = np.arange(length)
    distance = places[None, :] - places[:, None]
    bias = table[np.clip(distance, -R, R) + R]
    return np.where(np.abs(distance) <= R, bias, 0.0)


# %% wrong: direction_lost
# says: Uses the absolute distance, so keys before the query get the bias of the same distance after the query, and the first half of the table is never used.
def relative_bias(length, table):
    table = np.asarray(table)
    R = (len(table) - 1) // 2
    places = np.arange(length)
    distance = np.minimum(np.abs(places[:, None] - places[None, :]), R)
    return table[R + distance]
