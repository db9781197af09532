"""Rule for what test cells demand: each assertion checks a sentence that its student has read.

The sentences are kept beside the catalogue, `grader/catalogue/<assignment>/demands.toml`: below the `grade_id` of each
test cell the sentences that it checks, and after each sentence the messages of the assertions that check it.

```toml
[test_softmax_values]
"rows sum to 1" = [
    "weights sum to 1: did you divide?",
    "the sums are {}; expected 1",
]
```

A sentence, or a piece of one, stands in the section of the exercise up to the answer, in what the student sees of the
answer cell, before the first code cell, or in a cell before the first exercise that begins with "In every exercise":
there the notebook says what holds in all of them. White space does not matter, and `{}` stands for whatever a message
puts in.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator

from grader.authoring.check_base import Book, Finding, On, Page, rule
from grader.authoring.check_reading import stub
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.names import tree_of

#: Fewer words than these are found in any text.
_LEAST_WORDS = 3


def plain(text: str) -> str:
    """Return a text on one line, without the marks of quoted blocks."""
    return " ".join(re.sub(r"^\s*> ?", "", text, flags=re.M).split())


def _text(node: ast.expr) -> str:
    """Return the text of a message, with `{}` where a value goes in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return "{}"


def _is_failure(made: ast.Call) -> bool:
    return ast.unparse(made.func) == "AssertionError"


def demands(source: str) -> list[str]:
    """List what a test cell demands: the messages of its assertions, in the order in which they stand."""
    found = []
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Assert):
            # An assertion without a message breaks another rule; its condition names it here.
            found.append((node.lineno, _text(node.msg) if node.msg else ast.unparse(node.test)))
        elif isinstance(node, ast.Raise) and isinstance(made := node.exc, ast.Call) and _is_failure(made):
            found.append((node.lineno, _text(made.args[0]) if made.args else ""))
    return [plain(text) for _, text in sorted(found)]


#: How the cell begins that says what holds in all exercises.
IN_EVERY_EXERCISE = "**In every exercise**"


def read_by_students(page: Page) -> dict[str, str]:
    """Return, by the name of each exercise, the text in which its demands have to be stated."""
    kinds = [kind_of(cell) for cell in page.cells]
    before = page.cells[: kinds.index(CellKind.ANSWER)] if CellKind.ANSWER in kinds else page.cells
    begins = next((n for n, cell in enumerate(before) if cell.cell_type == "code"), len(before))
    opening = [c.source for n, c in enumerate(before) if n < begins or c.source.startswith(IN_EVERY_EXERCISE)]
    found, section = {}, []
    for cell in page.cells:
        if cell.cell_type == "markdown":
            if heading := re.search(r"^## ", cell.source, re.M):
                section = [cell.source[heading.start() :]]
            else:
                section.append(cell.source)
        elif kind_of(cell) is CellKind.ANSWER:
            found[grade_id(cell) or ""] = plain("\n".join([*opening, *section, stub(cell.source)]))
    return found


def _table(page: Page) -> dict[str, dict[str, list[str]]]:
    """Read the table of a notebook; empty if there is none."""
    path = page.course.catalogue / page.assignment / "demands.toml"
    if not path.is_file():
        return {}
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    for name, cell in table.items():
        if not isinstance(cell, dict) or not all(
            isinstance(said, list) and all(isinstance(text, str) for text in said) for said in cell.values()
        ):
            raise ValueError(f"[{name}] is no table of sentences with lists of messages")
    return table


@rule("stated-demands", On.COURSE, "A right answer must not lose a point by a demand that nobody stated.")
def _stated(book: Book) -> Iterator[Finding]:
    for page in book.pages:
        try:
            table = _table(page)
        except (tomllib.TOMLDecodeError, ValueError) as error:
            yield page.finding(None, f"its demands.toml cannot be read: {error}", "write it as CONTRIBUTING.md says")
            continue
        texts, tests = read_by_students(page), set()
        for cell, exercise in page.after_answers():
            if kind_of(cell) is not CellKind.TEST or exercise is None:
                continue
            name = grade_id(cell) or ""
            tests.add(name)
            for what, fix in _compared(demands(cell.source), table.get(name, {}), texts.get(exercise.name, "")):
                yield page.finding(cell, what, fix)
        for name in sorted(set(table) - tests):
            what = f"demands.toml names [{name}], which is no test cell"
            yield page.finding(None, what, "name test cells by their grade_id")


def _compared(said: list[str], table: dict[str, list[str]], text: str) -> Iterator[tuple[str, str]]:
    """Compare what a cell demands with its part of the table; yield what is wrong and what to do."""
    listed = Counter(plain(message) for messages in table.values() for message in messages)
    for message in dict.fromkeys(said):
        if message not in listed:
            fix = "name the sentence in demands.toml; state it, or drop the assertion"
            yield f"`{message}` checks no sentence that is named", fix
    for message, times in listed.items():
        if message not in said:
            yield f"demands.toml has `{message}`, which no assertion says", "copy the message from the test cell"
        elif times > 1:
            yield f"demands.toml has `{message}` {times} times", "name one sentence for it"
    for sentence in table:
        if len(sentence.split()) < _LEAST_WORDS:
            yield f"`{sentence}` in demands.toml is no sentence", f"quote at least {_LEAST_WORDS} words"
        elif plain(sentence) not in text:
            yield f"the student is not told `{sentence}`", "quote the exercise's section or docstring word for word"
