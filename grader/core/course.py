"""Where the parts of the course are on disk."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core.errors import GraderError

ASSIGNMENT_PATTERN = re.compile(r"\d\d_[a-z0-9_]+")


@dataclass(frozen=True)
class Course:
    """The folders of one checkout of the course.

    Args:
        root: Folder that holds `nbgrader_config.py`.
    """

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Course:
        """Find the course that a folder belongs to. Its configuration is a program, which most commands run.

        Args:
            start: Folder to begin at; the current one by default. If it is a course itself, whoever named it wants it.

        Raises:
            GraderError: If neither the folder nor one above it is a course, or if the course is another user's.
        """
        named = Path(start).resolve() if start else None
        here = named or Path.cwd().resolve()
        if course := cls._around(here):
            if course.root != named:
                _refuse_strangers(course.root / "nbgrader_config.py")
            return course
        raise GraderError(
            "no course here: neither this folder nor one above it holds nbgrader_config.py and solutions/",
            str(here),
            "change into the repository, or name it with --course DIR",
        )

    @classmethod
    def nearest(cls) -> Course | None:
        """Return the course around the current folder, or else around this package; None if there is neither."""
        return cls._around(Path.cwd().resolve()) or cls._around(Path(__file__).resolve().parent)

    @classmethod
    def _around(cls, here: Path) -> Course | None:
        for folder in (here, *here.parents):
            if (folder / "nbgrader_config.py").is_file() and (folder / "solutions").is_dir():
                return cls(folder)
        return None

    @property
    def solutions(self) -> Path:
        """The source notebooks (nbgrader's source directory)."""
        return self.root / "solutions"

    @property
    def release(self) -> Path:
        """The notebooks as students get them (nbgrader's release directory)."""
        return self.root / "notebooks"

    @property
    def helpers(self) -> Path:
        """The helper modules that the notebooks carry."""
        return self.root / "assets" / "helpers"

    @property
    def web(self) -> Path:
        """What the pages of the web edition look like."""
        return self.root / "assets" / "web"

    @property
    def frames(self) -> Path:
        """Pictures for the sliders of the web edition, drawn beforehand."""
        return self.web / "frames"

    @property
    def catalogue(self) -> Path:
        """The wrong and right answers of each exercise."""
        return self.root / "grader" / "catalogue"

    @property
    def local(self) -> Path:
        """Gradebook, submissions, marked notebooks and feedback; not under version control."""
        return self.root / "grader" / "local"

    @property
    def build(self) -> Path:
        """Throw-away files."""
        return self.root / "build"

    def repository(self, language: str = "") -> str:
        """Where the notebooks are published on GitHub: `owner/name`, from `[tool.course]` of pyproject.toml.

        Args:
            language: Of the notebooks; `[tool.course.repositories]` names those of other languages than English. The
                default, and a language that has none of its own, means the course's.
        """
        own = self._settings()
        return str(own.get("repositories", {}).get(language) or own.get("repository", "OWNER/attention-course"))

    @property
    def shown(self) -> list[str]:
        """Answers, as `assignment/grade_id`, whose solution other code of the course shows on purpose."""
        return list(map(str, self._settings().get("shown", [])))

    def _settings(self) -> dict[str, Any]:
        path = self.root / "pyproject.toml"
        settings = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return dict(settings.get("tool", {}).get("course", {}))

    @property
    def has_address(self) -> bool:
        """Whether the repository on GitHub was named, or still is the placeholder."""
        return self.repository().split("/")[0] != "OWNER"

    def assignments(self) -> list[str]:
        """List the assignments in order: folders of `solutions/` that hold the notebook of their name."""
        return sorted(p.parent.name for p in self.solutions.glob("*/*.ipynb") if p.stem == p.parent.name)

    def select(self, names: list[str]) -> list[str]:
        """Resolve names as given on the command line.

        Args:
            names: Assignments, or their numbers (`"2"`, `"02"`); none means all.

        Raises:
            GraderError: If a name fits no assignment.
        """
        known = self.assignments()
        if not names:
            return known
        chosen = []
        for name in names:
            wanted = name.strip("/").rsplit("/", 1)[-1].removesuffix(".ipynb")
            number = wanted.zfill(2) if wanted.isdigit() else None
            found = [a for a in known if a == wanted or (number and a.startswith(number + "_"))]
            if not found:
                fix = f"one of: {', '.join(known)}, or their numbers"
                raise GraderError(f"no assignment named {name!r}", str(self.solutions), fix)
            chosen += found
        return chosen

    def source(self, assignment: str) -> Path:
        """Path of an assignment's source notebook."""
        return self.solutions / assignment / f"{assignment}.ipynb"

    def released(self, assignment: str) -> Path:
        """Path of an assignment's released notebook."""
        return self.release / assignment / f"{assignment}.ipynb"


def to_grade(assignment: str) -> str:
    """Return the advice to mark an assignment, which commands take by its number."""
    number, _, words = assignment.partition("_")
    return f"run `grader grade {number if number.isdigit() and words else assignment}` first"


def _refuse_strangers(path: Path) -> None:
    """Refuse a program that neither this user nor root owns: a folder that one stands in may be anybody's."""
    if hasattr(os, "geteuid") and path.stat().st_uid not in (0, os.geteuid()):
        fix = f"read that file; if you trust it, name the course: --course {path.parent}"
        raise GraderError("another user owns this course's configuration, which would run as you", str(path), fix)
