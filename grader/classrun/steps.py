"""The steps of nbgrader's `autograde` that a configuration names: the known ones, and no others, are done here."""

from __future__ import annotations

from traitlets.config import Config
from traitlets.utils.importstring import import_item

from grader.core.errors import GraderError

#: Steps of nbgrader's `autograde` that marking does itself or takes over, by the names that a configuration gives them.
_STEPS = (
    "grader.nbgrader_plugins.autograde.MarkingExecute", "grader.nbgrader_plugins.autograde.StrictAutoGrades",
    *(f"nbgrader.preprocessors.{name}" for name in (
        "ClearOutput", "DeduplicateIds", "OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata", "IgnorePattern",
        "LimitOutput", "AssignLatePenalties", "Execute", "SaveAutoGrades",
    )),
)  # fmt: skip


def must_be_our_steps(config: Config) -> None:
    """Refuse a configuration with steps of somebody's own, which would silently not be run.

    The classes themselves are compared, imported as nbgrader imports them: a foreign step may have the name of one of
    ours, and one class may be named in several ways.
    """
    named = [*config.Autograde.get("sanitize_preprocessors", []), *config.Autograde.get("autograde_preprocessors", [])]
    known = {import_item(name) for name in _STEPS}
    others = sorted({_name_of(step) for step in named if _class_of(step) not in known})
    if others:
        fix = "mark with `nbgrader autograde`, which runs them, or take them out of nbgrader_config.py"
        raise GraderError(f"`grader grade` does not run {', '.join(others)}", "c.Autograde", fix)


def _class_of(step: str | type) -> type | None:
    """Return the class of a configured step, or None if it cannot be imported, which nbgrader will report."""
    if not isinstance(step, str):
        return step
    try:
        found: type = import_item(step)
        return found
    except Exception:  # importing it runs somebody else's module
        return None


def _name_of(step: str | type) -> str:
    return step if isinstance(step, str) else f"{step.__module__}.{step.__qualname__}"
