# %% wrong: pads_in_front
# says: pads on the left (as keras.utils.pad_sequences does by default), so the ids stand at the end of each row
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.full((len(sequences), longest), pad_id)
    mask = np.zeros((len(sequences), longest), dtype=bool)
    for i, s in enumerate(sequences):
        ids[i, longest - len(s) :] = s
        mask[i, longest - len(s) :] = True
    return ids, mask


# %% wrong: unsigned_ids
# says: thinks that ids are never negative and takes an unsigned type, so a padding id of -1 is impossible
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.full((len(sequences), longest), pad_id, dtype=np.uint32)
    mask = np.zeros((len(sequences), longest), dtype=bool)
    for i, s in enumerate(sequences):
        ids[i, : len(s)] = s
        mask[i, : len(s)] = True
    return ids, mask


# %% wrong: mask_of_ones_and_zeros
# says: the mask holds 1 and 0 instead of True and False, so as an index it picks rows 0 and 1
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.full((len(sequences), longest), pad_id)
    mask = np.zeros((len(sequences), longest), dtype=int)
    for i, s in enumerate(sequences):
        ids[i, : len(s)] = s
        mask[i, : len(s)] = 1
    return ids, mask


# %% wrong: float_ids
# says: np.zeros and np.ones make floats, so the ids are 3.0, 4.0 instead of integers that can index a table
def pad_batch(sequences, pad_id=0):
    longest = max(len(s) for s in sequences)
    ids = np.ones((len(sequences), longest)) * pad_id
    mask = np.zeros((len(sequences), longest), dtype=bool)
    for i, s in enumerate(sequences):
        ids[i, : len(s)] = s
        mask[i, : len(s)] = True
    return ids, mask


# %% right: way_2
# why: no loop over rows; the mask comes first, from the lengths, and is the index that places all ids at once; int32
import itertools


def pad_batch(sequences, pad_id=0):
    lengths = np.fromiter(map(len, sequences), dtype=int)
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad_id, dtype=np.int32)
    ids[mask] = list(itertools.chain.from_iterable(sequences))
    return ids, mask
