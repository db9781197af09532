"""Workers end with what they were given to do: whoever dies, interrupts or gives up, nobody waits for ever.

Each script is a process of its own, with more calls than workers and each larger than a pipe's buffer. Its time limit
is there so that one that hangs does not hang all tests.
"""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from grader.classrun.processes import Places, Processes
from grader.engine.patience import give_place

LIMIT_S = 60
BEGIN = """
import os, signal, struct, sys, time
from concurrent.futures import wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

from grader.classrun import executors

LARGE = bytes(2**20)  # a pipe holds 64 KiB


class Cold:  # stands for a warm process where none is needed
    alive = True

    def twin(self):
        return self

    def close(self):
        pass


def pool():
    return executors._Pool(2, "", "best", Cold())


def size(data):
    return len(data)


def sleep(data):
    time.sleep(600)


def die(data):
    os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does it when there is no memory left


def die_in_the_middle(data):
    def send(link, answer):
        os.write(link.fileno(), struct.pack("!i", 10**6) + b"x" * 1000)
        os._exit(9)

    Connection.send_bytes = send
    return data
"""


def script(code, **options):
    """Run a script in a session of its own; return it, ended."""
    command = [sys.executable, "-c", BEGIN + code]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_S, start_new_session=True, **options
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"it hangs: not at its end after {LIMIT_S} seconds")


@pytest.mark.parametrize("how", ["die", "die_in_the_middle"])
def test_a_run_goes_on_and_ends_when_a_worker_has_died(how):
    done = script(f"""
pool = pool()
first = [pool.submit({how}, LARGE), *(pool.submit(size, LARGE) for _ in range(6))]
assert len(wait(first, timeout=20).done) == len(first), "some never come back"
assert isinstance(first[0].exception(), BrokenProcessPool)
again = [pool.submit(size, LARGE) for _ in range(7)]  # new ones have taken their place
assert [future.result() for future in again] == [2**20] * 7
pool.shutdown(cancel_futures=True)
print("ended")
""")
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_all_come_back_when_every_worker_has_died():
    done = script("""
pool = pool()
futures = [pool.submit(die, LARGE) for _ in range(8)]
assert len(wait(futures, timeout=20).done) == 8, "some never come back"
assert all(isinstance(future.exception(), BrokenProcessPool) for future in futures)
assert pool.submit(size, LARGE).result() == 2**20
pool.shutdown()
print("ended")
""")
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


STOPPED = """
try:
    with executors.local(2, "", "best") as workers:
        for _ in range(6):
            workers.executor.submit(sleep, LARGE)
        time.sleep(1)
        {stop}
except {error}:
    executors.warm.close()
    print("ended")
    sys.exit(3)
"""


@pytest.mark.parametrize(
    ("stop", "error"),
    [
        # As a terminal sends it: to all of them.
        ("os.killpg(0, signal.SIGINT); time.sleep(60)", "KeyboardInterrupt"),
        ("raise executors.GraderError('marks cannot be written')", "executors.GraderError"),
    ],
)
def test_what_is_under_way_keeps_nobody_who_interrupts_or_cannot_write(stop, error):
    begun = time.monotonic()
    done = script(STOPPED.format(stop=stop, error=error))
    assert (done.returncode, done.stdout) == (3, "ended\n"), done.stderr
    assert "Traceback" not in done.stderr  # neither from this one nor from a worker
    assert time.monotonic() - begun < LIMIT_S / 2


def _die(file):
    while not file.exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


def _outlive(file, data):
    file.touch()
    time.sleep(1)
    return len(data)


def _fail(error):
    raise error


class _Unsendable(Exception):
    def __init__(self):
        super().__init__(lambda: None)


class _Unreadable:
    def __reduce__(self):
        return _fail, (OSError("it cannot be read"),)


@pytest.fixture
def two():
    """Two processes, and what counts places."""
    processes = Processes(Places())
    processes.fork([int, int])
    processes.serve()
    yield processes
    processes.kill()
    processes.shutdown()


def test_one_that_dies_costs_what_it_works_on_alone(two, tmp_path):
    file = tmp_path / "begun"
    lost, kept = two.submit(_die, file), two.submit(_outlive, file, bytes(2**20))
    assert isinstance(lost.exception(), BrokenProcessPool)
    with pytest.raises(BrokenProcessPool):
        two.submit(len, "")
    assert kept.result() == 2**20


def test_errors_come_back_with_where_they_come_from(two):
    error = two.submit(_fail, ValueError("odd")).exception()
    assert (type(error), str(error)) == (ValueError, "odd")
    assert "in _fail" in str(error.__cause__)
    assert "_Unsendable" in str(two.submit(_fail, OSError(_Unsendable())).exception())
    assert "it cannot be read" in str(two.submit(_Unreadable).exception())
    assert two.submit(len, lambda: None).exception() is not None  # it cannot even be sent
    assert [two.submit(len, bytes(n)).result() for n in range(8)] == list(range(8)), "nobody has died of it"


class _NoneAnyMore(Exception):
    def __reduce__(self):
        return dict, ()


def _exit():
    raise SystemExit(3)


def _lose():
    raise _NoneAnyMore


@pytest.mark.parametrize(("call", "named"), [(_exit, "SystemExit"), (_lose, "dict")])
def test_what_would_end_this_process_or_is_no_error_any_more_ends_a_call_alone(two, call, named):
    with pytest.raises(RuntimeError, match=f"a call ended with {named}"):
        two.submit(call).result(20)
    assert two.submit(len, "ab").result(20) == 2


def _wait_twice():
    give_place.get()()
    give_place.get()()


def _wait_and_die(file):
    give_place.get()()
    _die(file)


def test_a_place_is_given_once_and_comes_back_also_from_one_that_died(two, tmp_path):
    for _ in range(3):
        assert two.submit(_wait_twice).exception() is None
        assert two.places.value == 0
    file = tmp_path / "counted"
    lost = two.submit(_wait_and_die, file)
    while not two.places.value:
        time.sleep(0.01)
    assert two.places.value == 1
    file.touch()
    assert isinstance(lost.exception(), BrokenProcessPool)
    assert two.places.value == 0


def test_what_is_not_begun_is_cancelled_and_what_is_begun_is_done(two, tmp_path):
    futures = [two.submit(_outlive, tmp_path / str(n), b"12") for n in range(5)]
    while not (tmp_path / "0").exists() or not (tmp_path / "1").exists():
        time.sleep(0.01)
    two.shutdown(cancel_futures=True)
    assert [future.cancelled() for future in futures] == [False, False, True, True, True]
    assert [future.result() for future in futures[:2]] == [2, 2]
    assert [process.exitcode for process in two.own] == [0, 0]
    with pytest.raises(RuntimeError, match="have ended"):
        two.submit(len, "")
