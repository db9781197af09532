# %% wrong: negative_offset_ignored
# says: It multiplies the matrix for one step as often as range(offset) runs, which is never for a negative offset, so every negative offset results in the identity.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth must be even")
    one = np.zeros((depth, depth))
    for i in range(depth // 2):
        w = base ** (-2 * i / depth)
        one[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
    result = np.eye(depth)
    for _ in range(offset):
        result = one @ result
    return result


# %% wrong: exponent_doubled
# says: The loop variable is already the column 2i, but the exponent doubles it again, so every pair after the first has too small a frequency.
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2 == 1:
        raise ValueError(f"odd depth {depth}")
    M = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        b = offset * base ** (-2 * i / depth)
        M[i, i] = M[i + 1, i + 1] = np.cos(b)
        M[i, i + 1] = np.sin(b)
        M[i + 1, i] = -np.sin(b)
    return M


# %% right: two_kronecker_products
# why: The cosines times the 2 x 2 identity plus the sines times [[0, 1], [-1, 0]] are exactly the blocks, and a Kronecker product with a diagonal matrix puts them on the diagonal.
def shift_matrix(offset, depth, base=10000.0):
    pairs, odd = divmod(depth, 2)
    if odd:
        raise ValueError("the last sine has no partner")
    b = offset * float(base) ** (-np.arange(pairs) / pairs)
    return np.kron(np.diag(np.cos(b)), np.eye(2)) + np.kron(np.diag(np.sin(b)), np.array([[0, 1], [-1, 0]]))
