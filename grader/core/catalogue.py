"""Read the catalogue: named wrong answers, different right ones, and changes that change nothing.

One file per exercise, `grader/catalogue/<assignment>/<exercise>.py`, in cells:

```python
# %% wrong: no_max_subtraction
# says: exp overflows for large scores. Subtract the maximum along the axis first:
#   the result is the same.
# self-check: overflow
def softmax(x, axis=-1): ...

# %% right: with_keras
# why: the library's function returns the same array
def softmax(x, axis=-1): ...

# %% equivalent
# because: the shift may be any finite number near the maximum
# was: shifted = x - np.max(x, axis=axis, keepdims=True)
# now: shifted = x - np.max(x, axis=axis, keepdims=True) + 1
```

- The head of a cell is `wrong: name`, `right: name` or `equivalent`. A name is snake_case and unique in its file:
  together with assignment and exercise it identifies the misconception for good.
- The comment lines directly below the head are fields, `# field: text`; lines without a field of their own go on with
  the text above. The first other line ends them, so a comment that belongs to the code comes after an empty line.
- `wrong` has `says` (a text for the student who wrote this, safe to show: what is the matter and what to look at, not
  the answer) and may have `self-check` (a word of a `--` or `note` line that the self-check prints).
- `right` has `why`: in what it differs and why it is right all the same.
- `equivalent` has `because`, and one or more pairs of `was` and `now`, copied from the output of `grader audit`. White
  space and redundant parentheses do not matter. ` #2` after `was` means the second place where the same pair occurs.
- An answer defines at least one function of the exercise; where the answer cell defines several, those left out are
  the reference's.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.errors import GraderError

MIN_WRONG, MIN_RIGHT = 6, 3
#: Stands between statements that are shown on one line.
STATEMENT_JOIN = " ;; "

_FIELDS = {
    "wrong": ({"says"}, {"says", "self-check"}),
    "right": ({"why"}, {"why"}),
    "equivalent": ({"because", "was", "now"}, {"because", "was", "now"}),
}
_HEAD = re.compile(r"^# ?%%(.*)$")
_FIELD = re.compile(r"^#\s*(says|why|self-check|because|was|now):\s*(.*)$")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Variant:
    """An answer whose worth is known.

    Args:
        kind: `wrong` or `right`.
        name: Its name, unique among the exercise's answers.
        text: `says` of a wrong answer, `why` of a right one.
        self_check: A word that the self-check prints on this wrong answer, or None.
        source: Source for the answer cell.
        path: File it is in.
        line: Line of its head.
    """

    kind: str
    name: str
    text: str
    self_check: str | None
    source: str
    path: Path
    line: int

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Equivalent:
    """An automatic change that no test can notice, because it changes nothing that the contract fixes.

    Args:
        because: The reason.
        was: The statement as it appears in the reference solution, normalised.
        now: The changed statement, normalised.
        nth: Which of several places with the same pair, from 1.
        path: File it is in.
        line: Line of its `was`.
    """

    because: str
    was: str
    now: str
    nth: int
    path: Path
    line: int

    @property
    def key(self) -> tuple[str, str, int]:
        """What identifies the change."""
        return self.was, self.now, self.nth

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Catalogue:
    """What is known about the answers to one exercise.

    Args:
        path: The file.
        variants: Wrong and right answers, in the order of the file.
        equivalents: Changes that are recorded as such.
    """

    path: Path
    variants: tuple[Variant, ...] = ()
    equivalents: tuple[Equivalent, ...] = ()

    @property
    def wrong(self) -> tuple[Variant, ...]:
        """The wrong answers."""
        return tuple(v for v in self.variants if v.kind == "wrong")

    @property
    def right(self) -> tuple[Variant, ...]:
        """The right answers."""
        return tuple(v for v in self.variants if v.kind == "right")


def one_line(text: str) -> str:
    """Bring a statement, or the head of a compound one, into the one form in which changes are compared.

    Python's own printer decides about spaces, quotes and parentheses, so text written by hand, or by another version
    of Python, compares equal. Several statements are joined by ` ;; `.
    """
    return STATEMENT_JOIN.join(_one_statement(part) for part in text.split(STATEMENT_JOIN.strip()))


def _one_statement(text: str) -> str:
    text = " ".join(text.split())
    # The head of a compound statement is none by itself: a body is added, and what `else` and `except` belong to.
    for source, part in (
        (text, None),
        (f"{text} pass", None),
        (f"if 1: pass\n{text} pass", "orelse"),
        (f"try: pass\n{text} pass", "handlers"),
    ):
        try:
            first: ast.AST = ast.parse(source).body[0]
            return header(first if part is None else getattr(first, part)[0])
        except (SyntaxError, IndexError, AttributeError):
            continue
    return text


def header(node: ast.AST) -> str:
    """Return a simple statement whole, and the head of a compound one, on one line."""
    if isinstance(node, ast.Try):
        return "try:"
    if isinstance(getattr(node, "body", None), list):
        parts = {name: getattr(node, name, None) for name in node._fields}
        parts |= {name: [] for name in ("orelse", "finalbody") if name in parts}
        shell = type(node)(**parts | {"body": [ast.Pass()]})
        printed = ast.unparse(ast.fix_missing_locations(shell)).rsplit("pass", 1)[0]
    else:
        printed = ast.unparse(node)
    return " ".join(printed.split())


@dataclass
class _Cell:
    """A cell while it is being read."""

    head: str
    line: int
    fields: list[tuple[str, str, int]] = field(default_factory=list)
    source: list[str] = field(default_factory=list)
    first: int = 0


def _cells(path: Path) -> list[_Cell]:
    """Cut a file into cells."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GraderError(f"cannot be read: {error}", str(path), "save it as UTF-8") from None
    cells: list[_Cell] = []
    reading_fields = False
    for number, line in enumerate(lines, 1):
        head = _HEAD.match(line)
        if head:
            cells.append(_Cell(head.group(1).strip(), number))
            reading_fields = True
            continue
        if not cells:
            if line.strip() and not line.startswith("#"):
                fix = "put it under a head such as `# %% wrong: its_name`"
                raise GraderError("code before the first cell", f"{path}:{number}", fix)
            continue
        cell = cells[-1]
        if reading_fields and line.startswith("#"):
            found = _FIELD.match(line)
            if found:
                cell.fields.append((found.group(1), found.group(2).strip(), number))
            elif cell.fields:
                name, text, first = cell.fields[-1]
                cell.fields[-1] = (name, f"{text} {line.lstrip('#').strip()}".strip(), first)
            else:
                fix = "begin with `# says:`, `# why:` or `# because:`; keep comments on the code below an empty line"
                raise GraderError(f"a comment that belongs to no field: {line!r}", f"{path}:{number}", fix)
            continue
        reading_fields = False
        if line.strip() or cell.source:
            cell.first = cell.first or number
            cell.source.append(line)
    return cells


