# %% wrong: mask_from_pad_id
# says: The mask is made by comparing the ids with pad_id, so a real id that equals pad_id is marked as padding.
def pad_batch(sequences, pad_id=0):
    width = max(len(s) for s in sequences)
    rows = [list(s) + [pad_id] * (width - len(s)) for s in sequences]
    ids = np.array(rows, dtype=int)
    return ids, ids != pad_id


# %% wrong: padding_appended_in_place
# says: The padding is appended to the caller's own lists, which are therefore changed.
def pad_batch(sequences, pad_id=0):
    lengths = [len(s) for s in sequences]
    width = max(lengths)
    for s in sequences:
        while len(s) < width:
            s.append(pad_id)
    ids = np.array(sequences, dtype=int)
    mask = np.arange(width)[None, :] < np.array(lengths)[:, None]
    return ids, mask


# %% right: boolean_index_fills_the_ids
# why: The mask is made first from the lengths alone, and all ids are written at once through it.
def pad_batch(sequences, pad_id=0):
    lengths = np.array([len(s) for s in sequences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad_id, dtype=int)
    ids[mask] = [i for s in sequences for i in s]
    return ids, mask
