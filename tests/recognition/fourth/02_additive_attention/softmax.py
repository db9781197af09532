# %% wrong: subtracts_in_place
# says: The maximum is subtracted from x in place, so the caller's array is changed.
def softmax(x, axis=-1):
    x -= np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


# %% wrong: clips_the_scores
# says: The scores are clipped at +-80 against overflow instead of being shifted by the maximum, so scores beyond 80 are no longer told apart.
def softmax(x, axis=-1):
    safe = np.clip(x, -80.0, 80.0)
    powers = np.exp(safe.astype("float64"))
    return powers / np.sum(powers, axis=axis, keepdims=True)


# %% wrong: axis_not_moved_back
# says: The axis is swapped to the end for the computation and never swapped back, so for other axes than the last the result has transposed axes.
def softmax(x, axis=-1):
    rows = np.swapaxes(x, axis, -1)
    shifted = rows - rows.max(axis=-1)[..., np.newaxis]
    weights = np.exp(shifted)
    weights = weights / weights.sum(axis=-1)[..., np.newaxis]
    return weights


# %% right: log_space
# why: stays in log space: exp(x - logsumexp(x)), with the overflow-free logaddexp in float64
def softmax(x, axis=-1):
    wide = np.asarray(x, dtype=np.float64)
    return np.exp(wide - np.expand_dims(np.logaddexp.reduce(wide, axis=axis), axis))
