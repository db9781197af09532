# %% wrong: only_the_row_before
# says: After changing a position it compares only the row right before that position, so a leak that reaches another earlier row is missed.
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    honest = np.asarray(model(ids))
    vocab_size = honest.shape[1]
    for t in range(1, len(ids)):
        for _ in range(trials):
            other = ids.copy()
            other[t] = rng.integers(vocab_size)
            moved = np.abs(np.asarray(model(other))[t - 1] - honest[t - 1]).max()
            if moved > 1e-4:
                return True
    return False


# %% wrong: ids_drawn_from_the_text
# says: Draws the replacement ids from the ids that occur in the given text, not from the whole vocabulary, so a leak that other ids show is missed.
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for _ in range(trials):
            changed = np.array(ids)
            changed[position] = rng.choice(ids)
            after = np.asarray(model(changed))
            if np.max(np.abs(after[:position] - before[:position])) > 1e-4:
                return True
    return False
