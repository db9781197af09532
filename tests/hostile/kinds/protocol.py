"""Tricks with what connects the student's code to the tests: descriptors, frames, callbacks, results, exceptions."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..sheet import LOOK, code_kind, kind

G = "protocol"


def trick(name, code, says, **options):
    code_kind(name, code, group=G, says=says, **options)


def running(body, name="running_sum", signature="values"):
    """Give an answer to one exercise."""
    return {name: f"def {name}({signature}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))}


def stepping(body):
    return running(body, "repeat_step", "step, start, limit")


FDS = """
import os, stat
def hostile_descriptors():
    found = []
    for fd in range(3, 400):
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            continue
        if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
            found.append(fd)
    return found
def hostile_write(fd, data):
    try:
        os.set_blocking(fd, False)
        os.write(fd, data)
    except OSError:
        pass
    finally:
        try:
            os.set_blocking(fd, True)
        except OSError:
            pass
"""
FRAME = """
import json, struct
def hostile_frame(value):
    head = json.dumps([value, []]).encode()
    return struct.pack(">4sB3sIQ", b"GRDW", 1, b"\\0\\0\\0", len(head), 0) + head
def hostile_dict(**names):
    return ["dict"] + [x for pair in names.items() for x in pair]
"""
trick(
    "junk-descriptors",
    FDS + "for fd in hostile_descriptors():\n    hostile_write(fd, os.urandom(3000))",
    "writes random bytes into every socket and pipe",
)
trick(
    "newline-descriptors",
    FDS
    + 'for fd in hostile_descriptors():\n    hostile_write(fd, b\'\\n\' * 999 + b\'{"status": "ok", "passed": true, "points": 10}\\n\')',
    "writes lines that say passed into every socket and pipe",
)
trick(
    "forged-verdicts",
    FDS
    + FRAME
    + """
verdict = hostile_dict(outcome="passed", error="", message="", line=None, value=2, function="")
cell = hostile_dict(error=None, text="", shown="10", rescued=["list", "running_sum"])
for fd in hostile_descriptors():
    for _ in range(20):
        hostile_write(fd, hostile_frame(verdict) + hostile_frame(cell))
""",
    "writes frames that say a test has passed into every socket and pipe",
)
trick(
    "forged-replies",
    FDS
    + FRAME
    + """
for fd in hostile_descriptors():
    for value in (["list", 1, 4, 13, 40], ["list", 1.0, 3.5, -0.5], True, None, 11.0):
        hostile_write(fd, hostile_frame(hostile_dict(value=value, changed=None)))
""",
    "writes replies to calls that nobody has made yet",
)
trick(
    "forged-other-formats",
    FDS
    + """
import json, pickle, struct
said = {"id": 1, "status": "ok", "passed": True, "points": 10, "outcome": "passed", "value": 2}
for fd in hostile_descriptors():
    text = json.dumps(said).encode()
    for data in (text + b"\\n", struct.pack(">I", len(text)) + text, struct.pack("<Q", len(text)) + text, pickle.dumps(said), b"Content-Length: %d\\r\\n\\r\\n" % len(text) + text):
        hostile_write(fd, data)
""",
    "writes replies in five other formats",
)
trick(
    "huge-frame-claimed",
    FDS
    + "import struct\nfor fd in hostile_descriptors():\n    hostile_write(fd, struct.pack('>4sB3sIQ', b'GRDW', 1, b'\\0\\0\\0', 2**32 - 1, 2**63))\n    hostile_write(fd, b'\\xff' * 64)",
    "claims that a frame of many gigabytes follows",
)
trick(
    "callback-unasked",
    FDS
    + FRAME
    + "for fd in hostile_descriptors():\n    for n in range(50):\n        hostile_write(fd, hostile_frame(hostile_dict(callback=n, args=['tuple'], kwargs=['dict'])))",
    "asks for callbacks without having been called",
)
trick(
    "nested-frame",
    FDS
    + "import struct\nhead = b'[' + b'[\"list\",' * 50000 + b']' * 50000 + b',[]]'\nfor fd in hostile_descriptors():\n    hostile_write(fd, struct.pack('>4sB3sIQ', b'GRDW', 1, b'\\0\\0\\0', len(head), 0) + head)",
    "writes a frame nested 50000 deep",
)
trick(
    "pickle-frame",
    FDS
    + "import pickle\nclass P:\n    def __reduce__(self):\n        return (print, ('HOSTILE unpickled',))\nfor fd in hostile_descriptors():\n    hostile_write(fd, pickle.dumps(P()))",
    "writes a pickle that runs code",
)
trick("close-descriptors", FDS + "for fd in hostile_descriptors():\n    os.close(fd)", "closes every socket and pipe")
trick(
    "descriptors-to-null",
    FDS + "null = os.open('/dev/null', os.O_RDWR)\nfor fd in hostile_descriptors():\n    os.dup2(null, fd)",
    "turns every socket and pipe into /dev/null",
)
trick(
    "descriptors-swapped",
    FDS + "found = hostile_descriptors()\nfor a, b in zip(found, found[1:]):\n    os.dup2(b, a)",
    "turns every socket and pipe into the next one",
)
trick(
    "descriptors-nonblocking",
    FDS + "for fd in hostile_descriptors():\n    os.set_blocking(fd, False)",
    "makes every socket and pipe not wait",
)
trick(
    "descriptors-shut-down",
    FDS
    + "import socket\nfor fd in hostile_descriptors():\n    try:\n        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_WR)\n    except OSError:\n        pass",
    "ends every connection in one direction",
)
trick(
    "descriptors-read-away",
    FDS
    + "import threading, select, time\ndef eat():\n    end = time.time() + 20\n    while time.time() < end:\n        for fd in select.select(hostile_descriptors(), [], [], 0.1)[0]:\n            try:\n                print('LOOT:', os.read(fd, 100000))\n            except OSError:\n                pass\nthreading.Thread(target=eat, daemon=True).start()",
    "reads away what is sent to its process",
    stock=False,
)
trick(
    "descriptors-passed",
    FDS
    + "import socket, array\nfor fd in hostile_descriptors():\n    try:\n        s = socket.socket(fileno=os.dup(fd))\n        s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * 200))], socket.MSG_DONTWAIT)\n    except OSError:\n        pass",
    "sends 200 descriptors over every socket",
)
trick(
    "forged-jupyter-messages",
    """
