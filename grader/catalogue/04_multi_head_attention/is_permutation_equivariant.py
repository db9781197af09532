# %% wrong: tests_invariance
# says: You compare f of the shuffled rows with f of the rows in the old order. That is invariance. The output should be shuffled
#   alike.
# self-check: invariance
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.allclose(f(x[order]), f(x), atol=1e-3):
            return False
    return True

# %% wrong: permutes_features
# says: You shuffle the columns of x. The order in question is that of the rows, the words.
# self-check: permute the features
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(x.shape[1])
        y = f(x)
        if y.shape != x.shape or not np.allclose(f(x[:, order]), y[:, order], atol=1e-3):
            return False
    return True

# %% wrong: identity_permutation
# says: Your order is always 0, 1, 2, ..., the identity, so nothing is ever shuffled and every function passes.
# self-check: identity
def is_permutation_equivariant(f, x, rng, trials=10):
    order = np.arange(len(x))
    return all(np.allclose(f(x[order]), f(x)[order], atol=1e-3) for _ in range(trials))

# %% wrong: inverse_order
# says: One side is shuffled by the order, the other by its inverse (argsort). Only for the few orders that are their own
#   inverse do the sides agree.
# self-check: same order
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[np.argsort(order)]).max() > 1e-3:
            return False
    return True

# %% wrong: two_orders
# says: The input is shuffled by one order, the output by another. Draw the order once and use it for both sides.
# self-check: same order
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        a = f(x[rng.permutation(len(x))])
        b = f(x)[rng.permutation(len(x))]
        if not np.allclose(a, b, atol=1e-3):
            return False
    return True

# %% wrong: exact_equality
# says: Sums in another order round differently. Exact equality refuses honest functions: allow a tolerance.
# self-check: too strict
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.array_equal(f(x[order]), f(x)[order]):
            return False
    return True

# %% wrong: default_tolerance
# says: The default of np.allclose, 1e-8 for numbers near zero, is stricter than float32 can keep. The docstring names the sizes.
# self-check: too strict
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if not np.allclose(f(x[order]), f(x)[order], rtol=1e-8):
            return False
    return True

# %% wrong: too_lenient
# says: A tolerance of 0.1 lets functions pass that are off by a few hundredths.
# self-check: too lenient
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order]) - f(x)[order]).max() > 0.1:
            return False
    return True

# %% wrong: cyclic_shifts
# says: You try cyclic shifts only. A function that looks at its neighbours, wrapped around, passes them all. Draw any order.
# self-check: cyclic shift
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        n = int(rng.integers(1, len(x)))
        if np.abs(f(np.roll(x, n, axis=0)) - np.roll(f(x), n, axis=0)).max() > 1e-3:
            return False
    return True

# %% wrong: only_reversal
# says: Turning the rows round is one order of many; a function that treats both ends alike passes it.
# self-check: one order only
def is_permutation_equivariant(f, x, rng, trials=10):
    return bool(np.abs(np.asarray(f(x[::-1])) - np.asarray(f(x))[::-1]).max() < 1e-3)

# %% wrong: one_trial
# says: You return after the first order, and that may be the identity, which shows nothing. All trials have to agree.
# self-check: all trials
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        return bool(np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() < 1e-3)

# %% wrong: any_trial_will_do
# says: One order that agrees is enough for yours. It is the other way round: one order that disagrees refutes.
# self-check: refutes
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() < 1e-3:
            return True
    return False

# %% wrong: numpys_own_numbers
# says: You draw from np.random, so nobody can repeat the test, not even with the same seed. Draw every order from rng.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = np.random.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() > 1e-3:
            return False
    return True

# %% wrong: generator_of_its_own
# says: You draw from a generator of your own with a fixed seed, so every test tries the same orders, whatever rng is. Draw every order from rng.
def is_permutation_equivariant(f, x, rng, trials=10):
    rng = np.random.default_rng(0)
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() > 1e-3:
            return False
    return True

