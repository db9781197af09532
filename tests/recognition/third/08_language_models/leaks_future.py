# %% wrong: only_the_row_before
# says: Only the row directly before the changed position is compared, so a leak into an earlier row is missed.
def leaks_future(model, ids, rng, trials=10):
    base = np.asarray(model(ids))
    vocab_size = base.shape[1]
    for t in range(1, len(ids)):
        for _ in range(trials):
            changed = np.array(ids)
            changed[t] = rng.integers(vocab_size)
            if np.abs(np.asarray(model(changed))[t - 1] - base[t - 1]).max() > 1e-4:
                return True
    return False


# %% wrong: exact_comparison
# says: The rows have to be equal to the last bit, so the rounding of an honest model passes for a leak.
def leaks_future(model, ids, rng, trials=10):
    base = np.asarray(model(ids))
    for t in range(1, len(ids)):
        for new in rng.integers(0, base.shape[1], size=trials):
            changed = np.array(ids)
            changed[t] = new
            if not np.array_equal(np.asarray(model(changed))[:t], base[:t]):
                return True
    return False


# %% wrong: vocabulary_of_the_text
# says: The random ids are drawn only up to the largest id of the given text, not from the whole vocabulary.
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    vocab_size = ids.max() + 1
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for _ in range(trials):
            other = ids.copy()
            other[position] = rng.integers(vocab_size)
            difference = np.abs(np.asarray(model(other)) - before)[:position]
            if difference.max() > 1e-4:
                return True
    return False


# %% right: way_1
# why: draws all ids beforehand and goes through trials and positions from the end, comparing squared row lengths
def leaks_future(model, ids, rng, trials=10):
    ids = np.array(ids)
    base = np.array(model(ids.copy()), dtype="float64")
    draws = rng.integers(base.shape[1], size=(trials, len(ids)))

    def moved(trial, position):
        text = np.where(np.arange(len(ids)) == position, draws[trial, position], ids).astype(ids.dtype)
        change = np.array(model(text), dtype="float64") - base
        return bool((change[:position] ** 2 > 1e-9).any())

    return any(moved(trial, position) for trial in range(trials) for position in range(len(ids) - 1, 0, -1))
