"""Look at what the student's function returns, without stopping "Run all" where it is not written yet."""

import numpy as np
from helpers.observed import describe_error


def _plain(value):
    """Turn NumPy's scalars inside lists, tuples and dicts into Python's, which print as `5`, not as `np.int64(5)`."""
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        items = [_plain(v) for v in value]
        return type(value)(items) if type(value) in (list, tuple) else items
    return value.item() if isinstance(value, np.generic) else value


def show_result(function, *args):
    """Print what a function returns for a small example; nothing where it is not written yet, as the check says so.

    Args:
        function: The student's function.
        *args: Passed on.
    """
    try:
        result = function(*args)
    except NotImplementedError:
        return
    except Exception as error:
        print(f"{function.__name__} raised {describe_error(error)}")
        return
    for part in result if isinstance(result, tuple) else (result,):
        floats = isinstance(part, float | np.ndarray) and np.asarray(part).dtype.kind == "f"
        print(np.round(part, 3) if floats else _plain(part))


def show_difference(name, yours, theirs):
    """Print the largest difference between a student's result and that of Keras.

    Args:
        name: What is compared.
        yours: Function without arguments that returns the student's result.
        theirs: The result of Keras.
    """
    try:
        difference = np.abs(np.asarray(yours(), dtype=float) - np.asarray(theirs, dtype=float)).max()
    except NotImplementedError:
        print(f"{name}: not written yet")
    except Exception as error:
        print(f"{name}: no comparison, {type(error).__name__}: {error}")
    else:
        print(f"{name}: largest difference from Keras {difference:.6f}")
