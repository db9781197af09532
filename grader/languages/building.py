"""The released notebooks in another language: the same cells and code, with what students read translated."""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.names import tree_of
from grader.core.notebook import read_notebook
from grader.languages.catalogues import languages, translations
from grader.languages.code import in_code
from grader.languages.fonts import CARRIER, with_letters
from grader.languages.headings import translated_anchors, with_links
from grader.languages.literals import is_grammar
from grader.languages.messages import (
    CODE_STUB,
    ENGLISH,
    HELPER_NOTE,
    HELPER_TITLE,
    ONE_POINT_TITLE,
    README,
    TEST_TITLE,
    WRITTEN_STUB,
    helper_rules,
    notebook_rules,
)
from grader.languages.prose import in_markdown

#: The key of a notebook's metadata that names its language.
LANGUAGE = "course"


@dataclass
class Words:
    """Translates messages, and counts those that have no translation.

    Args:
        known: Translation by message.
        untranslated: Messages that stayed English.
    """

    known: dict[str, str]
    untranslated: set[str] = field(default_factory=set)

    def __call__(self, message: str) -> str:
        """Return the translation of a message, or the message."""
        if message not in self.known:
            self.untranslated.add(message)
        return self.known.get(message, message)


def language_of(nb: NotebookNode) -> str:
    """Return the language that a notebook says it is in; English where it says nothing."""
    said = nb.metadata.get(LANGUAGE, {})
    return str(said.get("language", ENGLISH)) if isinstance(said, dict) else ENGLISH


def translated_release(course: Course, assignment: str, language: str) -> tuple[NotebookNode, int]:
    """Return the released notebook in another language, and how many of its messages stayed English.

    Cells keep their ids, grade ids and metadata; the notebook's metadata name the language.

    Raises:
        GraderError: If a translation changes code.
    """
    nb = read_notebook(course.released(assignment))
    if language == ENGLISH:
        return nb, 0
    return translated(course, assignment, language, nb)


def translated(course: Course, assignment: str, language: str, nb: NotebookNode) -> tuple[NotebookNode, int]:
    """Return a notebook of the course, source or release, in another language, as `translated_release` does."""
    result = copy.deepcopy(nb)
    sources = Sources(course, assignment, language)
    for cell in result.cells:
        said = sources.of(cell)
        if cell.cell_type == "code" and (problem := code_changes(cell.source, said)):
            raise GraderError(f"a translation changes code: {problem}", f"{assignment} [{cell.id}]", "mend it")
        cell.source = sources.whole(cell, said)
        _seal(cell)
    result.metadata[LANGUAGE] = {"language": language}
    return result, sources.left


def in_all_languages(course: Course, assignment: str, nb: NotebookNode) -> dict[str, dict[str, str]]:
    """Return the sources of a notebook's cells, by their ids, in each language that it is translated into."""
    found = {}
    for language in languages(course):
        if translations(course, language, assignment):
            sources = Sources(course, assignment, language)
            found[language] = {cell.id: sources.whole(cell, sources.of(cell)) for cell in nb.cells}
    return found


def readme(course: Course, language: str) -> str:
    """Return the template of the students' README in a language."""
    text = README.read_text(encoding="utf-8")
    return text if language == ENGLISH else in_markdown(text, Words(translations(course, language, "readme")))


