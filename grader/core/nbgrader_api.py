"""Open nbgrader on the course, with the configuration that `nbgrader` itself would read."""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbgrader
from nbgrader.api import Base, Gradebook, InvalidEntry, Student
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import create_engine, inspect, select, text
from sqlalchemy.exc import DatabaseError, NoSuchModuleError, SAWarning
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.databases import ADDRESSES, read_address, shown_address, worth_trying
from grader.core.errors import GraderError, first_line
from grader.core.escaping import printable_line
from grader.core.notebook import read_notebook

#: The course that nbgrader's own steps enter when they open the gradebook, whatever the course is called.
_NBGRADERS_COURSE = "default_course"
#: By this number, processes that prepare a gradebook in PostgreSQL wait for one another.
_LOCK = 7_205_759


def course_config(course: Course) -> Config:
    """Load the course's `nbgrader_config.py`."""
    config: Config = PyFileConfigLoader("nbgrader_config.py", path=str(course.root)).load_config()
    return config


def folders_config(config: Config, folder: Path) -> Config:
    """Return a copy of a configuration whose gradebook, releases and submissions are in one folder of their own.

    Args:
        config: The course's configuration; its source folder is kept.
        folder: Where everything else goes.

    Returns:
        The copy.
    """
    own = Config(config.copy())
    own.CourseDirectory.source_directory = str(Path(own.CourseDirectory.root) / own.CourseDirectory.source_directory)
    own.CourseDirectory.root = str(folder)
    for step in ("release", "submitted", "autograded", "feedback", "solution"):
        own.CourseDirectory[f"{step}_directory"] = step
    own.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    return own


def find_own_programs() -> None:
    """Have nbgrader find the program `alembic` of its own environment, which need not be the activated one."""
    own = str(Path(sys.executable).parent)
    if own not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = own + os.pathsep + os.environ.get("PATH", "")


class _Log(logging.FileHandler):
    """A log that hides nothing: that its disk is full is said once, and errors that end a run stay what they are."""

    _is_cut = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Say that the file takes no more; any other mistake is shown as Python's logging does."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._is_cut:
            self._is_cut = True
            print(f"{self.baseFilename}: the log cannot be written: {error.strerror}", file=sys.stderr)

    def close(self) -> None:
        """Close the file, with what it still takes."""
        with contextlib.suppress(OSError):
            super().close()


@contextmanager
def open_nbgrader(config: Config, log_to: Path | None = None) -> Iterator[NbGraderAPI]:
    """Open nbgrader's Python interface.

    Args:
        config: Configuration, of the course or derived from it.
        log_to: File for nbgrader's log, which is long, and for warnings and errors of our own; appended to.

    Raises:
        GraderError: If the gradebook cannot be opened.
    """
    find_own_programs()
    logger, ours = logging.getLogger("traitlets"), logging.getLogger("grader")
    handler = _Log(log_to, encoding="utf-8") if log_to else logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    saved = logger.handlers[:], logger.level, logger.propagate
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
    if log_to:
        ours.addHandler(handler)
    try:
        with warnings.catch_warnings():
            # nbgrader walks over objects that are about to be saved; it says nothing about this course.
            warnings.filterwarnings("ignore", category=SAWarning, module="nbgrader")
            api = NbGraderAPI(CourseDirectory(config=config), config=config)
            if not config.GenerateAssignment.get("no_database"):
                prepare_gradebook(api.coursedir.db_url, api.coursedir.course_id)
            yield api
    finally:
        ours.removeHandler(handler)
        handler.close()
        logger.handlers, logger.level, logger.propagate = saved


