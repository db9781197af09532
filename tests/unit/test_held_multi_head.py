"""The counts that a self-check of notebook 4 holds, made anew: by the right answer, and by each mistake."""

import inspect

import pytest
from helpers import checks_head_count

from tests.unit.held import answers

SIZES = checks_head_count._HEAD_SIZES


def right(d, h, k, v):
    return answers("04")["mha_parameter_count"](d, h, k, v)


#: What known mistakes count, with biases.
MISCOUNTS = {
    "key_dim is per head: multiply by the number of heads": (
        lambda d, h, k, v: 2 * d * (k + v) + 2 * k + v + d,
        lambda d, h, k, v: 2 * d * (k + h * v) + 2 * k + h * v + d,
    ),
    "value_dim is per head: multiply by the number of heads": lambda d, h, k, v: (
        2 * d * (h * k + v) + 2 * h * k + v + d
    ),
    "key_dim is not used: heads times key_dim need not be d_model": (
        lambda d, h, k, v: 4 * d * d + 4 * d,
        lambda d, h, k, v: 2 * d * d + 2 * d * h * v + 2 * d + h * v + d,
    ),
    "the biases are missing": lambda d, h, k, v: 2 * d * h * (k + v),
    "the output bias is missing: it has d_model numbers": lambda d, h, k, v: right(d, h, k, v) - d,
    "the output bias has the wrong size: it has d_model numbers": lambda d, h, k, v: right(d, h, k, v) - d + h * v,
    "the biases of query, key and value have the wrong size: heads times width": lambda d, h, k, v: (
        2 * d * h * (k + v) + 4 * d
    ),
    "the output projection is missing": lambda d, h, k, v: d * h * (2 * k + v) + h * (2 * k + v),
    "the output projection has only a bias, its kernel is missing": lambda d, h, k, v: right(d, h, k, v) - d * h * v,
    "W_O is counted as D x D: it has a row for each merged column": lambda d, h, k, v: (
        right(d, h, k, v) + d * (d - h * v)
    ),
    "the biases are per head: multiply them by the number of heads as well": lambda d, h, k, v: (
        2 * d * h * (k + v) + 2 * k + v + d
    ),
    "query, key and value share one kernel; each has its own": lambda d, h, k, v: 2 * d * h * v + h * v + d,
    "value_dim has no effect": lambda d, h, k, v: right(d, h, k, k),
    "key_dim has no effect on the values alone: query and key keep it": lambda d, h, k, v: right(d, h, v, v),
    "value_dim is also the width of what goes into the output projection": lambda d, h, k, v: (
        right(d, h, k, v) + d * h * (k - v)
    ),
    "value_dim is the width of the values, too": lambda d, h, k, v: right(d, h, k, v) + (d + 1) * h * (k - v),
    "the bias of the values is as wide as the values": lambda d, h, k, v: right(d, h, k, v) + h * (k - v),
}
#: What they count without biases, where that is not the same less the biases.
BARE = {
    "use_bias has no effect": right,
    "without biases there is no output bias either": lambda d, h, k, v: 2 * d * h * (k + v) + d,
    "the output has no bias now, query, key and value still have": lambda d, h, k, v: right(d, h, k, v) - d,
    "one bias is left, that of the values": lambda d, h, k, v: 2 * d * h * (k + v) + h * v,
}


def several(forms):
    return forms if isinstance(forms, tuple) else (forms,)


def narrow(form):
    return lambda d, h, k, v: form(d, h, k, k)


def less(form):
    return lambda d, h, k, v: form(d, h, k, v) - h * (2 * k + v) - d


TABLES = {
    "_ALIKE_MISCOUNTS": {
        text: tuple(map(narrow, several(forms))) for text, forms in MISCOUNTS.items() if "value" not in text
    },
    "_VALUED_MISCOUNTS": {text: several(forms) for text, forms in MISCOUNTS.items()},
    "_BARE_MISCOUNTS": {text: (form,) for text, form in BARE.items()}
    | {text: (less(form),) for text, form in MISCOUNTS.items() if not isinstance(form, tuple) and "bias" not in text},
}


@pytest.mark.parametrize("table", TABLES)
def test_counts_of_mistakes(table):
    held = getattr(checks_head_count, table)
    made = {text: [[form(*sizes) for sizes in SIZES] for form in forms] for text, forms in TABLES[table].items()}
    assert {text: list(several(rows)) for text, rows in held.items()} == made


def test_right_counts_and_what_one_more_of_each_size_adds():
    count, text = answers("04")["mha_parameter_count"], inspect.getsource(checks_head_count)
    for options, length in (({}, 3), ({}, 4), ({"use_bias": False}, 4)):
        cases = [sizes[:length] for sizes in SIZES]
        first = cases[0]
        more = [tuple(size + (n == place) for n, size in enumerate(first)) for place in range(length)]
        costs = tuple(count(*sizes, **options) - count(*first, **options) for sizes in more)
        assert f"{[count(*sizes, **options) for sizes in cases]}, {costs}, _" in text
