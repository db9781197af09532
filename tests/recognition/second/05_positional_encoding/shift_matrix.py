# %% wrong: positive_exponent
# says: later pairs turn faster
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = offset * base ** (2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


# %% wrong: row_vectors
# says: the matrix for row vectors, PE @ M: the transpose
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = offset * base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix.T


# %% wrong: reflection
# says: both sines with the same sign: a reflection
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = offset * base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [sin, cos]]
    return matrix


# %% wrong: power_of_one
# says: multiplies the matrix for 1 by itself offset times; a negative offset gives the identity
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("the depth has to be even")
    matrix = np.zeros((depth, depth))
    for i in range(depth // 2):
        angle = base ** (-2 * i / depth)
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    result = np.eye(depth)
    for _ in range(offset):
        result = result @ matrix
    return result


# %% right: way_4
# why: the columns as images of an interleaved basis, by complex multiplication
def shift_matrix(offset, depth, base=10000.0):
    if depth % 2 != 0:
        raise ValueError("odd depth")
    turn = np.exp(1j * offset * base ** (-np.arange(0, depth, 2) / depth))
    basis = np.eye(depth)
    moved = (basis[1::2] + 1j * basis[0::2]) * turn[:, None]
    return np.stack([moved.imag, moved.real], axis=1).reshape(depth, depth)


# %% right: way_3
# why: TensorFlow: a block-diagonal linear operator, as a single precision tensor
import tensorflow as tf


def shift_matrix(offset, depth, base=10000.0):
    if depth % 2:
        raise ValueError("depth has to be even")
    blocks = []
    for i in range(depth // 2):
        angle = offset * float(base) ** (-2 * i / depth)
        c, s = np.cos(angle), np.sin(angle)
        blocks.append(tf.linalg.LinearOperatorFullMatrix(tf.constant([[c, s], [-s, c]], tf.float32)))
    return tf.linalg.LinearOperatorBlockDiag(blocks).to_dense()
