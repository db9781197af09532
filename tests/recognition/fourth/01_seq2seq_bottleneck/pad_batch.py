# %% wrong: appends_to_the_lists
# says: The padding is appended to the given lists themselves, so the caller's sequences are modified.
def pad_batch(sequences, pad_id=0):
    lengths = [len(s) for s in sequences]
    T = max(lengths)
    for s in sequences:
        while len(s) < T:
            s.append(pad_id)
    ids = np.array(sequences, dtype=int)
    mask = np.array([[t < n for t in range(T)] for n in lengths])
    return ids, mask


# %% wrong: longest_by_content
# says: max(sequences) compares the lists by their contents instead of their lengths, so T need not be the length of the longest list and ids are cut off.
def pad_batch(sequences, pad_id=0):
    T = len(max(sequences))
    ids = np.array([[s[t] if t < len(s) else pad_id for t in range(T)] for s in sequences], dtype=int)
    mask = np.array([[t < len(s) for t in range(T)] for s in sequences], dtype=bool)
    return ids, mask


# %% wrong: floats_from_empty
# says: An empty list becomes a float array in np.pad, so as soon as one sequence is empty the ids come back as floats instead of integers.
def pad_batch(sequences, pad_id=0):
    longest = max(map(len, sequences))
    rows, flags = [], []
    for s in sequences:
        missing = longest - len(s)
        rows.append(np.pad(s, (0, missing), constant_values=pad_id))
        flags.append([True] * len(s) + [False] * missing)
    return np.stack(rows), np.array(flags)


# %% right: mask_first
# why: builds the mask by comparing positions with lengths and pours all ids, chained, through it into the padded array
def pad_batch(sequences, pad_id=0):
    from itertools import chain

    lengths = np.fromiter((len(s) for s in sequences), dtype=int)
    mask = np.arange(lengths.max()) < lengths[:, np.newaxis]
    ids = np.where(mask, 0, pad_id).astype(np.int64)
    ids[mask] = np.fromiter(chain.from_iterable(sequences), dtype=np.int64)
    return ids, mask
