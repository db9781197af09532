"""Rules for the text of a notebook: its parts, headings, links, formulas and words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.check_reading import outside_fences, prose
from grader.authoring.counting import count_words
from grader.core.cells import CellKind, kind_of
from grader.core.names import tree_of

_WORDS = 120
_QUESTIONS = 5


def _headings(text: str) -> list[tuple[int, str]]:
    """List level and title of the headings of a markdown text."""
    return [(len(m[1]), m[2].strip()) for m in re.finditer(r"^(#{1,6})[ \t]+(.+)$", outside_fences(text), re.M)]


@rule("title", On.SOURCE, "A notebook opens with its number and name, its only heading of the first level.")
def _title(page: Page) -> Iterator[Finding]:
    number = int(page.assignment[:2])
    first = page.cells[0] if page.cells else None
    if first is None or first.cell_type != "markdown" or not re.match(rf"# {number}\. \S", first.source):
        yield page.finding(first, f"the notebook does not open with `# {number}. Title`", "make it the first line")
    ones = [(c, title) for c in page.markdown for level, title in _headings(c.source) if level == 1]
    for cell, title in ones[1:]:
        yield page.finding(cell, f"a second heading of level 1: {title}", "use ##")


@rule("colab-badge", On.SOURCE, "One click opens the released notebook on Colab.")
def _badge(page: Page) -> Iterator[Finding]:
    first = page.cells[0] if page.cells else None
    own = f"notebooks/{page.assignment}/{page.assignment}.ipynb"
    pattern = rf"\[!\[[^\]]+\]\(https://[^)]+\)\]\(https://colab\.research\.google\.com/github/[^)]+/{re.escape(own)}\)"
    if first is None or not re.search(pattern, first.source):
        fix = f"link `[![Open in Colab](...badge)](https://colab.research.google.com/github/.../{own})`"
        yield page.finding(first, "no Colab badge of this notebook's release", fix)


@rule("heading-levels", On.SOURCE, "A screen reader walks by headings; a skipped level reads as a missing part.")
def _levels(page: Page) -> Iterator[Finding]:
    before = 0
    for cell in page.markdown:
        for level, title in _headings(cell.source):
            if level > before + 1:
                yield page.finding(cell, f"`{title}` skips a level", f"use {'#' * (before + 1)}")
            before = level


#: Headings of level 2 that every notebook has, in this order; others may come between them.
REQUIRED = {
    "Goals": r"Goals",
    "Before you start": r"Before you start",
    "Try it yourself": r"Try it yourself",
    "What you learned": r"What you (?:have )?learned",
    "Quiz": r".*\b[Qq]uiz\b.*",
    "Questions to think about": r".*\b(?:[Qq]uestions? to (?:answer|think)|[Ww]ritten (?:answer|question))\b.*",
    "Further reading": r"Further reading.*",
}
_ANYWHERE = {"Quiz", "Questions to think about"}  # before or after the summary


@rule("sections", On.SOURCE, "Every notebook has the same parts in the same order, so that nobody searches.")
def _sections(page: Page) -> Iterator[Finding]:
    titles = [(re.sub(r"^\d+\.? ", "", t), c) for c in page.markdown for n, t in _headings(c.source) if n in (2, 3)]
    last = -1
    for name, pattern in REQUIRED.items():
        places = [i for i, (title, _) in enumerate(titles) if re.fullmatch(pattern, title)]
        if not places:
            yield page.finding(None, f"no section `## {name}`", "add it")
        elif name not in _ANYWHERE:
            if places[0] < last:
                yield page.finding(
                    titles[places[0]][1], f"`## {name}` comes too early", "order: " + ", ".join(REQUIRED)
                )
            last = max(last, places[0])


@rule("prediction", On.SOURCE, "Who has guessed before an experiment sees what it shows.")
def _prediction(page: Page) -> Iterator[Finding]:
    if not any("> **Predict.**" in c.source for c in page.markdown):
        yield page.finding(None, "no prediction", "ask for one before an experiment, as `> **Predict.** ...`")


@rule("quiz", On.SOURCE, f"Each notebook has a quiz of {_QUESTIONS} questions, each choice explained.")
def _quiz(page: Page) -> Iterator[Finding]:
    text, inside, first = "", False, None
    for cell in page.markdown:
        for part in re.split(r"(?=^## )", cell.source, flags=re.M):
            if part.startswith("## "):
                inside = bool(re.search(r"\bquiz\b", part.splitlines()[0], re.I))
                first = cell if inside else first
            text += part + "\n" if inside else ""
    questions = re.split(r"^(?:\*\*|#+ )(?:Question )?(?=\d+\b)", text, flags=re.M)[1:]
    numbers = [int(match[0]) for q in questions if (match := re.match(r"\d+", q))]
    if first is not None and numbers != list(range(1, _QUESTIONS + 1)):
        what = f"the quiz has the questions {', '.join(map(str, numbers)) or 'none'}"
        yield page.finding(first, what, f"have {_QUESTIONS}, each beginning `**Question 1.** ...`")
    for number, question in zip(numbers, questions, strict=True):
        if "<details>" not in question:
            what = f"question {number} of the quiz explains nothing"
            yield page.finding(first, what, "explain every choice, right and wrong, in <details>")


@rule("details", On.SOURCE, "Markdown inside <details> needs a blank line first, and formulas do not show there.")
def _details(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        text = outside_fences(cell.source)
        # Tags in inline code are spoken of, not used.
        text = re.sub(r"`[^`\n]+`", lambda m: "`" + "." * (len(m[0]) - 2) + "`", text)
        opened, closed = len(re.findall(r"<details\b", text)), text.count("</details>")
        blocks = re.findall(r"<details\b.*?</details>", text, re.S)
        if opened != closed:
            yield page.finding(cell, f"{opened} <details> and {closed} </details>", "close each in the same cell")
        elif any("<summary>" not in b or "</summary>" not in b for b in blocks):
            yield page.finding(cell, "a <details> without <summary>", "say in <summary> what opens")
        elif re.search(r"</summary>(?![ \t]*\n[ \t]*\n)", text):
            yield page.finding(cell, "no blank line after </summary>", "add one")
        elif any("$" in b for b in blocks):
            yield page.finding(cell, "a formula inside <details>", "write it as code")


@rule("links", On.SOURCE, "A notebook is uploaded alone: relative addresses lead nowhere, attachments do not show.")
def _links(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        if cell.get("attachments") or "attachment:" in cell.source:
            yield page.finding(cell, "an attached picture", "draw it by code")
        text = re.sub(r"(`+).+?\1", "", outside_fences(cell.source))
        text = re.sub(r"\$\$.+?\$\$|\$[^$\n]+\$", "", text, flags=re.S)
        found = re.findall(r"\]\(\s*<?([^)\s>]+)", text) + re.findall(r"\b(?:src|href)\s*=\s*[\"']([^\"']+)", text)
        found += re.findall(r"^\[[^\]]+\]:\s+(\S+)", text, re.M)
        bad = [a for a in found if not re.match(r"https?://|#|mailto:|attachment:|data:image/", a)]
        if bad:
            yield page.finding(cell, f"the relative address {bad[0]}", "give the whole one, beginning with https://")


@rule("image-alt", On.SOURCE, "A picture in the text has its alternative text too.")
def _image_alt(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        tags = re.findall(r"<img\b[^>]*>", outside_fences(cell.source))
        empty = [t for t in tags if not re.search(r"""\balt=["'][^"']*\w""", t)]
        if re.search(r"!\[\s*\]\(", cell.source) or empty:
            yield page.finding(cell, "a picture without alternative text", "write what it shows")


@rule("link-text", On.SOURCE, "Read aloud without its sentence, a link has to say where it leads.")
def _link_text(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        for text in re.findall(r"(?<!!)\[([^\[\]]+)\]\(", outside_fences(cell.source)):
            if text.strip().lower() in {"here", "link", "this", "click here", "this link", "more", "paper", "source"}:
                yield page.finding(cell, f"the link `{text}`", "name what it leads to")


@rule("formulas", On.SOURCE, "Jupyter, Colab and GitHub share a small part of LaTeX only.")
def _formulas(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        text = re.sub(r"(`+).+?\1", "", outside_fences(cell.source)).replace(r"\$", "")
        display = re.findall(r"\$\$.*?\$\$", text, re.S)
        rest = re.sub(r"\$\$.*?\$\$", "", text, flags=re.S)
        macro = re.search(r"\\(?:newcommand|renewcommand|def|DeclareMathOperator)\b|:eqref:|\\eqref|\\label\b", text)
        if macro:
            yield page.finding(cell, f"`{macro[0]}` in a formula", "write the formula out, without macros or labels")
        elif "\\begin{" in rest:
            yield page.finding(cell, "a LaTeX environment outside $$", "enclose it in $$ ... $$")
        elif re.search(r"\\[(\[]", rest):
            yield page.finding(cell, r"a formula in \( or \[", "write $...$ or $$...$$")
        elif "$$" in rest or rest.count("$") % 2:
            yield page.finding(cell, "dollar signs without a partner", r"close the formula, or write a plain one as \$")
        elif any("\n\n" in d for d in display):
            yield page.finding(cell, "a blank line inside $$", "remove it: it ends the formula")


@rule("text-length", On.SOURCE, f"One thought a cell: more than {_WORDS} words are not read.")
def _text_length(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        if kind_of(cell) is CellKind.TEXT and (count := count_words(cell.source)) > _WORDS:
            fix = f"shorten or split it (at most {_WORDS}; tables, formulas and <details> do not count)"
            yield page.finding(cell, f"{count} words", fix)


EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d]")


@rule("no-emoji", On.SOURCE, "Plain words; screen readers spell emoji out, fonts differ.")
def _emoji(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        found = EMOJI.search(cell.source)
        if found:
            yield page.finding(cell, f"the character {found[0]!r}", "use a word")


def _sayings(cell) -> str:
    """Return what a cell says to a student: its prose, or docstrings and messages of its asserts."""
    if cell.cell_type == "markdown":
        return prose(cell.source)
    said = []
    for node in ast.walk(tree_of(cell.source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            said.append(re.split(r"^Examples?:", ast.get_docstring(node) or "", flags=re.M)[0])
        elif isinstance(node, ast.Assert) and node.msg is not None:
            said += [c.value for c in ast.walk(node.msg) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
    return re.sub(r"(`+).+?\1", " code ", "\n".join(said))


@rule("no-exclamation", On.SOURCE, "The facts are exciting enough.")
def _exclamation(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        found = re.search(r"[^\n]{0,30}!(?![=\[])", _sayings(cell))
        if found:
            yield page.finding(cell, f"an exclamation mark: `{found[0].strip()}`", "end the sentence with a full stop")


@rule("no-filler", On.SOURCE, "What is obvious to the author is what the reader came to learn.")
def _filler(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        found = re.search(r"\b(?:simply|obviously|trivially|of course|needless to say)\b", _sayings(cell), re.I)
        if found:
            yield page.finding(cell, f"the word `{found[0]}`", "leave it out or say why")


@rule("words-of-attention", On.SOURCE, "Scores come before the softmax, weights after it; one word for one thing.")
def _dictionary(page: Page) -> Iterator[Finding]:
    for cell in page.markdown:
        found = re.search(r"\battention scores?\b", prose(cell.source), re.I)
        if found and "attention_scores" not in cell.source:
            fix = "write scores (before the softmax) or weights (after it)"
            yield page.finding(cell, f"`{found[0]}`", fix)
