# %% wrong: two_axes_are_a_batch
# says: takes every mask of two axes for (B, S) and inserts an axis for the queries
def masked_softmax(scores, mask=None):

    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    if mask.ndim == 2:
        mask = mask[:, None]
    s = np.where(mask, scores, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


# %% wrong: mask_afterwards
# says: sets weights to 0 after the softmax and leaves it at that, so rows no longer sum to 1
def masked_softmax(scores, mask=None):

    s = scores
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights if mask is None else weights * mask


# %% wrong: inverted
# says: reads True as "masked out"
def masked_softmax(scores, mask=None):

    if mask is None:
        mask = np.zeros(scores.shape, dtype=bool)
    s = np.where(mask, -np.inf, scores)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


# %% wrong: one_maximum
# says: shifts all rows by the one largest allowed score of the array, so rows far below it vanish
def masked_softmax(scores, mask=None):

    s = scores if mask is None else np.where(mask, scores, -np.inf)
    top = s.max()
    e = np.exp(s - (top if np.isfinite(top) else 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)


# %% right: way_4
# why: NumPy masked arrays; -inf minus -inf is never computed because forbidden places are skipped
def masked_softmax(scores, mask=None):

    scores = np.asarray(scores, dtype="float64")
    allowed = np.broadcast_to(np.True_ if mask is None else mask, scores.shape)
    hidden = np.ma.array(scores, mask=~allowed)
    e = np.ma.exp(hidden - hidden.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.ma.filled(weights, 0.0)


# %% right: way_5
# why: a large negative number for forbidden scores, and the weights times the mask afterwards (this clears an empty row)
def masked_softmax(scores, mask=None):

    if mask is None:
        mask = np.array(True)
    kept = np.where(mask, scores, -1e9)
    e = np.exp(kept - kept.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) * mask
