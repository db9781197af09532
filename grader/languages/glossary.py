"""The glossary of a language: one term, one translation, and the English term in parentheses where it comes first."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.languages.messages import Message, locale


@dataclass(frozen=True)
class Term:
    """A term of the field.

    Args:
        en: The English term; `|` separates forms that count as the same.
        zh: Its translation.
        variants: Further translations, for where the sentence needs them.
        forbidden: Translations that other texts use and this course does not.
        first: Whether the English term stands in parentheses at its first use in a notebook.
        note: What a translator should know.
    """

    en: str
    zh: str
    variants: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    first: bool = True
    note: str = ""

    @property
    def name(self) -> str:
        """The English term in its main form."""
        return self.en.split("|")[0]

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the term in an English text, in singular and plural."""
        forms = "|".join(re.escape(form).replace(r"\ ", r"[\s\-]") for form in self.en.split("|"))
        return re.compile(rf"(?<![\w\-])(?:{forms})(?:s|es)?(?![\w\-])", re.I)

    def allowed(self) -> tuple[str, ...]:
        """Return all translations that will do."""
        return (self.zh, *self.variants)


def read_glossary(course: Course, language: str) -> list[Term]:
    """Return the terms of a language, longer ones first.

    Raises:
        GraderError: If an entry is not as it should be.
    """
    path = locale(course) / language / "glossary.toml"
    return list(_read(path, path.stat().st_mtime_ns)) if path.is_file() else []


@functools.lru_cache(8)
def _read(path: Path, _changed: int) -> tuple[Term, ...]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["term"]
        terms = [_term(row) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise GraderError(f"not a glossary: {error}", str(path), "give each [[term]] en and zh") from error
    twice = {t.en for t in terms if [u.en for u in terms].count(t.en) > 1}
    if twice:
        raise GraderError(f"twice in the glossary: {', '.join(sorted(twice))}", str(path), "keep one of them")
    return tuple(sorted(terms, key=lambda t: -len(t.name)))


def _term(row: dict[str, Any]) -> Term:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Term(**values)


_NO_WORDS = re.compile(r"`+[^`]*`+|\$\$.+?\$\$|(?<![\\\w])\$[^$\n]+\$|\{[^{}]*\}|\]\([^)]*\)|https?://\S+", re.S)


def terms_in(text: str, terms: Iterable[Term]) -> Iterator[Term]:
    """Yield the terms that an English text uses; a term within a longer one does not count."""
    left = _NO_WORDS.sub(" ", text)
    for term in terms:
        if term.pattern.search(left):
            yield term
            left = term.pattern.sub(" ", left)


def term_complaints(message: Message, text: str, terms: list[Term], exempt: Iterable[str] = ()) -> list[str]:
    """Return where a translation does not use the glossary's words."""
    found = []
    for term in terms_in(message.text, terms):
        if term.name in exempt:
            continue
        if not any(word in text for word in term.allowed()) and not term.pattern.search(text):
            found.append(f"{term.name} is {' or '.join(term.allowed())}")
        found += [f"{term.name} is {term.zh}, not {word}" for word in term.forbidden if word in text]
    return found


#: Where a term is introduced: in sentences, not in a heading or a label.
_SENTENCES = ("paragraph", "list item", "prediction")


def first_uses(messages: Iterable[Message], terms: list[Term]) -> dict[str, Message]:
    """Return for each term the first sentence of a notebook that uses it."""
    found: dict[str, Message] = {}
    wanted = [t for t in terms if t.first]
    for message in messages:
        if message.kind in _SENTENCES:
            for term in terms_in(message.text, wanted):
                found.setdefault(term.name, message)
    return found


def introduces(text: str, term: Term) -> bool:
    """Return whether a translation has the English term in parentheses after the Chinese one."""
    return any(term.pattern.search(inside) for inside in re.findall(r"[（(]([^（）()]*)[）)]", text))
