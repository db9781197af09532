# %% wrong: multiplies_scores
# says: You multiplied the scores by the mask. A score of 0 has the exponential 1; forbid positions with -inf instead.
# self-check: a score of 0
def masked_softmax(scores, mask=None):
    s = scores if mask is None else scores * mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

# %% wrong: masked_after
# says: You set weights to 0 after the softmax, so that the rest does not sum to 1. Mask before the sum is taken.
# self-check: after the softmax
def masked_softmax(scores, mask=None):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return w if mask is None else w * mask

# %% wrong: polarity
# says: Your mask works the wrong way round: True means that a position may be attended to.
# self-check: inverted
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.zeros(scores.shape, dtype=bool)
    s = np.where(mask, -np.inf, scores)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: nan_row
# says: In a row without allowed positions the largest score is -inf, and -inf minus -inf is nan.
# self-check: nan
def masked_softmax(scores, mask=None):
    s = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

# %% wrong: uniform_empty_row
# says: A row without allowed positions came out uniform. It attends to nothing: all zeros.
# self-check: uniform
def masked_softmax(scores, mask=None):
    s = scores if mask is None else np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

# %% wrong: small_penalty
# says: You subtracted a fixed penalty from forbidden scores. Beside a real -1e4 a forbidden 1e4 still wins; use -inf.
# self-check: penalty
def masked_softmax(scores, mask=None):
    s = scores if mask is None else scores - 1e4 * ~np.asarray(mask)
    e = np.exp(s - s.max(-1, keepdims=True))
    if mask is not None:
        e = e * np.any(mask, axis=-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)

# %% wrong: multiplies_exponentials_unshifted
# says: exp overflows for large scores. Subtract the largest allowed score first.
# self-check: overflow
def masked_softmax(scores, mask=None):
    e = np.exp(scores) if mask is None else np.exp(scores) * mask
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: shifted_by_forbidden_maximum
# says: Beside a large forbidden score the real ones underflow to 0: it still counts when you shift. Put -inf in its place first, then shift.
# self-check: largest allowed
def masked_softmax(scores, mask=None):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    e = e if mask is None else e * mask
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: over_queries
# says: The softmax ran over the queries. It runs along the last axis, over the keys.
# self-check: last axis
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    s = np.where(allowed, scores, -np.inf)
    top = s.max(-2, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(-2, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: epsilon_in_the_sum
# says: A small number in the sum keeps nan away, but the weights no longer sum to 1. Treat the empty row by itself.
# self-check: sum to 1
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    s = np.where(allowed, scores, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    return e / (e.sum(-1, keepdims=True) + 1e-3)

# %% wrong: boolean_indexing
# says: scores[mask] needs a mask of the full shape and gives one flat list. Broadcast the mask with np.where.
# self-check: runs
def masked_softmax(scores, mask=None):
    out = np.zeros(scores.shape)
    mask = np.ones(scores.shape, dtype=bool) if mask is None else mask
    e = np.exp(scores[mask] - scores.max())
    out[mask] = e
    total = out.sum(-1, keepdims=True)
    return out / np.where(total > 0, total, 1)

# %% wrong: leaves_out_default
# says: mask=None must allow every position; yours fails without a mask.
# self-check: runs
def masked_softmax(scores, mask=None):
    s = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    if mask is None:
        raise TypeError("a mask is needed")
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: softmax_then_mask_then_renormalise
# says: You shifted by the largest of all scores; a forbidden one may be far above the rest. Mask first, then shift by the largest allowed.
# self-check: the shift was by the forbidden score
def masked_softmax(scores, mask=None):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    w = w if mask is None else w * mask
    return w / w.sum(-1, keepdims=True)

# %% wrong: forbidden_in_the_exponential
# says: You shifted by the largest allowed score, but exp still meets the forbidden ones: inf times 0 is nan. Replace them before exp.
# self-check: replace that score before exp
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, -np.inf).max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0)) * allowed
    total = e.sum(-1, keepdims=True)
    return e / np.where(total > 0, total, 1)

