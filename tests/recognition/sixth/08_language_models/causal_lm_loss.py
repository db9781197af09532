# %% wrong: padding_inputs_dropped_too
# says: A target counts only if the id before it is no padding either, so a real target right after padding is left out.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")[:, :-1]
    ids = np.asarray(ids)
    before, targets = ids[:, :-1], ids[:, 1:]
    real = (targets != pad_id) & (before != pad_id)
    if not real.any():
        return 0.0
    top = logits.max(axis=-1, keepdims=True)
    logp = logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(logp, targets[..., None], axis=-1)[..., 0]
    return float(losses[real].mean())


# %% wrong: mean_of_text_means
# says: Takes the mean loss of each text first and then the mean over the texts, so that a short text counts as much as a long one.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")
    ids = np.asarray(ids)
    means = []
    for rows, text in zip(logits, ids):
        losses = []
        for t in range(len(text) - 1):
            target = text[t + 1]
            if target == pad_id:
                continue
            shifted = rows[t] - rows[t].max()
            losses.append(np.log(np.exp(shifted).sum()) - shifted[target])
        if losses:
            means.append(np.mean(losses))
    return float(np.mean(means)) if means else 0.0


# %% right: logaddexp_on_picked_rows
# why: Finds the coordinates of the real targets with np.nonzero, picks only these rows of logits, and gets the logarithm of the sum of exponentials by np.logaddexp.reduce.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits).astype(np.float64)
    ids = np.asarray(ids)
    b, t = np.nonzero(ids != pad_id)
    b, t = b[t > 0], t[t > 0]
    if b.size == 0:
        return 0.0
    rows = logits[b, t - 1]
    cost = np.logaddexp.reduce(rows, axis=1) - rows[np.arange(b.size), ids[b, t]]
    return float(cost.sum() / b.size)
