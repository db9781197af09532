# %% wrong: direction_lost_by_abs
# says: Uses the absolute value of the offset, so negative offsets shift forward.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth must be even")
    m = np.zeros((depth, depth))
    for i in range(depth // 2):
        b = abs(offset) * float(base) ** (-2 * i / depth)
        m[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return m


# %% wrong: same_angle_in_every_block
# says: Every block rotates by the offset itself; the frequency of the pair is left out.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth must be even")
    block = [[np.cos(offset), np.sin(offset)], [-np.sin(offset), np.cos(offset)]]
    return np.kron(np.eye(depth // 2), block)


# %% right: three_diagonals
# why: Adds three np.diag diagonals (cosines, sines above, minus sines below, with zeros between the blocks) instead of writing blocks.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth must be even")
    b = offset * float(base) ** (-np.arange(0, depth, 2) / depth)
    beside = np.zeros(depth)
    beside[0::2] = np.sin(b)
    beside = beside[:-1]
    return np.diag(np.repeat(np.cos(b), 2)) + np.diag(beside, k=1) - np.diag(beside, k=-1)
