"""The warm process: when it may be forked, and what is left of it when the one that started it is killed."""

import contextlib
import errno
import fcntl
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from grader import doctor
from grader.core.errors import GraderError, IsolationNotReached
from grader.sandbox import folders, warm
from grader.sandbox.call_names import name_of
from grader.sandbox.inside import isolate, orders, syscalls, watching, wire
from grader.sandbox.pair import Pair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marking needs Linux")

SLEEP = "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
NAMED = (
    "threading.Thread(target=lambda: (open(f'/proc/self/task/{threading.get_native_id()}/comm', 'w')"
    ".write('tf_Compute'), time.sleep(600)), daemon=True).start()"
)


def begin(*lines: str, wait_s: float = 0.0) -> None:
    """Start a warm process whose imports do more than importing, and fork from it."""
    with warm.Template("\n".join(["import threading, time", *lines]), at_most=isolate.Level.LIMITS) as template:
        Pair(template, isolate.Limits()).end()
        time.sleep(wait_s)
        Pair(template, isolate.Limits()).end()
        with contextlib.closing(template.twin()) as twin:
            Pair(twin, isolate.Limits()).end()


def test_threads_that_imports_start_do_no_harm():
    begin(SLEEP, SLEEP, SLEEP)


def test_a_thread_of_an_operation_is_refused_by_name():
    with pytest.raises(GraderError, match=r"threads were started in it .*: tf_Compute\."):
        begin(NAMED, "time.sleep(0.3)")


def test_a_thread_that_starts_after_the_imports_is_refused():
    later = "threading.Timer(2.0, lambda: threading.Thread(target=time.sleep, args=(600,)).start()).start()"
    with pytest.raises(GraderError, match="threads were started in it"):
        begin(later, wait_s=2.5)


