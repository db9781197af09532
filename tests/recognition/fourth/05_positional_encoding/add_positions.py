# %% wrong: leaves_the_error_to_broadcasting
# says: Has no check and relies on NumPy to refuse the sum of different lengths, but an encoding with a single row broadcasts over the sentence.
def add_positions(ids, table, encoding):
    T = ids.shape[1]
    D = table.shape[1]
    return np.sqrt(D) * table[ids] + encoding[:T]


# %% wrong: scales_table_in_place
# says: `table *= ...` changes the table of the caller, so a second call scales twice.
def add_positions(ids, table, encoding):
    B, T = ids.shape
    if T > encoding.shape[0]:
        raise ValueError("sentence longer than the encoding")
    table *= np.sqrt(table.shape[1])
    return table[ids] + encoding[:T]


# %% wrong: refuses_equal_length
# says: Raises ValueError also if the sentence is exactly as long as the encoding (`>=` instead of `>`).
def add_positions(ids, table, encoding):
    T = ids.shape[1]
    if T >= len(encoding):
        raise ValueError("sentence longer than the encoding")
    return table[ids] * table.shape[1] ** 0.5 + encoding[None, :T, :]


# %% right: way_1
# why: Lays a one-hot token (scaled) and a one-hot position side by side and multiplies by the two tables stacked.
def add_positions(ids, table, encoding):
    B, T = ids.shape
    V, D = table.shape
    L = encoding.shape[0]
    if L < T:
        raise ValueError("sentence longer than the encoding")
    token = np.sqrt(D) * (ids[:, :, None] == np.arange(V))
    position = np.broadcast_to(np.eye(T, L), (B, T, L))
    return np.concatenate([token, position], axis=2) @ np.vstack([table, encoding])