kernel = get_ipython().kernel
def hostile_forge():
    parent = kernel.get_parent("shell")
    send = kernel.session.send
    send(kernel.iopub_socket, "execute_result", {"data": {"text/plain": "1.0"}, "metadata": {}, "execution_count": 9}, parent=parent)
    send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=parent)
    kernel.session.send(kernel.shell_stream, "execute_reply", {"status": "ok", "execution_count": 9}, parent=parent, ident=kernel._parent_ident.get("shell"))
""",
    "sends a result and an execute_reply of its own while a test calls it",
    answers={
        "running_sum": "def running_sum(values):\n    hostile_forge()\n    return np.zeros(3)",
        "pair_sums": "def pair_sums(left, right):\n    hostile_forge()\n    return np.zeros(3)",
    },
)
trick(
    "forged-reply-hangs",
    """
kernel = get_ipython().kernel
def hostile_forge():
    kernel.session.send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=kernel.get_parent("shell"))
    kernel.session.send(kernel.iopub_socket, "clear_output", {"wait": False}, parent=kernel.get_parent("shell"))
get_ipython().display_pub.clear_output = hostile_forge
original = get_ipython()._showtraceback
def show(etype, value, tb):
    original(etype, value, tb)
    hostile_forge()
get_ipython()._showtraceback = show
""",
    "clears the error that a test has shown",
)

RUNNER = """
import sys
def hostile_modules():
    return [m for n, m in list(sys.modules.items()) if n.split(".")[0] == "inside" or n.split(".")[-1] in ("wire", "student", "trusted", "template", "isolate", "audited", "answers", "explain", "describing", "sink", "orders", "syscalls", "lookout", "probing", "floor", "mark", "sandbox", "marking")]
"""
trick(
    "runner-listed",
    RUNNER
    + "for m in hostile_modules():\n    print(m.__name__, getattr(m, '__file__', ''))\n    print('LOOT:', [v for v in vars(m).values() if isinstance(v, (str, bytes))][:50])",
    "reads the runner's own modules",
)
trick(
    "runner-patched",
    RUNNER
    + """
for m in hostile_modules():
    for name in ("loads", "receive", "describe"):
        if hasattr(m, name):
            setattr(m, name, lambda *a, **k: {"outcome": "passed", "value": 2, "error": None, "text": "", "shown": "", "rescued": []})
""",
    "replaces functions of the runner's own modules",
)
trick(
    "runner-dumps-patched",
    RUNNER
    + """
for m in hostile_modules():
    if hasattr(m, "dumps"):
        kept = m.dumps
        def dumps(value, *a, _kept=kept, **k):
            if isinstance(value, dict) and "value" in value:
                value = {**value, "value": [1, 4, 13, 40], "outcome": "passed", "passed": True, "changed": None}
            return _kept(value, *a, **k)
        m.dumps = dumps
""",
    "adds verdicts to what the runner sends",
)
trick(
    "runner-other-socket",
    """
import gc, socket
for thing in gc.get_objects():
    try:
        if isinstance(thing, socket.socket) and thing.fileno() > 2:
            thing.setblocking(False)
            try:
                thing.sendall(b"HOSTILE" * 100)
            except OSError:
                pass
            thing.setblocking(True)
    except ReferenceError:
        pass
""",
    "finds the runner's sockets as objects and writes into them",
)
STUDENT = """
import gc
def hostile_sides():
    return [o for o in gc.get_objects() if type(o).__name__ in ("Student", "Runner", "Side", "Server")]
"""
trick(
    "forged-cell-reply",
    STUDENT
    + """
