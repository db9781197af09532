"""How a wrong result relates to the right one, as far as that holds for all entries."""

import numpy as np

_RTOL, _ATOL = 2e-4, 2e-5


def alike(a, b):
    """Return whether two results agree in shape and value, in float32 as well; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, _RTOL, _ATOL))


def unlike(a, b):
    """Return for each entry whether two results differ there."""
    with np.errstate(all="ignore"):
        return ~np.isclose(a, b, _RTOL, _ATOL)


def relation(a, b):
    """Return a sentence about what the entries of a wrong result have in common; an empty text if nothing was found.

    Args:
        a: The wrong result, an array of numbers or truth values.
        b: The right one, of the same shape.
    """
    if a.dtype.kind == b.dtype.kind == "b":
        known = {"True and False are swapped. ": ~b}
    else:
        known, a, b = {}, a.astype(float), b.astype(float)
    if not known and np.isfinite(a).all() and np.isfinite(b).all() and np.ptp(b):
        factor, offset = (a * b).sum() / (b * b).sum(), (a - b).mean()
        known = {
            "Every entry is 0. ": 0 * b,
            "Every entry has the opposite sign. ": -b,
            "Every sign is lost. ": np.abs(b),
            f"Every entry is {factor:.4g} times what is expected. ": factor * b,
            f"Every entry is {abs(offset):.4g} too {'large' if offset > 0 else 'small'}. ": b + offset,
        }
        if len(np.unique(a)) > 2:  # 0 and 1 need no rounding
            known["Every entry is rounded down to a whole number. "] = np.floor(b)
            known |= {f"Every entry is rounded to {n} decimals. ": np.round(b, n) for n in range(4)}
    if b.ndim > 1 and b.shape[-1] == b.shape[-2]:
        known["Rows and columns are swapped. "] = np.swapaxes(b, -2, -1)
    known |= {f"Along axis {axis} the order is reversed. ": np.flip(b, axis) for axis in range(b.ndim)}
    found = (text for text, wrong in known.items() if alike(a, wrong) and not alike(wrong, b))
    return next(found, "") or _shift(a, b) or _moved(a, b) + _place(a, b)


def _moved(a, b):
    """Return a sentence if a result has the right entries, but not in their places."""
    if a.dtype.kind == "b" or not alike(np.sort(a, axis=None), np.sort(b, axis=None)) or not unlike(a, b).any():
        return ""
    return "The numbers are the right ones, but not in their places. "


def _shift(a, b):
    """Return a sentence if along one axis everything comes one place late or early."""
    for axis, length in enumerate(b.shape):
        ends = np.arange(length - 1), np.arange(1, length)
        for text, one, other in (("late", *ends), ("early", *ends[::-1])):
            moved = np.take(b, one, axis)
            if length > 2 and (moved != np.take(moved, [0], axis)).any() and alike(np.take(a, other, axis), moved):
                return f"Along axis {axis} everything comes one place too {text}. "
    return ""


def _place(a, b):
    """Return a sentence about where all differences are, if that is a place of its own."""
    wrong = unlike(a, b)
    values = np.unique(b[wrong])
    if values.size == 1 and wrong.sum() > 1 and not wrong.all() and not (b[~wrong] == values[0]).any():
        value = values[0].item()
        told = f"{value:.4g}" if isinstance(value, float) else value
        return f"The result is wrong wherever {told} is expected, and only there. "
    for axis, length in enumerate(b.shape):
        there = wrong.any(axis=tuple(other for other in range(b.ndim) if other != axis))
        if length > 1 and there.sum() == 1:
            return f"All errors are in {_part(b.ndim, axis, there.argmax())}. "
        if length > 2 and there.sum() == length - 1:
            return f"Only {_part(b.ndim, axis, there.argmin())} is right. "
        first, end = there.argmax(), length - there[::-1].argmax()
        if there.any() and there[first:end].all() and 2 * (end - first) < length:
            return f"All errors are in {_part(b.ndim, axis, f'{first}:{end}')}. "
    return ""


def _part(axes, axis, index):
    """Return how NumPy writes what has an index along one of the axes, such as `[:, 2]`."""
    return f"[{', '.join(str(index) if n == axis else ':' for n in range(axes))}]"
