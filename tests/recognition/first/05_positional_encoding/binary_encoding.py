# %% wrong: most_significant_first
# says: writes the bits as on paper, the most significant first
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    return positions[:, None] // 2 ** np.arange(bits)[::-1] % 2


# %% wrong: places_in_the_list
# says: encodes 0, 1, 2, ... instead of the given positions
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    return np.arange(len(positions))[:, None] // 2 ** np.arange(bits) % 2


# %% wrong: overflow_error
# says: raises OverflowError instead of ValueError
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise OverflowError(f"{positions.max()} does not fit into {bits} bits")
    return positions[:, None] // 2 ** np.arange(bits) % 2


# %% wrong: inplace
# says: halves the caller's positions in place while it collects the bits
def binary_encoding(positions, bits):
    if positions.max() >= 2**bits:
        raise ValueError(f"{positions.max()} does not fit into {bits} bits")
    columns = []
    for _ in range(bits):
        columns.append(positions % 2)
        positions //= 2
    return np.stack(columns, axis=1)


# %% right: way_2
# why: shifts and a bitwise and, as booleans
def binary_encoding(positions, bits):
    positions = np.asarray(positions)
    if np.any(positions >> bits):
        raise ValueError("too few bits")
    return (positions[:, np.newaxis] >> np.arange(bits) & 1) == 1


# %% right: way_1
# why: loops with division by two, one position at a time
def binary_encoding(positions, bits):
    rows = []
    for position in positions:
        rest, row = int(position), []
        for _ in range(bits):
            rest, bit = divmod(rest, 2)
            row.append(bit)
        if rest:
            raise ValueError(f"{position} needs more than {bits} bits")
        rows.append(row)
    return np.array(rows).reshape(len(positions), bits)
