# %% wrong: sign_turned
# says: The distance is m - n here, query minus key. It is key minus query, n - m: keys after the query have positive distances.
# self-check: sign is reversed
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[np.clip(p[:, None] - p[None, :], -r, r) + r]

# %% wrong: not_clipped
# says: Distances beyond R run out of the table. Clip them to -R and R first.
# self-check: out of the table
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[p[None, :] - p[:, None] + r]

# %% wrong: wraps_around
# says: Distances beyond R begin again at the other end of the table, so that a far key counts as near. Clip them.
# self-check: clip the distance
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[(p[None, :] - p[:, None] + r) % len(table)]

# %% wrong: middle_off_by_one
# says: The middle of the table does not belong to distance 0. R is len(table) // 2, and R is added.
# self-check: off by one
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[np.clip(np.clip(p[None, :] - p[:, None], -r, r) + r + 1, 0, 2 * r)]

# %% wrong: clipped_too_early
# says: You clip at R - 1, so that the outermost entries of the table are never used.
# self-check: clip at R
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    inner = max(r - 1, 0)
    return table[np.clip(p[None, :] - p[:, None], -inner, inner) + r]

# %% wrong: direction_lost
# says: The absolute value loses the direction: a key before and a key after the query get the same bias.
# self-check: direction is lost
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[np.clip(abs(p[None, :] - p[:, None]), -r, r) + r]

# %% wrong: zero_beyond_the_radius
# says: Beyond R you put 0. Distances beyond R share the outermost entries.
# self-check: no bias here
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    d = p[None, :] - p[:, None]
    return np.where(np.abs(d) <= r, table[np.clip(d, -r, r) + r], 0.0)

# %% wrong: without_adding_the_radius
# says: A negative index counts from the end of the table. Add R, so that distance -R is index 0.
# self-check: add R before
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(length)
    return table[np.clip(p[None, :] - p[:, None], -r, r)]

# %% wrong: radius_is_the_length
# says: R is not the length of the table: a table of 2R + 1 numbers reaches from -R to R.
# self-check: R is len(table) // 2
def relative_bias(length, table):
    r = len(table)
    p = np.arange(length)
    return table[np.clip(p[None, :] - p[:, None], -r, r) + r]

# %% wrong: radius_from_the_length
# says: R does not come from the length of the sentence but from the table: len(table) // 2.
# self-check: R is len(table) // 2
def relative_bias(length, table):
    r = length - 1
    p = np.arange(length)
    return table[np.clip(p[None, :] - p[:, None], -r, r) + r]

# %% wrong: bound_by_the_table
# says: Your matrix has the size of the table. It is (length, length), however short the table.
# self-check: shape
def relative_bias(length, table):
    r = len(table) // 2
    p = np.arange(r + 1)
    return table[np.clip(p[None, :] - p[:, None], -r, r) + r]

# %% wrong: one_row_for_all
# says: Every row is the same: the bias depends on the key's position, not on its distance from the query.
# self-check: all rows are the same
def relative_bias(length, table):
    r = len(table) // 2
    return np.tile(table[np.clip(np.arange(length), -r, r) + r], (length, 1))

# %% wrong: radius_zero_fails
# says: A table of one number, R = 0, is allowed: every pair has this bias.
# self-check: R = 0
def relative_bias(length, table):
    r = len(table) // 2
    if r == 0:
        return np.zeros((length, length))
    p = np.arange(length)
    return table[np.clip(p[None, :] - p[:, None], -r, r) + r]

# %% wrong: zero_taken_for_missing
# says: You take a bias of 0 for one that is missing from the table, since 0 counts as False. Ask whether the distance is in the table.
def relative_bias(length, table):
    radius = len(table) // 2
    biases = {distance: table[distance + radius] for distance in range(-radius, radius + 1)}
    return np.array([[biases.get(n - m) or table[-1 if n > m else 0] for n in range(length)] for m in range(length)])

# %% right: double_loop
# why: one pair at a time, into lists
def relative_bias(length, table):
    radius = (len(table) - 1) // 2
    return [[table[max(-radius, min(radius, j - i)) + radius] for j in range(length)] for i in range(length)]

# %% right: padded_and_shifted
# why: the table, continued by its ends, seen through a window that moves by one per row
def relative_bias(length, table):
    radius = len(table) // 2
    far = np.pad(table, length, mode="edge")
    middle = radius + length
    return np.stack([far[middle - i : middle - i + length] for i in range(length)])

# %% right: one_hot_sum
# why: a sum over the entries of the table, each where its distance is
def relative_bias(length, table):
    radius = len(table) // 2
    d = np.subtract.outer(np.arange(length), np.arange(length)).T
    d = np.minimum(np.maximum(d, -radius), radius)
    return sum(b * (d == k - radius) for k, b in enumerate(table))

# %% right: with_keras
# why: an embedding of the distances, in single precision
def relative_bias(length, table):
    ops = keras.ops
    radius = len(table) // 2
    places = ops.arange(length)
    index = ops.clip(places[None] - places[:, None], -radius, radius) + radius
    return ops.convert_to_numpy(ops.take(ops.convert_to_tensor(table, "float32"), index, axis=0))

# %% equivalent
# because: clipping -R to the range from the distance to R gives the distance clipped to -R and R
# was: return table[np.clip(distance, -radius, radius) + radius]
# now: return table[np.clip(-radius, distance, radius) + radius]