def prepare_gradebook(db_url: str, course_id: str) -> None:
    """Make the gradebook's tables and courses, whoever else is doing so at the same time, and mend what was cut short.

    nbgrader makes tables, the mark of their version and the course in three steps and takes it that nobody else does;
    a run that ends between the first and the second leaves a gradebook that `nbgrader db upgrade` cannot take.

    Args:
        db_url: SQLAlchemy URL.
        course_id: Id of the course.

    Raises:
        GraderError: If the URL is none, its driver is not installed or the server does not answer.
    """
    shown = shown_address(read_address(db_url))
    for tried in itertools.count(1):
        try:
            with _alone_with(db_url):
                _make_tables(db_url)
                with Gradebook(db_url, course_id) as gradebook:
                    gradebook.check_course(_NBGRADERS_COURSE)
            return
        except (ImportError, NoSuchModuleError) as error:
            fix = f"for PostgreSQL: pip install 'psycopg[binary]' and write postgresql+psycopg://...; else {ADDRESSES}"
            raise GraderError(f"no driver for the gradebook's database: {error}", shown, fix) from None
        except (DatabaseError, InvalidEntry) as error:
            # Another program was faster, most likely; what it made is there the next time.
            if tried >= worth_trying(error, db_url):
                fix = "see that the server runs and lets this user in; a SQLite file's folder must exist"
                raise GraderError(f"the gradebook cannot be opened: {first_line(error)}", shown, fix) from None
            time.sleep(0.1)


def _make_tables(db_url: str) -> None:
    """Make nbgrader's tables and the mark of their version where they are missing.

    nbgrader does the same, but starts the program `alembic` to ask for the version, which takes seconds.
    """
    engine = create_engine(db_url)
    try:
        with engine.begin() as link:
            Base.metadata.create_all(bind=link)
            if not inspect(link).has_table("alembic_version"):
                link.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
                values = {"version": _version_of_tables()}
                link.execute(text("INSERT INTO alembic_version (version_num) VALUES (:version)"), values)
    finally:
        engine.dispose()


