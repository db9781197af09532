"""What every rule of the style guide is made of: findings, the register of rules, and a page to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from grader.authoring.frame import machinery
from grader.core.cells import CellKind, Exercise, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.names import names_of


@dataclass(frozen=True)
class Finding:
    """One place where a rule is broken.

    Args:
        path: File, as seen from the course's root.
        cell: `grade_id` or id of the cell; empty if it concerns the whole file.
        what: What is wrong.
        fix: What to do about it.
        rule: Name of the rule.
    """

    path: str
    cell: str
    what: str
    fix: str
    rule: str = ""

    def __str__(self) -> str:
        """Return the line that the command prints."""
        return f"{self.path} [{self.cell or '-'}] {self.rule}: {self.what}. Fix: {self.fix}."


@dataclass
class Page:
    """A notebook that is looked at.

    Args:
        nb: The notebook.
        course: The course it belongs to.
        assignment: Its assignment.
        released: Whether it is the release rather than the source.
    """

    nb: NotebookNode
    course: Course
    assignment: str
    released: bool = False

    @cached_property
    def path(self) -> Path:
        """The notebook's file."""
        return self.course.released(self.assignment) if self.released else self.course.source(self.assignment)

    @cached_property
    def label(self) -> str:
        """The file as findings name it."""
        return self.path.relative_to(self.course.root).as_posix()

    @property
    def cells(self) -> list[NotebookNode]:
        """All cells, in order."""
        return self.nb.cells

    @cached_property
    def code(self) -> list[NotebookNode]:
        """The code cells, in order."""
        return [c for c in self.cells if c.cell_type == "code"]

    @cached_property
    def markdown(self) -> list[NotebookNode]:
        """The markdown cells, in order."""
        return [c for c in self.cells if c.cell_type == "markdown"]

    def of(self, *kinds: CellKind) -> list[NotebookNode]:
        """Return the cells of some kinds, in order."""
        return [c for c in self.cells if kind_of(c) in kinds]

    @cached_property
    def by_id(self) -> dict[str, NotebookNode]:
        """The cells by `grade_id`."""
        return {name: c for c in self.cells if (name := grade_id(c))}

    @cached_property
    def framed(self) -> bool:
        """Whether the notebook is in the frame; the others are named in tests/notebooks/rerun.py."""
        return machinery(self.nb) is not None

    @property
    def executed(self) -> bool:
        """Whether the outputs belong to a run from top to bottom; else there is no use in looking at them."""
        return [c.get("execution_count") for c in self.code] == list(range(1, len(self.code) + 1))

    @cached_property
    def exercises(self) -> list[Exercise]:
        """The exercises; none if a cell is so broken that another rule reports it."""
        try:
            return exercises(self.nb)
        except (SyntaxError, AttributeError, KeyError):
            return []

    @cached_property
    def adapters(self) -> dict[str, frozenset[str]]:
        """What student-side cells define, by the name of the exercise whose answer they follow."""
        found: dict[str, frozenset[str]] = {}
        for cell, exercise in self.after_answers():
            if kind_of(cell) is CellKind.STUDENT_SIDE:
                name, names = exercise.name if exercise else "", names_of(cell.source)
                found[name] = found.get(name, frozenset()) | (names.bound - names.imported)
        return found

    @property
    def answer_names(self) -> frozenset[str]:
        """Names that need what a student writes: functions of answer cells and of student-side cells."""
        return frozenset().union(*(e.functions for e in self.exercises), *self.adapters.values())

    def after_answers(self) -> Iterator[tuple[NotebookNode, Exercise | None]]:
        """Go through the cells, each with the exercise of the last answer cell up to it."""
        named = {e.name: e for e in self.exercises}
        current = None
        for cell in self.cells:
            if kind_of(cell) is CellKind.ANSWER:
                current = named.get(grade_id(cell) or "")
            yield cell, current

    def finding(self, cell: NotebookNode | None, what: str, fix: str) -> Finding:
        """Report something about a cell, or about the whole notebook."""
        name = (grade_id(cell) or cell.get("id", "?")) if cell is not None else ""
        return Finding(self.label, name, what, fix)


@dataclass
class Book:
    """All notebooks and helpers of the course, for rules that look across them.

    Args:
        course: The course.
        pages: The source notebooks, in order.
        helpers: Source of each helper, by file name.
    """

    course: Course
    pages: list[Page]
    helpers: dict[str, str]

    def helper_finding(self, name: str, what: str, fix: str) -> Finding:
        """Report something about a helper file."""
        return Finding(f"assets/helpers/{name}", "", what, fix)


class On(Enum):
    """What a rule looks at."""

    SOURCE = "each source notebook"
    RELEASE = "each released notebook"
    BOTH = "each source and released notebook"
    COURSE = "the whole course"


@dataclass(frozen=True)
class Rule:
    """A rule of the style guide.

    Args:
        name: Short name, in kebab case.
        on: What it looks at.
        reason: Why there is such a rule, in a sentence.
        look: The function that finds what breaks it, in a `Page` or, for rules on the course, a `Book`.
        guards: Whether what breaks it may show students what is not for them; `grader publish` refuses that as well.
    """

    name: str
    on: On
    reason: str
    look: Callable[[Page | Book], Iterable[Finding]]
    guards: bool = False

    def findings(self, subject: Page | Book) -> list[Finding]:
        """List what breaks the rule."""
        return [replace(f, rule=self.name) for f in self.look(subject)]


#: All rules by name, in the order in which they are defined.
RULES: dict[str, Rule] = {}


def rule(name: str, on: On, reason: str, guards: bool = False):
    """Register a function as a rule."""

    def register(look):
        if name in RULES:
            raise ValueError(f"two rules are named {name}")
        RULES[name] = Rule(name, on, reason, look, guards)
        return look

    return register
