# %% wrong: np_pad_empty_list
# says: np.pad of an empty list makes floats, and stacking turns all ids into floats; forgets that a list may be empty
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.stack([np.pad(s, (0, longest - len(s)), constant_values=pad_id) for s in sequences])
    mask = np.arange(longest) < np.array([len(s) for s in sequences])[:, None]
    return ids, mask


# %% wrong: mask_marks_padding
# says: believes that a mask marks what is hidden, so True stands at the padding
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.full((len(sequences), longest), pad_id)
    mask = np.ones((len(sequences), longest), dtype=bool)
    for i, s in enumerate(sequences):
        ids[i, : len(s)] = s
        mask[i, : len(s)] = False
    return ids, mask


# %% wrong: appends_to_the_input
# says: fills up the lists that were handed in, instead of copies of them
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    mask = []
    for s in sequences:
        mask.append([True] * len(s) + [False] * (longest - len(s)))
        while len(s) < longest:
            s.append(pad_id)
    return np.array(sequences), np.array(mask)


# %% wrong: mask_from_ids
# says: takes every entry equal to the padding id for padding, although a real id may be equal to it
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.full((len(sequences), longest), pad_id)
    for i, s in enumerate(sequences):
        ids[i, : len(s)] = s
    return ids, ids != pad_id


# %% right: way_1
# why: plain Python loops build nested lists, which become arrays at the very end
def pad_batch(sequences, pad_id=0):
    longest = 0
    for sequence in sequences:
        if len(sequence) > longest:
            longest = len(sequence)
    ids, mask = [], []
    for sequence in sequences:
        row, real = [], []
        for t in range(longest):
            if t < len(sequence):
                row.append(sequence[t])
                real.append(True)
            else:
                row.append(pad_id)
                real.append(False)
        ids.append(row)
        mask.append(real)
    return np.array(ids, dtype=int), np.array(mask, dtype=bool)


# %% right: way_3
# why: Keras pads the ids, and pads rows of ones once more for the mask; the results are int64 and bool
def pad_batch(sequences, pad_id=0):
    ids = keras.utils.pad_sequences(sequences, padding="post", value=pad_id, dtype="int64")
    ones = [[1] * len(s) for s in sequences]
    mask = keras.utils.pad_sequences(ones, padding="post", value=0) == 1
    return ids, mask