@functools.cache
def _version_of_tables() -> str | None:
    """Return the name that the installed nbgrader's migrations give to the newest form of its tables."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head()


@contextmanager
def _alone_with(db_url: str) -> Iterator[None]:
    """Wait until nobody else prepares the same gradebook; PostgreSQL lets go when a process ends, however it ends."""
    engine = create_engine(db_url)
    try:
        if engine.dialect.name != "postgresql":
            yield
            return
        with engine.connect() as link:
            link.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
            yield
    finally:
        engine.dispose()


def enter_class(api: NbGraderAPI, assignments: list[str], students: list[str]) -> None:
    """Enter assignments and students into the gradebook that are not in it; several processes may do so at once.

    nbgrader would enter each when it meets it, and takes it that nobody else does. An assignment is entered again if it
    is not there to the end: a release can be cut short too.

    Args:
        api: From `open_nbgrader`.
        assignments: Assignments with a source notebook.
        students: Ids of students.

    Raises:
        GraderError: If nbgrader cannot release an assignment.
    """
    folders = api.coursedir
    with _alone_with(folders.db_url):
        with Gradebook(folders.db_url, folders.course_id) as gradebook:
            known = {
                a.name: (
                    {c.name: c.max_score for n in a.notebooks for c in n.grade_cells},
                    {c.name for n in a.notebooks for c in n.source_cells},
                )
                for a in gradebook.assignments
            }
            there = set(gradebook.db.scalars(select(Student.id)))
            gradebook.db.add_all(Student(id=name) for name in sorted(set(students) - there))
            gradebook.db.commit()
        for assignment in assignments:
            source = Path(folders.format_path(folders.source_directory, ".", assignment)) / f"{assignment}.ipynb"
            cells = [c for c in read_notebook(source).cells if grade_id(c)]
            graded = {
                grade_id(c): float(c.metadata.nbgrader.points)
                for c in cells
                if kind_of(c) in (CellKind.TEST, CellKind.WRITTEN)
            }
            if known.get(assignment) != (graded, {grade_id(c) for c in cells}):
                result = api.generate_assignment(assignment)
                if not result["success"]:
                    reason = f"nbgrader could not release it: {failure_reason(result)}"
                    fix = how_to_go_on(api, assignment) or "run `grader release`, then see nbgrader's log"
                    raise GraderError(reason, assignment, fix)


def how_to_go_on(api: NbGraderAPI, assignment: str) -> str:
    """Return what to do about an assignment that got other cells although it has submissions; nbgrader refuses that.

    Args:
        api: From `open_nbgrader`.
        assignment: What nbgrader would not release.

    Returns:
        A sentence; nothing if this is not the reason.
    """
    folders = api.coursedir
    with Gradebook(folders.db_url, folders.course_id) as gradebook:
        found = [a for a in gradebook.assignments if a.name == assignment and a.submissions]
        before = {cell.name for a in found for notebook in a.notebooks for cell in notebook.source_cells}
    source = Path(folders.format_path(folders.source_directory, ".", assignment)) / f"{assignment}.ipynb"
    now = {name for cell in read_notebook(source).cells if (name := grade_id(cell))}
    gone, new = sorted(before - now), sorted(now - before)
    if not found or not (gone or new):
        return ""
    back = f"put {', '.join(gone)} back (a test shall not count any more? leave `assert True` in it)"
    steps = [back] * bool(gone) + [f"take {', '.join(new)} out again"] * bool(new)
    kept = "what was collected and marked is kept (CONTRIBUTING.md, *Correcting a notebook in mid-term*)"
    return f"{' and '.join(steps)}, then run `grader release` and `grader grade`; {kept}"


class PenaltyUnknown(Exception):
    """What is taken off for being late cannot be said: nbgrader's plugin failed, which is a program of somebody's."""


def late_penalty(gradebook: Gradebook, config: Config, assignment: str, student: str, late_s: float) -> float | None:
    """Return what nbgrader's plugin takes off for being late, or None for nothing.

    Args:
        gradebook: nbgrader's, with all that is written committed: the plugin gets a session of its own.
        config: nbgrader's configuration; it names the plugin.
        assignment: Assignment id.
        student: Student id.
        late_s: Seconds after the due date.

    Returns:
        Between nothing and all points.

    Raises:
        PenaltyUnknown: If the plugin fails, or returns what is no number.
    """
    with _late_step(gradebook, config, assignment, student) as step:
        with Gradebook(step.db_url, gradebook.course_id) as step.gradebook:
            points = step.gradebook.find_submission_notebook(assignment, assignment, student).score
            penalty = step.plugin_inst.late_submission_penalty(student, points, late_s)
        if penalty is None:
            return None
        if not math.isfinite(number := float(penalty)):
            raise ValueError(f"the plugin returned {penalty}")
        return float(min(max(number, 0.0), points))


def late_policy(gradebook: Gradebook, config: Config, assignment: str) -> str:
    """Return what decides what is taken off for being late, as text: nbgrader's plugin and its settings.

    It is empty if nothing is: nbgrader's own plugin takes nothing off, unless it is told.

    Arguments as for `late_penalty`.

    Raises:
        PenaltyUnknown: If the plugin cannot be made, as after a setting that is wrong.
    """
    with _late_step(gradebook, config, assignment) as step:
        plugin = step.plugin_inst
        kind = type(plugin)
        if kind is LateSubmissionPlugin and plugin.penalty_method == "none":
            return ""
        return f"{kind.__module__}.{kind.__qualname__} {_as_text(plugin.trait_values(config=True))}"


def _as_text(value: object) -> str:
    """Return a setting as text that is the same in another process, which sets and addresses are not."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{_as_text(key)}: {_as_text(of)}' for key, of in value.items()))}}}"
    if isinstance(value, Set):
        return f"{{{', '.join(sorted(map(_as_text, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_text, value))}]"
    return re.sub(r"\bat 0x[0-9a-f]+", "", repr(value), flags=re.I)


@contextmanager
def _late_step(
    gradebook: Gradebook, config: Config, assignment: str, student: str | None = None
) -> Iterator[AssignLatePenalties]:
    """Yield nbgrader's step with what it tells its plugin; whatever fails then is the plugin's doing."""
    try:
        step = AssignLatePenalties(config=config)
        step.db_url = gradebook.engine.url.render_as_string(hide_password=False)
        step.assignment_id = step.notebook_id = assignment
        step.student_id = student
        step.init_plugin()
        yield step
    except (Exception, SystemExit) as error:
        raise PenaltyUnknown(printable_line(f"{type(error).__name__}: {error}")) from error


def failure_reason(result: dict[str, Any]) -> str:
    """Find the sentence that says why nbgrader failed in what its interface returned.

    Args:
        result: What a method of `NbGraderAPI` returned.

    Returns:
        One line, such as `"RuntimeError: no end solution statement found"`.
    """
    text = f"{result.get('log') or ''}\n{result.get('error') or ''}"
    errors = re.findall(r"^\s*(?:\w+\.)*(\w*(?:Error|Exception|Timeout)\w*: .+)$", text, re.M)
    return (errors or text.strip().splitlines()[-1:] or ["no reason given"])[0].strip()
