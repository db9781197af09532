# %% wrong: cuts_off
# says: astype(int) cuts off instead of rounding, so each value goes to the level below
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return ((np.clip(vectors, -1, 1) + 1) / 2 * gaps).astype(int) / gaps * 2 - 1


# %% wrong: bits_is_the_number_of_levels
# says: makes 2 * bits levels instead of 2 ** bits (the same for 1 and 2 bits)
def quantize(vectors, bits):
    gaps = 2 * bits - 1
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps) / gaps * 2 - 1


# %% wrong: own_range
# says: spreads the levels over the smallest to the largest value of the input instead of over -1 to 1
def quantize(vectors, bits):
    gaps = 2**bits - 1
    clipped = np.clip(vectors, -1, 1)
    low, high = clipped.min(), clipped.max()
    return np.round((clipped - low) / (high - low) * gaps) / gaps * (high - low) + low


# %% wrong: level_numbers
# says: returns the numbers of the levels, 0 to 2 ** bits - 1, and forgets to stretch back to -1..1
def quantize(vectors, bits):
    gaps = 2**bits - 1
    return np.round((np.clip(vectors, -1, 1) + 1) / 2 * gaps)


# %% right: way_1
# why: plain loops over the values; the nearest of a list of levels is found with min and abs
def quantize(vectors, bits):
    count = 2**bits
    result = []
    for row in vectors.tolist():
        new_row = []
        for value in row:
            value = max(-1.0, min(1.0, value))
            below = min(int((value + 1) / 2 * (count - 1)), count - 1)
            candidates = [-1 + 2 * j / (count - 1) for j in (below, min(below + 1, count - 1))]
            new_row.append(min(candidates, key=lambda level: abs(level - value)))
        result.append(new_row)
    return np.array(result, dtype=float)


# %% right: way_4
# why: floor(x + 1/2) instead of round (ties go up), and clipping the level number at the end instead of the value
def quantize(vectors, bits):
    top = 2**bits - 1
    level = np.floor((np.asarray(vectors, dtype=np.float64) + 1) * top / 2 + 0.5)
    level = np.minimum(np.maximum(level, 0), top)
    return (2 * level - top) / top
