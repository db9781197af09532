"""Processes that work on calls, each over a pipe of its own: one that dies costs the call that it works on.

`concurrent.futures.ProcessPoolExecutor` has one pipe for all calls and one for all results, and what goes through them
is larger here than a pipe's buffer. If its processes died, a thread of Python 3.11 wrote for ever what nobody read, and
in any Python one that died in the middle of a result left half of it to its reader, who waited for the rest. Here each
end of a pipe is open in one process alone: whatever happens to one side, the other side's writing and reading end.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from grader.engine.patience import give_place

#: What a process is sent when it may end, and what it sends when the call that it works on gives its place.
_END = _WAITS = b""


class Places:
    """How many calls under way have given their places to others."""

    def __init__(self) -> None:
        self.value, self._lock = 0, Lock()

    def add(self, more: int) -> None:
        """Count some more, or fewer."""
        with self._lock:
            self.value += more


@dataclass
class _Call:
    future: Future[Any]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Processes(Executor):
    """Processes that are forked from this one; a thread of this one hands each its calls.

    When one has died, the others finish what was handed over, and nothing more is taken.

    Args:
        places: Counts the calls that have given their places.
    """

    def __init__(self, places: Places):
        self.places = places
        self.own: list[BaseProcess] = []
        self._links: list[Connection] = []
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._lock = Lock()  # held while calls are entered, so that none is entered when nobody is left
        self._at_work, self._has_died, self._has_ended = 0, False, False

    def fork(self, begins: Iterable[Callable[[], object]]) -> None:
        """Fork the processes.

        Args:
            begins: What each does first.
        """
        context = multiprocessing.get_context("fork")
        for begin in begins:
            ours, theirs = context.Pipe()
            # Should this process end without having ended them, Python ends them as daemons.
            process = context.Process(target=_work, args=(theirs, begin), daemon=True)
            # Ctrl-C reaches all processes of a terminal, also one that has only just begun.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                process.start()
                self.own.append(process)
                self._links.append(ours)
            finally:
                theirs.close()  # the next one must not inherit it: it would hold this one's pipe open
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def serve(self) -> None:
        """Begin to hand over calls; nothing is forked afterwards."""
        self._at_work = len(self.own)
        for link, process in zip(self._links, self.own, strict=True):
            thread = Thread(target=self._serve, args=(link, process), daemon=True)
            thread.start()
            self._threads.append(thread)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand over a call.

        Raises:
            BrokenProcessPool: If one of the processes has died.
        """
        with self._lock:
            if self._has_died:
                raise _died()
            if self._has_ended:
                raise RuntimeError("these processes have ended")
            future: Future[Any] = Future()
            self._calls.put(_Call(future, function, args, kwargs))
            return future

    def kill(self) -> None:
        """End the processes whatever they do."""
        for process in self.own:
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, with what was handed over done."""
        with self._lock:
            self._has_ended = True
            if cancel_futures:
                for call in self._left():
                    call.future.cancel()
            for _ in self._threads:
                self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()
            for process in self.own:
                process.join()

    def _left(self) -> list[_Call]:
        """Take back what no process has begun."""
        calls: list[_Call] = []
        while True:
            try:
                call = self._calls.get_nowait()
            except Empty:
                return calls
            if call is not None:
                calls.append(call)

    def _serve(self, link: Connection, process: BaseProcess) -> None:
        """Hand one call after another to a process."""
        while (call := self._calls.get()) is not None:
            if call.future.set_running_or_notify_cancel() and not self._do(call, link):
                process.kill()  # it has died, or what it says is not to be understood
                self._without_one(call)
                return
            del call  # what it holds would stay in memory until the next one comes
        try:
            link.send_bytes(_END)
        except OSError:
            process.kill()
        link.close()

    def _do(self, call: _Call, link: Connection) -> bool:
        """Have a call done by a process; return whether the process goes on."""
        try:
            question = pickle.dumps((call.function, call.args, call.kwargs), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            call.future.set_exception(error)
            return True
        given = 0
        try:
            link.send_bytes(question)
            while not (answer := link.recv_bytes()):
                if not given:
                    given = 1
                    self.places.add(1)
        except Exception:
            return False
        finally:
            self.places.add(-given)
        try:
            done, result, text = pickle.loads(answer)
        except Exception as error:
            call.future.set_exception(error)
            return True
        if done:
            call.future.set_result(result)
            return True
        if not isinstance(result, Exception):  # what ends that process, or is no exception any more, ends nothing here
            result = RuntimeError(f"a call ended with {type(result).__name__}")
        result.__cause__ = _Remote(text)
        call.future.set_exception(result)
        return True

    def _without_one(self, call: _Call) -> None:
        """Take note that a process has died that worked on a call."""
        with self._lock:
            self._has_died = True
            self._at_work -= 1
            left = [] if self._at_work else self._left()
        for lost in (call, *left):
            if lost is call or lost.future.set_running_or_notify_cancel():
                lost.future.set_exception(_died())


class _Remote(Exception):
    """Stands for the place in a process where an error comes from: the text of its traceback."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def _died() -> BrokenProcessPool:
    return BrokenProcessPool("a process that marks has died")


class _Place:
    """The place of the call that this process works on; it is given at most once.

    Args:
        link: To the process that hands out the calls.
    """

    def __init__(self, link: Connection):
        self._link, self.is_given = link, False

    def give(self) -> None:
        """Give it to another call."""
        if not self.is_given:
            self.is_given = True
            self._link.send_bytes(_WAITS)


def _work(link: Connection, begin: Callable[[], object]) -> None:
    """Work on calls, in a new process, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that hands out the work decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    begin()
    place = _Place(link)
    give_place.set(place.give)
    while True:
        try:
            question = link.recv_bytes()
        except (EOFError, OSError):
            return
        if not question:
            return
        place.is_given = False
        answer = _answer(question)
        link.send_bytes(answer)
        del question, answer  # they would stay in memory until the next ones come


def _answer(question: bytes) -> bytes:
    """Return what came of a call: whether it was done, its result or error, and where the error comes from."""
    try:
        function, args, kwargs = pickle.loads(question)
        return pickle.dumps((True, function(*args, **kwargs), ""), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        try:
            return pickle.dumps((False, error, text), pickle.HIGHEST_PROTOCOL)
        except Exception:  # it holds what cannot be sent
            return pickle.dumps((False, RuntimeError(traceback.format_exception_only(error)[-1].strip()), text))
