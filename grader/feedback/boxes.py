"""How much a browser has to make to show a piece of HTML: boxes on lines, and elements.

An element within lines gets a box on each line that it reaches over: 55 elements around 98,000 lines are five million
boxes, for which a browser took three minutes and eight gigabytes. How narrow a line gets, a student decides, and a page
may break it anywhere. So each character of a text counts as often as such elements are open around it, and so does each
element in them, which may begin or end a line.

An element within lines that says which way it runs is a text of its own to a browser on each line, and one within
another takes the square of the lines where any of it runs to the left: 38 of them around 5,000 lines took 12 seconds.
So it counts as more elements. A block that says so, as editors write it around Arabic and Hebrew, costs nothing.

What is laid out as one is a stretch: a paragraph, with all elements that reach beyond it, or a whole table, whose
columns depend on each of its cells. Whatever changes in a stretch, a browser lays that one out anew and no other. For
that it goes over each block's letters for each of the block's lines, fast or slowly: which letters are slow depends on
the fonts of its machine. So all count as the slowest do.

`tests/browser/making_boxes.py` times what is shown.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from grader.feedback.tags import TAG, attributes_of
from grader.feedback.turns import gone_over, turns

#: What an element counts: it takes a browser up to a tenth of a millisecond, and a box on a line 4 or 5 thousandths.
ELEMENT = 20
#: As how many elements around it a text counts that has one which says which way it runs.
ONE_WAY = 10
#: Letters of a line where no box is narrow, on average, and at least: a window may be small and letters large. And how
#: often what is in a box may be indented until it is narrow.
_WIDE, _AT_LEAST, _INDENTS = 30, 10, 4
#: Boxes on lines that take as long each time as a line, and as a turn (`turns.py`). Lines of many letters take no
#: longer than that, those of one letter up to twice as long.
_LINE, _TURN = 2, 3
#: Letters of a block, times its lines, that take as long as a box, whatever they are: 19,700, each a line, take 1.1 s.
_LETTERS = 350
_WORDS = {
    "blocks": "blockquote caption col colgroup dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p "
    "pre summary table tbody td tfoot th thead tr ul",
    "empty": "br col hr img",
    "indents": "blockquote code dd details dl figure h1 h2 h3 h4 h5 h6 kbd ol samp small sub sup ul",
}
#: Elements that lines are in, and not the other way round.
_BLOCKS = frozenset(_WORDS["blocks"].split())
#: Elements without content or end.
EMPTY = frozenset(_WORDS["empty"].split())
#: Elements that indent what is in them, or give its letters another size: of what is smaller, so is a width in em.
_INDENTING = frozenset(_WORDS["indents"].split())
#: As how many of them declarations of a style count that take some room; and a box that is half as wide, or less.
_LARGER = re.compile(r"font-size:(?!small|medium|1[0-6]px|9pt|1[0-2]pt|0\.|1r?em|\d\d%|100%)")
_TAKING = (
    (re.compile("padding|border"), 2),
    (re.compile(r"padding[a-z-]*:[^;]*(?<![\d.])(?:[1-4](?:\.\d+)?r?em|[5-9]\d(?:\.\d+)?px|[4-9]\d(?:\.\d+)?pt)"), 1),
    (re.compile(r"padding[a-z-]*:[^;]*(?<![\d.])[2-4](?:\.\d+)?r?em"), 1),
    (_LARGER, 4),
    (re.compile("font-size:(?!medium|100%|1r?em)"), 1),
)
_WIDTH = re.compile("(?<![a-z-])(?:max-)?width:([^;]*)")
_FULL, _HALF = re.compile("auto|100%"), re.compile(r"[5-9]\d(?:\.\d+)?(?:%|rem)|[5-9]\d\dpx|[3-9]\d(?:\.\d+)?em")
#: What may be a line of its own, apart from blanks.
_WORD = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")
_WHITE_SPACE = re.compile("white-space:([a-z]+)")


def shown_of(written: Mapping[str, str]) -> str:
    """Return what a page may show of a tag's attributes.

    It is the text of an image that a browser cannot read, or the address of a link, which the formgrader's page has
    behind its label.

    Args:
        written: The attributes, by name.
    """
    return written.get("alt") or written.get("href") or ""


class Text(NamedTuple):
    """A text of a page, between two tags or in the place of one."""

    words: str
    #: Whether each of its characters may be a line of its own.
    is_narrow: bool
    #: Whether the ends of its lines are kept: to a browser, each line is a text of its own then.
    keeps_lines: bool
    #: Whether a line may end within a word, as the formgrader's page has it in preformatted texts.
    breaks_words: bool
    #: The number of the block that it is in, apart from the blocks within that one.
    block: int

    def gone_over(self) -> int:
        """Return as how many turns it counts that a browser goes over parts of it for each line."""
        parts = self.words.split("\n") if self.keeps_lines else [self.words]
        return sum(gone_over(part, self._lines(part)) for part in parts)

    def lines(self) -> int:
        """Return how many lines it may have in the narrowest box."""
        if self.breaks_words:
            return len(self.words)
        return sum(1 for _ in _WORD.finditer(self.words)) + (self.words.count("\n") if self.keeps_lines else 0)

    def _lines(self, part: str) -> int:
        return len(part) if self.is_narrow else len(part) // _WIDE + 1


@dataclass
class Stretch:
    """What a browser lays out as one.

    Args:
        elements: How many begin in it.
        boxes: How many boxes on lines they make.
        texts: Its texts.
    """

    elements: int = 0
    boxes: int = 0
    texts: list[Text] = field(default_factory=list)

    def anew(self, leftward: bool) -> int:
        """Return as many boxes as take as long as to lay it out once more.

        Args:
            leftward: Whether anything around it runs to the left.
        """
        text = "\n".join(text.words for text in self.texts)
        turned, lines = turns(text, len(text) * 100, leftward)[0], sum(text.lines() for text in self.texts)
        return max(self.elements + self.boxes + _LINE * lines + _TURN * turned, self._gone_over())

    def _gone_over(self) -> int:
        """Return that for going over the letters of each block for each of its lines, whatever letters they are."""
        letters, tenths = Counter[int](), Counter[int]()
        for text in self.texts:
            letters[text.block] += len(text.words)
            tenths[text.block] += len(text.words) * (_AT_LEAST if text.is_narrow else 1)
        return sum(letters[block] * tenths[block] for block in letters) // (_AT_LEAST * _LETTERS)


class _Open(NamedTuple):
    """An element that is open, and what holds in it."""

    within: int  # as how many elements within lines it counts
    indents: int  # how often what is in it is indented
    keeps_lines: bool
    breaks_words: bool
    tables: int


class _Reader:
    """Reads what the cleaner wrote, tag by tag."""

    def __init__(self) -> None:
        self.stretch = Stretch()
        #: For each text between two tags the stretch that it is in.
        self.found: list[Stretch] = []
        self._within = 0  # as how many elements within lines all that are open count
        self._blocks = 0
        self._open = [_Open(0, 0, False, False, 0)]

    def text(self, words: str) -> None:
        self.stretch.boxes += self._within * len(words)
        self._add(words)
        self.found.append(self.stretch)

    def _add(self, words: str) -> None:
        around = self._open[-1]
        is_narrow, text = around.indents > _INDENTS, html.unescape(words)
        self.stretch.texts.append(Text(text, is_narrow, around.keeps_lines, around.breaks_words, self._blocks))

    def begins(self, name: str, written: Mapping[str, str]) -> None:
        self._block(name)
        self.stretch.elements += 1
        self.stretch.boxes += self._within
        if name not in EMPTY:
            one = _inside(self._open[-1], name, written)
            self._open.append(one)
            self._within += one.within
        if shown := shown_of(written):
            self.stretch.boxes += self._within * len(shown)
            self._add(shown)

    def ends(self, name: str) -> None:
        if len(self._open) > 1:
            self._within -= self._open.pop().within
        self._block(name)

    def _block(self, name: str) -> None:
        """Begin a new block if one begins or ends here, and a new stretch if none reaches beyond it."""
        self._blocks += name in _BLOCKS
        if name in _BLOCKS and not self._within and not self._open[-1].tables:
            self.stretch = Stretch()


def _inside(around: _Open, name: str, written: Mapping[str, str]) -> _Open:
    """Return what holds in an element.

    Args:
        around: What holds around it.
        name: Its name.
        written: Its attributes.
    """
    style = written.get("style", "")
    spaces = _WHITE_SPACE.findall(style)
    keeps_lines = spaces[-1].startswith("pre") if spaces else around.keeps_lines or name == "pre"
    within = 0 if name in _BLOCKS else ONE_WAY if "dir" in written else 1
    # One `pre` in a text is wide enough; each in another one takes its padding.
    indents = around.indents + _indents(name, style) + (name == "pre" and around.breaks_words)
    tables = around.tables + (name == "table")
    return _Open(within, indents, keeps_lines, around.breaks_words or name == "pre", tables)


def _indents(name: str, style: str) -> int:
    """Return as how many elements one counts that indent what is in them.

    Cells are as narrow as their table pleases. What is wide is checked for a page of 900 pixels with letters of 16.
    """
    if name == "table":
        return _INDENTS + 1
    count = int(name in _INDENTING) + sum(more for taking, more in _TAKING if taking.search(style))
    widths = [width for width in _WIDTH.findall(style) if not _FULL.fullmatch(width)]
    return count + sum(_INDENTS + (_HALF.fullmatch(width) is None) for width in widths)


def stretches(markup: str) -> list[Stretch]:
    """Return for each text between two tags of what the cleaner wrote the stretch that it is in.

    Args:
        markup: Clean HTML, in which every tag has its end.
    """
    reader, place = _Reader(), 0
    for tag in TAG.finditer(markup):
        reader.text(markup[place : tag.start()])
        place = tag.end()
        if tag[1]:
            reader.ends(tag[2])
        else:
            reader.begins(tag[2], attributes_of(tag[3]))
    reader.text(markup[place:])
    return reader.found


def runs_to_the_left(markup: str) -> bool:
    """Return whether an element of what the cleaner wrote runs to the left. A text may quote such a tag."""
    return any(attributes_of(tag[3]).get("dir", "").lower() == "rtl" for tag in TAG.finditer(markup))


def laid_out_anew(markup: str) -> list[int]:
    """Return for each text between two tags as many boxes as take as long as to lay out its stretch once more.

    Args:
        markup: Clean HTML.
    """
    found, leftward = stretches(markup), runs_to_the_left(markup)
    costs = {id(stretch): stretch.anew(leftward) for stretch in each(found)}
    return [costs[id(stretch)] for stretch in found]


def boxes(markup: str) -> int:
    """Return how many boxes a browser may make for clean HTML, in which every tag has its end."""
    return boxes_of(stretches(markup))


def boxes_of(found: list[Stretch]) -> int:
    """Return how many boxes a browser may make for stretches."""
    return sum(ELEMENT * stretch.elements + stretch.boxes for stretch in each(found))


def each(found: list[Stretch]) -> list[Stretch]:
    """Return each of some stretches once, in their order."""
    return list({id(stretch): stretch for stretch in found}.values())
