# %% wrong: last_trial_decides
# says: The result is overwritten in each trial, so only the last order decides; an earlier one that disagrees is forgotten.
def is_permutation_equivariant(f, x, rng, trials=10):
    y = np.asarray(f(x))
    same = True
    for _ in range(trials):
        order = rng.permutation(len(x))
        same = bool(np.abs(np.asarray(f(x[order])) - y[order]).max() < 1e-3)
    return same


# %% wrong: compares_with_unshuffled
# says: Compares f of the shuffled rows with f of the rows in their original order, so it tests invariance and not equivariance.
def is_permutation_equivariant(f, x, rng, trials=10):
    y = np.asarray(f(x))
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - y).max() > 1e-3:
            return False
    return True
