"""What is kept of each marked submission, in a table of its own beside nbgrader's in the gradebook.

It is written in the same transaction as the marks, so that a run that is killed at any point knows afterwards what is
done and what is not, on SQLite as on PostgreSQL.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from weakref import WeakSet

from nbgrader.api import Gradebook
from sqlalchemy import Column, Engine, MetaData, String, Table, Text, inspect, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError

from ..course import Course
from ..errors import GraderError

_TABLE = Table(
    "marking_record",
    MetaData(),
    Column("assignment", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("at", String(32), nullable=False),
    Column("result", Text, nullable=False),
)
#: Modules that measure, show or try out marking and have no part in it.
_ONLOOKERS = {"bench", "crowd", "damage", "doctor", "floor", "formgrader"}
#: Records that are read at a time.
_PAGE = 500
#: Databases that can put a row in the place of another in one step.
_INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def fingerprint(*parts: bytes) -> str:
    """Give a short name to some bytes that other bytes do not have."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """Give the fingerprint of what marks: its own source, the interpreter and the libraries that take part."""
    package = Path(__file__).parents[1]
    own = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.stem not in _ONLOOKERS]
    own += [package / name for name in ("notebook.py", "audit/catalogue.py", "audit/template.py")]
    versions = [sys.version]
    for name in ("numpy", "keras", "tensorflow", "matplotlib", "ipython", "nbformat", "nbgrader"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    return fingerprint(*(path.read_bytes() for path in own), *(v.encode() for v in versions))


def catalogue_of(source: Path) -> Path:
    """Give the folder of an assignment's catalogue.

    Args:
        source: Its source notebook, in a course's `solutions/`.
    """
    return Course(source.parents[2]).catalogue / source.stem


def tests_fingerprint(source: Path) -> str:
    """Give the fingerprint of an assignment: its source notebook, its catalogue, and what marks it."""
    catalogue = sorted(catalogue_of(source).glob("*.py"))
    parts = [source.read_bytes(), environment().encode()]
    return fingerprint(*parts, *(part for path in catalogue for part in (path.name.encode(), path.read_bytes())))


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


def read(gradebook: Gradebook, assignment: str, student: str) -> dict | None:
    """Give the record of a submission, or None if this project never marked it."""
    _make_table(gradebook.engine)
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


def write(gradebook: Gradebook, assignment: str, student: str, result: dict) -> None:
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
