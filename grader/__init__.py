"""The grader of the attention course: authoring, audit and marking on top of nbgrader.

A script may rely on the names listed here. Everything else may move. This marks one submission from its bytes:

    import pathlib, grader

    course = grader.Course.find()
    kit = grader.Kit.read(course.source(course.assignments()[0]))
    handed = grader.Handed("ada.ipynb", pathlib.Path("ada.ipynb").read_bytes())
    graded = grader.mark_handed(kit, handed, grader.Settings())
    print(graded.record["points"], "of", graded.record["max_points"])
    grader.end()

`grade_class` marks a whole class into nbgrader's gradebook, as `grader grade` does, with the configuration that
`course_config` reads; `summary` puts its result into words. `end` ends the process that marking keeps warm.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.audit.audit import audit_all
    from grader.authoring.check import check
    from grader.classrun.run import end, grade_class
    from grader.classrun.summary import Entry, summary
    from grader.core.course import Course
    from grader.core.errors import GraderError
    from grader.core.findings import Finding, Level
    from grader.core.nbgrader_api import course_config
    from grader.engine.settings import Settings
    from grader.engine.submission import Graded, Handed, Kit, mark_handed
    from grader.lms.collect import collect
    from grader.publishing.publish import publish
    from grader.report.write import write_report

__version__ = "0.1.0"
__all__ = [
    "Course",
    "Entry",
    "Finding",
    "Graded",
    "GraderError",
    "Handed",
    "Kit",
    "Level",
    "Settings",
    "__version__",
    "audit_all",
    "check",
    "collect",
    "course_config",
    "end",
    "grade_class",
    "mark_handed",
    "publish",
    "summary",
    "write_report",
]

#: Where each name is. It is imported at first use, since nbgrader alone takes seconds to import.
_HOMES = {
    "grader.audit.audit": ("audit_all",),
    "grader.authoring.check": ("check",),
    "grader.classrun.run": ("end", "grade_class"),
    "grader.classrun.summary": ("Entry", "summary"),
    "grader.core.course": ("Course",),
    "grader.core.errors": ("GraderError",),
    "grader.core.findings": ("Finding", "Level"),
    "grader.core.nbgrader_api": ("course_config",),
    "grader.engine.settings": ("Settings",),
    "grader.engine.submission": ("Graded", "Handed", "Kit", "mark_handed"),
    "grader.lms.collect": ("collect",),
    "grader.publishing.publish": ("publish",),
    "grader.report.write": ("write_report",),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, also those that nobody has used yet."""
    return sorted({*globals(), *__all__})
