# %% wrong: all_lengths_as_keys
# says: makes a key for every length from 1 to T, with 0.0 where no row has that length
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in range(1, target.shape[1] + 1):
        rows = lengths == n
        right = (predicted[rows, :n] == target[rows, :n]).all(axis=1)
        result[n] = float(right.mean()) if rows.any() else 0.0
    return result


# %% wrong: cumulative
# says: compares the first n positions of all rows that are at least n long, instead of the rows of length n
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in np.unique(lengths):
        rows = lengths >= n
        result[int(n)] = float((predicted[rows, :n] == target[rows, :n]).all(axis=1).mean())
    return result


# %% wrong: divides_by_all_rows
# says: divides by the number of all rows instead of the rows of that length
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in np.unique(lengths):
        rows = lengths == n
        right = (predicted[rows, :n] == target[rows, :n]).all(axis=1)
        result[int(n)] = float(right.sum() / len(lengths))
    return result


# %% wrong: an_early_end_is_right
# says: compares only up to the end mark of the prediction, so a sentence that ends too early counts as right
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in np.unique(lengths):
        right = []
        for p, t in zip(predicted[lengths == n], target[lengths == n]):
            p = p[:n].tolist()
            words = p.index(2) if 2 in p else int(n)
            right.append(p[:words] == t[:words].tolist())
        result[int(n)] = float(np.mean(right))
    return result


# %% right: way_2
# why: no Python loop: counts wrong real positions by a product with the mask, and averages with np.bincount
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < np.asarray(lengths)[:, None]
    right = np.sum((predicted != target) & real, axis=1) == 0
    keys, group = np.unique(lengths, return_inverse=True)
    shares = np.bincount(group, weights=right) / np.bincount(group)
    return dict(zip(keys.tolist(), shares.tolist(), strict=True))


# %% right: way_3
# why: TensorFlow's sequence_mask and segment mean; keys and values are numpy scalars (int64, float32)
import tensorflow as tf


def exact_match_by_length(predicted, target, lengths):
    padding = tf.logical_not(tf.sequence_mask(lengths, maxlen=predicted.shape[1]))
    right = tf.reduce_all(tf.logical_or(tf.equal(predicted, tf.cast(target, predicted.dtype)), padding), axis=1)
    keys, group = tf.unique(lengths)
    shares = tf.math.unsorted_segment_mean(tf.cast(right, tf.float32), group, len(keys))
    return dict(zip(keys.numpy(), shares.numpy(), strict=True))
