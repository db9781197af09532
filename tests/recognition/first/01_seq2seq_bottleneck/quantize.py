# %% wrong: middles_of_bins
# says: cuts the range into 2 ** bits bins and takes their middles, so -1 and 1 are no levels
def quantize(vectors, bits):
    bins = 2**bits
    index = np.floor((np.clip(vectors, -1, 1) + 1) / 2 * bins)
    index = np.minimum(index, bins - 1)
    return (index + 0.5) / bins * 2 - 1


# %% wrong: no_clip
# says: does not clip, so values outside of the range go to levels that do not exist
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return np.round((vectors + 1) / 2 * gaps) / gaps * 2 - 1


# %% wrong: changes_the_input
# says: clips with assignments into the array that was handed in
def quantize(vectors, bits):
    gaps = 2**bits - 1
    vectors[vectors > 1] = 1
    vectors[vectors < -1] = -1
    return np.round((vectors + 1) / 2 * gaps) / gaps * 2 - 1


# %% wrong: one_level_too_many
# says: 2 ** bits gaps instead of 2 ** bits levels, so there is one level too many (and 0 is one of them)
def quantize(vectors, bits):
    clipped = np.clip(vectors, -1, 1)
    gaps = 2**bits
    return np.round((clipped + 1) / 2 * gaps) / gaps * 2 - 1


# %% right: way_2
# why: np.searchsorted among the middles between the levels; no rounding and no clipping needed
def quantize(vectors, bits):
    levels = np.linspace(-1, 1, 2**bits)
    middles = (levels[1:] + levels[:-1]) / 2
    return levels[np.searchsorted(middles, vectors)]


# %% right: way_3
# why: keras.ops in the dtype of the input, and rounding in units of a gap, half a gap away from the ends
def quantize(vectors, bits):
    gaps = 2**bits - 1
    steps = keras.ops.round((keras.ops.clip(vectors, -1, 1) + 1) * (gaps / 2))
    return np.array(keras.ops.convert_to_numpy(steps * (2 / gaps) - 1))
