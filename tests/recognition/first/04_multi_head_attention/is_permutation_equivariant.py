# %% wrong: last_trial
# says: keeps the verdict of the last order only
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    same = True
    for _ in range(trials):
        order = rng.permutation(len(x))
        same = bool(np.abs(f(x[order]) - whole[order]).max() < 1e-3)
    return same


# %% wrong: any_trial
# says: says True if any order agrees
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order]) - whole[order]).max() <= 1e-3:
            return True
    return False


# %% wrong: shuffle_inplace
# says: rng.shuffle(x) changes the caller's array
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = np.arange(len(x))
        state = rng.bit_generator.state
        rng.shuffle(order)
        rng.bit_generator.state = state
        rng.shuffle(x)
        if np.abs(f(x) - whole[order]).max() > 1e-3:
            return False
        whole = whole[order]
    return True


# %% wrong: own_generator
# says: draws from a generator of its own with a fixed seed, and the same order in every trial
def is_permutation_equivariant(f, x, rng, trials=10):
    whole = f(x)
    for _ in range(trials):
        order = np.random.default_rng(0).permutation(len(x))
        if np.abs(f(x[order]) - whole[order]).max() > 1e-3:
            return False
    return True


# %% right: way_1
# why: pure loops over trials, rows and columns, with nested-list outputs allowed
def is_permutation_equivariant(f, x, rng, trials=10):
    plain = np.asarray(f(x.copy()))
    for _ in range(trials):
        order = list(range(len(x)))
        rng.shuffle(order)
        shuffled = np.array([x[i] for i in order])
        got = np.asarray(f(shuffled))
        for place, i in enumerate(order):
            for a, b in zip(got[place].ravel(), plain[i].ravel()):
                if not abs(a - b) < 1e-4:
                    return False
    return True


# %% right: way_2
# why: all orders drawn first, all differences at once, numpy's bool as result
def is_permutation_equivariant(f, x, rng, trials=10):
    orders = rng.permuted(np.tile(np.arange(len(x)), (trials, 1)), axis=1)
    left = np.stack([np.asarray(f(x[order])) for order in orders])
    right = np.asarray(f(x))[orders]
    return np.all(np.abs(left - right) < 2e-3)
