"""Counts of weights that are wrong: the mistake that explains them at several sizes, or the size that they miscount."""

from helpers.observed import Observed, observed


def explain_count(count, right, costs, slips, names, cases):
    """Name the mistake behind a count, or say which size it does not follow.

    Args:
        count: The student's function of some sizes.
        right: The right count for the first case.
        costs: What one more of each size adds to it.
        slips: For each mistake what it counts in all cases; a tuple of several such lists for several forms of it.
        names: What the sizes are called.
        cases: Sizes to try; a mistake has to explain all of them.

    Returns:
        A hint.
    """
    got = [int(count(*case)) for case in cases]
    found = [text for text, forms in slips.items() if got in (forms if isinstance(forms, tuple) else (forms,))]
    if 0 < len(found) <= 2:  # two may count the same whatever the sizes are
        return "; or ".join(found)
    given = ", ".join(f"{name} = {size}" for name, size in zip(names, cases[0], strict=True))
    more = [[size + (n == place) for n, size in enumerate(cases[0])] for place in range(len(names))]
    grown = [int(count(*sizes)) - got[0] for sizes in more]
    for cost, wanted, name in sorted(zip(grown, costs, names, strict=True), key=lambda row: row[0] != 0):
        if cost != wanted:
            said = f"With {name} larger by 1 yours counts {cost:,} weights more, and {wanted:,} are expected"
            return Observed(f"{said}, for {given}. Which parts have that size?")
    return observed(got[0], right, f"Which weights are there whatever the sizes are? Here {given}.")
