"""One submission leaves a trace wherever it can; the next one, and the one beside it, look for each and find none.

Every kind of trace is a statement that leaves it and an expression that sees it. What sees it must see it: within one
process, and between processes without walls.
"""

import contextlib
import json
import mmap
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from hostile.kinds.protocol import RUNNER

from grader.sandbox import warm
from grader.sandbox.inside import isolate, wire
from grader.sandbox.pair import Pair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marking needs Linux")

TOKEN = f"planted-{secrets.token_hex(6)}"
IMPORTS = (
    "import atexit, codecs, ctypes, gc, json, linecache, logging, os, random, re, signal, socket\n"
    "import sys, tempfile, threading, time, warnings, _posixshmem, builtins, matplotlib\nimport numpy as np\n"
)
#: numpy.random is named since numpy imports it late; the course's notebooks have it from Keras.
WARM = "import numpy as np\nimport numpy.random\nimport matplotlib"

#: Within the process that leaves them: name, statement that leaves it, expression that sees it.
INSIDE = {
    "variable": ("planted = 1", "'planted' in globals()"),
    "object": ("kept = type('Planted', (), {})()", "any(type(o).__name__ == 'Planted' for o in gc.get_objects())"),
    "module": ("sys.modules['planted'] = sys", "'planted' in sys.modules"),
    "name in numpy": ("np.planted = 1", "hasattr(np, 'planted')"),
    "function of numpy": ("np.allclose = lambda *a, **k: True", "np.allclose.__name__ == '<lambda>'"),
    "function of a library that marking uses": ("json.planted = json.dumps", "hasattr(json, 'planted')"),
    "function of the protocol": (
        "sys.modules['inside.wire'].loads = lambda *a, **k: None",
        "sys.modules['inside.wire'].loads.__name__ == '<lambda>'",
    ),
    "builtin": ("builtins.planted = 1", "hasattr(builtins, 'planted')"),
    "search path": ("sys.path.insert(0, 'planted')", "'planted' in sys.path"),
    "import hook": (
        "sys.meta_path.append(type('PlantedFinder', (), {'find_spec': lambda *a, **k: None})())",
        "any(type(f).__name__ == 'PlantedFinder' for f in sys.meta_path)",
    ),
    "recursion limit": ("sys.setrecursionlimit(7777)", "sys.getrecursionlimit() == 7777"),
    "codec": (
        "codecs.register(lambda name: codecs.lookup('utf-8') if name == 'planted' else None)",
        "codecs.lookup('planted') is not None",
    ),
    "line cache": ("linecache.cache['planted'] = (1, None, ['x'], 'planted')", "'planted' in linecache.cache"),
    "log handler": (
        "logging.getLogger().addHandler(type('PlantedHandler', (logging.NullHandler,), {})())",
        "any(type(h).__name__ == 'PlantedHandler' for h in logging.getLogger().handlers)",
    ),
    "warning filter": (
        "warnings.filterwarnings('ignore', message='planted')",
        "any(f[1] is not None and f[1].pattern == 'planted' for f in warnings.filters)",
    ),
    "environment variable": ("os.environ['PLANTED'] = '1'", "'PLANTED' in os.environ"),
    "variable of the C library": (
        "os.putenv('PLANTED_C', '1')",
        "(setattr(ctypes.CDLL(None).getenv, 'restype', ctypes.c_char_p), ctypes.CDLL(None).getenv)[1](b'PLANTED_C')",
    ),
    "time zone": (
        "os.environ['TZ'] = 'PLANTED-3'\n    time.tzset()",
        "time.tzname[0] == 'PLANTED'",
    ),
    "state of random": ("random.seed(7)", "random.getstate() == random.Random(7).getstate()"),
    "state of numpy.random": (
        "np.random.seed(7)",
        "np.array_equal(np.random.get_state()[1], np.random.RandomState(7).get_state()[1])",
    ),
    "numpy's way with errors": ("np.seterr(all='raise')", "np.geterr()['divide'] == 'raise'"),
    "numpy's way of printing": ("np.set_printoptions(precision=3)", "np.get_printoptions()['precision'] == 3"),
    "setting of matplotlib": (
        "matplotlib.rcParams['lines.linewidth'] = 77",
        "matplotlib.rcParams['lines.linewidth'] == 77",
    ),
    "variable of the shell": ("get_ipython().user_ns['planted_there'] = 1", "'planted_there' in get_ipython().user_ns"),
    "magic": (
        "get_ipython().register_magic_function(print, magic_name='planted')",
        "get_ipython().find_line_magic('planted') is not None",
    ),
    "transformer of cells": (
        "get_ipython().input_transformers_post.append(lambda lines: lines)",
        "len(get_ipython().input_transformers_post) > 0",
    ),
    "thread": (
        "threading.Thread(target=time.sleep, args=(60,), daemon=True, name='planted').start()",
        "any(t.name == 'planted' for t in threading.enumerate())",
    ),
    "signal handler": (
        "signal.signal(signal.SIGUSR1, lambda *a: None)",
        "signal.getsignal(signal.SIGUSR1) is not signal.SIG_DFL",
    ),
    "blocked signal": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])",
        "signal.SIGUSR2 in signal.pthread_sigmask(signal.SIG_BLOCK, [])",
    ),
    "timer": ("signal.setitimer(signal.ITIMER_VIRTUAL, 3000)", "signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0"),
    "open descriptor": ("os.dup2(os.open('.', os.O_RDONLY), 90)", "os.fstat(90) is not None"),
    "priority": ("os.nice(15)", "os.nice(0) >= 15"),
    "mask of file modes": ("os.umask(0o123)", "(lambda old: (os.umask(old), old)[1])(os.umask(0)) == 0o123"),
    "file in the scratch folder": ("open('planted', 'w').close()", "os.path.exists('planted')"),
    "file among the temporary ones": (
        f"open(os.path.join(tempfile.gettempdir(), '{TOKEN}'), 'w').close()",
        f"os.path.exists(os.path.join(tempfile.gettempdir(), '{TOKEN}'))",
    ),
}
#: For others to find on the machine. What is behind walls cannot even leave most of them.
OUTSIDE = {
    "file in the home folder": (
        f"open(os.path.expanduser('~/{TOKEN}'), 'w').close()",
        f"os.path.exists(os.path.expanduser('~/{TOKEN}'))",
    ),
    "file in /tmp": (f"open('/tmp/{TOKEN}', 'w').close()", f"os.path.exists('/tmp/{TOKEN}')"),
    "shared memory": (
        f"_posixshmem.shm_open('/{TOKEN}', os.O_CREAT | os.O_RDWR, mode=0o600)",
        f"_posixshmem.shm_open('/{TOKEN}', os.O_RDONLY, mode=0) > 0",
    ),
    "socket with a name": (
        f"kept_socket = socket.socket(socket.AF_UNIX)\n    kept_socket.bind('\\0{TOKEN}')\n    kept_socket.listen()",
        f"socket.socket(socket.AF_UNIX).connect('\\0{TOKEN}') is None",
    ),
}
KINDS = INSIDE | OUTSIDE
PLANT = (
    f"{IMPORTS}\nleft = []\n"
    + "\n".join(
        f"try:\n    {leave}\n    left.append({name!r})\nexcept OSError:\n    pass" for name, (leave, _) in KINDS.items()
    )
    + "\nprint(json.dumps(left))"
)
LOOK = (
    f"{IMPORTS}\nseen = []\n"
    + "\n".join(
        f"try:\n    if {see}:\n        seen.append({name!r})\nexcept (OSError, LookupError):\n    pass"
        for name, (_, see) in KINDS.items()
    )
    + "\n"
)
#: Random numbers that nobody seeded, and the keys that are made from them.
DRAW = """
import json, os, random, secrets, tempfile, uuid
import numpy as np
drawn = [random.random(), float(np.random.random()), float(np.random.default_rng().random()), uuid.uuid4().hex]
drawn += [secrets.token_hex(8), next(tempfile._get_candidate_names())]
"""


