"""Self-check of notebook 4: the equivariance test."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed


def _why(f, x, seen):
    """Say why a function that is not equivariant passed, from the arrays that it was called with."""
    orders = {tuple(int(np.abs(x - row).sum(1).argmin()) for row in rows) for rows in seen if rows.shape == x.shape}
    moved = {order for order in orders if sorted(order) == list(range(len(x)))} - {tuple(range(len(x)))}
    wrong = {order for order in moved if np.abs(f(x[list(order)]) - f(x)[list(order)]).max() > 1e-2}
    if not moved and (orders or not seen):
        return "f never sees shuffled rows: is the order that you try always the identity?"
    if moved and wrong == moved:
        return Observed("Each shuffled order that f saw disagrees somewhere, and yours says True. What do you compare?")
    if wrong:
        return "one order that disagrees refutes; one that agrees proves nothing. f saw both, and yours says True"
    if len(moved) == 1:
        return "f sees one order only: all trials have to agree, each with an order of its own"
    if moved and all((order[0] + n) % len(x) == order[n] for order in moved for n in range(len(x))):
        return "a cyclic shift is not enough: shuffle at random"
    return Observed(f"f saw {len(moved)} other orders of the rows, and each agrees. How are they chosen?")


@self_check("is_permutation_equivariant")
def check_is_permutation_equivariant(report, is_permutation_equivariant):
    """Check the verdict on functions whose nature is known."""
    rng = np.random.default_rng(4)
    x, places, seen = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), []

    def says(f, seed=1):
        mine, rng = x.copy(), np.random.default_rng(seed)
        seen.clear()

        def spied(rows):
            seen.append(np.array(rows))
            return f(rows)

        result = report.call(lambda: is_permutation_equivariant(spied, mine, rng))
        if not np.array_equal(mine, x):
            hint = "rng.shuffle(x) changes x itself: draw an order and use x[order]"
            report.expect(False, "the inputs are unchanged", hint, stop=True)
        if not isinstance(result, bool | np.bool_):
            kind = Observed(f"Yours is {type(result).__name__}")
            report.expect(False, "it returns True or False", kind, stop=True)
        return bool(result)

    right = says(lambda x: np.tanh(x + 1))
    asked = "It says False. Are both sides in the same order? f(x[order]) should equal f(x)[order]"
    hint = Observed(asked)
    if not right and says(lambda x: np.sort(x, axis=0)):
        hint = "f(x[order]) equal to f(x) is invariance; here the output has to be shuffled in the same order"
    elif not right and says(lambda x: x + places):
        hint = "it says True of a function that adds another vector at each position: True and False are swapped"
    report.expect(right, "a row-wise function passes", hint, stop=True)
    noisy = says(lambda x: np.tanh(x) + 4e-6 * (np.arange(7) % 2)[:, None])
    report.expect(
        noisy,
        "differences below 1e-5 are rounding",
        "your tolerance is too strict: anything from 1e-5 to 1e-2 will do",
        stop=True,
    )
    factors = says(lambda x: x * [1.0, 2.0, 3.0])
    columns = any(np.array_equal(np.sort(a), np.sort(x)) and not np.array_equal(a, x) for a in seen)
    hint = (
        "you permute the features, and f may treat each column differently: shuffle the rows"
        if columns
        else Observed(asked)
    )
    report.expect(factors, "a function with a factor for each column passes", hint)
    report.expect(says(lambda x: x - x.mean(axis=0)), "rows minus their mean pass", Observed(asked))
    report.expect(says(lambda x: np.ones_like(x) * x.mean(axis=0)), "the mean in every row passes", Observed(asked))
    first = 1.0 * (np.arange(7) == 0)[:, None]
    for line, f, seeds in (
        ("a vector added for each position is found", lambda x: x + places, (1,)),
        ("a look at the row before is found", lambda x: x + np.roll(x, 1, axis=0), (1,)),
        ("rows in reverse order are found", lambda x: x[::-1], (1,)),
        ("a change in row 0 alone is found", lambda x: x + first, (1, 7, 21)),  # 7, 21: at first row 0 stays in place
    ):
        wrong = any(says(f, seed) for seed in seeds)
        report.expect(not wrong, line, _why(f, x, seen) if wrong else "", stop=True)
    says(np.tanh)
    hint = f"f was called {len(seen)} times: run all trials, and return True only after the loop"
    report.expect(len(seen) >= 10, "all trials are tried before it says True", hint)
    hint = "too lenient: the tolerance has to be below 1e-2"
    report.expect(not says(lambda x: x + 0.02 * (np.arange(7) % 2)[:, None]), "a difference of 0.02 is found", hint)
    hint = "the tolerance is a share of the numbers; it has to stay below 1e-2, however large they are"
    far = says(lambda x: x + 1e3 + 0.5 * (np.arange(7) % 2)[:, None])
    report.expect(not far, "a difference of 0.5 is found in numbers near 1,000", hint)
    last = says(lambda x: x + places * [0.0, 0.0, 1.0])
    hint = "it is found in all columns and not in the last one: compare all columns"
    report.expect(not last, "a difference in one column is found", hint)
