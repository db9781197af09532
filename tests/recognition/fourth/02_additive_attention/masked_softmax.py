# %% wrong: penalty_too_small
# says: Forbidden scores are only lowered by 1e4, so a forbidden score of 1e4 beside allowed ones of -1e4 still takes all the weight and the row no longer sums to 1.
def masked_softmax(scores, mask=None):
    s = np.array(scores, dtype=np.float64)
    allowed = np.ones(s.shape, dtype=bool) if mask is None else np.broadcast_to(mask, s.shape)
    s = s - 1e4 * (1 - allowed.astype(float))
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights * allowed


# %% wrong: two_axes_mean_batch
# says: A mask with two axes is read as (B, S) and gets a query axis in the middle, although (T, S) has to broadcast to the scores as it is.
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape, bool)
    elif mask.ndim == 2:
        mask = mask[:, np.newaxis, :]
    lowest = np.where(mask, scores, -np.inf)
    top = lowest.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    e = np.exp(lowest - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1.0)


# %% wrong: only_the_whole_mask_empty
# says: Zeros are returned only if the mask allows nothing anywhere; a single row that allows nothing beside other rows becomes nan.
def masked_softmax(scores, mask=None):
    masked = scores if mask is None else np.where(mask, scores, -np.inf)
    if mask is not None and not np.any(mask):
        return np.zeros(scores.shape)
    exps = np.exp(masked - np.amax(masked, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1, keepdims=True)


# %% right: pairwise_differences
# why: weight j is 1 / sum over allowed m of exp(score m - score j), which is the softmax divided through; an infinite sum gives 0, as it should
def masked_softmax(scores, mask=None):
    s = np.asarray(scores, dtype=np.float64)
    allowed = np.broadcast_to(True if mask is None else mask, s.shape)
    with np.errstate(over="ignore", divide="ignore"):
        ratio = np.exp(s[..., None, :] - s[..., :, None])
        total = np.where(allowed[..., None, :], ratio, 0.0).sum(axis=-1)
        return np.where(allowed, 1.0 / total, 0.0)
