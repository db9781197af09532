"""Catalogues of translations for the people who fill them: what is missing, what is out of date, what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring.runs import outdated
from grader.authoring.sync import included_helper
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook, write_notebook
from grader.languages.building import translated_release
from grader.languages.catalogues import (
    as_json,
    exempt_terms,
    fill,
    languages,
    memory,
    path_of,
    read_catalogue,
    read_given,
    state,
    translations,
    update,
)
from grader.languages.fonts import cut_all, lacking
from grader.languages.glossary import first_uses, introduces, read_glossary, term_complaints
from grader.languages.messages import Message, locale, messages_of, names_of_catalogues
from grader.languages.proofs import complaints


@dataclass
class Report:
    """What is to do for one catalogue.

    Args:
        name: The catalogue.
        total: How many messages it has.
        missing: How many have no translation.
        fuzzy: The messages whose English changed since.
        gone: How many translated texts are not in the source any more.
        wrong: What is wrong with translations, one line each.
    """

    name: str
    total: int
    missing: int
    fuzzy: list[Message]
    gone: int
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return it as a line of a table."""
        done = self.total - self.missing - len(self.fuzzy)
        return f"{self.name:34} {done:4} of {self.total:4}  {self.missing:4}  {len(self.fuzzy):4}  {len(self.wrong):4}"


HEAD = f"{'catalogue':34} {'translated':>12}  {'miss.':>4} {'fuzzy':>5} {'wrong':>5}"


@dataclass(frozen=True)
class Wanted:
    """What `grader translate` was asked for.

    Args:
        language: The language, as in `zh_CN`.
        names: Catalogues or notebooks; none means all.
        helpers: Whether notebooks bring the helpers along that they are the first to carry.
        check: Whether to change nothing.
        missing: Where to write what is missing.
        filled: Where translations are read from.
        preview: Whether to write the translated notebooks to build/.
        fonts: Whether to cut the notebooks' fonts anew where they lack letters.
    """

    language: str
    names: list[str]
    helpers: bool = False
    check: bool = False
    missing: Path | None = None
    filled: Path | None = None
    preview: bool = False
    fonts: bool = False


def run(course: Course, wanted: Wanted, say: Callable[[str], None]) -> bool:
    """Do what `grader translate` was asked for. Returns whether something is left to do."""
    language, names = known_language(course, wanted.language), chosen(course, wanted.names, wanted.helpers)
    if wanted.fonts:
        for name in cut_all(course):
            say(f"cut anew: {name}")
    if wanted.preview:
        for path, left in preview(course, language, [n for n in names if n in course.assignments()]):
            say(f"{path.relative_to(course.root)}: {left} messages stayed English")
        return False
    faults = fill_from(course, language, names, wanted.filled, say) if wanted.filled else 0
    if not wanted.check and not wanted.filled:
        bring_up_to_date(course, language, names)
    if wanted.missing:
        say(f"{wanted.missing}: {write_missing(course, language, names, wanted.missing)} messages")
        return False
    reports = report(course, language, names)
    say("\n".join([HEAD, *map(str, reports)]))
    for r in reports:
        for line in [*r.wrong, *(f"{r.name} {m.key} fuzzy: {m.text[:80]}" for m in r.fuzzy)]:
            say(line)
    letters = {n: few for n in names if n in course.assignments() and (few := lacking(course, language, n))}
    for name, few in letters.items():
        say(f"{name}: its figures need the letters {''.join(sorted(few))}: run grader translate --fonts")
    for line in outdated(course, [n for n in names if n in course.assignments()]) if wanted.check else ():
        say(line)  # nothing is wrong: pages show the English output there until the notebook is run again
    return bool(faults or letters) or any(r.missing or r.fuzzy or r.gone or r.wrong for r in reports)


def chosen(course: Course, names: list[str], with_helpers: bool = False) -> list[str]:
    """Return the catalogues that names on the command line stand for.

    Args:
        course: The course.
        names: Notebooks, as `05` or by name; `helpers/plots`, `helpers` for all of these, `frame`, `readme`; none
            means all.
        with_helpers: Whether a notebook brings the helpers along that it is the first to carry.
    """
    known = names_of_catalogues(course)
    found: list[str] = []
    for name in names:
        if name in known:
            found.append(name)
        elif name.strip("/") == "helpers":
            found += [k for k in known if k.startswith("helpers/")]
        else:
            selected = course.select([name])
            found += selected
            found += [h for h in first_carried(course)[selected[0]] if h in known] if with_helpers else []
    return list(dict.fromkeys(found)) if names else known


def first_carried(course: Course) -> dict[str, list[str]]:
    """Return for each notebook the catalogues of the helpers that it is the first to carry."""
    seen: set[str] = set()
    found = {}
    for assignment in course.assignments():
        cells = read_notebook(course.source(assignment)).cells
        carried = [f"helpers/{Path(n).stem}" for c in cells if (n := included_helper(c))]
        found[assignment] = [n for n in carried if n not in seen]
        seen |= set(carried)
    return found


