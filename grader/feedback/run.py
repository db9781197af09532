"""The feedback pages of a class: several at a time, and none that has not changed.

The pages are those of `nbgrader generate_feedback`, at the same place and by the same steps, so that nbgrader's own
commands release them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from nbformat import validate
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from grader.core.course import to_grade
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.files import replace_file
from grader.core.notebook import read_notebook
from grader.feedback.clock import Made, make_all
from grader.feedback.marks import NotebookMarks
from grader.feedback.page import FeedbackExporter
from grader.feedback.spoken import Voice
from grader.gradebook import records
from grader.gradebook.outdated import Basis, outdated
from grader.languages import catalogues
from grader.languages.catalogues import languages, translating
from grader.submissions.file_names import quoted

#: Bytes at the beginning of a page that hold what it was made from.
_HEAD = 600


class Outcome(StrEnum):
    """What became of a page."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    PLAIN = "only the points"  # its time was up
    FAILED = "failed"


@dataclass(frozen=True)
class Page:
    """One student's page.

    Args:
        assignment: Assignment id.
        student: Student id.
        outcome: What became of it.
        cpu_s: CPU seconds that it took.
        size: Its bytes.
        why: For `FAILED`: what happened.
    """

    assignment: str
    student: str
    outcome: Outcome
    cpu_s: float = 0.0
    size: int = 0
    why: str = ""

    def line(self) -> str:
        """Describe it in a line."""
        head = f"{printable_line(self.student, 60):18} {self.assignment:26} {self.outcome}"
        if self.outcome is Outcome.FAILED:
            return f"{head}: {printable_line(self.why)}"
        return f"{head}, {self.size / 1000:.0f} kB" + (f", {self.cpu_s:.2f} CPU s" if self.cpu_s else "")


def write_pages(
    config: Config,
    assignments: Iterable[str],
    students: Sequence[str] = (),
    *,
    force: bool = False,
    jobs: int = 1,
    say: Callable[[str], object] = lambda line: None,
) -> list[Page]:
    """Write the feedback pages of all submissions that were marked.

    Args:
        config: nbgrader's configuration.
        assignments: Which assignments.
        students: Which students; none means all.
        force: Also write those that have not changed.
        jobs: How many at once.
        say: Receives a line for each.

    Returns:
        An entry for each page.

    Raises:
        GraderError: If a student is named of whom nothing was marked.
    """
    run = _Run(config, force)
    found = list(run.submissions(assignments, students))
    if unknown := sorted(set(students) - {student for _, student in found}):
        fix = "give an id, or the name of the folder that was handed in, of somebody who was marked"
        raise GraderError(f"no marked submission of {', '.join(map(printable_line, unknown))}", "--student", fix)
    pages = []
    for page in run.pages(found, jobs):
        pages.append(page)
        say(f"[{len(pages)}/{len(found)}] {page.line()}")
    return pages


def look_at(config: Config, pages: Iterable[Page]) -> list[str]:
    """Name marks on pages that are not of the notebook, or penalties not of the points, that there are now.

    Args:
        config: nbgrader's configuration.
        pages: From `write_pages`.
    """
    shown: dict[str, set[str]] = {}
    for page in pages:
        if page.outcome is not Outcome.FAILED:
            shown.setdefault(page.assignment, set()).add(page.student)
    folders, found = CourseDirectory(config=config), list[str]()
    with Gradebook(folders.db_url, folders.course_id) as gradebook:
        for assignment, students in shown.items():
            source = Path(folders.format_path(folders.source_directory, ".", assignment)) / f"{assignment}.ipynb"
            all_records = records.read_all(gradebook, [assignment])
            some = {student: Basis.of(json.loads(text)) for _, student, _, text in all_records if student in students}
            found += outdated(gradebook, config, assignment, source, some)
    return found


