"""What is kept of each marked submission, in a table of its own beside nbgrader's in the gradebook.

It is written in the same transaction as the marks, so that a run that is killed at any point knows afterwards what is
done and what is not, on SQLite as on PostgreSQL.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakSet

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy import Column, Engine, MetaData, String, Table, Text, inspect, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from grader.core.databases import read_address
from grader.core.errors import GraderError, first_line

_TABLE = Table(
    "marking_record",
    MetaData(),
    Column("assignment", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("at", String(32), nullable=False),
    Column("result", Text, nullable=False),
)
#: Records that are read at a time.
_PAGE = 500
#: Databases that can put a row in the place of another in one step.
_INSERT: dict[str, Callable[[Table], Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


_made: WeakSet[Engine] = WeakSet()


def _make_table(engine: Engine) -> None:
    """Make the table if need be, once for each engine; another process may be doing the same."""
    if engine in _made:
        return
    try:
        _TABLE.create(bind=engine, checkfirst=True)
    except DatabaseError:
        if not inspect(engine).has_table(_TABLE.name):
            raise
    _made.add(engine)


def read(gradebook: Gradebook, assignment: str, student: str) -> dict[str, Any] | None:
    """Give the record of a submission, or None if this project never marked it.

    The table is made if need be: later, with something written but not committed, it could not be.
    """
    _make_table(gradebook.engine)
    return _record(gradebook, assignment, student)


def look_up(gradebook: Gradebook, assignment: str, student: str) -> dict[str, Any] | None:
    """Give what `read` gives, and write nothing."""
    if gradebook.engine not in _made and not inspect(gradebook.engine).has_table(_TABLE.name):
        return None
    return _record(gradebook, assignment, student)


def _record(gradebook: Gradebook, assignment: str, student: str) -> dict[str, Any] | None:
    query = select(_TABLE.c.result).where(_TABLE.c.assignment == assignment, _TABLE.c.student == student)
    row = gradebook.db.execute(query).first()
    return None if row is None else json.loads(row[0])


def read_all(gradebook: Gradebook, assignments: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """Give the records of whole assignments, one after the other: `(assignment, student, at, result as JSON text)`.

    They are read a page at a time: those of a large class do not fit into memory, and as long as a query is open nobody
    else can write to SQLite.
    """
    _make_table(gradebook.engine)
    return _pages(gradebook, assignments)


def _pages(gradebook: Gradebook, assignments: list[str]) -> Iterator[tuple[str, str, str, str]]:
    columns = (_TABLE.c.assignment, _TABLE.c.student, _TABLE.c.at, _TABLE.c.result)
    query = select(*columns).where(_TABLE.c.assignment.in_(assignments)).order_by(*columns[:2]).limit(_PAGE)
    rows = gradebook.db.execute(query).all()
    while rows:
        yield from (tuple(row) for row in rows)
        rows = gradebook.db.execute(query.where(tuple_(*columns[:2]) > tuple(rows[-1][:2]))).all()


def write(gradebook: Gradebook, assignment: str, student: str, result: dict[str, Any]) -> None:
    """Replace the record of a submission; the caller commits.

    Raises:
        GraderError: If the gradebook is neither in SQLite nor in PostgreSQL.
    """
    _make_table(gradebook.engine)
    name = gradebook.engine.dialect.name
    if name not in _INSERT:
        raise GraderError(f"marks cannot be kept in {name}", "CourseDirectory.db_url", "use SQLite or PostgreSQL")
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    # In ASCII, with escapes: PostgreSQL takes neither NUL nor half of a surrogate pair, and students hand in both.
    row = {"at": now, "result": json.dumps(result, ensure_ascii=True)}
    insert = _INSERT[name](_TABLE).values(assignment=assignment, student=student, **row)
    gradebook.db.execute(insert.on_conflict_do_update(index_elements=["assignment", "student"], set_=row))


def students_with_submissions(db_url: str, course_id: str) -> set[str]:
    """Return the ids under which a gradebook has submissions; none if there is no gradebook yet.

    Raises:
        GraderError: If it cannot be read.
    """
    try:
        url = read_address(db_url)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
            return set()
        with Gradebook(db_url, course_id) as gradebook:
            return set(gradebook.db.scalars(select(SubmittedAssignment.student_id).distinct()))
    except SQLAlchemyError as error:
        fix = "see to the database and its address, and run it again"
        raise GraderError(f"it cannot be read: {first_line(error)}", "the gradebook", fix) from None
