# %% wrong: target_excluded
# says: the target gets nothing of its share back: rows do not sum to 1
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return np.where(one_hot > 0, 1 - epsilon, epsilon / vocab_size)


# %% wrong: integers
# says: writes into an array of integers: everything is cut to 0
def smooth_labels(targets, vocab_size, epsilon):
    rows = np.zeros((len(targets), vocab_size), dtype=int)
    rows[:] = epsilon / vocab_size
    rows[np.arange(len(targets)), targets] = 1 - epsilon + epsilon / vocab_size
    return rows


# %% wrong: fixed_epsilon
# says: writes the paper's 0.1
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return 0.9 * one_hot + 0.1 / vocab_size


# %% wrong: neighbours
# says: spreads over the neighbouring ids
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return (1 - epsilon) * one_hot + epsilon / 2 * (np.roll(one_hot, 1, axis=1) + np.roll(one_hot, -1, axis=1))


# %% right: way_1
# why: loops over targets and words
def smooth_labels(targets, vocab_size, epsilon):
    rows = []
    for target in targets:
        row = [epsilon / vocab_size] * vocab_size
        row[target] += 1 - epsilon
        rows.append(row)
    return np.array(rows)


# %% right: way_2
# why: a full array, the entries of the targets added to by indices
def smooth_labels(targets, vocab_size, epsilon):
    result = np.full((targets.shape[0], vocab_size), epsilon / vocab_size, dtype=float)
    result[np.arange(targets.shape[0]), targets] += 1.0 - epsilon
    return result
