# %% wrong: stops_at_the_first_padding
# says: After the first padding of a text all later targets are dropped as well (a cumulative product of the mask), although a real target after padding counts.
def causal_lm_loss(logits, ids, pad_id=0):
    rows = np.asarray(logits, dtype=float)[:, :-1]
    targets = ids[:, 1:]
    real = np.cumprod(targets != pad_id, axis=1).astype(bool)
    if not real.any():
        return 0.0
    shifted = rows - rows.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(logp, targets[..., None], axis=-1)[..., 0]
    return float(losses[real].mean())


# %% wrong: probabilities_clipped
# says: The probabilities are clipped at 1e-7 before the logarithm, so no target can cost more than about 16; with large logits the true loss is much larger.
def causal_lm_loss(logits, ids, pad_id=0):
    B, T = ids.shape
    total, count = 0.0, 0
    for b in range(B):
        for t in range(T - 1):
            target = ids[b, t + 1]
            if target == pad_id:
                continue
            row = np.asarray(logits[b, t], dtype=float)
            e = np.exp(row - row.max())
            p = np.clip(e / e.sum(), 1e-7, 1.0)
            total -= np.log(p[target])
            count += 1
    return float(total / count) if count else 0.0
