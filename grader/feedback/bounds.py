"""How much of a student's page is rendered: bounds on length, depth and number, and plain text beyond them.

The tools that make HTML are quadratic in what a student chooses: the cleaner in nested tags and in tags that it has to
open again, the Markdown parser in brackets and backticks. So these are counted first, in linear time, and a piece that
has too many of them is shown as it was typed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.feedback.boxes import Stretch, boxes_of, each, runs_to_the_left, stretches
from grader.feedback.turns import turns
from grader.submissions.showing import left_out

#: Characters of one piece of HTML, its tags, their depth, and characters that reopened tags may add.
MAX_HTML, MAX_TAGS, MAX_DEPTH, MAX_REOPENED = 200_000, 20_000, 60, 400_000
#: Boxes that a browser makes for one piece (`boxes.py`), and for all HTML and Markdown of a page together. So many are
#: left for the Markdown, whatever outputs take: the course's own texts are among it.
MAX_BOXES, MAX_ALL_BOXES, MARKDOWN_BOXES = 400_000, 600_000, 100_000
#: Characters of one Markdown text that is rendered, and its marks that a parser may have to search a partner for.
MAX_MARKDOWN, MAX_PAIRED = 20_000, 800
#: Characters in rows of tables that a parser reads at most: where a table turns out to be none, it begins anew with the
#: next line. A row takes as long as that many characters more.
MAX_REREAD, ROW = 1_500_000, 20
#: Characters of one text, one source and one embedded image that are kept, and of all of a notebook together.
MAX_TEXT, MAX_SOURCE, MAX_IMAGE = 21_000, 60_000, 3 * 2**20
MAX_TEXTS, MAX_SOURCES, MAX_HTMLS, MAX_IMAGE_BYTES = 400_000, 1_000_000, 400_000, 10 * 2**20
#: How often one text may turn to another script (`turns.py`), and all of a notebook together.
MAX_TURNS, MAX_ALL_TURNS = 10_000, 60_000
#: Outputs of one cell, images of a notebook, and pixels that a browser works through for all of them, in 7 seconds.
MAX_OUTPUTS, MAX_IMAGES, MAX_WORK = 40, 60, 2_000_000_000

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,40})([^>]*)>?")
_PAIRED = re.compile(r"[\[\]`]|\\begin|\\[\[(]")
#: What is below the head of a table, if there is a | in it; cells may be empty.
_DASHES = re.compile(r"[\s|:-]*")
#: A gap between words in which a parser of Markdown looks for the end of the line again and again.
_LONG_GAP = " " * 1_000
#: A style sheet without any tag in it, as tables of pandas bring one; it never gets onto a page.
STYLE_SHEET = re.compile(r"<style(?: scoped)?>[^<]*</style>", re.IGNORECASE)
#: Where a parser reads something else than a simple count of tags would: the count is then careful.
_ODD = re.compile(
    r"<[!?]|<(?:style|script|title|textarea|xmp|noscript|template|plaintext|iframe|noembed|noframes|select|svg|math)",
    re.IGNORECASE,
)
_WORDS = {
    "uncounted": "area base br col embed hr img input link meta source track wbr "
    "p li dt dd tr td th thead tbody tfoot colgroup option optgroup rt rp",
    "reopened": "a b big code em font i nobr s small strike strong tt u",
}
#: Elements without content, and those that end where the next of their kind begins; what they are nested in is counted.
_UNCOUNTED = frozenset(_WORDS["uncounted"].split())
#: Elements that a parser opens again after a block ended them.
_REOPENED = frozenset(_WORDS["reopened"].split())


def is_simple_html(text: str) -> bool:
    """Return whether a cleaner gets through HTML in a time that its length alone decides.

    Args:
        text: HTML of a student's. Tags inside of comments, texts or attributes count; ends of tags count only where
            nothing could make a parser read them differently.
    """
    if len(text) > MAX_HTML:
        return False
    odd = _ODD.search(text) is not None
    depth = tags = added = 0
    reopened: list[tuple[str, int]] = []
    waiting = 0
    for tag in _TAG.finditer(text):
        end, name, attributes = tag[1], tag[2].lower(), tag[3]
        odd = odd or attributes.count('"') % 2 == 1 or attributes.count("'") % 2 == 1
        tags += 1
        added += waiting
        if end:
            if not odd and name not in _UNCOUNTED:
                depth = max(depth - 1, 0)
            if not odd and reopened and reopened[-1][0] == name:
                waiting -= reopened.pop()[1]
            continue
        if name not in _UNCOUNTED:
            depth += 1
        if name in _REOPENED:
            reopened.append((name, len(tag[0])))
            waiting += len(tag[0])
        if depth > MAX_DEPTH or tags > MAX_TAGS or added > MAX_REOPENED:
            return False
    return tags <= MAX_TAGS and added <= MAX_REOPENED


def is_simple_markdown(text: str) -> bool:
    """Return whether a Markdown parser gets through a text in a time that its length alone decides."""
    short = len(text) <= MAX_MARKDOWN and _LONG_GAP not in text
    if not short or sum(1 for _ in _PAIRED.finditer(text)) > MAX_PAIRED:
        return False
    rows = [line for line in text.splitlines() if "|" in line]
    tables = sum(1 for row in rows if _DASHES.fullmatch(row))
    return tables * sum(len(row) + ROW for row in rows) <= MAX_REREAD


def _turns_seen(markup: str, found: list[Stretch]) -> tuple[int, bool]:
    """Return how often what the cleaner wrote turns to another script, and whether it may do so."""
    texts = [text for stretch in each(found) for text in stretch.texts]
    # What is behind a tag is laid out like what is behind the end of a line, and nothing before the first text.
    shown = "\n".join(text.words for text in texts).lstrip("\n")
    used, length = turns(shown, MAX_TURNS, runs_to_the_left(markup))
    used += sum(text.gone_over() for text in texts)
    return used, length == len(shown) and used <= MAX_TURNS


def costs_too_much(markup: str) -> bool:
    """Return whether what the cleaner wrote has more boxes, or turns to another script more often, than a piece may."""
    found = stretches(markup)
    return boxes_of(found) > MAX_BOXES or not _turns_seen(markup, found)[1]


def cut(text: str, most: int) -> str:
    """Return the first part of a text, and in a line of its own how much is left out."""
    return _cut(text, most, MAX_TURNS)[0]


def _cut(text: str, most: int, turns_left: int) -> tuple[str, int]:
    """Return that, and how often what is shown turns to another script."""
    used, length = turns(text[: max(most, 0)], min(MAX_TURNS, turns_left))
    if len(text) <= length:
        return text, used
    return f"{text[:length]}\n{left_out(characters=len(text) - length)}", used


@dataclass
class Allowance:
    """What is left of the room that a notebook has on a page. Each method takes of it, and returns what fits."""

    texts: int = MAX_TEXTS
    turns: int = MAX_ALL_TURNS
    sources: int = MAX_SOURCES
    source_turns: int = MAX_ALL_TURNS  # of its own: answers stand behind outputs that may use up all the others
    htmls: int = MAX_HTMLS
    boxes: int = MAX_ALL_BOXES
    images: int = MAX_IMAGES
    image_bytes: int = MAX_IMAGE_BYTES
    work: int = MAX_WORK

    def for_markdown(self) -> Allowance:
        """Return the room of the page's Markdown, with what its outputs left of the boxes and images."""
        boxes = max(self.boxes, MARKDOWN_BOXES)
        return Allowance(boxes=boxes, images=self.images, image_bytes=self.image_bytes, work=self.work)

    def text(self, text: str) -> str:
        """Return a plain text, cut if need be."""
        shown, used = _cut(text, min(MAX_TEXT, self.texts), self.turns)
        self.texts -= min(len(text), MAX_TEXT, self.texts)
        self.turns -= used
        return shown

    def source(self, text: str) -> str:
        """Return the source of a cell, cut if need be."""
        shown, used = _cut(text, min(MAX_SOURCE, self.sources), self.source_turns)
        self.sources -= min(len(text), MAX_SOURCE, self.sources)
        self.source_turns -= used
        return shown

    def html(self, text: str) -> bool:
        """Return whether a piece of HTML may be cleaned, and rendered if there is room for what comes of it."""
        fits = len(text) <= self.htmls and is_simple_html(STYLE_SHEET.sub("", text))
        self.htmls -= len(text) if fits else 0
        return fits

    def markup(self, markup: str) -> bool:
        """Return whether what the cleaner wrote may be rendered."""
        found = stretches(markup)
        made, (used, fits) = boxes_of(found), _turns_seen(markup, found)
        fits = fits and used <= self.turns and made <= self.boxes
        if fits:
            self.boxes, self.turns = self.boxes - made, self.turns - used
        return fits

    def image(self, size: int, work: int) -> bool:
        """Return whether an image of some bytes, and of some work to a browser, may be shown."""
        fits = self.images > 0 and size <= self.image_bytes and work <= self.work
        if fits:
            self.images, self.image_bytes, self.work = self.images - 1, self.image_bytes - size, self.work - work
        return fits
