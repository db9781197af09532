# %% wrong: every_row_gets_every_target
# says: q[:, targets] adds 1 - epsilon in the columns of all targets to every row, instead of to each row's own target only, so with several targets the rows do not sum to 1.
def smooth_labels(targets, vocab_size, epsilon):
    q = np.full((len(targets), vocab_size), epsilon / vocab_size)
    q[:, targets] += 1 - epsilon
    return q


# %% wrong: adds_then_divides_by_the_sum
# says: The one-hot vector is not shrunk by 1 - epsilon; epsilon / V is added to it and the row is divided by its sum 1 + epsilon. The rows sum to 1, but the numbers are wrong.
def smooth_labels(targets, vocab_size, epsilon):
    onehot = keras.utils.to_categorical(np.asarray(targets), vocab_size).astype("float64")
    q = onehot + epsilon / vocab_size
    return q / q.sum(axis=1, keepdims=True)


# %% right: comparison_and_blend
# why: The one-hot vectors come from comparing with all ids, and the result is written as the uniform distribution plus a share 1 - epsilon of the difference to it, which is the same formula.
def smooth_labels(targets, vocab_size, epsilon):
    ids = np.arange(vocab_size)
    hot = np.equal.outer(np.asarray(targets), ids) * 1.0
    uniform = np.ones_like(hot) / vocab_size
    return uniform + (1 - epsilon) * (hot - uniform)
