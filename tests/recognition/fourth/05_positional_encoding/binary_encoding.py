# %% wrong: checks_last_position_only
# says: Takes the last position for the largest, so a too large position earlier in the array raises no error.
def binary_encoding(positions, bits):
    if positions[-1] >= 2**bits:
        raise ValueError("a position needs more bits")
    return (positions[:, None] >> np.arange(bits)) & 1


# %% wrong: float32_positions
# says: Computes the bits from positions in float32, which cannot tell integers beyond 2 ** 24 apart.
def binary_encoding(positions, bits):
    if np.max(positions) >= 2**bits:
        raise ValueError("a position needs more bits")
    p = positions.astype("float32")[:, None]
    return np.floor(p / 2.0 ** np.arange(bits)) % 2


# %% wrong: limit_off_by_one
# says: Accepts the position 2 ** bits itself (`>` instead of `>=`) and writes it as zeros.
def binary_encoding(positions, bits):
    if np.any(positions > 2**bits):
        raise ValueError("a position needs more bits")
    return (positions[:, None] // 2 ** np.arange(bits)) % 2


# %% right: way_1
# why: Reads the bytes of the little-endian integers and lets `np.unpackbits` write all 64 bits; the result is uint8.
def binary_encoding(positions, bits):
    octets = np.asarray(positions).astype("<u8").view(np.uint8).reshape(-1, 8)
    everything = np.unpackbits(octets, axis=1, bitorder="little")
    if everything[:, bits:].any():
        raise ValueError("a position needs more bits")
    return everything[:, :bits]