def test_the_shell_starts_without_a_warning_of_its_colours():
    program = (
        "import sys, warnings\n"
        "warnings.filterwarnings('error', message='.*colors')\n"
        f"sys.path.insert(0, {str(warm.INSIDE.parent)!r})\n"
        "from inside import template\n"
        "template._warm_shell()\n"
        "from IPython import get_ipython\n"
        "assert get_ipython().colors.lower() == 'nocolor'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path, monkeypatch):
    program = (
        "import sys\n"
        "from grader.sandbox.warm import Template\n"
        "with Template('import json') as template:\n"
        "    print(template.folder, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        killed, alive = (Path(one.stdout.readline().strip()) for one in started)
        foreign = tmp_path / "marking-notes"
        foreign.mkdir()
        (foreign / "marks.csv").write_text("no folder of ours")
        assert killed.parent == alive.parent == tmp_path
        os.kill(started[0].pid, signal.SIGKILL)
        started[0].wait()
        assert (killed / "runner").is_dir()
        with warm.Template("import json") as template:
            assert sorted(tmp_path.iterdir()) == sorted([alive, foreign, Path(template.folder)])
            assert folders.remove_abandoned() == []
        assert sorted(tmp_path.iterdir()) == sorted([alive, foreign])
    finally:
        for one in started:
            one.communicate()
    assert list(tmp_path.iterdir()) == [foreign]
    assert list(foreign.iterdir()) == [foreign / "marks.csv"]


# System calls ---------------------------------------------------------------------------------------------------------

CALL = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nresult = libc.syscall({number}, {arguments})\n"
REFUSED = CALL + "assert (result, ctypes.get_errno()) == (-1, {errno}), (result, ctypes.get_errno())"


def say(template, code: str) -> dict | None:
    """Run code on the student's side; return its error."""
    pair = Pair(template, isolate.Limits())
    try:
        message = {"source": code, "name": "cell", "cpu_s": 60.0, "wall_s": 60.0, "rescue": False}
        wire.send(pair.student, message)
        return wire.receive(pair.student, deadline=time.monotonic() + 60)["error"]
    finally:
        pair.end()


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
def template(request):
    with warm.Template("import numpy", at_most=request.param) as started:
        yield started


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
@pytest.mark.parametrize(
    ("number", "arguments"),
    [
        (319, "b'x', 0"),  # memfd_create
        (425, "1, 0"),  # io_uring_setup
        (434, "1, 0"),  # pidfd_open
        (203, "0, 8, b'12345678'"),  # sched_setaffinity: harmless, not on the list
        (141, "2, 0, 5"),  # setpriority of all of this user's processes
        (141, "0, 2, 5"),  # setpriority of another process
        (999, ""),
        (57, ""),  # fork
        (56, "17, 0"),  # clone of a process
        (41, "2, 1, 0"),  # socket(AF_INET)
        (62, "2, 0"),  # kill of another process
        (302, "2, 7, 0, 0"),  # prlimit64 of another process
        (157, "4, 1, 0, 0, 0"),  # prctl(PR_SET_DUMPABLE)
    ],
)
def test_a_call_that_is_not_on_the_list_is_refused(template, number, arguments):
    assert say(template, REFUSED.format(number=number, arguments=arguments or 0, errno=errno.EPERM)) is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
def test_what_the_c_library_has_a_way_round_does_not_exist(template):
    for number in (435, 0x40000000 + 39):  # clone3, and getpid of the x32 interface
        assert say(template, REFUSED.format(number=number, arguments=0, errno=errno.ENOSYS)) is None


#: One past the highest number that is tried. Linux 6.18 has calls up to 470; new ones get the next numbers.
NUMBERS = 1024
#: `uretprobe` and `uprobe` of x86_64, which no filter is asked about: the kernel's own trampoline makes them, and it
#: ends whatever else does.
OF_THE_TRAMPOLINE = {335, 336} if platform.machine() == "x86_64" else set()
EVERY_CALL = """import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in {numbers}:
    result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    assert (result, ctypes.get_errno()) == (-1, {errno}), (number, result, ctypes.get_errno())
"""


def not_listed() -> list[int]:
    """Return the numbers below `NUMBERS` that the lists do not have: those of the running kernel and of later ones."""
    listed = syscalls.numbers(platform.machine(), syscalls.ALLOWED | syscalls.ASKED)
    return sorted(set(range(NUMBERS)) - set(listed.values()) - OF_THE_TRAMPOLINE)


def test_every_call_that_is_not_on_the_list_is_refused(template):
    assert say(template, EVERY_CALL.format(numbers=not_listed(), errno=errno.EPERM)) is None


def test_it_is_the_filter_that_refuses_every_call(template):
    """Some calls would fail with the same error without a filter, for want of rights."""
    names = [name_of(number, platform.machine()) for number in not_listed()]
    assert {"listmount", "statmount", "mount", "bpf", "number 1000"} <= set(names)
    work = f"import ctypes\nlibc = ctypes.CDLL(None)\nfor n in {not_listed()}:\n    libc.syscall(n, 0, 0, 0, 0, 0, 0)"
    assert doctor.refused_calls(template, work) == names


@pytest.mark.parametrize("number", sorted(OF_THE_TRAMPOLINE))
def test_a_call_that_no_filter_sees_ends_the_process_or_fails(template, number):
    code = CALL.format(number=number, arguments="0, 0, 0") + "assert result == -1"
    try:
        assert say(template, code) is None
    except wire.WireClosed:
        return


def test_no_call_of_this_kernel_is_beyond_the_numbers_that_are_tried():
    beyond = EVERY_CALL.format(numbers=list(range(NUMBERS - 400, NUMBERS)), errno=errno.ENOSYS)
    subprocess.run([sys.executable, "-c", beyond], check=True)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
@pytest.mark.parametrize("name", sorted(syscalls.ASKED.keys() - {"clone3"}))
def test_a_call_with_wrong_arguments_is_refused(template, name):
    number = syscalls.numbers("x86_64", syscalls.ASKED)[name]
    wrong = ", ".join([str(os.O_DIRECT | 77)] * 4)
    assert say(template, REFUSED.format(number=number, arguments=wrong, errno=errno.EPERM)) is None


SHOOT = """import contextlib, fcntl, os, signal, socket, struct, sys
from inside import syscalls
victim = int(sys.argv[1])
assert sys.argv[2] == "free" or syscalls.install(sealed=False)
F_SETSIG, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP, FIOASYNC = 10, 15, 0x8901, 0x8902, 0x5452
aims = {
    "own": lambda fd: fcntl.fcntl(fd, fcntl.F_SETOWN, victim),
    "own_ex": lambda fd: fcntl.fcntl(fd, F_SETOWN_EX, struct.pack("ii", 1, victim)),
    "ioctl": lambda fd: fcntl.ioctl(fd, FIOSETOWN, struct.pack("i", victim)),
    "group": lambda fd: fcntl.ioctl(fd, SIOCSPGRP, struct.pack("i", victim)),
}
triggers = {
    "flag": lambda fd: fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC),
    "ioctl": lambda fd: fcntl.ioctl(fd, FIOASYNC, struct.pack("i", 1)),
}
reader, writer = socket.socketpair()
for step in (aims[sys.argv[3]], lambda fd: fcntl.fcntl(fd, F_SETSIG, int(signal.SIGKILL)), triggers[sys.argv[4]]):
    with contextlib.suppress(OSError):
        step(reader.fileno())
writer.send(b"x")
"""


@pytest.mark.parametrize("trigger", ["flag", "ioctl"])
@pytest.mark.parametrize("aim", ["own", "own_ex", "ioctl", "group"])
def test_no_descriptor_sends_signals_to_another_process(aim, trigger):
    """The filter by itself: no namespace, and no Landlock of a version that knows of signals, stands behind it."""
    alive = {}
    for walls in ("free", "filtered"):
        with subprocess.Popen(["sleep", "60"]) as victim:
            try:
                command = [sys.executable, "-c", SHOOT, str(victim.pid), walls, aim, trigger]
                subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(warm.INSIDE.parent)})
                with contextlib.suppress(subprocess.TimeoutExpired):
                    victim.wait(0.5)
                alive[walls] = victim.poll() is None
            finally:
                victim.kill()
    assert alive == {"free": False, "filtered": True}


