# %% wrong: mean_of_means
# says: The loss is averaged within each text first and then over the texts, so short texts count as much as long ones; it is the mean over all targets.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")
    ids = np.asarray(ids)
    per_text = []
    for rows, text in zip(logits, ids):
        costs = []
        for t in range(len(text) - 1):
            target = text[t + 1]
            if target == pad_id:
                continue
            z = rows[t] - rows[t].max()
            costs.append(np.log(np.exp(z).sum()) - z[target])
        if costs:
            per_text.append(np.mean(costs))
    return float(np.mean(per_text)) if per_text else 0.0


# %% wrong: mask_from_inputs
# says: The mask is taken from the ids that are read at t instead of the targets at t + 1, so padded targets count and targets after padding are lost.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")
    ids = np.asarray(ids)
    predictions, read, targets = logits[:, :-1], ids[:, :-1], ids[:, 1:]
    real = read != pad_id
    if not real.any():
        return 0.0
    top = predictions.max(axis=-1, keepdims=True)
    log_p = predictions - top - np.log(np.sum(np.exp(predictions - top), axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return float(-(picked * real).sum() / real.sum())


# %% wrong: clipped_probabilities
# says: The probability is clipped at 1e-12 before the logarithm, so with large logits a target costs at most about 27.6 instead of its real cost.
def causal_lm_loss(logits, ids, pad_id=0):
    logits = np.asarray(logits, dtype="float64")[:, :-1]
    targets = np.asarray(ids)[:, 1:]
    e = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    onehot = np.eye(p.shape[-1])[targets]
    chosen = np.einsum("btv,btv->bt", p, onehot)
    keep = targets != pad_id
    if keep.sum() == 0:
        return 0.0
    return float(np.mean(-np.log(np.maximum(chosen[keep], 1e-12))))


# %% right: way_1
# why: Measures every logit against that of the target, so the cost is logaddexp of the differences; padded targets are dropped by index.
def causal_lm_loss(logits, ids, pad_id=0):
    scores = np.asarray(logits).astype("float64")
    words = np.asarray(ids)
    b, t = np.nonzero(words[:, 1:] != pad_id)
    if b.size == 0:
        return 0.0
    goal = words[b, t + 1].astype(int)
    rows = scores[b, t]
    gap = rows - rows[np.arange(b.size), goal][:, None]
    return float(np.logaddexp.reduce(gap, axis=1).sum() / b.size)
