"""Rules for notebooks in the frame: what is folded, how long the lesson is, how often it asks before it shows."""

from __future__ import annotations

from collections.abc import Iterator

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.counting import PREDICTION, count
from grader.authoring.frame import machinery, titled
from grader.core.cells import CellKind, kind_of

WORDS = 2600
MINUTES = range(90, 111)
#: How far the minutes stated may be from those counted.
_NEAR_MINUTES = 10
PREDICTIONS = 4
_MACHINERY_WORDS = ("fold", "section 0")
_BELONGS = (CellKind.SETUP, CellKind.HELPERS)


@rule("machinery", On.BOTH, "The lesson starts at once: what nobody has to read is folded to one line.")
def _machinery(page: Page) -> Iterator[Finding]:
    heading = machinery(page.nb)
    if heading is None:
        return
    folded = page.nb.metadata.get("colab", {}).get("collapsed_sections", [])
    if not heading.metadata.get("jp-MarkdownHeadingCollapsed") or heading.metadata.get("id") not in folded:
        yield page.finding(heading, "the machinery is not folded", "run `grader sync`")
    if missing := [w for w in _MACHINERY_WORDS if w not in heading.source]:
        fix = "say that the section is folded and that a reader whose viewer cannot fold goes on at section 0"
        yield page.finding(heading, f"does not say {' and '.join(missing)}", fix)
    start = page.cells.index(heading) + 1
    ends = (n for n, c in enumerate(page.cells) if n >= start and c.source.startswith("## ") and c not in page.code)
    end = next(ends, len(page.cells))
    for place, cell in enumerate(page.cells):
        inside, belongs = start <= place < end, kind_of(cell) in _BELONGS
        if belongs and not inside:
            yield page.finding(cell, "machinery outside its section", "move it below `## Machinery`")
        elif inside and not belongs:
            yield page.finding(cell, "is folded away with the machinery", "put a heading `## ...` before it")


@rule("folded-tests", On.BOTH, "A test cell interrupts reading; its title says what it tests and what that is worth.")
def _folded_tests(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.TEST) if page.framed else ():
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden") and cell.metadata.get("cellView") == "form"
        if not hidden or cell.source != titled(cell.source, cell.metadata.nbgrader.get("points") or 0):
            yield page.finding(cell, "is not folded, or its title is not up to date", "run `grader sync`")


@rule("lesson-length", On.SOURCE, f"A lesson has {WORDS:,} words at most; what is more goes into `Going deeper`.")
def _lesson_length(page: Page) -> Iterator[Finding]:
    words = count(page.nb).words
    if page.framed and words > WORDS:
        yield page.finding(None, f"{words} words of main text", "move side branches into sections `Going deeper: ...`")


@rule("honest-time", On.SOURCE, "The minutes in the first cell include reading, demonstrations and exercises.")
def _honest_time(page: Page) -> Iterator[Finding]:
    counts = count(page.nb)
    if not page.framed or counts.stated is None:  # `facts-line` misses the minutes
        return
    if counts.stated not in MINUTES:
        what = f"states {counts.stated} minutes"
        yield page.finding(page.cells[0], what, f"make it a lesson of {MINUTES[0]} to {MINUTES[-1]} minutes")
    elif abs(counts.stated - counts.minutes) > _NEAR_MINUTES:
        what = f"states {counts.stated} minutes; reading, demonstrations and exercises add up to {counts.minutes}"
        yield page.finding(page.cells[0], what, "state what they add up to, or shorten the lesson")


@rule("predictions", On.SOURCE, "Who has guessed before an experiment reads its result with other eyes.")
def _predictions(page: Page) -> Iterator[Finding]:
    asked = count(page.nb).predictions
    if page.framed and asked < PREDICTIONS:
        yield page.finding(None, f"{asked} predictions", f"ask for {PREDICTIONS}, as `{PREDICTION} ...`")
