"""The messages of a notebook, of a helper and of the students' README: all that somebody reads."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tomllib
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests, solutions
from grader.languages.code import Piece, Rules, identifiers, pieces_of, stored_keys
from grader.languages.prose import markdown_blocks

#: The language of the notebooks that are edited.
ENGLISH = "en"
#: What the students' notebooks have and the source notebooks have not, or what is made there.
TEST_TITLE = "Test ({points} points): {behaviour}"
ONE_POINT_TITLE = "Test (1 point): {behaviour}"
HELPER_TITLE = "Helper code (run once, no need to read)"
HELPER_NOTE = "Generated from assets/helpers/{name}; changes made here are lost."
#: How long a notebook takes, in the table of the students' README.
MINUTES = "{minutes} min"
#: As in nbgrader_config.py.
WRITTEN_STUB = "*Write your answer here.*"
CODE_STUB = ("Write your code here and remove the next line.", "not written yet")
_FRAME = (TEST_TITLE, ONE_POINT_TITLE, HELPER_TITLE, HELPER_NOTE, WRITTEN_STUB, MINUTES, *CODE_STUB)


@dataclass(frozen=True)
class Message:
    """Something to translate.

    Args:
        text: The English text.
        kind: What it is, for the translator.
        place: The cell it is in, or the function.
        formatted: Whether it is an f-string, whose braces are code.
    """

    text: str
    kind: str
    place: str = ""
    formatted: bool = False

    @property
    def key(self) -> str:
        """A short name, the same as long as the text is."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    @property
    def in_markdown(self) -> bool:
        """Whether it is written in markdown."""
        return self.kind in MARKDOWN


#: The students' README, with the names of what is filled in.
README = Path(__file__).parents[1] / "publishing" / "student_readme.md"
#: The feedback page, and the words on it that are handed to `_`.
PAGE = Path(__file__).parents[1] / "feedback" / "templates" / "course_feedback" / "index.html.j2"
_ON_PAGE = re.compile(r'_\("([^"]+)"')
#: What the steps before it write.
STEPS_SAY = (
    "The test did not end within its time.",
    "The test failed; it gives no further reason.",
    "hidden tests: not shown",
    "the result holds no text but pieces of what the function was given. Hint: yours holds another text",
)
#: What says something of a submission to its student, in the order of its way: what was noticed, why a test did not
#: end, where an answer goes wrong. Other modules may make findings for the instructor alone.
SAYING = (
    *(f"submissions/{name}.py" for name in ("times", "choosing", "intake", "packed", "slimming", "decoding")),
    *(f"submissions/{name}.py" for name in ("reading", "magics", "mend", "cells", "answers", "additions")),
    *(f"submissions/{name}.py" for name in ("written", "assembly", "transplant", "unread", "showing")),
    *(f"engine/{name}.py" for name in ("handed", "skipping", "running", "again", "longer", "losses", "patience")),
    *(f"engine/{name}.py" for name in ("borrowed", "copied", "keeping", "result")),
    "core/findings.py",
    *(f"sandbox/inside/{name}.py" for name in ("student", "raised", "trusted", "circumstances", "shrink")),
)
#: What kind of message that is; its place is the module.
OF_SUBMISSION = "said of a submission"
#: What is said there to an author, an instructor or another process.
_TO_OTHERS = (
    *(f"string, in {name}()" for name in ("AssertionError", "NameError", "RecursionError", "RuntimeError")),
    *(f"string, in {name}()" for name in ("TypeError", "LockedCellFails", "WireClosed", "WireError", "WireTimeout")),
)
#: Before an assignment: what its catalogue says of known mistakes.
MISTAKES = "mistakes/"
MARKDOWN = ("paragraph", "heading", "list item", "table cell", "prediction", "summary of a folded answer or hint")


def locale(course: Course) -> Path:
    """Return the folder of the translations."""
    return course.root / "assets" / "locale"


@functools.cache
def _exceptions(path: Path) -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _listed(course: Course, what: str, *names: str) -> frozenset[str]:
    listed = _exceptions(locale(course) / "extraction.toml").get(what, {})
    return frozenset(text for name in ("all", *names) for text in listed.get(name, ()))


def names_of_catalogues(course: Course) -> list[str]:
    """Return the catalogues of a language: notebooks, known mistakes, helpers that say something, frame, README."""
    helpers = [f"helpers/{p.stem}" for p in sorted(course.helpers.glob("*.py"))]
    mistakes = [f"{MISTAKES}{assignment}" for assignment in course.assignments()]
    said = [name for name in [*mistakes, *helpers] if messages_of(course, name)]
    return [*course.assignments(), "frame", "readme", "feedback", *said]


