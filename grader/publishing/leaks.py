"""Find what must not reach students in files that are about to: solutions, hidden tests, the catalogue of answers.

What is secret follows from the source notebooks: lines within regions of solutions and hidden tests that no code shows
which students get. What a text quotes of a region is a leak. A file is searched for those lines, however they are
indented, quoted or commented out. That the regions themselves are in order, and that code does not show most of one, is
what some rules of `grader check` look at.
"""

from __future__ import annotations

import ast
import hashlib
import html
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.authoring.check import check, guarding
from grader.authoring.check_shown import LINE, lines_by_kind, quotable, squeezed
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook
from grader.core.regions import Markers, hidden_tests, solutions
from grader.languages.building import in_all_languages
from grader.languages.literals import width

#: From this length on a line or a sentence is looked for within other text as well.
WITHIN = 16
#: Letters of the shortest sentence that takes as many columns; Chinese ones take two each.
SHORT = WITHIN // 2
_MARK_SCHEME = "### BEGIN MARK SCHEME"
#: A mark of a page, and what is no text of it.
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL)
#: Folders of the instructor's repository of which no file goes to students as it is.
_OWN = ("solutions", "grader", "tests", ".ci")


@dataclass(frozen=True)
class Leak:
    """Something that students should not get.

    Args:
        where: The file it is in.
        what: What it is.
    """

    where: str
    what: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.where}: {self.what}"


class Phrases:
    """Finds many phrases in a text in one pass, which looks at a few of its places only.

    A phrase that is long enough covers one of the places that are looked at, wherever it stands. So it is listed under
    the letters that may then be found there.

    Args:
        phrases: What to look for.
        least: Letters of the shortest one; what is shorter is not looked for.
    """

    def __init__(self, phrases: Iterable[str], least: int):
        self.size = 3 * least // 4
        self.step = least - self.size + 1
        self.known: dict[str, list[tuple[str, int]]] = {}
        for phrase in (p for p in phrases if len(p) >= least):
            for place in range(self.step):
                self.known.setdefault(phrase[place : place + self.size], []).append((phrase, place))

    def within(self, text: str) -> list[str]:
        """Return those that occur in a text, as often as they do."""
        found = []
        for here in range(0, len(text) - self.size + 1, self.step):
            for phrase, place in self.known.get(text[here : here + self.size], ()):
                if here >= place and text.startswith(phrase, here - place):
                    found.append(phrase)
        return found


@dataclass
class Secrets:
    """What students should not get. What is looked for within texts is sorted at the first look, and not after it.

    Args:
        lines: Line without spaces, to what it is.
        sentences: Text of a hidden test, to what it is.
        regions: Those of the lines that are of a solution or a hidden test.
        files: Fingerprint of a file of the instructor's, to its name.
        markers: What marks solutions and hidden tests, as it is written in a notebook.
    """

    lines: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)
    regions: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()

    @cached_property
    def within_lines(self) -> Phrases:
        """The lines that are long enough to be looked for within others."""
        return Phrases(self.lines, WITHIN)

    @cached_property
    def within_text(self) -> Phrases:
        """Those of a solution or a hidden test: a text may mention a call that some answer of the catalogue makes."""
        return Phrases(self.regions, WITHIN)

    @cached_property
    def in_sentences(self) -> tuple[Phrases, Phrases]:
        """The sentences, and apart from them the short ones of a script that needs few letters."""
        short = [sentence for sentence in self.sentences if len(sentence) < WITHIN]
        return Phrases(self.sentences, WITHIN), Phrases(short, SHORT)


class _Read:
    """What is hidden, and what students get, in the cells of English notebooks or of translated ones.

    Args:
        kinds: What marks solutions and hidden tests, by name.
        by_chance: Whether messages are no secret that text has as well: short ones of another language meet by chance.
    """

    def __init__(self, kinds: dict[str, Markers], by_chance: bool):
        self.kinds, self.by_chance = kinds, by_chance
        self.lines: dict[str, str] = {}
        self.sentences: dict[str, str] = {}
        self.visible: set[str] = set()
        self.shown: list[str] = []

    def take(self, source: str, is_code: bool, label: str) -> None:
        for line, kind in lines_by_kind(source, self.kinds):
            for form in (squeezed(line), quotable(line)):
                if kind and len(form) >= LINE:
                    self.lines.setdefault(form, f"{kind} {label}: {_short(line)}")
                elif not kind and is_code:  # what a text quotes is no less secret for that
                    self.visible.add(form)
            if not kind and (is_code or self.by_chance):
                self.shown.append(line)
        for region in self.kinds["a hidden test"].regions(source):
            for text in _strings("\n".join(region)):
                self.sentences.setdefault(text, f"a message of a hidden test {label}: {_short(text)}")


