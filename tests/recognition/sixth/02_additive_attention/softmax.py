# %% wrong: one_maximum_for_everything
# says: Subtracts the maximum of the whole array instead of that of each slice, so a slice of scores far below it underflows to 0/0 = nan.
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x))
    return e / np.sum(e, axis=axis, keepdims=True)


# %% wrong: subtracts_in_place
# says: Subtracts the maximum with -=, which changes the caller's array x.
def softmax(x, axis=-1):
    x -= np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


# %% right: log_space
# why: Computes the logarithm of the sum with np.logaddexp.reduce and takes the exponential of the difference; no maximum is subtracted by hand.
def softmax(x, axis=-1):
    total = np.logaddexp.reduce(x, axis=axis)
    return np.exp(x - np.expand_dims(total, axis))
