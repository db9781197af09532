# %% wrong: outside
# says: True outside the window: takes True for forbidden
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) > radius


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% wrong: wrap_around
# says: the window wraps around the ends by np.roll-like counting modulo S
def window_mask(T, S, radius):
    mask = np.zeros((T, S), dtype=bool)
    for i in range(T):
        for d in range(-radius, radius + 1):
            mask[i, (i + d) % S] = True
    return mask


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% wrong: shape_s_t
# says: keys as rows and queries as columns
def window_mask(T, S, radius):
    return np.abs(np.arange(S)[:, None] - np.arange(T)) <= radius


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% wrong: slice_end
# says: the end of a slice is exclusive: the last key of the window is lost
def window_mask(T, S, radius):
    mask = np.zeros((T, S), dtype=bool)
    for i in range(T):
        mask[i, max(0, i - radius) : i + radius] = True
    return mask


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% right: way_2
# why: a band as difference of two triangles; rows taken by np.take with argmax
def window_mask(T, S, radius):
    return np.tri(T, S, radius, dtype=bool) & ~np.tri(T, S, -radius - 1, dtype=bool)


def hard_attention(scores, value):
    return np.take(value, scores.argmax(axis=1), axis=0)


# %% right: way_1
# why: pure Python loops; lists made arrays at the end
def window_mask(T, S, radius):
    rows = []
    for i in range(T):
        rows.append([True if -radius <= i - j <= radius else False for j in range(S)])
    return np.array(rows)


def hard_attention(scores, value):
    output = np.empty((len(scores), len(value[0])), dtype=value.dtype)
    for i, row in enumerate(scores):
        at = 0
        for j in range(1, len(row)):
            if row[j] > row[at]:
                at = j
        for v in range(len(value[0])):
            output[i, v] = value[at][v]
    return output
