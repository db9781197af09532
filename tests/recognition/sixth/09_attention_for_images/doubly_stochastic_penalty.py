# %% wrong: empty_caption_counts_zero
# says: A caption without any real step is given the penalty 0 instead of 1 for each place.
def doubly_stochastic_penalty(weights, mask):
    mask = np.asarray(mask, dtype=bool)
    received = np.sum(weights * mask[..., None], axis=1)
    penalty = np.sum((1 - received) ** 2, axis=-1)
    penalty = np.where(mask.any(axis=1), penalty, 0.0)
    return np.mean(penalty)


# %% wrong: length_from_the_mask
# says: Counts the real steps of each caption and adds up that many steps from the beginning, as if the real steps always came first.
def doubly_stochastic_penalty(weights, mask):
    total = 0.0
    for w, m in zip(weights, mask):
        length = int(np.sum(m))
        received = np.sum(w[:length], axis=0)
        total += np.sum((1 - received) ** 2)
    return total / len(weights)


# %% right: square_multiplied_out
# why: Uses 1 - 2a + a^2 with three separate sums, and the sums over steps come from one einsum.
def doubly_stochastic_penalty(weights, mask):
    weights = np.asarray(weights, dtype=np.float64)
    places = weights.shape[2]
    looked = np.einsum("bts,bt->bs", weights, np.asarray(mask).astype(np.float64))
    per_caption = places - 2 * looked.sum(axis=1) + np.einsum("bs,bs->b", looked, looked)
    return float(per_caption.sum() / len(per_caption))