def messages_of(course: Course, name: str) -> list[Message]:
    """Return the messages of a catalogue, each once, in the order in which they are read.

    Args:
        course: The course.
        name: An assignment, `mistakes/<assignment>`, `helpers/<module>`, `readme`, `feedback` or `frame`.
    """
    if name.startswith(MISTAKES):
        return _once(_of_mistakes(course.catalogue / name.removeprefix(MISTAKES)))
    if name == "frame":
        return [Message(text, "made for the students' notebooks", formatted=True) for text in _FRAME]
    if name == "feedback":
        said = _ON_PAGE.findall(PAGE.read_text(encoding="utf-8"))
        on_page = [Message(text, "on the feedback page", formatted=True) for text in [*said, *STEPS_SAY]]
        return _once([*on_page, *said_of_submissions(course)])
    if name == "readme":
        return _once(_of_markdown(README.read_text(encoding="utf-8"), ""))
    if name.startswith("helpers/"):
        source = (course.helpers / f"{name.removeprefix('helpers/')}.py").read_text(encoding="utf-8")
        return list(_of_helper(source, helper_rules(course, name, source)))
    return _once(_of_notebook(course, name))


def said_of_submissions(course: Course) -> list[Message]:
    """Return what marking says of a submission on its feedback page, each text once for each module."""
    package, listed = Path(__file__).parents[1], [_listed(course, what, "feedback") for what in ("not_text", "text")]
    found: list[Message] = []
    for place in SAYING:
        source = (package / place).read_text(encoding="utf-8")
        found += _of_module(source, place, Rules(False, False, _identifiers(source), *listed))
    return found


@functools.lru_cache(64)
def _of_module(source: str, place: str, rules: Rules) -> tuple[Message, ...]:
    pieces = [piece for piece in pieces_of(source, rules) if piece.kind not in _TO_OTHERS]
    texts = dict.fromkeys(text for piece in pieces for text in piece.messages)
    # Also what is filled in by `format`, which is no f-string.
    return tuple(Message(text, OF_SUBMISSION, place, formatted="{" in text) for text in texts)


def _of_mistakes(folder: Path) -> Iterable[Message]:
    """Give what is said of known mistakes, exercise by exercise."""
    for path in sorted(folder.glob("*.py")):
        for variant in read_catalogue(path).variants:
            if variant.kind == "wrong":
                yield Message(variant.text, "what is said of a mistake", path.stem)


def _once(messages: Iterable[Message]) -> list[Message]:
    found: dict[str, Message] = {}
    for message in messages:
        found.setdefault(message.text, message)
    return list(found.values())


def _of_notebook(course: Course, name: str) -> Iterable[Message]:
    nb = read_notebook(course.source(name))
    rules = notebook_rules(course, name, nb)
    for cell in nb.cells:
        kind = kind_of(cell)
        if cell.cell_type == "markdown":
            yield from _of_markdown(solutions().without(cell.source), cell.id)
        elif cell.cell_type == "code" and kind is not CellKind.HELPERS:
            yield from _of_pieces(pieces_of(without_secrets(cell.source), rules), cell.id)


def without_secrets(source: str) -> str:
    """Return the source of a cell without its solution; hidden tests stay, their messages are read in the feedback."""
    marked = hidden_tests()
    return marked.unmarked(solutions().without(source, "raise NotImplementedError"))


@functools.lru_cache(512)
def _of_helper(source: str, rules: Rules) -> tuple[Message, ...]:
    return tuple(_once(_of_pieces(pieces_of(source, rules), "")))


def _of_markdown(source: str, place: str) -> Iterable[Message]:
    return (Message(b.text, b.kind, place) for b in markdown_blocks(source) if b.text is not None)


def _of_pieces(pieces: Iterable[Piece], place: str) -> Iterable[Message]:
    for piece in pieces:
        for message in piece.messages:
            yield Message(message, piece.kind, place, piece.formatted and message not in piece.nested)


def notebook_rules(course: Course, name: str, nb: NotebookNode) -> Rules:
    """Return what counts as text in the code of a notebook; a string that any of its code looks up does not."""
    looked_up = {*_of_all_helpers(course.helpers)}
    for cell in nb.cells:
        if cell.cell_type == "code":
            looked_up |= _identifiers(cell.source)
    return Rules(True, True, frozenset(looked_up), _listed(course, "not_text", name), _listed(course, "text", name))


def helper_rules(course: Course, name: str, source: str) -> Rules:
    """Return what counts as text in a helper: what it shows, for nobody has to read its code."""
    listed = _listed(course, "not_text", name), _listed(course, "text", name)
    return Rules(False, False, _identifiers(source) | _of_all_helpers(course.helpers), *listed)


def _of_all_helpers(folder: Path) -> frozenset[str]:
    """Return what any helper looks up, or stores measurements under, in several words: notebooks name it too."""
    with os.scandir(folder) if folder.is_dir() else nullcontext(()) as entries:
        files = [(e.path, e.stat().st_mtime_ns, e.stat().st_size) for e in entries if e.name.endswith(".py")]
    return _of_files(tuple(sorted(files)))


@functools.lru_cache(16)
def _of_files(files: tuple[tuple[str, int, int], ...]) -> frozenset[str]:
    return frozenset[str]().union(*(_kept(Path(path).read_text(encoding="utf-8")) for path, *_ in files))


@functools.lru_cache(512)
def _kept(source: str) -> frozenset[str]:
    return frozenset(text for text in identifiers(source) | stored_keys(source) if " " in text)


@functools.lru_cache(4096)
def _identifiers(source: str) -> frozenset[str]:
    return frozenset(identifiers(source))
