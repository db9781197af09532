# %% wrong: floats
# says: a mask of the numbers 0 and 1 instead of booleans
def causal_mask(length):
    return np.tril(np.ones((length, length)))


def padding_mask(ids, pad_id=0):
    return np.where(ids != pad_id, 1, 0)[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = m if result is None else result * m
    return result


# %% wrong: strict
# says: only what stands before, a position may not attend to itself
def causal_mask(length):
    i = np.arange(length)
    return i[None, :] < i[:, None]


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = m if result is None else result & m
    return result


# %% wrong: empty_mask_dropped
# says: leaves out masks that allow nothing (`m.any()`), as if they were no mask
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is None or not np.any(m):
            continue
        result = m if result is None else result & m
    return result


# %% wrong: two_only
# says: thinks of two masks only and drops any further one
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    kept = [m for m in masks if m is not None]
    if len(kept) == 0:
        return None
    if len(kept) == 1:
        return kept[0]
    return kept[0] & kept[1]


# %% right: way_3
# why: TensorFlow: band_part, not_equal, logical_and; the results are boolean tensors
import tensorflow as tf


def causal_mask(length):
    return tf.linalg.band_part(tf.ones((length, length), dtype=tf.bool), -1, 0)


def padding_mask(ids, pad_id=0):
    return tf.not_equal(tf.convert_to_tensor(ids), pad_id)[:, tf.newaxis, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is None:
            continue
        m = tf.convert_to_tensor(m)
        result = m if result is None else tf.logical_and(result, m)
    return result


# %% right: way_2
# why: comparison of positions, not_equal, and functools.reduce with logical_and
from functools import reduce


def causal_mask(length):
    positions = np.arange(length)
    return positions[None, :] <= positions[:, None]


def padding_mask(ids, pad_id=0):
    return np.expand_dims(np.not_equal(ids, pad_id), axis=1)


def combine_masks(*masks):
    masks = tuple(filter(lambda m: m is not None, masks))
    return reduce(np.logical_and, masks) if masks else None
