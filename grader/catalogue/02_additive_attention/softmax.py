# %% wrong: no_max_subtraction
# says: exp overflows for large scores. Subtract the maximum along the axis first: the result stays the same.
# self-check: overflow
def softmax(x, axis=-1):
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: first_axis_by_default
# says: Your weights sum to 1 along the first axis. The default is the last one, axis=-1.
# self-check: wrong axis
def softmax(x, axis=0):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: axis_ignored
# says: Your function always works along the last axis; use the argument axis in the maximum and in the sum.
# self-check: axis argument
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

# %% wrong: no_keepdims
# says: Without keepdims=True the sum loses an axis and is broadcast against the wrong one. Keep it with size 1.
# self-check: keepdims
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x))
    return e / e.sum(axis=axis)

# %% wrong: over_everything
# says: You divided by the sum of all entries. Each slice along the axis needs its own sum.
# self-check: everything
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x))
    return e / e.sum()

# %% wrong: one_maximum_for_all
# says: You subtract the maximum of the whole array. Rows far below it underflow to 0/0; each slice needs its own maximum.
# self-check: own maximum
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: shifted_by_the_first
# says: You subtract the first score of each slice. If that is -1e4 and another one 1e4, exp overflows: subtract the largest.
def softmax(x, axis=-1):
    e = np.exp(x - np.take(x, [0], axis=axis))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: no_exponential
# says: You divided the scores by their sum. Scores may be negative; take exp first.
# self-check: exponential
def softmax(x, axis=-1):
    return x / np.sum(x, axis=axis, keepdims=True)

# %% wrong: clipped
# says: Clipping large scores makes them equal. Subtract the maximum instead: differences stay as they are.
# self-check: clip
def softmax(x, axis=-1):
    e = np.exp(np.clip(x, -50.0, 50.0))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: log_softmax
# says: These are the logarithms of the weights. Weights are positive and sum to 1.
# self-check: logarithm
def softmax(x, axis=-1):
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))

# %% wrong: base_two
# says: The weights come from powers of 2. The softmax takes powers of e: np.exp.
# self-check: powers of 2
def softmax(x, axis=-1):
    p = 2.0 ** (x - np.max(x, axis=axis, keepdims=True))
    return p / p.sum(axis=axis, keepdims=True)

# %% wrong: changes_its_input
# says: x -= ... writes into the caller's array. Write x = x - ... to make a new one.
# self-check: inputs
def softmax(x, axis=-1):
    x -= np.max(x, axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x

# %% wrong: sigmoid
# says: Each score went through a sigmoid by itself. Weights compete: they are divided by their common sum.
# self-check: sum to 1
def softmax(x, axis=-1):
    return 1 / (1 + np.exp(-x))

# %% wrong: sum_without_keepdims
# says: The sum lost its axis and met the columns. Keep it: keepdims=True.
# self-check: the sum lost its axis: write keepdims=True
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis)

# %% wrong: maximum_without_keepdims
# says: The maximum lost its axis and met the columns. Keep it: keepdims=True.
# self-check: the maximum lost its axis: write keepdims=True
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: both_without_keepdims
# says: Maximum and sum lost their axis. Keep it in both: keepdims=True.
# self-check: the maximum and the sum lost their axis: write keepdims=True
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis))
    return e / e.sum(axis=axis)

# %% right: with_keras
# why: the library's function gives the same array
def softmax(x, axis=-1):
    return keras.ops.convert_to_numpy(keras.ops.softmax(x, axis=axis))

# %% right: by_logsumexp
# why: subtracting the logarithm of the sum before exp is the same division
def softmax(x, axis=-1):
    top = np.max(x, axis=axis, keepdims=True)
    return np.exp(x - top - np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)))

# %% right: slice_by_slice
# why: a loop over the slices, each with its own maximum
def softmax(x, axis=-1):
    def one(row):
        e = [np.exp(s - max(row)) for s in row]
        return np.array(e) / sum(e)

    return np.apply_along_axis(one, axis, x)

# %% right: in_float32
# why: float32 is exact enough for weights
def softmax(x, axis=-1):
    x = np.asarray(x - np.max(x, axis=axis, keepdims=True), dtype="float32")
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)

# %% right: by_logsumexp_in_float32
# why: near 1e4 float32 has steps of 0.001, and so has the logarithm of the sum
def softmax(x, axis=-1):
    x = np.asarray(x, dtype="float32")
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))

# %% right: axis_moved_last
# why: moving the axis to the end, working there and moving it back
def softmax(x, axis=-1):
    y = np.moveaxis(np.array(x), axis, -1)
    y = np.exp(y - y.max(-1)[..., None])
    return np.moveaxis(y / y.sum(-1)[..., None], -1, axis)
