# %% wrong: slice_from_negative
# says: For queries near the beginning the slice starts at the negative number i - radius, which Python counts from the end, so these rows lose their allowed keys.
def window_mask(T, S, radius):
    mask = np.zeros((T, S), dtype=bool)
    for i in range(T):
        mask[i, i - radius : i + radius + 1] = True
    return mask


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% wrong: distance_below_radius
# says: The window allows distances smaller than radius only; a key at a distance of exactly radius has to be allowed too.
def window_mask(T, S, radius):
    return np.abs(np.subtract.outer(np.arange(T), np.arange(S))) < radius


def hard_attention(scores, value):
    best = [row.tolist().index(row.max()) for row in scores]
    return np.stack([value[j] for j in best])


# %% wrong: nearly_equal_is_a_tie
# says: hard_attention takes the first key whose score is close to the maximum, but only exactly equal scores are ties.
def window_mask(T, S, radius):
    return np.array([[abs(i - j) <= radius for j in range(S)] for i in range(T)])


def hard_attention(scores, value):
    highest = scores.max(axis=1, keepdims=True)
    first = np.isclose(scores, highest).argmax(axis=1)
    return np.take(value, first, axis=0)


# %% right: between_two_triangles
# why: the window is one lower triangle without a smaller one; Python's max over key positions returns the first of equals
def window_mask(T, S, radius):
    return np.tri(T, S, radius, dtype=bool) & ~np.tri(T, S, -radius - 1, dtype=bool)


def hard_attention(scores, value):
    return np.array([value[max(range(len(row)), key=row.__getitem__)] for row in scores])
