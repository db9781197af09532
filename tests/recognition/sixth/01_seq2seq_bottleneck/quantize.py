# %% wrong: rounds_down
# says: Uses floor instead of rounding to the nearest level, so values move to the level below.
def quantize(vectors, bits):
    gaps = 2 ** bits - 1
    scaled = (np.clip(vectors, -1, 1) + 1) / 2 * gaps
    return np.floor(scaled) / gaps * 2 - 1


# %% wrong: rescales_by_largest_value
# says: Divides by the largest absolute value instead of clipping at -1 and 1, so that values between the levels are stretched too.
def quantize(vectors, bits):
    gaps = 2 ** bits - 1
    scaled = vectors / np.maximum(np.abs(vectors).max(), 1.0)
    return np.round((scaled + 1) / 2 * gaps) / gaps * 2 - 1


# %% right: nearest_by_searchsorted
# why: Makes the table of levels and finds each value's level by searching the midpoints between levels; clipping happens by itself.
def quantize(vectors, bits):
    levels = np.linspace(-1, 1, 2 ** bits)
    middles = (levels[:-1] + levels[1:]) / 2
    return levels[np.searchsorted(middles, vectors)]