def report(course: Course, language: str, names: Iterable[str]) -> list[Report]:
    """Look through catalogues: what is missing, out of date or wrong; nothing is changed."""
    terms, found = read_glossary(course, language), []
    for name in names:
        now = state(course, language, name)
        said, catalogue = translations(course, language, name), read_catalogue(course, language, name)
        wrong: list[str] = []
        for message in now.messages:
            if message.text in said:
                exempt = exempt_terms(catalogue[message.text])
                faults = complaints(message, said[message.text])
                faults += term_complaints(message, said[message.text], terms, exempt)
                wrong += [f"{name} {message.key} [{message.place or '-'}] {fault}" for fault in faults]
        if name in course.assignments():
            for term in terms:
                first = first_uses(now.messages, [term]).get(term.name) if term.first else None
                if first and first.text in said and not introduces(said[first.text], term):
                    exempt = exempt_terms(catalogue[first.text])
                    if term.name not in exempt:
                        what = f"first use of {term.name}: write {term.zh}（{term.name}）"
                        wrong.append(f"{name} {first.key} [{first.place}] {what}")
        found.append(Report(name, len(now.messages), len(now.missing), now.fuzzy, len(now.gone), wrong))
    return found


def stale(course: Course, assignments: list[str]) -> list[str]:
    """Name each message whose English was changed since it was translated, in some notebooks and outside of them."""
    others = set(course.assignments()) - set(assignments)
    found = []
    for language in languages(course):
        for name in names_of_catalogues(course):
            if name not in others and translations(course, language, name):
                now = state(course, language, name)
                where = path_of(course, language, name).relative_to(course.root).as_posix()
                found += [f"{where}: the English of {_short(text)} was changed" for text in now.gone]
                found += [f"{where}: the translation is of an earlier text than {_short(m.text)}" for m in now.fuzzy]
    return found


def behind(course: Course, assignments: list[str]) -> list[str]:
    """Say what other languages lack since the English was changed, with the command for each.

    `grader publish --language` refuses translations that are out of date; a page whose run is out of date shows the
    English output.
    """
    texts = stale(course, assignments)
    what = f"{len(texts)} translation{'s' * (len(texts) != 1)} out of date: run grader translate"
    return [*texts, *([what] if texts else []), *outdated(course, assignments)]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 70 else text[:67] + "...")


def bring_up_to_date(course: Course, language: str, names: Iterable[str]) -> list[str]:
    """Extract catalogues anew; what other catalogues translate in one way comes in. Returns those that changed."""
    known = memory(course, language)
    changed = []
    for name in names:
        if update(course, language, name):
            changed.append(name)
        repeated = {m.text: known[m.text] for m in state(course, language, name).missing if m.text in known}
        if repeated:
            fill(course, language, name, repeated, {})
    known_names = set(names_of_catalogues(course))
    for path in sorted((locale(course) / language).rglob("*.po")):
        name = path.relative_to(locale(course) / language).with_suffix("").as_posix()
        if name not in known_names:  # its helper or notebook is no more
            path.unlink()
            changed.append(name)
    return changed


def write_missing(course: Course, language: str, names: Iterable[str], path: Path) -> int:
    """Write what is missing or out of date in catalogues to a JSON file. Returns how many messages that are."""
    rows: list[Message] = []
    old: dict[str, str] = {}
    for name in names:
        now, catalogue = state(course, language, name), read_catalogue(course, language, name)
        rows += [*now.missing, *now.fuzzy]
        old |= {m.text: str(catalogue[m.text].string) for m in now.fuzzy}
    path.write_text(as_json(rows, old), encoding="utf-8")
    return len({m.key for m in rows})


def fill_from(course: Course, language: str, names: list[str], path: Path, say: Callable[[str], None]) -> int:
    """Put the translations of a JSON file into catalogues; those with a fault of form stay out and are named.

    Returns:
        How many faults there were.
    """
    given, exempt = read_given(path)
    unknown, faults = set(given), 0
    for name in names:
        messages = {m.key: m for m in messages_of(course, name)}
        messages |= {m.text: m for m in messages.values()}
        good = {}
        for key, text in given.items():
            if key in messages:
                unknown.discard(key)
                bad = complaints(messages[key], text)
                faults += len(bad)
                for fault in bad:
                    say(f"not taken: {name} {messages[key].key}: {fault}")
                if not bad:
                    good[key] = text
        if good:
            fill(course, language, name, good, exempt)
    for key in sorted(unknown):
        say(f"not taken: {key[:60]!r} is no message of these catalogues")
    return faults + len(unknown)


def preview(course: Course, language: str, assignments: Iterable[str]) -> list[tuple[Path, int]]:
    """Write the translated releases to build/, complete or not. Returns each path with what stayed English."""
    written = []
    for assignment in assignments:
        nb, left = translated_release(course, assignment, language)
        path = course.build / language / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_notebook(nb, path)
        written.append((path, left))
    return written


def known_language(course: Course, language: str) -> str:
    """Return a language's name if it can be one.

    Raises:
        GraderError: If it cannot.
    """
    from babel import Locale, UnknownLocaleError

    try:
        Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        raise GraderError(f"no such language: {language!r}", fix="name it as in zh_CN") from None
    return language
