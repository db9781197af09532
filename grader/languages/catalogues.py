"""Message catalogues: gettext's .po files under assets/locale, read, brought up to date and filled."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.pofile import read_po, write_po

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.languages.messages import ENGLISH, MISTAKES, Message, locale, messages_of, names_of_catalogues

_HEADER = (
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"MIME-Version: 1.0\\n"\n'
    '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n\n'
)
_EXEMPT = "exempt:"
#: Punctuation that brings its own space.
_WIDE = tuple("，。；：！？、（）“”《》")


@dataclass(frozen=True)
class State:
    """How far the translation of one catalogue is.

    Args:
        name: The catalogue.
        messages: What the source says.
        missing: Messages without a translation.
        fuzzy: Messages whose English was changed after they were translated.
        gone: Translated texts that the source does not have any more.
    """

    name: str
    messages: list[Message]
    missing: list[Message] = field(default_factory=list)
    fuzzy: list[Message] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether everything is translated and nothing is out of date."""
        return not self.missing and not self.fuzzy


def path_of(course: Course, language: str, name: str) -> Path:
    """Return the file of a catalogue."""
    return locale(course) / language / f"{name}.po"


def languages(course: Course) -> list[str]:
    """Return the languages that there are translations for."""
    return sorted(p.name for p in locale(course).iterdir() if p.is_dir()) if locale(course).is_dir() else []


def refuse_unknown(course: Course, language: str) -> None:
    """Refuse a language that there are no translations for; English needs none.

    Raises:
        GraderError: If it is such a one.
    """
    known = [ENGLISH, *languages(course)]
    if language not in known:
        what = f"there is no translation into {language!r}"
        raise GraderError(what, str(locale(course)), f"one of: {', '.join(known)}")


def translating(course: Course, assignment: str) -> list[Path]:
    """Return the files that decide what an assignment's page says in any language: catalogues, and their sources."""
    names = (
        f"*/{assignment}.po",
        f"*/{MISTAKES}{assignment}.po",
        "*/frame.po",
        "*/feedback.po",
        "*/helpers/*.po",
        "extraction.toml",
    )
    files = [*(path for name in names for path in locale(course).glob(name)), *course.helpers.glob("*.py")]
    files += (course.catalogue / assignment).glob("*.py")
    return sorted(path for path in [*files, course.source(assignment)] if path.is_file())


def read_catalogue(course: Course, language: str, name: str) -> Catalog:
    """Return a catalogue; an empty one if there is no file.

    Raises:
        GraderError: If it is not a catalogue.
    """
    path = path_of(course, language, name)
    if not path.is_file():
        return Catalog(locale=language)
    return _read(path, path.stat().st_mtime_ns, language)


@functools.lru_cache(512)
def _read(path: Path, _changed: int, language: str) -> Catalog:
    try:
        return read_po(io.BytesIO(path.read_bytes()), locale=language, abort_invalid=True)
    except Exception as error:  # Babel's own, and those of decoding
        raise GraderError(f"not a catalogue: {error}", str(path), "mend the line, or restore the file") from error


