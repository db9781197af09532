# %% wrong: padding_by_target_zero
# says: drops the tokens whose target is 0 as well as the masked ones, as if id 0 could only be padding
def masked_cross_entropy(logits, targets, mask):
    real = mask & (targets != 0)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return (losses * real).sum() / max(real.sum(), 1)


# %% wrong: sum_instead_of_mean
# says: adds the losses up instead of averaging, so a larger batch costs more
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    right = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return -right[mask].sum()


# %% wrong: small_number_in_the_log
# says: adds 1e-9 to the probability against log(0), which hides how wrong a confident model is
def masked_cross_entropy(logits, targets, mask):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    right = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return -np.log(right + 1e-9)[mask].mean()


# %% wrong: one_maximum_for_all
# says: subtracts the largest logit of the whole batch, so at other positions every exponential becomes 0
def masked_cross_entropy(logits, targets, mask):
    shifted = logits - logits.max()
    log_sum = np.log(np.exp(shifted).sum(axis=-1))
    right = np.take_along_axis(shifted, targets[..., None], axis=-1)[..., 0]
    return (log_sum - right)[mask].mean()


# %% right: way_1
# why: plain Python loops with math, one position after the other, each with its own largest logit
import math


def masked_cross_entropy(logits, targets, mask):
    total, count = 0.0, 0
    for i in range(len(logits)):
        for t in range(len(logits[i])):
            if not mask[i][t]:
                continue
            values = [float(v) for v in logits[i][t]]
            largest = max(values)
            log_sum = largest + math.log(sum(math.exp(v - largest) for v in values))
            total += log_sum - values[int(targets[i][t])]
            count += 1
    return total / count


# %% right: way_3
# why: TensorFlow's sparse cross-entropy on the logits in float64, a boolean mask, and its mean as a Python float
import tensorflow as tf


def masked_cross_entropy(logits, targets, mask):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.convert_to_tensor(targets), logits=tf.cast(logits, tf.float64)
    )
    return float(tf.reduce_mean(tf.boolean_mask(losses, mask)))
