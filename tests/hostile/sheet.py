"""What a trick is made from: the released notebook, and the means to put something into it."""

from __future__ import annotations

import copy
import os
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

from .course import NAME

EXERCISES = ("running_sum", "repeat_step", "pair_sums")
#: Answers that run and earn nothing.
WRONG = {
    "running_sum": "def running_sum(values):\n    return np.zeros(len(values)) - 7",
    "repeat_step": "def repeat_step(step, start, limit):\n    return [-7, -7, -7]",
    "pair_sums": "def pair_sums(left, right):\n    return np.zeros((2, 2)) - 7",
}
#: For tricks that look for something: find the throw-away course, and tell what was found.
LOOK = """
import glob, os
def hostile_root():
    starts = [os.getcwd(), os.environ.get("HOME", ""), os.environ.get("TMPDIR", ""), os.environ.get("PWD", "")]
    for link in glob.glob("/proc/[0-9]*/cwd"):
        try:
            starts.append(os.readlink(link))
        except OSError:
            pass
    for file in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ") + ["/proc/self/mountinfo"]:
        try:
            words = open(file, "rb").read().replace(b"\\0", b" ").replace(b"=", b" ").split()
        except OSError:
            continue
        starts += [w.decode("utf-8", "replace") for w in words if w.startswith(b"/")]
    starts += glob.glob("/tmp/*/") + glob.glob("/tmp/*/*/")
    seen = set()
    for start in starts:
        while start not in seen and len(start) > 1:
            seen.add(start)
            if glob.glob(glob.escape(start) + "/COURSE-CANARY-*"):
                return start
            start = os.path.dirname(start.rstrip("/"))
    return None
def hostile_loot(text):
    print("LOOT:" + str(text))
ROOT = hostile_root()
"""
#: Run the code of the answers in a notebook's text.
STEAL = """
def hostile_steal(text):
    import json
    stolen = 0
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "def " in source and cell["metadata"].get("nbgrader", {}).get("solution"):
            exec(source, globals())
            stolen += 1
    return stolen
"""


@dataclass(frozen=True)
class Link:
    """What stands in a submission's folder in place of a regular file.

    Args:
        what: `"symlink"`, `"hardlink"`, `"fifo"`, `"folder"`, `"socket"`, `"device"` or `"sparse"`.
        to: What a link points to, relative to the throw-away course; a sparse file's size in bytes.
    """

    what: str
    to: str = ""


Files = dict[str, bytes | Link]
Submission = NotebookNode | bytes | Files


@dataclass(frozen=True)
class Twice:
    """A submission that is marked, and another by the same student after it.

    Args:
        first: The earlier one, which may well earn points.
        second: The later one, which earns none.
    """

    first: Submission
    second: Submission


@dataclass(frozen=True)
class Kind:
    """One kind of hostile submission.

    Args:
        name: Unique.
        group: Which part of the grader it aims at.
        says: One sentence: what it tries.
        make: Makes it.
        stock: Whether stock nbgrader may mark it on a developer's machine without harm.
        seconds: How long stock nbgrader may take before it is ended.
        baseline: Points that the answers deserve without the trick.
    """

    name: str
    group: str
    says: str
    make: Callable[[Sheet], Submission | Twice]
    stock: bool = True
    seconds: int = 75
    baseline: float = 0.0

    @property
    def student(self) -> str:
        """The student who hands it in."""
        return f"m_{self.name}"


KINDS: dict[str, Kind] = {}


def kind(name: str, *, group: str, says: str, stock: bool = True, seconds: int = 75, baseline: float = 0.0):
    """Enter a function into the corpus: it makes the submission from a `Sheet`."""

    def enter(make):
        if name in KINDS:
            raise ValueError(f"two kinds are called {name!r}")
        KINDS[name] = Kind(name, group, says, make, stock, seconds, baseline)
        return make

    return enter


def code_kind(name: str, code: str, *, group: str, says: str, answers: dict[str, str] | None = None, **options) -> None:
    """Enter a kind that is nothing but code in front of the first answer.

    Args:
        name: Unique.
        code: The code; without `answers`, the answers stay wrong.
        group: Which part of the grader it aims at.
        says: One sentence.
        answers: Other wrong answers, by exercise.
        options: As for `kind`.
    """

    def make(sheet):
        return sheet.plus(code, answers)

    kind(name, group=group, says=says, **options)(make)


