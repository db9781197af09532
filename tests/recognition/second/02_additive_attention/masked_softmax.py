# %% wrong: in_place
# says: adds the penalty into the array that was handed in, so the scores of the caller are changed
def masked_softmax(scores, mask=None):

    if mask is not None:
        scores += np.where(mask, 0.0, -np.inf).astype(scores.dtype)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


# %% wrong: minus_inf
# says: replaces forbidden scores by -inf and forgets the row with nothing allowed: -inf minus -inf is nan
def masked_softmax(scores, mask=None):

    s = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% wrong: all_or_nothing
# says: looks for an empty mask as a whole, not row by row; one empty row among others becomes nan
def masked_softmax(scores, mask=None):

    if mask is not None and not np.any(mask):
        return np.zeros(scores.shape)
    s = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% wrong: epsilon
# says: avoids 0 / 0 by a small number in the denominator without shifting by the maximum
def masked_softmax(scores, mask=None):

    e = np.exp(scores)
    if mask is not None:
        e = e * mask
    return e / (e.sum(axis=-1, keepdims=True) + 1e-12)


# %% right: way_1
# why: pure Python: each row keeps a list of its allowed positions; empty list, zero row
import math


def masked_softmax(scores, mask=None):
    scores = np.asarray(scores)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    width = scores.shape[-1]
    rows = []
    for row, may in zip(scores.reshape(-1, width).tolist(), allowed.reshape(-1, width).tolist()):
        places = [j for j in range(width) if may[j]]
        weights = [0.0] * width
        if places:
            largest = max(row[j] for j in places)
            total = sum(math.exp(row[j] - largest) for j in places)
            for j in places:
                weights[j] = math.exp(row[j] - largest) / total
        rows.append(weights)
    return np.array(rows).reshape(scores.shape)


# %% right: way_3
# why: Keras operations: a stable softmax of the scores with -inf at forbidden places, empty rows rescued first; returns a tensor
def masked_softmax(scores, mask=None):

    ops = keras.ops
    scores = ops.convert_to_tensor(scores)
    if mask is None:
        return ops.softmax(scores, axis=-1)
    mask = ops.broadcast_to(ops.cast(ops.convert_to_tensor(mask), "bool"), scores.shape)
    something = ops.any(mask, axis=-1, keepdims=True)
    infinity = ops.full_like(scores, float("-inf"))
    kept = ops.where(mask, scores, infinity)
    weights = ops.softmax(ops.where(something, kept, ops.zeros_like(scores)), axis=-1)
    return ops.where(something, weights, ops.zeros_like(weights))
