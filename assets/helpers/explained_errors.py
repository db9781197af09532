"""What an error of NumPy means: a sentence with the shapes that met, in place of the raw message."""

import linecache
import re
import warnings
from copy import deepcopy

import numpy as np

_SHAPE = r"\([\d, ]*\)"
_FIT = "counted from the right, two sizes have to be equal, or one of them 1"


def _read_shapes(message):
    """Return the shapes in a message as text, `(2,3)` as `(2, 3)`, joined by "and"."""
    shapes = [tuple(int(n) for n in re.findall(r"\d+", found)) for found in re.findall(_SHAPE, message)]
    return " and ".join(str(shape) for shape in shapes if shape) or "different shapes"


# A pattern in the message, and what it means: a text, or a function that makes it of the match.
_MEANINGS = (
    (r"^operands could not be broadcast together with remapped shapes.*newaxis.*(?=and requested shape)",
     lambda m: f"`@` keeps the axes before the last two, and those of {_read_shapes(m[0])} do not fit together"),
    (r"^operands could not be broadcast together with remapped shapes.*\)->\(.*",
     lambda m: f"axes with the same letter in np.einsum need the same size, and the arrays are {_read_shapes(m[0])}"),
    (r"^matmul: .*\(size (\d+) is different from (\d+)\)",
     lambda m: f"`@` sums over the last axis of its left array, of size {m[2]}, and the last but one of its right "
               f"array (of a vector: the only one), of size {m[1]}; these two have to be equal"),
    (r"^matmul: Input operand \d does not have enough dimensions", "`@` needs arrays, and here it got a single number"),
    (r"^shapes .* not aligned.*",
     lambda m: f"the product needs equal sizes where it sums, and got {_read_shapes(m[0].split(':')[0])}"),
    (r"^operands could not be broadcast together with.*",
     lambda m: f"arrays of shapes {_read_shapes(m[0])} do not fit together; {_FIT}"),
    (r"^could not broadcast input array from shape .*|^shape mismatch: value array of shape .*",
     lambda m: f"what is assigned and its target have the shapes {_read_shapes(m[0])}, which do not fit"),
    (r"^shape mismatch: objects cannot be broadcast.*|^shape mismatch: indexing arrays.*",
     lambda m: f"arrays of shapes {_read_shapes(m[0])} do not fit together; {_FIT}"),
    (r"truth value of an (?:empty )?array",
     "a whole array was used as one True or False; `if`, `and`, `or` and `not` need a single truth value. Use "
     "`is None` to look for a missing array, np.where to choose entry by entry"),
    (r"axis (-?\d+) is out of bounds for array of dimension (\d+)",
     lambda m: f"axis {m[1]} was asked for, and the array there has {m[2]} axes, counted from 0"),
    (r"boolean index did not match.* along axis (\d+); size of axis is (\d+) but size of corresponding boolean axis is "
     r"(\d+)", lambda m: f"booleans in square brackets must have the array's full shape; along axis {m[1]} the array "
                         f"has {m[2]} entries, and they have {m[3]}"),
    (r"NumPy boolean array indexing assignment cannot assign (\d+) input values to the (\d+)",
     lambda m: f"{m[1]} values were assigned to {m[2]} places"),
    (r"too many indices for array: array is (\d+)-dimensional, but (\d+) were indexed",
     lambda m: f"{m[2]} indices were used for an array with {m[1]} axes"),
    (r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)",
     lambda m: f"position {m[1]} was asked for on axis {m[2]}, which ends at position {int(m[3]) - 1}"),
    (r"must have same number of dimensions, but the array at index 0 has (\d+) .* has (\d+) dim",
     lambda m: f"arrays can be joined only if they have the same number of axes; here one has {m[1]}, another {m[2]}"),
    (r"except for the concatenation axis must match exactly, but along dimension (\d+), .* size (\d+) .* size (\d+)",
     lambda m: f"joined arrays may differ along the joining axis only; along axis {m[1]} they have {m[2]} and {m[3]}"),
    (r"cannot reshape array of size (\d+) into shape .*",
     lambda m: f"an array with {m[1]} entries cannot have the shape {_read_shapes(m[0].split('shape', 2)[2])}"),
    (r"axes don't match array|repeated axis in transpose", "transpose needs each axis of the array exactly once"),
    (r"cannot select an axis to squeeze out.*", "squeeze(axis) removes an axis of size 1 only"),
    (r"destination is read-only", "np.broadcast_to returns a view that cannot be written to; make a new array"),
    (r"NoneType", "something is None there: an argument that may be left out, or a function that returned nothing"),
    (r"only (?:length-1|0-dimensional) arrays can be converted", "a function for one number, such as one of `math`, "
     "got an array; NumPy's function of the same name takes arrays"),
    (r"ufunc 'invert' not supported", "`~` needs booleans, and got numbers"),
    (r"boolean (?:subtract|negative)", "booleans cannot be subtracted; `~` inverts them"),
    (r"inhomogeneous shape", "the rows of this array have different lengths"),
    (r"setting an array element with a sequence", "a whole array was put where one number belongs"),
    (r"^\w+ must be .*, got .*", ""),  # the words of a given function
    (r"einstein sum|einsum", "np.einsum needs one letter for each axis of each array"),
)  # fmt: skip