class Sources:
    """Translates the cells of an assignment.

    Args:
        course: The course.
        assignment: The assignment.
        language: The language.
    """

    def __init__(self, course: Course, assignment: str, language: str):
        self.course, self.assignment, self.language = course, assignment, language
        self.own = Words(translations(course, language, assignment))
        self.frame = Words(translations(course, language, "frame"))
        self.helpers: dict[str, Words] = {}
        nb = read_notebook(course.source(assignment))
        self.rules = notebook_rules(course, assignment, nb)
        texts = [cell.source for cell in nb.cells if cell.cell_type == "markdown"]
        self.anchors = translated_anchors(texts, lambda heading: self.own.known.get(heading, heading))

    @property
    def left(self) -> int:
        """How many messages stayed English."""
        return sum(len(words.untranslated) for words in (self.own, self.frame, *self.helpers.values()))

    def of(self, cell: NotebookNode) -> str:
        """Return the source of a cell in the language."""
        source: str = cell.source
        name = cell.metadata.get("course", {}).get("include")
        if cell.cell_type == "markdown":
            if source == WRITTEN_STUB:
                return self.frame(WRITTEN_STUB)
            return with_links(in_markdown(source, self.own), self.anchors)
        if cell.cell_type != "code":
            return source
        return self._helper(name, source) if name else self._code(cell, source)

    def whole(self, cell: NotebookNode, said: str) -> str:
        """Return a translated source with what it needs beside the words: letters for its figures."""
        carrier = cell.metadata.get("course", {}).get("include") == CARRIER
        return with_letters(self.course, self.language, self.assignment, said) if carrier else said

    def _helper(self, name: str, source: str) -> str:
        stem = f"helpers/{Path(name).stem}"
        words = self.helpers.setdefault(name, Words(translations(self.course, self.language, stem)))
        own = (self.course.helpers / name).read_text(encoding="utf-8")
        source = in_code(source, helper_rules(self.course, stem, own), words)
        source = source.replace(f"# @title {HELPER_TITLE}\n", f"# @title {self.frame(HELPER_TITLE)}\n", 1)
        note, said = HELPER_NOTE.format(name=name), self.frame(HELPER_NOTE).format(name=name)
        return source.replace(f"# {note}\n", f"# {said}\n", 1)

    def _code(self, cell: NotebookNode, source: str) -> str:
        said = in_code(source, self.rules, lambda text: (self.frame if text in CODE_STUB else self.own)(text))
        if kind_of(cell) is not CellKind.TEST or not said.startswith("# @title Test"):
            return said
        body = said.split("\n", 1)[1]
        behaviour = (ast.get_docstring(tree_of(body)) or "").split("\n")[0].strip()
        points = cell.metadata.nbgrader.points
        title = self.frame(ONE_POINT_TITLE if points == 1 else TEST_TITLE).format(points=points, behaviour=behaviour)
        return f"# @title {title}\n{body}"


def _seal(cell: NotebookNode) -> None:
    """Make nbgrader's checksum that of the translated cell, so that an untouched cell counts as untouched."""
    if "checksum" in cell.metadata.get("nbgrader", {}):
        from nbgrader.utils import compute_checksum

        cell.metadata.nbgrader.checksum = compute_checksum(cell)


class _Blank(ast.NodeTransformer):
    """Takes away what a translation may change."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        values = [v for v in node.values if isinstance(v, ast.FormattedValue)]
        kept = [v for v in values if not is_grammar("{" + ast.unparse(v.value) + "}")]
        dumps = sorted(ast.dump(self.generic_visit(copy.deepcopy(v))) for v in kept)
        return ast.Constant("\0".join(dumps))


def blank(source: str) -> str:
    """Return code without what a translation may change, to be compared.

    Raises:
        SyntaxError: If it is not Python.
    """
    return ast.dump(_Blank().visit(ast.parse(source)))


@functools.lru_cache(4096)  # a helper stands in several notebooks
def _compared(source: str) -> bytes:
    return hashlib.sha256(blank(source).encode("utf-8", "surrogatepass")).digest()


def code_changes(before: str, after: str) -> str:
    """Return how code was changed besides its strings and comments; empty if it was not."""
    try:
        if _compared(before) == _compared(after):
            return ""
        old, new = blank(before), blank(after)
    except SyntaxError as error:
        return f"it is no Python any more: {error}"
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return f"{new[max(0, at - 60) : at + 60]!r} instead of {old[max(0, at - 60) : at + 60]!r}"
