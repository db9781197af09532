# %% wrong: weights_changed_in_place
# says: weights *= mask sets the padded steps to 0 in the caller's array; the number is right, but the argument is modified.
def doubly_stochastic_penalty(weights, mask):
    weights *= mask[..., None]
    looks = weights.sum(axis=1)
    return np.mean(np.sum((1 - looks) ** 2, axis=-1))


# %% wrong: real_steps_taken_from_the_front
# says: The real steps are counted and that many steps are taken from the front, as if padding always came last; a caption with padding at the front or in between gets the wrong steps.
def doubly_stochastic_penalty(weights, mask):
    penalties = []
    for w, m in zip(weights, mask):
        length = int(m.sum())
        looked = w[:length].sum(axis=0)
        penalties.append(((1.0 - looked) ** 2).sum())
    return float(np.mean(penalties))


# %% right: square_written_out
# why: The mask is contracted with the weights by a batched matrix product, and the square is computed as the scalar product of the deviation with itself; nothing is changed in place, and captions without a step give S.
def doubly_stochastic_penalty(weights, mask):
    real = np.asarray(mask, dtype="float64")
    sums = np.matmul(real[:, None, :], weights)[:, 0]
    off = sums - 1.0
    return float(np.vdot(off, off) / len(weights))
