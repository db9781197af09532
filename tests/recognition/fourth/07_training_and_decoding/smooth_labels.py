# %% wrong: shared_by_the_others
# says: Epsilon is spread over the V - 1 other words only, so the target gets 1 - epsilon; it has to be spread over all V words, the target included.
def smooth_labels(targets, vocab_size, epsilon):
    from keras import ops

    hot = ops.convert_to_numpy(ops.one_hot(targets, vocab_size)).astype("float64")
    return hot * (1 - epsilon) + (1 - hot) * epsilon / (vocab_size - 1)


# %% wrong: divided_by_rows
# says: Epsilon is divided by the number of targets N instead of the number of words V, so the rows do not sum to 1 when N differs from V.
def smooth_labels(targets, vocab_size, epsilon):
    targets = np.asarray(targets)
    q = np.zeros((len(targets), vocab_size))
    for n, t in enumerate(targets):
        q[n, t] = 1.0 - epsilon
    q += epsilon / len(q)
    return q


# %% wrong: position_among_seen
# says: The 1 is put at the rank of the id among the ids that occur, not at the id itself; this fails as soon as a smaller id does not occur.
def smooth_labels(targets, vocab_size, epsilon):
    targets = np.asarray(targets)
    words, column = np.unique(targets, return_inverse=True)
    onehot = np.zeros((targets.size, vocab_size))
    onehot[np.arange(targets.size), column.reshape(-1)] = 1.0
    return (1.0 - epsilon) * onehot + epsilon / vocab_size


# %% right: way_1
# why: Counts the flat positions n * V + id with bincount, which makes the one-hot rows without any indexing.
def smooth_labels(targets, vocab_size, epsilon):
    ids = np.asarray(targets).astype(np.int64)
    N, V = ids.shape[0], int(vocab_size)
    hot = np.bincount(np.arange(N) * V + ids, minlength=N * V).reshape(N, V)
    return hot - epsilon * (hot - 1.0 / V)
