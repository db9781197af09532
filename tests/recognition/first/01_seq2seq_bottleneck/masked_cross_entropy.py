# %% wrong: overflow
# says: types the formula as it stands, so exp of a logit of 10,000 is infinite
def masked_cross_entropy(logits, targets, mask):
    log_sum = np.log(np.exp(logits).sum(axis=-1))
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (log_sum - right)[mask].mean()


# %% wrong: softmax_twice
# says: gives probabilities to a function that expects logits, so the softmax is taken twice
def masked_cross_entropy(logits, targets, mask):
    p = keras.ops.convert_to_numpy(keras.ops.softmax(np.asarray(logits, "float64"), axis=-1))
    log_p = p - np.log(np.exp(p).sum(axis=-1, keepdims=True))
    right = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return -right[mask].mean()


# %% wrong: mean_of_sentence_means
# says: averages each sentence first and then the sentences, so tokens of short sentences weigh more
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    counts = np.maximum(mask.sum(axis=1), 1)
    per_sentence = (losses * mask).sum(axis=1) / counts
    return per_sentence.mean()


# %% wrong: maximum_in_one_term
# says: subtracts the largest logit inside the sum but forgets to add it again outside
def masked_cross_entropy(logits, targets, mask):
    largest = logits.max(axis=-1, keepdims=True)
    log_sum = np.log(np.exp(logits - largest).sum(axis=-1))
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (log_sum - right)[mask].mean()


# %% right: way_2
# why: picks the real tokens first, then np.logaddexp.reduce, which never overflows; returns a numpy scalar
def masked_cross_entropy(logits, targets, mask):
    real_logits, real_targets = logits[mask], targets[mask]
    log_sums = np.logaddexp.reduce(real_logits, axis=-1)
    return np.mean(log_sums - real_logits[np.arange(len(real_targets)), real_targets])


# %% right: way_4
# why: one-hot targets and keras.ops.log_softmax; a 0-dimensional array is returned
def masked_cross_entropy(logits, targets, mask):
    log_p = keras.ops.convert_to_numpy(keras.ops.log_softmax(np.asarray(logits, "float64"), axis=-1))
    right = np.eye(logits.shape[-1], dtype=bool)[targets]
    return np.asarray(-log_p[right & mask[..., None]].mean())