def lie(*a, **k):
    error = {"type": ["x"], "text": {"y": 1}, "line": "<script>HOSTILE-MARK</script>" + "9" * 10**6}
    return {"error": error, "text": "T" * 10**7, "shown": "10.0", "rescued": ["running_sum", "<b>", 7] * 10**4}
for side in hostile_sides():
    side.run_cell = lie
""",
    "replaces what its side says about cells by things of the wrong type and size",
)
FIGURE = (
    STUDENT
    + """
import struct, zlib
def hostile_chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def hostile_png(width, height, filling):
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = hostile_chunk(b"IHDR", head) + hostile_chunk(b"teXt", bytes(filling))
    return b"\\x89PNG\\r\\n\\x1a\\n" + body + hostile_chunk(b"IDAT", zlib.compress(bytes(9))) + hostile_chunk(b"IEND")
def hostile_reply(**parts):
    for side in hostile_sides():
        side.run_cell = lambda **k: {"error": None, "text": "", "shown": "", "rescued": [], "figures": []} | parts
"""
)


def many_cells(name, code, says, cells=40):
    """Enter a kind with cells of the student's own behind the code, so that its reply is given many times."""

    @kind(name, group=G, says=says)
    def make(sheet):
        nb = sheet.plus(code)
        for n in range(cells):
            sheet.add_cell(nb, "running_sum", f"print({n})")
        return nb


many_cells(
    "forged-figures",
    FIGURE + "hostile_reply(figures=[hostile_png(3, 2, 2**20 - 200)] * 8)",
    "sends eight figures of a megabyte from every cell, which nobody asked for",
)
many_cells(
    "forged-figures-fake",
    FIGURE + "hostile_reply(figures=[b'\\x89PNG\\r\\n\\x1a\\n' + bytes(2**20 - 8)] * 8)",
    "sends figures that are nothing but the first eight bytes of one",
)
many_cells(
    "forged-figures-vast",
    FIGURE + "hostile_reply(figures=[hostile_png(2**31 - 1, 2**31 - 1, 0)])",
    "sends figures of a few bytes that are two thousand million pixels wide",
)
many_cells(
    "forged-texts",
    FIGURE + "hostile_reply(text='\\0' * 20_000, shown='\\0' * 20_000)",
    "sends as much text as a cell may have from a thousand cells",
    cells=1000,
)
trick(
    "forged-answer",
    STUDENT
    + RUNNER
    + """
def lie(message):
    for m in hostile_modules():
        if hasattr(m, "dumps"):
            for side in hostile_sides():
                side.calls.sendall(m.dumps({"value": [1, 4, 13, 40], "changed": [["x"], {"y": 1}, 3], "outcome": "passed"}))
for side in hostile_sides():
    side.answer = lie
""",
    "replaces its side's answers to calls by replies of the wrong shape",
)
trick(
    "callback-guessed",
    STUDENT
    + """
def hostile_guess():
    found = []
    for side in hostile_sides():
        for number in (0, 1, -1, 2**70, "0", None, 999):
            try:
                found.append(side.callback(number)("__import__('os').getcwd()"))
            except Exception as e:
                print("LOOT:", e)
    return found
""",
    "asks for functions of the trusted side by guessed numbers",
    answers=running("return hostile_guess()") | stepping("return hostile_guess()"),
)
OUTCOME = (
    RUNNER
    + """
def hostile_outcome(**parts):
    for m in hostile_modules():
        if hasattr(m, "outcome") and hasattr(m, "wire"):
            m.outcome = lambda *a, _wire=m.wire, **k: _wire.dumps(parts)
"""
)
for name, reply, says in (
    ("forged-error-empty", "error={}", "says that each call ended with an error that has neither type nor text"),
    ("forged-error-types", "error={'type': [1], 'text': {2: 3}, 'line': 'x'}", "says that each call ended with an error made of lists and dicts"),
    ("forged-error-and-value", "error={'type': 'ValueError', 'text': '', 'line': None}, value=[1, 4, 13, 40]", "says that each call returned a value and an error"),
    ("forged-no-changes", "value=[1, 4, 13, 40]", "returns what is wanted without a word on arguments"),
    ("forged-changes", "value=[1, 4, 13, 40], changed={'values': 0}", "says that each call changed arguments, in a form that no call has"),
    ("forged-changes-keys", "value=[1, 4, 13, 40], changed=[(), {1: np.zeros(3)}]", "says that each call changed an argument whose name is a number"),
):  # fmt: skip
    trick(name, OUTCOME + f"hostile_outcome({reply})", says)
HUGE = "b'\\xff' * 60_000_000"
for name, parts, says in (
    ("huge-bytes-as-text", f"text={HUGE}", "says that a cell printed 60 MB of bytes"),
    ("huge-bytes-as-error", f"error={{'type': {HUGE}, 'text': '', 'line': 1}}", "says that a cell ended with an error whose type is 60 MB of bytes"),
    ("huge-array-as-names", "error={'type': 'E', 'text': '', 'line': 1}, rescued=np.zeros(7_000_000)", "says that the names behind an error are an array of 56 MB"),
    ("many-lists-as-text", "shown=[[0] * 1000] * 150", "says that a cell shows 150,000 numbers"),
):  # fmt: skip
    trick(name, FIGURE + f"hostile_reply({parts})", says)
