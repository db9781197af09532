# %% wrong: padding_taken_to_be_last
# says: The number of real steps is counted and that many first steps are summed, though real steps need not come first.
def doubly_stochastic_penalty(weights, mask):
    penalties = []
    for caption, real in zip(weights, mask):
        looked = caption[: int(np.sum(real))].sum(axis=0)
        penalties.append(((1 - looked) ** 2).sum())
    return float(np.mean(penalties))


# %% wrong: weights_zeroed_in_place
# says: The weights of padded steps are set to 0 in the array that was handed in.
def doubly_stochastic_penalty(weights, mask):
    weights[~mask] = 0
    looked = weights.sum(axis=1)
    return np.mean(np.sum((1 - looked) ** 2, axis=-1))


# %% wrong: empty_captions_left_out
# says: Captions without a real step are left out of the mean instead of counting 1 for each place.
def doubly_stochastic_penalty(weights, mask):
    looked = np.sum(weights * mask[..., None], axis=1)
    each = np.sum((1 - looked) ** 2, axis=1)
    used = mask.any(axis=1)
    return float(each[used].mean()) if used.any() else 0.0


# %% right: way_1
# why: the square is multiplied out: places, minus twice all that was looked, plus the products of all pairs of real steps
def doubly_stochastic_penalty(weights, mask):
    weights, real = np.asarray(weights, dtype="float64"), np.asarray(mask).astype("float64")
    B, T, S = weights.shape
    once = np.einsum("bts,bt->", weights, real)
    pairs = np.einsum("bts,bus,bt,bu->", weights, weights, real, real)
    return float(S + (pairs - 2 * once) / B)
