"""Self-checks: one printed line per property of what the student wrote."""

import functools
import warnings

import numpy as np
from helpers.observed import Observed, describe_error, say_what_is_lent


class _StopCheckError(Exception):
    """Ends a self-check early: what follows would only repeat the first finding."""


class CheckReport:
    """Collects and prints the findings of one self-check.

    Args:
        name: Name of the student's function, as it appears in the printed lines.
    """

    def __init__(self, name):
        self.name = name
        self.held, self.failed, self.error = 0, 0, None  # error: what the student's function raised to end the check
        self.finding, self.line = "", ""  # the first property that does not hold, with what is said of it and without
        self.named = False  # whether that says which mistake was made; if not, it says only what was observed

    def call(self, function, *args, **kwargs):
        """Call the student's function; an exception is printed and ends the check.

        Args:
            function: The student's function.
            *args: Passed on, arrays as copies: a change of one is noticed and spoils nothing that the check does next.
            **kwargs: Passed on.

        Returns:
            What the function returned.
        """
        given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = function(*given, **kwargs)
            except NotImplementedError as error:
                self.error = error
                print(f"{self.name}: not written yet")
                raise _StopCheckError from None
            except Exception as error:
                self.error = error
                shapes = ", ".join(str(a.shape) for a in args if isinstance(a, np.ndarray))
                shapes = f". The arrays had the shapes {shapes}" if shapes else ""
                said = Observed(f"It raised {describe_error(error)}{shapes}")
                self.expect(False, f"{self.name} runs", said, stop=True)
        for message in sorted({str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)}):
            print(f"note  numpy warns: {message}")
        for old, new in zip(args, given, strict=True):
            if isinstance(old, np.ndarray) and not np.array_equal(old, new, equal_nan=True):
                self.expect(False, "the inputs are unchanged", "work on a copy: x = x.copy()")
        if result is None:
            self.expect(False, f"{self.name} returns something", "is the return statement missing?", stop=True)
        return result

    def array(self, result, shape, kind="f", what="the result"):
        """Check type, shape and dtype of a returned array, in this order; the first failure ends the check.

        Args:
            result: What the student's function returned.
            shape: Expected shape.
            kind: Expected numpy dtype kind: `"f"` float, `"i"` integer, `"b"` bool.
            what: How the printed line calls it.

        Returns:
            The result as a numpy array.
        """
        try:
            array = np.asarray(result)
        except ValueError:
            array = np.asarray(None)
        words = {"f": "floats", "i": "integers", "b": "True and False"}
        if array.dtype == object:
            got = Observed(f"Yours is {type(result).__name__}")
            self.expect(False, f"{what} is an array of {words[kind]}", got, stop=True)
        shape, got = tuple(shape), Observed(f"Yours has shape {array.shape}")
        self.expect(array.shape == shape, f"{what} has shape {shape}", got, stop=True)
        kinds = {"f": "f", "i": "iu", "b": "b"}[kind]
        self.expect(array.dtype.kind in kinds, f"{what} holds {words[kind]}", f"its dtype is {array.dtype}", stop=True)
        return array

    def expect(self, holds, line, hint="", stop=False):
        """Print one line: `ok` if the property holds, else `--` with the hint.

        Args:
            holds: Whether the property holds.
            line: The property, as a statement.
            hint: Which mistake was made, if that was tried; or an `Observed`, which says what was seen.
            stop: End the check here if it does not hold.

        Returns:
            `holds` as a bool.
        """
        if holds:
            self.held += 1
            print(f"ok  {line}")
            return True
        self.failed += 1
        text = line + (". " if isinstance(hint, Observed) else ". Hint: ") + hint if hint else line
        if not self.finding:
            self.finding, self.line, self.named = text, line, not isinstance(hint, Observed) and bool(hint)
        print(f"--  {text}")
        if stop:
            raise _StopCheckError
        return False

    def close(self):
        """Print the last line."""
        if not self.failed:
            print(f"{self.name}: all of these hold. The graded tests below try other inputs.")


def self_check(name):
    """Turn `check(report, function, ...)` into the self-check that a notebook calls as `check(function, ...)`.

    The result prints a line per property, never raises and returns None, so that "Run all" goes on. Its attribute
    `report` does the same and returns the `CheckReport`.

    Args:
        name: Name of the student's function.
    """

    def decorate(check):
        def report_on(*functions):
            report = CheckReport(name)
            say_what_is_lent(functions)
            try:
                check(report, *functions)
                report.close()
            except _StopCheckError:
                pass
            except Exception as error:  # a result so odd that the check itself stumbles over it
                hint = Observed(f"Comparing it raised {type(error).__name__}: {error}")
                report.expect(False, "the result has the form that the docstring describes", hint)
            return report

        @functools.wraps(check)
        def run(*functions):
            report_on(*functions)

        run.report = report_on
        return run

    return decorate
