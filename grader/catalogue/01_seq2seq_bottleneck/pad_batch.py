# %% wrong: pads_in_front
# says: You pad in front. The ids of a sentence come first in its row, the padding follows.
# self-check: front
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.full((len(sequences), length), pad_id)
    mask = np.zeros((len(sequences), length), dtype=bool)
    for row, s in enumerate(sequences):
        ids[row, length - len(s):] = s
        mask[row, length - len(s):] = True
    return ids, mask

# %% wrong: mask_inverted
# says: Your mask is inverted. In this course True means a real id that counts, False means padding.
# self-check: inverted
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.full((len(sequences), length), pad_id)
    mask = np.ones((len(sequences), length), dtype=bool)
    for row, s in enumerate(sequences):
        ids[row, : len(s)] = s
        mask[row, : len(s)] = False
    return ids, mask

# %% wrong: mask_from_ids
# says: Your mask compares ids with pad_id. A real id may have the same value; only the lengths tell what is padding.
# self-check: equal to pad_id
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.array([list(s) + [pad_id] * (length - len(s)) for s in sequences])
    return ids, ids != pad_id

# %% wrong: mask_from_zero
# says: Your mask is "id is not 0". The padding id may be another number, and 0 may be a real id; use the lengths.
# self-check: equal to pad_id
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.array([list(s) + [pad_id] * (length - len(s)) for s in sequences])
    return ids, ids != 0

# %% wrong: ragged
# says: The rows of your array differ in length, so numpy keeps a list of lists. Fill every row up to the longest.
# self-check: ragged
def pad_batch(sequences, pad_id=0):
    ids = np.empty(len(sequences), dtype=object)
    mask = np.empty(len(sequences), dtype=object)
    for row, s in enumerate(sequences):
        ids[row], mask[row] = list(s), [True] * len(s)
    return ids, mask

# %% wrong: ignores_pad_id
# says: You pad with 0 always. The argument pad_id says which id to write.
# self-check: pad_id, whatever
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.zeros((len(sequences), length), dtype=int)
    mask = np.zeros((len(sequences), length), dtype=bool)
    for row, s in enumerate(sequences):
        ids[row, : len(s)] = s
        mask[row, : len(s)] = True
    return ids, mask

# %% wrong: cuts_to_shortest
# says: You cut every sequence to the length of the shortest. Nothing may get lost: pad to the longest.
# self-check: shortest
def pad_batch(sequences, pad_id=0):
    length = min(len(s) for s in sequences)
    ids = np.array([list(s)[:length] for s in sequences], dtype=int).reshape(len(sequences), length)
    return ids, np.ones(ids.shape, dtype=bool)

# %% wrong: width_of_the_first
# says: You make every row as long as the first sequence. A later one may be longer: the longest sets the width.
# self-check: the longest sequence, not the first
def pad_batch(sequences, pad_id=0):
    width = len(sequences[0])
    ids = np.full((len(sequences), width), pad_id)
    mask = np.zeros((len(sequences), width), dtype=bool)
    for row, s in enumerate(sequences):
        ids[row, : len(s)] = s
        mask[row, : len(s)] = True
    return ids, mask

# %% wrong: cuts_to_the_first
# says: You cut every sequence to the length of the first one. Nothing may get lost: pad to the longest.
# self-check: the length of the first
def pad_batch(sequences, pad_id=0):
    width = len(sequences[0])
    ids = np.array([(list(s) + [pad_id] * width)[:width] for s in sequences], dtype=int).reshape(len(sequences), width)
    return ids, np.arange(width) < np.array([len(s) for s in sequences])[:, None]

# %% wrong: one_column_too_many
# says: Your array has one column more than the longest sequence has ids. The longest one needs no padding.
# self-check: longest sequence sets the width
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences) + 1
    ids = np.full((len(sequences), length), pad_id)
    mask = np.zeros((len(sequences), length), dtype=bool)
    for row, s in enumerate(sequences):
        ids[row, : len(s)] = s
        mask[row, : len(s)] = True
    return ids, mask

# %% wrong: mask_of_numbers
# says: Your mask holds 1 and 0. A boolean array (dtype=bool) can also be used to select, as in values[mask].
# self-check: its dtype is
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    ids = np.full((len(sequences), length), pad_id)
    mask = np.zeros((len(sequences), length))
    for row, s in enumerate(sequences):
        ids[row, : len(s)] = s
        mask[row, : len(s)] = 1
    return ids, mask

# %% wrong: changes_the_lists
# says: You append to the caller's own lists, so they are longer afterwards. Build new rows instead.
# self-check: lists are unchanged
def pad_batch(sequences, pad_id=0):
    lengths = [len(s) for s in sequences]
    for s in sequences:
        while len(s) < max(lengths):
            s.append(pad_id)
    return np.array(sequences), np.arange(max(lengths)) < np.array(lengths)[:, None]

# %% wrong: only_ids
# says: You return the ids alone. The mask is the second result: return ids, mask.
# self-check: two things
def pad_batch(sequences, pad_id=0):
    length = max(len(s) for s in sequences)
    return np.array([list(s) + [pad_id] * (length - len(s)) for s in sequences])

# %% wrong: skips_empty_sequences
# says: You leave out empty sequences, so later rows move up. An empty sequence is a row of padding.
# self-check: one row for each
def pad_batch(sequences, pad_id=0):
    sequences = [s for s in sequences if len(s) > 0]
    length = max(len(s) for s in sequences)
    ids = np.array([list(s) + [pad_id] * (length - len(s)) for s in sequences])
    return ids, np.arange(length) < np.array([len(s) for s in sequences])[:, None]

# %% wrong: floats_beside_an_empty_list
# says: Your ids are floats. np.zeros, np.ones and np.array of an empty list all make floats unless told otherwise: give the array an integer type.
def pad_batch(sequences, pad_id=0):
    longest = max(map(len, sequences))
    rows = [np.concatenate([np.array(s), np.full(longest - len(s), pad_id)]) for s in sequences]
    mask = np.array([[t < len(s) for t in range(longest)] for s in sequences])
    return np.array(rows), mask


# %% right: comprehension
# why: lists are filled up and turned into an array at the end; the mask compares a range with the lengths
def pad_batch(sequences, pad_id=0):
    length = max(map(len, sequences))
    ids = np.array([[*s, *[pad_id] * (length - len(s))] for s in sequences])
    return ids, np.arange(length)[None] < np.array([len(s) for s in sequences])[:, None]

# %% right: with_keras
# why: Keras pads; the lengths give the mask; int32 is an integer too
def pad_batch(sequences, pad_id=0):
    ids = keras.utils.pad_sequences(sequences, padding="post", value=pad_id)
    lengths = np.array([len(s) for s in sequences], dtype="float32")
    return ids, np.less(np.arange(ids.shape[1]), lengths.reshape(-1, 1))

# %% right: mask_first
# why: the mask is made first and tells where the ids go
def pad_batch(sequences, pad_id=0):
    lengths = np.array([len(s) for s in sequences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad_id, dtype="int64")
    ids[mask] = [i for s in sequences for i in s]
    return ids, mask

# %% right: element_by_element
# why: two loops, nested lists and tuples instead of arrays
def pad_batch(sequences, pad_id=0):
    longest = 0
    for s in sequences:
        longest = max(longest, len(s))
    ids, mask = [], []
    for s in sequences:
        ids.append([s[t] if t < len(s) else pad_id for t in range(longest)])
        mask.append(tuple(t < len(s) for t in range(longest)))
    return [ids, mask]
