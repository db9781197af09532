# %% wrong: divides_by_all_positions
# says: You divide by B*T, so padding counts as a token that costs nothing. Divide by the number of real tokens.
# self-check: padding does not count
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float((-picked * mask).mean())

# %% wrong: mean_of_means
# says: You average each sentence and then the sentences, so a word of a short sentence weighs more. Average over all real tokens at once.
# self-check: sentences' means
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(((-picked * mask).sum(axis=1) / mask.sum(axis=1)).mean())

# %% wrong: double_softmax
# says: You take the softmax twice: the probabilities go through another softmax. Logits need it once.
# self-check: twice
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    log_p = p - np.log(np.exp(p).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].mean())

# %% wrong: overflow
# says: exp overflows for large logits. Subtract the largest logit of each position first: no probability changes.
# self-check: overflow
def masked_cross_entropy(logits, targets, mask):
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    picked = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return float(-np.log(picked[mask]).mean())

# %% wrong: clipped
# says: You add a small number before the logarithm. That hides how wrong a sure and wrong model is; work with log-probabilities.
# self-check: clipped
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    picked = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return float(-np.log(picked[mask] + 1e-9).mean())

# %% wrong: log_of_zero
# says: The probability of a very unlikely word is rounded to 0, and its logarithm is minus infinity. Subtract logarithms instead of dividing.
# self-check: log(0)
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)
    picked = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return float(-np.log(picked[mask]).mean())

# %% wrong: sign_missing
# says: The minus sign is missing: log-probabilities are negative, a loss is positive.
# self-check: minus sign
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(picked[mask].mean())

# %% wrong: base_two
# says: You use the logarithm to base 2. The loss is in natural units: np.log.
# self-check: natural logarithm
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = (z - np.log(np.exp(z).sum(axis=-1, keepdims=True))) / np.log(2)
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].mean())

# %% wrong: sum_not_mean
# says: You add the losses up. A mean does not depend on how many words the batch holds.
# self-check: sum over the tokens
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].sum())

# %% wrong: mask_ignored
# says: You average over all positions, padding included. Only positions with mask True count.
# self-check: padding counts too
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_p, targets[..., None], axis=-1).mean())

# %% wrong: softmax_over_time
# says: Your softmax runs over the positions of the sentence. It belongs on the last axis, the words.
# self-check: wrong axis
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].mean())

# %% wrong: mask_inverted
# says: You average over the padding. True marks the real tokens.
# self-check: inverted
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[~mask].mean())

# %% wrong: one_maximum_for_all
# says: You subtract the largest logit of the whole batch. Where all logits are far below it, every exp is 0. Take the maximum per position.
# self-check: each position
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max()
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].mean())

# %% wrong: maximum_not_added_back
# says: You subtract the largest logit before exp, but not from the logit of the right word. Subtract it in both terms, or add it to the logarithm again.
# self-check: both terms
def masked_cross_entropy(logits, targets, mask):
    largest = logits.max(axis=-1, keepdims=True)
    log_sums = np.log(np.exp(logits - largest).sum(axis=-1))
    picked = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return float((log_sums - picked)[mask].mean())

# %% wrong: mask_from_the_targets
# says: You take targets equal to 0 for padding. A right id may be 0; the mask says which positions are real.
# self-check: may be 0
def masked_cross_entropy(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-picked[targets != 0].mean())

# %% wrong: logits_times_mask
# says: You set the logits of the padding to zero and average over all positions, so padding counts with ln(vocab_size). Leave it out of the mean.
# self-check: padding counts too
def masked_cross_entropy(logits, targets, mask):
    z = logits * mask[..., None]
    z = z - z.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_p, targets[..., None], axis=-1).mean())

# %% wrong: all_axes_of_size_one_removed
# says: You remove all axes of size 1, so with one token in each sentence the mask meets the wrong axis. Name the axis.
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    picked = np.take_along_axis(log_probs, targets[..., None], axis=-1).squeeze()
    return float(-(picked * mask).sum() / mask.sum())

# %% right: loops
# why: token by token with logaddexp
def masked_cross_entropy(logits, targets, mask):
    total, count = 0.0, 0
    for i in range(logits.shape[0]):
        for t in range(logits.shape[1]):
            if mask[i, t]:
                total += np.logaddexp.reduce(logits[i, t].astype("float64")) - logits[i, t, targets[i, t]]
                count += 1
    return total / count

# %% right: with_keras
# why: the library's loss per token, then the mean over the real ones
def masked_cross_entropy(logits, targets, mask):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return np.asarray(losses)[mask].mean()

# %% right: one_hot
# why: one-hot targets and einsum; the mask as weights
def masked_cross_entropy(logits, targets, mask):
    top = logits.max(axis=-1)
    log_sum = top + np.log(np.exp(logits - top[..., None]).sum(axis=-1))
    right = np.einsum("btv,btv->bt", np.eye(logits.shape[-1], dtype=logits.dtype)[targets], logits)
    weights = mask.astype("float64")
    return float(np.average(log_sum - right, weights=weights))

# %% right: real_tokens_first
# why: the mask selects the rows before anything is computed; float32 in float64
def masked_cross_entropy(logits, targets, mask):
    z, y = np.float64(logits)[mask], targets[mask]
    z = z - z.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(y)), y])

# %% equivalent
# because: the last axis is the default in recent NumPy; older versions ask for it
# was: picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
# now: picked = np.take_along_axis(log_probs, targets[..., None])[..., 0]

# %% equivalent
# because: the axis has size 1, so its first entry is its last
# was: picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
# now: picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., -1]
