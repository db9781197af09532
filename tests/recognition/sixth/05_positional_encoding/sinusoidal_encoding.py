# %% wrong: sines_and_cosines_in_halves
# says: Puts all sines into the first half of the columns and all cosines into the second instead of alternating them.
def sinusoidal_encoding(length, depth, base=10000.0):
    turns = float(base) ** (-np.arange(0, depth, 2) / depth)
    angles = np.arange(length)[:, None] * turns
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :depth]


# %% wrong: odd_depth_rounded_up
# says: An odd depth is raised to the next even number and the last column cut off, so the frequencies are those of D + 1 and not of D.
def sinusoidal_encoding(length, depth, base=10000.0):
    even = depth + depth % 2
    turns = float(base) ** (-np.arange(0, even, 2) / even)
    angles = np.arange(length)[:, None] * turns
    out = np.zeros((length, even))
    out[:, 0::2] = np.sin(angles)
    out[:, 1::2] = np.cos(angles)
    return out[:, :depth]
