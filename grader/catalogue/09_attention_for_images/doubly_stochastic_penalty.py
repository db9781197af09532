# %% wrong: over_the_steps
# says: You added the weights of each step, which sum to 1 anyway. Add the weights of each place over the steps.
# self-check: over places
def doubly_stochastic_penalty(weights, mask):
    looked = (weights * mask[..., None]).sum(axis=2)
    return float(np.mean((((1 - looked) ** 2) * mask).sum(axis=-1)))

# %% wrong: padded_steps_counted
# says: The padded steps count in your sums. Multiply the weights by the mask first.
# self-check: by the mask
def doubly_stochastic_penalty(weights, mask):
    return float(np.mean(np.sum((1 - weights.sum(axis=1)) ** 2, axis=-1)))

# %% wrong: mean_over_places
# says: You took the mean over the places. Equation 14 sums over them.
# self-check: mean over the places
def doubly_stochastic_penalty(weights, mask):
    looked = (weights * mask[..., None]).sum(axis=1)
    return float(np.mean((1 - looked) ** 2))

# %% wrong: sum_over_the_batch
# says: You added the captions of the batch up. Take their mean.
# self-check: over the batch
def doubly_stochastic_penalty(weights, mask):
    looked = (weights * mask[..., None]).sum(axis=1)
    return float(np.sum((1 - looked) ** 2))

# %% wrong: not_squared
# says: You took the absolute difference. It has to be squared.
# self-check: squared
def doubly_stochastic_penalty(weights, mask):
    looked = (weights * mask[..., None]).sum(axis=1)
    return float(np.mean(np.sum(np.abs(1 - looked), axis=-1)))

# %% wrong: empty_captions_left_out
# says: You left out captions without a real step. Each of their places is looked at 0 times, which counts 1.
# self-check: left out
def doubly_stochastic_penalty(weights, mask):
    some = mask.any(axis=1)
    looked = (weights * mask[..., None]).sum(axis=1)[some]
    return float(np.mean(np.sum((1 - looked) ** 2, axis=-1))) if some.any() else 0.0

# %% wrong: mean_over_the_steps
# says: You took the mean of the weights over the steps. Each place should be looked at once in all, so take the sum.
def doubly_stochastic_penalty(weights, mask):
    looked = (weights * mask[..., None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
    return float(np.mean(np.sum((1 - looked) ** 2, axis=-1)))

# %% wrong: each_weight_compared_with_one
# says: You compared each single weight with 1. Add up the weights of a place over the steps first.
# self-check: not each weight
def doubly_stochastic_penalty(weights, mask):
    return float(np.mean((((1 - weights) ** 2) * mask[..., None]).sum(axis=(1, 2))))

# %% wrong: steps_from_the_front
# says: You took steps from the front, as many as the mask has True. Take the steps where it is True.
# self-check: from the front
def doubly_stochastic_penalty(weights, mask):
    real = np.arange(mask.shape[1]) < mask.sum(axis=1, keepdims=True)
    looked = (weights * real[..., None]).sum(axis=1)
    return float(np.mean(np.sum((1 - looked) ** 2, axis=-1)))

# %% right: einsum
# why: sum over real steps as a product
def doubly_stochastic_penalty(weights, mask):
    looked = np.einsum("bts,bt->bs", weights, np.asarray(mask, dtype=weights.dtype))
    return ((1 - looked) ** 2).sum() / len(weights)

# %% right: loops
# why: caption by caption, only real steps
def doubly_stochastic_penalty(weights, mask):
    total = 0.0
    for steps, real in zip(weights, mask):
        for place in range(weights.shape[2]):
            total += (1 - sum(float(step[place]) for step, r in zip(steps, real) if r)) ** 2
    return total / len(weights)

# %% right: with_where
# why: padded steps replaced by zeros, the library's sums
def doubly_stochastic_penalty(weights, mask):
    real = keras.ops.where(np.expand_dims(mask, -1), weights, 0.0)
    return float(keras.ops.mean(keras.ops.sum(keras.ops.square(keras.ops.sum(real, axis=1) - 1.0), axis=1)))

# %% equivalent
# because: a square does not depend on the sign
# was: return float(np.mean(np.sum((1 - looked) ** 2, axis=-1)))
# now: return float(np.mean(np.sum((looked - 1) ** 2, axis=-1)))
