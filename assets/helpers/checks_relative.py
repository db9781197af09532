"""Self-check of notebook 5: relative bias."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_places import error_of, guard_inputs
from helpers.checks_positions import same_values
from helpers.observed import Observed, name_mistake, observed

_BIASES = [1.0, 2.0, 4.0, 8.0, 16.0]
#: What is right for five positions, and what known mistakes return; tests/unit/test_held_positions.py makes them anew.
_SPREAD = {
    "": [[4, 8, 16, 16, 16], [2, 4, 8, 16, 16], [1, 2, 4, 8, 16], [1, 1, 2, 4, 8], [1, 1, 1, 2, 4]],
    "the sign is reversed: n - m is key minus query":
        [[4, 2, 1, 1, 1], [8, 4, 2, 1, 1], [16, 8, 4, 2, 1], [16, 16, 8, 4, 2], [16, 16, 16, 8, 4]],
    "the direction is lost: n - m, without its absolute value":
        [[4, 8, 16, 16, 16], [8, 4, 8, 16, 16], [16, 8, 4, 8, 16], [16, 16, 8, 4, 8], [16, 16, 16, 8, 4]],
    "add R before looking up: a negative index counts from the end of the table":
        [[1, 2, 4, 4, 4], [16, 1, 2, 4, 4], [8, 16, 1, 2, 4], [8, 8, 16, 1, 2], [8, 8, 8, 16, 1]],
    "off by one: the middle of the table, table[R], belongs to distance 0":
        [[8, 16, 16, 16, 16], [4, 8, 16, 16, 16], [2, 4, 8, 16, 16], [2, 2, 4, 8, 16], [2, 2, 2, 4, 8]],
    "off by one to the other side: table[R] belongs to distance 0":
        [[2, 4, 8, 8, 8], [1, 2, 4, 8, 8], [1, 1, 2, 4, 8], [1, 1, 1, 2, 4], [1, 1, 1, 1, 2]],
    "you clip after adding R: clip the distance to -R and R first":
        [[4, 4, 4, 4, 4], [2, 4, 4, 4, 4], [1, 2, 4, 4, 4], [16, 1, 2, 4, 4], [8, 16, 1, 2, 4]],
    "keys after the query get the bias of distance 0; they have their own":
        [[4, 4, 4, 4, 4], [2, 4, 4, 4, 4], [1, 2, 4, 4, 4], [1, 1, 2, 4, 4], [1, 1, 1, 2, 4]],
    "keys before the query get the bias of distance 0; they have their own":
        [[4, 8, 16, 16, 16], [4, 4, 8, 16, 16], [4, 4, 4, 8, 16], [4, 4, 4, 4, 8], [4, 4, 4, 4, 4]],
    "clip at R, not before": [[4, 8, 8, 8, 8], [2, 4, 8, 8, 8], [2, 2, 4, 8, 8], [2, 2, 2, 4, 8], [2, 2, 2, 2, 4]],
    "distances beyond R have no bias here; they share the outermost entry":
        [[4, 8, 16, 0, 0], [2, 4, 8, 16, 0], [1, 2, 4, 8, 16], [0, 1, 2, 4, 8], [0, 0, 1, 2, 4]],
    "distances beyond R begin again at the other end of the table: clip the distance":
        [[4, 8, 16, 1, 2], [2, 4, 8, 16, 1], [1, 2, 4, 8, 16], [16, 1, 2, 4, 8], [8, 16, 1, 2, 4]],
    "it is the distance itself; look it up in the table":
        [[0, 1, 2, 3, 4], [-1, 0, 1, 2, 3], [-2, -1, 0, 1, 2], [-3, -2, -1, 0, 1], [-4, -3, -2, -1, 0]],
    "you clip the bias; clip the distance before it is looked up":
        [[2, 2, 2, 2, 2], [2, 2, 2, 2, 2], [1, 2, 2, 2, 2], [1, 1, 2, 2, 2], [1, 1, 1, 2, 2]],
}  # fmt: skip


@self_check("relative_bias")
def check_relative_bias(report, relative_bias):
    """Check shape, sign, middle and clipping."""
    table = np.array(_BIASES)
    relative_bias = guard_inputs(report, relative_bias, length=3, table=table)
    error = error_of(relative_bias, 5, table)
    if error is not None and not isinstance(error, NotImplementedError):
        kind = type(error).__name__
        hint = Observed(f"It raised {kind}. Which index has the smallest distance, and which the largest?")
        middles = [None if error_of(relative_bias, n, table) else float(relative_bias(n, table)[0][0]) for n in (1, 2)]
        short, long = (error_of(relative_bias, n, table) is None for n in (3, 4))  # R = 2
        if middles == [4, 4] and short and not long:
            hint = "distances beyond R run out of the table: clip them"
        elif kind == "IndexError" and middles == [None, None]:
            hint = "already distance 0 runs out of the table: its index is R, and R is len(table) // 2"
        elif middles == [1, 2]:
            hint = "your R follows the length of the sentence: R is len(table) // 2"
        report.expect(False, "five positions run with a table of five", hint, stop=True)
    got = report.array(report.call(relative_bias, 5, table), (5, 5))
    right = np.array(_SPREAD[""])
    one = all(np.ptp(np.diagonal(got, d)) == 0 for d in range(-4, 5))
    rows = {"all rows are the same: the bias belongs to the distance from the query, n - m": got[:1].repeat(5, 0)}
    hint = name_mistake(got, rows, right, "How far is the key from the query there?")
    report.expect(one, "one bias per distance: entries of one diagonal are equal", hint, stop=True)
    hint = name_mistake(got, _SPREAD, right, "Which distance is that, and which index has it?")
    line = "distances -1, 0, 1 have table[R - 1], table[R], table[R + 1]"
    report.expect(same_values(got[[1, 0, 0], [0, 0, 1]], [2, 4, 8]), line, hint, stop=True)
    line = "distances -R and R have the outermost entries"
    report.expect(same_values([got[2, 0], got[0, 2]], [1, 16]), line, hint, stop=True)
    line = "distances beyond R share the outermost entries"
    report.expect(same_values([got[4, 0], got[0, 4]], [1, 16]), line, hint, stop=True)
    got = np.asarray(report.call(relative_bias, 3, np.array([5.0])))
    hint = observed(got, np.full((3, 3), 5.0), "What is R for a table of one number?")
    report.expect(same_values(got, np.full((3, 3), 5.0)), "R = 0: one bias for all pairs", hint)
