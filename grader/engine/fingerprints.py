"""Fingerprints of what marks and of what is marked: they decide whether a submission has to be marked again."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import sys
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.names import bare

#: The packages that decide a mark. A change in any of their modules has every submission marked again.
DECIDING = ("core", "languages", "submissions", "sandbox", "engine", "gradebook")


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
    own = [path for name in DECIDING for path in sorted((package / name).rglob("*.py"))]
    versions = [sys.version]
    for name in ("numpy", "keras", "tensorflow", "tensorflow-cpu", "matplotlib", "ipython", "nbformat", "nbgrader"):
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
    """Give the fingerprint of an assignment: its source notebook, its catalogue, its translations, what marks it."""
    locale = Course(source.parents[2]).root / "assets" / "locale"
    translated = [locale.glob(f"*/{name}.po") for name in (source.stem, "frame", "helpers/*")]
    catalogue = sorted([*catalogue_of(source).glob("*.py"), *(path for paths in translated for path in paths)])
    parts = [source.read_bytes(), environment().encode()]
    return fingerprint(*parts, *(part for path in catalogue for part in (path.name.encode(), path.read_bytes())))


def points_fingerprint(source: NotebookNode) -> str:
    """Give the fingerprint of what a source notebook has points for: its tests, their points, and what they rely on.

    Unlike `tests_fingerprint` it is of the instructor's own notebook alone. Neither another version of the grader or of
    its helpers, nor prose, comments and known mistakes change it, as they change nobody's points.
    """
    parts = []
    for cell in source.cells:
        kind = kind_of(cell)
        if kind in (CellKind.TEST, CellKind.WRITTEN, CellKind.GIVEN, CellKind.STUDENT_SIDE):
            points = cell.metadata.get("nbgrader", {}).get("points") or 0  # a cell that is only locked may have None
            code = "" if kind is CellKind.WRITTEN else bare(cell.source)
            parts.append(f"{kind.value} {grade_id(cell)} {float(points)}\n{code}")
    return fingerprint(*(part.encode("utf-8", "surrogatepass") for part in parts))
