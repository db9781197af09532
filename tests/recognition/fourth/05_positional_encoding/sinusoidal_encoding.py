# %% wrong: odd_depth_rounded_up
# says: Computes the frequencies for the next even depth if the depth is odd and cuts off the last cosine, so all pairs but the first are wrong then.
def sinusoidal_encoding(length, depth, base=10000.0):
    even = depth + depth % 2
    i = np.arange(even // 2)
    angle = np.arange(length)[:, None] * base ** (-2.0 * i / even)
    table = np.zeros((length, even))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table[:, :depth]


# %% wrong: column_index_in_exponent
# says: Puts the column j in the exponent, base ** (-j / D), instead of 2 * (j // 2), so a cosine has a lower frequency than its sine.
def sinusoidal_encoding(length, depth, base=10000.0):
    j = np.arange(depth)
    angle = np.arange(length)[:, None] / base ** (j / depth)
    return np.where(j % 2 == 0, np.sin(angle), np.cos(angle))


# %% wrong: last_pair_gets_one_over_base
# says: Lets the last pair of the table have the frequency 1 / base, instead of the first pair beyond it.
def sinusoidal_encoding(length, depth, base=10000.0):
    pairs = (depth + 1) // 2
    omega = np.geomspace(1.0, 1.0 / base, pairs)
    angle = np.arange(length)[:, None] * omega
    table = np.zeros((length, depth))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)[:, : depth // 2]
    return table


# %% right: way_1
# why: Writes each pair as one complex number exp(i (pi / 2 - angle)) = sin + i cos and reads the memory as floats.
def sinusoidal_encoding(length, depth, base=10000.0):
    exponent = -2.0 * np.arange((depth + 1) // 2) / depth
    angle = np.outer(np.arange(length), float(base) ** exponent)
    pairs = np.exp(1j * (np.pi / 2 - angle))
    return np.ascontiguousarray(pairs).view(np.float64)[:, :depth]
