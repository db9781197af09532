"""Put the corpus's tricks into submissions of the course's own notebooks, for a class of any size.

Usage: `python -m tests.hostile.crowd FOLDER [--students N] [--seed N] [--hostile SHARE] [--without GROUP ...] [NB ...]`
writes a class with `grader.testing.crowd` and, beside it, `FOLDER.json`: what each submission is and must earn.
"""

from __future__ import annotations

import argparse
import copy
import functools
import json
import random
import re
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.testing.crowd import make_class

from .corpus import KINDS
from .course import NAME
from .sheet import EXERCISES, Files, Kind, Sheet, Twice, as_files, put

#: The cells of the corpus's own notebook, by kind; the nth of a kind stands for the nth in another notebook.
_CELLS = {
    CellKind.SETUP: ("setup",),
    CellKind.HELPERS: ("helpers_words",),
    CellKind.GIVEN: ("given_numbers",),
    CellKind.WRITTEN: ("written_why",),
}
_TESTS = {
    "running_sum": ("test_running_sum_value", "test_running_sum_input"),
    "repeat_step": ("test_repeat_step_value", "test_repeat_step_calls"),
    "pair_sums": ("test_pair_sums_value", "test_pair_sums_shape"),
}
#: Larger submissions are left out, so that a class fits on a disk.
MAX_BYTES = 4_000_000
#: What links point to: nothing, where a class is made for a real course.
_NOWHERE = Path("/no-such-course")


@dataclass(frozen=True)
class Transferred(Sheet):
    """Another notebook in the place of the corpus's own.

    Args:
        assignment: Its name.
        names: `grade_id` in the corpus's notebook to the one that stands for it.
    """

    assignment: str = ""
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, course: Course, assignment: str) -> Transferred:
        """Open a notebook of a course."""
        known = exercises(read_notebook(course.source(assignment)))
        released = _released(course, assignment)
        names = {}
        for kind, olds in _CELLS.items():
            found = [grade_id(c) for c in released.cells if kind_of(c) is kind and grade_id(c)]
            names |= dict(zip(olds, found, strict=False))
        for old, one in zip(EXERCISES, known, strict=False):
            names[old] = one.name
            names |= dict(zip(_TESTS[old], (name for name, _, _ in one.tests), strict=False))
        honest = {old: one.answer for old, one in zip(EXERCISES, known, strict=False)}
        return cls(course, honest, assignment=assignment, names=names)

    def released(self) -> NotebookNode:
        """Return the notebook as the student gets it."""
        return copy.deepcopy(_released(self.course, self.assignment))

    def cell(self, nb: NotebookNode, name: str) -> NotebookNode:
        """Find the cell that stands for one of the corpus's notebook."""
        return super().cell(nb, self.names.get(name, name))

    def files(self, kind: Kind) -> Files:
        """Make a submission; of two by the same student, the one that counts."""
        made = kind.make(self)
        files = as_files(made.second if isinstance(made, Twice) else made)
        return {
            name.replace(NAME, self.assignment): self._renamed(content) if isinstance(content, bytes) else content
            for name, content in files.items()
        }

    def _renamed(self, content: bytes) -> bytes:
        # Long names first: a test's holds its function's.
        for old, new in sorted((self.names | {NAME: self.assignment}).items(), key=lambda pair: -len(pair[0])):
            if old != "setup":
                content = content.replace(old.encode(), new.encode())
        ids: dict[bytes, bytes] = {}

        def numbered(found: re.Match) -> bytes:  # ids of new cells are chance
            return b'"id": "%s"' % ids.setdefault(found[1], b"added-%d" % len(ids))

        return re.sub(rb'"id": "([0-9a-f]{8})"', numbered, content)


@functools.cache
def _released(course: Course, assignment: str) -> NotebookNode:
    return read_notebook(course.released(assignment))


class Tricks:
    """Writes hostile submissions to the notebooks of a course, one kind after the other in an order of chance.

    Args:
        course: The course.
        seed: Of the order.
        without: Groups and kinds that are left out.
    """

    def __init__(self, course: Course, seed: int = 0, without: Iterable[str] = ()):
        self.course = course
        self.kinds = [k for k in KINDS.values() if k.group not in without and k.name not in without]
        random.Random(seed).shuffle(self.kinds)
        self.sheets: dict[str, Transferred] = {}
        #: Kinds that need the corpus's own notebook or course, and why.
        self.passed_over: dict[str, str] = {}

    def __call__(self, assignment: str, folder: Path, number: int) -> str:
        """Write the submission with this number into a folder, which is there and empty; say what it is."""
        if assignment not in self.sheets:
            self.sheets[assignment] = Transferred.of(self.course, assignment)
        for step in range(len(self.kinds)):
            kind = self.kinds[(number + step) % len(self.kinds)]
            if kind.name in self.passed_over:
                continue
            try:
                files = self.sheets[assignment].files(kind)
                size = sum(len(content) for content in files.values() if isinstance(content, bytes))
                if size > MAX_BYTES:
                    raise ValueError(f"{size:,} bytes")
                put(files, folder, _NOWHERE)
            except Exception as error:
                self.passed_over[kind.name] = f"{type(error).__name__}: {error}"
                shutil.rmtree(folder)
                folder.mkdir()
                continue
            return f"{kind.name}: {kind.says}"
        raise ValueError("no kind can be put into this notebook")


def main() -> None:
    """Write a class."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="nbgrader's folder of submissions; must not exist or be empty")
    parser.add_argument("assignments", nargs="*", metavar="NB", help="notebooks, as 02 or by name (default: all)")
    parser.add_argument("--students", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--hostile", type=float, default=0.02, metavar="SHARE", help="share of hostile ones (0.02)")
    parser.add_argument("--without", action="append", default=[], metavar="GROUP", help="leave these tricks out")
    options = parser.parse_args()
    if options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty")
    course = Course.find()
    made = make_class(
        course,
        options.folder,
        options.students,
        course.select(options.assignments),
        seed=options.seed,
        hostile=Tricks(course, options.seed, options.without),
        hostile_share=options.hostile,
    )
    listing = options.folder.with_name(f"{options.folder.name}.json")
    listing.write_text(json.dumps([asdict(one) for one in made], indent=1) + "\n", encoding="utf-8")
    print(f"{len(made)} submissions in {options.folder}; what each must earn: {listing}")


if __name__ == "__main__":
    main()