# %% wrong: replaced_by_a_real_score
# says: You replaced forbidden scores by -1e4, which real scores reach too, so they still count in the sum. Use -inf.
# self-check: still counts in the sum
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    s = np.where(allowed, scores, -1e4)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * allowed

# %% wrong: changes_the_scores_without_a_mask
# says: Without a mask you subtract the largest score in place, so the scores that were handed in are changed. Make a new array.
def masked_softmax(scores, mask=None):
    if mask is None:
        scores -= scores.max(axis=-1, keepdims=True)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    shifted = np.where(allowed, scores, -np.inf)
    top = np.max(shifted, axis=-1, keepdims=True)
    e = np.exp(shifted - np.where(np.isfinite(top), top, 0.0))
    total = np.sum(e, axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1.0)

# %% right: row_by_row
# why: a loop over the rows, with a broadcast mask
def masked_softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    out = np.zeros(scores.shape)
    for index in np.ndindex(*scores.shape[:-1]):
        real = scores[index][allowed[index]]
        if len(real):
            e = np.exp(real - real.max())
            out[index][allowed[index]] = e / e.sum()
    return out

# %% right: zero_out_and_guard
# why: a finite shift over allowed positions, zeros written in afterwards, then the division
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape[-1], dtype=bool)
    low = np.where(mask, scores, np.finfo(scores.dtype).min)
    e = np.where(mask, np.exp(np.minimum(scores - low.max(-1, keepdims=True), 0)), 0)
    return np.divide(e, e.sum(-1, keepdims=True), out=np.zeros_like(e), where=e.sum(-1, keepdims=True) > 0)

# %% right: nan_to_num
# why: the empty row gives nan, which is replaced by zeros
def masked_softmax(scores, mask=None):
    s = scores if mask is None else np.where(mask, scores, -np.inf)
    with np.errstate(all="ignore"):
        e = np.exp(s - s.max(-1, keepdims=True))
        return np.nan_to_num(e / e.sum(-1, keepdims=True), nan=0.0)

# %% right: with_keras_ops
# why: tensors and float32 in between
def masked_softmax(scores, mask=None):
    ops = keras.ops
    scores = np.asarray(scores)
    if mask is None:
        return ops.convert_to_numpy(ops.softmax(scores))
    mask = np.broadcast_to(mask, scores.shape)
    weights = ops.softmax(ops.where(mask, ops.convert_to_tensor(scores, "float32"), -1e9))
    return np.where(mask, ops.convert_to_numpy(weights), 0)

# %% equivalent
# because: this number is used only in rows without allowed positions, where exp(-inf) is 0 after any finite shift
# was: e = np.exp(shifted - np.where(np.isfinite(top), top, 0.0))
# now: e = np.exp(shifted - np.where(np.isfinite(top), top, 1.0))

# %% equivalent
# because: this number is used only in rows without allowed positions, where exp(-inf) is 0 after any finite shift
# was: e = np.exp(shifted - np.where(np.isfinite(top), top, 0.0))
# now: e = np.exp(shifted - np.where(np.isfinite(top), top, -1.0))

# %% equivalent
# because: the largest allowed score adds exp(0) = 1, so a sum is 0 or at least 1, and dividing by a sum of 1 changes nothing
# was: return e / np.where(total > 0, total, 1.0)
# now: return e / np.where(total > 1, total, 1.0)

# %% equivalent
# because: this divisor meets rows of zeros only
# was: return e / np.where(total > 0, total, 1.0)
# now: return e / np.where(total > 0, total, 2.0)

# %% equivalent
# because: this divisor meets rows of zeros only, and -0.0 equals 0
# was: return e / np.where(total > 0, total, 1.0)
# now: return e / np.where(total > 0, total, -1.0)
