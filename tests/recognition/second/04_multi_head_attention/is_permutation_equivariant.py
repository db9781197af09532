# %% wrong: exact
# says: asks for exact equality; rounding counts as a difference
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.array_equal(f(x[order]), whole[order]):
            return False
    return True


# %% wrong: first_trial_decides
# says: returns True after the first order that agrees
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order]) - whole[order]).max() > 1e-3:
            return False
        return True
    return True


# %% wrong: inverse_order
# says: puts the output back with the inverse order on the wrong side
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order]) - whole[np.argsort(order)]).max() > 1e-3:
            return False
    return True


# %% wrong: first_column
# says: compares the first column of the output only
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order])[..., 0] - whole[order][..., 0]).max() > 1e-3:
            return False
    return True


# %% right: way_3
# why: permutation matrices and the inverse: P^T f(P x) compared with f(x), with all() over a generator
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)

    def agrees():
        p = np.eye(len(x))[np.argsort(rng.random(len(x)))]
        return np.allclose(np.tensordot(p.T, f(p @ x), axes=1), whole, rtol=0, atol=5e-4)

    return all(agrees() for _ in range(trials))