def _write(course: Course, language: str, name: str, catalogue: Catalog) -> bool:
    for entry in catalogue:
        entry.flags -= {"python-format", "python-brace-format"}  # Babel's guess: our braces are code
        if not entry.fuzzy:
            entry.user_comments = [*_without_previous(entry.user_comments)]
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=0, omit_header=True, ignore_obsolete=True, include_previous=True)
    path = path_of(course, language, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    body = buffer.getvalue().decode().rstrip("\n") + "\n"
    return write_if_changed(path, _HEADER.format(language=language) + body)


def _without_previous(comments: list[str]) -> Iterator[str]:
    """Yield comments without the earlier English of a message, which Babel reads as the translator's comment."""
    previous = False
    for line in comments:
        previous = (previous or line.startswith("| msgid")) and not line.startswith(_EXEMPT)
        if not previous:
            yield line


def translations(course: Course, language: str, name: str) -> dict[str, str]:
    """Return the translations of a catalogue that hold: not those that are out of date."""
    entries = [e for e in read_catalogue(course, language, name) if e.id and e.string and not e.fuzzy]
    return {str(e.id): str(e.string) for e in entries}


def exempt_terms(entry: Entry) -> set[str]:
    """Return the terms that a message need not have as the glossary wants them: `# exempt: head, key` above it."""
    said = [c.removeprefix(_EXEMPT) for c in entry.user_comments if c.startswith(_EXEMPT)]
    return {term.strip() for line in said for term in line.split(",")}


def state(course: Course, language: str, name: str) -> State:
    """Compare a catalogue with what the source says now."""
    messages, catalogue = messages_of(course, name), read_catalogue(course, language, name)
    there = {str(e.id): e for e in catalogue if e.id}
    texts = {m.text for m in messages}
    missing = [m for m in messages if m.text not in there or not there[m.text].string]
    fuzzy = [m for m in messages if m.text in there and there[m.text].string and there[m.text].fuzzy]
    gone = [text for text, entry in there.items() if entry.string and text not in texts]
    return State(name, messages, missing, fuzzy, gone)


def update(course: Course, language: str, name: str) -> bool:
    """Bring a catalogue up to date with its source: new messages come in, similar ones keep their translation as fuzzy.

    Returns:
        True if the file changed.
    """
    template, old = Catalog(locale=language), read_catalogue(course, language, name)
    for m in messages_of(course, name):
        notes = [m.kind, f"key {m.key}"] + ["{...} is code: keep it as it is"] * (m.formatted and "{" in m.text)
        template.add(m.text, locations=_places(m), auto_comments=notes)
    translated = Catalog(locale=language)
    for entry in old:
        if entry.id:  # also without a translation: only what is new may be like something old
            kept = translated.add(entry.id, entry.string, flags=entry.flags, user_comments=entry.user_comments)
            kept.previous_id = entry.previous_id
    translated.update(template, no_fuzzy_matching=not any(e.id for e in translated))
    changed = _write(course, language, name, translated)
    _read.cache_clear()
    return changed


def _places(message: Message) -> list[Any]:
    return [(message.place, None)] if message.place else []  # no line numbers: they would change with every edit


def fill(course: Course, language: str, name: str, given: dict[str, str], exempt: dict[str, list[str]]) -> list[str]:
    """Put translations into a catalogue.

    Args:
        course: The course.
        language: The language.
        name: The catalogue.
        given: Translation by message, or by the message's key.
        exempt: Terms of the glossary that a message need not use, likewise.

    Returns:
        The keys that fit no message.
    """
    update(course, language, name)
    catalogue = read_catalogue(course, language, name)
    known = {m.key: m for m in messages_of(course, name)}
    known |= {m.text: m for m in known.values()}
    for key, text in given.items():
        if key in known:
            entry = catalogue[known[key].text]
            entry.string = like(known[key].text, text)
            entry.flags.discard("fuzzy")
            entry.previous_id = []
            if exempt.get(key):
                entry.user_comments = [f"{_EXEMPT} {', '.join(exempt[key])}"]
    _write(course, language, name, catalogue)
    _read.cache_clear()
    return [key for key in given if key not in known]


def like(message: str, text: str) -> str:
    """Return a translation with the spaces that its message has at both ends, but none beside wide punctuation."""
    start, end = message[: len(message) - len(message.lstrip())], message[len(message.rstrip()) :]
    said = text.strip()
    start, end = (start.lstrip(" ") if said[:1] in _WIDE else start), (end.lstrip(" ") if said[-1:] in _WIDE else end)
    return start + said + end if message.strip() else message


def memory(course: Course, language: str) -> dict[str, str]:
    """Return translations that all catalogues agree on, for a message that occurs in another one too."""
    found: dict[str, set[str]] = {}
    for name in names_of_catalogues(course):
        for text, said in translations(course, language, name).items():
            found.setdefault(text, set()).add(said)
    return {text: said.pop() for text, said in found.items() if len(said) == 1}


def read_given(path: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Read translations from JSON: `{key: text}` or `{key: {"zh": text, "exempt": [term]}}`.

    Raises:
        GraderError: If it has another form.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rich = {key: value if isinstance(value, dict) else {"zh": value} for key, value in content.items()}
        texts = {key: str(value["zh"]) for key, value in rich.items() if value.get("zh")}
        return texts, {key: list(value.get("exempt", [])) for key, value in rich.items()}
    except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
        raise GraderError(f"no translations: {error}", str(path), 'write {"key": "text", ...}') from error


def as_json(messages: Iterable[Message], old: dict[str, str]) -> str:
    """Return messages as JSON to be filled: their key, what they are, and an earlier translation if there is one."""
    rows = {}
    for m in messages:
        rows[m.key] = {"en": m.text, "zh": "", "kind": m.kind, "place": m.place}
        if m.text in old:
            rows[m.key]["old"] = old[m.text]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
