# %% wrong: changes_are_never_undone
# says: The ids are changed in the caller's own array instead of in a fresh copy, so earlier changes stay; a later comparison then sees rows that moved because of their own changed id, and honest models are reported as leaking.
def leaks_future(model, ids, rng, trials=10):
    base = np.array(model(ids))
    vocab_size = base.shape[1]
    for t in range(1, len(ids)):
        changed = np.asarray(ids)
        for _ in range(trials):
            changed[t] = rng.integers(vocab_size)
            if np.abs(np.asarray(model(changed))[:t] - base[:t]).max() > 1e-4:
                return True
    return False


# %% wrong: allclose_with_its_own_tolerances
# says: np.allclose is used with its default tolerances, which grow with the size of the logits: small logits that move by rounding of 1e-6 count as a leak, and a change of a few 1e-3 in large logits goes unnoticed.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(np.array(ids)))
    n = before.shape[-1]
    for position in range(1, len(ids)):
        for new in rng.integers(0, n, size=trials):
            other = np.array(ids)
            other[position] = new
            after = np.asarray(model(other))
            if not np.allclose(before[:position], after[:position]):
                return True
    return False


# %% right: all_differences_first
# why: It collects the largest movement of the earlier rows over all positions and trials before it decides, with a limit of 3e-5 between rounding and a leak; with a single id nothing is collected and the answer is False.
def leaks_future(model, ids, rng, trials=10):
    ids = np.array(ids)
    reference = np.array(model(ids.copy()))
    size, movement = reference.shape[1], [0.0]
    draws = rng.integers(size, size=(trials, len(ids)))
    for row in draws:
        for place in range(len(ids) - 1, 0, -1):
            tried = np.where(np.arange(len(ids)) == place, row, ids)
            difference = np.array(model(tried)) - reference
            movement.append(float(np.linalg.norm(difference[:place].ravel(), np.inf)))
    return bool(max(movement) > 3e-5)
