"""What an error of a database means, read from its codes: the texts differ with version and language of the server."""

from __future__ import annotations

import sqlite3

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from grader.core.errors import GraderError

#: What an address of a gradebook may be.
ADDRESSES = "a SQLAlchemy URL: sqlite:////FILE, or postgresql+psycopg://USER@HOST/DATABASE (grader/README.md)"

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


#: How often something is worth trying, a tenth of a second apart: what another program holds up, and a connection that
#: is refused by a server that takes connections. It may be full for a moment, but mostly it does not know the user, the
#: password or the database, and whoever mistyped one of these should not wait long to be told.
HELD_UP, TURNED_AWAY = 100, 10


def read_address(db_url: str) -> URL:
    """Read the address of a gradebook.

    Raises:
        GraderError: If it is none.
    """
    try:
        return make_url(db_url)
    except (ArgumentError, ValueError):  # a port that is no number
        what = "the gradebook's address cannot be read"
        raise GraderError(what, "CourseDirectory.db_url", f"give {ADDRESSES}") from None


#: What may be shown of what stands behind the question mark of an address. Anything else may be a secret, or one with a
#: slip of the pen in its name.
_SHOWN = {"application_name", "connect_timeout", "dbname", "host", "port", "sslmode", "sslrootcert", "timeout"}


def shown_address(url: URL) -> str:
    """Return an address as it may be shown: without what may be a password, which can stand in several places."""
    secret = [name for name in url.query if name not in _SHOWN or _is_list(url.query[name])]
    shown = url.difference_update_query(secret)
    if shown.database and _is_list(shown.database):
        shown = shown.set(database="***")
    return shown.render_as_string(hide_password=True)


def _is_list(value: str | tuple[str, ...]) -> bool:
    """Return whether PostgreSQL may read a value as a list of settings, a password among them."""
    return "=" in (value if isinstance(value, str) else "=".join(value))


def worth_trying(error: Exception, db_url: str) -> int:
    """Return how often an action is worth trying, a tenth of a second apart, when it ends in an error.

    Args:
        error: From SQLAlchemy or nbgrader.
        db_url: SQLAlchemy URL of the database.

    Returns:
        `HELD_UP` tries for what another program may be the cause of, 1 for what stays as it is. `TURNED_AWAY` for a
        connection that PostgreSQL refuses: libpq passes on no SQLSTATE for it, so a wrong password or a missing
        database looks like a server that has no connection left.
    """
    if not isinstance(error, DBAPIError):
        return HELD_UP
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return 1 if int(code) & _CODE in _LASTING else HELD_UP
    if not isinstance(error, OperationalError):
        return HELD_UP  # what another program makes at the same moment exists already
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if state is not None:
        return HELD_UP if str(state).startswith(_PASSING) else 1
    return _tries_of_a_refused_connection(db_url)


def _tries_of_a_refused_connection(db_url: str) -> int:
    """Return how often a connection is worth trying that was refused, from what a PostgreSQL server says to a ping."""
    try:
        from psycopg import conninfo, pq
    except ImportError:
        return 1
    url = make_url(db_url)
    if url.get_backend_name() != "postgresql":
        return 1
    _, options = url.get_dialect()().create_connect_args(url)
    answer = pq.Ping(pq.PGconn.ping(conninfo.make_conninfo(**options).encode()))
    return {pq.Ping.OK: TURNED_AWAY, pq.Ping.REJECT: HELD_UP}.get(answer, 1)  # it rejects all while it starts or stops
