# %% wrong: odd_depth_accepted
# says: Does not refuse an odd depth; the last row and column stay zero.
def shift_matrix(offset, depth, base=10000.0):
    M = np.zeros((depth, depth))
    for i in range(depth // 2):
        a = offset * base ** (-2 * i / depth)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return M


# %% wrong: negative_offset_is_identity
# says: Multiplies the matrix of one step `offset` times in a loop, which does nothing for a negative offset.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth must be even")
    step = np.zeros((depth, depth))
    for i in range(depth // 2):
        a = base ** (-2 * i / depth)
        step[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    M = np.eye(depth)
    for _ in range(offset):
        M = step @ M
    return M


# %% wrong: halves_instead_of_pairs
# says: Arranges the matrix for an encoding whose first half are sines and whose second half are cosines; at depth 2 it is the same.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2 != 0:
        raise ValueError("depth must be even")
    a = offset * base ** (-2.0 * np.arange(depth // 2) / depth)
    C, S = np.diag(np.cos(a)), np.diag(np.sin(a))
    return np.block([[C, S], [-S, C]])


# %% right: way_1
# why: Adds two Kronecker products: cosines times the identity and sines times the quarter turn.
def shift_matrix(offset, depth, base=10000.0):
    pairs, rest = divmod(depth, 2)
    if rest:
        raise ValueError("depth must be even")
    z = np.exp(1j * offset * np.power(float(base), -np.arange(pairs) / pairs))
    return np.kron(np.diag(z.real), np.eye(2)) + np.kron(np.diag(z.imag), np.array([[0.0, 1.0], [-1.0, 0.0]]))
