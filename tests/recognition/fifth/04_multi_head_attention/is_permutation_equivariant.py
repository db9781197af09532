# %% wrong: allclose_defaults
# says: np.allclose with its default tolerances is relative: small entries may then not even differ by 1e-5 of rounding, while large entries may differ by more than 1e-2; the comparison should be absolute with a tolerance between 1e-5 and 1e-2.
def is_permutation_equivariant(f, x, rng, trials=10):
    y = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.allclose(f(x[order]), y[order]):
            return False
    return True


# %% wrong: mean_difference
# says: It compares the mean difference over all entries with the tolerance instead of the largest one, so a function that is off in a few entries only passes as equivariant.
def is_permutation_equivariant(f, x, rng, trials=10):
    reference = f(x)
    errors = []
    for _ in range(trials):
        order = rng.permutation(x.shape[0])
        errors.append(np.mean(np.abs(f(x[order]) - reference[order])))
    return bool(max(errors) < 1e-3)
