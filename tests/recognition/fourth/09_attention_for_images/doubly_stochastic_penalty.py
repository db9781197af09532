# %% wrong: mean_over_places
# says: The squares are averaged over the places too; they have to be added up over the places and averaged over the batch only.
def doubly_stochastic_penalty(weights, mask):
    received = np.einsum("bts,bt->bs", weights, np.asarray(mask).astype("float64"))
    return float(np.mean(np.square(1.0 - received)))


# %% wrong: first_steps_are_real
# says: The number of real steps is counted and the first so many steps are used, but the real steps need not come first.
def doubly_stochastic_penalty(weights, mask):
    weights = np.asarray(weights)
    lengths = np.sum(np.asarray(mask), axis=1)
    penalties = []
    for caption, length in zip(weights, lengths):
        looks = caption[:int(length)].astype("float64").sum(axis=0)
        penalties.append(((1 - looks) ** 2).sum())
    return sum(penalties) / len(penalties)


# %% wrong: fair_share_as_goal
# says: Each place is compared with its fair share, real steps divided by places, instead of with exactly one look.
def doubly_stochastic_penalty(weights, mask):
    weights = np.asarray(weights, dtype="float64")
    mask = np.asarray(mask, dtype=bool)
    steps = mask.sum(axis=1, keepdims=True)
    goal = steps / weights.shape[-1]
    looks = np.where(mask[:, :, None], weights, 0).sum(axis=1)
    return np.sum((goal - looks) ** 2, axis=1).mean()


# %% right: way_1
# why: Multiplies the square out: places minus twice the sum of all real weights plus the sum of the scalar products of all pairs of real steps.
def doubly_stochastic_penalty(weights, mask):
    real = np.where(np.asarray(mask).astype(bool)[..., None], np.asarray(weights), 0).astype("float64")
    B, T, S = real.shape
    pairs = real @ real.transpose(0, 2, 1)
    return float(S + (pairs.sum() - 2 * real.sum()) / B)
