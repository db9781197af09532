"""Time what Chromium takes for a page full of one kind of HTML, as it is written and as a page shows it.

`grader.feedback.boxes` counts what a browser has to make of HTML; its weights and bounds come from this table. Each
page has two pieces of HTML and 20 of Markdown, as long as they may be, which are rendered as long as there is room.
Beside it stands what a tenth of the first piece takes as it is written: the whole would take minutes and gigabytes.

    python -m tests.browser.making_boxes              # all of them
    python -m tests.browser.making_boxes items quotations
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from playwright.sync_api import Browser, sync_playwright

from grader.feedback.bounds import MAX_HTML, MAX_MARKDOWN, Allowance
from grader.feedback.sanitise import as_typed, clean_html, contained, student_markdown

from .lab import BROWSER, FLAGS

PIECES, TEXTS = 2, 20
BORDER = '<span style="border:1px solid red">'
LEFTWARD = '<span dir="rtl">'


def around(opened: str, closed: str, depth: int, part: str, before: str = "", behind: str = "") -> Callable[[int], str]:
    """Return what makes a text of a length in which elements stand around a part over and over.

    Args:
        opened: The tag of each element.
        closed: Its end.
        depth: How many there are around each other.
        part: What stands in them.
        before: What stands before all of it.
        behind: What stands behind it.
    """

    def made(length: int) -> str:
        tags = before + opened * depth, closed * depth + behind
        return tags[0] + part * ((length - len(tags[0]) - len(tags[1])) // len(part)) + tags[1]

    return made


NARROW = '<div style="width:0">'
PAGES: dict[str, Callable[[int], str]] = {
    "lines": around("", "", 0, "a\n", "<pre>", "</pre>"),
    "lines in one element": around("<sub>", "</sub>", 1, "a\n", "<pre>", "</pre>"),
    "lines in two elements": around("<sub>", "</sub>", 2, "a\n", "<pre>", "</pre>"),
    "lines in 55 elements": around("<sub>", "</sub>", 55, "a\n", "<pre>", "</pre>"),
    "lines in 40 borders": around(BORDER, "</span>", 40, "a\n", "<pre>", "</pre>"),
    "ends of lines in 40 elements": around("<sub>", "</sub>", 40, "<br>"),
    "lines in 38 elements that run to the left": around(LEFTWARD, "</span>", 38, "a\n", "<pre>", "</pre>"),
    "letters in a narrow box": around("<i>", "</i>", 1, "a", NARROW, "</div>"),
    "letters in a narrow box and 55 elements": around("<i>", "</i>", 55, "a", NARROW, "</div>"),
    "elements": around("", "", 0, "<i>x</i>"),
    "items": around("", "", 0, "<li>x</li>", "<ol>", "</ol>"),
    "what can be opened": around("", "", 0, "<details><summary>x</summary>y</details>"),
    "cells": around("", "", 0, "<tr>" + "<td>1.25</td>" * 8 + "</tr>", "<table>", "</table>"),
    "quotations": around("", "", 0, "<q>x</q>"),
}
LAY_OUT = """markup => {
    const start = performance.now();
    document.body.innerHTML = markup;
    document.body.offsetHeight;
    return performance.now() - start;
}"""
SHEET = "<!doctype html><style>body, pre { overflow-wrap: anywhere } pre { white-space: pre-wrap }</style><body>"


def seconds(browser: Browser, markup: str) -> float:
    """Return how long the browser takes for HTML on a page of its own."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(600_000)
    try:
        page.set_content(SHEET)
        taken: float = page.evaluate(LAY_OUT, markup)
        return taken / 1_000
    finally:
        page.close()


def shown(piece: Callable[[int], str]) -> list[str]:
    """Return the boxes of a page, with HTML and Markdown in each."""
    room, made = Allowance(), []
    for _ in range(PIECES):
        text = piece(MAX_HTML - 10)
        cleaned = clean_html(text) if room.html(text) else None
        fits = cleaned is not None and room.markup(cleaned)
        made.append(cleaned if cleaned is not None and fits else as_typed(room.text(text)))
    markdown = room.for_markdown()
    made += [student_markdown(piece(MAX_MARKDOWN - 10), markdown) for _ in range(TEXTS)]
    return [contained(one) for one in made]


def main(names: list[str]) -> None:
    """Print the table.

    Args:
        names: Of the pages that are timed; all if there are none.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        seconds(browser, "word")  # the first page of a browser takes longer
        print(
            f"Chromium {browser.version}\n| page | a tenth of a piece as written, s | pieces rendered | as shown, s |"
        )
        print("|---|---|---|---|")
        for name, piece in PAGES.items():
            if names and name not in names:
                continue
            boxes = shown(piece)
            rendered = sum("&lt;" not in box for box in boxes)
            times = seconds(browser, contained(piece(MAX_HTML // 10))), seconds(browser, "".join(boxes))
            print(f"| {name} | {times[0]:.1f} | {rendered} | {times[1]:.1f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
