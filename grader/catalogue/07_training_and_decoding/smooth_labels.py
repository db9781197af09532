# %% wrong: over_the_others_only
# says: You spread the share over the other words only, epsilon / (V - 1). It goes to all V words, the target included.
# self-check: over all words
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return (1 - epsilon) * one_hot + epsilon / (vocab_size - 1) * (1 - one_hot)

# %% wrong: target_keeps_everything
# says: The target keeps its whole 1, so that rows sum to more than 1. Multiply it by 1 - epsilon.
# self-check: multiply by 1 - epsilon
def smooth_labels(targets, vocab_size, epsilon):
    return np.eye(vocab_size)[targets] + epsilon / vocab_size

# %% wrong: target_left_out
# says: The target gets no part of the share that is spread: rows sum to less than 1.
# self-check: left out
def smooth_labels(targets, vocab_size, epsilon):
    one_hot = np.eye(vocab_size)[targets]
    return np.where(one_hot > 0, 1 - epsilon, epsilon / vocab_size)

# %% wrong: exchanged
# says: epsilon and 1 - epsilon are exchanged: the target should keep nearly everything.
# self-check: swapped
def smooth_labels(targets, vocab_size, epsilon):
    return epsilon * np.eye(vocab_size)[targets] + (1 - epsilon) / vocab_size

# %% wrong: whole_share_to_each
# says: Every word gets the whole epsilon. Divide it by vocab_size.
# self-check: whole epsilon
def smooth_labels(targets, vocab_size, epsilon):
    return (1 - epsilon) * np.eye(vocab_size)[targets] + epsilon

# %% wrong: integers
# says: Your array holds integers, so all shares are cut to 0. Make it one of floats.
# self-check: holds floats
def smooth_labels(targets, vocab_size, epsilon):
    labels = np.zeros((len(targets), vocab_size), dtype=int)
    labels[np.arange(len(targets)), targets] = 1
    labels[:] = (1 - epsilon) * labels + epsilon / vocab_size
    return labels

# %% wrong: not_smoothed
# says: These are plain one-hot vectors: epsilon has no influence.
# self-check: nothing is smoothed
def smooth_labels(targets, vocab_size, epsilon):
    return np.eye(vocab_size)[targets]

# %% wrong: divided_by_the_batch
# says: You divided by the number of targets. The share is spread over the vocabulary.
# self-check: number of targets
def smooth_labels(targets, vocab_size, epsilon):
    return (1 - epsilon) * np.eye(vocab_size)[targets] + epsilon / len(targets)

# %% wrong: words_as_rows
# says: Rows and columns are exchanged: a row for each target, a column for each word.
# self-check: shape
def smooth_labels(targets, vocab_size, epsilon):
    return ((1 - epsilon) * np.eye(vocab_size)[targets] + epsilon / vocab_size).T

# %% right: by_index
# why: a full array, then the targets raised
def smooth_labels(targets, vocab_size, epsilon):
    labels = np.full((len(targets), vocab_size), epsilon / vocab_size)
    labels[np.arange(len(targets)), targets] += 1 - epsilon
    return labels

# %% right: by_comparison
# why: one-hot vectors by comparing ids with a range
def smooth_labels(targets, vocab_size, epsilon):
    return np.where(np.asarray(targets)[:, None] == np.arange(vocab_size), 1 - epsilon + epsilon / vocab_size, epsilon / vocab_size)

# %% right: with_keras
# why: the library's one-hot vectors, in float32
def smooth_labels(targets, vocab_size, epsilon):
    return np.asarray(keras.ops.one_hot(targets, vocab_size)) * (1 - epsilon) + epsilon / vocab_size
