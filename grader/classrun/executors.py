"""Where submissions are marked: in this process, in several beside it, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any
from urllib.parse import urlsplit

from grader.classrun.processes import Places, Processes
from grader.core.errors import GraderError, SchedulerGone
from grader.core.garbage import look_seldom
from grader.sandbox.inside.isolate import die_with_parent
from grader.sandbox.warm import Template, Twin
from grader.sandbox.warm_processes import warm


@dataclass
class Workers:
    """Workers for one run.

    Args:
        executor: Takes the work.
        count: Tells how many there are; on a cluster they come and go.
    """

    executor: Executor
    count: Callable[[], int]

    @property
    def given(self) -> int:
        """How many places were given by submissions that wait; as many more may be under way."""
        return self.executor.given if isinstance(self.executor, _Pool) else 0

    def before_forking(self, close: Callable[[], None]) -> None:
        """Have something closed whenever processes are forked from this one, as after one of them has died.

        A forked process inherits open files: SQLite forbids that for a database, and a connection with PostgreSQL would
        have two ends here.
        """
        if isinstance(self.executor, _Pool):
            self.executor.close_before = close

    @property
    def room(self) -> int:
        """How many submissions may be under way: a few more than workers, so that none waits for its next one."""
        count = self.count()
        return (count + 2 if count > 1 else 1) + self.given


class _Here(Executor):
    """Does what it is given at once, in this process."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function; give what came of it."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def processors() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def local(jobs: int, imports: str, isolation: str) -> Iterator[Workers]:
    """Give workers on this machine; they share one warm process's memory.

    Args:
        jobs: How many; one works in this process.
        imports: What the warm process imports.
        isolation: Least level of isolation that will do.
    """
    if jobs == 1:
        yield Workers(_Here(), lambda: 1)
        return
    with warm.use(imports, isolation) as main:
        pool = _Pool(jobs, imports, isolation, main)
        try:
            yield Workers(pool, lambda: jobs)
        except BaseException:  # interrupted: what is under way is marked by the next run
            pool.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


#: As many processes stand beside the workers for each of them, and at least so many.
_BESIDE, _LEAST_BESIDE = 1, 4


class _Pool(Executor):
    """Processes on this machine; when one of them has died, new ones take their place at the next call.

    A submission that waits without computing gives its place: for as long as it is under way, another one is marked by
    a process that stands beside. Both go on when the first one wakes up; limits count computing, so neither loses.

    Args:
        jobs: How many.
        imports: What the warm process imports.
        isolation: Least level of isolation that will do.
        main: The warm process that theirs are forked from.
    """

    def __init__(self, jobs: int, imports: str, isolation: str, main: Template | Twin):
        self.jobs, self.imports, self.isolation, self.main = jobs, imports, isolation, main
        self.close_before: Callable[[], None] = lambda: None
        self._start()

    def _start(self) -> None:
        if not self.main.alive:
            with warm.use(self.imports, self.isolation) as self.main:
                pass
        more = max(_BESIDE * self.jobs, _LEAST_BESIDE)
        self.twins = [self.main.twin() for _ in range(self.jobs + more)]
        self.places = Places()
        self.under_way_beside: list[Future[Any]] = []
        self.processes, self.beside = Processes(self.places), Processes(self.places)
        begins = [functools.partial(_begin, twin, self.imports, self.isolation, os.getpid()) for twin in self.twins]
        self.close_before()
        try:
            # They are forked now, all of them: the first time, before this process opens the gradebook.
            self.processes.fork(begins[: self.jobs])
            self.beside.fork(begins[self.jobs :])
        except BaseException:
            self.kill()
            raise
        self.processes.serve()
        self.beside.serve()

    @property
    def own(self) -> list[BaseProcess]:
        """The processes."""
        return [*self.processes.own, *self.beside.own]

    @property
    def given(self) -> int:
        """How many places were given, as far as there are processes that can take them."""
        return min(self.places.value, len(self.twins) - self.jobs)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand over a call."""
        try:
            return self._submit(function, *args, **kwargs)
        except BrokenProcessPool:
            self.shutdown()
            self._start()
            return self._submit(function, *args, **kwargs)

    def _submit(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        self.under_way_beside = [future for future in self.under_way_beside if not future.done()]
        if len(self.under_way_beside) >= self.given:
            return self.processes.submit(function, *args, **kwargs)
        future = self.beside.submit(function, *args, **kwargs)
        self.under_way_beside.append(future)
        return future

    def kill(self) -> None:
        """End the processes whatever they do."""
        for pool in (self.processes, self.beside):
            pool.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        for pool in (self.processes, self.beside):
            pool.shutdown(wait, cancel_futures=cancel_futures)
        for twin in self.twins:
            twin.close()


def _begin(twin: Any, imports: str, isolation: str, parent: int) -> None:
    """Begin to work in a new process, with a warm process of its own."""
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    look_seldom()  # what was there before the fork stays: looking through it would also copy every page
    warm.adopt(imports, isolation, twin)


def scheduler_gone(where: str = "--scheduler") -> SchedulerGone:
    """Return the error for a scheduler that does not answer any more."""
    fix = "see its log; start the same command again, it goes on where it was"
    return SchedulerGone("the scheduler is gone", where, fix)


def _is_here(address: str) -> bool:
    """Return whether a scheduler's address is one of this machine that no other one reaches."""
    with contextlib.suppress(ValueError):
        host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    return False


