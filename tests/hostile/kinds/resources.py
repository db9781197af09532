"""Tricks with what a machine has: processes, memory, disk, time, output, size of the file."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

import json

from nbformat.v4 import new_output

from ..sheet import code_kind, kind, notebook_bytes

G = "resources"


def take(name, code, says, **options):
    code_kind(name, code, group=G, says=says, **({"stock": False} | options))


take(
    "fork-bomb",
    "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
    "forks without end",
)
take(
    "fork-some",
    "import os, time\nfor _ in range(200):\n    try:\n        if os.fork() == 0:\n            time.sleep(60)\n            os._exit(0)\n    except OSError as e:\n        print(e)\n        break",
    "makes 200 processes that stay",
)
take(
    "thread-bomb",
    "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(999,), daemon=True).start()",
    "makes threads without end",
)
NATIVE = """
import ctypes, mmap, time
libc = ctypes.CDLL(None)
page = mmap.mmap(-1, 4096, prot=7)
page.write(b"\xeb\xfe" if __import__("platform").machine() == "x86_64" else b"\x00\x00\x00\x14")
jump = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
def hostile_threads(count, what):
    attributes, thread = ctypes.create_string_buffer(64), ctypes.c_ulong()
    libc.pthread_attr_init(attributes)
    libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(16384))
    while count and libc.pthread_create(ctypes.byref(thread), attributes, what, None) == 0:
        count -= 1
    return count == 0
def hostile_wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(0.1)
        except BaseException:
            pass
def hostile_had(threads, seconds=4):
    hostile_wait(seconds)
    print("HOSTILE" + "-TOOK" if threads else "no threads")
"""
take(
    "threads-native",
    NATIVE + "hostile_had(hostile_threads(1500, jump))\ntime.sleep(40)",
    "spins in 1500 threads of machine code",
)
take(
    "threads-native-some",
    NATIVE + "hostile_threads(60, jump)\ntime.sleep(15)",
    "spins in as many threads of machine code as are not too many",
)
take("threads-native-idle", NATIVE + "hostile_had(hostile_threads(9000, libc.pause))", "has 9000 threads that wait")
take(
    "threads-native-in-call",
    NATIVE,
    "spins in threads of machine code when a test calls it",
    answers={"running_sum": "def running_sum(values):\n    hostile_threads(1500, jump)\n    time.sleep(9)"},
)
take(
    "threads-hashing",
    "import hashlib, threading, time\nthreading.stack_size(65536)\nfor _ in range(60):\n    threading.Thread(target=hashlib.pbkdf2_hmac, args=('sha256', b'a', b'b', 2**31 - 1), daemon=True).start()\ntime.sleep(15)",
    "hashes in 60 threads while it sleeps",
)
KERNEL = """
import ctypes, fcntl, os, signal, socket, struct, threading
libc = ctypes.CDLL(None)
def hostile_says(took):
    print("HOSTILE" + "-TOOK" if took else "nothing taken")
