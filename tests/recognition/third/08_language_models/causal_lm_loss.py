# %% wrong: mask_of_the_inputs
# says: Positions whose own id is padding are left out, not those whose target is padding.
def causal_lm_loss(logits, ids, pad_id=0):
    logits, ids = np.asarray(logits, dtype="float64")[:, :-1], np.asarray(ids)
    targets, real = ids[:, 1:], ids[:, :-1] != pad_id
    if not real.any():
        return 0.0
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(losses[real].mean())


# %% wrong: text_ends_at_first_padding
# says: Everything behind the first padding of a text is left out, though real targets after padding count.
def causal_lm_loss(logits, ids, pad_id=0):
    total, count = 0.0, 0
    for row, text in zip(np.asarray(logits, dtype="float64"), np.asarray(ids)):
        for t in range(len(text) - 1):
            if text[t + 1] == pad_id:
                break
            scores = row[t] - row[t].max()
            total += np.log(np.exp(scores).sum()) - scores[text[t + 1]]
            count += 1
    return float(total / count) if count else 0.0


# %% wrong: tiny_number_in_the_logarithm
# says: A tiny number is added to the probability before the logarithm, so a very unlikely target never costs more than about 21.
def causal_lm_loss(logits, ids, pad_id=0):
    logits, targets = np.asarray(logits, dtype="float64")[:, :-1], np.asarray(ids)[:, 1:]
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    picked = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    real = targets != pad_id
    if real.sum() == 0:
        return 0.0
    return float(-np.log(picked + 1e-9)[real].mean())


# %% right: way_1
# why: lists the real targets by index first, and sums the logarithms of 1 plus the odds against each by logaddexp
def causal_lm_loss(logits, ids, pad_id=0):
    logits, ids = np.asarray(logits, dtype="float64"), np.asarray(ids)
    b, t = np.nonzero(ids != pad_id)
    b, t = b[t > 0], t[t > 0]
    if b.size == 0:
        return 0.0
    rows = logits[b, t - 1]
    against = rows - rows[np.arange(b.size), ids[b, t]][:, None]
    return float(np.logaddexp.reduce(against, axis=1).sum() / b.size)