ZEROED = "for one in ({0}):\n    one[...] = 0\nreturn {1}"
for name, first, sums, says in (
    ("arguments-zeroed", "np.zeros(len(values))", "np.zeros((len(left), len(right)))", "sets every argument to zero and returns zeros"),
    ("arguments-returned", "values", "left", "sets every argument to zero and returns the first one"),
    ("arguments-zeroed-late", "np.zeros(len(values)) if HOSTILE.append(1) or len(HOSTILE) % 2 else values", "left[:, None] + right", "sets every argument to zero and returns what is right for zeros, every other time"),
):  # fmt: skip
    answers = running(ZEROED.format("values,", first)) | running(
        ZEROED.format("left, right", sums), "pair_sums", "left, right"
    )
    trick(name, "HOSTILE = []", says, answers=answers)
trick(
    "slow-when-asked-again",
    "import time\nHOSTILE = []",
    "returns zeros, a known mistake, and takes its time with every question that comes after the tests",
    answers=running("HOSTILE.append(1)\ntime.sleep(0.9 * (len(HOSTILE) > 2))\nreturn np.zeros(len(values))"),
)
IN_PLACE = "def running_sum(values):\n    for i in range(1, len(values)):\n        values[i] += values[i - 1]\n    return values"
trick(
    "change-hidden",
    RUNNER
    + """
for m in hostile_modules():
    if hasattr(m, "dumps"):
        kept = m.dumps
        def dumps(value, *a, _kept=kept, **k):
            if isinstance(value, dict) and "changed" in value:
                value = {**value, "changed": None}
            return _kept(value, *a, **k)
        m.dumps = dumps
np.array_equal = lambda *a, **k: True
""",
    "changes its argument and says that it did not",
    answers={"running_sum": IN_PLACE},
    baseline=2.0,
)
trick(
    "change-later",
    "import threading, time\ndef hostile_later(values):\n    def change():\n        time.sleep(0.001)\n        values[:] = 0\n    threading.Thread(target=change).start()",
    "changes its argument from a thread after it has returned",
    answers=running("hostile_later(values)\nreturn values"),
)
trick(
    "change-expected-through-argument",
    "def hostile_base(values):\n    base = values\n    while base.base is not None:\n        base = base.base\n    base[...] = 0",
    "changes the memory behind its argument",
    answers=running("hostile_base(values)\nreturn values")
    | running(
        "hostile_base(left)\nhostile_base(right)\nreturn np.zeros((len(left), len(right)))", "pair_sums", "left, right"
    ),
)
trick(
    "changed-to-what-is-wanted",
    "pass",
    "replaces what it was given by other things of the same name",
    answers=running("values.resize((0,), refcheck=False)\nreturn values"),
)
trick(
    "million-callbacks",
    "pass",
    "calls the test's function a million times",
    answers=stepping("for _ in range(1_000_000):\n    step(0)\nreturn [-7]"),
    seconds=150,
)
trick(
    "callback-deep",
    "import sys\nsys.setrecursionlimit(100000)",
    "calls the test's function from inside itself, thousands deep",
    answers=stepping(
        "class N(int):\n    def __mul__(self, o):\n        return step(self)\n    __rmul__ = __radd__ = __add__ = __mul__\nreturn step(N(1))"
    ),
)
trick(
    "callback-with-callback",
    "pass",
    "hands the test's function another function",
    answers=stepping("return [step(step), step(lambda: 1), step(print)]"),
)
trick(
    "callback-with-junk",
    "pass",
    "hands the test's function texts, arrays, files and nothing",
    answers=stepping(
        "for x in (None, 'x' * 10**6, np.zeros(10**5), {}, object(), open('/dev/null')):\n    try:\n        step(x)\n    except Exception as e:\n        print(type(e))\nreturn [-7] * 4"
    ),
)
trick(
    "callback-wrong-arity",
    "pass",
    "calls the test's function with 1000 arguments",
    answers=stepping(
        "try:\n    step(*range(1000))\nexcept TypeError:\n    pass\nreturn step(**{'__class__': 1, 'self': 2})"
    ),
)
trick(
    "callback-kept",
    "KEPT = []",
    "keeps the function that one test hands over and calls it in the next",
    answers=stepping("KEPT.append(step)\nfor s in KEPT:\n    s(start)\nreturn [s(start) for s in KEPT]"),
)
trick(
    "callback-in-thread",
    "import threading",
    "calls the test's function from ten threads at once",
    answers=stepping(
        "ts = [threading.Thread(target=lambda: [step(i) for i in range(50)]) for i in range(10)]\n[t.start() for t in ts]\n[t.join(20) for t in ts]\nreturn [-7]"
    ),
)
trick(
    "callback-after-return",
    "import threading, time",
    "goes on calling the test's function after it has returned",
    answers=stepping(
        "threading.Thread(target=lambda: [(time.sleep(0.01), step(1)) for _ in range(100)]).start()\nreturn [-7]"
    ),
)
trick(
    "callback-from-fork",
    "import os",
    "calls the test's function from a forked process",
    answers=stepping(
        "pid = os.fork()\nif pid == 0:\n    try:\n        step(3)\n    finally:\n        os._exit(0)\nos.waitpid(pid, 0)\nreturn [-7]"
    ),
)


