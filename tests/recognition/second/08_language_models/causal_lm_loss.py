# %% wrong: mean_of_the_texts
# says: averages within each text first and then over the texts, so short texts count as much as long ones
def causal_lm_loss(logits, ids, pad_id=0):
    z = logits[:, :-1]
    targets = ids[:, 1:]
    means = []
    for row, wanted in zip(z, targets):
        losses = []
        for scores, target in zip(row, wanted):
            if target != pad_id:
                highest = scores.max()
                losses.append(highest + np.log(np.exp(scores - highest).sum()) - scores[target])
        if losses:
            means.append(np.mean(losses))
    return float(np.mean(means)) if means else 0.0


# %% wrong: padding_is_always_zero
# says: leaves out the targets that are 0, whatever pad_id is
def causal_lm_loss(logits, ids, pad_id=0):
    targets = ids[:, 1:]
    z = logits[:, :-1] - logits[:, :-1].max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    real = targets > 0
    return float(losses[real].mean()) if real.any() else 0.0


# %% wrong: not_after_padding
# says: also leaves out real targets whose row of logits belongs to padding
def causal_lm_loss(logits, ids, pad_id=0):
    real_ids = ids != pad_id
    targets = ids[:, 1:]
    real = real_ids[:, :-1] & real_ids[:, 1:]
    z = logits[:, :-1]
    z = z - z.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    if not real.any():
        return 0.0
    return float(losses[real].mean())


# %% wrong: log_of_a_clipped_probability
# says: adds 1e-12 to the probability before the logarithm, so no target ever costs more than about 28
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")[:, :-1]
    targets = ids[:, 1:]
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    p = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    losses = -np.log(p + 1e-12)
    real = targets != pad_id
    if real.sum() == 0:
        return 0.0
    return float(losses[real].sum() / real.sum())


# %% wrong: nothing_to_average
# says: takes the mean of an empty array if there is no target, which is nan instead of 0.0
def causal_lm_loss(logits, ids, pad_id=0):
    z, targets = logits[:, :-1], ids[:, 1:]
    z = z - z.max(axis=-1, keepdims=True)
    chosen = np.take_along_axis(z, targets[..., np.newaxis], axis=-1).squeeze(-1)
    losses = np.log(np.exp(z).sum(axis=-1)) - chosen
    return float(np.mean(losses[targets != pad_id]))


# %% right: way_1
# why: plain Python with math: loops over texts and positions, a running sum and a count
import math


def causal_lm_loss(logits, ids, pad_id=0):
    total, count = 0.0, 0
    for text in range(len(ids)):
        for t in range(len(ids[text]) - 1):
            target = int(ids[text][t + 1])
            if target == pad_id:
                continue
            row = [float(score) for score in logits[text][t]]
            top = max(row)
            total += top - row[target] + math.log(math.fsum(math.exp(score - top) for score in row))
            count += 1
    return total / max(count, 1)


# %% right: way_2
# why: Keras' cross-entropy in single precision; a roll puts the next id in each row, weights leave out the rest
def causal_lm_loss(logits, ids, pad_id=0):
    ops = keras.ops
    logits = ops.cast(logits, "float32")
    targets = ops.roll(ops.cast(ids, "int32"), -1, axis=1)
    last = np.arange(targets.shape[1]) == targets.shape[1] - 1
    weights = ops.cast(ops.logical_and(ops.not_equal(targets, int(pad_id)), ops.logical_not(last)), "float32")
    losses = ops.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return float(ops.sum(losses * weights) / ops.maximum(ops.sum(weights), 1.0))