def secrets_of(course: Course) -> Secrets:
    """Read what is secret in a course."""
    config = course_config(course)
    kinds = {"a solution": solutions(config), "a hidden test": hidden_tests(config)}
    # Apart, since an answer that a translation shows is an answer all the same.
    english, translated = _Read(kinds, by_chance=False), _Read(kinds, by_chance=True)
    for assignment in course.assignments():
        nb = read_notebook(course.source(assignment))
        shown_in = in_all_languages(course, assignment, nb).values()
        for cell in nb.cells:
            label = f"of {assignment}, cell {grade_id(cell) or cell.get('id', '?')}"
            english.take(cell.source, cell.cell_type == "code", label)
            for source in dict.fromkeys(texts[cell.id] for texts in shown_in):
                if source != cell.source:
                    translated.take(source, cell.cell_type == "code", label)
    secrets = Secrets(markers=(*(line for markers in kinds.values() for line in markers.written), _MARK_SCHEME))
    visible = english.visible | translated.visible
    secrets.lines = {k: v for k, v in translated.lines.items() if k not in visible}
    secrets.lines |= {k: v for k, v in english.lines.items() if k not in english.visible}
    secrets.regions = set(secrets.lines)
    public, public_too = "\n".join(english.shown), "\n".join(translated.shown)
    secrets.sentences = {k: v for k, v in translated.sentences.items() if k not in public and k not in public_too}
    secrets.sentences |= {k: v for k, v in english.sentences.items() if k not in public}
    for path in sorted(course.catalogue.rglob("*.py")) if course.catalogue.is_dir() else []:
        for line in path.read_text(encoding="utf-8").splitlines():
            text = re.sub(r"^#\s*(?:says|why|because|was|now):\s*", "", line)
            label = f"the catalogue of answers, {path.parent.name}/{path.name}: {_short(text)}"
            if len(squeezed(text)) >= LINE and squeezed(text) not in english.visible:
                secrets.lines.setdefault(squeezed(text), label)
    for folder in _OWN:
        for path in (course.root / folder).rglob("*") if (course.root / folder).is_dir() else []:
            if path.is_file() and path.stat().st_size > 0 and course.local not in path.parents:
                secrets.files.setdefault(
                    hashlib.sha256(path.read_bytes()).hexdigest(), str(path.relative_to(course.root))
                )
    return secrets


def leaks(where: str, data: bytes, secrets: Secrets, known: Set[str] = frozenset()) -> list[Leak]:
    """Look through a file.

    Args:
        where: Its name, to show.
        data: Its content.
        secrets: What must not be in it.
        known: Secret lines that a file which is no notebook holds as parts of longer lines in any case (see
            `parts_released`). They are looked for as lines of their own, as in a notebook.

    Returns:
        What was found, each thing once.
    """
    own = secrets.files.get(hashlib.sha256(data).hexdigest())
    found = [f"it is the instructor's {own}"] if own else []
    phrases = {"code": None, "markdown": secrets.within_text, "raw": secrets.within_text}
    for text, kind in _texts(data):
        marks = (m for m in secrets.markers if m[4:].casefold() in text.casefold())
        found += [f"it holds the mark {marker!r}" for marker in marks]
        forms = (form for line in text.splitlines() for form in (squeezed(line), quotable(line)))
        found += [secrets.lines[s] for s in forms if s in secrets.lines]
        found += [secrets.sentences[s] for some in secrets.in_sentences for s in some.within(text)]
        searched = phrases.get(kind, secrets.within_lines)
        parts = searched.within(squeezed(text)) if searched else ()
        found += [secrets.lines[s] for s in parts if kind or s not in known]
    return [Leak(where, what) for what in dict.fromkeys(found)]


def parts_released(sources: Iterable[str], secrets: Secrets) -> set[str]:
    """Return the secret lines that are parts of longer lines of released cells, such as a call that a text mentions."""
    return {line for source in sources for line in secrets.within_lines.within(squeezed(source))}


def _texts(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield each text of a file, and of which type of cell it is the source, if it is."""
    text = data.decode("utf-8", errors="replace").replace("\0", "")
    try:
        content = json.loads(text, object_pairs_hook=_all_of)
    except (ValueError, RecursionError):
        yield text, ""
        if _TAG.search(text):  # a page: colours cut its lines of code into pieces
            yield html.unescape(_TAG.sub("", text)), ""
        return
    cells = content.get("cells", []) if isinstance(content, dict) else []
    for cell in cells if isinstance(cells, list) else []:
        if isinstance(cell, dict) and "source" in cell:
            yield _joined(cell.pop("source")), str(cell.get("cell_type", ""))
    yield "\n".join(_strings_of(content)), ""


def _all_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object, with what later values of the same name would hide beside them."""
    found = dict(reversed(pairs))
    found.update((f"{key} {n}", value) for n, (key, value) in enumerate(pairs) if found[key] is not value)
    return found


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _strings_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield _joined(value)  # nbformat keeps a text as the list of its lines
        for item in value:
            yield from _strings_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _strings_of(item)


def _strings(code: str) -> list[str]:
    """List the sentences in a piece of code."""
    try:
        tree = ast.parse(textwrap.dedent(code))
    except SyntaxError:
        return []
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text for text in found if width(text) >= WITHIN]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else text[:67] + "..."


def stray_files(course: Course) -> list[Leak]:
    """List what lies among the released notebooks and is none of them."""
    wanted = {course.released(a) for a in course.assignments()}
    found = []
    for path in sorted(course.release.rglob("*")):
        if ".ipynb_checkpoints" in path.parts or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink():
            found.append(Leak(_from(course, path), "it is a link"))
        elif path not in wanted:
            found.append(Leak(_from(course, path), "it is no notebook that `grader release` made; take it away"))
    found += [Leak(_from(course, p), "it is missing: run grader release") for p in sorted(wanted) if not p.is_file()]
    return found


def unguarded(course: Course) -> list[Leak]:
    """List what `grader check` finds in the notebooks that may show students what is not for them."""
    found = check(course, course.assignments(), guarding())
    return [Leak(f.path, f"[{f.cell or '-'}] {f.rule}: {f.what}. Fix: {f.fix}") for f in found]


def _from(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()