def notebook_bytes(nb: NotebookNode) -> bytes:
    """Write a notebook without checking or changing anything."""
    return nbformat.v4.writes(nb).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Sheet:
    """The released notebook and what can be done to it.

    Args:
        course: The throw-away course.
        honest: The reference answers, for tricks about resubmission.
        port: Port on 127.0.0.1 where the harness listens, TCP and UDP.
        socket: Name of the abstract unix socket where the harness listens.
    """

    course: Course
    honest: dict[str, str]
    port: int = 9
    socket: str = "hostile-nobody"

    def released(self) -> NotebookNode:
        """Return the notebook as the student gets it; untouched, it earns nothing."""
        return read_notebook(self.course.released(NAME))

    def wrong(self, answers: dict[str, str] | None = None) -> NotebookNode:
        """Return it with answers that run and earn nothing, or other ones."""
        nb = self.released()
        for exercise, source in (WRONG | (answers or {})).items():
            self.answer(nb, exercise, source)
        return nb

    def plus(self, code: str, answers: dict[str, str] | None = None) -> NotebookNode:
        """Return it with wrong answers and with code in front of the first of them."""
        nb = self.wrong(answers)
        first = self.cell(nb, EXERCISES[0])
        first.source = f"{code.strip()}\n\n{first.source}"
        return nb

    def solved(self) -> NotebookNode:
        """Return it with right answers."""
        nb = self.released()
        for exercise, source in self.honest.items():
            lines = [line for line in source.split("\n") if not line.strip().startswith("### ")]
            self.answer(nb, exercise, "\n".join(lines))
        return nb

    def cell(self, nb: NotebookNode, name: str) -> NotebookNode:
        """Find a cell by its grade_id."""
        return next(c for c in nb.cells if grade_id(c) == name)

    def tests(self, nb: NotebookNode) -> list[NotebookNode]:
        """List the test cells."""
        return [c for c in nb.cells if kind_of(c) is CellKind.TEST]

    def answer(self, nb: NotebookNode, exercise: str, source: str) -> None:
        """Write an answer."""
        self.cell(nb, exercise).source = source

    def add_cell(self, nb: NotebookNode, after: str, source: str) -> NotebookNode:
        """Put a code cell of the student's own behind the cell with this grade_id, and give it."""
        cell = new_code_cell(source)
        nb.cells.insert(nb.cells.index(self.cell(nb, after)) + 1, cell)
        return cell

    def add_text(self, nb: NotebookNode, after: str, source: str) -> NotebookNode:
        """Put a markdown cell of the student's own behind the cell with this grade_id, and give it."""
        cell = new_markdown_cell(source)
        nb.cells.insert(nb.cells.index(self.cell(nb, after)) + 1, cell)
        return cell

    def each_test(self, change: Callable[[NotebookNode], object], start: NotebookNode | None = None) -> NotebookNode:
        """Return it with wrong answers and each test cell changed in place."""
        nb = self.wrong() if start is None else copy.deepcopy(start)
        for cell in self.tests(nb):
            change(cell)
        return nb

    def beside(self, **files: bytes | Link) -> Files:
        """Return it with wrong answers and with other files beside it."""
        return {f"{NAME}.ipynb": notebook_bytes(self.wrong()), **files}


def as_files(submission: Submission) -> Files:
    """Return a submission as the files of its folder, by path."""
    if isinstance(submission, dict) and not isinstance(submission, NotebookNode):
        return submission
    return {f"{NAME}.ipynb": submission if isinstance(submission, bytes) else notebook_bytes(submission)}


def put(files: Files, folder: Path, root: Path) -> None:
    """Write a submission's files; what a link points to is below the throw-away course."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content.what == "symlink":
            path.symlink_to(content.to if content.to.startswith(("/etc", ".")) else root / content.to)
        elif content.what == "hardlink":
            path.hardlink_to(root / content.to)
        elif content.what == "fifo":
            os.mkfifo(path)
        elif content.what == "folder":
            path.mkdir()
        elif content.what == "socket":
            here = os.open(path.parent, os.O_DIRECTORY)
            with socket.socket(socket.AF_UNIX) as opened:  # a path of 108 bytes is the longest
                opened.bind(f"/proc/self/fd/{here}/{path.name}")
            os.close(here)
        elif content.what == "device":
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        elif content.what == "sparse":
            with path.open("wb") as opened:
                opened.truncate(int(content.to))
        else:
            raise ValueError(f"unknown link {content.what!r}")