"""
take(
    "descriptor-tables",
    KERNEL
    + "counts = []\ndef own_table():\n    libc.syscall(436, ctypes.c_uint(5), ctypes.c_uint(2**32 - 1), ctypes.c_uint(2))\n"
    "    pairs = []\n    try:\n        while len(pairs) < 60:\n            pairs.append(socket.socketpair())\n    except OSError:\n        pass\n"
    "    counts.append(2 * len(pairs))\n    gate.wait(20)\ngate = threading.Barrier(5)\n"
    "for _ in range(4):\n    threading.Thread(target=own_table, daemon=True).start()\n"
    "try:\n    gate.wait(20)\nexcept threading.BrokenBarrierError:\n    pass\nhostile_says(sum(counts) > 128)",
    "opens more than its limit by tables of descriptors of its threads' own",
)
take(
    "socket-buffers",
    KERNEL + "sent, pairs = 0, [socket.socketpair() for _ in range(20)]\nfor a, b in pairs:\n    for one in (a, b):\n"
    "        for option in (7, 8, 32, 33):\n            try:\n                one.setsockopt(1, option, 1 << 26)\n            except OSError:\n                pass\n"
    "        one.setblocking(False)\n        try:\n            while True:\n                sent += one.send(b'x' * 65536)\n        except OSError:\n            pass\n"
    "hostile_says(sent > 40 * 2**20)",
    "keeps memory in enlarged buffers of sockets",
)
take(
    "locks-of-parts",
    KERNEL + "one, other = (os.open('locked', os.O_RDWR | os.O_CREAT) for _ in range(2))\n"
    "for n in range(20_000):\n    for command in (37, 6):\n        try:\n            fcntl.fcntl(one, command, struct.pack('hhqqi4x', 1, 0, 2 * n, 1, 0))\n        except OSError:\n            pass\n"
    "held = struct.unpack('h', fcntl.fcntl(other, 36, struct.pack('hhqqi4x', 1, 0, 0, 99_999, 0))[:2])[0]\n"
    "hostile_says(held != fcntl.F_UNLCK)",
    "keeps memory in locks of parts of a file",
)
take(
    "signals-that-wait",
    KERNEL
    + "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN + 3})\nsent = 0\ntry:\n    for _ in range(20_000):\n"
    "        os.kill(os.getpid(), signal.SIGRTMIN + 3)\n        sent += 1\nexcept OSError:\n    pass\n"
    "got = 0\nwhile signal.sigtimedwait({signal.SIGRTMIN + 3}, 0) is not None:\n    got += 1\nhostile_says(got > 100)",
    "has thousands of signals wait, of which a user may have so many",
)
#: A file of Python's own that nothing reads: which of its pages are in memory would be a note for the next run.
PAGES = """
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
path = os.path.join(os.path.dirname(os.__file__), "pydoc_data", "topics.py")
descriptor, size = os.open(path, os.O_RDONLY), 160 * 4096
memory = mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
start, seen = ctypes.c_void_p(np.frombuffer(memory, "u1").ctypes.data), (ctypes.c_ubyte * 160)()
def hostile_call(number, *arguments):
    return libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
def hostile_knows(result):
    print("HOSTILE" + "-TOOK" if result == 0 else os.strerror(ctypes.get_errno()))
"""
for name, asked, says in (
    (
        "mincore",
        "hostile_knows(libc.mincore(start, ctypes.c_size_t(size), seen))",
        "asks which pages of a file of Python's are in memory",
    ),
    (
        "cachestat",
        "hostile_knows(hostile_call(451, descriptor, (ctypes.c_ulong * 2)(0, size), (ctypes.c_ulong * 5)(), 0))",
        "asks how many pages of a file of Python's are in memory",
    ),
    (
        "no-wait",
        "try:\n    os.preadv(descriptor, [bytearray(1)], 4096, os.RWF_NOWAIT)\n    hostile_knows(0)\n"
        "except BlockingIOError:\n    hostile_knows(0)\nexcept OSError as error:\n    print(error)",
        "reads of a file of Python's what is in memory and nothing else",
    ),
    (
        "faults",
        "import resource\ntry:\n    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt\n    memory[4096]\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before)\n    hostile_knows(0)\n"
        "except OSError as error:\n    print(error)",
        "asks whether a page of a file of Python's had to be read from disk",
    ),
    (
        "fadvise",
        "try:\n    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)\n    hostile_knows(0)\n"
        "except OSError as error:\n    print(error)",
        "puts a file of Python's out of memory",
    ),
    (
        "readahead",
        "hostile_knows(hostile_call({'x86_64': 187}.get(os.uname().machine, 213), descriptor, 0, size))",
        "puts a file of Python's into memory",
    ),
    (
        "page-out",
        "hostile_knows(libc.madvise(start, ctypes.c_size_t(size), 21))",
        "puts pages of a file of Python's out of memory by an advice about a map of it",
    ),
    (
        "populate",
        "hostile_knows(libc.madvise(start, ctypes.c_size_t(size), 22))",
        "puts pages of a file of Python's into memory by an advice about a map of it",
    ),
):
    take(f"page-cache-{name}", PAGES + asked, says)
LOCK = """
import fcntl, os
def hostile_lock(path, how):
    one, other = (os.open(path, os.O_RDONLY) for _ in range(2))
    fcntl.flock(one, how)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("nothing taken")
    except OSError:
        print("HOSTILE" + "-TOOK")
