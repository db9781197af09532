"""How much a browser has to make to show a piece of HTML: boxes on lines, and elements.

An element within lines gets a box on each line that it reaches over: 55 elements around 98,000 lines are five million
boxes, for which a browser took three minutes and eight gigabytes. How narrow a line gets, a student decides, and a page
may break it anywhere. So each character of a text counts as often as such elements are open around it, and so does each
element in them, which may begin or end a line.

An element within lines that says which way it runs is a text of its own to a browser on each line, and one within
another takes the square of the lines where any of it runs to the left: 38 of them around 5,000 lines took 12 seconds.
So it counts as more elements. A block that says so, as editors write it around Arabic and Hebrew, costs nothing.

`tests/browser/making_boxes.py` times what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.feedback.tags import TAG, attributes_of

#: What an element counts: it takes a browser up to a tenth of a millisecond, and a box on a line 4 or 5 thousandths.
ELEMENT = 20
#: As how many elements around it a text counts that has one which says which way it runs.
ONE_WAY = 10
_WORDS = {
    "blocks": "blockquote caption col colgroup dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre "
    "summary table tbody td tfoot th thead tr ul",
    "empty": "br col hr img",
}
#: Elements that lines are in, and not the other way round.
_BLOCKS = frozenset(_WORDS["blocks"].split())
#: Elements without content or end.
EMPTY = frozenset(_WORDS["empty"].split())


def shown_of(written: Mapping[str, str]) -> str:
    """Return what a page may show of a tag's attributes.

    It is the text of an image that a browser cannot read, or the address of a link, which the formgrader's page has
    behind its label.

    Args:
        written: The attributes, by name.
    """
    return written.get("alt") or written.get("href") or ""


def boxes(markup: str) -> int:
    """Return how many boxes a browser may make for what the cleaner wrote, in which every tag has its end.

    Args:
        markup: Clean HTML.
    """
    count = within = place = 0
    around = list[int]()  # what each element counts that is open within lines
    for tag in TAG.finditer(markup):
        count += within * (tag.start() - place)
        place = tag.end()
        in_lines = tag[2] not in _BLOCKS and tag[2] not in EMPTY
        if tag[1]:
            within -= around.pop() if in_lines else 0
            continue
        written = attributes_of(tag[3])
        count += ELEMENT + within
        if in_lines:
            around.append(ONE_WAY if "dir" in written else 1)
            within += around[-1]
        count += within * len(shown_of(written))
    return count + within * (len(markup) - place)
