# %% wrong: mean_of_sentence_means
# says: Takes the mean of each sentence first and then the mean over the sentences, so tokens of short sentences count more.
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    loss = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    per_sentence = (loss * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)
    return float(per_sentence[mask.any(axis=1)].mean())


# %% wrong: clipped_probabilities
# says: Adds a small number to the probabilities before the logarithm, so very improbable right words get far too small a loss (about 16 at most).
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(shifted)
    p = p / p.sum(axis=-1, keepdims=True)
    right = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return float(-np.log(right[mask] + 1e-7).mean())