def all_or_none(authority: str | None, certificate: str | None, key: str | None) -> tuple[str, str, str] | None:
    """Return the three files that TLS needs, None if there is none of them.

    Raises:
        GraderError: If one is missing.
    """
    if authority and certificate and key:
        return authority, certificate, key
    if authority or certificate or key:
        raise GraderError("one of three files is missing", "--tls-ca, --tls-cert, --tls-key", "give all three or none")
    return None


@contextmanager
def dask(
    address: str, tls: tuple[str, str, str] | None = None, timeout_s: float = 60, unencrypted: bool = False
) -> Iterator[Workers]:
    """Give the workers of a Dask cluster.

    Args:
        address: The scheduler's, such as `tcp://node1:8786` or `tls://node1:8786`.
        tls: Files of the certificate authority, of this side's certificate and of its key, for `tls://`.
        timeout_s: How long to wait for the scheduler, and for the first worker.
        unencrypted: Whether the scheduler may be on another machine without TLS.

    Raises:
        GraderError: If Dask is not installed, nobody answers, there is no worker, or anybody could be one.
    """
    if not (unencrypted or address.startswith("tls://") or _is_here(address)):
        what = "without TLS, whoever reaches the scheduler can run code on this machine and set any mark"
        fix = "use tls:// with --tls-ca, --tls-cert and --tls-key, or --unencrypted in a network that is yours alone"
        raise GraderError(what, f"--scheduler {address}", fix)
    try:
        from distributed import Client, Security
    except ImportError:
        raise GraderError("Dask is not installed", "--scheduler", "pip install distributed") from None
    security = None
    if tls is not None:
        authority, certificate, key = tls
        security = Security(
            tls_ca_file=authority, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
        )
    try:
        client = Client(address, security=security, timeout=timeout_s, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
        fix = "start one with `dask scheduler`; for tls:// give --tls-ca, --tls-cert and --tls-key"
        raise GraderError(f"no scheduler answers: {error}", address, fix) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=timeout_s)
        except TimeoutError:
            fix = f"start some with `dask worker {address}`, in an environment that has this course installed"
            raise GraderError("the scheduler has no worker", address, fix) from None

        def count() -> int:
            try:
                return max(int(sum(client.nthreads().values())), 1)
            except OSError:  # also when the connection breaks
                raise scheduler_gone(address) from None

        yield Workers(client.get_executor(pure=False), count)
