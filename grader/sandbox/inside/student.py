"""The side that the student's code runs on: cells one after the other, and calls of the functions that they define.

It holds nothing worth having: no test, no expected value, no mark. What it sends is believed to be what the student's
functions return, and nothing else.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import functools
import io
import linecache
import operator
import pickle
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

import numpy as np

from . import acceptable, describing, packing, prelude, rescuing, wire
from .border import MAX_FIGURE, MAX_FIGURES, MAX_RESCUED
from .cells import telling
from .helper_calls import HelperCalls
from .sink import MAX_TEXT, Sink

#: Calls that may be nested in one another.
MAX_DEPTH = 16


_CLOCK = {signal.SIGALRM, signal.SIGPROF}
#: What is said of code whose time is up. No seconds: recognising a mistake compares it with other limits.
COMPUTED = "was still computing when its time was up: an endless loop?"
WAITED = "waited for something that did not come (a pause, an input, a lock, another thread) until its time was up"


#: Flags of compiled code that come from `from __future__ import ...`.
_FUTURE = functools.reduce(operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))


#: What arguments mostly hold, and what is sent as it is.
_UNMOVED = frozenset({np.ndarray, int, float, bool, str, type(None)})


class TimeIsUp(BaseException):
    """The student's code ran longer than it may. No `except Exception` stops it."""


