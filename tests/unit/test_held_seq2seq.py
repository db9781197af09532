"""The numbers that the self-checks of notebook 1 hold, made anew: by the right answers, and by each mistake."""

import numpy as np
import pytest
from helpers import checks_decoding, checks_quantize

from tests.unit.held import answers, apart, same


def log_softmax(logits, axis=-1):
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def costs(logits, targets, axis=-1):
    return -np.take_along_axis(log_softmax(logits, axis), targets[..., None], axis=-1)[..., 0]


def mean(logits, targets, real, axis=-1):
    return costs(logits, targets, axis)[real].mean()


def picked(logits, targets, real):
    return np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0][real]


#: What known mistakes return for logits, targets and the mask, in the order of the table.
LOSSES = (
    lambda x, y, real: -mean(x, y, real),
    lambda x, y, real: mean(x, y, real) * real.sum(),
    lambda x, y, real: mean(x, y, real) * real.mean(),
    lambda x, y, real: mean(x, y, real) * real.sum() / len(x),
    lambda x, y, real: mean(x, y, real) / np.log(2),
    lambda *args: mean(*args, 1),
    lambda *args: mean(*args, 0),
    lambda *args: mean(*args, (0, 1, 2)),
    lambda x, y, real: np.exp(-costs(x, y)[real]).mean(),
    lambda x, y, real: np.mean([row[kept].mean() for row, kept in zip(costs(x, y), real, strict=True)]),
    lambda x, y, real: costs(x, y).mean(),
    lambda x, y, real: costs(x * real[..., None], y).mean(),
    (lambda x, y, real: mean(x, y, y != 0), lambda x, y, real: mean(x, y, real & (y != 0))),
    lambda x, y, real: mean(x, y, ~real),
    lambda x, y, real: mean(np.exp(log_softmax(x)), y, real),
    lambda x, y, real: (costs(x, y) - x.max(-1))[real].mean(),
    lambda x, y, real: -picked(x, y, real).mean(),
)


def to_levels(x, gaps, to=np.round):
    return to((x + 1) / 2 * gaps) / gaps * 2 - 1


#: What known mistakes make of values from -1 to 1, for a number of bits, in the order of the table.
LEVELS = (
    lambda x, bits: to_levels(x, 2**bits - 1, np.floor),
    lambda x, bits: to_levels(x, 2**bits - 1, np.ceil),
    lambda x, bits: np.round(x * (2**bits - 1) / 2) * 2 / (2**bits - 1),
    lambda x, bits: to_levels(x, 2**bits),
    lambda x, bits: (to_levels(x, 2**bits - 1) + 1) / 2,
    lambda x, bits: np.round((x + 1) / 2 * (2**bits - 1)),
)


def cases():
    """Return the two cases of the check of the loss, and the others."""
    targets, mask = (
        np.array([[1, 0, 4, 0, 0, 0], [3, 0, 0, 0, 0, 0]]),
        np.array([[1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]]),
    )
    plain, wrong = np.zeros((2, 2, 6, 5))
    wrong[1, 0, 2] = 3
    return [(plain, targets, mask > 0), (wrong, targets, mask > 0), *checks_decoding._OTHERS]


@pytest.mark.parametrize("n", range(len(LOSSES)))
def test_losses_of_mistakes(n):
    held, forms = list(checks_decoding._LOSSES.values())[n], LOSSES[n]
    held, forms = (one if isinstance(one, tuple) else (one,) for one in (held, forms))
    right = [answers("01")["masked_cross_entropy"](*case) for case in cases()]
    for row, form in zip(held, forms, strict=True):
        assert same(row, [form(*case) for case in cases()]), [form(*case) for case in cases()]
        assert apart(row[2:], right[2:])


@pytest.mark.parametrize("n", range(len(LEVELS)))
def test_levels_of_mistakes(n):
    held, row = list(checks_quantize._LEVEL_SLIPS.values())[n], checks_quantize._ROW
    for bits, numbers in zip((2, 3), held, strict=True):
        made = LEVELS[n](row, bits) * (2**bits - 1)
        assert same([numbers], made), made
        assert apart(made, answers("01")["quantize"](row, bits) * (2**bits - 1)), bits


def test_each_mistake_has_its_numbers():
    assert len(LOSSES) == len(checks_decoding._LOSSES)
    assert len(LEVELS) == len(checks_quantize._LEVEL_SLIPS)
