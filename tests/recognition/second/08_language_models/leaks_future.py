# %% wrong: only_the_row_before
# says: compares only the row right before the changed position, not all rows before it
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for t in range(1, len(ids)):
        for _ in range(trials):
            changed = ids.copy()
            changed[t] = rng.integers(before.shape[1])
            after = np.asarray(model(changed))
            if np.abs(after[t - 1] - before[t - 1]).max() > 1e-4:
                return True
    return False


# %% wrong: only_rises
# says: takes the largest difference without the absolute value, so a leak that lowers logits is not found
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    vocab_size = before.shape[-1]
    for position in range(1, len(ids)):
        for new_id in rng.integers(vocab_size, size=trials):
            changed = np.array(ids)
            changed[position] = new_id
            after = np.asarray(model(changed))
            if (after[:position] - before[:position]).max() > 1e-5:
                return True
    return False


# %% wrong: leaves_the_change_behind
# says: changes the array that it was given, and puts the old id back only if nothing was found
def leaks_future(model, ids, rng, trials=10):
    before = np.array(model(ids))
    for t in range(1, len(ids)):
        old = ids[t]
        for _ in range(trials):
            ids[t] = rng.integers(before.shape[1])
            after = np.array(model(ids))
            if np.abs(before[:t] - after[:t]).max() > 1e-4:
                return True
        ids[t] = old
    return False


# %% wrong: average_difference
# says: compares the average difference of all logits before with the threshold, in which one changed logit drowns
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for t in range(1, len(ids)):
        for _ in range(trials):
            changed = ids.copy()
            changed[t] = rng.integers(before.shape[1])
            after = np.asarray(model(changed))
            if np.mean(np.abs(after[:t] - before[:t])) > 1e-3:
                return True
    return False


# %% wrong: ids_up_to_the_largest
# says: draws the random ids from 0 to the largest id of the text instead of from the whole vocabulary
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    highest = int(np.max(ids))
    for t in range(1, len(ids)):
        for _ in range(trials):
            changed = ids.copy()
            changed[t] = rng.integers(0, highest + 1)
            after = np.asarray(model(changed))
            if np.abs(after[:t] - before[:t]).max() > 1e-4:
                return True
    return False


# %% right: way_1
# why: from the last position to the first, different ids from a permutation of the vocabulary, np.allclose decides
def leaks_future(model, ids, rng, trials=10):
    ids = np.asarray(ids)
    reference = np.asarray(model(ids), dtype=float)
    leaks = False
    for t in reversed(range(1, ids.shape[0])):
        others = [i for i in rng.permutation(reference.shape[1]) if i != ids[t]]
        for other in others[:trials]:
            changed = np.concatenate([ids[:t], [other], ids[t + 1 :]]).astype(ids.dtype)
            rows = np.asarray(model(changed), dtype=float)[:t]
            leaks = leaks or not np.allclose(rows, reference[:t], rtol=0.0, atol=3e-5)
    return bool(leaks)


# %% right: way_2
# why: a generator over all positions and trials in any(), the new ids drawn as one matrix, keras.ops compares
import itertools


def leaks_future(model, ids, rng, trials=10):
    ops = keras.ops
    first = ops.cast(model(ids), "float64")
    new_ids = rng.choice(np.arange(first.shape[-1]), size=(len(ids), trials))

    def moved(t, trial):
        other = np.where(np.arange(len(ids)) == t, new_ids[t, trial], ids)
        difference = ops.cast(model(other), "float64") - first
        return float(ops.max(ops.abs(difference[:t]))) > 1e-4

    return any(moved(t, trial) for t, trial in itertools.product(range(1, len(ids)), range(trials)))
