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
from pathlib import Path

from nbgrader.api import Gradebook
from sqlalchemy import Column, MetaData, String, Table, Text, delete, select

_TABLE = Table(
    "marking_record",
    MetaData(),
    Column("assignment", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("at", String(32), nullable=False),
    Column("result", Text, nullable=False),
)


def fingerprint(*parts: bytes) -> str:
    """Give a short name to some bytes that other bytes do not have."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """Give the fingerprint of what marks: its own source, the interpreter and the libraries of the tests."""
    own = sorted(Path(__file__).parent.glob("*.py"))
    versions = [sys.version]
    for name in ("numpy", "keras", "tensorflow", "ipython", "nbgrader"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    return fingerprint(*(path.read_bytes() for path in own), *(v.encode() for v in versions))


def tests_fingerprint(source: Path) -> str:
    """Give the fingerprint of an assignment: its source notebook with helpers, tests and all, and what marks it."""
    return fingerprint(source.read_bytes(), environment().encode())


def read(gradebook: Gradebook, assignment: str, student: str) -> dict | None:
    """Give the record of a submission, or None if this project never marked it."""
    _TABLE.create(bind=gradebook.engine, checkfirst=True)
    query = select(_TABLE.c.result).where(_TABLE.c.assignment == assignment, _TABLE.c.student == student)
    row = gradebook.db.execute(query).first()
    return None if row is None else json.loads(row[0])


def write(gradebook: Gradebook, assignment: str, student: str, result: dict) -> None:
    """Replace the record of a submission; the caller commits."""
    _TABLE.create(bind=gradebook.engine, checkfirst=True)
    gradebook.db.execute(delete(_TABLE).where(_TABLE.c.assignment == assignment, _TABLE.c.student == student))
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    text = json.dumps(result, ensure_ascii=True)
    gradebook.db.execute(_TABLE.insert().values(assignment=assignment, student=student, at=now, result=text))