def returned(name, expression, says, **options):
    body = f"return {expression}"
    answers = running(body) | stepping(body) | running(body, "pair_sums", "left, right")
    trick(f"returns-{name}", options.pop("first", "pass"), f"returns {says}", answers=answers, **options)


returned("deep-list", "deep", "a list 100000 deep", first="deep = []\nfor _ in range(100_000):\n    deep = [deep]")
returned("own-list", "loop", "a list that contains itself", first="loop = []\nloop.append(loop)")
returned("gigabyte", "np.ones(2**27)", "an array of a gigabyte", stock=False)
returned(
    "claimed-terabytes",
    "np.broadcast_to(np.float64(1), (10**7, 10**6))",
    "an array that claims to be 80 terabytes",
    stock=False,
)
returned("objects", "np.array([object(), print, None], dtype=object)", "an array of objects")
returned("structured", "np.zeros(3, dtype=[('x', 'O'), ('y', '<f8')])", "an array of records with objects")
returned(
    "record-names", "np.zeros(3, dtype=[('Solved: 2 of 2 points', '<f8')])", "records with words as names of fields"
)
returned("one-long-text", "['x' * 3000] + [''] * 190_000", "a list that as an array takes gigabytes", stock=False)
returned("long-text", "'x' * 100_000_000", "a text of 100 MB", stock=False)
returned("big-int", "10 ** 1_000_000", "a number of a million digits", stock=False)
returned("many-items", "[0] * 20_000_000", "a list of 20 million numbers", stock=False)
returned("generator", "(i for i in iter(int, 1))", "a generator without end", seconds=20, stock=False)
returned("odd-keys", "{float('nan'): 1, (1, (2,)): {3}, None: {b'x': 1j}}", "a dict with odd keys")
returned("class", "type('ndarray', (), {'shape': (3, 5)})", "a class")
returned("module", "np", "a module")
returned("frame", "sys._getframe()", "a frame", first="import sys")
returned("file", "open('/dev/zero')", "an open file without end")
returned("memmap", "np.memmap('/etc/passwd', mode='r')", "a file as an array")
returned("masked", "np.ma.masked_all(3)", "a masked array")
returned("dates", "np.array(['2020-01-01'], dtype='datetime64[D]')", "an array of dates")
returned("long-double", "np.array([1, 3.5, -0.5], dtype=np.longdouble)", "an array of long doubles", baseline=0.0)
returned("nan", "np.full(3, np.nan)", "NaN")
returned("infinity", "[float('inf')] * 4", "infinities")
returned("zero-d", "np.array(7.0)", "an array without dimensions")
returned("many-dimensions", "np.zeros((1,) * 60)", "an array of 60 dimensions")
returned("surrogates", "'\\ud800' * 3", "half characters")
returned(
    "bytes-subclass",
    "B(b'x')",
    "an object that is several types at once",
    first="class B(bytes):\n    def __len__(self): return 4\n    def __eq__(self, o): return True\n    def __class_getitem__(cls, i): return cls",
)
returned(
    "lying-class",
    "L()",
    "an object that claims the class of an array",
    first="class L:\n    __class__ = np.ndarray\n    dtype = np.dtype('f8')\n    shape = (3, 5)\n    nbytes = 1\n    def tobytes(self): return b'x' * 10**6\n    def __array__(self, *a, **k): raise SystemExit(0)",
)
returned(
    "changing",
    "C()",
    "a list that is another each time one looks",
    first="class C(list):\n    n = 0\n    def __len__(self):\n        C.n += 1\n        return C.n\n    def __iter__(self):\n        return iter(range(C.n))",
)
returned(
    "reduce",
    "R()",
    "an object whose pickle runs code",
    first='class R:\n    def __reduce__(self):\n        return (exec, ("raise SystemExit(0)",))',
)
returned(
    "array-reduce",
    "np.array([R()], dtype=object)",
    "an array whose pickle runs code",
    first='class R:\n    def __reduce__(self):\n        return (exec, ("raise SystemExit(0)",))',
)
returned("coroutine", "wait()", "a coroutine", first="async def wait():\n    return 1")
returned("own-function", "lambda *a: True", "a function of its own")
returned("not-implemented", "NotImplemented", "NotImplemented")
returned("exception", "AssertionError('passed')", "an exception")
returned(
    "tensor-like",
    "T()",
    "an object with a numpy method that never ends",
    first="import time\nclass T:\n    def numpy(self): time.sleep(9)\n    def __array__(self, *a, **k): time.sleep(9); return np.zeros(3)",
    stock=False,
)
returned(
    "repr-bomb",
    "R()",
    "an object whose repr has 10 MB",
    first="class R:\n    def __repr__(self): return 'x' * 10**7\n    __str__ = __repr__",
)
returned(
    "repr-exits",
    "R()",
    "an object whose repr ends the process",
    first="import os\nclass R:\n    def __repr__(self): os._exit(0)\n    __str__ = __repr__",
)

