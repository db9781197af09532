"""Go on with the student's own function once its self-check holds, and with a stand-in until then."""

from IPython.utils.capture import capture_output


def _state_of(functions):
    """Run the self-check without showing it and return why the functions cannot be used yet; empty if they can."""
    first = functions[0].__name__
    check = getattr(functions[0].__globals__.get(f"check_{first}"), "report", None)
    if check is None:
        return "has no self-check in this session"
    with capture_output():
        report = check(*functions)
    if isinstance(report.error, NotImplementedError):
        return "is not written yet"
    if report.error is not None:
        return "raises an error in its self-check"
    return "does not pass its self-check yet" if report.failed else ""


def yours(*functions, ours=None):
    """Return the student's function if its self-check holds, else `ours`, and print which of the two it is.

    Args:
        *functions: What the self-check takes: most often one function, all of an answer cell if there are several.
        ours: What stands in. With the default, None, whatever gets the result computes that step by itself.

    Returns:
        `functions[0]` or `ours`; for several functions the tuple of them, or `ours`.
    """
    name = functions[0].__name__
    try:
        reason = _state_of(functions)
    except Exception as error:
        reason = f"ends its self-check with {type(error).__name__}"
    if reason:
        print(f"[{name}: ours, because yours {reason}]")
        return ours
    print(f"[{name}: yours]")
    return functions[0] if len(functions) == 1 else functions
