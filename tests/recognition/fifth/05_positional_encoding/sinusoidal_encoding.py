# %% wrong: cosine_has_its_own_frequency
# says: The frequency is computed from the column number instead of the pair number, so the cosine columns have other angles than the sines of their pair.
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-columns / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: odd_depth_rounded_up
# says: For an odd depth the frequencies are those of depth + 1, because they are spaced over a whole number of pairs; the odd depth should enter the formula as it is.
def sinusoidal_encoding(length, depth, base=10000.0):
    pairs = (depth + 1) // 2
    frequencies = np.geomspace(1.0, 1.0 / base, pairs, endpoint=False)
    out = np.zeros((length, 2 * pairs))
    for t in range(length):
        out[t, 0::2] = np.sin(t * frequencies)
        out[t, 1::2] = np.cos(t * frequencies)
    return out[:, :depth]
