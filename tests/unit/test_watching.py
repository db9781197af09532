"""What no resource limit bounds is watched: threads, also those of root, processors, the size of the scratch folder."""

import json
import math
import os
import platform
import re
import shutil
import socket
import sys
import threading
import time

import pytest

from grader import doctor
from grader.engine.patience import LOOK_S, Patience
from grader.engine.settings import Budget
from grader.sandbox import warm
from grader.sandbox.inside import isolate, watching, wire
from grader.sandbox.inside import template as warm_side
from grader.sandbox.inside.orders import Ended
from grader.sandbox.pair import Pair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marking needs Linux")

THREADS = """import threading
threading.stack_size(2**16)
for _ in range({count}):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
WAIT = "\nimport time\ntime.sleep(5)"
#: How it ends where a file system has its size, and where no file can be written.
REFUSED = ("OSError", "PermissionError")
FILL = "for n in range(8):\n    open(f'fill{n}', 'wb').write(b'x' * 2**24)"


def end_of(template, code: str, limits: isolate.Limits | None = None) -> tuple[Ended, dict | None]:
    """Run code on the student's side; return how its process ended, and the code's error if it was told."""
    pair = Pair(template, limits or isolate.Limits())
    error = None
    try:
        wire.send(pair.student, {"source": code, "name": "cell", "cpu_s": 60.0, "wall_s": 60.0, "rescue": False})
        error = wire.receive(pair.student, deadline=time.monotonic() + 60)["error"]
    except wire.WireClosed:
        pass
    finally:
        pair.end(5)
    return pair.ended, error


@pytest.fixture(scope="module", params=["bubblewrap", "landlock", "without namespaces"])
def template(request, tmp_path_factory):
    """A warm process; on the last level as where the system allows no namespaces."""
    level = request.param
    with pytest.MonkeyPatch.context() as patch:
        if level == "without namespaces":
            level = "landlock"
            inside = tmp_path_factory.mktemp("without") / "inside"
            shutil.copytree(warm.INSIDE, inside)
            text = (inside / "isolate.py").read_text()
            without = re.sub(r"_call\(\"unshare\", wanted\)", "raise OSError", text)
            assert without != text
            (inside / "isolate.py").write_text(without)
            patch.setattr(warm, "INSIDE", inside)
        with warm.Template("import numpy", at_most=level) as started:
            started.sized, started.inside = request.param != "without namespaces", warm.INSIDE
            yield started


@pytest.mark.parametrize(("count", "ended"), [(50, Ended.DONE), (100, Ended.THREADS)])
def test_threads_are_counted_whoever_runs_them(template, count, ended):
    assert end_of(template, THREADS.format(count=count) + (WAIT if ended is Ended.THREADS else "")) == (ended, None)


class _NoLookout:
    def objection(self):
        return ""


@pytest.mark.parametrize("wanted", ["spawn", "twin"])
def test_where_the_system_gives_no_process_that_is_said_and_the_others_go_on(monkeypatch, tmp_path, wanted):
    """In a container with few processes; the process that would have ended serves all who are marked at the time."""

    def refused():
        raise BlockingIOError(11, "no room")

    monkeypatch.setattr(warm_side.os, "fork", refused)
    monkeypatch.setattr(isolate, "_PAUSES_S", (0.01, 0.01))
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.settimeout(10)
    settings = {"wrapped": False, "scratch": str(tmp_path), "link": other.fileno()}
    serving = threading.Thread(target=warm_side.serve, args=(other, settings, _NoLookout()), daemon=True)
    serving.start()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        message = {"spawn": 1, "role": "student", "limits": {}} if wanted == "spawn" else {"twin": True}
        with open(os.devnull, "rb") as file:
            socket.send_fds(own, [json.dumps(message).encode()], [file.fileno()])
        assert json.loads(own.recv(4096)) == {"error": "this machine gives no further process now (no room)"}
    own.send(json.dumps({"look": [1]}).encode())
    assert json.loads(own.recv(4096)) == {"seen": [[0.0, True, True]]}
    assert len(os.listdir("/proc/self/fd")) == before
    assert os.listdir(tmp_path) == []
    own.close()
    serving.join(10)
    assert not serving.is_alive()


def test_the_scratch_folder_is_bounded_in_sum(template):
    ended, error = end_of(template, FILL + WAIT)
    assert ended is Ended.SCRATCH or (ended is Ended.DONE and error["type"] in REFUSED)


def test_less_than_that_may_be_written(template):
    ended, error = end_of(template, "for n in range(3):\n    open(f'fill{n}', 'wb').write(b'x' * 2**24)" + WAIT)
    assert ended is Ended.DONE
    assert (error or {}).get("type") == (None if template.sized else "PermissionError")


DELETED = """import mmap, os
kept = []
for n in range(20):
    with open("one", "w+b") as file:
        file.truncate(2**23)
        kept.append(mmap.mmap(file.fileno(), 2**23))
    os.unlink("one")
    kept[-1][:] = b"x" * 2**23
