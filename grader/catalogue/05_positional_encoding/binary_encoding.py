# %% wrong: most_significant_first
# says: Your bits are in reversed order. The least significant bit belongs in column 0.
# self-check: most significant
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return positions[:, None] >> np.arange(bits)[::-1] & 1

# %% wrong: overflow_silent
# says: A position that needs more bits than there are is cut off, so that 8 looks like 0. Raise ValueError.
# self-check: nothing is raised
def binary_encoding(positions, bits):
    return positions[:, None] >> np.arange(bits) & 1

# %% wrong: overflow_off_by_one
# says: The largest position that fits, 2**bits - 1, is refused. Compare with 2**bits.
# self-check: off by one
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits - 1:
        raise ValueError("too large")
    return positions[:, None] >> np.arange(bits) & 1

# %% wrong: overflow_allows_the_bound
# says: 2**bits itself is let through. It does not fit either: the largest position that does is 2**bits - 1.
# self-check: does not fit either
def binary_encoding(positions, bits):
    if np.max(positions) > 2**bits:
        raise ValueError("too large")
    return positions[:, None] >> np.arange(bits) & 1

# %% wrong: overflow_first_only
# says: Only one of the positions is compared with 2**bits. Any of them may be too large.
# self-check: look at every position
def binary_encoding(positions, bits):
    if positions[-1] >= 2**bits:
        raise ValueError("too large")
    return positions[:, None] >> np.arange(bits) & 1

# %% wrong: other_error
# says: An assert raises AssertionError. The contract asks for ValueError, which a caller can expect.
# self-check: another kind of error
def binary_encoding(positions, bits):
    assert np.max(positions) < 2**bits
    return positions[:, None] >> np.arange(bits) & 1

# %% wrong: no_remainder
# says: You divide by powers of two, but each quotient still contains the higher bits. Take it modulo 2.
# self-check: % 2
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return positions[:, None] // 2 ** np.arange(bits)

# %% wrong: places_instead_of_positions
# says: You count from 0 to T - 1 and never look at the positions that were handed in.
# self-check: their places in the list
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return np.arange(len(positions))[:, None] >> np.arange(bits) & 1

# %% wrong: minus_one_and_one
# says: Your entries are -1 and 1. A bit is 0 or 1.
# self-check: -1 and 1
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return 2 * (positions[:, None] >> np.arange(bits) & 1) - 1

# %% wrong: transposed
# says: Positions run along the columns. One row per position, one column per bit.
# self-check: transpose
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return (positions[:, None] >> np.arange(bits) & 1).T

# %% wrong: gray_code
# says: This is the Gray code, in which neighbours differ in one bit. The exercise asks for plain binary.
# self-check: Gray
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return (positions ^ positions >> 1)[:, None] >> np.arange(bits) & 1

# %% wrong: opposite
# says: 0 and 1 are exchanged: an odd position has a 1 in column 0.
# self-check: opposite
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    return 1 - (positions[:, None] >> np.arange(bits) & 1)

# %% wrong: eight_bits_only
# says: uint8 holds eight bits; larger positions are cut off before you look at them.
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("too large")
    rows = np.unpackbits(positions.astype("uint8")[:, None], axis=1, bitorder="little")
    return np.pad(rows, ((0, 0), (0, max(0, bits - 8))))[:, :bits]

# %% wrong: powers_as_the_positions
# says: Your powers of two have the type of the positions. In 32 bits those from the 31st on overflow, and a bit that is 0 becomes 1: take powers in 64 bits.
def binary_encoding(positions, bits):
    if int(positions.max()) >= 2**bits:
        raise ValueError("a position needs more bits")
    powers = (2 ** np.arange(bits)).astype(positions.dtype)
    with np.errstate(divide="ignore"):
        return positions[:, None] // powers % 2

# %% wrong: positions_in_32_bits
# says: You make int32 of the positions, which ends at 2**31. Leave them in 64 bits.
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError(f"position {np.max(positions)} needs more than {bits} bits")
    return positions.astype("int32").astype("int64")[:, None] // 2 ** np.arange(bits) % 2

# %% right: strings
# why: Python writes the binary digits, read from the end
def binary_encoding(positions, bits):
    rows = [format(int(p), "b")[::-1] for p in positions]
    if max(map(len, rows)) > bits:
        raise ValueError("needs more bits")
    return np.array([[float(c) for c in row.ljust(bits, "0")] for row in rows])

# %% right: loop
# why: divide by two, bit after bit, in a list of lists; the rest must be 0
def binary_encoding(positions, bits):
    result = []
    for position in positions.tolist():
        row = []
        for _ in range(bits):
            position, bit = divmod(position, 2)
            row.append(bit)
        if position:
            raise ValueError("needs more bits")
        result.append(row)
    return result

# %% right: with_keras_ops
# why: shifts of a tensor, booleans out
def binary_encoding(positions, bits):
    if any(int(p).bit_length() > bits for p in positions):
        raise ValueError("needs more bits")
    shifted = keras.ops.right_shift(np.asarray(positions, "int64")[:, None], np.arange(bits))
    return keras.ops.convert_to_numpy(keras.ops.mod(shifted, 2)) == 1

# %% equivalent
# because: the contract allows booleans for 0 and 1
# was: the right answer
# now: returns booleans where numbers are due