@contextlib.contextmanager
def clock(cpu_s: float, wall_s: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the code inside when its time is up, and again each second after.

    Whoever watches from outside sends SIGALRM to code that waits (`grader.engine.patience`). Outside of the code that
    is limited it does nothing, however late it comes.
    """

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeIsUp(COMPUTED if number == signal.SIGPROF else WAITED)

    for number in _CLOCK:
        signal.signal(number, ring)
    signal.setitimer(signal.ITIMER_PROF, cpu_s, 1.0)
    signal.setitimer(signal.ITIMER_REAL, wall_s, 1.0)
    try:
        yield
    finally:
        for number in _CLOCK:
            signal.signal(number, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _no_input(prompt: object = "") -> str:
    raise EOFError("there is no keyboard while marking: input() gives nothing")


def describe(error: BaseException, file: str = "") -> dict[str, Any]:
    """Describe an exception as plain data: type name, text, and the line of the cell."""
    if isinstance(error, TimeIsUp):
        return {"type": "TimeoutError", "text": str(error) or COMPUTED, "line": None}
    return describing.describe(error, file)


def _framed(message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return a message and its frame; if it cannot be sent as it is, the same in plain lists and numbers, or in arrays.

    Raises:
        wire.Unsendable: If that cannot be sent either.
    """
    with contextlib.suppress(wire.Unsendable):
        return message, wire.dumps(message)
    plain = {name: packing.plain(value) for name, value in message.items()}
    with contextlib.suppress(wire.Unsendable):
        return plain, wire.dumps(plain)
    packed = packing.packed(plain)
    return packed, wire.dumps(packed)


def _must_be_acceptable(frame: bytes) -> None:
    """Refuse what the tests' side would, in words for whoever wrote it; there it would end this process.

    Raises:
        wire.Unsendable: If a test is not to look at it.
    """
    with contextlib.suppress(wire.WireError):  # which is for that side to say
        for part in wire.loads(frame).values():
            if reason := acceptable.objection(part):
                raise wire.Unsendable("", reason)


def _data(value: object) -> object:
    """Return arguments without what cannot be changed and sent back: functions and generators become None."""
    if type(value) in _UNMOVED:
        return value
    if isinstance(value, list | tuple):
        return (tuple if isinstance(value, tuple) else list)(map(_data, value))
    if isinstance(value, dict):
        return {key: _data(one) for key, one in value.items()}
    return None if callable(value) or isinstance(value, np.random.Generator) else value


def _are_unchanged(before: bytes, after: object) -> bool:
    """Say whether arguments are as they were.

    Pickled they are compared in a fraction of the time of a frame. What differs only there (a text that is now another
    object of the same characters) is told by the frames.

    Args:
        before: The arguments as they came, pickled: plain data all through.
        after: What they are now, which may hold anything.
    """
    with contextlib.suppress(Exception):  # an object of the student's own may refuse
        if pickle.dumps(after) == before:
            return True
    try:
        return wire.dumps(pickle.loads(before)) == wire.dumps(after)
    except wire.Unsendable:  # as a deque in it, which goes as a list
        return False


def outcome(
    function: Callable[..., object],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    guard: AbstractContextManager[None],
    used: Callable[[], list[str]] = list,
) -> bytes:
    """Call a function; return its value or its error, and its arguments if it changed them, as one frame.

    Args:
        function: What is called.
        args: Its positional arguments.
        kwargs: The named ones.
        guard: A context manager that ends the call when its time is up.
        used: Names the helper functions that it used; a value comes with these, if there are any.
    """
    try:
        before = pickle.dumps(_data([args, kwargs]))
        with guard:
            value = function(*args, **kwargs)
            message, frame = _framed({"value": value, "changed": None})  # first, since a generator works only now
            after = _data([args, kwargs])
            changed = None if _are_unchanged(before, after) else after
            helpers = list[str]()
            with contextlib.suppress(Exception):  # which is no fault of the answer's
                helpers = used()
            if changed is not None or helpers:
                _, frame = _framed(message | {"changed": changed} | ({"helpers": helpers} if helpers else {}))
            if changed is not None or not acceptable.is_bare(value):
                _must_be_acceptable(frame)
            return frame
    except wire.Unsendable as problem:
        return wire.dumps(
            {"error": {"type": "Unsendable", "text": str(problem)[: describing.MAX_MESSAGE], "line": None}}
        )
    except BaseException as problem:
        return wire.dumps({"error": _described_call(problem)})


def _described_call(problem: BaseException) -> dict[str, Any]:
    """Describe what a call raised; a class of the student's own, or of a library, as the builtin one it is a kind of.

    A test that expects `ValueError` catches its subclasses where answer and test are one process, so it has to here.
    """
    told = describe(problem)
    with contextlib.suppress(BaseException):
        bases = [kind for kind in type(problem).__mro__ if getattr(builtins, kind.__name__, None) is kind]
        if bases[0] is not type(problem) and bases[0] not in (Exception, BaseException):
            told["text"] = f"{told['type']}: {told['text']}"[: describing.MAX_MESSAGE]
            told["type"] = bases[0].__name__
    return told


def _parsed(source: str, file: str, shell: Any) -> tuple[str, ast.Module]:
    """Return a cell without its magics, whose statements stand on the lines that they have in the cell, and its tree.

    IPython takes away the empty lines at the top, and statements are known by their lines. What is Python already has
    no magics, and most cells are; only a prompt that was copied, `In [1]: x = 3`, can be read as Python too.

    Args:
        source: The cell.
        file: What tracebacks call it.
        shell: IPython's; None if the cell holds no magics.
    """
    if shell is None:
        return source, ast.parse(source, file)
    if "In [" not in source:
        with contextlib.suppress(Exception):
            return source, ast.parse(source, file)
    python: str = shell.transform_cell(source)
    above = source[: len(source) - len(source.lstrip())]
    code = "\n" * above.count("\n") + python
    return code, ast.parse(code, file)


class Student:
    """The student's namespace and the two sockets to it.

    Args:
        control: To the process that keeps the clock: cells to run.
        calls: To the trusted side: functions to call.
    """

    def __init__(self, control: socket.socket, calls: socket.socket):
        from IPython import get_ipython

        self.control, self.calls = control, calls
        self.shell = get_ipython()
        self.space = self.shell.user_ns
        self.out = Sink()
        self.future = 0
        self.under_way: list[object] = []  # calls, the innermost last
        self.talking = threading.RLock()
        self.shown: list[str] = []
        sys.stdout = sys.stderr = self.out
        sys.displayhook = self.display
        builtins.input = _no_input
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        module = prelude.take_over()
        own = {name for name in module.__dict__ if not name.startswith("__")}
        module.__dict__.update({name: value for name, value in self.space.items() if name not in own})
        self.space = module.__dict__
        self.shell.user_module, self.shell.user_ns = module, self.space
        self.helpers = HelperCalls()

    def display(self, value: object) -> None:
        """Keep the text of a cell's last value."""
        if value is not None:
            self.shown.append(repr(value)[:MAX_TEXT])

    def serve(self) -> None:
        """Do what the two other sides ask, until the clock's side hangs up."""
        while True:
            ready, _, _ = select.select([self.control, self.calls], [], [])
            if self.calls in ready:
                self.answer(*self.next_message())
            else:
                message = wire.receive(self.control)
                wire.send(self.control, self.run_cell(**message))

    def run_cell(
        self,
        source: str,
        name: str,
        cpu_s: float,
        wall_s: float,
        rescue: bool,
        plain: bool = False,
        kind: str = "",
        draw: bool = False,
        beside: Sequence[int] = (),
        beside_s: float = 0.0,
    ) -> dict[str, Any]:
        """Run one cell.

        Args:
            source: Its source, magics and all.
            name: What tracebacks call it.
            cpu_s: CPU seconds that it has.
            wall_s: Seconds on the clock that it has.
            rescue: If a statement fails, go on with the definitions and imports behind it.
            plain: It holds no magics.
            kind: `helpers` for a helper cell, `own` for an answer or a cell that the student added.
            draw: Draw its figures.
            beside: First lines of statements that nobody may need: one that runs out of time does not end the cell, nor
                does one that fails, unless there is something to rescue.
            beside_s: CPU seconds that these have, all together, besides those of the cell.

        Returns:
            `error` (or None), `text` (what it printed), `shown` (the value of its last line), `rescued` (names that
            were defined behind a failed statement), `figures` (PNG files as bytes).
        """
        file, error, rescued, figures = f"<{name}>", None, [], []
        self.shown = []
        try:
            code, tree = _parsed(source, file, None if plain else self.shell)
            # For whoever reads a function's source, such as `tf.function`; without a time it is not looked for on disk.
            linecache.cache[file] = len(code), None, [line + "\n" for line in code.split("\n")], file
            self.helpers.runs(file, kind == "own")
            body = (telling(tree) if kind == "helpers" else tree).body
            end = time.monotonic() + wall_s
            pots = {True: beside_s, False: cpu_s}
            for number, node in enumerate(body):
                first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
                extra, before = first in beside, time.process_time()
                try:
                    with clock(max(pots[extra], 0.001), max(end - time.monotonic(), 0.001)):
                        self._execute(node, file, number == len(body) - 1)
                except TimeIsUp as problem:
                    if not extra:
                        raise
                    error = describe(problem, file) | {"line": first}
                except BaseException as problem:
                    error = describe(problem, file)
                    if extra and not rescue:  # what stands behind it may be needed
                        continue
                    if rescue:
                        with clock(max(pots[False], 0.001), max(end - time.monotonic(), 0.001)):
                            rescued = self._define(body[number + 1 :], file)
                    break
                finally:
                    pots[extra] -= time.process_time() - before
            if draw:
                with clock(max(pots[False], 0.001), max(end - time.monotonic(), 0.001)):
                    figures = self._drawn()
        except BaseException as problem:
            error = describe(problem, file)
        self._close_figures()
        shown = "".join(self.shown)[:MAX_TEXT]
        return {"error": error, "text": self.out.take(), "shown": shown, "rescued": rescued, "figures": figures}

    def _define(self, body: list[ast.stmt], file: str) -> list[str]:
        """Execute the definitions, constants and imports among some statements; name what was defined."""
        defined = []
        for node in body:
            names = rescuing.defined_by(node)
            if names is not None:
                with contextlib.suppress(Exception, SystemExit, KeyboardInterrupt):
                    self._execute(node, file, False)
                    defined += [name[: describing.MAX_NAME] for name in names]
        return defined[:MAX_RESCUED]

    def _execute(self, node: ast.stmt, file: str, last: bool) -> None:
        # As in a kernel: what one cell asks of the future holds for those behind it, and nothing that this file asks.
        if last and isinstance(node, ast.Expr):
            code = compile(ast.Interactive([node]), file, "single", self.future, dont_inherit=True, optimize=0)
        else:
            code = compile(ast.Module([node], []), file, "exec", self.future, dont_inherit=True, optimize=0)
        self.future |= code.co_flags & _FUTURE
        exec(code, self.space)

    def _drawn(self) -> list[bytes]:
        """Draw the open figures, within the time of the cell."""
        plt: Any = sys.modules.get("matplotlib.pyplot")
        drawn = []
        for number in plt.get_fignums()[:MAX_FIGURES] if plt is not None else ():
            buffer = io.BytesIO()
            plt.figure(number).savefig(buffer, format="png", bbox_inches="tight")
            if buffer.tell() <= MAX_FIGURE:
                drawn.append(buffer.getvalue())
        return drawn

    def _close_figures(self) -> None:
        plt = sys.modules.get("matplotlib.pyplot")
        if plt is not None:
            with contextlib.suppress(BaseException):
                plt.close("all")

    def next_message(self) -> tuple[dict[str, Any], object]:
        """Wait for what the trusted side says; return it, and what stands for the call that it may begin."""
        call = object()
        callback = functools.partial(self.callback, call)
        return wire.receive(self.calls, callback=callback, generators=True), call

    def callback(self, call: object, number: int) -> Callable[..., object]:
        """Make a stand-in for a function of the trusted side, which is there as long as the call that it came with."""

        def ask(*args: Any, **kwargs: Any) -> object:
            return self._ask(call, _framed({"callback": number, "args": args, "kwargs": kwargs})[1])

        return ask

    def _ask(self, call: object, frame: bytes) -> object:
        # Cut in two by the clock, or mixed with one of another thread of the student's, a question and its answer would
        # be taken for another's later.
        signal.pthread_sigmask(signal.SIG_BLOCK, _CLOCK)
        self.talking.acquire()
        try:
            if self.under_way[-1:] != [call]:
                raise RuntimeError("the test's function was called when the call that it came with had ended")
            wire.send_frame(self.calls, frame)
            message, inner = self.next_message()
            while "call" in message:
                self.answer(message, inner)
                message, inner = self.next_message()
        finally:
            self.talking.release()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _CLOCK)
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["value"]

    def answer(self, message: dict[str, Any], call: object) -> None:
        """Call a function of the student's and send back what it gave, and its arguments if it changed them.

        Args:
            message: The call.
            call: What stands for it.
        """
        name = message["call"]

        def function(*args: Any, **kwargs: Any) -> object:
            if len(self.under_way) > MAX_DEPTH:
                raise RecursionError("calls between test and answer are nested too deeply")
            if name not in self.space:
                raise NameError(f"name '{name}' is not defined")
            return self.space[name](*args, **kwargs)

        args, kwargs = message["args"], message["kwargs"]
        inner = bool(self.under_way)
        self.under_way.append(call)
        try:
            if inner:
                frame = outcome(function, args, kwargs, contextlib.nullcontext())
            else:
                with self.helpers.asking():
                    guard = clock(message["cpu_s"], message["wall_s"])
                    frame = outcome(function, args, kwargs, guard, self.helpers.used)
        finally:
            with self.talking:  # a thread that the call left behind may be asking
                self.under_way.pop()
        if not self.under_way:
            self.out.take()  # what a function prints shows inputs of hidden tests
        self.calls.sendall(frame)


def main(control: socket.socket, calls: socket.socket) -> None:
    """Serve until the socket closes."""
    with contextlib.suppress(wire.WireError, OSError):
        Student(control, calls).serve()
