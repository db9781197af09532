"""Self-check of notebook 5: relative bias."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_places import error_of, guard_inputs
from helpers.checks_positions import same_values
from helpers.observed import Observed, name_mistake, observed


def _mistakes(length, table, R):
    """Return for each usual mistake the biases that it returns."""
    d = np.arange(length) - np.arange(length)[:, None]
    clipped = np.clip(d, -R, R)
    later, earlier = table[np.minimum(clipped + R + 1, 2 * R)], table[np.maximum(clipped + R - 1, 0)]
    return {
        "the sign is reversed: n - m is key minus query": table[R - clipped],
        "the direction is lost: n - m, without its absolute value": table[np.abs(clipped) + R],
        "add R before looking up: a negative index counts from the end of the table": table[clipped],
        "off by one: the middle of the table, table[R], belongs to distance 0": later,
        "off by one to the other side: table[R] belongs to distance 0": earlier,
        "you clip after adding R: clip the distance to -R and R first": table[np.clip(d + R, -R, R)],
        "keys after the query get the bias of distance 0; they have their own": table[np.clip(d, -R, 0) + R],
        "keys before the query get the bias of distance 0; they have their own": table[np.clip(d, 0, R) + R],
        "clip at R, not before": table[np.clip(d, 1 - R, R - 1) + R],
        "distances beyond R have no bias here; they share the outermost entry": np.where(
            np.abs(d) <= R, table[clipped + R], 0
        ),
        "distances beyond R begin again at the other end of the table: clip the distance": table[(d + R) % len(table)],
        "it is the distance itself; look it up in the table": 1.0 * d,
        "you clip the bias; clip the distance before it is looked up": np.clip(table[clipped + R], -R, R),
    }


@self_check("relative_bias")
def check_relative_bias(report, relative_bias):
    """Check shape, sign, middle and clipping."""
    table = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
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
    right = table[np.clip(np.arange(5) - np.arange(5)[:, None], -2, 2) + 2]
    one = all(np.ptp(np.diagonal(got, d)) == 0 for d in range(-4, 5))
    rows = {"all rows are the same: the bias belongs to the distance from the query, n - m": got[:1].repeat(5, 0)}
    hint = name_mistake(got, rows, right, "How far is the key from the query there?")
    report.expect(one, "one bias per distance: entries of one diagonal are equal", hint, stop=True)
    hint = name_mistake(got, _mistakes(5, table, 2), right, "Which distance is that, and which index has it?")
    line = "distances -1, 0, 1 have table[R - 1], table[R], table[R + 1]"
    report.expect(same_values(got[[1, 0, 0], [0, 0, 1]], [2, 4, 8]), line, hint, stop=True)
    line = "distances -R and R have the outermost entries"
    report.expect(same_values([got[2, 0], got[0, 2]], [1, 16]), line, hint, stop=True)
    line = "distances beyond R share the outermost entries"
    report.expect(same_values([got[4, 0], got[0, 4]], [1, 16]), line, hint, stop=True)
    got = np.asarray(report.call(relative_bias, 3, np.array([5.0])))
    hint = observed(got, np.full((3, 3), 5.0), "What is R for a table of one number?")
    report.expect(same_values(got, np.full((3, 3), 5.0)), "R = 0: one bias for all pairs", hint)
