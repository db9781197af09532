# %% wrong: full_turns
# says: multiplies the angles by 2 pi
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = 2 * np.pi * np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: positive_exponent
# says: the exponent is positive: later pairs turn faster
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: twice_column
# says: takes the i of 2i for the number of the column
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-2 * columns / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: exchanged
# says: cosines in the even columns
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 1, np.sin(angles), np.cos(angles))


# %% right: way_4
# why: powers of complex numbers, one row from the row before; double precision kept by cumprod
def sinusoidal_encoding(length, depth, base=10000.0):
    pairs = (depth + 1) // 2
    step = np.exp(1j * base ** (-2.0 * np.arange(pairs) / depth))
    z = np.cumprod(np.concatenate([np.ones((1, pairs)), np.tile(step, (length - 1, 1))]), axis=0)
    table = np.empty((length, 2 * pairs))
    table[:, 0::2], table[:, 1::2] = z.imag, z.real
    return table[:, :depth]


# %% right: way_3
# why: Keras operations in single precision; the cosine as a sine a quarter turn ahead; a tensor
def sinusoidal_encoding(length, depth, base=10000.0):
    ops = keras.ops
    columns = ops.arange(depth, dtype="float32")
    speeds = ops.power(ops.cast(base, "float32"), -2.0 * ops.floor(columns / 2) / depth)
    angles = ops.arange(length, dtype="float32")[:, None] * speeds[None, :]
    return ops.sin(angles + (columns % 2) * (np.pi / 2))
