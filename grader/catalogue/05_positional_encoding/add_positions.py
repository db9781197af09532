# %% wrong: no_factor
# says: The word vectors are not multiplied by sqrt(D), so that the positions drown them.
# self-check: is missing
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return table[ids] + encoding[: ids.shape[1]]

# %% wrong: factor_on_the_sum
# says: sqrt(D) was put on the sum. Only the token part is multiplied.
# self-check: is on the sum
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * (table[ids] + encoding[: ids.shape[1]])

# %% wrong: along_the_batch
# says: The positions run along the batch: all words of a sentence get the same one. Each position has its own.
# self-check: along the batch
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * table[ids] + np.resize(encoding, (len(ids), table.shape[1]))[:, None]

# %% wrong: clipped_silently
# says: Places after the end of the encoding take its last row. The contract asks for ValueError.
# self-check: nothing is raised
def add_positions(ids, table, encoding):
    places = np.minimum(np.arange(ids.shape[1]), len(encoding) - 1)
    return np.sqrt(table.shape[1]) * table[ids] + encoding[places]

# %% wrong: wraps_around
# says: Places after the end of the encoding begin again at 0. The contract asks for ValueError.
# self-check: nothing is raised
def add_positions(ids, table, encoding):
    places = np.arange(ids.shape[1]) % len(encoding)
    return np.sqrt(table.shape[1]) * table[ids] + encoding[places]

# %% wrong: full_length_refused
# says: T = L raises an error. As many words as positions are allowed.
# self-check: T = L still fits
def add_positions(ids, table, encoding):
    if ids.shape[1] >= len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * table[ids] + encoding[: ids.shape[1]]

# %% wrong: leans_on_broadcasting
# says: NumPy complains about lengths that do not fit, but one single position broadcasts over all words. Compare yourself.
# self-check: broadcasts
def add_positions(ids, table, encoding):
    return np.sqrt(table.shape[1]) * table[ids] + encoding[: ids.shape[1]]

# %% wrong: not_cut
# says: The whole encoding is added, which fits only sentences of its length. Cut it to T rows.
# self-check: cut the encoding
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * table[ids] + encoding

# %% wrong: looked_up_by_id
# says: The row of the encoding was chosen by the word's id. It belongs to the position of the word.
# self-check: looked up by id
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * table[ids] + encoding[ids % len(encoding)]

# %% wrong: divided
# says: You divide the word vectors by sqrt(D). They are small already: multiply.
# self-check: divide
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return table[ids] / np.sqrt(table.shape[1]) + encoding[: ids.shape[1]]

# %% wrong: factor_without_root
# says: The factor is D. The contract says sqrt(D).
# self-check: not sqrt(D)
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return table.shape[1] * table[ids] + encoding[: ids.shape[1]]

# %% wrong: root_of_the_vocabulary
# says: The factor is the root of the table's length, the size of the vocabulary. It is the root of its width D.
# self-check: vocabulary
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(len(table)) * table[ids] + encoding[: ids.shape[1]]

# %% wrong: concatenated
# says: You put the position beside the word, which makes the vector twice as wide. Here it is added.
# self-check: put beside
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    words = np.sqrt(table.shape[1]) * table[ids]
    return np.concatenate([words, np.broadcast_to(encoding[: ids.shape[1]], words.shape)], axis=-1)

# %% wrong: multiplied
# says: Word and position were multiplied. They are added.
# self-check: are multiplied
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    return np.sqrt(table.shape[1]) * table[ids] * encoding[: ids.shape[1]]

# %% wrong: changes_the_table
# says: The table itself was multiplied, so a second call returns something else. Work on a copy.
# self-check: copy
def add_positions(ids, table, encoding):
    if ids.shape[1] > len(encoding):
        raise ValueError("too long")
    table *= np.sqrt(table.shape[1]).astype(table.dtype)
    return table[ids] + encoding[: ids.shape[1]]

# %% right: loop
# why: one word at a time
def add_positions(ids, table, encoding):
    batch, length = ids.shape
    if length > encoding.shape[0]:
        raise ValueError("sentence too long")
    out = np.empty((batch, length, table.shape[1]))
    for b in range(batch):
        for t in range(length):
            out[b, t] = table[ids[b, t]] * table.shape[1] ** 0.5 + encoding[t]
    return out

# %% right: one_hot_product
# why: the lookup as a product with one-hot rows
def add_positions(ids, table, encoding):
    vocab_size, depth = table.shape
    if encoding.shape[0] < ids.shape[1]:
        raise ValueError("sentence too long")
    return np.einsum("btv,vd->btd", np.eye(vocab_size)[ids], table) * np.sqrt(depth) + encoding[None, : ids.shape[1]]

# %% right: checks_after_the_cut
# why: the cut encoding is too short exactly if the sentence is too long
def add_positions(ids, table, encoding):
    rows = encoding[: ids.shape[-1]]
    if rows.shape[0] != ids.shape[-1]:
        raise ValueError("too few positions")
    return np.take(table * np.sqrt(table.shape[-1]), ids, axis=0) + rows

# %% right: with_keras
# why: tensors in single precision
def add_positions(ids, table, encoding):
    ops = keras.ops
    length = ids.shape[1]
    if length > len(encoding):
        raise ValueError("too long")
    words = ops.take(ops.convert_to_tensor(table, "float32"), ids, axis=0) * float(table.shape[1]) ** 0.5
    return ops.convert_to_numpy(words + ops.convert_to_tensor(encoding[:length], "float32"))

# %% equivalent
# because: table and encoding have the same width D, else they could not be added
# was: return np.sqrt(table.shape[1]) * table[ids] + encoding[:length]
# now: return np.sqrt(encoding.shape[1]) * table[ids] + encoding[:length]
