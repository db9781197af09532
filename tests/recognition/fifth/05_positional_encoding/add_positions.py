# %% wrong: relies_on_broadcast_error
# says: It does not compare the lengths but relies on NumPy to complain; an encoding of a single row broadcasts, so a sentence longer than an encoding with L = 1 raises no ValueError.
def add_positions(ids, table, encoding):
    B, T = ids.shape
    vectors = table[ids] * np.sqrt(table.shape[1])
    return vectors + encoding[:T]


# %% wrong: root_of_the_vocabulary
# says: The token part is multiplied by the root of the number of table rows (the vocabulary size) instead of the root of the width D.
def add_positions(ids, table, encoding):
    T = ids.shape[-1]
    if T > len(encoding):
        raise ValueError("sentence longer than the encoding")
    scaled = np.sqrt(len(table)) * table
    out = np.stack([scaled[sentence] for sentence in ids])
    for t in range(T):
        out[:, t] += encoding[t]
    return out
