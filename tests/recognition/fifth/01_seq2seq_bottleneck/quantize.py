# %% wrong: rounds_around_zero
# says: It rounds multiples of the gap counted from 0, so 0 becomes a level and -1 and 1 do not (values can even leave the range); it should count from -1.
def quantize(vectors, bits):
    half = (2 ** bits - 1) / 2
    return np.round(np.clip(vectors, -1, 1) * half) / half


# %% wrong: eight_bit_codes
# says: The level numbers are stored as uint8, which holds at most 255, so with more than 8 bits they wrap around and the values come out wrong.
def quantize(vectors, bits):
    levels = np.linspace(-1.0, 1.0, 2 ** bits)
    position = (np.clip(vectors, -1.0, 1.0) + 1.0) / 2.0 * (len(levels) - 1)
    codes = np.rint(position).astype(int).astype(np.uint8)
    return levels[codes]
