# %% wrong: integer_array
# says: The array takes over the integer dtype of the targets, so all shares are cut to whole numbers.
def smooth_labels(targets, vocab_size, epsilon):
    labels = np.zeros((len(targets), vocab_size), dtype=np.asarray(targets).dtype)
    labels[:] = epsilon / vocab_size
    labels[np.arange(len(targets)), targets] = 1 - epsilon + epsilon / vocab_size
    return labels


# %% wrong: add_and_normalise
# says: The share is added to every word as in add-one smoothing and each row then divided by its sum, so the target keeps more than 1 - epsilon plus its part.
def smooth_labels(targets, vocab_size, epsilon):
    labels = np.eye(vocab_size)[targets] + epsilon / vocab_size
    return labels / labels.sum(axis=-1, keepdims=True)


# %% wrong: others_only
# says: The share goes to the other words only and the target gets 1 - epsilon.
def smooth_labels(targets, vocab_size, epsilon):
    labels = np.full((len(targets), vocab_size), epsilon / (vocab_size - 1))
    for n, target in enumerate(targets):
        labels[n, target] = 1 - epsilon
    return labels


# %% right: way_1
# why: compares every target with every id in an outer table and blends between two constants
def smooth_labels(targets, vocab_size, epsilon):
    hit = np.equal.outer(np.asarray(targets), np.arange(vocab_size))
    low = epsilon / vocab_size
    return np.where(hit, 1.0 - (vocab_size - 1) * low, low).astype("float64")