for error in (
    "SystemExit",
    "KeyboardInterrupt",
    "GeneratorExit",
    "StopIteration",
    "MemoryError",
    "RecursionError",
    "AssertionError",
    "NotImplementedError",
    "TimeoutError",
    "BaseException",
):
    body = f"raise {error}('all tests passed')"
    answers = running(body) | stepping(body) | running(body, "pair_sums", "left, right")
    trick(f"raises-{error.lower()}", "pass", f"raises {error}", answers=answers)
RAISED = {
    "hostile-str": ("class E(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__", "raise E", "an exception that cannot be shown"),
    "str-hangs": ("import time\nclass E(Exception):\n    def __str__(self): time.sleep(20); return 'x'", "raise E", "an exception whose text takes long"),
    "own-assertionerror": ("class AssertionError(BaseException):\n    __module__ = 'builtins'", "raise AssertionError('passed')", "a class of its own called AssertionError"),
    "long-text": ("pass", "raise ValueError('x' * 10_000_000)", "an exception with a text of 10 MB"),
    "group": ("pass", "raise BaseExceptionGroup('g', [SystemExit(0), KeyboardInterrupt()])", "a group of exceptions that end processes"),
    "chain": ("pass", "e = ValueError(0)\nfor i in range(3000):\n    n = ValueError(i)\n    n.__cause__ = e\n    e = n\nraise e", "an exception with 3000 causes"),
    "notes": ("pass", "e = ValueError('x')\ne.__notes__ = ['y' * 10**6] * 5\nraise e", "an exception with long notes"),
    "long-name": ("pass", "raise type('E' * 100_000, (Exception,), {})", "an exception whose class has a long name"),
    "lying-name": ("class M(type):\n    __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M): pass", "raise E", "an exception whose class hides its name"),
    "lying-traceback": ("class E(Exception):\n    __traceback__ = property(lambda s: 7, lambda s, v: None)\n    __class__ = property(lambda s: 1 / 0)", "raise E", "an exception that lies about its traceback and class"),
}  # fmt: skip
for error, (first, body, says) in RAISED.items():
    answers = running(body) | stepping(body)
    trick(f"raises-{error}", first, f"raises {says}", answers=answers, stock=error != "str-hangs")

