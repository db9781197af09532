# %% wrong: maximum_over_all_positions
# says: Takes the maximum over all scores, forbidden ones included, and masks the exponentials; if a forbidden score is far larger, the allowed weights underflow to 0.
def masked_softmax(scores, mask=None):
    mask = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


# %% wrong: penalty_of_1000
# says: Subtracts 1000 from forbidden scores instead of removing them, which is not enough for a forbidden score of 1e4 beside allowed ones of -1e4.
def masked_softmax(scores, mask=None):
    mask = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    s = np.where(mask, scores, scores - 1000.0)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.where(mask.any(axis=-1, keepdims=True), weights, 0.0)


# %% right: reductions_with_where
# why: Uses max and sum with where= and initial=, so forbidden scores never take part and no infinity appears.
def masked_softmax(scores, mask=None):
    scores = np.asarray(scores, dtype="float64")
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.max(scores, axis=-1, keepdims=True, where=allowed, initial=-1e6)
    e = np.exp(np.minimum(scores - top, 0.0))
    total = np.sum(e, axis=-1, keepdims=True, where=allowed)
    return np.divide(e, total, out=np.zeros_like(e), where=allowed & (total > 0))
