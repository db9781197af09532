# %% wrong: leaves_empty_captions_out
# says: leaves captions without a real step out of the mean, though each counts 1 for each place
def doubly_stochastic_penalty(weights, mask):
    penalties = []
    for a, real in zip(weights, mask):
        if real.any():
            penalties.append(np.sum((1 - a[real].sum(axis=0)) ** 2))
    return float(np.mean(penalties)) if penalties else float(weights.shape[-1])


# %% wrong: squares_the_total
# says: adds up the places first and squares the total, so too much here cancels too little there
def doubly_stochastic_penalty(weights, mask):
    received = (weights * mask[..., None]).sum(axis=1)
    return np.mean(np.sum(1 - received, axis=1) ** 2)


# %% wrong: zeroes_the_argument
# says: sets the padded steps to 0 in the caller's array; neither argument may be modified
def doubly_stochastic_penalty(weights, mask):
    weights[~mask] = 0
    return np.mean(np.sum((1 - np.sum(weights, axis=1)) ** 2, axis=-1))


# %% wrong: each_step_by_itself
# says: compares the weight of each single step with 1 instead of the sum over the steps
def doubly_stochastic_penalty(weights, mask):
    misses = (1 - weights) ** 2 * mask[..., None]
    return misses.sum(axis=(1, 2)).mean()


# %% wrong: first_steps_of_that_number
# says: takes as many steps from the front as the mask has True, whichever steps those are
def doubly_stochastic_penalty(weights, mask):
    total = 0.0
    for a, length in zip(weights, mask.sum(axis=1)):
        total += np.sum((1 - a[:length].sum(axis=0)) ** 2)
    return total / len(weights)


# %% right: places_one_by_one
# why: three plain loops, the mean kept as a running value; returns a Python float
def doubly_stochastic_penalty(weights, mask):
    B, T, S = weights.shape
    mean = 0.0
    for b in range(B):
        penalty = 0.0
        for s in range(S):
            left = 1.0
            for t in range(T):
                if mask[b, t]:
                    left -= float(weights[b, t, s])
            penalty += left * left
        mean += (penalty - mean) / (b + 1)
    return mean


# %% right: keras_where
# why: keras.ops.where drops the padded steps, and the square is multiplied out: S - 2 sum + sum of squares
def doubly_stochastic_penalty(weights, mask):
    kept = keras.ops.where(mask[:, :, None], np.asarray(weights, "float64"), np.zeros(1))
    received = keras.ops.convert_to_numpy(keras.ops.sum(kept, axis=1))
    B, S = received.shape
    return S - 2 * received.sum() / B + np.vdot(received, received) / B