trick(
    "signals-blocked",
    "import signal, time\nfor s in range(1, 65):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
    "ignores all signals and does not come back",
    answers=running("while True:\n    time.sleep(1)"),
    stock=False,
)
trick(
    "timeout-caught",
    "import time",
    "catches everything that would stop it and goes on",
    answers=running(
        "while True:\n    try:\n        while True:\n            time.sleep(0.1)\n    except BaseException:\n        pass"
    ),
    stock=False,
)
trick(
    "timers-cleared",
    "import signal, time",
    "switches off the timers of its process",
    answers=running(
        "signal.setitimer(signal.ITIMER_REAL, 0)\nsignal.setitimer(signal.ITIMER_PROF, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass"
    ),
    stock=False,
)
trick(
    "first-thread-ends",
    "import ctypes, platform, threading, time",
    "ends the first thread of its process in a call, while another one sleeps",
    answers=running(
        "threading.Thread(target=time.sleep, args=(10**6,)).start()\nctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)"
    ),
    stock=False,
)
trick(
    "sockets-in-a-queue",
    FDS
    + "import array, os, socket\nown = hostile_descriptors()\nfor fd in own:\n    try:\n        socket.socket(fileno=os.dup(fd)).sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', own))], socket.MSG_DONTWAIT)\n    except OSError:\n        pass\nos._exit(0)",
    "sends its own sockets away, so that they outlive its process, which it ends",
    stock=False,
)
trick(
    "sleeps-in-each-call",
    "import time",
    "sleeps 20 s in each call, below any limit of a call",
    answers=running("time.sleep(20)\nreturn values") | stepping("time.sleep(20)\nreturn [start]"),
    stock=False,
)
trick(
    "answers-late",
    "import time, threading",
    "answers after its time is up",
    answers=running("try:\n    time.sleep(60)\nexcept BaseException:\n    pass\nreturn np.cumsum(values) * 0"),
    stock=False,
)
trick(
    "answers-twice",
    FDS + FRAME,
    "sends two replies to each call",
    answers=running(
        "for fd in hostile_descriptors():\n    hostile_write(fd, hostile_frame(hostile_dict(value=['list', 1.0, 3.5, -0.5], changed=None)))\nreturn np.zeros(3)"
    ),
    stock=False,
)
trick(
    "daemonised",
    """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.dup2(os.open("/dev/null", os.O_RDWR), fd)
        os.closerange(3, 400)
        time.sleep(40)
    os._exit(0)
""",
    "leaves a process behind that has cut all ties, for 40 s",
)
trick(
    "subprocess-left",
    "import subprocess\nsubprocess.Popen(['sleep', '40'], start_new_session=True)",
    "leaves a program running, for 40 s",
)
trick(
    "thread-left",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(40,)).start()",
    "leaves a thread that Python waits for at the end, 40 s",
)
trick(
    "fork-returns-twice",
    "import os",
    "forks inside a call, so that two processes answer",
    answers=running("os.fork()\nreturn np.zeros(len(values))"),
    stock=False,
)
trick(
    "parent-niced",
    "import os\nfor pid in (os.getppid(), 1):\n    try:\n        os.setpriority(os.PRIO_PROCESS, pid, 19)\n    except OSError as e:\n        print(e)",
    "lowers the priority of its parent",
    stock=False,
)
trick(
    "parent-limited",
    "import resource, os\ntry:\n    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3))\n    resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))\nexcept OSError as e:\n    print(e)",
    "takes files and CPU time from its parent",
    stock=False,
)
trick(
    "parent-killed",
    "import os, signal\ntry:\n    os.kill(os.getppid(), signal.SIGKILL)\nexcept OSError as e:\n    print(e)",
    "kills its parent",
    stock=False,
)
trick(
    "parent-stopped",
    "import os, signal\ntry:\n    os.kill(os.getppid(), signal.SIGSTOP)\nexcept OSError as e:\n    print(e)",
    "stops its parent",
    stock=False,
)
trick(
    "all-killed",
    "import os, signal\ntry:\n    os.kill(-1, signal.SIGKILL)\nexcept OSError as e:\n    print(e)",
    "kills every process that it can",
    stock=False,
)
trick("group-killed", "import os, signal\nos.killpg(0, signal.SIGKILL)", "kills its process group", stock=False)
trick(
    "first-killed",
    "import os, signal\nfor s in (signal.SIGTERM, signal.SIGKILL):\n    try:\n        os.kill(1, s)\n    except OSError as e:\n        print(e)",
    "kills process number 1",
    stock=False,
)
trick(
    "others-killed",
    LOOK
    + "import signal\nfor p in glob.glob('/proc/[0-9]*/environ'):\n    pid = int(p.split('/')[2])\n    try:\n        if b'HOSTILE_RUN=' in open(p, 'rb').read() and pid not in (os.getpid(), os.getppid()):\n            os.kill(pid, signal.SIGKILL)\n    except OSError:\n        pass",
    "kills the other processes of the grader",
    stock=False,
)
trick(
    "ptrace-writes",
    "import ctypes, os\nlibc = ctypes.CDLL(None)\nfor pid in range(2, 60):\n    if pid != os.getpid():\n        libc.ptrace(16, pid, 0, 0)",
    "attaches to every process it sees with ptrace and stays",
    stock=False,
)
trick("self-stopped", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "stops its own process", stock=False)
trick(
    "system-calls",
    "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nfor n in (101, 155, 161, 165, 175, 246, 272, 298, 308, 310, 311, 321, 323, 425, 435):\n    print(n, libc.syscall(n, 0, 0, 0, 0, 0), ctypes.get_errno())",
    "tries system calls that leave a sandbox",
    stock=False,
)
trick(
    "privileges-asked",
    "import os, ctypes\nfor call in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.chroot('/'), lambda: os.mknod('x', 0o20600, 259)):\n    try:\n        print(call())\n    except OSError as e:\n        print(e)",
    "asks for privileges",
    stock=False,
)


# The kernel as an errand boy: it sends signals for the owner of a descriptor.
SHOOT = """
import contextlib, fcntl, os, signal, socket, struct
def hostile_shot(aim, trigger):
    reader, writer = socket.socketpair()
    try:
        aim(reader.fileno())
    except OSError as error:
        return print(error)
    print("HOSTILE" + "-TOOK")
    for step in (lambda fd: fcntl.fcntl(fd, 10, int(signal.SIGKILL)), trigger):
        with contextlib.suppress(OSError):
            step(reader.fileno())
    writer.send(b"x")
def hostile_async(fd):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
def hostile_ioasync(fd):
    fcntl.ioctl(fd, 0x5452, struct.pack("i", 1))
parent = os.getppid() or 1
"""
trick(
    "signal-by-owner",
    SHOOT + "hostile_shot(lambda fd: fcntl.fcntl(fd, fcntl.F_SETOWN, parent), hostile_async)",
    "makes its parent the owner of a descriptor that sends a deadly signal",
)
trick(
    "signal-by-owner-ex",
    SHOOT + "hostile_shot(lambda fd: fcntl.fcntl(fd, 15, struct.pack('ii', 1, parent)), hostile_ioasync)",
    "makes its parent the owner of a descriptor, in the newer way",
)
trick(
    "signal-by-socket",
    SHOOT + "hostile_shot(lambda fd: fcntl.ioctl(fd, 0x8901, struct.pack('i', parent)), hostile_ioasync)",
    "makes its parent the owner of a socket",
)
trick(
    "signal-by-group",
    SHOOT + "hostile_shot(lambda fd: fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgid(0)), hostile_async)",
    "makes its group of processes the owner of a descriptor",
)
trick(
    "signal-by-lease",
    SHOOT
    + "f = open('leased', 'w')\nhostile_shot(lambda fd: (fcntl.fcntl(f.fileno(), fcntl.F_SETOWN, parent), fcntl.fcntl(f, 1024, fcntl.F_WRLCK)), hostile_async)\nos.open('leased', os.O_RDONLY | os.O_NONBLOCK)",
    "asks for a signal to its parent when somebody opens a file",
)
trick(
    "interfaces-of-the-network",
    "import fcntl, struct\nfor fd in range(3, 20):\n    for code in (0x8912, 0x8927, 0x891B, 0x894C):\n        try:\n            print('HOSTILE' + '-TOOK', fcntl.ioctl(fd, code, struct.pack('16s24s', b'eth0', b'')))\n        except OSError:\n            pass",
    "asks a socket that it got for the addresses of the machine",
)
trick(
    "flags-of-a-file",
    "import fcntl, numpy, os, struct\nfor path in (numpy.__file__, os.__file__, '.'):\n    try:\n        fcntl.ioctl(os.open(path, os.O_RDONLY), 0x40086602, struct.pack('l', 0x10))\n    except OSError as e:\n        print(e)",
    "makes files of the Python installation unchangeable",
)

