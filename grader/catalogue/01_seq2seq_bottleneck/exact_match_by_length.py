# %% wrong: token_accuracy
# says: You count right tokens. A row counts only if every real position is right; one wrong word makes it wrong.
# self-check: token accuracy
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    same = (predicted == target) & real
    return {int(n): float(same[lengths == n].sum() / real[lengths == n].sum()) for n in np.unique(lengths)}

# %% wrong: compares_the_padding
# says: You compare whole rows. What comes after the real positions does not matter.
# self-check: compares the padding
def exact_match_by_length(predicted, target, lengths):
    right = (predicted == target).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: last_position_left_out
# says: You compare one position too few: the last real position, the end mark, has to be right as well.
# self-check: off by one
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None] - 1
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: one_position_too_many
# says: You compare one position too many: row i is real in its first lengths[i] positions.
# self-check: compares the padding
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) <= lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: keys_for_all_lengths
# says: You have a key for every possible length. Lengths that do not occur have no share and no key.
# self-check: no others
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {n: float(right[lengths == n].mean()) if (lengths == n).any() else 0.0 for n in range(1, target.shape[1] + 1)}

# %% wrong: counts
# says: You give the number of right rows. Divide by the number of rows of that length.
# self-check: fractions from 0 to 1
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(2 * right[lengths == n].sum()) for n in np.unique(lengths)}

# %% wrong: counts_of_rows
# says: You give the number of right rows, not their share. Divide by the number of rows of that length.
# self-check: that is a count
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].sum()) for n in np.unique(lengths)}

# %% wrong: lengths_from_the_ids
# says: You count the ids that are not 0 to find the lengths. A real id may be 0; use the lengths that were handed in.
# self-check: use the `lengths` handed in
def exact_match_by_length(predicted, target, lengths):
    lengths = (target != 0).sum(axis=1)
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: any_position
# says: One right word is not enough: all real positions have to be right.
# self-check: any is not enough
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) & real).any(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: real_means_not_zero
# says: You take id 0 for padding. A real id may be 0; the real positions are the first lengths[i].
# self-check: may be 0
def exact_match_by_length(predicted, target, lengths):
    right = ((predicted == target) | (target == 0)).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: divides_by_all_rows
# says: You divide by the number of all rows. Each length averages its own rows.
# self-check: number of all rows
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].sum() / len(lengths)) for n in np.unique(lengths)}

# %% wrong: mask_inverted
# says: You compare the padding and leave the real positions out: the mask is inverted.
# self-check: compares the padding
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | real).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: keys_off_by_one
# says: Your keys are the lengths minus one. The key is the length itself.
# self-check: lengths themselves
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n) - 1: float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: lengths_without_an_axis
# says: The lengths have the shape (N,) and the comparison (N, T). Give the lengths a second axis, so that row i gets lengths[i].
# self-check: second axis
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths
    right = ((predicted == target) | ~real).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}

# %% wrong: words_counted_not_placed
# says: You compare which words occur, and how often. The order counts as well: the right words in another order are a wrong sentence.
def exact_match_by_length(predicted, target, lengths):
    rows = {}
    for guess, right, length in zip(predicted.tolist(), target.tolist(), lengths.tolist()):
        same = sorted(guess[:length]) == sorted(right[:length])
        rows.setdefault(length, []).append(same)
    return {length: sum(hits) / len(hits) for length, hits in rows.items()}


# %% right: loops
# why: row by row, with lists of results per length
def exact_match_by_length(predicted, target, lengths):
    results = {}
    for p, t, n in zip(predicted, target, lengths):
        results.setdefault(int(n), []).append(all(p[i] == t[i] for i in range(n)))
    return {n: sum(r) / len(r) for n, r in results.items()}

# %% right: same_length_together
# why: the rows of one length are cut to this length and compared whole; numpy integers as keys
def exact_match_by_length(predicted, target, lengths):
    found = {}
    for n in np.unique(lengths):
        rows = lengths == n
        found[n] = np.mean((predicted[rows, :n] == target[rows, :n]).all(axis=1))
    return found

# %% right: counts_mistakes
# why: bincount of rows and of right rows
def exact_match_by_length(predicted, target, lengths):
    mistakes = np.cumsum(predicted != target, axis=1)[np.arange(len(lengths)), lengths - 1]
    rows = np.bincount(lengths)
    right = np.bincount(lengths, weights=mistakes == 0)
    return {int(n): float(right[n] / rows[n]) for n in np.flatnonzero(rows)}

# %% right: with_keras_ops
# why: the library's tensors; float32 shares
def exact_match_by_length(predicted, target, lengths):
    same = keras.ops.equal(predicted, target)
    behind = np.arange(target.shape[1])[None] >= np.asarray(lengths).reshape(-1, 1)
    right = np.asarray(keras.ops.all(keras.ops.logical_or(same, behind), axis=1), dtype="float32")
    return {n: right[lengths == n].mean() for n in set(lengths.tolist())}

# %% equivalent
# because: predictions and targets have the same shape
# was: real = np.arange(target.shape[1]) < lengths[:, None]
# now: real = np.arange(predicted.shape[1]) < lengths[:, None]
