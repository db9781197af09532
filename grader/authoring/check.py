"""The style guide, executed: one line per finding."""

from __future__ import annotations

from grader.authoring import (
    check_cells,
    check_course,
    check_demands,
    check_exercises,
    check_frame,
    check_outputs,
    check_shown,
    check_tests,
    check_text,
)
from grader.authoring.check_base import RULES, Book, Finding, On, Page, Rule
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook

__all__ = ["RULES", "Book", "Finding", "On", "Page", "Rule", "check", "examine", "guarding", "rules_named"]

# Importing these modules registers their rules.
_MODULES = (
    check_cells,
    check_tests,
    check_exercises,
    check_text,
    check_frame,
    check_outputs,
    check_course,
    check_demands,
    check_shown,
)


def rules_named(names: list[str]) -> list[Rule]:
    """Look rules up.

    Args:
        names: Names of rules; none means all.

    Raises:
        GraderError: If there is no rule of that name.
    """
    unknown = [n for n in names if n not in RULES]
    if unknown:
        raise GraderError(f"no rule named {unknown[0]!r}", fix="`grader check --list` lists them")
    return [RULES[n] for n in names] if names else list(RULES.values())


def examine(page: Page, rules: list[Rule]) -> list[Finding]:
    """List what breaks the rules for single notebooks in a notebook."""
    wanted = (On.RELEASE if page.released else On.SOURCE, On.BOTH)
    return [finding for rule in rules if rule.on in wanted for finding in rule.findings(page)]


def guarding() -> list[str]:
    """Name the rules that keep from students what is not for them."""
    return [rule.name for rule in RULES.values() if rule.guards]


def check(course: Course, assignments: list[str], names: list[str] | None = None) -> list[Finding]:
    """Check notebooks and, with them, what concerns the course as a whole.

    Args:
        course: The course.
        assignments: Which notebooks; findings on the course are given for these and for the helpers.
        names: Which rules; all by default.

    Returns:
        The findings, notebook by notebook.
    """
    rules = rules_named(names or [])
    found: list[Finding] = []
    pages = {a: Page(read_notebook(course.source(a)), course, a) for a in course.assignments()}
    for assignment in assignments:
        found += examine(pages[assignment], rules)
        if course.released(assignment).is_file():
            released = read_notebook(course.released(assignment))
            found += examine(Page(released, course, assignment, released=True), rules)
    helpers = {p.name: p.read_text(encoding="utf-8") for p in sorted(course.helpers.glob("*.py"))}
    book = Book(course, list(pages.values()), helpers)
    across = [f for rule in rules if rule.on is On.COURSE for f in rule.findings(book)]
    others = tuple(f"solutions/{a}/" for a in pages if a not in assignments)
    return found + [f for f in across if not f.path.startswith(others)]