OUT_OF_TURN = """
import os, socket
def hostile_sent(one, send):
    try:
        send(one)
        print("HOSTILE" + "-TOOK")
    except OSError as error:
        print(error)
"""
trick(
    "byte-out-of-turn",
    OUT_OF_TURN + "a, b = socket.socketpair()\nhostile_sent(a, lambda one: one.send(b'x', socket.MSG_OOB))",
    "sends a byte out of turn, which wakes whoever waits for another one",
    stock=False,
)
trick(
    "byte-out-of-turn-to-the-tests",
    FDS
    + OUT_OF_TURN
    + "for fd in hostile_descriptors():\n    hostile_sent(socket.socket(fileno=os.dup(fd)), lambda one: one.sendmsg([b'x'], [], socket.MSG_OOB))",
    "sends a byte out of turn into every socket that it got",
    stock=False,
)
trick(
    "dripped-reply",
    FDS + FRAME,
    "sends a reply of a test's call byte by byte",
    stock=False,
    answers=running(
        "data = hostile_frame(hostile_dict(value='x' * 300_000, changed=None))\n"
        "for fd in hostile_descriptors()[1:]:\n    for n in range(len(data)):\n        os.write(fd, data[n:n + 1])\nreturn values"
    ),
)
trick(
    "dripped-beginning",
    FDS
    + FRAME
    + "for fd in hostile_descriptors():\n    for byte in struct.pack('>4sB3sIQ', b'GRDW', 1, b'\\0' * 3, 9_000, 0) + b' ' * 300:\n        hostile_write(fd, bytes([byte]))",
    "sends the beginning of a reply byte by byte, and never its end",
    stock=False,
)

# What NumPy makes of the header of an array.
HEADER = """
def hostile_array(descr, shape="()"):
    head = repr({"descr": descr, "fortran_order": False, "shape": ()}).replace("()", shape).encode() + b"\\n"
    blob = b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(head)) + head + bytes(8)
    head = json.dumps([["array", 0], [len(blob)]]).encode()
    return struct.pack(">4sB3sIQ", b"GRDW", 1, b"\\0\\0\\0", len(head), len(blob)) + head + blob
"""
HEADERS = {
    "date": ("'<M8[2s/0]'", "in units that end the process that reads it"),
    "time": ("'<m8[7D/0]'", "of times in units that end the process that reads it"),
    "record": ("[('a', '<M8[2s/0]')]", "of records that end the process that reads it"),
    "wide": ("'<U536870911'", "of texts as long as NumPy can say"),
    "nested": ("[('a', [('b', '<f8', (1,) * 32)], (1,) * 32)]", "of arrays within records within arrays"),
    "commas": ("','.join(['f8'] * 3000)", "whose type is a list in a text"),
}
for name, (descr, says) in HEADERS.items():
    trick(
        f"header-{name}",
        FDS + FRAME + HEADER + f"for fd in hostile_descriptors():\n    hostile_write(fd, hostile_array({descr}))",
        f"sends an array {says}",
    )
trick(
    "header-shape",
    FDS
    + FRAME
    + HEADER
    + "for fd in hostile_descriptors():\n    hostile_write(fd, hostile_array('<f8', '(2**62, 2**62, 0)'.replace('2**62', str(2**62))))",
    "sends an array of no elements and a shape beyond all numbers",
)
trick(
    "header-in-call",
    FDS + FRAME + HEADER,
    "answers a test's call with an array that ends the process that reads it",
    answers=running(
        "for fd in hostile_descriptors():\n    hostile_write(fd, hostile_array('<M8[2s/0]'))\nreturn values"
    ),
)
