"""The folder that something is published into: what is in it already, and what is written, replaced or removed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import replace_file, write_if_changed
from grader.publishing.leaks import Leak

#: What says that a folder was written by this, and which of its files.
MANIFEST = ".published.json"


@dataclass
class Published:
    """What a run did.

    Args:
        written: Files that were made or changed.
        same: Files that were there already as they should be.
        removed: Files that an earlier run had written and that are no more.
        left: Files in the folder that are not of this; they stay.
        refused: Why nothing was done, if so.
    """

    written: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: list[Leak] = field(default_factory=list)


def manifest(course: Course, to: Path) -> dict[str, str]:
    """Return the files that an earlier run wrote into a folder, with their fingerprints.

    Raises:
        GraderError: If the folder is somebody else's.
    """
    if to == course.root or course.root in to.parents or to in course.root.parents:
        fix = "name a folder outside of it, such as ../students"
        raise GraderError("students' files do not go into the instructor's repository", str(to), fix)
    if not to.exists():
        return {}
    if not to.is_dir():
        raise GraderError("it is not a folder", str(to), "name a new folder")
    _refuse_history(course, to)
    path = to / MANIFEST
    if not path.is_file() or path.is_symlink():
        there = sorted(p.name for p in to.iterdir() if p.name != ".git")
        if there:
            text = f"grader publish did not make this folder; it holds {', '.join(there[:5])}"
            raise GraderError(text, str(to), "name a new or empty folder, or a fresh clone of an empty repository")
        return {}
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        inside = all(not Path(name).is_absolute() and ".." not in Path(name).parts for name in files)
        if inside and all(isinstance(digest, str) for digest in files.values()):
            return dict(files)
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    raise GraderError("it cannot be read", str(path), "restore it, or publish into a new folder")


def _refuse_history(course: Course, to: Path) -> None:
    """Refuse a clone of the instructor's repository, or a part of one: its history holds everything."""
    if not (_has_history(course.root) and _has_history(to)):
        return
    commits = _git(course.root, "rev-list", "--all")
    found = _git(to, "cat-file", "--batch-check", given=commits).splitlines()
    if any(not line.endswith(" missing") for line in found):
        fix = "make a repository of its own for the students: git init in an empty folder"
        raise GraderError("its history is that of the instructor's repository", str(to), fix)


def _has_history(folder: Path) -> bool:
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def _git(folder: Path, *arguments: str, given: str = "") -> str:
    """Ask git, of this folder whatever the environment names.

    Raises:
        GraderError: If it does not answer: then it is not known what the folder's history holds.
    """
    command = ["git", "-C", str(folder), *arguments]
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ended = subprocess.run(command, input=given, env=own, capture_output=True, text=True, check=False)
        why = "" if ended.returncode == 0 else ended.stderr.strip() or f"it ended with {ended.returncode}"
    except OSError as error:
        why = f"git cannot be run: {error.strerror}"
    if why:
        fix = "make git work there, or publish into a new folder that is no repository yet"
        raise GraderError(f"git does not tell what its history holds: {why.splitlines()[0]}", str(folder), fix)
    return ended.stdout


def others(to: Path, own: set[str]) -> list[Path]:
    """List the files in the folder that are not of this."""
    found = []
    for folder, names, files in os.walk(to):
        here = Path(folder)
        links = [n for n in names if (here / n).is_symlink()]
        names[:] = [n for n in names if n not in (".git", ".ipynb_checkpoints", ".venv") and n not in links]
        found += [here / n for n in [*files, *links] if (here / n).relative_to(to).as_posix() not in own]
    return sorted(found)


def refuse_edits(to: Path, before: dict[str, str], files: dict[str, bytes], replace: bool) -> None:
    """Refuse to overwrite what somebody edited in the folder since it was published, unless that is wanted.

    Raises:
        GraderError: If something was edited, or is not a file.
    """
    edited = []
    for name in sorted(set(files) | set(before)):
        path = to / name
        if path.is_symlink() or any((to / p).is_symlink() for p in Path(name).parents):
            raise GraderError("it is a link", str(path), "take it away")
        if path.is_file():
            there = path.read_bytes()
            if there != files.get(name) and hashlib.sha256(there).hexdigest() != before.get(name):
                edited.append(name)
        elif path.exists():
            raise GraderError("it is not a file", str(path), "take it away")
    if edited and not replace:
        fix = "make the change in the instructor's repository, or give --replace to lose it"
        raise GraderError(f"edited since it was published: {', '.join(edited)}", str(to), fix)


def write_files(to: Path, files: dict[str, bytes], before: dict[str, str], result: Published) -> None:
    """Bring the folder to what is to be published; files of an earlier run that are no more are removed.

    Args:
        to: The folder.
        files: What is published, by its path.
        before: What an earlier run wrote, with fingerprints.
        result: Takes what was done.
    """
    written = {"files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}}
    to.mkdir(parents=True, exist_ok=True)
    if not before:  # a run that is cut short leaves a folder that the next one knows
        replace_file(to / MANIFEST, _as_json(written))
    for name, data in files.items():
        path = to / name
        (result.written if write_if_changed(path, data) else result.same).append(name)
    for name in sorted(set(before) - set(files)):
        if (to / name).is_file():
            (to / name).unlink()
            result.removed.append(name)
            with contextlib.suppress(OSError):
                (to / name).parent.rmdir()  # if it is empty now
    replace_file(to / MANIFEST, _as_json(written))


def _as_json(content: object) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()
