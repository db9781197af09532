# %% wrong: refuses_equal
# says: refuses T = L already
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T >= len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    return np.sqrt(D) * table[ids] + encoding[:T]


# %% wrong: beside
# says: puts the position beside the word
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T > len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    return np.concatenate([np.sqrt(D) * table[ids], np.broadcast_to(encoding[:T], (*ids.shape, D))], axis=-1)


# %% wrong: inplace_table
# says: multiplies the table in place, so it grows with every call
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T > len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    table *= np.sqrt(D)
    return table[ids] + encoding[:T]


# %% wrong: wraps
# says: starts again with position 0 where the encoding ends
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    return np.sqrt(D) * table[ids] + encoding[np.arange(T) % len(encoding)]


# %% right: way_2
# why: one-hot vectors times the table; np.take for the positions, with the error as the first step
def add_positions(ids, table, encoding):
    (B, T), (size, D), L = ids.shape, table.shape, encoding.shape[0]
    if T > L:
        raise ValueError(f"T = {T} > L = {L}")
    one_hot = (ids[..., None] == np.arange(size)).astype(float)
    return one_hot @ (table * D**0.5) + np.take(encoding, np.arange(T), axis=0)[None]


# %% right: way_3
# why: Keras operations in single precision; a tensor
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[-1]
    if T > encoding.shape[0]:
        raise ValueError("sentences longer than the encoding")
    words = keras.ops.take(keras.ops.cast(table, "float32"), ids, axis=0)
    return words * float(np.sqrt(D)) + keras.ops.cast(encoding, "float32")[:T]