def read_catalogue(path: Path, functions: tuple[str, ...] = (), reference: str = "") -> Catalogue:
    """Read the catalogue file of one exercise.

    Args:
        path: The file.
        functions: Functions that the exercise's answer cell defines; none switches that test off.
        reference: The reference answer, from which functions that an answer leaves out are taken.

    Raises:
        GraderError: At the first thing that is not as the module's docstring says.
    """
    variants: list[Variant] = []
    equivalents: list[Equivalent] = []
    for cell in _cells(path):
        where = f"{path}:{cell.line}"
        kind, _, name = (part.strip() for part in cell.head.partition(":"))
        if kind not in _FIELDS:
            fix = "write `# %% wrong: name`, `# %% right: name` or `# %% equivalent`"
            raise GraderError(f"unknown kind of cell: {cell.head!r}", where, fix)
        _check_fields(cell, kind, path)
        source = "\n".join(cell.source).strip("\n")
        if kind == "equivalent":
            if name or source.strip():
                fix = "an equivalent has the fields because, was and now, no name and no code"
                raise GraderError("an equivalent with a name or with code", where, fix)
            equivalents += _equivalents(cell, path)
            continue
        if not _NAME.fullmatch(name):
            raise GraderError(f"not a name: {name!r}", where, "name it in lower case, words joined by _")
        twin = next((v for v in variants if v.name == name), None)
        if twin:
            fix = f"give it another name; the first one is in line {twin.line}"
            raise GraderError(f"the name {name} occurs twice", where, fix)
        values = {key: text for key, text, _ in cell.fields}
        source = _completed(source, functions, reference, name, path, cell)
        text = values["says" if kind == "wrong" else "why"]
        variants.append(Variant(kind, name, text, values.get("self-check"), source, path, cell.line))
    seen: dict[tuple[str, str, int], Equivalent] = {}
    for record in equivalents:
        if record.key in seen:
            first = seen[record.key].line
            fix = f"remove it; the first one is in line {first}. ` #2` after `was` means a second place"
            raise GraderError("this change is recorded twice", record.where, fix)
        seen[record.key] = record
    return Catalogue(path, tuple(variants), tuple(equivalents))


