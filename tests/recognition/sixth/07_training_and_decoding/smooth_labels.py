# %% wrong: divided_by_number_of_targets
# says: Spreads epsilon / N, with N the number of targets, instead of epsilon / V, so rows do not sum to 1.
def smooth_labels(targets, vocab_size, epsilon):
    targets = np.asarray(targets)
    onehot = np.eye(vocab_size)[targets]
    return (1 - epsilon) * onehot + epsilon / len(onehot)


# %% wrong: target_gets_only_one_minus_epsilon
# says: Every other word gets epsilon / V, but the target gets exactly 1 - epsilon without its own share of epsilon, so rows sum to less than 1.
def smooth_labels(targets, vocab_size, epsilon):
    targets = np.asarray(targets)
    q = np.full((len(targets), vocab_size), epsilon / vocab_size)
    q[np.arange(len(targets)), targets] = 1 - epsilon
    return q


# %% right: comparison_and_lerp
# why: Compares targets with the ids by broadcasting and interpolates with np.where between the two only values that occur.
def smooth_labels(targets, vocab_size, epsilon):
    low = epsilon / vocab_size
    high = 1 - low * (vocab_size - 1)
    return np.where(np.equal.outer(np.asarray(targets), np.arange(vocab_size)), high, low)
