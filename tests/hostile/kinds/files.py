"""Tricks with files: reading what is not theirs, writing where they should not, and odd things in a submission's folder."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

from ..course import LAST, NAME
from ..sheet import LOOK, STEAL, Link, code_kind, kind, notebook_bytes

G = "files"


def look(name, code, says, **options):
    code_kind(name, LOOK + STEAL + code, group=G, says=says, **options)


look(
    "solution-read",
    "if ROOT:\n    text = open(f'{ROOT}/solutions/01_sums/01_sums.ipynb').read()\n    hostile_loot(text)\n    def hostile_use():\n        hostile_steal(text)\n    hostile_use()",
    "reads the source notebook",
)
look(
    "solution-used",
    """
def hostile_wanted(name, *args):
    text = open(f"{ROOT}/solutions/01_sums/01_sums.ipynb").read()
    scope = {"np": np}
    import json
    for cell in json.loads(text)["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name:
            exec("".join(cell["source"]), scope)
    return scope[name](*args)
""",
    "answers with the source notebook's functions",
    answers={
        "running_sum": "def running_sum(values):\n    return hostile_wanted('running_sum', values)",
        "repeat_step": "def repeat_step(step, start, limit):\n    return hostile_wanted('repeat_step', step, start, limit)",
        "pair_sums": "def pair_sums(left, right):\n    return hostile_wanted('pair_sums', left, right)",
    },
)
look(
    "solution-in-subprocess",
    "import subprocess\nprint('LOOT:' + subprocess.run(['grep', '-rhos', 'CANARY-[a-z]*-[0-9a-f]*', ROOT or '.'], capture_output=True, text=True).stdout)",
    "searches the course with grep",
)
look(
    "gradebook-read",
    "if ROOT:\n    import sqlite3\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        hostile_loot(sqlite3.connect(book).execute('select * from student').fetchall())",
    "reads the names in the gradebook",
)
look(
    "hidden-tests-in-gradebook",
    "if ROOT:\n    import sqlite3\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        hostile_loot(sqlite3.connect(book).execute('select source from source_cell').fetchall())",
    "reads the hidden tests, which nbgrader keeps in the gradebook",
)
look(
    "other-read",
    "if ROOT:\n    for f in sorted(glob.glob(ROOT + '/**/submitted/*/*/*.ipynb', recursive=True)):\n        text = open(f).read()\n        if 'CANARY' in text:\n            hostile_loot(text)",
    "reads another student's submission",
)
look(
    "other-used",
    "if ROOT:\n    for f in sorted(glob.glob(ROOT + '/**/submitted/[az]_*/*/*.ipynb', recursive=True)):\n        STOLEN = open(f).read()\n",
    "answers with another student's functions",
    answers={
        "pair_sums": "def pair_sums(left, right):\n    raise NotImplementedError\nif ROOT:\n    hostile_steal(STOLEN)"
    },
)
look(
    "other-marked-read",
    "if ROOT:\n    for f in glob.glob(ROOT + '/**/autograded/*/*/*.ipynb', recursive=True):\n        hostile_loot(open(f).read())",
    "reads another student's marked notebook",
)
look(
    "home-read",
    "for f in glob.glob(os.path.expanduser('~/*.txt')):\n    hostile_loot(open(f).read())",
    "reads the home folder of the person who grades",
)
look(
    "home-read-by-root",
    "if ROOT:\n    hostile_loot(open(ROOT + '/home/secret.txt').read())",
    "reads the home folder by its absolute path",
)
look(
    "config-read",
    "if ROOT:\n    hostile_loot(open(ROOT + '/nbgrader_config.py').read())",
    "reads the course's configuration",
)
look(
    "passwd-read",
    "print(len(open('/etc/passwd').read()))",
    "reads /etc/passwd: a control, there is nothing secret in it",
)
look(
    "root-of-parent",
    "for p in ('/proc/1/root', f'/proc/{os.getppid()}/root'):\n    for f in glob.glob(p + (ROOT or '/tmp') + '/home/secret.txt'):\n        hostile_loot(open(f).read())",
    "reads through the root folder of other processes",
)
look(
    "cwd-of-parent",
    "for p in glob.glob('/proc/[0-9]*/cwd'):\n    for f in glob.glob(p + '/submitted/*/*/*.ipynb') + glob.glob(p + '/gradebook.db'):\n        hostile_loot(open(f, 'rb').read())",
    "reads through the working folder of other processes",
)

WRITE = """
import sqlite3
def hostile_mark(book, **columns):
    with sqlite3.connect(book, timeout=5) as db:
        for name, value in columns.items():
            db.execute(f"UPDATE grade SET {name} = ? WHERE id IN (SELECT id FROM grade)", (value,))
"""
look(
    "mark-written",
    WRITE
    + "if ROOT:\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        hostile_mark(book, manual_score=2.0, needs_manual_grade=0)",
    "writes its own mark into the gradebook",
)
look(
    "extra-credit-written",
    WRITE
    + "if ROOT:\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        hostile_mark(book, extra_credit=50.0)",
    "writes extra credit into the gradebook",
)
look(
    "maximum-written",
    "if ROOT:\n    import sqlite3\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        with sqlite3.connect(book, timeout=5) as db:\n            db.execute(\"UPDATE source_cell SET source = 'pass' WHERE name LIKE 'test_%'\")",
    "empties the tests in the gradebook, for everybody who is marked later",
)
look(
    "gradebook-locked",
    "if ROOT:\n    import sqlite3\n    HELD = [sqlite3.connect(b, isolation_level=None) for b in glob.glob(ROOT + '/**/gradebook.db', recursive=True)]\n    for db in HELD:\n        db.execute('BEGIN EXCLUSIVE')",
    "holds a lock on the gradebook",
)
look(
    "gradebook-broken",
    "if ROOT:\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        open(book, 'r+b').write(b'HOSTILE-WRITE' * 9)",
    "overwrites the gradebook's beginning",
)
look(
    "gradebook-deleted",
    "if ROOT:\n    for book in glob.glob(ROOT + '/**/gradebook.db', recursive=True):\n        os.remove(book)",
    "deletes the gradebook",
)
look(
    "solution-changed",
    "if ROOT:\n    open(ROOT + '/solutions/01_sums/01_sums.ipynb', 'a').write('HOSTILE-WRITE')",
    "changes the source notebook",
)
look(
    "release-changed",
    "if ROOT:\n    open(ROOT + '/notebooks/01_sums/01_sums.ipynb', 'a').write('HOSTILE-WRITE')",
    "changes the released notebook",
)
look(
    "other-changed",
    f"if ROOT:\n    for f in glob.glob(ROOT + '/**/submitted/{LAST}/*/*.ipynb', recursive=True):\n        open(f, 'w').write('HOSTILE-WRITE')",
    "overwrites the submission that is marked after it",
)
look(
    "others-deleted",
    f"if ROOT:\n    import shutil\n    for f in glob.glob(ROOT + '/**/submitted/{LAST}', recursive=True):\n        shutil.rmtree(f)",
    "deletes the submission that is marked after it",
)
look(
    "other-marked-changed",
    "if ROOT:\n    for f in glob.glob(ROOT + '/**/autograded/a_first/*/*.ipynb', recursive=True):\n        os.chmod(f, 0o600)\n        open(f, 'a').write('HOSTILE-WRITE')",
    "changes another student's marked notebook",
)
look(
    "config-changed",
    "if ROOT:\n    for f in glob.glob(ROOT + '/**/nbgrader_config.py', recursive=True):\n        open(f, 'a').write('\\n# HOSTILE-WRITE\\n')",
    "changes the configuration",
)
look(
    "home-written",
    "for f in (os.path.expanduser('~'), (ROOT or '/nonexistent') + '/home'):\n    if ROOT and os.path.realpath(f).startswith(os.path.realpath(ROOT)):\n        open(f + '/left.txt', 'w').write('HOSTILE-WRITE')",
    "writes into the home folder",
)
look(
    "startup-written",
    "home = os.path.expanduser('~')\nif ROOT and os.path.realpath(home).startswith(os.path.realpath(ROOT)):\n    os.makedirs(home + '/.ipython/profile_default/startup', exist_ok=True)\n    open(home + '/.ipython/profile_default/startup/00-own.py', 'w').write('# HOSTILE-WRITE\\nimport numpy as np\\nnp.allclose = lambda *a, **k: True\\n')",
    "leaves a start-up script for later kernels",
)
look(
    "tmp-left",
    "import tempfile\nf = tempfile.gettempdir() + '/hostile_for_the_next.txt'\nif ROOT and os.path.realpath(f).startswith(os.path.realpath(ROOT)):\n    open(f, 'w').write('HOSTILE-WRITE')",
    "leaves a file for the next submission in the temporary folder",
)
look(
    "shm-left",
    "from multiprocessing import shared_memory\nshared_memory.SharedMemory('hostile_next', create=True, size=64).buf[:13] = b'HOSTILE-WRITE'",
    "leaves shared memory for the next submission",
    stock=False,
)
look(
    "site-packages-written",
    "import numpy, site\nfor d in {os.path.dirname(os.path.dirname(numpy.__file__)), *site.getsitepackages()}:\n    try:\n        open(d + '/hostile_write_canary.txt', 'w').write('HOSTILE-WRITE')\n    except OSError as error:\n        print(error)",
    "writes into site-packages",
    stock=False,
)
look(
    "remount",
    "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.unshare(0x00020000 | 0x10000000), ctypes.get_errno())\nprint(libc.mount(b'none', b'/', None, 32 | 4096, None), ctypes.get_errno())",
    "makes namespaces of its own and mounts anew",
    stock=False,
)


@kind("symlink-notebook", group=G, says="hands in a link to the source notebook as its notebook")
def _(sheet):
    return {f"{NAME}.ipynb": Link("symlink", f"solutions/{NAME}/{NAME}.ipynb")}


@kind("symlink-other", group=G, says="hands in a link to another student's notebook as its notebook")
def _(sheet):
    return {f"{NAME}.ipynb": Link("symlink", f"class/submitted/{LAST}/{NAME}/{NAME}.ipynb")}


@kind("symlink-beside", group=G, says="puts links to the gradebook and the home folder's secret beside the notebook")
def _(sheet):
    return sheet.beside(
        **{"book.db": Link("symlink", "class/gradebook.db"), "secret.txt": Link("symlink", "home/secret.txt")}
    )


@kind("symlinks-by-the-hundred", group=G, says="puts 990 links beside the notebook, to fill the report", stock=False)
def _(sheet):
    return sheet.beside(**{f"link{n}.ipynb": Link("symlink", "class/gradebook.db") for n in range(990)})


@kind("fifos-by-the-hundred", group=G, says="puts 300 pipes with long names beside the notebook", stock=False)
def _(sheet):
    return sheet.beside(**{f"{'p' * 150}{n}.ipynb": Link("fifo") for n in range(300)})


@kind("symlink-folder", group=G, says="puts a link to the folder of solutions beside the notebook")
def _(sheet):
    return sheet.beside(more=Link("symlink", "solutions"))


@kind("symlink-loop", group=G, says="puts a link to itself beside the notebook")
def _(sheet):
    return sheet.beside(loop=Link("symlink", "."), dangling=Link("symlink", "nowhere"))


@kind("hardlink-notebook", group=G, says="hands in a hard link to the source notebook as its notebook")
def _(sheet):
    return {f"{NAME}.ipynb": Link("hardlink", f"solutions/{NAME}/{NAME}.ipynb")}


@kind("fifo-notebook", group=G, says="hands in a pipe as its notebook", seconds=25)
def _(sheet):
    return {f"{NAME}.ipynb": Link("fifo")}


@kind("fifo-beside", group=G, says="puts a pipe beside the notebook", seconds=25)
def _(sheet):
    return sheet.beside(pipe=Link("fifo"))


@kind("socket-beside", group=G, says="puts a socket beside the notebook")
def _(sheet):
    return sheet.beside(sock=Link("socket"))


@kind("device-beside", group=G, says="puts a device without end beside the notebook", stock=False)
def _(sheet):
    return sheet.beside(zero=Link("device"))


@kind("folder-notebook", group=G, says="hands in a folder of the notebook's name")
def _(sheet):
    return {f"{NAME}.ipynb": Link("folder")}


@kind("sparse-beside", group=G, says="puts a sparse file of 300 MB beside the notebook")
def _(sheet):
    return sheet.beside(data=Link("sparse", str(300_000_000)))


@kind("sparse-terabyte", group=G, says="puts a sparse file of 4 TB beside the notebook", stock=False)
def _(sheet):
    return sheet.beside(data=Link("sparse", str(4_000_000_000_000)))


@kind("sparse-notebook", group=G, says="hands in a sparse file of 2 GB as its notebook", stock=False)
def _(sheet):
    return {f"{NAME}.ipynb": Link("sparse", str(2_000_000_000))}


@kind("many-files", group=G, says="puts 3000 small files beside the notebook")
def _(sheet):
    return sheet.beside(**{f"many/{n:04}.txt": b"x" for n in range(3000)})


@kind("deep-folders", group=G, says="puts a folder 60 deep beside the notebook")
def _(sheet):
    return sheet.beside(**{"/".join(["deep"] * 60) + "/x.txt": b"x"})


@kind(
    "odd-names",
    group=G,
    says="puts files with line breaks, control characters, markup and no text in their names beside the notebook",
)
def _(sheet):
    names = [
        "a\nb.txt",
        "\x1b[2J.txt",
        "<img src=x onerror=alert(1)>.txt",
        "-rf",
        "$(touch HOSTILE$(printf %s -WRITE))",  # a page or record that names the file holds no trace of a write
        "\udcff.txt",
        "*.ipynb.txt",
    ]
    return sheet.beside(**dict.fromkeys(names, b"x"))


@kind(
    "overwrites-source-files", group=G, says="puts a gradebook, a solution folder and check points beside the notebook"
)
def _(sheet):
    solved = notebook_bytes(sheet.solved())
    return sheet.beside(
        **{
            "gradebook.db": b"not a database",
            f"solutions/{NAME}/{NAME}.ipynb": solved,
            f"autograded/m_overwrites-source-files/{NAME}/{NAME}.ipynb": solved,
            f".ipynb_checkpoints/{NAME}-checkpoint.ipynb": solved,
        }
    )


def raw(name, says, content, **options):
    @kind(name, group=G, says=says, **options)
    def make(sheet):
        return content(notebook_bytes(sheet.wrong()))


raw("empty-file", "hands in an empty file", lambda b: b"")
raw("broken-json", "hands in half a notebook", lambda b: b[: len(b) // 2])
raw("nul-bytes", "puts NUL bytes into the notebook", lambda b: b.replace(b"values", b"val\0ues"))
raw("not-utf-8", "puts bytes into the notebook that are no text", lambda b: b.replace(b"zeros", b"zer\xff\xfeos"))
raw("lone-surrogates", "puts half a character into the notebook", lambda b: b.replace(b"zeros", b"zeros\\ud800"))
raw("byte-order-mark", "starts with a byte order mark", lambda b: b"\xef\xbb\xbf" + b)
raw("utf-16", "hands in a notebook in UTF-16", lambda b: b.decode().encode("utf-16"))
raw("duplicate-keys", "gives the list of cells twice", lambda b: b.rstrip().removesuffix(b"}") + b', "cells": []}')
raw("json-list", "hands in a list", lambda b: b"[" + b + b"]")
raw("json-number", "hands in a number of 100000 digits", lambda b: b"9" * 100_000)
raw(
    "json-nan",
    "puts NaN and Infinity into the metadata",
    lambda b: b.replace(b'"metadata": {', b'"metadata": {"x": NaN, "y": -Infinity, ', 1),
)
raw("text-file", "hands in a web page", lambda b: b"<html><script>alert('HOSTILE-MARK')</script></html>")


@kind("timestamp-odd", group=G, says="puts a time stamp that is no time beside the notebook")
def _(sheet):
    return sheet.beside(**{"timestamp.txt": b"yesterday, about noon\n"})


@kind(
    "timestamp-digits", group=G, says="puts half a megabyte of digits there, which takes minutes to be read as a time"
)
def _(sheet):
    return sheet.beside(**{"timestamp.txt": b"1" * 500_000})


@kind("timestamp-dots", group=G, says="puts numbers and dots there, which take minutes to be read as a time")
def _(sheet):
    return sheet.beside(**{"timestamp.txt": b"1." * 400_000})


@kind("timestamp-link", group=G, says="makes the time stamp a link to the home folder's secret")
def _(sheet):
    return sheet.beside(**{"timestamp.txt": Link("symlink", "home/secret.txt")})


@kind("timestamp-far", group=G, says="puts a time stamp in the year 9999 beside the notebook")
def _(sheet):
    return sheet.beside(**{"timestamp.txt": b"9999-12-31 23:59:59 -2359\n"})


@kind("attachment-path", group=G, says="names an attachment and an output file with a path that leads out")
def _(sheet):
    nb = sheet.wrong()
    cell = sheet.add_text(nb, "running_sum", "![x](attachment:../../../../HOSTILE-WRITE.png)")
    cell["attachments"] = {"../../../../HOSTILE-WRITE.png": {"image/png": "iVBORw0KGgo="}}
    nb.metadata["title"] = nb.metadata["name"] = "../../../../HOSTILE-WRITE"
    return nb
