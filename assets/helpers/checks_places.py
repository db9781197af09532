"""Self-checks of notebook 5: added positions, relative bias."""

import warnings

import numpy as np
from helpers.checks import self_check
from helpers.checks_positions import expect_error, name_mistake, raised_by, same_values


def error_of(function, *args):
    """Return the exception that a call raises, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args)
        except Exception as error:
            return error
    return None


def guard_inputs(report, function, **example):
    """Report once, by its name, which array a call changes.

    Args:
        report: Where to report it.
        function: The student's function.
        **example: Its arguments by name, in their order.

    Returns:
        The function on copies of its arrays, so that no later call reports it again.
    """

    def on_copies(*args):
        return function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])

    given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in example.values()]
    error_of(function, *given)
    for (name, old), new in zip(example.items(), given, strict=True):
        if not np.array_equal(old, new):
            report.expect(False, f"{name} is left as it was", f"work on a copy: {name} = {name}.copy()")
    return on_copies


@self_check("add_positions")
def check_add_positions(report, add_positions):
    """Check shape, scale, places and lengths."""
    ids = np.array([[1, 2], [2, 0]])
    table, encoding = (
        np.array([[1.0, 1, 1, 1], [2, 0, 0, 0], [0, 3, 0, 0]]),
        np.array([[0.1, 0, 0, 0], [0, 0.2, 0, 7], [0, 0, 0.3, 0]]),
    )
    add_positions = guard_inputs(report, add_positions, ids=ids, table=table, encoding=encoding)
    error = error_of(add_positions, ids, table, encoding)
    if any(word in str(error) for word in ("broadcast", "ncompatible shapes")):
        hint = f"it raised {type(error).__name__}: {error}; cut the encoding to T rows"
        report.expect(False, "an encoding longer than the sentence is allowed", hint, stop=True)
    result = report.call(add_positions, ids, table, encoding)
    hint = (
        "positions are added, not put beside the word" if np.shape(result)[-1:] == (8,) else f"got {np.shape(result)}"
    )
    report.expect(np.shape(result) == (2, 2, 4), "two sentences of two words have shape (2, 2, 4)", hint, stop=True)
    got = report.array(result, (2, 2, 4))
    words, places = table[ids], encoding[:2]
    mistakes = {
        "the factor sqrt(D) is missing on the token part": words + places,
        "sqrt(D) is on the sum; it belongs on the token part only": 2 * (words + places),
        "the factor is D, not sqrt(D)": 4 * words + places,
        "you divide by sqrt(D); multiply": words / 2 + places,
        "the factor is the root of the vocabulary's size; take the width D": 3**0.5 * words + places,
        "word and position are multiplied; add them": 2 * words * places,
        "positions run along the batch; each place in a sentence has its own": 2 * words + places[:, None],
        "positions were looked up by id; they belong to the place": 2 * words + encoding[ids],
        "the factor is on the position; it belongs on the token": words + 2 * places,
    }
    hint = name_mistake(got, mistakes, "2 * table[id] + encoding[place], by hand for one word")
    report.expect(
        got.shape == (2, 2, 4) and hint not in mistakes,
        "each sum has the right word, position and factor",
        hint,
        stop=True,
    )
    line = "as many words as positions, T = L, is allowed"
    raised = raised_by(add_positions, np.array([[0, 1, 2]]), table, encoding)
    report.expect(raised == "nothing", line, f"it raised {raised}: off by one? T = L still fits", stop=True)
    hint = "nothing is raised: compare T with len(encoding) before you cut"
    expect_error(report, add_positions, (np.zeros((1, 4), int), table, encoding), "T > L raises ValueError", hint)
    hint = "a single row broadcasts over all places; compare the lengths yourself"
    expect_error(
        report,
        add_positions,
        (np.zeros((3, 2), int), table, encoding[:1]),
        "T > L raises ValueError for L = 1 too",
        hint,
    )


@self_check("relative_bias")
def check_relative_bias(report, relative_bias):
    """Check shape, sign, middle and clipping."""
    table = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    relative_bias = guard_inputs(report, relative_bias, length=3, table=table)
    raised = raised_by(relative_bias, 5, table)
    hint = f"it raised {raised}"
    if raised == "IndexError":
        hint = "indices run out of the table: is R len(table) // 2, and are distances clipped to -R and R?"
        if raised_by(relative_bias, 2, table) == "nothing" and same_values(relative_bias(2, table), [[4, 8], [2, 4]]):
            hint = "distances beyond R run out of the table: clip them"
    if raised != "NotImplementedError":
        report.expect(raised == "nothing", "five places run with a table of five", hint, stop=True)
    got = report.array(report.call(relative_bias, 5, table), (5, 5))
    near = [np.diagonal(got, d) for d in (-1, 0, 1)]
    symmetric = "the direction is lost: j - i, without its absolute value"
    first = {
        "the sign is turned: j - i is key minus query": [8.0, 4.0, 2.0],
        symmetric: [near[2][0], near[1][0], near[2][0]],
        "add R before looking up: a negative index counts from the end of the table": [16.0, 1.0, 2.0],
        "off by one: the middle of the table, table[R], belongs to distance 0": [4.0, 8.0, 16.0],
    }
    values = [v[0] for v in near]
    report.expect(
        all(np.ptp(v) == 0 for v in near), "one bias per distance", "entries of one diagonal differ", stop=True
    )
    hint = name_mistake(values, first, "table[R] is for distance 0: is R len(table) // 2, and was R added?")
    report.expect(
        same_values(values, [2, 4, 8]), "distances -1, 0, 1 have table[R - 1], table[R], table[R + 1]", hint, stop=True
    )
    report.expect(
        same_values([got[2, 0], got[0, 2]], [1, 16]),
        "distances -R and R have the outermost entries",
        "clip at R, not before",
        stop=True,
    )
    hint = (
        "distances beyond R have no bias here; they share the outermost entry"
        if got[0, 4] == 0
        else "clip the distance, before R is added"
    )
    report.expect(
        same_values([got[4, 0], got[0, 4]], [1, 16]), "distances beyond R share the outermost entries", hint, stop=True
    )
    got = np.asarray(report.call(relative_bias, 3, np.array([5.0])))
    report.expect(
        same_values(got, np.full((3, 3), 5.0)), "R = 0: one bias for all pairs", "a table of one number is allowed"
    )
