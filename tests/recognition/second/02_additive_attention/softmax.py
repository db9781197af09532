# %% wrong: shift_by_mean
# says: subtracts the mean instead of the maximum; the largest score can still overflow
def softmax(x, axis=-1):

    e = np.exp(x - np.mean(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


# %% wrong: no_keepdims
# says: reductions drop the axis, so they broadcast along the wrong axis or not at all
def softmax(x, axis=-1):

    e = np.exp(x - np.max(x, axis=axis))
    return e / np.sum(e, axis=axis)


# %% wrong: rounded
# says: rounds the weights to three digits because the printed example shows three
def softmax(x, axis=-1):

    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.round(e / np.sum(e, axis=axis, keepdims=True), 3)


# %% wrong: one_maximum
# says: subtracts the largest entry of the whole array, so a row far below it becomes 0 / 0
def softmax(x, axis=-1):

    e = np.exp(x - np.max(x))
    return e / e.sum(axis=axis, keepdims=True)


# %% right: way_3
# why: Keras operations; returns a tensor of the backend, not a NumPy array
def softmax(x, axis=-1):

    x = keras.ops.convert_to_tensor(x)
    return keras.ops.softmax(x, axis=axis)