#: Calls that are allowed, aimed at something else than this process or asking for something else: number and arguments
#: on x86_64.
AIMED_ELSEWHERE = {
    "clone of a thread with a table of descriptors of its own": (56, "0x10b00, 0, 0, 0, 0"),
    "clone of a thread in namespaces of its own": (56, "0x30f00, 0, 0, 0, 0"),
    "clone of a thread with a descriptor of it": (56, "0x11f00, 0, 0, 0, 0"),
    "fcntl F_SETLEASE": (72, "0, 1024, 0"),
    "fcntl F_NOTIFY": (72, "0, 1026, 1"),
    "fcntl F_SETFL with O_ASYNC": (72, "0, 4, 0o24000"),
    "fcntl F_SETFL with O_DIRECT": (72, "0, 4, 0o44000"),
    "open with O_DIRECT": (2, "b'/dev/null', 0o40000, 0"),
    "openat with O_DSYNC": (257, "-100, b'/dev/null', 0o10001, 0"),
    "openat with O_SYNC": (257, "-100, b'/dev/null', 0o4010001, 0"),
    "kill with the signal that tells an end by the system": (62, "libc.getpid(), 9"),
    "tgkill with the same": (234, "libc.getpid(), libc.getpid(), 9"),
    "prlimit64 of process 2": (302, "2, 0, 0, 0"),
    "ioctl FS_IOC_SETFLAGS": (16, "0, 0x40086602, 0"),
    "ioctl SIOCGIFCONF": (16, "3, 0x8912, 0"),
    "ioctl SIOCGSKNS": (16, "3, 0x894c, 0"),
    "ioctl TIOCSTI": (16, "0, 0x5412, 0"),
    "close_range with a table of descriptors of its own": (436, "99, 100, 2"),
    "setsockopt SO_ATTACH_FILTER": (54, "3, 1, 26, 0, 0"),
    "getsockopt SO_PEERCRED": (55, "3, 1, 17, b'0' * 12, b'\\x0c\\0\\0\\0'"),
    "getsockopt SO_PEERPIDFD": (55, "3, 1, 77, b'0' * 4, b'\\x04\\0\\0\\0'"),
    "clock_gettime of the processor time of process 2": (228, "(~2 << 3) | 2, b'1234567812345678'"),
    "clock_getres of the processor time of process 2": (229, "(~2 << 3) | 2, 0"),
    "clock_nanosleep on the processor time of process 2": (230, "(~2 << 3) | 2, 0, 0, 0"),
    "sched_getaffinity of process 2": (204, "2, 128, b'0' * 128"),
    "sched_getscheduler of process 2": (145, "2"),
    "getpgid of process 2": (121, "2"),
    "getsid of process 2": (124, "2"),
    "getpriority of process 2": (140, "0, 2"),
    "madvise MADV_WILLNEED": (28, "0, 0, 3"),
    "madvise MADV_COLD": (28, "0, 0, 20"),
    "madvise MADV_PAGEOUT": (28, "0, 0, 21"),
    "madvise MADV_POPULATE_READ": (28, "0, 0, 22"),
    "sendto of a byte out of turn": (44, "3, b'x', 1, 1, 0, 0"),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
@pytest.mark.parametrize("name", AIMED_ELSEWHERE)
def test_an_allowed_call_is_refused_where_it_aims_elsewhere(template, name):
    number, arguments = AIMED_ELSEWHERE[name]
    assert say(template, REFUSED.format(number=number, arguments=arguments, errno=errno.EPERM)) is None


#: Calls that tell which pages of a file are in memory, or change that. Each would be a note from one run to the next.
OF_THE_PAGE_CACHE = {
    "mincore": (27, "0, 0, 0"),
    "getrusage": (98, "0, b'0' * 144"),
    "readahead": (187, "0, 0, 0"),
    "fadvise64": (221, "0, 0, 0, 4"),
    "sync_file_range": (277, "0, 0, 0, 0"),
    "preadv2": (327, "0, 0, 0, 0, 0, 8"),
    "process_madvise": (440, "0, 0, 0, 4, 0"),
    "cachestat": (451, "0, 0, 0, 0"),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
@pytest.mark.parametrize("name", OF_THE_PAGE_CACHE)
def test_nothing_tells_which_pages_of_a_file_are_in_memory_or_changes_it(template, name):
    number, arguments = OF_THE_PAGE_CACHE[name]
    assert name_of(number, "x86_64") == name
    assert say(template, REFUSED.format(number=number, arguments=arguments, errno=errno.EPERM)) is None


def test_what_an_allocator_advises_about_its_own_memory_is_allowed(template):
    code = (
        "import mmap\nown = mmap.mmap(-1, 2**21, flags=mmap.MAP_PRIVATE)\n"
        "for name in ('DONTNEED', 'FREE', 'DONTFORK', 'DOFORK', 'DONTDUMP', 'DODUMP'):\n"
        "    own.madvise(getattr(mmap, 'MADV_' + name))\nown[0] = 1"
    )
    assert say(template, code) is None


SENDS_A_DESCRIPTOR = """import socket
one, other = socket.socketpair()
one.send(b"x")
try:
    socket.send_fds(one, [b"x"], [0])
except PermissionError:
    pass
else:
    raise AssertionError("a descriptor was sent")
"""


def test_no_descriptor_is_sent(template):
    """The kernel counts those under way by user: too many, and the grader's processes could send none either."""
    assert say(template, SENDS_A_DESCRIPTOR) is None


TO_A_SOCKET = """import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    def connected():
        one = socket.socket(socket.AF_UNIX, kind)
        one.connect({path!r})
        return one
    def pair():
        one, kept[:] = (both := socket.socketpair(socket.AF_UNIX, kind))[0], both
        return one
    kept = []
    for made in (connected, pair):
        for send in ("sendto", "sendmsg"):
            try:
                one = made()
                one.sendto(b"x", {path!r}) if send == "sendto" else one.sendmsg([b"x"], [], 0, {path!r})
            except OSError:
                pass
"""


def test_no_socket_of_this_machine_is_reached(template, tmp_path_factory):
    folder = tmp_path_factory.mktemp("s")
    heard = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        path = str(folder / str(int(kind)))
        with socket.socket(socket.AF_UNIX, kind) as one:
            one.bind(path)
            os.chmod(path, 0o777)
            one.settimeout(0.2)
            if kind != socket.SOCK_DGRAM:
                one.listen()
            # Outside of the walls it is reached.
            exec(TO_A_SOCKET.format(path=path), {})
            outside = hears(one, kind)
            assert outside, kind
            while hears(one, kind):
                pass
            assert say(template, TO_A_SOCKET.format(path=path)) is None
            heard += [kind] if hears(one, kind) else []
    assert heard == []


def hears(one: socket.socket, kind: int) -> bool:
    """Return whether somebody sent or connected to a socket."""
    with contextlib.suppress(TimeoutError):
        if kind == socket.SOCK_DGRAM:
            return bool(one.recv(10))
        one.accept()[0].close()
        return True
    return False


CHANGES = """import os
for name in {names}:
    for change in (
        lambda: os.chmod(name, 0o777),
        lambda: os.utime(name, (1, 1)),
        lambda: os.fchmod(os.open(name, os.O_RDONLY), 0o777),
        lambda: os.utime(os.open(name, os.O_RDONLY), (1, 1)),
    ):
        try:
            change()
        except OSError:
            pass
"""


def test_mode_and_times_of_a_file_of_this_machine_stay(template, tmp_path_factory):
    marks, module = tmp_path_factory.mktemp("files") / "marks", Path(sysconfig.get_path("purelib")) / "six.py"
    marks.write_text("1")
    before = [(path.stat().st_mode, path.stat().st_mtime_ns) for path in (marks, module)]
    try:
        assert say(template, CHANGES.format(names=[str(marks), str(module)])) is None
        assert [(path.stat().st_mode, path.stat().st_mtime_ns) for path in (marks, module)] == before
    finally:
        module.chmod(before[1][0])
        os.utime(module, ns=(before[1][1], before[1][1]))


#: Set mode and times to what they are: harmless where it is let through, and seen by the time of the last change.
SAME = """import contextlib, os
def changed(name):
    was = os.lstat(name)
    changes = (
        lambda one: os.chmod(one, was.st_mode & 0o7777),
        lambda one: os.utime(one, ns=(was.st_atime_ns, was.st_mtime_ns)),
    )
    for change in changes:
        with contextlib.suppress(OSError):
            change(name)
        with contextlib.suppress(OSError):
            opened = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
            try:
                change(opened)
            finally:
                os.close(opened)
    return os.lstat(name).st_ctime_ns != was.st_ctime_ns
"""
ON_ALL = """
import glob
places = [{shown}, "/", os.getcwd(), *glob.glob("/*"), *glob.glob("/run/*"), *glob.glob("/dev/*")]
found = [one for one in map(os.path.realpath, places) if os.path.lexists(one) and changed(one)]
assert "/dev/full" in places and found == [], found
"""


def test_mode_and_times_stay_on_all_that_is_mounted_devices_above_all(template, tmp_path):
    exec(SAME + "assert changed(place)", {"place": str(tmp_path)})  # outside of the walls it is noticed
    nodes = [Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty")]
    nodes = [node for node in nodes if node.exists()]
    before = [(node.stat().st_mode, node.stat().st_ctime_ns) for node in nodes]
    shown = ", ".join(repr(path) for path in (*template.seen.shown, *map(str, nodes)))
    assert say(template, SAME + ON_ALL.format(shown=shown)) is None
    assert [(node.stat().st_mode, node.stat().st_ctime_ns) for node in nodes] == before


TOLD = """import errno, os
asked = (
    os.listxattr,
    os.statvfs,
    lambda name: os.getxattr(name, "user.x"),
    lambda name: os.listxattr(name, follow_symlinks=False),
    lambda name: os.getxattr(name, "user.x", follow_symlinks=False),
    lambda name: os.fstatvfs(os.open(name, os.O_PATH)),
)
for number, ask in enumerate(asked):
    try:
        told = ask({name!r})
    except OSError as error:
        assert error.errno in (errno.ENOENT, errno.ENOTSUP, errno.ENOSYS), (number, error)
    else:
        raise SystemError((number, told))
"""


def test_what_is_noted_about_a_file_of_this_machine_is_not_told(template, tmp_path_factory):
    marks = tmp_path_factory.mktemp("files") / "marks"
    marks.write_text("1")
    assert say(template, TOLD.format(name=str(marks))) is None


def test_reading_a_file_notes_no_time_on_it_that_others_are_told(template):
    old = time.time() - 3 * 86_400
    files = [Path(sysconfig.get_path("purelib"), name) for name in ("six.py", "typing_extensions.py")]
    for file in files:
        os.utime(file, (old, file.stat().st_mtime))
    files[0].read_bytes()
    if files[0].stat().st_atime == old:
        pytest.skip("this file system notes no times of reading")
    assert say(template, f"assert open({str(files[1])!r}).read()") is None
    assert abs(files[1].stat().st_atime - old) < 1


def test_a_lock_of_a_library_s_file_holds_up_no_program_of_this_machine(template):
    module = sysconfig.get_path("purelib") + "/six.py"
    code = f"import fcntl\nheld = open({module!r})\nfcntl.flock(held, fcntl.LOCK_EX)"
    pair = Pair(template, isolate.Limits())
    try:
        wire.send(pair.student, {"source": code, "name": "cell", "cpu_s": 60.0, "wall_s": 60.0, "rescue": False})
        assert wire.receive(pair.student, deadline=time.monotonic() + 60)["error"] is None
        with open(module) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        pair.end()


DEVICES = """import os
found = [{shared!r}, *(os.path.join(folder, name) for folder, _, names in os.walk("/dev") for name in names)]
for path in found[:]:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        found.remove(path)
names = ("null", "zero", "full", "random", "urandom")
assert set(found) <= {{"/dev/" + name for name in names}}, found
"""


def test_the_machine_s_network_is_not_to_be_read(template):
    code = "import os\nfor one in ('net/dev', 'net/unix', 'mountinfo'):\n    try: open(f'/proc/self/{one}').read()\n"
    assert say(template, code + "    except OSError: continue\n    raise SystemError(one)") is None


def test_devices_are_those_that_hold_nothing(template):
    shared = Path("/dev/shm") / f"canary-{os.getpid()}"
    try:
        shared.write_text("of another program")
    except OSError:
        pytest.skip("no /dev/shm here")
    try:
        assert say(template, DEVICES.format(shared=str(shared))) is None
    finally:
        shared.unlink()


@pytest.mark.parametrize(
    "code",
    [
        "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()",
        "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *a: None)\nos.kill(os.getpid(), signal.SIGUSR1)",
        "import resource\nresource.getrlimit(resource.RLIMIT_AS)",
        "import socket\na, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1) == b'x'",
        "import concurrent.futures as f\nassert list(f.ThreadPoolExecutor(2).map(abs, [-1])) == [1]",
        "import asyncio\nassert asyncio.run(asyncio.sleep(0, 3)) == 3",
        "import pathlib, shutil, tempfile\nf = pathlib.Path(tempfile.mkdtemp()) / 'a'\nf.write_text('x')\n"
        "f.rename(f.with_name('b'))\nf.with_name('b').chmod(0o600)\nf.with_name('b').touch()\n"
        "shutil.copy(f.with_name('b'), f)\nassert f.stat().st_size == 1\nshutil.rmtree(f.parent)",
        "import numpy as np\nnp.save('a.npy', np.ones(3))\nassert np.load('a.npy', mmap_mode='r').sum() == 3",
        "import numpy as np\nm = np.memmap('m', 'f8', 'w+', shape=3)\nm[:] = 1\nm.flush()",
        "import pathlib, shutil\npathlib.Path('d').mkdir()\npathlib.Path('d/a').write_text('x')\n"
        "shutil.copy2('d/a', 'b')\nshutil.copytree('d', 'e')",
        "import time, os\ntime.sleep(0.01)\nassert os.cpu_count() and os.getcwd() and os.urandom(3) and os.uname()",
        "import os\nassert os.nice(3) >= 3",
        "import os\nassert os.sched_getaffinity(0) and os.getsid(0) >= 0 and os.getpriority(os.PRIO_PROCESS, 0) >= 0",
        "import time\nassert min(time.clock_gettime(c) for c in (0, 1, 2, 3, 4, 7)) >= 0 and time.thread_time() > 0",
        "import fcntl, os\nr, w = os.pipe2(os.O_NONBLOCK)\nos.set_blocking(r, True)\nassert os.get_blocking(r)\n"
        "assert fcntl.fcntl(w, fcntl.F_GETPIPE_SZ) and fcntl.fcntl(r, fcntl.F_DUPFD_CLOEXEC, 9) >= 9\n"
        "os.set_inheritable(r, True)\nf = open('locked', 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)\nassert not f.isatty()",
        "import array, fcntl, os\nr, w = os.pipe()\nos.write(w, b'abc')\na = array.array('i', [0])\n"
        "fcntl.ioctl(r, 0x541b, a)\nassert a[0] == 3",
        "import socket\na, b = socket.socketpair()\na.settimeout(1)\n"
        "a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 9999)",
        # What takes memory that nothing counts does nothing: larger buffers, and locks of parts of a file.
        "import socket\na, _ = socket.socketpair()\nwas = a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)\n"
        "a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 26)\n"
        "assert a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == was",
        "import fcntl, struct\none, other = open('l', 'w'), open('l', 'w')\n"
        "lock = struct.pack('hhqqi4x', 1, 0, 0, 9, 0)\n"
        "fcntl.fcntl(one, 37, lock)\nassert struct.unpack('h', fcntl.fcntl(other, 36, lock)[:2]) == (fcntl.F_UNLCK,)",
        # No other program has a process's own files.
        "import fcntl\nfile = open('l', 'w')\nfcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\nassert file.write('x')",
        "import os\nfile = open('f', 'w')\nfile.write('x')\nos.fsync(file.fileno())\nos.fdatasync(file.fileno())",
        "import resource\nassert resource.getrlimit(11) == (64, 64)",
        # Whoever raises a limit for deeper recursion goes on; the limits stay.
        "import resource\nwas = resource.getrlimit(7)\nresource.setrlimit(7, (111, 111))\n"
        "assert resource.getrlimit(7) == was",
        "import select, os\nr, w = os.pipe()\nos.write(w, b'x')\nassert select.select([r], [], [], 1)[0] == [r]",
    ],
)
def test_what_plain_code_needs_is_on_the_list(template, code):
    assert say(template, code) is None


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "limits"])
def test_temporary_files_are_in_the_process_s_own_folder(level):
    """The warm process may have chosen a folder: importing Keras does."""
    code = "import os, tempfile\nfolder = tempfile.mkdtemp()\nassert os.path.dirname(folder) == os.getcwd()"
    options = {"isolation": "limits"} if level == "limits" else {}
    with warm.Template("import tempfile\ntempfile.gettempdir()", at_most=level, **options) as template:
        assert say(template, code) is None


def test_both_machines_allow_the_same():
    x86, arm = (syscalls.numbers(m, syscalls.ALLOWED | syscalls.ASKED) for m in ("x86_64", "aarch64"))
    # An old call that aarch64 does without has a younger one there, which is allowed as well.
    younger = {
        "open": "openat", "creat": "openat", "stat": "newfstatat", "lstat": "newfstatat", "access": "faccessat",
        "readlink": "readlinkat", "getdents": "getdents64", "mkdir": "mkdirat", "rmdir": "unlinkat",
        "unlink": "unlinkat", "rename": "renameat", "link": "linkat", "symlink": "symlinkat", "chmod": "fchmodat",
        "utime": "utimensat", "utimes": "utimensat", "pipe": "pipe2", "dup2": "dup3", "poll": "ppoll",
        "select": "pselect6", "epoll_create": "epoll_create1", "epoll_wait": "epoll_pwait", "getpgrp": "getpgid",
        "pause": "ppoll", "alarm": "setitimer", "time": "gettimeofday",
    }  # fmt: skip
    assert set(x86) - set(arm) == set(younger)
    assert set(younger.values()) <= set(arm) <= set(x86)
    for table in (x86, arm):
        assert len(set(table.values())) == len(table)
    for name in ("memfd_create", "ptrace", "execve", "fork", "unshare", "mount", "bpf", "io_uring_setup", "setns"):
        assert name not in x86


@pytest.mark.parametrize(
    ("machine", "header", "prefix"),
    [
        ("x86_64", "x86_64-linux-gnu/asm/unistd_64.h", r"__NR_"),
        ("aarch64", "asm-generic/unistd.h", r"__NR(?:3264)?_"),
    ],
)
def test_the_numbers_are_those_of_the_kernel(machine, header, prefix):
    path = Path("/usr/include") / header
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    kernel = {m[1]: int(m[2]) for m in re.finditer(rf"#define {prefix}(\w+)\s+(\d+)\b", path.read_text())}
    kernel.setdefault("newfstatat", kernel.get("fstatat"))
    ours = syscalls.numbers(machine, syscalls.ALLOWED | syscalls.ASKED)
    assert ours == {name: kernel.get(name) for name in ours}


def test_messages_and_filter_agree_on_the_names():
    for machine in ("x86_64", "aarch64"):
        for name, number in syscalls.numbers(machine, syscalls.ALLOWED | syscalls.ASKED).items():
            assert name_of(number, machine) == name
    assert name_of(319, "x86_64") == name_of(279, "aarch64") == "memfd_create"
    assert name_of(9999, "x86_64") == name_of(9999, "riscv64") == "number 9999"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are the numbers of x86_64")
def test_calls_that_are_refused_are_named_and_the_work_goes_on(template):
    code = f"{CALL.format(number=319, arguments='0, 0')}{CALL.format(number=999, arguments=0)}open('own', 'w').close()"
    assert doctor.refused_calls(template, code) == ["memfd_create", "number 999"]


@pytest.mark.parametrize("level", ["bubblewrap", "landlock"])
def test_doctor_names_the_call_that_a_library_lacks(tmp_path, monkeypatch, level):
    inside = tmp_path / "inside"
    shutil.copytree(warm.INSIDE, inside)
    listed = (inside / "syscalls.py").read_text()
    shorter = re.sub(r'"getdents64": \(\d+, \d+\),', "", listed)
    assert shorter != listed
    (inside / "syscalls.py").write_text(shorter)
    monkeypatch.setattr(warm, "INSIDE", inside)
    found = doctor.examine(at_most=level)
    name = "a file of its own"
    assert found.sound
    assert not found.usable
    assert found.refused == {name: ["getdents64"]}
    assert "system calls that are not allowed: getdents64" in doctor.report(found)
    assert "HONEST WORK FAILS" in doctor.report(found)


@pytest.fixture
def without_walls(tmp_path, monkeypatch):
    """A machine that has neither bubblewrap nor Landlock."""
    inside = tmp_path / "inside"
    shutil.copytree(warm.INSIDE, inside)
    text = (inside / "isolate.py").read_text()
    without = re.sub(r"return version if version >= _LL_LEAST else 0", "return 0", text)
    assert without != text
    (inside / "isolate.py").write_text(without)
    monkeypatch.setattr(warm, "INSIDE", inside)
    monkeypatch.setattr(warm, "bubblewrap", lambda: None)
    monkeypatch.setattr(isolate, "landlock_version", lambda: 0)


@pytest.mark.parametrize(("offered", "used"), [(-1, 0), (1, 0), (2, 0), (3, 3), (7, 7)])
def test_a_landlock_that_lets_files_be_emptied_is_none(monkeypatch, offered, used):
    monkeypatch.setattr(isolate, "_LIBC", SimpleNamespace(syscall=lambda *asked: offered))
    assert isolate.landlock_version() == used


def test_when_memory_is_used_up_a_submissions_processes_are_the_first_to_end(template):
    """Inside bubblewrap there is no /proc to ask, so this asks from outside."""
    pair = Pair(template, isolate.Limits())
    try:
        mine = [p.pid for p in psutil.Process().children(recursive=True)]
        scores = [Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in mine]
    finally:
        pair.end()
    # The larger of the two: the side of the tests may hold much of what somebody else's answer sent.
    assert scores.count("1000") == 2
    assert len(scores) > 2


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Return what starts a warm process that reads how many processes the kernel took from a file of ours."""
    inside = tmp_path / "inside"
    shutil.copytree(warm.INSIDE, inside)
    text = (inside / "watching.py").read_text()
    ours = text.replace('_COUNTS = "/proc/vmstat"', '_COUNTS = os.path.join(os.path.dirname(__file__), "vmstat")')
    assert ours != text
    (inside / "watching.py").write_text(ours)
    monkeypatch.setattr(warm, "INSIDE", inside)

    @contextlib.contextmanager
    def start(level):
        with warm.Template("import json", isolation=level or "best", at_most=level or "bubblewrap") as template:
            counts = Path(template.folder, "runner", "inside", "vmstat")
            counts.write_text("pgfault 17\noom_kill 3\n")
            yield template, counts

    return start


def _kill(pair, side):
    """Kill a side from outside, wait until that is seen, and end the pair at once, as where nobody answers any more."""
    sides = [p for p in psutil.Process().children(recursive=True) if _gives_up(p.pid) == "1000"]
    sides.sort(key=lambda p: p.nice())
    os.kill(sides[side].pid, signal.SIGKILL)
    (pair.trusted, pair.student)[side].recv(1)  # its end is closed
    pair.end(0)


@pytest.mark.parametrize("level", [None, "limits"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_process_that_the_system_ends_is_told_from_one_that_ends_itself(counted, level, side):
    """As the kernel does it when there is no memory left: it counts, and then it kills."""
    with counted(level) as (template, counts):
        pair = Pair(template, isolate.Limits())
        counts.write_text("pgfault 17\noom_kill 4\n")
        _kill(pair, side)
        assert pair.ended == orders.Ended.TAKEN
        pair = Pair(template, isolate.Limits())
        counts.write_text("pgfault 17\noom_kill 5\n")
        pair.end_student()  # from outside as well, but by us
        pair.end(0)
        assert pair.ended == orders.Ended.KILLED


@pytest.mark.parametrize("level", [None, "limits"])
def test_what_the_kernel_has_not_counted_was_not_taken(counted, level):
    """Else whoever finds a way to be killed could be judged again."""
    with counted(level) as (template, counts):
        for left in ("oom_kill 3\n", ""):
            pair = Pair(template, isolate.Limits())
            counts.write_text(left)
            _kill(pair, 1)
            assert pair.ended in {orders.Ended.SIGNAL, orders.Ended.KILLED}


def test_the_kernels_own_count_is_read(monkeypatch, tmp_path):
    told = re.search(r"^oom_kill (\d+)$", Path(watching._COUNTS).read_text(), re.M)
    taken = watching.Taken()
    assert taken._read() == int(told[1] if told else 0)
    taken.close()
    monkeypatch.setattr(watching, "_COUNTS", str(tmp_path / "nowhere"))
    taken = watching.Taken()
    assert not taken.more()
    taken.close()


#: Runs an answer that takes memory until the kernel ends it, in a process that may have little of it.
FILLS = """import os, sys, time
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
from grader.sandbox import warm
from grader.sandbox.inside import isolate, wire
from grader.sandbox.pair import Pair

with warm.Template("import json", isolation=sys.argv[2], at_most=sys.argv[2]) as template:
    pair = Pair(template, isolate.Limits())
    fill = "held = []\\nwhile True:\\n    held.append(bytearray(b'1' * 10**7))"
    wire.send(pair.student, {"source": fill, "name": "a", "cpu_s": 60.0, "wall_s": 60.0, "rescue": False})
    try:
        wire.receive(pair.student, deadline=time.monotonic() + 60)
    except wire.WireClosed:
        pair.end(0)
        print(pair.ended)
"""


@pytest.fixture
def little_memory():
    """A control group of 500 MiB, in the older or in the newer form."""
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(root, f"little-{os.getpid()}")
        try:
            group.mkdir()
            (group / limit).write_text(str(500 * 2**20))
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        yield group
        group.rmdir()
        return
    pytest.skip("nobody may make a control group here")


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "limits"])
def test_a_process_that_takes_all_memory_is_told_from_one_that_ends_itself(little_memory, level):
    """By the kernel's own means, since where it counts is out of sight behind the walls."""
    done = subprocess.run([sys.executable, "-c", FILLS, little_memory, level], capture_output=True, text=True)
    assert done.stdout.split() == [orders.Ended.TAKEN], done.stderr[-2000:]


def _gives_up(pid):
    return Path(f"/proc/{pid}/oom_score_adj").read_text().strip()


#: A limit of CPU time, which the kernel enforces by the same signal.
OVER_A_LIMIT = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile time.process_time() < 2: pass"


@pytest.mark.parametrize(
    "code",
    [
        "os.kill(os.getpid(), 9)",
        "signal.raise_signal(9)",
        "os._exit(137)",
        "os.abort()",
        pytest.param(OVER_A_LIMIT + "\nraise PermissionError", id="over-a-limit"),
    ],
)
def test_nobody_ends_itself_as_the_system_does(template, code):
    pair = Pair(template, isolate.Limits())
    message = {"source": f"import os, signal, time\n{code}", "name": "a", "cpu_s": 9, "wall_s": 60, "rescue": False}
    message |= {"plain": True, "draw": False, "beside": [], "beside_s": 0}
    wire.send(pair.student, message, deadline=time.monotonic() + 9)
    with contextlib.suppress(wire.WireError):  # it has ended, or hangs
        assert "PermissionError" in str(wire.receive(pair.student, deadline=time.monotonic() + 60))
    pair.end(0)
    assert pair.ended != orders.Ended.TAKEN


def test_a_process_whose_first_thread_has_left_has_not_ended(template):
    pair = Pair(template, isolate.Limits())
    leaves = "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    leaves += "ctypes.CDLL(None).syscall(60, 0)"
    message = {"source": leaves, "name": "a", "cpu_s": 9, "wall_s": 600, "rescue": False, "plain": True}
    wire.send(pair.student, message | {"draw": False, "beside": [], "beside_s": 0})
    deadline = time.monotonic() + 60
    while not any(p.status() == "zombie" and p.nice() > 0 for p in psutil.Process().children(recursive=True)):
        assert time.monotonic() < deadline, "it does not leave"
        time.sleep(0.05)
    pair.end(0)
    assert pair.ended == orders.Ended.KILLED


def test_limits_alone_have_to_be_asked_for_by_name(without_walls):
    with (
        warm.Template("import json") as template,
        pytest.raises(IsolationNotReached, match="'best' was asked for, this machine reaches 'limits'"),
    ):
        Pair(template, isolate.Limits())
    with warm.Template("import json", isolation="limits") as template:
        pair = Pair(template, isolate.Limits())
        assert pair.isolation["level"] == "limits"
        pair.end()


def test_doctor_reports_a_machine_without_walls(without_walls):
    found = doctor.examine(imports="import json")
    assert found.level == "limits"
    assert "look into the home folder" in {name for name, (stopped, _) in found.probes.items() if not stopped}
    assert any("install bubblewrap" in line for line in found.advice)


def test_doctor_does_honest_work_behind_the_walls():
    found = doctor.examine(imports="import numpy\nimport matplotlib.pyplot")
    assert found.usable, doctor.report(found)
    assert found.sound, doctor.report(found)
    assert list(found.work) == ["arithmetic", "a file of its own", "linear algebra", "a figure"]
    assert found.refused == {}
