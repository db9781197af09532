# %% wrong: no_shift
# says: Row t of the logits predicts the id at t + 1. Yours compares it with the id at t, which the model has just been shown: such a loss is
#   low for a model that repeats its input.
# self-check: nothing is shifted
def causal_lm_loss(logits, ids, pad_id=0):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, ids[..., None], axis=-1)[..., 0]
    real = ids != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: shifted_the_wrong_way
# says: You compare row t + 1 with the id at t, so the model would have to name the past. Drop the last row of logits and the first id.
# self-check: wrong way
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, 1:], ids[:, :-1]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = targets != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: wraps_around
# says: np.roll puts the first id at the end, so the last row has to predict the first word. It has no target.
# self-check: wraps around
def causal_lm_loss(logits, ids, pad_id=0):
    targets = np.roll(ids, -1, axis=1)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = targets != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: counts_padding
# says: The padding counts as a target in yours. The model would be rewarded for predicting nothing after the end.
# self-check: counts as a target
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    if targets.size == 0 or (targets == pad_id).all():
        return 0.0
    return float(-np.take_along_axis(log_probs, targets[..., None], axis=-1).mean())

# %% wrong: divides_by_all
# says: Padding adds nothing to your sum, but you divide by the number of all targets, so a batch with much padding has a low loss.
# self-check: still divide
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    return float((losses * (targets != pad_id)).sum() / max(targets.size, 1))

# %% wrong: mean_of_means
# says: You average each sentence, and then the sentences. A short sentence counts as much as a long one then: take one mean over all targets.
# self-check: mean of means
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    rows = [row[real].mean() for row, real in zip(losses, targets != pad_id) if real.any()]
    return float(np.mean(rows)) if rows else 0.0

# %% wrong: masks_by_the_input
# says: You leave out the places where the input is padding. What counts is the target: a real id may follow padding, and padding follows the
#   last real id.
# self-check: counts as a target
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets, real = logits[:, :-1], ids[:, 1:], ids[:, :-1] != pad_id
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: id_before_has_to_be_real
# says: You drop a target if the id before it is padding. Only the target itself has to be real, and a real id may follow padding.
# self-check: if the id before it is padding
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets, real = logits[:, :-1], ids[:, 1:], ids != pad_id
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = real[:, 1:] & real[:, :-1]
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: text_ends_at_the_first_padding
# says: You drop all targets after the first one that is padding. Padding may be anywhere, and a real id after it is a target like any other.
# self-check: after the first target that is padding
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = np.cumprod(targets != pad_id, axis=1) > 0
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: shifted_in_place
# says: You subtract the largest logit in place: the array that was handed in is changed, in float32 at least. Make a new one.
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = np.asarray(logits, "float32")[:, :-1], np.asarray(ids)[:, 1:]
    real = targets != pad_id
    if not real.any():
        return 0.0
    logits -= logits.max(axis=-1, keepdims=True)
    rows = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0] - np.log(np.exp(logits).sum(axis=-1))
    return float(-rows[real].mean())

# %% wrong: unstable
# says: exp overflows for large logits. Subtract the largest logit of each row first: the softmax does not change.
# self-check: subtract the largest logit
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    e = np.exp(logits)
    losses = -np.log(np.take_along_axis(e / e.sum(axis=-1, keepdims=True), targets[..., None], axis=-1)[..., 0])
    real = targets != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: logarithm_of_zero
# says: Your softmax is stable, but it rounds small probabilities to 0, and the logarithm of 0 is not finite. Take the logarithm before: shifted
#   logits minus the logarithm of the sum.
# self-check: before anything becomes 0
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    losses = -np.log(np.take_along_axis(e / e.sum(axis=-1, keepdims=True), targets[..., None], axis=-1)[..., 0])
    real = targets != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: clipped
# says: You clip probabilities, so the loss of a target that the model holds for impossible is too low. Take the logarithm before anything
#   is rounded to 0.
# self-check: logits of 1e4
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = np.clip(np.take_along_axis(e / e.sum(axis=-1, keepdims=True), targets[..., None], axis=-1)[..., 0], 1e-9, 1)
    real = targets != pad_id
    return float(-np.log(p)[real].mean()) if real.any() else 0.0

# %% wrong: in_bits
# says: The logarithm is to base 2, so your loss is in bits. It should be in nats, with the natural logarithm.
# self-check: in bits
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))) / np.log(2)
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = targets != pad_id
    return float(losses[real].mean()) if real.any() else 0.0

# %% wrong: nan_without_targets
# says: If there is no target, yours takes the mean of nothing, which is nan. The docstring asks for 0.0.
# self-check: mean of nothing
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    return float(losses[targets != pad_id].mean())

# %% wrong: pad_id_is_zero
# says: You compare with 0 instead of pad_id.
# self-check: instead of 0
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = logits[:, :-1], ids[:, 1:]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = targets != 0
    return float(losses[real].mean()) if real.any() else 0.0

# %% right: with_keras
# why: Keras computes the loss of each target
def causal_lm_loss(logits, ids, pad_id=0):
    real = np.asarray(ids[:, 1:] != pad_id)
    if not real.any():
        return 0.0
    losses = keras.ops.sparse_categorical_crossentropy(ids[:, 1:][real], logits[:, :-1][real], from_logits=True)
    return float(keras.ops.mean(losses))

# %% right: target_by_target
# why: plain loops over sentences and positions
def causal_lm_loss(logits, ids, pad_id=0):
    total, count = 0.0, 0
    for row, words in zip(np.asarray(logits, dtype="float64"), ids):
        for t, word in enumerate(words[1:]):
            if word != pad_id:
                total += row[t].max() + np.log(np.exp(row[t] - row[t].max()).sum()) - row[t, word]
                count += 1
    return total / count if count else 0.0

# %% right: logaddexp
# why: np.logaddexp sums exponentials without overflow
def causal_lm_loss(logits, ids, pad_id=0):
    B, T, _ = logits.shape
    batch, place = np.nonzero(ids[:, 1:] != pad_id)
    if len(batch) == 0:
        return 0.0
    rows = logits[batch, place]
    return np.mean(np.logaddexp.reduce(rows, axis=-1) - rows[np.arange(len(rows)), ids[batch, place + 1]])

# %% equivalent
# because: the last row has no target and is never picked, and each row is normalised by itself
# was: logits, targets = (np.asarray(logits)[:, :-1], np.asarray(ids)[:, 1:])
# now: logits, targets = (np.asarray(logits)[:, :], np.asarray(ids)[:, 1:])
# was: logits, targets = (np.asarray(logits)[:, :-1], np.asarray(ids)[:, 1:]) ;; shifted = logits - logits.max(axis=-1, keepdims=True)
# now: shifted = logits - logits.max(axis=-1, keepdims=True) ;; logits, targets = (np.asarray(logits)[:, :-1], np.asarray(ids)[:, 1:])