# %% wrong: shifts_and_reversals
# says: You try cyclic shifts, turned round or not. A function that looks at its two neighbours alike, wrapped around, passes them all. Draw any order.
def is_permutation_equivariant(f, x, rng, trials=10):
    for k in range(trials):
        order = np.roll(np.arange(len(x))[::-1] if k % 2 else np.arange(len(x)), k // 2)
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() > 1e-3:
            return False
    return True

# %% wrong: pooled_first
# says: You compare means over the rows. They are equal for every order of rows, whether or not each row went to its position.
# self-check: vector added for each position
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.mean(f(x[order]), axis=0) - np.mean(f(x), axis=0)).max() > 1e-3:
            return False
    return True

# %% wrong: inverted_answer
# says: The answer is turned round: True is for functions that are equivariant.
# self-check: row-wise
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() > 1e-3:
            return True
    return False

# %% wrong: shuffles_in_place
# says: rng.shuffle(x) changes the caller's array, and then both sides see the same rows. Draw an order instead.
# self-check: inputs are unchanged
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        expected = np.asarray(f(x))[order]
        x[:] = x[order]
        if np.abs(np.asarray(f(x)) - expected).max() > 1e-3:
            return False
    return True

# %% wrong: majority_of_trials
# says: You count the orders that agree and go by the majority. A function that notices only some orders passes then. One that disagrees
#   is enough.
def is_permutation_equivariant(f, x, rng, trials=10):
    orders = [rng.permutation(len(x)) for _ in range(trials)]
    agree = [np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() < 1e-3 for order in orders]
    return bool(np.mean(agree) > 0.5)

# %% wrong: one_order_for_all_trials
# says: You draw one order and try it again and again. The trials show something only if each draws an order of its own.
def is_permutation_equivariant(f, x, rng, trials=10):
    order = rng.permutation(len(x))
    return all(np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() < 1e-3 for _ in range(trials))

# %% wrong: two_rows_swapped
# says: You only swap the first two rows. A function that treats these two alike, and others not, passes. Draw any order.
def is_permutation_equivariant(f, x, rng, trials=10):
    order = np.array([1, 0, *range(2, len(x))])
    return all(np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order]).max() < 1e-3 for _ in range(trials))

# %% wrong: relative_tolerance
# says: Your tolerance is a share of the numbers, so large numbers may be off by a lot. The docstring names absolute differences.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        expected = np.asarray(f(x))[order]
        if (np.abs(np.asarray(f(x[order])) - expected) > 1e-3 + 0.01 * np.abs(expected)).any():
            return False
    return True

# %% wrong: one_column_compared
# says: You compare one column of the output. A function may treat that one honestly and another one not: compare all entries.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs((np.asarray(f(x[order])) - np.asarray(f(x))[order])[:, 0]).max() > 1e-3:
            return False
    return True

# %% wrong: mean_of_the_differences
# says: You compare the mean of all differences with the tolerance. One entry that differs among many that agree hardly moves a mean: take the largest.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.mean(np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order])) > 1e-3:
            return False
    return True

# %% wrong: sum_of_the_differences
# says: You compare the sum of all differences with the tolerance. Where many entries are rounded, their sum is large: take the largest difference.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.sum(np.abs(np.asarray(f(x[order])) - np.asarray(f(x))[order])) > 1e-3:
            return False
    return True

# %% wrong: mean_squared_difference
# says: You compare the mean of the squared differences with the tolerance. One entry that differs among many that agree hardly moves a mean: take the largest difference.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.mean((np.asarray(f(x[order])) - np.asarray(f(x))[order]) ** 2) > 1e-5:
            return False
    return True

# %% wrong: first_row_compared
# says: You compare the first row only. A difference in any row refutes.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        shuffled, expected = np.asarray(f(x[order])), np.asarray(f(x))[order]
        if np.abs(shuffled[0] - expected[0]).max() > 1e-3:
            return False
    return True

