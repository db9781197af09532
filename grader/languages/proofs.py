"""Proofs that a translation says the same in form: code, formulas, addresses, numbers and names are all still there."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from markdown_it import MarkdownIt

from grader.languages.literals import literal, placeholders
from grader.languages.messages import Message

_CODE = re.compile(r"(`+)(.+?)\1", re.S)
_MATH = re.compile(r"\$\$.+?\$\$|(?<![\\\w])\$[^$\n]+\$", re.S)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_ADDRESS = re.compile(r"https?://[^\s)\"'<>]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_NAME = re.compile(r"(?<![\w`])[A-Za-z]+\w*_\w+|\b[a-z]+[A-Z]\w*\b|\b\w+\.\w+\.\w+\b")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_AUTHOR = re.compile(r"([A-Z][\w\-]+)(?=,? et al\.| and [A-Z][\w\-]+ \(\d{4}| \(\d{4}\)|, \d{4}\))")
#: A citation as the text of a link, of which names and year stay and the words are translated.
_CITATION = re.compile(r"(?:[A-Z][\w\-]+(?: et al\.)?(?:,| and)? )+\(?\d{4}[a-z]?\)?")
_CITED = re.compile(r"[A-Z][\w\-]+|\d{4}[a-z]?")
#: A title, which stays English: a link that begins with a capital letter.
_TITLE = re.compile(r"\[(?=[A-Z])(?:[^\[\]]|\[[^\]]*\])*\]\([^)\s]+\)")
#: Large numbers, which Chinese counts in other units: 3.3 billion is 33 亿.
_LARGE = re.compile(r"(\d[\d,]*(?:\.\d+)?) ?(thousand\b|million\b|billion\b|M\b|万|亿)")
_UNITS = {"thousand": 10**3, "million": 10**6, "M": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}
_PAPERS = ("arxiv.org", "doi.org", "aclanthology.org", "aclweb.org", "openreview.net", "proceedings", "papers.nips")
_SPELLED = {
    "0": "零",
    "1": "一",
    "2": "二两",
    "3": "三",
    "4": "四",
    "5": "五",
    "6": "六",
    "7": "七",
    "8": "八",
    "9": "九",
}
_WIDE = r"\u3400-\u9fff\uf900-\ufaff"
_CHINESE = re.compile(f"[{_WIDE}]")
_HALF = re.compile(rf"[{_WIDE}][,;:?!](?!\w)|[{_WIDE}]\.(?:\s|$)|[{_WIDE}] *\([{_WIDE}]|[{_WIDE}][,;:?!][{_WIDE}]")
_ENGLISH_RUN = re.compile(r"(?:\b[a-z]+\b[ ,]+){3,}\b[a-z]+\b")
_PARSER = MarkdownIt("commonmark")


def complaints(message: Message, text: str) -> list[str]:
    """Return what is wrong with the form of a translation, if anything."""
    try:
        return [*_complaints(message, text)]
    except (ValueError, SyntaxError) as error:
        return [f"its braces or quotes do not fit: {error}"]


def _complaints(message: Message, text: str) -> Iterator[str]:
    english = message.text
    yield from _same("code", [m[2] for m in _CODE.finditer(english)], [m[2] for m in _CODE.finditer(text)])
    bare, said = _CODE.sub(" ", english), _CODE.sub(" ", text)
    yield from _same("formula", _MATH.findall(bare), _MATH.findall(said))
    bare, said = _MATH.sub(" ", bare), _MATH.sub(" ", said)
    yield from _same("address", _ADDRESS.findall(bare), _ADDRESS.findall(said))
    if message.in_markdown:
        yield from _markdown(english, text)
    yield from _same("tag", _TAG.findall(bare), _TAG.findall(said))
    if message.formatted:
        yield from _same("placeholder", placeholders(english), placeholders(text))
        ast.parse(literal(text, True, lambda t: t, set()), mode="eval")
        bare, said = _without_placeholders(bare), _without_placeholders(said)
    elif message.kind == "comment":
        yield from _same("value in quotes", re.findall(r'"[^"]*"', bare), re.findall(r'"[^"]*"', said))
    if english.count("\n") != text.count("\n") and not message.in_markdown:
        yield f"it has {text.count(chr(10))} line breaks instead of {english.count(chr(10))}"
    yield from _style(message, bare, said)
    bare, said = _ADDRESS.sub(" ", bare), _ADDRESS.sub(" ", said)
    for name in sorted(set(_NAME.findall(bare)) - set(_NAME.findall(said))):
        yield f"the name {name} is missing"
    for number in sorted(set(map(_plain, _NUMBER.findall(bare))) - set(map(_plain, _NUMBER.findall(said)))):
        spelled = any(word in said for word in _SPELLED.get(number, ()))
        if number not in said.replace(",", "") and not spelled and not _in_other_units(number, bare, said):
            yield f"the number {number} is missing"
    for author in sorted({a for a in _AUTHOR.findall(bare) if a not in said}):
        yield f"the name {author} is missing"


def _same(what: str, wanted: list[str], got: list[str]) -> Iterator[str]:
    for text, times in sorted((Counter(wanted) - Counter(got)).items()):
        yield f"{what} missing{f' {times} times' if times > 1 else ''}: {text}"
    for text, times in sorted((Counter(got) - Counter(wanted)).items()):
        yield f"{what} too many{f' {times} times' if times > 1 else ''}: {text}"


def _plain(number: str) -> str:
    return number.rstrip(",").replace(",", "")


def _in_other_units(number: str, english: str, said: str) -> bool:
    """Return whether a number counts thousands, millions or billions, and the translation has the same in its units."""
    wanted = {value for digits, value in _large(english) if digits == number}
    return bool(wanted) and wanted <= {value for _, value in _large(said)}


def _large(text: str) -> Iterator[tuple[str, int]]:
    for digits, unit in _LARGE.findall(text):
        yield _plain(digits), round(float(_plain(digits)) * _UNITS[unit])


def _markdown(english: str, text: str) -> Iterator[str]:
    targets = [[m[3] for m in _LINK.finditer(t)] for t in (english, text)]
    yield from _same("link", *targets)
    for _, label, target in _LINK.findall(english):
        said = [other for _, other, where in _LINK.findall(text) if where == target]
        if any(host in target for host in _PAPERS) and not any(_same_paper(label, other) for other in said):
            yield f"the title of a paper was changed: {label}"
    wanted, got = _shape(english), _shape(text)
    for what, tag in (("bold", "strong_open"), ("italic", "em_open")):
        if wanted[tag] != got[tag]:
            yield (
                f"{got[tag]} {what} stretches instead of {wanted[tag]} (between Chinese characters a `*` needs the "
                "punctuation outside, or a space beside it)"
            )


def _same_paper(label: str, said: str) -> bool:
    """Return whether the text of a link to a paper was kept: its title to the letter, of a citation names and year.

    A text that begins with a small letter is words of ours, such as *their abstract*, and is translated.
    """
    if label[:1].islower():
        return True
    if not _CITATION.fullmatch(label):
        return label == said
    return _CITED.findall(label) == _CITED.findall(said)


def _shape(text: str) -> Counter[str]:
    tokens = _PARSER.parseInline(_MATH.sub("x", text))
    return Counter(child.type for token in tokens for child in token.children or ())


def _without_placeholders(text: str) -> str:
    return re.sub(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", " 0 ", text)


def _style(message: Message, bare: str, said: str) -> Iterator[str]:
    words = re.findall(r"\b[a-z]{2,}\b", _ADDRESS.sub(" ", _TAG.sub(" ", _LINK.sub(" ", bare))))
    if len(words) >= 3 and not _CHINESE.search(said):
        yield "it is not in Chinese"
    plain = _ADDRESS.sub(" ", _TITLE.sub(" ", said))
    plain = re.sub(r'"[^"]*"|\*[^*]*\*|（[^）]*）|\([^)]*\)|“[^”]*”', " ", plain)
    for run in _ENGLISH_RUN.findall(plain):
        yield f"English was left: {run}"
    for found in _HALF.findall(said):
        yield f"half-width punctuation beside Chinese: {found}"
    if "et al" in said:
        yield "et al. is 等"
    if "您" in said:
        yield "students are 你, not 您"