def _check_fields(cell: _Cell, kind: str, path: Path) -> None:
    required, allowed = _FIELDS[kind]
    names = [name for name, _, _ in cell.fields]
    for name, text, line in cell.fields:
        if name not in allowed:
            fix = f"fields of `{kind}`: {', '.join(sorted(allowed))}"
            raise GraderError(f"`{name}` has no meaning here", f"{path}:{line}", fix)
        if not text:
            raise GraderError(f"`{name}` is empty", f"{path}:{line}", "write the text after the colon")
        if names.count(name) > 1 and kind != "equivalent":
            fix = "keep one; a longer text continues in the next comment line"
            raise GraderError(f"`{name}` occurs twice in one cell", f"{path}:{line}", fix)
    missing = sorted(required - set(names))
    if missing:
        fix = "add it as a comment line directly below the head, with no empty line between"
        raise GraderError(f"`{cell.head}` lacks `# {missing[0]}: ...`", f"{path}:{cell.line}", fix)


def _equivalents(cell: _Cell, path: Path) -> list[Equivalent]:
    """Read because, was, now, was, now, ..."""
    because = [text for name, text, _ in cell.fields if name == "because"]
    pairs = [entry for entry in cell.fields if entry[0] != "because"]
    if len(because) > 1 or [name for name, _, _ in pairs] != ["was", "now"] * (len(pairs) // 2):
        fix = "one `because`, then `was` and `now` in turn"
        raise GraderError("the fields do not form pairs", f"{path}:{cell.line}", fix)
    found = []
    for (_, was, line), (_, now, _) in zip(pairs[::2], pairs[1::2], strict=True):
        place = re.search(r"\s+#(\d+)$", was)
        was = was[: place.start()] if place else was
        nth = int(place.group(1)) if place else 1
        found.append(Equivalent(because[0], one_line(was), one_line(now), nth, path, line))
    return found


def _completed(source: str, functions: tuple[str, ...], reference: str, name: str, path: Path, cell: _Cell) -> str:
    """Check that an answer can be run as one; add the functions it leaves to the reference."""
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        fix = "an answer must at least be Python; what does not parse is no misconception"
        line = cell.first + (error.lineno or 1) - 1
        raise GraderError(f"{name} does not parse: {error.msg}", f"{path}:{line}", fix) from None
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    defined |= {t.id for node in body if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)}
    if functions and not defined & set(functions):
        fix = f"define {' or '.join(functions)}, with the signature of the notebook"
        raise GraderError(f"{name} does not define {functions[0]}", f"{path}:{cell.line}", fix)
    if reference and set(functions) - defined:
        return f"{reference}\n\n\n{source}"
    return source
