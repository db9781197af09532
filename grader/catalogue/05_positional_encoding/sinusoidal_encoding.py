# %% wrong: concatenated
# says: All sines come first and all cosines after them. The paper alternates them, column by column.
# self-check: alternate
def sinusoidal_encoding(length, depth, base=10000.0):
    angles = np.arange(length)[:, None] * base ** (-2 * np.arange((depth + 1) // 2) / depth)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :depth]

# %% wrong: exponent_per_column
# says: Each column has its own frequency. The two columns of a pair share one: count pairs, not columns.
# self-check: share one angle
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-columns / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: exponent_without_two
# says: Pair D would have the frequency 1/base here, and it should be pair D/2: the frequencies shrink only half as fast.
# self-check: at pair D, twice
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-(columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: degrees
# says: You converted the angles from degrees. They are in radians already, which np.sin and np.cos expect.
# self-check: degrees
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.deg2rad(np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth))
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: full_turns
# says: You multiplied by 2 pi. One unit of the angle is a radian, not a full turn.
# self-check: full turn
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = 2 * np.pi * np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: cosine_first
# says: Cosine and sine are swapped: even columns hold the sine.
# self-check: swapped
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.cos(angles), np.sin(angles))

# %% wrong: odd_depth_fails
# says: An odd depth raises an error: there is one cosine fewer than sines, so the two slices have different widths.
# self-check: one cosine fewer
def sinusoidal_encoding(length, depth, base=10000.0):
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, depth, 2) / depth)
    out = np.zeros((length, depth))
    out[:, 0::2] = np.sin(angles)
    out[:, 1::2] = np.cos(angles)
    return out

# %% wrong: odd_depth_rounded_up
# says: For an odd depth you made the table of the next even depth and cut it. Keep the real depth in the formula.
# self-check: real depth
def sinusoidal_encoding(length, depth, base=10000.0):
    even = depth + depth % 2
    columns = np.arange(even)
    angles = np.arange(length)[:, None] * base ** (-2 * (columns // 2) / even)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))[:, :depth]

# %% wrong: odd_depth_padded
# says: For an odd depth the last column is zero. It is a sine.
# self-check: real depth
def sinusoidal_encoding(length, depth, base=10000.0):
    even = depth - depth % 2
    columns = np.arange(even)
    angles = np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    table = np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
    return np.pad(table, ((0, 0), (0, depth - even)))

# %% wrong: starts_at_one
# says: Your first row is position 1. Counting starts at 0.
# self-check: starts at 0
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(1, length + 1)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: base_ignored
# says: Your code contains 10000 where the argument base belongs.
# self-check: argument base
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * 10000.0 ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: positive_exponent
# says: Your frequencies grow from pair to pair. Later pairs must rotate more slowly, not faster.
# self-check: rotate faster
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: last_pair_at_base
# says: Your last pair has the frequency 1/base, as in tensor2tensor (it divides by D/2 - 1). In the paper the first pair beyond the table would have it (D/2).
# self-check: D/2 - 1
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    last = max((depth + 1) // 2 - 1, 1)
    angles = np.arange(length)[:, None] * base ** (-(columns // 2) / last)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% wrong: transposed
# says: Rows and columns are exchanged: one row per position.
# self-check: positions run down
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)[:, None]
    angles = np.arange(length) * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))

# %% right: double_loop
# why: one entry at a time
def sinusoidal_encoding(length, depth, base=10000.0):
    import math
    rows = []
    for t in range(length):
        row = []
        for i in range(0, depth, 2):
            angle = t / base ** (i / depth)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row[:depth])
    return rows

# %% right: slices
# why: even and odd columns are filled one after the other; the cosine takes one angle less
def sinusoidal_encoding(length, depth, base=10000.0):
    angles = np.outer(np.arange(length), np.exp(np.arange(0, depth, 2) * -(np.log(base) / depth)))
    out = np.zeros((length, depth))
    out[:, 0::2] = np.sin(angles)
    out[:, 1::2] = np.cos(angles[:, : depth // 2])
    return out

# %% right: phase
# why: a cosine is a sine a quarter turn ahead
def sinusoidal_encoding(length, depth, base=10000.0):
    c = np.arange(depth)
    return np.sin(np.arange(length)[:, None] / np.power(base, (c - c % 2) / depth) + (c % 2) * np.pi / 2)

# %% right: turned_step_by_step
# why: each row is the row before, times one complex factor per pair
def sinusoidal_encoding(length, depth, base=10000.0):
    step = np.exp(1j * base ** (-np.arange(0, depth, 2) / depth))
    z, rows = np.ones_like(step), []
    for _ in range(length):
        rows.append(np.stack([z.imag, z.real], axis=-1).ravel()[:depth])
        z = z * step
    return np.array(rows)

# %% right: float32_with_keras
# why: tensors in single precision
def sinusoidal_encoding(length, depth, base=10000.0):
    ops = keras.ops
    c = np.arange(depth)
    angles = ops.arange(length, dtype="float32")[:, None] * np.float32(base ** (-(c - c % 2) / depth))
    return ops.convert_to_numpy(ops.where(c % 2 == 0, ops.sin(angles), ops.cos(angles)))
