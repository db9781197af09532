# %% wrong: one_level_too_many
# says: You have 2 ** bits gaps and so one level too many. b bits tell 2 ** b levels apart, which leave 2 ** b - 1 gaps.
# self-check: one level too many
def quantize(vectors, bits):
    gaps = 2**bits
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps) / gaps * 2 - 1

# %% wrong: rounds_down
# says: You always take the level below. The nearest level may be the one above.
# self-check: always rounds down
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return np.floor((np.clip(vectors, -1, 1) + 1) / 2 * gaps) / gaps * 2 - 1

# %% wrong: not_clipped
# says: You do not clip. A value outside [-1, 1] belongs to the nearest end, and no further level exists there.
# self-check: clip to
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return np.round((vectors + 1) / 2 * gaps) / gaps * 2 - 1

# %% wrong: not_moved_back
# says: You leave the levels between 0 and 1. They have to run from -1 to 1 again.
# self-check: not moved back
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps) / gaps

# %% wrong: bits_are_levels
# says: You take the number of bits for the number of levels. b bits tell 2 ** b levels apart.
# self-check: tell four levels apart
def quantize(vectors, bits):
    gaps = max(1, bits - 1)
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps) / gaps * 2 - 1

# %% wrong: bits_are_decimals
# says: You round to decimal places. A bit is a factor of two, and the levels are counted from -1 to 1.
# self-check: tell four levels apart
def quantize(vectors, bits):
    return np.round(np.clip(vectors, -1, 1), bits)

# %% wrong: middles_of_the_bins
# says: You return the middles of 2 ** bits equal bins. Both ends, -1 and 1, have to be levels themselves.
# self-check: ends are levels
def quantize(vectors, bits):
    bins = 2**bits
    place = np.minimum(np.floor((np.clip(vectors, -1, 1) + 1) / 2 * bins), bins - 1)
    return (place + 0.5) / bins * 2 - 1

# %% wrong: clips_the_callers_array
# says: You clip the array you were given in place. Work on a copy: the caller still needs the exact values.
# self-check: inputs are unchanged
def quantize(vectors, bits):
    gaps = 2**bits - 1
    np.clip(vectors, -1, 1, out=vectors)
    vectors[...] = np.round((vectors + 1) / 2 * gaps) / gaps * 2 - 1
    return vectors

# %% wrong: scaled_to_the_data
# says: You stretch the levels between the smallest and the largest value. They are fixed, from -1 to 1.
# self-check: ends are levels
def quantize(vectors, bits):
    low, high = vectors.min(), vectors.max() + 1e-12
    gaps = 2**bits - 1
    return np.round((vectors - low * 0.9) / (high - low) * gaps) / gaps * (high - low) + low * 0.9

# %% wrong: integer_places
# says: You return the numbers of the levels. The decoder needs the values of the levels, between -1 and 1.
# self-check: holds floats
def quantize(vectors, bits):
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * (2**bits - 1)).astype(int)

# %% right: nearest_in_a_table
# why: all levels in a table, the nearest one for each value
def quantize(vectors, bits):
    levels = np.linspace(-1, 1, 2**bits)
    places = np.searchsorted((levels[1:] + levels[:-1]) / 2, vectors)
    return levels[places]

# %% right: loops
# why: value by value with Python's own rounding
def quantize(vectors, bits):
    gap = 2 / (2**bits - 1)
    rows = [[round((min(max(float(v), -1.0), 1.0) + 1) / gap) * gap - 1 for v in row] for row in vectors]
    return np.array(rows)

# %% right: with_keras_ops
# why: the library's tensors
def quantize(vectors, bits):
    gaps = 2.0**bits - 1
    inside = keras.ops.clip(keras.ops.convert_to_tensor(vectors), -1, 1)
    return keras.ops.convert_to_numpy(keras.ops.round((inside + 1) / 2 * gaps) / gaps * 2 - 1)

# %% right: single_precision
# why: float32 is enough for 16 bits
def quantize(vectors, bits):
    half = (2**bits - 1) / 2
    return (np.rint((np.clip(vectors, -1, 1).astype("float32") + 1) * half) / half - 1).astype("float32")

# %% equivalent
# because: a negative number of gaps mirrors the levels at 0, and they are symmetric; ties are not tested
# was: gaps = 2 ** bits - 1
# now: gaps = 1 - 2 ** bits

# %% equivalent
# because: clipping -1 from below by the values and from above by 1 is the same as clipping the values
# was: places = np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps)
# now: places = np.round((np.clip(-1, vectors, 1) + 1) / 2 * gaps)
