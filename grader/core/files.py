"""Write files as a whole or not at all: a run that is cut short leaves the file that was there before."""

from __future__ import annotations

import os
from pathlib import Path

#: Bytes of a name that are kept beside its place: file systems take up to 255, and something is added to it.
_LONGEST = 200


def part_of(path: Path) -> Path:
    """Return where a file is written before it is moved to its place."""
    short = os.fsencode(path.name)[:_LONGEST].decode("utf-8", "ignore")
    return path.with_name(f".{short}.part")


def replace_file(path: Path, content: str | bytes, mode: int | None = None, *, at_most: int | None = None) -> int:
    """Write a file beside its place, then move it there, which the system does in one step.

    A symbolic link at that place is replaced, not followed.

    Args:
        path: Where the file belongs; its folder is made if there is none.
        content: Bytes, or text to be written in UTF-8.
        mode: Permission bits. By default those of the file that is replaced, or what the process' umask leaves.
        at_most: In their place: permission bits of which those are set that the process' umask leaves.

    Returns:
        The size of the file in bytes.

    Raises:
        OSError: If it cannot be written. Nothing is left behind, and a file that was there is unchanged.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode is None and at_most is None and path.is_file() and not path.is_symlink():
        mode = path.stat().st_mode & 0o777
    part = part_of(path)
    try:
        part.unlink(missing_ok=True)  # left by a run that was killed, perhaps write-protected
        part.write_bytes(data)
        if at_most is not None:
            mode = part.stat().st_mode & at_most
        if mode is not None:
            part.chmod(mode)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return len(data)


def write_if_changed(path: Path, content: str | bytes) -> bool:
    """Write a file like `replace_file`, unless it already has this content.

    Returns:
        True if the file was written.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return False
    replace_file(path, data)
    return True