"""


def test_files_that_are_deleted_and_still_mapped_are_bounded_in_sum(template):
    ended, error = end_of(template, DELETED)
    assert ended is not Ended.DONE or error["type"] in REFUSED


def test_where_no_file_can_be_written_honest_work_is_done(template, monkeypatch):
    if template.sized:
        pytest.skip("files can be written here")
    monkeypatch.setattr(warm, "INSIDE", template.inside)
    found = doctor.examine(at_most="landlock", imports="import numpy\nimport matplotlib.pyplot\nimport keras")
    assert found.sound
    assert found.usable, found.work
    assert len(found.work) == 4
    assert "can write no file" in doctor.report(found)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nfor n in range(5000):\n    os.mkdir(f'd{n}')",
        "import os\nfor n in range(8):\n    os.mkdir(f'd{n}', 0o300)\n    open(f'd{n}/fill', 'wb').write(b'x' * 2**24)",
        "import os\nfor n in range(5000):\n    os.mkdir('d')\n    os.chdir('d')",
    ],
)
def test_neither_number_nor_depth_nor_protection_hides_it(template, code):
    ended, error = end_of(template, code + WAIT)
    assert ended is Ended.SCRATCH or (ended is Ended.DONE and error["type"] in REFUSED)


def test_a_folder_that_cannot_be_read_counts_as_too_much(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").write_bytes(b"x" * 100_000)
    assert not watching.holds_more(str(tmp_path), 2**20)
    assert watching.holds_more(str(tmp_path), 50_000)
    assert watching.holds_more(str(tmp_path), 2**20, entries=1)

    scandir = os.scandir

    def refuse(path):
        if path.endswith("a"):
            raise PermissionError
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert watching.holds_more(str(tmp_path), 2**20)


class Machine:
    """Processors on which one process runs with as many threads, as `Share` sees it.

    Args:
        processors: How many it keeps busy while it is not stopped.
    """

    def __init__(self, processors, monkeypatch):
        self.processors, self.now, self.used, self.stopped = processors, 100.0, 0.0, False
        monkeypatch.setattr(watching.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(watching.time, "clock_gettime", lambda clock: self.used)
        monkeypatch.setattr(watching.os, "kill", self._signal)

    def _signal(self, pid, number):
        assert self.stopped != (number == watching.signal.SIGSTOP)
        self.stopped = not self.stopped

    def run(self, seconds):
        """Run for some seconds, with the looks that are due; return the processor seconds that were taken."""
        share, before = watching.Share(4711), self.used
        for _ in range(round(seconds / watching.LOOK_S)):
            self.now += watching.LOOK_S
            self.used += 0 if self.stopped else self.processors * watching.LOOK_S
            share.keep()
        return self.used - before


@pytest.mark.parametrize("processors", [2, 16])
def test_many_threads_get_one_processor(processors, monkeypatch):
    taken = Machine(processors, monkeypatch).run(60)
    assert 59 < taken <= 60 + watching.ADVANCE_S + processors * watching.LOOK_S


def test_a_process_of_one_thread_is_never_stopped(monkeypatch):
    machine = Machine(1, monkeypatch)
    assert machine.run(60) == pytest.approx(60)


def test_a_share_is_not_saved_up(monkeypatch):
    machine = Machine(0, monkeypatch)
    share = watching.Share(4711)
    machine.now += 1000
    share.keep()
    machine.now, machine.used = machine.now + 0.1, machine.used + 2
    share.keep()
    assert machine.stopped


SPIN = """import ctypes, mmap, time
libc = ctypes.CDLL(None)
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex({code!r}))
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
thread = ctypes.c_ulong()
for _ in range({count}):
    assert libc.pthread_create(ctypes.byref(thread), None, address, None) == 0
begun = time.monotonic(), time.process_time()
time.sleep(4)
taken = (time.process_time() - begun[1]) / (time.monotonic() - begun[0])
assert taken < 1.4, taken
"""
#: A jump to itself.
JUMP = {"x86_64": "ebfe", "aarch64": "00000014"}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="it takes more than one processor to take more")
def test_threads_of_machine_code_get_one_processor(template):
    assert end_of(template, SPIN.format(code=JUMP[platform.machine()], count=200))[1] is None


FIRST_ENDS = """import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall({number}, 0)
"""
SENT = """import array, os, socket
to = socket.socket(fileno={over})
to.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [3, 4]))])
os._exit(0)
"""


def told(template, code: str) -> Pair:
    """Have the student's side run code that gives no answer."""
    pair = Pair(template, isolate.Limits())
    wire.send(pair.student, {"source": code, "name": "cell", "cpu_s": 60.0, "wall_s": 60.0, "rescue": False})
    return pair


def test_a_process_whose_first_thread_has_ended_is_seen_to_wait(template):
    pair = told(template, FIRST_ENDS.format(number={"x86_64": 60}.get(platform.machine(), 93)))
    budget, begun = Budget(waiting_s=0.5, grace_s=0.5), time.monotonic()
    try:
        with pytest.raises(wire.WireError):
            Patience(budget, math.inf).receive(pair, pair.student, begun + 30, alone_s=20, cpu_s=20)
        assert time.monotonic() - begun < 5
    finally:
        pair.end(0)


@pytest.fixture(scope="module")
def unwalled():
    """A warm process whose children may send descriptors, as they may nowhere behind walls."""
    with warm.Template("import numpy", isolation="limits", at_most="limits") as started:
        yield started


@pytest.mark.parametrize(("over", "link"), [(4, "student"), (3, "trusted")])
def test_a_process_that_ended_is_not_waited_for_whoever_holds_its_sockets(unwalled, over, link):
    """What it sent to a socket that nobody reads keeps its own sockets open."""
    pair = told(unwalled, SENT.format(over=over))
    own, begun = getattr(pair, link), time.monotonic()
    try:
        with pytest.raises(wire.WireClosed):
            Patience(Budget(waiting_s=20.0), math.inf).receive(pair, own, begun + 30, alone_s=20, cpu_s=20)
        assert time.monotonic() - begun < 3
    finally:
        pair.end(0)


def test_what_is_ended_from_outside_has_ended_and_what_it_used_stays_used(template):
    pair = told(template, "while True:\n    pass")
    try:
        while (used_s := pair.look().student_s) < 0.2:
            assert not pair.look().ended
            time.sleep(LOOK_S / 5)
        pair.end_student()
        seen = pair.look()
        assert seen.ended
        assert seen.student_s >= used_s
    finally:
        pair.end(0)
