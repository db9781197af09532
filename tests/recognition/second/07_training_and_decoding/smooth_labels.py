# %% wrong: transposed
# says: a column for each target
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return ((1 - epsilon) * one_hot + epsilon / vocab_size).T


# %% wrong: others_only
# says: spreads the share over the other words only
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return np.where(one_hot > 0, 1 - epsilon, epsilon / max(vocab_size - 1, 1))


# %% wrong: whole_columns
# says: rows[:, targets] sets whole columns instead of one entry per row
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.zeros((len(targets), vocab_size))
    one_hot[:, targets] = 1
    return (1 - epsilon) * one_hot + epsilon / vocab_size


# %% wrong: by_targets
# says: divides by the number of targets
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return (1 - epsilon) * one_hot + epsilon / len(targets)


# %% right: way_3
# why: Keras' one_hot in single precision, mixed with the uniform distribution; a tensor
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = keras.ops.one_hot(targets, vocab_size, dtype="float32")
    even = keras.ops.ones_like(one_hot) / vocab_size
    return one_hot + epsilon * (even - one_hot)
