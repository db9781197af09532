"""Go on with the student's own function once its self-check holds, and with a stand-in until then."""

import sys
import types

from IPython.utils.capture import capture_output

# What graded code finds, and what a notebook itself is made of.
_THERE = {"__main__", "builtins", "helpers", *sys.stdlib_module_names}
_THERE |= {"numpy", "keras", "tensorflow", "matplotlib", "PIL", "IPython", "ipykernel", "ipywidgets", "google"}


def answer_name(functions):
    """Return the name of an answer: those of its functions, separated by commas.

    Args:
        functions: For each name what a self-check takes. What comes from another cell than the first, such as a given
            function that calls the answer, is not the student's and is left out.
    """
    cells = [getattr(getattr(function, "__code__", None), "co_filename", "") for function in functions.values()]
    return ", ".join(name for name, cell in zip(functions, cells, strict=True) if cell == cells[0])


def _state_of(functions, several):
    """Run the self-check without showing it and return why the answer cannot be used yet; empty if it can."""
    first = functions[0].__name__
    check = getattr(functions[0].__globals__.get(f"check_{first}"), "report", None)
    if check is None:
        return "have no self-check in this session" if several else "has no self-check in this session"
    with capture_output():
        report = check(*functions)
    if isinstance(report.error, NotImplementedError):
        return "are not all written yet" if several else "is not written yet"
    if report.error is not None:
        return "raise an error in their self-check" if several else "raises an error in its self-check"
    if report.failed:
        return "do not all pass their self-check yet" if several else "does not pass its self-check yet"
    return ""


def yours(*functions, ours=None):
    """Return the student's function if its self-check holds, else `ours`, and print which of the two it is.

    Args:
        *functions: What the self-check takes: most often one function, all of an answer cell if there are several.
        ours: What stands in. With the default, None, whatever gets the result computes that step by itself.

    Returns:
        `functions[0]` or `ours`; for several functions the tuple of them, or `ours`.
    """
    name = answer_name({function.__name__: function for function in functions})
    several = "," in name
    try:
        reason = _state_of(functions, several)
    except Exception as error:
        raised = type(error).__name__
        reason = f"end their self-check with {raised}" if several else f"ends its self-check with {raised}"
    if reason:
        print(f"[{name}: ours, because yours {reason}]")
        return ours
    print(f"[{name}: yours]")
    return functions[0] if len(functions) == 1 else functions


def library_advice(names):
    """Return a sentence about libraries that are imported in `names` and that graded code may not find, if any are."""
    modules = {value.__name__ for value in names.values() if isinstance(value, types.ModuleType)}
    kinds = (types.FunctionType, types.BuiltinFunctionType, type)
    modules |= {str(value.__module__ or "builtins") for value in list(names.values()) if isinstance(value, kinds)}
    missing = sorted({module.partition(".")[0] for module in modules} - _THERE)
    there = "Python's own modules, NumPy, Keras, TensorFlow and Matplotlib"
    text = (
        f"Your notebook imports {', '.join(missing)}. When your answers are graded, only {there} are there, so check "
        "that no answer needs anything else."
    )
    return (text,) if missing else ()
