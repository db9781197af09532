"""Self-checks: one printed line per property of what the student wrote."""

import contextlib
import functools
import warnings

import numpy as np
from helpers.observed import Observed, describe_error, say_what_is_lent


class _StopCheckError(Exception):
    """Ends the check of a function early: what follows would only repeat the first finding."""


class CheckReport:
    """Collects and prints the findings of one self-check.

    Args:
        name: Name of the student's function, as it appears in the printed lines.
    """

    def __init__(self, name):
        self.name = name
        self.held, self.failed, self.error = 0, 0, None  # error: the first that a student's function raised
        self.finding, self.line = "", ""  # the first property that does not hold, with what is said of it and without
        self.named = False  # whether that says which mistake was made; if not, it says only what was observed
        self.changing = set()  # names of the functions that were told to change their inputs

    @contextlib.contextmanager
    def part(self, name):
        """Check one function; what ends its part early leaves those of the other functions to come."""
        whole, self.name = self.name, name
        try:
            yield
        except _StopCheckError:
            pass
        except Exception as error:  # a result so odd that the check itself stumbles over it
            hint = Observed(f"Comparing it raised {type(error).__name__}: {error}")
            self.expect(False, "the result has the form that the docstring describes", hint)
        self.name = whole

    def call(self, function, *args, **kwargs):
        """Call the student's function and return its result; an exception is printed and ends its part of the check.

        Args:
            function: The student's function.
            *args: Passed on, arrays as copies: a change of one is noticed and spoils nothing that the check does next.
            **kwargs: Passed on.
        """
        given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = function(*given, **kwargs)
            except Exception as error:
                self.error = error if self.error is None else self.error
                if isinstance(error, NotImplementedError):
                    print(f"{self.name}: not written yet")
                    raise _StopCheckError from None
                shapes = ", ".join(str(a.shape) for a in args if isinstance(a, np.ndarray))
                shapes = f". The arrays had the shapes {shapes}" if shapes else ""
                said = Observed(f"It raised {describe_error(error)}{shapes}")
                self.expect(False, f"{self.name} runs", said, stop=True)
        for message in sorted({str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)}):
            print(f"note  numpy warns: {message}")
        pairs = [pair for pair in zip(args, given, strict=True) if isinstance(pair[0], np.ndarray)]
        if not all(np.array_equal(*pair, equal_nan=True) for pair in pairs) and self.name not in self.changing:
            self.changing.add(self.name)
            self.expect(False, f"{self.name}: the inputs are unchanged", "work on a copy: x = x.copy()")
        if result is None:
            self.expect(False, f"{self.name} returns something", "is the return statement missing?", stop=True)
        return result

    def array(self, result, shape, kind="f", what="the result"):
        """Check type, shape and dtype of a returned array, in this order; the first failure ends its part of the check.

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
        kinds, words = {"f": ("f", "floats"), "i": ("iu", "integers"), "b": ("b", "True and False")}[kind]
        got = Observed(f"Yours is {type(result).__name__}")
        if array.dtype == object:
            self.expect(False, f"{what} is an array of {words}", got, stop=True)
        shape, got = tuple(shape), Observed(f"Yours has shape {array.shape}")
        self.expect(array.shape == shape, f"{what} has shape {shape}", got, stop=True)
        self.expect(array.dtype.kind in kinds, f"{what} holds {words}", f"its dtype is {array.dtype}", stop=True)
        return array

    def expect(self, holds, line, hint="", stop=False):
        """Print one line, `ok` if the property holds, else `--` with the hint, and return whether it holds.

        Args:
            holds: Whether the property holds.
            line: The property, as a statement.
            hint: Which mistake was made, if that was tried; or an `Observed`, which says what was seen.
            stop: End this part of the check here if it does not hold.
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
            with report.part(name):
                check(report, *functions)
                if not report.failed and report.error is None:
                    print(f"{report.name}: all of these hold. The graded tests below try other inputs.")
            return report

        @functools.wraps(check)
        def run(*functions):
            report_on(*functions)

        run.report = report_on
        return run

    return decorate
