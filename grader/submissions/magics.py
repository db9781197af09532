"""Lines of a student's cell that are meant for IPython: magics, shell commands, questions for help.

IPython itself says what such a line is: its own transformer turns it into a call of `get_ipython()`, which is then
found in the tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from grader.core.names import bound_at_top
from grader.submissions.parsing import Effort, parse

#: Magics that change nothing in what is defined; they go without a word.
_QUIET = {"matplotlib", "pylab", "config", "autoreload", "reload_ext", "precision", "time", "timeit", "capture", "prun"}
#: Magics of cells that come with libraries and run the cell's code as it stands.
_RUNS = {"debug", "pyinstrument", "scalene", "snakeviz", "wandb"}
#: Magics of cells in another language.
_OTHER = {"bash", "sh", "html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG"}
_OTHER |= {"script", "perl", "ruby", "cmd", "R", "cython", "sx", "system", "!"}
#: Magics of cells whose code runs elsewhere, or nowhere: it changes nothing in the notebook.
_ELSEWHERE = {"writefile", "file", "python", "python2", "python3", "pypy"}
#: Magics of cells whose code runs as a function's: no name that it binds is left behind.
_TIMED = {"timeit", "memit"}
_MAGIC = re.compile(r"\s*%%(\S*)")
#: `%%time` at the top of a cell, and `%time` in front of a statement, as a comment: jupytext writes `# %time`, VS Code
#: `#!%time`.
_CELL_COMMENT = re.compile(r"\A(?P<above>\s*)#(?: |!)(?P<magic>%%(?P<name>[a-zA-Z]\w*).*)")
_TIME_COMMENT = re.compile(r"^(?P<margin>[ \t]*)#(?P<mark> |!)(?P<magic>(?:[\w.]+ = )?%time[ \t]+\S.*)$", re.M)
_DEFINES = re.compile(r"^[ \t\u00a0]*(?:async[ \t]+)?(?:def|class)[ \t\u00a0]+(\w+)", re.M)
#: Only a cell with one of these can hold something for IPython.
_ESCAPES = re.compile(r"[!%?]")
#: IPython reads the tokens of the whole cell again for each line that it translates, which costs so many times what
#: parsing costs.
_READING = 20
#: Blanks in front of something are tried again from each of them, and shorter again each time, if no token begins
#: there; a quoted quote begins a string up to the line's end.
_BLANKS = re.compile(r"[ \t\f]{40,}+(?=\S)")
_QUOTED_QUOTE = re.compile(r"\\['\"]")
#: The name in front of a question mark is looked for from each of its characters up to its end, in the whole statement.
_NAME = re.compile(r"[\w*.\[\]-]{40,}+")


@dataclass(frozen=True)
class Magic:
    """A call of IPython that a line stands for.

    Args:
        method: `run_line_magic`, `run_cell_magic`, `system`, `getoutput`, ...
        texts: The texts that it is given: a magic's name and line, a shell's command.
    """

    method: str
    texts: tuple[str, ...]

    @property
    def is_quiet(self) -> bool:
        """Whether it changes nothing in what is defined."""
        if not self.method.endswith("_magic") or not self.texts:
            return False
        name, rest = self.texts[0], self.texts[1] if len(self.texts) > 1 else ""
        return name in _QUIET or (name == "load_ext" and rest.split()[:1] == ["autoreload"])


def call_of_ipython(node: ast.stmt) -> Magic | None:
    """Return the call of IPython that a statement makes, or whose value it assigns; None if it does neither."""
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    root = call.func.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if not (isinstance(root, ast.Call) and isinstance(root.func, ast.Name) and root.func.id == "get_ipython"):
        return None
    texts = (a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
    return Magic(call.func.attr, tuple(texts))


def without_magics(
    text: str, effort: Effort, spared: Set[str] = frozenset(), taken: Set[str] = frozenset()
) -> tuple[str, ast.Module | None, str]:
    """Comment out the lines that are meant for IPython, as IPython itself reads them, if the cell then parses.

    What `%time` and `%%time` time is code like any other. What `%%timeit` times leaves no name behind, and what
    `%%writefile` writes does nothing: it is commented out as well. What stands under a magic that is not known does
    nothing on the student's screen (`%%skip` is made for that, and what is misspelt is an error). It stays all the
    same, as it may be all that there is, unless it would replace what another cell defines.

    Args:
        text: The cell.
        effort: What is left to spend on the notebook.
        spared: Code that defines one of these stays in any case.
        taken: Code under a magic that is not known goes if it defines one of these.

    Returns:
        The text, its tree or None, and what was done, empty if that is not worth a word.
    """
    effort.left -= len(text) + 100
    if effort.left < 0:
        return text, None, ""
    tree = parse(text)
    if tree is not None or not _ESCAPES.search(text):
        return text, tree, ""
    loud = False
    first = _cell_magic(text)
    if first is not None:
        head, _, rest = text.lstrip("\n").partition("\n")
        name = first.texts[0]
        nothing = _leaves_nothing(name, rest) and not spared & names_in(rest)
        if name in _OTHER or nothing or (_is_unknown(name) and taken & names_in(rest)):
            return "\n".join(f"# {line}" for line in text.split("\n")), ast.Module([], []), ""
        text, loud = f"# {head}\n{rest}", not first.is_quiet
    lines = _for_ipython(text.split("\n"), effort)
    tree = parse("\n".join(python for python, _ in lines))
    if tree is None:
        return text, None, ""
    magics = {node.lineno: (node, found) for node in _statements(tree) if (found := call_of_ipython(node))}
    done: list[str] = []
    for number, (python, original) in enumerate(lines, 1):
        if original is None:
            done.append(python)
            continue
        if number not in magics:
            return text, None, ""  # IPython reads `/f x` as `f(x)`; nobody hands that in
        node, found = magics[number]
        margin = python[: node.col_offset]
        if timed := _timed(node, found):
            done += [margin + timed, *(f"# {line.strip()}" for line in original[1:])]
        else:
            loud = loud or not found.is_quiet
            bare = [line.strip() for line in original]
            done += [f"{margin}pass  # {bare[0]}" if margin else f"# {bare[0]}", *(f"# {line}" for line in bare[1:])]
    text = "\n".join(done)
    said = "lines that are no Python (installing, magics, shell) were commented out" if loud else ""
    return text, parse(text), said


def names_in(text: str) -> set[str]:
    """Return the names of the functions and classes that code says it defines, at any depth, if it is code or not."""
    return set(_DEFINES.findall(text))


def runs_as_it_stands(text: str) -> bool:
    """Return whether what a cell defines is there afterwards: no magic, or one of which that is known, begins it."""
    magic = _MAGIC.match(text)
    return magic is None or magic[1] in (_QUIET | _RUNS) - _TIMED


def _is_unknown(name: str) -> bool:
    """Return whether nothing is known of a magic of cells."""
    return name not in _QUIET | _RUNS | _OTHER | _ELSEWHERE | _TIMED


def is_cell_magic(name: str) -> bool:
    """Return whether a word is the name of a magic that a whole cell is handed to."""
    return name in _QUIET | _OTHER | _ELSEWHERE | _TIMED


def uncommented_magics(code: str, by_jupytext: bool) -> str:
    """Return a script's cell whose magics with code are magics again, of which the script made comments.

    Args:
        code: The cell.
        by_jupytext: jupytext wrote it, so that `# %time x = 1` is no line that a student left out.
    """
    top = _CELL_COMMENT.match(code)
    if top and is_cell_magic(top["name"]):
        code = top["above"] + code[top.start("magic") :]
    return _TIME_COMMENT.sub(
        lambda line: line["margin"] + line["magic"] if by_jupytext or line["mark"] == "!" else line[0], code
    )


def as_typed(code: str) -> str:
    """Return a cell whose magics with code are those that a student types, not the calls that nbconvert makes of them.

    These hold the code as a text: `get_ipython().run_cell_magic('time', '', 'def f(x): ...')`.
    """
    tree = parse(code) if "get_ipython" in code and "\r" not in code else None
    if tree is None:
        return code
    found = call_of_ipython(tree.body[0]) if len(tree.body) == 1 else None
    if found is not None and found.method == "run_cell_magic" and len(found.texts) == 3:
        name, line, body = found.texts
        return f"{f'%%{name} {line}'.rstrip()}\n{body}".rstrip("\n")
    lines = code.split("\n")
    for node in sorted(_statements(tree), key=lambda one: -one.lineno):
        found, end = call_of_ipython(node), node.end_lineno or node.lineno
        margin, behind = lines[node.lineno - 1][: node.col_offset], lines[end - 1].encode()[node.end_col_offset or 0 :]
        timed = _timed(node, found) if found is not None and not margin.strip() and not behind.strip() else ""
        if timed and parse(timed) is not None and "\n" not in timed:
            lines[node.lineno - 1 : end] = [f"{margin}{timed}"]
    return "\n".join(lines)


def _leaves_nothing(name: str, code: str) -> bool:
    """Return whether a cell's magic leaves nothing behind of what its code binds, and that binds something."""
    if name in _TIMED:
        tree = parse(code)
        return tree is None or bool(bound_at_top(tree.body))
    return name in _ELSEWHERE


