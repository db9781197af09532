"""Time how long Chromium takes to lay out texts of many scripts, signs and pictures, and what is shown of each.

`grader.feedback.turns` weighs what of a text a browser lays out piece by piece; its weights come from this table. Each
text has 60,000 letters. It is timed as a page of feedback shows it, which is to be no more than a few hundred times
what as many letters of English words take. So are its first 3,000 letters: all of them would take a browser minutes, as
some times grow with the square of the length.

    python -m tests.browser.laying_out                      # all of them
    python -m tests.browser.laying_out words "a rare mark and tabs"
"""

from __future__ import annotations

import random
import sys

from playwright.sync_api import Browser, sync_playwright

from grader.feedback.bounds import MAX_TURNS
from grader.feedback.turns import turns

from .lab import BROWSER, FLAGS

LETTERS, FIRST = 60_000, 3_000
WORDS = "word "


def words(first: str, last: str, end: str) -> str:
    """Return words of three letters of a range, hardly one of them twice: a browser remembers those that it has seen.

    Args:
        first: The first letter of the range.
        last: Its last.
        end: What is behind each word.
    """
    rng = random.Random(0)
    return "".join(
        "".join(chr(rng.randint(ord(first), ord(last))) for _ in range(3)) + end for _ in range(LETTERS // 4)
    )


TEXTS = {
    "words": WORDS,
    "Chinese": "\u6f22\u5b57",
    "Chinese and Latin": "\u6f22 a ",
    "Hangul and Han": "\uac00\u6f22",
    "Hebrew and Latin": "\u05d0a",
    "Arabic, one word": "\u0639",
    "Hebrew, a letter a line": "\u05d0\n",
    "Persian words": "\u0645\u06cc\u200c\u06af\u06cc\u0631\u062f ",
    "Amharic words": "\u12a0\u121b\u122d\u129b ",
    "mathematical letters": "\U0001d465\U0001d6f7\U0001d4aa ",
    "Devanagari words": "\u0928\u092e\u0938\u094d\u0924\u0947 ",
    "arrows in a text": "a\u2194",
    "hearts in a text": "a\u2764",
    "marks that choose a form": "a\u2194\ufe0f",
    "keycaps": "1\u20e3",
    "joined pictures": "\U0001f469\u200d",
    "two forms of a picture": "\U0001f600\ufe0e\U0001f600\ufe0f",
    "flags": "\U0001f1e9\U0001f1ea",
    "shades of skin": "\U0001f44d\U0001f3fd",
    "pictures in a text": "#\U0001f7e9",
    "pictures and signs": "\U0001f7e9\u25cf",
    "signs without a name": "a\U0001fbff",
    "signs of four fonts": "\u23a1\u283f\u222e\u2720",
    "lowered and raised digits": "x\u2081\u207f",
    "letters in circles": "a\u2460",
    "shades of skin by themselves": "\U0001f3fb",
    "shades behind what takes none": "\U0001f600\U0001f3fb",
    "halves of flags": "\U0001f1e9\U0001f600",
    "flags that are none": "\U0001f1e6\U0001f1e6\U0001f1f6\U0001f1ef",
    "pictures of two kinds": "\U0001f321\U0001f600",
    "tiles of Mahjong": "\U0001f004\U0001f005",
    "cards and boxed letters": "\U0001f0a1\U0001f170",
    "families": "\U0001f468\U0001f3fd\u200d\U0001f469\u200d\U0001f467",
    "pictures, all joined": "\U0001f600\u200d\U0001f987\u200d",
    "pictures of a newer Unicode": "\U0001fa77\U0001f600",
    "pictures without a name": "\U0001fa2e\U0001f600",
    "Greek without a name": "\u03b1\u0378",
    "signs, one without a name": "\u212a\u2430",
    "Greek and Coptic": "\u03b1\u03e2",
    "Oriya and Latin": "\u0b23a",
    "Oriya and Yi": "\u0b23\ua08a",
    "Hangul and blanks": "\uc8fb ",
    "Kana and blanks": "\u3073\u30a7 ",
    "arrows and blanks": "\u27fa ",
    "boxes and operators": "\u256b\u2a7e",
    "braille and blanks": "\u28ff ",
    "braille": "\u28ff\u2847\u2800",
    "accents": "e\u0301",
    "a rare mark and tabs": "\t\u0366",
    "a rare mark behind a letter": "b\u0366d",
    "a rare sign a line": "\n\u26d8",
    "an arrow and a rare sign a line": "\n \u2192\u29bb",
    "Rejang and tabs": "\t\ua947",
    "Chinese, a letter a line": "\u6f22\n",
    "Chinese words, all other ones": words("\u4e00", "\u9fa5", " "),
    "Chinese words, all other ones, one a line": words("\u4e00", "\u9fa5", "\n"),
    "Hangul words, all other ones": words("\uac00", "\ud7a3", " "),
    "braille, a new word a line": words("\u2801", "\u28ff", "\n"),
}
LAY_OUT = """text => {
    const box = document.getElementById('text'), start = performance.now();
    box.textContent = text;
    document.body.offsetHeight;
    return performance.now() - start;
}"""


def milliseconds(browser: Browser, text: str) -> float:
    """Return how long the browser takes to lay a text out on a page of its own."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    try:
        page.set_content("<pre id='text' style='white-space: pre-wrap; overflow-wrap: anywhere'></pre>")
        return page.evaluate(LAY_OUT, text)
    finally:
        page.close()


def main(names: list[str]) -> None:
    """Print the table.

    Args:
        names: Of the texts that are timed; all if there are none.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        milliseconds(browser, WORDS)  # the first page of a browser takes longer
        words = min(milliseconds(browser, WORDS * (LETTERS // len(WORDS))) for _ in range(5))
        print(f"Chromium {browser.version}; {LETTERS:,} letters of English words: {words:.0f} ms")
        print(f"| text | first {FIRST:,} letters, times | letters shown | as shown, times |\n|---|---|---|---|")
        for name, piece in TEXTS.items():
            if names and name not in names:
                continue
            text = piece * (LETTERS // len(piece))
            shown = text[: turns(text, MAX_TURNS)[1]]
            first, whole = (milliseconds(browser, part) / words for part in (text[:FIRST], shown))
            print(f"| {name} | {first:.1f} | {len(shown):,} | {whole:.1f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
