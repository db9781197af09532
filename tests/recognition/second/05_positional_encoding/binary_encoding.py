# %% wrong: transposed
# says: bits down, positions across
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    return positions // 2 ** np.arange(bits)[:, None] % 2


# %% wrong: multiples
# says: takes bit i for divisibility by 2**i
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    return (positions[:, None] % 2 ** (np.arange(bits) + 1) == 2 ** np.arange(bits)).astype(int)


# %% wrong: plus_minus_one
# says: writes -1 and 1
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    return 2 * (positions[:, None] // 2 ** np.arange(bits) % 2) - 1


# %% wrong: gray
# says: writes the Gray code, where neighbours differ in one bit
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    positions = positions ^ (positions >> 1)
    return positions[:, None] // 2 ** np.arange(bits) % 2


# %% right: way_3
# why: TensorFlow, as single precision floats; the error comes from rebuilding the positions and comparing
import tensorflow as tf


def binary_encoding(positions, bits):
    p = tf.cast(positions, tf.int64)
    shifts = tf.range(bits, dtype=tf.int64)
    table = tf.bitwise.bitwise_and(tf.bitwise.right_shift(p[:, None], shifts[None]), tf.ones((), tf.int64))
    if not bool(tf.reduce_all(tf.reduce_sum(table * 2**shifts, axis=1) == p)):
        raise ValueError(f"{bits} bits do not hold all positions")
    return tf.cast(table, tf.float32)


# %% right: way_4
# why: strings by np.binary_repr, turned round, as a list of rows made an array of small integers
def binary_encoding(positions, bits):
    words = [np.binary_repr(int(p))[::-1].ljust(bits, "0") for p in positions]
    if any(len(word) > bits for word in words):
        raise ValueError("a position has too many bits")
    return np.array([[int(letter) for letter in word] for word in words], dtype="uint8")
