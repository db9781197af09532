# %% wrong: clipped_scores
# says: Scores are clipped to between -50 and 50 to avoid overflow, so all scores above 50 (or below -50) count as equal and get equal weights; it should subtract the maximum.
def softmax(x, axis=-1):
    e = np.exp(np.clip(x, -50.0, 50.0))
    return e / e.sum(axis=axis, keepdims=True)


# %% wrong: maximum_along_last_axis
# says: The maximum is always taken along the last axis, whatever axis is asked for; for another axis each score of a slice has a different number subtracted, so the weights are wrong, although they still sum to 1.
def softmax(x, axis=-1):
    top = np.max(x, axis=-1, keepdims=True)
    weights = np.exp(x - top)
    weights /= np.sum(weights, axis=axis, keepdims=True)
    return weights


# %% right: logaddexp
# why: It subtracts the logarithm of the sum of exponentials, which np.logaddexp.reduce computes without overflow; float64 keeps it precise for float32 scores of 1e4.
def softmax(x, axis=-1):
    scores = np.asarray(x, dtype=np.float64)
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))
