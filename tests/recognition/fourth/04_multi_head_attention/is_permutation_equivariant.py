# %% wrong: one_order_for_all_trials
# says: Draws the order once before the loop, so all trials test the same order.
def is_permutation_equivariant(f, x, rng, trials=10):
    order = rng.permutation(len(x))
    expected = np.asarray(f(x))[order]
    for _ in range(trials):
        if np.abs(np.asarray(f(x[order])) - expected).max() > 1e-4:
            return False
    return True


# %% wrong: relative_tolerance
# says: `np.allclose` with only `atol` set keeps its relative tolerance of 1e-5, so with results above 1000 it accepts differences of 1e-2.
def is_permutation_equivariant(f, x, rng, trials=10):
    y = np.asarray(f(x))
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.allclose(f(x[order]), y[order], atol=1e-4):
            return False
    return True


# %% wrong: unshuffles_with_the_same_order
# says: Wants to undo the shuffle of the output but indexes with the order again, instead of its inverse.
def is_permutation_equivariant(f, x, rng, trials=10):
    y = np.asarray(f(x))
    for _ in range(trials):
        order = rng.permutation(x.shape[0])
        restored = np.asarray(f(x[order]))[order]
        if np.max(np.abs(restored - y)) > 1e-4:
            return False
    return True


# %% right: way_1
# why: Draws all orders at once with `rng.permuted`, scatters the results back to the old places, and takes the worst difference of all trials.
def is_permutation_equivariant(f, x, rng, trials=10):
    orders = rng.permuted(np.tile(np.arange(len(x)), (trials, 1)), axis=1)
    y = np.array(f(x), dtype=np.float64)
    worst = 0.0
    for order in orders:
        back = np.full_like(y, np.inf)
        back[order] = np.asarray(f(x[order]))
        worst = max(worst, float(np.max(np.abs(back - y))))
    return worst < 1e-3
