# %% wrong: maximum_over_forbidden_scores
# says: The maximum that is subtracted includes forbidden scores, so if a forbidden score is far above the allowed ones, their exponentials underflow and the row becomes all zeros instead of summing to 1.
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = True
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


# %% wrong: only_all_empty_is_zero
# says: A row that may attend to nothing is zero only if the whole mask is False; a single empty row beside others gets equal weights instead of zeros.
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    if not mask.any():
        return np.zeros_like(scores)
    s = np.where(mask, scores, np.finfo(scores.dtype).min)
    s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


# %% right: row_by_row
# why: It goes through all rows with np.ndindex and does an ordinary softmax over the allowed scores only; forbidden entries and empty rows simply keep their initial zeros.
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    weights = np.zeros(scores.shape)
    for row in np.ndindex(*scores.shape[:-1]):
        chosen = np.flatnonzero(allowed[row])
        if chosen.size:
            e = np.exp(scores[row][chosen] - scores[row][chosen].max())
            weights[row + (chosen,)] = e / e.sum()
    return weights