def _timed(node: ast.stmt, magic: Magic) -> str:
    """Return the statement that `%time` times, an empty string if the line is another."""
    if magic.method != "run_line_magic" or magic.texts[:1] != ("time",) or len(magic.texts) < 2:
        return ""
    code = magic.texts[1].strip()
    try:
        targets = "".join(f"{ast.unparse(n)} = " for n in node.targets) if isinstance(node, ast.Assign) else ""
    # A number too long for its digits, a letter that must not be escaped where it stands, a sum without end.
    except (ValueError, RecursionError):
        return ""
    return targets + code if code and parse(targets + code) is not None else ""


def _statements(tree: ast.Module) -> Iterable[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _cell_magic(text: str) -> Magic | None:
    """Return the magic that a whole cell is handed to, or None."""
    from IPython.core.inputtransformer2 import cell_magic

    tree = parse("".join(cell_magic(text.lstrip("\n").splitlines(keepends=True))))
    found = call_of_ipython(tree.body[0]) if tree is not None and len(tree.body) == 1 else None
    return found if found is not None and found.method == "run_cell_magic" and found.texts else None


def _tries(line: str) -> int:
    """Return what reading a line's tokens costs beyond its length, at most: Python's own reader of tokens goes back."""
    blanks = sum(len(run) ** 2 for run in _BLANKS.findall(line))
    return 2 * blanks + len(_QUOTED_QUOTE.findall(line)) * len(line) // 8


def _for_ipython(lines: list[str], effort: Effort) -> list[tuple[str, list[str] | None]]:
    """Have IPython translate a cell into Python.

    Args:
        lines: The lines of the cell.
        effort: What is left to spend on the notebook.

    Returns:
        The lines of the translation; each that IPython translated comes with the lines that it was before.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    manager, now = TransformerManager(), [f"{line}\n" for line in lines]
    cost = _READING * (sum(map(len, now)) + 100) + sum(map(_tries, now))
    if any("?" in line for line in now):
        cost += sum(len(name) ** 2 for line in now for name in _NAME.findall(line)) // 10
    before: list[list[str] | None] = [None] * len(lines)
    for _ in range(100):
        if cost > effort.left:
            break
        effort.left -= cost
        try:
            changed, then = manager.do_one_token_transform(now)
        except (SyntaxError, ValueError, IndexError):  # it reads tokens, and these are none
            break
        if not changed:
            break
        # One statement, perhaps over several lines, became one line.
        place = next((n for n, (a, b) in enumerate(zip(now, then, strict=False)) if a != b), None)
        if place is None:
            break
        end = place + 1 + len(now) - len(then)
        old = [line for n in range(place, end) for line in (before[n] or [now[n].rstrip("\n")])]
        now, before = then, [*before[:place], old, *before[end:]]
    return [(line.rstrip("\n"), original) for line, original in zip(now, before, strict=True)]