# %% wrong: sizes_compared
# says: You compare how large the entries are, without their signs. Then 1 and -1 agree: take the size of the difference.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        shuffled, expected = np.asarray(f(x[order])), np.asarray(f(x))[order]
        if np.abs(np.abs(shuffled) - np.abs(expected)).max() > 1e-3:
            return False
    return True

# %% wrong: two_entries_have_to_differ
# says: You want more than one entry to differ. One is enough.
def is_permutation_equivariant(f, x, rng, trials=10):
    for _ in range(trials):
        order = rng.permutation(len(x))
        shuffled, expected = np.asarray(f(x[order])), np.asarray(f(x))[order]
        if (np.abs(shuffled - expected) > 1e-3).sum() > 1:
            return False
    return True

# %% wrong: sum_of_rows
# says: You add up the differences of a row before you take their absolute value, so opposite ones cancel.
def is_permutation_equivariant(f, x, rng, trials=10):
    base = np.asarray(f(x))
    for _ in range(trials):
        o = rng.permutation(len(x))
        if np.abs((np.asarray(f(x[o])) - base[o]).reshape(len(x), -1).sum(1)).max() > 1e-3: return False
    return True

# %% right: permutation_matrix
# why: a matrix shuffles rows as well
def is_permutation_equivariant(f, x, rng, trials=10):
    T = x.shape[0]
    for _ in range(trials):
        P = np.eye(T, dtype=x.dtype)[rng.permutation(T)]
        if not np.allclose(f(P @ x), P @ np.asarray(f(x)), rtol=0, atol=2e-4):
            return False
    return True

# %% right: shuffle_back
# why: undoes the shuffle on the output instead of shuffling the expected one
def is_permutation_equivariant(f, x, rng, trials=10):
    worst = 0.0
    for _ in range(trials):
        order = rng.permutation(len(x))
        back = np.argsort(order)
        worst = max(worst, float(np.abs(np.asarray(f(x[order]))[back] - np.asarray(f(x))).max()))
    return worst < 2e-3

# %% right: all_swaps
# why: transpositions of two rows generate all orders, so it needs no chance
def is_permutation_equivariant(f, x, rng, trials=10):
    T, y = len(x), np.array(f(x))
    for i in range(T):
        for j in range(i):
            order = list(range(T))
            order[i], order[j] = j, i
            if np.abs(np.array(f(x[order])) - y[order]).max() > 5e-4:
                return False
    return True

# %% right: in_one_expression
# why: a generator over freshly shuffled index arrays, numpy's bool
def is_permutation_equivariant(f, x, rng, trials=10):
    orders = [rng.permuted(np.arange(len(x))) for _ in range(trials)]
    return np.all([np.allclose(f(np.take(x, o, axis=0)), np.take(f(x), o, axis=0), rtol=0, atol=1e-3) for o in orders])

# %% equivalent
# because: the docstring leaves everything between 1e-5 and 1e-2 open, so the bound itself and its neighbours are as good
# was: if np.abs(np.asarray(f(x[order])) - expected[order]).max() > 0.001:
# now: if np.abs(np.asarray(f(x[order])) - expected[order]).max() >= 0.001:
# was: if np.abs(np.asarray(f(x[order])) - expected[order]).max() > 0.001:
# now: if np.abs(np.asarray(f(x[order])) - expected[order]).max() > 0.002:

# %% equivalent
# because: the size of a difference does not depend on what is subtracted from what
# was: if np.abs(np.asarray(f(x[order])) - expected[order]).max() > 0.001:
# now: if np.abs(expected[order] - np.asarray(f(x[order]))).max() > 0.001:

# %% equivalent
# because: x is what the function is tried on, and any other rows of random numbers give the same verdict
# was: the right answer
# now: mixes up axes 0 and 1 of x if they are equally long
# was: the right answer
# now: stores x in half precision
