# %% wrong: next_level_above
# says: searchsorted returns the next level at or above the value, so values are rounded up instead of to the nearest level.
def quantize(vectors, bits):
    levels = np.linspace(-1.0, 1.0, 2**bits)
    clipped = np.clip(vectors.astype(np.float64), -1.0, 1.0)
    return levels[np.searchsorted(levels, clipped)]


# %% wrong: level_number_in_uint8
# says: The number of the level is stored in 8 bits, so for more than 8 bits large numbers wrap around and the values land on wrong levels.
def quantize(vectors, bits):
    gaps = 2**bits - 1
    unit = (np.clip(vectors, -1, 1) + 1) / 2
    codes = np.rint(unit * gaps).astype(np.int64).astype(np.uint8)
    return codes / gaps * 2.0 - 1.0


# %% wrong: clips_in_place
# says: The clipping is written into the given array, so the caller's vectors are modified.
def quantize(vectors, bits):
    v = vectors
    v[v > 1] = 1
    v[v < -1] = -1
    step = 2 / (2**bits - 1)
    return np.round((v + 1) / step) * step - 1


# %% right: between_midpoints
# why: counts how many midpoints between neighbouring levels lie below a value, which is the number of its nearest level and clips by itself
def quantize(vectors, bits):
    levels = np.linspace(-1.0, 1.0, 2**bits)
    midpoints = (levels[:-1] + levels[1:]) / 2
    return levels[np.digitize(vectors, midpoints)]
