"""Counts of weights that are wrong: the mistake that explains them at several sizes, or the size that they miscount."""

from helpers.observed import Observed, name_slip, observed


def explain_count(count, right, slips, names, cases):
    """Name the mistake behind a count, or say which size it does not follow.

    Args:
        count: The student's function of some sizes.
        right: The right one.
        slips: For each mistake a function of the sizes, or several for several forms of it.
        names: What the sizes are called.
        cases: Sizes to try; a mistake has to explain all of them.

    Returns:
        A hint.
    """
    got = [int(count(*case)) for case in cases]
    named = name_slip(got, cases, slips)
    if named:
        return named
    given = ", ".join(f"{name} = {size}" for name, size in zip(names, cases[0], strict=True))
    for n, name in sorted(enumerate(names), key=lambda pair: _cost(count, cases[0], pair[0]) != 0):
        cost, wanted = _cost(count, cases[0], n), _cost(right, cases[0], n)
        if cost != wanted:
            said = f"With {name} larger by 1 yours counts {cost:,} weights more, and {wanted:,} are expected"
            return Observed(f"{said}, for {given}. Which parts have that size?")
    return observed(got[0], right(*cases[0]), f"Which weights are there whatever the sizes are? Here {given}.")


def _cost(count, sizes, n):
    """Return how many weights one more of a size costs."""
    return int(count(*(size + (place == n) for place, size in enumerate(sizes)))) - int(count(*sizes))
