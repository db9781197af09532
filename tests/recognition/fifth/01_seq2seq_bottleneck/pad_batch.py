# %% wrong: shallow_copy_extended
# says: The lists handed in are themselves lengthened by padding: list(sequences) copies only the outer list, so the caller's inner lists are modified.
def pad_batch(sequences, pad_id=0):
    rows = list(sequences)
    lengths = [len(row) for row in rows]
    longest = max(lengths)
    for row in rows:
        while len(row) < longest:
            row.append(pad_id)
    mask = np.arange(longest)[None, :] < np.array(lengths)[:, None]
    return np.array(rows, dtype=int), mask


# %% wrong: float_ids
# says: The ids come back as floats, because the array starts from np.ones, which is float; the contract asks for an integer array.
def pad_batch(sequences, pad_id=0):
    B = len(sequences)
    T = max(map(len, sequences))
    ids = np.ones((B, T)) * pad_id
    mask = np.zeros((B, T), dtype=bool)
    for i in range(B):
        n = len(sequences[i])
        ids[i, :n] = sequences[i]
        mask[i, :n] = True
    return ids, mask
