"""What an error of a database means, read from its codes: the texts differ with version and language of the server."""

from __future__ import annotations

import sqlite3

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

#: SQLite: no such folder, no right to it, not a database. Anything else may pass, such as a lock of somebody else.
_LASTING = {
    sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY,
}  # fmt: skip
#: The low byte of SQLite's extended codes is the code itself.
_CODE = 0xFF
#: PostgreSQL, SQLSTATE: rolled back for somebody else's sake (class 40), short of connections or memory (class 53), the
#: object is in use, the lock is taken, the server starts or stops.
_PASSING = ("40", "53", "55006", "55P03", "57P03")


def may_pass(error: Exception, db_url: str) -> bool:
    """Return whether an error may go away when the same is tried again a moment later.

    Args:
        error: From SQLAlchemy or nbgrader.
        db_url: SQLAlchemy URL of the database.
    """
    if not isinstance(error, DBAPIError):
        return True
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return int(code) & _CODE not in _LASTING
    if not isinstance(error, OperationalError):
        return True  # what another program makes at the same moment exists already
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if state is not None:
        return str(state).startswith(_PASSING)
    return _answers(db_url)


def _answers(db_url: str) -> bool:
    """Return whether a PostgreSQL server is there at all.

    A connection that it refuses has no SQLSTATE: libpq does not pass it on. The server may be starting, may be full for
    the moment, or may not know the user.
    """
    try:
        from psycopg import conninfo, pq
    except ImportError:
        return False
    url = make_url(db_url)
    if url.get_backend_name() != "postgresql":
        return False
    _, options = url.get_dialect()().create_connect_args(url)
    return pq.PGconn.ping(conninfo.make_conninfo(**options).encode()) in (pq.Ping.OK, pq.Ping.REJECT)