class _Run:
    def __init__(self, config: Config, force: bool):
        self.config, self.force, self.folders = config, force, CourseDirectory(config=config)
        self.exporter = FeedbackExporter(config=config)
        self.exporter.bounded = True
        self.steps = config.GenerateFeedback.get("preprocessors", GenerateFeedback.preprocessors.default())
        for step in self.steps:
            step = import_item(step) if isinstance(step, str) else step
            self.exporter.register_preprocessor(step, enabled=True)  # type: ignore[no-untyped-call]
        validate(new_notebook())  # its check is compiled here, once for all processes that come of this one
        self.code = _code()
        self.course = self.exporter.course()
        self.languages = languages(self.course) if self.course is not None else []
        self.words: dict[str, bytes] = {}
        self.voices = self.exporter.voices
        self.stamps: dict[tuple[str, str], str] = {}

    def submissions(self, assignments: Iterable[str], students: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield assignment and student of each marked submission."""
        root = Path(self.folders.format_path(self.folders.autograded_directory, ".", "."))
        for assignment in assignments:
            for path in sorted(root.glob(f"*/{assignment}/{assignment}.ipynb")):
                if not students or path.parts[-3] in students:
                    yield assignment, path.parts[-3]

    def pages(self, found: list[tuple[str, str]], jobs: int) -> Iterator[Page]:
        """Yield each page as soon as it is done."""
        at_hand: list[Page] = []
        work = self._work(found, at_hand)
        for key, made in make_all(work, jobs):
            yield from self._taken(at_hand)
            yield self._written(*key, made)
        yield from self._taken(at_hand)

    def _taken(self, pages: list[Page]) -> Iterator[Page]:
        while pages:
            yield pages.pop(0)

    def _work(
        self, found: list[tuple[str, str]], at_hand: list[Page]
    ) -> Iterator[tuple[tuple[str, str], Callable[[], str]]]:
        """Yield what is to be made; what needs no making goes to a list."""
        with Gradebook(self.folders.db_url, self.folders.course_id) as gradebook:
            for assignment, student in found:
                try:
                    marks = NotebookMarks.read(gradebook, assignment, student, assignment)
                    content = self._path(self.folders.autograded_directory, assignment, student, "ipynb").read_bytes()
                except (MissingEntry, OSError) as error:
                    there = not isinstance(error, MissingEntry)
                    why = f"{type(error).__name__}: {error}" if there else self._no_entry(assignment, student)
                    at_hand.append(Page(assignment, student, Outcome.FAILED, why=why))
                    continue
                stamp = self._stamp(assignment, student, content, marks)
                page = self._path(self.folders.feedback_directory, assignment, student, "html")
                if not self.force and page.is_file() and stamp.encode() in page.open("rb").read(_HEAD):
                    os.utime(page)  # it is as new as the marks
                    at_hand.append(Page(assignment, student, Outcome.UNCHANGED, size=page.stat().st_size))
                    continue
                self.stamps[assignment, student] = stamp
                self._read_words(assignment, content)
                yield (assignment, student), lambda a=assignment, s=student: self._make(a, s)  # type: ignore[misc]

    def _no_entry(self, assignment: str, student: str) -> str:
        """Say what to do about a marked notebook of whom the gradebook does not have: withdrawn, or of another one."""
        folder = self._path(self.folders.autograded_directory, assignment, student, "ipynb").parent
        gone = f"delete {quoted('/'.join(folder.parts[-3:]))}"
        return f"the gradebook has no such submission: {to_grade(assignment)}, or, if it shall not count, {gone}"

    def _path(self, directory: str, assignment: str, student: str, ending: str) -> Path:
        return Path(self.folders.format_path(directory, student, assignment)) / f"{assignment}.{ending}"

    def _stamp(self, assignment: str, student: str, content: bytes, marks: NotebookMarks) -> str:
        """Return a word that changes when anything does that the page is made from."""
        release = self._path(self.folders.release_directory, assignment, ".", "ipynb")
        parts = [self.code, repr(self.steps), json.dumps(marks.as_json(), sort_keys=True, default=str), student]
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace"))
        digest.update(content)
        digest.update(self._words(assignment, self._languages(content)))
        digest.update(release.read_bytes() if release.is_file() else b"")
        return digest.hexdigest()

    def _languages(self, content: bytes) -> list[str]:
        """Return the languages other than English that a marked notebook may be in, without reading it."""
        return [name for name in self.languages if f'"{name}"'.encode() in content]

    def _read_words(self, assignment: str, content: bytes) -> None:
        """Read what translates a page here, once for all processes that come of this one."""
        for language in self._languages(content):
            key = assignment, language
            if self.course is not None and key not in self.voices:
                self.voices[key] = None
                with contextlib.suppress(Exception):  # then each page says what is wrong with it
                    self.voices[key] = Voice.of(self.course, assignment, language).read_all()

    def _words(self, assignment: str, spoken: list[str]) -> bytes:
        """Return a fingerprint of what a page that is not English is translated by; an empty one for English."""
        if self.course is None or not spoken:
            return b""
        if assignment not in self.words:
            digest = hashlib.sha256()
            for path in translating(self.course, assignment):
                digest.update(f"{path}\0{path.stat().st_size}\0".encode() + path.read_bytes())
            self.words[assignment] = digest.digest()
        return self.words[assignment]

    def _resources(self, assignment: str, student: str) -> dict[str, Any]:
        names = {"student": student, "assignment": assignment, "notebook": assignment}
        stamp = self.stamps[assignment, student]
        return {"unique_key": assignment, "nbgrader": {**names, "db_url": self.folders.db_url, "made_from": stamp}}

    def _make(self, assignment: str, student: str) -> str:
        """Make a page, in a process of its own."""
        path = self._path(self.folders.autograded_directory, assignment, student, "ipynb")
        text, _ = self.exporter.from_filename(str(path), resources=self._resources(assignment, student))
        return str(text)

    def _written(self, assignment: str, student: str, made: Made) -> Page:
        outcome, text = Outcome.WRITTEN, made.text
        if text is None and made.why:
            return Page(assignment, student, Outcome.FAILED, made.cpu_s, why=made.why)
        if text is None:
            outcome = Outcome.PLAIN
            path = self._path(self.folders.autograded_directory, assignment, student, "ipynb")
            text = self.exporter.plain(read_notebook(path), self._resources(assignment, student))
        page = self._path(self.folders.feedback_directory, assignment, student, "html")
        shared = self.folders.groupshared
        size = replace_file(page, text, 0o664 if shared else None, at_most=None if shared else 0o644)
        return Page(assignment, student, outcome, made.cpu_s, size)


def _code() -> str:
    """Return a fingerprint of what makes a page."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted([*here.rglob("*"), *Path(catalogues.__file__).parent.rglob("*")]):
        if path.suffix in (".py", ".j2"):
            digest.update(path.read_bytes())
    return digest.hexdigest()
