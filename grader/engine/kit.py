"""What is needed to mark an assignment, in a form that can be sent to a worker."""

from __future__ import annotations

import ast
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode, from_dict
from nbgrader.preprocessors import ComputeChecksums
from traitlets.config import Config

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.names import bound_at_top, names_of, tree_of
from grader.core.notebook import read_notebook
from grader.engine import fingerprints
from grader.engine.prelude import import_lines
from grader.engine.recognising import read_mistakes
from grader.languages.building import in_all_languages
from grader.submissions import reading
from grader.submissions.assembly import STUDENT_TAG
from grader.submissions.cells import How
from grader.submissions.choosing import Answers
from grader.submissions.transplant import pristine, transplant
from grader.submissions.words import clearly_another, shares_of, words_in, words_of_course

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
    """

    assignment: str
    source: NotebookNode
    release: NotebookNode
    imports: str
    tests: str
    mistakes: dict[str, list[list[str]]]
    shown: dict[str, dict[str, str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)

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
        return cls(path.stem, source, release, import_lines(source), tests, mistakes, shown, words)

    def another(self, data: bytes) -> str | None:
        """Return the assignment that a file is of if it is clearly another one of the course."""
        words = {assignment: frozenset(some) for assignment, some in self.words.items()}
        there = words_in(data, set[str]().union(*words.values()))
        return clearly_another(shares_of(there, words), self.assignment, _A_NOTEBOOK)

    def answered(self, data: bytes, name: str) -> Answers:
        """Find the exercises that are answered in a file; untouched ones and those that it lacks are not."""
        try:
            submission, _ = reading.read_submission(data, name)
            done = transplant(self.source, submission, release=self.release, shown=self.shown)
            texts = _with_helpers(done.notebook, self.release)
        except _OF_THE_CONTENT:
            return Answers()
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


def _with_helpers(nb: NotebookNode, release: NotebookNode) -> dict[str, str]:
    """Return what each cell that has an id says, with what the student's own cells define and an answer uses.

    Two files can differ in a helper alone, and then they answer an exercise differently. What the release binds in the
    same way is no helper: a set-up cell that a script joined to another one, or one more `import numpy as np`.
    """
    provided = {
        pair
        for cell in release.cells
        if cell.cell_type == "code" and kind_of(cell) is not CellKind.TEST
        for pair in _bound(cell.source).items()
    }
    helpers: dict[str, str] = {}
    for cell in nb.cells:
        if cell.cell_type == "code" and STUDENT_TAG in cell.metadata.get("tags", []):
            helpers |= dict(_bound(cell.source).items() - provided)
    code = {name: cell.source for cell in nb.cells if cell.cell_type == "code" and (name := grade_id(cell))}
    written = {name: cell.source for cell in nb.cells if cell.cell_type != "code" and (name := grade_id(cell))}
    return {name: _bare(text) for name, text in written.items()} | {
        name: "\n".join([_said(text), *_used(text, helpers)]) for name, text in code.items()
    }


def _bound(source: str) -> dict[str, str]:
    """Return what binds each name that code leaves behind, as text; of an import, the part that does."""
    found: dict[str, str] = {}
    for name, node in bound_at_top(tree_of(source).body).items():
        if isinstance(node, ast.Import | ast.ImportFrom):
            alone = [a for a in node.names if (a.asname or a.name.partition(".")[0]) == name]
            node = ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "names": alone}), node)
        found[name] = ast.unparse(node)
    return found


def _said(source: str) -> str:
    """Return code without what says nothing: remarks, blank lines, the way in which it is laid out."""
    tree = tree_of(source)
    try:
        return ast.dump(tree) if tree.body else _bare(source)
    except RecursionError:
        return _bare(source)


def _bare(text: str) -> str:
    """Return a text without empty lines and blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())


def _used(source: str, helpers: Mapping[str, str]) -> list[str]:
    """Return the helpers that some code uses, those among them that other helpers use."""
    found: set[str] = set()
    waiting = [source] if helpers else []
    while waiting:
        names = {name for name in names_of(waiting.pop()).free if name in helpers} - found
        found |= names
        waiting += [helpers[name] for name in names]
    return [helpers[name] for name in sorted(found)]
