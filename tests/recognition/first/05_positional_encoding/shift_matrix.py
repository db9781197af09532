# %% wrong: sin_cos_exchanged
# says: sine and cosine have changed places in the block
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = offset * base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[sin, cos], [cos, -sin]]
    return matrix


# %% wrong: degrees
# says: takes the angles for degrees
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = np.radians(offset * base ** (-2 * i / depth))
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


# %% wrong: blocks_every_column
# says: puts the blocks at i instead of at 2i, so they overlap
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = offset * base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[i : i + 2, i : i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


# %% wrong: offset_ignored
# says: moves by 1 whatever the offset
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


# %% right: way_2
# why: diagonals of cosines and, beside them, sines, all at once
def shift_matrix(offset, depth, base=10000.0):
    if depth & 1:
        raise ValueError("an odd depth has a sine without a partner")
    angles = np.repeat(offset * base ** (-np.arange(0, depth, 2) / depth), 2)
    sines = np.sin(angles)
    sines[1::2] = 0
    return np.diag(np.cos(angles)) + np.diag(sines[:-1], 1) - np.diag(sines[:-1], -1)


# %% right: way_1
# why: loops over rows and columns, every entry by its own case
import math


def shift_matrix(offset, depth, base=10000.0):
    if depth % 2 == 1:
        raise ValueError(f"depth {depth} is odd")
    rows = []
    for r in range(depth):
        angle = offset * base ** (-2 * (r // 2) / depth)
        row = [0.0] * depth
        row[r] = math.cos(angle)
        row[r + 1 if r % 2 == 0 else r - 1] = math.sin(angle) if r % 2 == 0 else -math.sin(angle)
        rows.append(row)
    return np.array(rows)
