# %% wrong: only_last_position_checked
# says: Only the last position is compared with the number of bits, as if positions were sorted; a larger position elsewhere raises no ValueError and loses its high bits.
def binary_encoding(positions, bits):
    if int(positions[-1]) >= 2 ** bits:
        raise ValueError("not enough bits")
    return (positions[:, None] >> np.arange(bits)) & 1


# %% wrong: powers_in_the_type_of_positions
# says: The powers of two have the integer type of the positions, so for int32 positions and 32 or more bits they overflow (the power for bit 31 becomes negative) and a bit that should be 0 becomes 1.
def binary_encoding(positions, bits):
    if int(positions.max()) > 2 ** bits - 1:
        raise ValueError(f"{bits} bits are too few")
    powers = (2 ** np.arange(bits)).astype(positions.dtype)
    columns = []
    for power in powers:
        columns.append(positions // power % 2)
    return np.stack(columns, axis=1)
