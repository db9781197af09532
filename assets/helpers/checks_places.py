"""Self-check of notebook 5: added positions."""

import warnings

import numpy as np
from helpers.checks import self_check
from helpers.checks_positions import expect_error, raised_by, same_values
from helpers.observed import Observed, describe_error, name_mistake


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
    """Say once, by its name, which array a call changes.

    Args:
        report: Where to say it.
        function: The student's function.
        **example: Its arguments by name, in their order.

    Returns:
        The function on copies of its arrays, so that no later call says it again.
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
    """Check shape, scale, positions and lengths."""
    ids = np.array([[1, 2], [2, 0]])
    table, encoding = (
        np.array([[1.0, 1, 1, 1], [2, 0, 0, 0], [0, 3, 0, 0]]),
        np.array([[0.1, 0, 0, 0], [0, 0.2, 0, 7], [0, 0, 0.3, 0]]),
    )
    add_positions = guard_inputs(report, add_positions, ids=ids, table=table, encoding=encoding)
    error = error_of(add_positions, ids, table, encoding)
    if isinstance(error, ValueError) or "ncompatible shapes" in str(error):
        hint = Observed(f"It raised {describe_error(error)}")
        if error_of(add_positions, ids, table, encoding[:2]) is None:  # as many rows as words
            hint = f"it raised {describe_error(error)}; cut the encoding to T rows"
        report.expect(False, "an encoding longer than the sentence is allowed", hint, stop=True)
    result = report.call(add_positions, ids, table, encoding)
    hint = Observed(f"Yours has shape {np.shape(result)}")
    hint = "positions are added, not put beside the word" if np.shape(result)[-1:] == (8,) else hint
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
        "positions run along the batch; each position in a sentence has its own row": 2 * words + places[:, None],
        "positions were looked up by id; they belong to the word's position": 2 * words + encoding[ids],
        "the factor is on the position; it belongs on the token": words + 2 * places,
    }
    right = 2 * words + places
    hint = name_mistake(got, mistakes, right, "What is 2 * table[id] + encoding[position] for that word?")
    report.expect(same_values(got, right), "each sum has the right word, position and factor", hint, stop=True)
    line = "as many words as positions, T = L, is allowed"
    raised = raised_by(add_positions, np.array([[0, 1, 2]]), table, encoding)
    hint = Observed(f"It raised {raised}. How many positions does a sentence of three words need?")
    short = raised_by(add_positions, np.array([[0, 1]]), table, encoding[:2])
    enough = raised_by(add_positions, np.array([[0, 1, 2]]), table, np.concatenate([encoding, encoding[:1]]))
    if (raised, short, enough) == ("ValueError", "ValueError", "nothing"):
        hint = "it raised ValueError: off by one, T = L still fits"
    report.expect(raised == "nothing", line, hint, stop=True)
    hint = "nothing is raised: compare T with len(encoding) before you cut"
    expect_error(report, add_positions, (np.zeros((1, 4), int), table, encoding), "T > L raises ValueError", hint)
    hint = "nothing is raised: a single row broadcasts over all words; compare the lengths yourself"
    expect_error(
        report,
        add_positions,
        (np.zeros((3, 2), int), table, encoding[:1]),
        "T > L raises ValueError for L = 1 too",
        hint,
    )