def _where(error, function):
    """Return the student's line that failed and the shapes of the arrays that it names, as a text; empty if unknown."""
    file, found, trace = getattr(getattr(function, "__code__", None), "co_filename", None), None, error.__traceback__
    while trace:
        found = trace if trace.tb_frame.f_code.co_filename == file else found
        trace = trace.tb_next
    line = linecache.getline(file, found.tb_lineno).strip() if found else ""
    if not line:
        return ""
    names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", line.split("#")[0]))
    values = {name: found.tb_frame.f_locals[name] for name in names if name in found.tb_frame.f_locals}
    shapes = ", ".join(f"{name} {np.shape(a)}" for name, a in values.items() if np.ndim(getattr(a, "shape", 0)))
    return f" in `{line}`" + (f", with {shapes}" if shapes else "")


def explain_error(error, function):
    """Return what an exception means, and the student's line in which it happened.

    Args:
        error: What the student's function raised.
        function: That function.
    """
    message = " ".join(str(error).split()).rstrip(".")
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, message.strip("\u201c\u201d"))  # when marking, a student's words are in quotes
        if found:
            said = meaning if isinstance(meaning, str) else meaning(found)
            return f"{said or message}." + _sentence(_where(error, function))
    return f"{type(error).__name__}: {message}." + _sentence(_where(error, function))


def _sentence(where):
    return f" It happened{where}." if where else ""


def call_explained(report, function, *args, on="", expected=""):
    """Call the student's function as `report.call` does; an error is explained in a sentence and ends the check.

    Args:
        report: The report of the check.
        function: The student's function.
        *args: Passed on.
        on: What the function is called with, in words.
        expected: What should come out, and what to look at.

    Returns:
        What the function returned.
    """

    def untouched(*given):
        return function(*deepcopy(given))  # what a call changes must not reach the next one

    seen = deepcopy(args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*seen)
    except NotImplementedError:
        pass  # report.call says it
    except Exception as error:
        hint = f"{explain_error(error, function)} {expected}".strip()
        report.expect(False, f"{report.name} runs{' on ' + on if on else ''}", hint, stop=True)
    if not all(map(_same, seen, args)) and report.name not in report.changing:
        report.changing.add(report.name)
        hint = "your function changes one of its arguments: work on a copy of it"
        report.expect(False, f"{report.name}: the inputs are unchanged", hint)
    return report.call(untouched, *args)


def _same(a, b):
    """Return whether two arguments are equal: arrays, or lists and dicts of anything that can be compared."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b