@pytest.fixture(scope="module")
def template():
    with warm.Template(WARM) as template:
        yield template


@pytest.fixture(autouse=True)
def nothing_is_left_here():
    yield
    for folder in ("/tmp", "/dev/shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{folder}/{TOKEN}")


@contextlib.contextmanager
def pair_of(line):
    pair = Pair(line, isolate.Limits())
    try:
        yield pair
    finally:
        pair.end()


def student(pair, code):
    """Run a cell on the student's side; give what it printed."""
    message = {"source": code, "name": "cell", "cpu_s": 30.0, "wall_s": 60.0, "rescue": False}
    wire.send(pair.student, message)
    reply = wire.receive(pair.student)
    assert reply["error"] is None, reply["error"]
    return json.loads(reply["text"])


def trusted(pair, code, value):
    """Run code on the trusted side, which shows nothing; give a value through an error's message."""
    source = f"{code}\nimport json\nraise AssertionError(json.dumps({value}))"
    wire.send(pair.trusted, {"do": "locked", "source": source, "name": "cell", "wall_s": 60.0})
    return json.loads(wire.receive(pair.trusted)["message"])


def look(pair):
    return set(student(pair, LOOK + "print(json.dumps(seen))"))


# The control: the traces can be seen ----------------------------------------------------------------------------------


