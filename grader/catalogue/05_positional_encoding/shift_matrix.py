# %% wrong: moves_back
# says: Your matrix moves by -k: the sine has the other sign (or rows and columns are exchanged).
# self-check: moves back
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = offset * base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
    return r

# %% wrong: pairs_of_halves
# says: You paired column i with column i + D/2. The encoding is interleaved: the pairs are (0, 1), (2, 3), ...
# self-check: interleaved
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    a = offset * base ** (-np.arange(0, depth, 2) / depth)
    return np.block([[np.diag(np.cos(a)), np.diag(np.sin(a))], [np.diag(-np.sin(a)), np.diag(np.cos(a))]])

# %% wrong: one_angle
# says: All blocks rotate by the same angle. Each pair has its own frequency.
# self-check: same angle
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    c, s = np.cos(offset), np.sin(offset)
    return np.kron(np.eye(depth // 2), [[c, s], [-s, c]])

# %% wrong: odd_depth_accepted
# says: An odd depth must raise ValueError: its last sine has no cosine as a partner.
# self-check: nothing is raised
def shift_matrix(offset, depth, base=10000.0):
    r = np.eye(depth)
    for i in range(0, depth - 1, 2):
        a = offset * base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% wrong: reflection
# says: Each block is a reflection: check the signs of its second row.
# self-check: reflections
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = offset * base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [np.sin(a), -np.cos(a)]]
    return r

# %% wrong: base_ignored
# says: Your formula contains 10000 where the argument base belongs.
# self-check: argument base
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = offset * 10000.0 ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% wrong: sign_of_offset_lost
# says: A negative offset moves forward like a positive one. The sign belongs to the angle.
# self-check: negative offset
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = abs(offset) * base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% wrong: offset_ignored
# says: Your matrix moves by one position, whatever the offset. The offset multiplies the angle.
# self-check: moves by 1
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% wrong: exponent_without_two
# says: The exponent of pair i is -2i / D, as in the encoding; yours is -i / D.
# self-check: twice the number
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(depth // 2):
        a = offset * base ** (-i / depth)
        r[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% wrong: rolls_columns
# says: Rolling the columns does not shift a position. Each pair rotates within its own two columns.
# self-check: rolls
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    return np.roll(np.eye(depth), offset, axis=0)

# %% wrong: sine_and_cosine_exchanged
# says: Sine and cosine are swapped in the block. At offset 0 the matrix must be the identity.
# self-check: are swapped
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = offset * base ** (-i / depth)
        r[i : i + 2, i : i + 2] = [[np.sin(a), np.cos(a)], [np.cos(a), -np.sin(a)]]
    return r

# %% wrong: degrees
# says: You converted the angles from degrees. They are in radians already, which np.sin and np.cos expect.
# self-check: degrees
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    r = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        a = np.deg2rad(offset * base ** (-i / depth))
        r[i : i + 2, i : i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return r

# %% right: product_of_steps
# why: the matrix of one step, as often as needed; the transpose for steps back
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2 == 1:
        raise ValueError("odd depth")
    one = np.zeros((depth, depth))
    for i in range(depth // 2):
        w = 1 / base ** (2 * i / depth)
        one[2 * i, 2 * i] = one[2 * i + 1, 2 * i + 1] = np.cos(w)
        one[2 * i, 2 * i + 1], one[2 * i + 1, 2 * i] = np.sin(w), -np.sin(w)
    return np.linalg.matrix_power(one if offset >= 0 else one.T, abs(int(offset)))

# %% right: diagonals
# why: without a loop: cosines on the main diagonal, sines beside it
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError(depth)
    a = np.repeat(offset * base ** (-np.arange(0, depth, 2) / depth), 2)
    s = np.sin(a)
    s[1::2] = 0
    return np.diag(np.cos(a)) + np.diag(s[:-1], 1) - np.diag(s[:-1], -1)

# %% right: fancy_indices
# why: four assignments for all blocks at once
def shift_matrix(offset, depth, base=10000.0):
    if depth & 1:
        raise ValueError("depth must be even")
    even = np.arange(0, depth, 2)
    angle = offset / np.power(base, even / depth)
    out = np.zeros((depth, depth))
    out[even, even] = out[even + 1, even + 1] = np.cos(angle)
    out[even, even + 1] = np.sin(angle)
    out[even + 1, even] = -np.sin(angle)
    return out

# %% right: float32_with_keras
# why: tensors in single precision
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("odd")
    ops = keras.ops
    angle = np.repeat(float(offset) * base ** (-np.arange(0, depth, 2) / depth), 2).astype("float32")
    sign = np.tile([1.0, -1.0], depth // 2).astype("float32")
    partner = np.eye(depth, dtype="float32")[np.arange(depth) ^ 1]
    return np.asarray(ops.cos(angle)[:, None] * np.eye(depth, dtype="float32") + (ops.sin(angle) * sign)[:, None] * partner)

# %% equivalent
# because: writing a 2 x 2 block into the 1 x 1 corner of an odd matrix raises ValueError by itself
# was: if depth % 2:
# now: pass

# %% equivalent
# because: as above, NumPy raises ValueError for the last block of an odd depth
# was: if depth % 2:
# now: if depth % 1:

# %% equivalent
# because: as above, NumPy raises ValueError for the last block of an odd depth
# was: raise ValueError(f'depth {depth} is odd: the last sine has no partner')
# now: pass

# %% equivalent
# because: for an even depth the last even column is depth - 2 with both bounds
# was: for even in range(0, depth, 2):
# now: for even in range(0, depth - 1, 2):
