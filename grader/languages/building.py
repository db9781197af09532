"""The released notebooks in another language: the same cells and code, with what students read translated."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.languages.catalogues import translations
from grader.languages.code import Rules, in_code
from grader.languages.literals import is_grammar
from grader.languages.messages import (
    CODE_STUB,
    HELPER_NOTE,
    HELPER_TITLE,
    ONE_POINT_TITLE,
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
    return str(said.get("language", "en")) if isinstance(said, dict) else "en"


def translated_release(course: Course, assignment: str, language: str) -> tuple[NotebookNode, int]:
    """Return the released notebook in another language, and how many of its messages stayed English.

    Cells keep their ids, grade ids and metadata; the notebook's metadata name the language.

    Raises:
        GraderError: If a translation changes code.
    """
    nb = read_notebook(course.released(assignment))
    if language == "en":
        return nb, 0
    return translated(course, assignment, language, nb)


def translated(course: Course, assignment: str, language: str, nb: NotebookNode) -> tuple[NotebookNode, int]:
    """Return a notebook of the course, source or release, in another language, as `translated_release` does."""
    result = copy.deepcopy(nb)
    own, frame = Words(translations(course, language, assignment)), Words(translations(course, language, "frame"))
    rules = notebook_rules(course, assignment, read_notebook(course.source(assignment)))
    left = 0
    for cell in result.cells:
        if cell.cell_type == "markdown":
            cell.source = frame(WRITTEN_STUB) if cell.source == WRITTEN_STUB else in_markdown(cell.source, own)
        elif cell.cell_type == "code":
            before = cell.source
            name = cell.metadata.get("course", {}).get("include")
            if name:
                words = Words(translations(course, language, f"helpers/{Path(name).stem}"))
                cell.source = _helper(course, name, before, words, frame)
                left += len(words.untranslated)
            else:
                cell.source = _code(before, cell, rules, own, frame)
            if problem := code_changes(before, cell.source):
                raise GraderError(f"a translation changes code: {problem}", f"{assignment} [{cell.id}]", "mend it")
        _seal(cell)
    result.metadata[LANGUAGE] = {"language": language}
    return result, left + len(own.untranslated) + len(frame.untranslated)


def _helper(course: Course, name: str, source: str, words: Words, frame: Words) -> str:
    own = (course.helpers / name).read_text(encoding="utf-8")
    source = in_code(source, helper_rules(course, f"helpers/{Path(name).stem}", own), words)
    source = source.replace(f"# @title {HELPER_TITLE}\n", f"# @title {frame(HELPER_TITLE)}\n", 1)
    note = HELPER_NOTE.format(name=name)
    return source.replace(f"# {note}\n", f"# {frame(HELPER_NOTE).format(name=name)}\n", 1)


def _code(source: str, cell: NotebookNode, rules: Rules, own: Words, frame: Words) -> str:
    said = in_code(source, rules, lambda text: (frame if text in CODE_STUB else own)(text))
    if kind_of(cell) is not CellKind.TEST or not said.startswith("# @title Test"):
        return said
    body = said.split("\n", 1)[1]
    behaviour = (ast.get_docstring(ast.parse(body)) or "").split("\n")[0].strip()
    points = cell.metadata.nbgrader.points
    title = frame(ONE_POINT_TITLE if points == 1 else TEST_TITLE).format(points=points, behaviour=behaviour)
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


def code_changes(before: str, after: str) -> str:
    """Return how code was changed besides its strings and comments; empty if it was not."""
    try:
        old, new = (ast.dump(_Blank().visit(ast.parse(source))) for source in (before, after))
    except SyntaxError as error:
        return f"it is no Python any more: {error}"
    if old == new:
        return ""
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return f"{new[max(0, at - 60) : at + 60]!r} instead of {old[max(0, at - 60) : at + 60]!r}"


Translator = Callable[[str], str]
