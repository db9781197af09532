# %% wrong: starts_at_one
# says: the first row is position 1
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(1, length + 1)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: transposed
# says: columns down, positions across
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).T


# %% wrong: base_ignored
# says: writes 10000 instead of the argument
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * 10000.0 ** (-2 * (columns // 2) / depth)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% wrong: library_divisor
# says: divides by depth / 2 - 1 as some libraries do, so the last pair reaches the base itself
def sinusoidal_encoding(length, depth, base=10000.0):
    columns = np.arange(depth)
    angles = np.arange(length)[:, None] * base ** (-(columns // 2) / max(depth / 2 - 1, 1))
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


# %% right: way_1
# why: loops with math.sin and math.cos
import math


def sinusoidal_encoding(length, depth, base=10000.0):
    table = []
    for t in range(length):
        row = []
        for column in range(depth):
            angle = t * base ** (-2 * (column // 2) / depth)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        table.append(row)
    return np.array(table)


# %% right: way_2
# why: stacked pairs of sine and cosine, one pair too many cut off for an odd depth
def sinusoidal_encoding(length, depth, base=10000.0):
    speeds = np.power(float(base), -np.arange(0, depth, 2) / depth)
    angles = np.outer(np.arange(length), speeds)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, -1)[:, :depth]
