# %% wrong: columns
# says: takes axis 0 for "along a row", so columns sum to 1 when axis is left at its default
def softmax(x, axis=-1):

    if axis == -1:
        axis = 0
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


# %% wrong: one_sum
# says: divides by the sum of all entries instead of the sum of each slice
def softmax(x, axis=-1):

    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e)


# %% wrong: divide_by_max
# says: makes the scores small by dividing by the largest one instead of subtracting it, which changes the weights
def softmax(x, axis=-1):

    e = np.exp(x / np.max(np.abs(x), axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


# %% wrong: axis_ignored
# says: thinks that the softmax always runs along the last axis; the argument axis has no effect
def softmax(x, axis=-1):

    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


# %% right: way_2
# why: vectorised through the logarithm: exp(x - logsumexp(x)), keeps the dtype of x
def softmax(x, axis=-1):

    shifted = x - np.max(x, axis=axis, keepdims=True)
    log_sum = np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
    return np.exp(shifted - log_sum)


# %% right: way_1
# why: pure Python: every slice along the axis is worked out with math.exp in a loop, the result is float64
import math


def softmax(x, axis=-1):
    moved = np.moveaxis(np.array(x, dtype="float64"), axis, -1)
    flat = moved.reshape(-1, moved.shape[-1])
    rows = []
    for row in flat.tolist():
        largest = max(row)
        exponentials = [math.exp(s - largest) for s in row]
        total = math.fsum(exponentials)
        rows.append([e / total for e in exponentials])
    return np.moveaxis(np.array(rows).reshape(moved.shape), -1, axis)
