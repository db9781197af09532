"""Pseudonyms that stay the same from report to report and cannot be turned back without the key.

A pseudonym is a keyed digest (HMAC-SHA-256) of the student's id, cut to 40 bits. A plain digest would not do: anybody
with a list of the class could compute the digest of each id. The key never leaves `grader/local`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from grader.core.errors import GraderError

KEY_BYTES = 32
KEY_FILE = "report.key"


def read_key(folder: Path) -> bytes:
    """Read the key of a course, or make one.

    Args:
        folder: `grader/local`.

    Returns:
        The key.

    Raises:
        GraderError: If the file that should hold the key holds none.
    """
    path = folder / KEY_FILE
    folder.mkdir(0o700, parents=True, exist_ok=True)
    # Two runs at once agree on one key: only one of them creates the file.
    with contextlib.suppress(FileExistsError):
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        fix = "restore it from a backup, or delete it: a new one is made, and every pseudonym changes"
        raise GraderError("this holds no key for pseudonyms", str(path), fix)
    return key


def pseudonym(key: bytes, student: str) -> str:
    """Return the pseudonym of a student, such as `S-4KQ7-ZB2N`.

    Args:
        key: From `read_key`.
        student: Student id.
    """
    digest = hmac.new(key, student.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    letters = base64.b32encode(digest[:5]).decode("ascii")
    return f"S-{letters[:4]}-{letters[4:]}"