def test_within_one_process_every_trace_is_seen(template):
    with pair_of(template) as pair:
        assert look(pair) == set()
        left = set(student(pair, PLANT))
        assert left >= set(INSIDE)
        assert look(pair) == left


def test_without_walls_the_next_one_sees_what_lies_about():
    with warm.Template(WARM, at_most="limits") as template, pair_of(template) as one, pair_of(template) as other:
        assert set(student(one, PLANT)) == set(KINDS)
        assert look(other) == set(OUTSIDE)


# Between submissions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_most", ["bubblewrap", "landlock"])
def test_the_next_submission_and_the_one_beside_it_see_nothing(template, at_most):
    with contextlib.ExitStack() as stack:
        line = template if at_most == "bubblewrap" else stack.enter_context(warm.Template(WARM, at_most=at_most))
        before = stack.enter_context(pair_of(line))
        with pair_of(line) as one:
            assert set(student(one, PLANT)) >= set(INSIDE)
            with pair_of(line) as beside:
                assert look(beside) == set(), "in a process that was forked while the other one ran"
            assert look(before) == set(), "in a process that was there before"
            assert trusted(one, LOOK.replace("get_ipython()", "__import__('IPython').get_ipython()"), "seen") == []
        for _ in range(2):
            with pair_of(line) as following:
                assert look(following) == set(), "in the next process"


def test_other_workers_see_nothing(template):
    twin = template.twin()
    try:
        with pair_of(template) as one:
            assert set(student(one, PLANT)) >= set(INSIDE)
            with pair_of(twin) as other:
                assert look(other) == set()
        with pair_of(twin) as one:
            student(one, PLANT)
        with pair_of(template) as other:
            assert look(other) == set()
    finally:
        twin.close()


def test_workers_that_ended_leave_no_process_behind():
    with warm.Template("import json") as line:
        own = psutil.Process(line._process.pid)
        twins = [line.twin() for _ in range(3)]
        before = len(own.children(recursive=True))
        for twin in twins:
            twin.close()
        for _ in range(100):  # they end by themselves, and are taken leave of when something else is asked
            with pair_of(line):
                pass
            if len(own.children(recursive=True)) == before - 3:
                break
            time.sleep(0.05)
        assert len(own.children(recursive=True)) == before - 3


SHARED = """
import json
lines = open('/proc/self/maps').read().splitlines()
shared = [line for line in lines if line.split()[1][:2] == 'rw' and line.split()[1][3] == 's']
"""


def test_no_memory_is_shared_that_can_be_written_to(template):
    with pair_of(template) as pair:
        lines, shared = student(pair, f"{SHARED}\nprint(json.dumps([len(lines), shared]))")
    assert lines > 100
    assert shared == []
    own = {}
    with mmap.mmap(-1, 4096):  # the control
        exec(SHARED, own)
    assert own["shared"]


def test_each_process_has_only_its_sockets_open(template):
    code = (
        "import json, os\nopen_ones = []\nfor fd in range(128):\n    try:\n        os.fstat(fd)\n"
        "        open_ones.append(fd)\n    except OSError:\n        pass\nprint(json.dumps(open_ones))"
    )
    with pair_of(template) as one, pair_of(template) as two:
        assert student(one, code) == student(two, code) == [0, 1, 2, 3, 4]


# Random numbers -------------------------------------------------------------------------------------------------------


def test_nobody_gets_the_random_numbers_of_another(template):
    drawn = []
    for _ in range(3):
        with pair_of(template) as pair:
            drawn.append(student(pair, DRAW + "print(json.dumps(drawn))"))
            drawn.append(trusted(pair, DRAW, "drawn"))
    assert len(drawn[0]) == 6
    for values in zip(*drawn, strict=True):
        assert len(set(values)) == len(drawn), "a student could foresee a test's numbers, or a classmate's"


def test_without_new_seeds_numpy_gives_every_fork_the_same():
    code = """
import os, sys
import numpy as np
import numpy.random
sys.path.insert(0, sys.argv[1])
from inside import isolate
for fresh in (False, False, True, True):
    if os.fork() == 0:
        if fresh:
            isolate.fresh_seeds()
        print(np.random.random(), flush=True)
        os._exit(0)
    os.wait()
"""
    command = [sys.executable, "-c", code, str(warm.INSIDE.parent)]
    numbers = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert numbers[0] == numbers[1]
    assert len({numbers[0], *numbers[2:]}) == 3


