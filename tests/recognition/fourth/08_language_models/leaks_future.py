# %% wrong: one_random_position_per_trial
# says: Each trial changes one position that is drawn at random, so some positions are hardly or never tried; every later position needs `trials` ids.
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    if len(ids) < 2:
        return False
    before = np.asarray(model(ids))
    vocab_size = before.shape[1]
    for _ in range(trials):
        t = rng.integers(1, len(ids))
        other = ids.copy()
        other[t] = rng.integers(vocab_size)
        after = np.asarray(model(other))
        if np.max(np.abs(after[:t] - before[:t])) > 1e-4:
            return True
    return False


# %% wrong: vocabulary_of_the_text
# says: Random ids are drawn only up to the largest id of the text instead of from the whole vocabulary, whose size is the width of the logits.
def leaks_future(model, ids, rng, trials=10):
    ids = np.array(ids)
    reference = np.asarray(model(ids))
    for position in range(1, ids.size):
        for new_id in rng.integers(0, ids.max() + 1, size=trials):
            changed = np.concatenate([ids[:position], [new_id], ids[position + 1:]])
            rows = np.asarray(model(changed))[:position]
            if not np.allclose(rows, reference[:position], rtol=0, atol=1e-4):
                return True
    return False


# %% wrong: signed_difference
# says: The differences are compared without their absolute value, so a leak that only lowers logits is not noticed.
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    base = np.asarray(model(ids))
    T, V = base.shape

    def largest_move(t):
        moves = [0.0]
        for _ in range(trials):
            trial = ids.copy()
            trial[t] = rng.choice(V)
            moves.append((np.asarray(model(trial)) - base)[:t].max())
        return max(moves)

    return any(bool(largest_move(t) > 1e-3) for t in range(1, T))


# %% right: way_1
# why: Draws the ids of a position without repetition as the start of a random permutation of the vocabulary, and compares by the spread of each logit over all trials.
def leaks_future(model, ids, rng, trials=10):
    text = np.array(ids)
    base = np.asarray(model(text.copy()))
    T, V = base.shape
    for t in range(T - 1, 0, -1):
        low = base[:t].copy()
        high = base[:t].copy()
        for word in rng.permutation(V)[:trials]:
            rows = np.asarray(model(np.where(np.arange(T) == t, word, text).astype(text.dtype)))[:t]
            low, high = np.minimum(low, rows), np.maximum(high, rows)
        if (high - low).max() > 1e-4:
            return True
    return False
