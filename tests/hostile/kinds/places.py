"""Tricks that look for the course by where courses and environments are: around Python, below /usr, behind links."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..sheet import LOOK, STEAL, code_kind

G = "places"

#: Look around some places, and print and run what lies there.
AROUND = """
import json, sys
def hostile_courses(starts):
    found = []
    for start in starts:
        for path in (start, os.path.realpath(start)):
            while len(path) > 1:
                for at in (path, *glob.glob(glob.escape(path) + "/*"), *glob.glob(glob.escape(path) + "/*/*")):
                    if os.path.basename(at).startswith("COURSE-CANARY-") and os.path.dirname(at) not in found:
                        found.append(os.path.dirname(at))
                    if at.endswith((".ipynb", "gradebook.db", "secret.txt", "nbgrader_config.py")):
                        hostile_take(at)
                path = os.path.dirname(path)
    for root in found:
        print("a course at", root)
        for kind in ("solutions/*/*.ipynb", "class/submitted/*/*/*.ipynb", "class/gradebook.db", "home/*.txt", "*.py"):
            for file in sorted(glob.glob(glob.escape(root) + "/" + kind)):
                hostile_take(file)
def hostile_take(file):
    try:
        text = open(file, encoding="latin-1").read()
    except OSError as error:
        return print(error)
    print(file)
    hostile_loot(text)
    if "/solutions/" in file:
        hostile_steal(text)
"""


def place(name, code, says, **options):
    """Enter a kind; what it steals takes the place of its wrong answers."""
    late = "def pair_sums(left, right):\n    raise NotImplementedError\n\n"
    code_kind(name, LOOK + STEAL + AROUND, group=G, says=says, answers={"pair_sums": late + code}, **options)


place(
    "place-of-python",
    "hostile_courses([sys.prefix, sys.base_prefix, sys.executable, os.__file__, np.__file__, *sys.path])",
    "looks for a course around the interpreter, its libraries and its packages",
)
place(
    "place-usual",
    "hostile_courses(glob.glob('/usr/src/*/*') + glob.glob('/usr/local/*/*') + glob.glob('/opt/*') + glob.glob('/srv/*') + glob.glob('/app*') + glob.glob('/home/*/*'))",
    "looks for a course where containers and servers keep theirs",
)
place(
    "place-of-links",
    """
starts = []
for folder in [os.path.dirname(sys.executable), sys.prefix, *sys.path]:
    for entry in glob.glob(glob.escape(folder) + "/*"):
        if os.path.islink(entry):
            starts.append(os.path.join(folder, os.readlink(entry)))
hostile_courses(starts[:50])""",
    "follows the symbolic links that lie around Python",
)
place(
    "place-of-editable",
    """
import re
starts = []
for folder in sys.path:
    for file in glob.glob(folder + "/*.pth") + glob.glob(folder + "/__editable__*.py") + glob.glob(folder + "/*.dist-info/direct_url.json"):
        starts += re.findall(r"/[A-Za-z0-9_./-]+", open(file).read())
print(starts[:20])
hostile_courses(starts[:20])""",
    "reads from the environment where packages under development lie, and looks there",
)
place(
    "place-walked",
    """
import time
begun = time.process_time()
for folder, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "dev", "site-packages", "x86_64-linux-gnu", "python3.11", "zoneinfo")]
    for name in names:
        if name.startswith("COURSE-CANARY-"):
            hostile_courses([folder])
        elif name.endswith((".ipynb", "gradebook.db", "secret.txt")):
            hostile_take(os.path.join(folder, name))
    if time.process_time() - begun > 1.2:
        break""",
    "goes through all folders that there are",
)
place(
    "place-up-and-down",
    """
for start in (sys.prefix, os.path.dirname(np.__file__), os.getcwd()):
    for up in range(1, 9):
        hostile_courses([start + "/.." * up])
        for name in ("solutions", "class/submitted", "home"):
            for file in glob.glob(start + "/.." * up + "/" + name + "/**/*.*", recursive=True)[:20] if up < 4 else ():
                hostile_take(file)""",
    "climbs out of Python's folders by two dots",
)
place(
    "place-mounted",
    """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
request, buffer = (ctypes.c_uint64 * 4)(24, 0xFFFFFFFFFFFFFFFF), ctypes.create_string_buffer(1 << 16)
hostile_loot((libc.syscall(458, request, buffer, 4096, 0), ctypes.get_errno()))
for mount in memoryview(buffer.raw[:4096]).cast("Q"):
    if mount:
        libc.syscall(457, (ctypes.c_uint64 * 4)(24, mount, 0x7F), buffer, len(buffer), 0)
        hostile_loot(buffer.raw)
for line in open("/proc/self/mountinfo"):
    hostile_courses([w for w in line.split() if w.startswith("/") and w != "/"])""",
    "asks the kernel what is mounted from where, and looks there",
)
place(
    "place-devices",
    """
for device in glob.glob("/dev/*") + glob.glob("/dev/shm/*") + glob.glob("/dev/disk/*/*"):
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
        hostile_loot((device, os.read(descriptor, 4096) if "random" not in device else b""))
    except OSError:
        pass""",
    "reads disks and shared memory through their devices",
)
place(
    "place-modes",
    """
for root in {ROOT, *map(os.path.dirname, glob.glob(sys.prefix + "/COURSE-CANARY-*"))} - {None}:
    for file in glob.glob(root + "/**", recursive=True):
        try:
            os.chmod(file, 0o777)
            os.utime(file, (1, 1))
        except OSError:
            pass""",
    "opens the course's files to everybody and sets their times back",
)
place(
    "place-device-modes",
    """
for device in sorted({"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", *glob.glob("/dev/*")}):
    try:  # to what they are, which does no harm where it is let through
        was = os.stat(device)
        os.chmod(device, was.st_mode & 0o7777)
        os.utime(device, ns=(was.st_atime_ns, was.st_mtime_ns))
        if os.stat(device).st_ctime_ns != was.st_ctime_ns:
            print("HOSTILE" + "-TOOK", device)
    except OSError:
        pass""",
    "sets modes and times of this machine's devices",
    stock=False,
)


NOTED = """
import os
def hostile_told(ask):
    for place in ("/var", "/srv", "/boot", "/mnt"):
        try:
            print("HOSTILE" + "-TOOK", place, ask(place))
        except OSError as error:  # that it has no such attribute is an answer as well
            print("HOSTILE" + "-TOOK" if error.errno == 61 else error)
"""
for name, asked, says in (
    ("attributes", "os.listxattr", "which attributes folders of this machine have"),
    (
        "an-attribute",
        "lambda place: os.getxattr(place, 'security.selinux')",
        "for an attribute of folders of this machine",
    ),
    ("links", "lambda place: os.listxattr(place, follow_symlinks=False)", "which attributes a folder or link has"),
    ("room", "os.statvfs", "how much room this machine has"),
    (
        "room-by-descriptor",
        "lambda place: os.fstatvfs(os.open(place, os.O_PATH))",
        "how much room this machine has, by a descriptor",
    ),
):
    code_kind(f"noted-{name}", NOTED + f"hostile_told({asked})", group=G, says=f"asks {says}", stock=False)