@pytest.mark.slow
def test_keras_and_tensorflow_give_each_process_numbers_of_its_own():
    code = """
import json, os
import keras, tensorflow as tf
drawn = [float(keras.random.normal(())), float(tf.random.normal(()))]
drawn += [float(tf.random.get_global_generator().normal(()))]
drawn += [float(keras.layers.Dense(1)(keras.ops.ones((1, 1)))[0, 0])]
"""
    with warm.Template("import os\nimport numpy as np\nimport keras\nimport tensorflow as tf") as template:
        drawn = []
        for _ in range(2):
            with pair_of(template) as pair:
                drawn.append(student(pair, code + "print(json.dumps(drawn))"))
                drawn.append(trusted(pair, code, "drawn"))
    assert len(drawn[0]) == 4
    for values in zip(*drawn, strict=True):
        assert len(set(values)) == len(drawn)


# The warm process -----------------------------------------------------------------------------------------------------


def warm_pid(template):
    """Find the warm process itself: it runs below bubblewrap."""
    waiting = [template._process.pid]
    while waiting:
        pid = waiting.pop()
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if words[0] == sys.executable.encode():
            return pid
        waiting += [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    raise AssertionError("no warm process")


def state_of(pid):
    """Give what is seen of a process from outside: threads, mapped files, descriptors, children, folder, mask."""
    status = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line
    )
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {
        "threads": status["Threads"],
        "mapped files": sorted({line.split(maxsplit=5)[5] for line in maps if len(line.split(maxsplit=5)) > 5}),
        "descriptors": sorted(os.listdir(f"/proc/{pid}/fd"), key=int),
        "children": Path(f"/proc/{pid}/task/{pid}/children").read_text(),
        "folder": os.readlink(f"/proc/{pid}/cwd"),
        "signals": (status["SigBlk"], status["SigCgt"], status["SigIgn"]),
        "mask": status["Umask"],
    }


MODULES = "import json, sys\nprint(json.dumps(sorted(sys.modules)))"


def test_hostile_code_that_looks_for_the_runners_modules_finds_them(template):
    with pair_of(template) as pair:
        found = student(pair, f"{RUNNER}import json\nprint(json.dumps([m.__name__ for m in hostile_modules()]))")
    assert set(found) >= {f"inside.{name}" for name in ("wire", "student", "trusted", "isolate", "template")}


def test_a_students_files_are_not_found_as_modules(template):
    code = "import json, os, sys\nopen('wire.py', 'w').write('1/0')\nprint(json.dumps([os.getcwd(), *sys.path]))"
    with pair_of(template) as pair:
        own, first, *others = student(pair, code)
        assert own not in (first, *others)
        assert "" not in others
        assert student(pair, f"import inside, json\nprint(json.dumps(inside.__path__ == [{first!r} + '/inside']))")


def test_the_warm_process_is_the_same_before_and_after(template):
    with pair_of(template) as pair:
        modules = student(pair, MODULES)
    pid = warm_pid(template)
    before = state_of(pid)
    assert int(before["threads"]) <= 2
    with pair_of(template) as pair:
        student(pair, PLANT)
        during = student(pair, "import json, sqlite3, xml.dom.minidom\n" + MODULES)
        assert set(during) - set(modules) >= {"sqlite3", "xml.dom.minidom"}, "the control: it imports something new"
        assert state_of(pid) | {"children": "", "descriptors": ""} == before | {"children": "", "descriptors": ""}
    deadline = time.monotonic() + 10
    while state_of(pid) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert state_of(pid) == before
    with pair_of(template) as pair:
        assert student(pair, MODULES) == modules


def test_the_warm_process_is_never_told_what_a_student_wrote(monkeypatch):
    told = []

    class Listening(warm.Template):
        def _ask(self, message, descriptors=None):
            told.append(message)
            return super()._ask(message, descriptors)

    with Listening("import json") as template, pair_of(template) as pair:
        student(pair, f"import json\nword = {TOKEN!r}\nprint(json.dumps(word))")
        trusted(pair, f"word = {TOKEN!r}", "word")
    assert [sorted(message) for message in told] == [["limits", "role", "spawn"]] * 2 + [["end", "wait_s"]] * 2
    assert TOKEN not in json.dumps(told)
    assert {message.get("role") for message in told} == {"student", "trusted", None}
