"""What is needed to mark an assignment, in a form that can be sent to a worker."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode, from_dict
from nbgrader.preprocessors import ComputeChecksums
from traitlets.config import Config

from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.engine import fingerprints
from grader.engine.copied import given_elsewhere
from grader.engine.prelude import import_lines
from grader.engine.recognising import read_mistakes
from grader.engine.telling import texts_of
from grader.languages.building import in_all_languages
from grader.submissions import reading
from grader.submissions.cells import How
from grader.submissions.choosing import Answers
from grader.submissions.transplant import pristine, transplant
from grader.submissions.words import clearly_another, is_surely_of, shares_of, words_in, words_of_course

#: What the content of a file can make its readers do whatever they foresee: it is nested without end, or very large.
_OF_THE_CONTENT = (RecursionError, MemoryError)
#: The share of an assignment's words that a notebook of it holds, even as a script, without the ids of its cells. Every
#: notebook holds a tenth of another one's, and one whose own words are damaged would be taken for that.
_A_NOTEBOOK = 0.2


@dataclass(frozen=True)
class Kit:
    """What is needed to mark an assignment.

    Args:
        assignment: Its name.
        source: The source notebook, without outputs.
        release: The same with solutions cleared, hidden tests in it, and nbgrader's checksums.
        imports: What the warm process imports.
        tests: Fingerprint of the source notebook, of the catalogue and of what marks.
        mistakes: Known mistakes, as `read_mistakes` returns them.
        shown: The release in other languages: by language, the source of each cell by its id.
        words: The words that mark a file as an assignment's, for each assignment of the course.
        given: Sources of the given cells of other assignments, by assignment.
    """

    assignment: str
    source: NotebookNode
    release: NotebookNode
    imports: str
    tests: str
    mistakes: dict[str, list[list[str]]]
    shown: dict[str, dict[str, str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, config: Config | None = None) -> Kit:
        """Make the kit of a source notebook.

        Args:
            path: The notebook; its name is the assignment's.
            config: nbgrader's configuration with the stubs; by default the course's own.
        """
        source = read_notebook(path)
        for cell in source.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        release, _ = ComputeChecksums().preprocess(pristine(source, config), {})
        mistakes = read_mistakes(source, fingerprints.catalogue_of(path))
        tests, shown = (
            fingerprints.tests_fingerprint(path),
            in_all_languages(Course(path.parents[2]), path.stem, release),
        )
        words = {a: sorted(some) for a, some in words_of_course(Course(path.parents[2])).items()}
        given = given_elsewhere(Course(path.parents[2]), path.stem)
        return cls(path.stem, source, release, import_lines(source), tests, mistakes, shown, words, given)

    @property
    def points(self) -> str:
        """Fingerprint of what the source notebook has points for."""
        return fingerprints.points_fingerprint(self.source)

    def another(self, data: bytes) -> str | None:
        """Return the assignment that a file is of if it is clearly another one of the course."""
        if is_surely_of(data, set(self.words.get(self.assignment, ()))):
            return None
        words = {assignment: frozenset(some) for assignment, some in self.words.items()}
        there = words_in(data, set[str]().union(*words.values()))
        return clearly_another(shares_of(there, words), self.assignment, _A_NOTEBOOK)

    def answered(self, data: bytes, name: str) -> Answers:
        """Find the exercises that are answered in a file; untouched ones and those that it lacks are not."""
        try:
            submission, _ = reading.read_submission(data, name)
            done = transplant(self.source, submission, release=self.release, shown=self.shown)
        except _OF_THE_CONTENT:
            return Answers()
        try:
            texts = texts_of(done.notebook, self.release)
        except _OF_THE_CONTENT:  # how many there are is known all the same
            texts = {known: cell.source for cell in done.notebook.cells if (known := grade_id(cell))}
        ways = {e: how for e, how in done.answered.items() if how not in (How.UNTOUCHED, How.MISSING)}
        words = {i: fingerprints.fingerprint(text.encode("utf-8", "surrogatepass")) for i, text in texts.items()}
        return Answers({name: words.get(name, "") for name in ways}, len(done.answered))

    def packed(self) -> bytes:
        """Return it as bytes, for the way to a worker."""
        return zlib.compress(json.dumps(self.__dict__).encode(), 6)

    @staticmethod
    @lru_cache(maxsize=16)
    def unpacked(data: bytes) -> Kit:
        """Read it back; the same bytes return the same object."""
        fields = json.loads(zlib.decompress(data))
        return Kit(**fields | {name: from_dict(fields[name]) for name in ("source", "release")})
