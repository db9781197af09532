# %% wrong: limit_itself_allowed
# says: Raises only if a position is larger than 2 ** bits, so 2 ** bits itself, which needs one bit more, is accepted.
def binary_encoding(positions, bits):
    if positions.max() > 2 ** bits:
        raise ValueError("too few bits")
    return (positions[:, None].astype("int64") >> np.arange(bits)) & 1


# %% wrong: only_last_position_checked
# says: Looks at the last position to decide whether the bits suffice, as if the positions were sorted; they may come in any order.
def binary_encoding(positions, bits):
    if positions[-1] >= 2 ** bits:
        raise ValueError("too few bits")
    return (positions[:, None].astype("int64") >> np.arange(bits)) & 1


# %% right: format_strings
# why: Uses Python's text formatting of binary numbers and reverses the text.
def binary_encoding(positions, bits):
    rows = []
    for p in positions:
        text = format(int(p), "0" + str(bits) + "b")
        if len(text) > bits:
            raise ValueError(f"{p} needs more than {bits} bits")
        rows.append([int(c) for c in reversed(text)])
    return np.array(rows)
