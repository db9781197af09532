# %% wrong: one_maximum_for_all
# says: The largest logit of the whole batch is subtracted everywhere, so positions with much smaller logits underflow and their loss becomes infinite or nan.
def masked_cross_entropy(logits, targets, mask):
    shifted = logits.astype(np.float64) - logits.max()
    log_sum = np.log(np.exp(shifted).sum(axis=-1))
    right = np.take_along_axis(shifted, targets[..., None], axis=-1)[..., 0]
    return (log_sum - right)[mask].mean()


# %% wrong: clipped_probabilities
# says: The probabilities are clipped at 1e-9 before the logarithm, so a token whose correct word is very unlikely costs at most about 20.7 instead of its true loss.
def masked_cross_entropy(logits, targets, mask):
    z = logits - np.max(logits, axis=-1, keepdims=True)
    e = np.exp(z)
    p = e / np.sum(e, axis=-1, keepdims=True)
    total, count = 0.0, 0
    for i in range(p.shape[0]):
        for t in range(p.shape[1]):
            if mask[i, t]:
                total -= np.log(max(float(p[i, t, targets[i, t]]), 1e-9))
                count += 1
    return total / count


# %% wrong: mean_of_sentence_means
# says: The loss is averaged within each sentence first and then over the sentences, so tokens of short sentences count more than tokens of long ones.
def masked_cross_entropy(logits, targets, mask):
    per_sentence = []
    for rows, words, real in zip(logits.astype("float64"), targets, mask):
        if not real.any():
            continue
        rows, words = rows[real], words[real]
        top = rows.max(axis=1)
        lse = top + np.log(np.exp(rows - top[:, None]).sum(axis=1))
        per_sentence.append(np.mean(lse - rows[np.arange(len(words)), words]))
    return float(np.mean(per_sentence))


# %% right: logaddexp
# why: reduces the vocabulary with the overflow-free logaddexp, picks the right logits by one-hot comparison, and averages with the mask as weights
def masked_cross_entropy(logits, targets, mask):
    wide = np.asarray(logits, dtype=np.float64)
    normaliser = np.logaddexp.reduce(wide, axis=-1)
    chosen = np.where(np.arange(wide.shape[-1]) == targets[:, :, None], wide, 0.0).sum(axis=-1)
    return float(np.average(normaliser - chosen, weights=mask.astype(float)))