"""
take(
    "lock-of-a-library",
    LOCK + "hostile_lock(os.__file__, fcntl.LOCK_EX)",
    "locks a file of Python's, which programs may lock",
)
take("lock-that-is-shared", LOCK + "hostile_lock(os.__file__, fcntl.LOCK_SH)", "locks a file of Python's for reading")
take(
    "lock-of-a-folder", LOCK + "hostile_lock(os.path.dirname(os.__file__), fcntl.LOCK_EX)", "locks a folder of Python's"
)
take("memory-bomb", "x = []\nwhile True:\n    x.append(bytearray(50_000_000))", "takes memory without end")
take(
    "memory-in-call",
    "pass",
    "takes memory without end when a test calls it",
    answers={
        "running_sum": "def running_sum(values):\n    x = []\n    while True:\n        x.append(np.ones(10_000_000))"
    },
)
take(
    "mmap-bomb",
    "import mmap\nx = []\nwhile True:\n    m = mmap.mmap(-1, 100_000_000)\n    m.write(b'x' * 100_000_000)\n    x.append(m)",
    "maps memory without end",
)
take(
    "shm-fill",
    "import os\nn = 0\nwhile True:\n    with open(f'/dev/shm/hostile{n}', 'wb') as f:\n        f.write(b'x' * 50_000_000)\n    n += 1",
    "fills the shared memory",
)
take(
    "memfd-bomb",
    "import os\nx = []\nwhile True:\n    fd = os.memfd_create('x')\n    os.write(fd, b'x' * 50_000_000)\n    x.append(fd)",
    "fills files in memory",
)
take(
    "disk-fill",
    "n = 0\nwhile True:\n    with open(f'fill{n}', 'wb') as f:\n        f.write(b'x' * 50_000_000)\n    n += 1",
    "fills the disk",
)
take(
    "disk-fill-unreadable",
    "import os\nfor n in range(20):\n    os.mkdir(f'w{n}', 0o300)\n    with open(f'w{n}/big', 'wb') as f:\n        f.write(b'1' * 30_000_000)\nimport time\ntime.sleep(2)\nprint('HOSTILE' + '-TOOK')",
    "fills the disk in folders that nobody may read",
)
take(
    "disk-fill-deleted",
    "import os\nheld = []\nfor n in range(100):\n    f = open('held', 'wb')\n    os.unlink('held')\n    f.write(b'1' * 30_000_000)\n    f.flush()\n    held.append(f)\nimport time\ntime.sleep(2)\nprint('HOSTILE' + '-TOOK')",
    "fills the disk with files that it has deleted and keeps open",
)
take(
    "disk-fill-sparse",
    "import os\nfor n in range(4000):\n    fd = os.open(f's{n}', os.O_CREAT | os.O_WRONLY)\n    os.ftruncate(fd, 30_000_000)\n    os.close(fd)",
    "makes files that are large and hold nothing",
)
DEEP = "import os\ntry:\n    for _ in range(3000):\n        os.mkdir('d' * {length}{mode})\n        os.chdir('d' * {length})\nexcept OSError as e:\n    print(e)"
take("folders-deep", DEEP.format(length=1, mode=""), "leaves 3000 folders within each other")
take(
    "folders-deep-long",
    DEEP.format(length=200, mode=""),
    "leaves folders within each other beyond the length of a path",
)
take("folders-deep-unreadable", DEEP.format(length=20, mode=", 0o300"), "leaves deep folders that nobody may read")
take(
    "folders-wide",
    "import os\nfor n in range(60):\n    os.mkdir(f'd{n}')\n    for m in range(60):\n        os.mkdir(f'd{n}/{m}')",
    "leaves thousands of folders beside each other",
)
take(
    "tmp-fill",
    "import tempfile\nwhile True:\n    with tempfile.NamedTemporaryFile(delete=False) as f:\n        f.write(b'x' * 50_000_000)",
    "fills the temporary folder",
)
take("inode-fill", "n = 0\nwhile True:\n    open(f'i{n}', 'w').close()\n    n += 1", "makes empty files without end")
take(
    "descriptor-fill",
    "import os\nx = []\ntry:\n    while True:\n        x.append(os.open('/dev/null', os.O_RDONLY))\nexcept OSError:\n    pass",
    "opens files until there are no more descriptors",
    stock=True,
)
take(
    "pipe-fill",
    "import os\nx = []\nwhile True:\n    r, w = os.pipe()\n    os.set_blocking(w, False)\n    os.write(w, b'x' * 60000)\n    x.append((r, w))",
    "fills pipes without end",
)
take("flood-1", "import os\nwhile True:\n    os.write(1, b'HOSTILE ' * 8000)", "writes to descriptor 1 without end")
take("flood-2", "import os\nwhile True:\n    os.write(2, b'HOSTILE ' * 8000)", "writes to descriptor 2 without end")
take("print-endless", "while True:\n    print('HOSTILE ' * 100)", "prints without end")
take(
    "display-endless",
    "from IPython.display import display\nwhile True:\n    display('HOSTILE ' * 1000)",
    "shows outputs without end",
)
take("print-much", "print('x' * 30_000_000)", "prints 30 MB", stock=True)
take("lines-many", "print('\\n'.join('x' * 3 for _ in range(300_000)))", "prints 300000 lines", stock=True)
take("loop-at-top", "while True:\n    pass", "loops without end before any test")
take(
    "loop-in-function",
    "pass",
    "loops without end when a test calls it",
    stock=True,
    seconds=150,
    answers={"pair_sums": "def pair_sums(left, right):\n    while True:\n        pass"},
)
take("sleep-at-top", "import time\ntime.sleep(10**6)", "sleeps without end")
take("wait-for-input", "input('password? ')", "waits for input", stock=True)
take("wait-for-stdin", "import sys, os\nprint(len(os.read(0, 100)), sys.stdin.read())", "reads what nobody types")
take(
    "wait-for-lock",
    "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "waits for a lock that it holds itself",
)
take(
    "loop-in-repr",
    "class R:\n    def __repr__(self):\n        while True: pass\nR()",
    "shows a value whose repr never ends",
)
take(
    "loop-in-import",
    "import sys\nopen('mod.py', 'w').write('while True: pass')\nsys.path.insert(0, '.')\nimport mod",
    "loops without end in a module that it imports",
)
take(
    "regex",
    "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "runs a regular expression that never ends and cannot be interrupted",
)
take("int-power", "x = 9 ** (9 ** 9)", "works out a power that cannot be interrupted")
take(
    "int-text",
    "import sys\nsys.set_int_max_str_digits(0)\nlen(str(10 ** 3_000_000))",
    "writes out a number of three million digits",
)
take(
    "sort-strange",
    "import functools, itertools\nsum(1 for _ in itertools.permutations(range(14)))",
    "counts permutations for hours",
)
take(
    "stack-overflow",
    "import sys\nsys.setrecursionlimit(10**8)\ndef f():\n    f()\nclass A:\n    __slots__ = ()\n    def __repr__(self): return repr(self)\nx = []\nfor _ in range(10**6):\n    x = [x]\nrepr(x)",
    "overflows the stack of C",
    stock=True,
)
take("segfault", "import ctypes\nctypes.string_at(0)", "crashes its process", stock=True)
take(
    "segfault-in-call",
    "import ctypes",
    "crashes its process when a test calls it",
    stock=True,
    answers={"running_sum": "def running_sum(values):\n    ctypes.string_at(0)"},
)
take("abort", "import os\nos.abort()", "aborts its process, with a memory dump where that is on", stock=True)
take(
    "huge-image",
    "from IPython.display import display\nimport os, base64\ndisplay({'image/png': base64.b64encode(os.urandom(15_000_000)).decode()}, raw=True)",
    "shows a picture of 20 MB",
    stock=True,
)
take(
    "many-images",
    "from IPython.display import display\nfor _ in range(3000):\n    display({'image/png': 'iVBORw0KGgo=' * 50}, raw=True)",
    "shows 3000 pictures",
    stock=True,
)
take(
    "huge-repr",
    "class R:\n    def __repr__(self): return 'x' * 50_000_000\nfrom IPython.display import display\ndisplay(R())",
    "shows a value whose repr has 50 MB",
    stock=True,
)
take(
    "import-heavy",
    "import sys\nsys.setswitchinterval(1e-9)\nimport multiprocessing\nmultiprocessing.set_start_method('fork', force=True)\np = multiprocessing.Pool(8)\np.map(abs, range(100))",
    "starts a pool of eight processes",
    stock=True,
)
take("kernel-restarts", "import os, time\nos.kill(os.getpid(), 9)", "ends its process each time", stock=True)
take(
    "slow-start",
    "import time\nfor _ in range(3):\n    time.sleep(3)",
    "takes nine seconds in front of the tests",
    stock=True,
)
take(
    "zip-beside-bomb",
    "import zlib\nx = zlib.decompress(zlib.compress(bytes(200_000_000)))\nprint(len(x))",
    "unpacks 200 MB",
    stock=True,
)


@kind("notebook-24-mb", group=G, says="hands in a notebook of 24 MB")
def _(sheet):
    nb = sheet.wrong()
    sheet.add_text(nb, "running_sum", "x" * 24_000_000)
    return nb


@kind("notebook-200-mb", group=G, says="hands in a notebook of 200 MB", stock=False)
def _(sheet):
    nb = sheet.wrong()
    sheet.add_text(nb, "running_sum", "x" * 200_000_000)
    return nb


@kind("cells-100000", group=G, says="hands in a notebook with 100000 cells", stock=False)
def _(sheet):
    nb = json.loads(notebook_bytes(sheet.wrong()))
    nb["cells"] += [{"cell_type": "markdown", "id": f"c{n}", "metadata": {}, "source": "x"} for n in range(100_000)]
    return json.dumps(nb).encode()


@kind("cells-5000-code", group=G, says="hands in a notebook with 5000 code cells", stock=False)
def _(sheet):
    nb = sheet.wrong()
    for _ in range(5000):
        sheet.add_cell(nb, "running_sum", "1")
    return nb


@kind("json-deep", group=G, says="nests the metadata 100000 deep")
def _(sheet):
    deep = b'{"x":' * 100_000 + b"1" + b"}" * 100_000
    return notebook_bytes(sheet.wrong()).replace(b'"metadata": {', b'"metadata": {"deep": ' + deep + b", ", 1)


@kind("json-wide", group=G, says="gives a cell 300000 keys of metadata")
def _(sheet):
    nb = sheet.wrong()
    sheet.cell(nb, "running_sum").metadata["wide"] = {f"k{n}": n for n in range(300_000)}
    return nb


@kind("json-colliding", group=G, says="gives a million equal keys")
def _(sheet):
    many = b",".join([b'"k":0'] * 1_000_000)
    return notebook_bytes(sheet.wrong()).replace(b'"metadata": {', b'"metadata": {' + many + b", ", 1)


@kind("source-long-line", group=G, says="hands in an answer with a line of 5 MB")
def _(sheet):
    return sheet.plus("x = [" + "1," * 2_500_000 + "]")


@kind("source-deep", group=G, says="hands in an answer whose brackets are too deep to be read")
def _(sheet):
    return sheet.plus("x = " + "(" * 5000 + "1" + ")" * 5000)


@kind(
    "source-deep-operators",
    group=G,
    says="hands in an answer with 100000 operators in a row, which overflows a reader's stack",
)
def _(sheet):
    return sheet.plus("x = " + "-" * 100_000 + "1\ny = " + "1+" * 100_000 + "1")


@kind("source-list", group=G, says="gives the answer's text as 300000 lines of a list")
def _(sheet):
    nb = json.loads(notebook_bytes(sheet.wrong()))
    for cell in nb["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "running_sum":
            cell["source"] = ["#\n"] * 300_000
    return json.dumps(nb).encode()


@kind("outputs-saved-many", group=G, says="hands in 50000 saved outputs")
def _(sheet):
    nb = sheet.wrong()
    output = new_output("stream", name="stdout", text="x" * 100)
    sheet.cell(nb, "running_sum").outputs = [output] * 50_000
    return nb
