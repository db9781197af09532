"""Read and mend the code of one cell: what it defines, and what would stop it that is no answer."""

from __future__ import annotations

import ast
import builtins
import contextlib
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from grader.core.names import bound_at_top, imported_modules, used_anywhere
from grader.core.needed import statements_needed
from grader.core.statements import LOOKING, statements_of
from grader.submissions.magics import call_of_ipython, names_in, without_magics
from grader.submissions.parsing import MAX_PARSED, Effort, parse

# Nothing here is given back once it matched: a line of blanks would cost the square of its length.
_FENCE_LINE = re.compile(r"^[ \t]*+```[ \t]*+\w*+[ \t]*+$", re.M)
_FENCE_END = re.compile(r"[ \t]*+```[ \t]*+")
#: What editors and services write into a notebook, and what is installed nowhere else.
_TOOLS = {"google.colab", "kaggle_secrets", "ipdb", "pudb", "jupyterthemes", "nb_black", "lab_black", "jupyter_black"}
_TOOLS |= {"pydevd", "IPython.core.debugger", "marimo", "vscode"}
#: Modules of the standard library that an editor's completion imports by mistake.
_BY_MISTAKE = {"turtle", "tkinter", "turtledemo", "idlelib", "curses", "antigravity", "this", "cProfile", "lib2to3"}
#: What comes with the course, imported in vain or not.
_INSTALLED = {"numpy", "keras", "tensorflow", "matplotlib", "IPython", "ipywidgets", "babel"}
_SERVICE_CALLS = {("drive", "mount"), ("drive", "flush_and_unmount"), ("files", "upload"), ("files", "download")}

_INVISIBLE = {ord(c): None for c in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e"}
_SPACES = {
    ord(c): " "
    for c in "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
}
_SIGNS = {ord(a): b for a, b in zip("“”„‟‘’‚‛″′−–—×", "\"\"\"\"''''\"'---*", strict=True)}
_SIGNS |= {c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}  # the wide forms of ASCII


def same_code(one: ast.AST | None, other: ast.AST | None) -> bool:
    """Return whether two pieces of code say the same, whatever their layout."""
    with contextlib.suppress(RecursionError, ValueError):  # Python writes no number of more than 4,300 digits
        return one is not None and other is not None and ast.dump(one) == ast.dump(other)
    return False


def hollow(node: ast.stmt) -> bool:
    """Return whether a function does nothing yet: a text, `pass`, `...`, `raise NotImplementedError`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        if isinstance(node, ast.ClassDef):
            return all(hollow(n) for n in node.body)
        return all(_says_nothing(n) for n in node.body)
    return _says_nothing(node)


def _says_nothing(node: ast.stmt) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass) or stops(node)


def stops(node: ast.stmt) -> bool:
    """Return whether a statement is the stub's `raise NotImplementedError(...)`."""
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(kind, ast.Name) and kind.id == "NotImplementedError"


def stopped_early(tree: ast.Module, names: Collection[str]) -> list[str]:
    """Return the functions with code after a leftover `raise NotImplementedError`, which is always reached first."""
    found = []
    for name, node in bound_at_top(tree.body).items():
        if name in names and isinstance(node, ast.FunctionDef) and not hollow(node):
            body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            if body and stops(body[0]):
                found.append(name)
    return found


def definitions(tree: ast.Module) -> set[str]:
    """Return the names of the functions, classes and imports of a cell."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return set(bound_at_top(node for node in tree.body if isinstance(node, kinds)))


def module_roots(node: ast.stmt) -> list[str]:
    """Return the packages that a statement imports from: the first parts of its modules' names."""
    return [name.split(".")[0] for name in imported_modules(node)]


def quiet(tree: ast.Module) -> bool:
    """Return whether a cell only defines things, so that it may run at another place."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return all(
        isinstance(n, kinds) or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in tree.body
    )


def last_line(node: ast.stmt) -> int:
    """Return the line that a parsed statement ends on."""
    return node.end_lineno or node.lineno


def segments(text: str, tree: ast.Module, keep: Callable[[ast.stmt], bool]) -> str:
    """Return the lines of some of a cell's statements, with the comments directly above them."""
    lines = text.split("\n")
    spans = [(min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", []))]), last_line(n)) for n in tree.body]
    pieces: list[str] = []
    done = 0
    for number, (node, (start, end)) in enumerate(zip(tree.body, spans, strict=True)):
        if not keep(node):
            done = end
            continue
        shared = (number and spans[number - 1][1] == start) or (number + 1 < len(spans) and spans[number + 1][0] == end)
        while start - 1 > done and lines[start - 2].lstrip().startswith("#"):
            start -= 1
        whole = "\n".join(lines[start - 1 : end])
        pieces.append(_unparsed(node, whole) if shared else whole)
        done = end
    long = any("\n" in piece for piece in pieces)
    return ("\n\n\n" if long else "\n").join(pieces)


def _unparsed(node: ast.stmt, lines: str) -> str:
    """Return a statement without those on its lines; these lines if it holds a number too long to be written."""
    try:
        return ast.unparse(node)
    except ValueError:
        return lines


def closure(text: str, tree: ast.Module, names: Collection[str], there: Set[str] = frozenset()) -> str:
    """Take out of a cell what some of its functions are and need of the same cell.

    Args:
        text: The cell.
        tree: What it parses to.
        names: The functions.
        there: Names that something binds in front of the place that the functions move to. A statement that fills or
            changes what they read comes with them if it reads nothing else: it would fail there.
    """
    binds = [(set(bound_at_top([node])), node) for node in tree.body]
    wanted, chosen = set(names), set[int]()
    filling = _filling(text, tree, wanted)
    while True:
        more = [n for n, (names_of, _) in enumerate(binds) if n not in chosen and names_of & wanted]
        if not more:
            bound = set(there).union(*(names_of for n, (names_of, _) in enumerate(binds) if n in chosen))
            more = [n for n in sorted(filling) if n not in chosen and filling[n] <= bound | binds[n][0]][:1]
        if not more:
            break
        for n in more:
            chosen.add(n)
            wanted |= used_anywhere(binds[n][1])
    ids = {id(binds[n][1]) for n in chosen}
    return segments(text, tree, lambda node: id(node) in ids)


def _filling(text: str, tree: ast.Module, names: Collection[str]) -> dict[int, set[str]]:
    """Return the statements that may change what some functions of a cell read, with the names that each reads.

    What changes something of another cell stays where it is: it would change that twice.
    """
    said, own = statements_of(text), set(bound_at_top(tree.body))
    if len(said) != len(tree.body):
        return {}
    found: dict[int, set[str]] = {}
    with contextlib.suppress(RecursionError):
        for n in statements_needed(text, names):
            one = said[n]
            changed = one.stores | one.methods | one.hands
            if one.stores <= own and (not changed or changed & own) and not _shows(tree.body[n]):
                found[n] = {name for name in one.now if not hasattr(builtins, name)}
    return found


def _shows(node: ast.stmt) -> bool:
    """Return whether a statement is a check, or prints what it is handed."""
    call = node.value if isinstance(node, ast.Expr) else None
    shown = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in LOOKING
    return shown or isinstance(node, ast.Assert)


def without(text: str, tree: ast.Module | None, released: str, released_tree: ast.Module | None) -> str:
    """Return what a cell holds beyond a released one: every statement that the released cell does not have."""
    if tree is not None and released_tree is not None:
        try:
            known = {ast.dump(node) for node in released_tree.body}
            return segments(text, tree, lambda node: ast.dump(node) not in known)
        except RecursionError:
            return ""
        except ValueError:  # a number of more than 4,300 digits, which Python does not write: lines have to do
            pass
    known = {line.strip() for line in released.split("\n")}
    return "\n".join(line for line in text.split("\n") if not line.strip() or line.strip() not in known)


def code_in_prose(text: str, names: Collection[str]) -> str | None:
    """Find the code in a text cell: between fences, or the whole cell.

    Args:
        text: The cell.
        names: Code that defines one of these is meant.

    Returns:
        The code, or None if there is none.
    """
    if len(text) > MAX_PARSED:
        return None
    fenced = [block for block in _fenced(text) if names_in(block) & set(names)]
    if fenced:
        return "\n\n\n".join(block.strip("\n") for block in fenced)
    bare = _FENCE_LINE.sub("", text).strip("\n")  # one fence may be lost
    return bare if names_in(bare) & set(names) else None


def lines_besides(text: str, code: str) -> bool:
    """Return whether a text cell holds more than the code that was found in it, and the fences around that."""
    return len("".join(_FENCE_LINE.sub("", text).split())) > len("".join(code.split()))


def _fenced(text: str) -> Iterator[str]:
    """Yield what stands between a fence and the next bare one, in one pass: fences may be many and without an end."""
    block: list[str] | None = None
    for line in text.split("\n"):
        if block is None:
            block = [] if _FENCE_LINE.fullmatch(line) else None
        elif _FENCE_END.fullmatch(line):
            yield "\n".join(block)
            block = None
        else:
            block.append(line)


# Mending


@dataclass(frozen=True)
class Mended:
    """A cell's code after mending.

    Args:
        text: The code.
        tree: What it parses to; None if it does not.
        done: What was done, as the end of a sentence each; empty if the text is what it was.
    """

    text: str
    tree: ast.Module | None
    done: tuple[str, ...] = ()

    @cached_property
    def bound(self) -> dict[str, ast.stmt]:
        """What it binds; nothing if it does not parse."""
        return bound_at_top(self.tree.body) if self.tree is not None else {}

    @cached_property
    def names(self) -> set[str]:
        """What it defines; of a cell that does not parse what its lines say."""
        return set(self.bound) if self.tree is not None else names_in(self.text)


def mend(
    text: str,
    services: Collection[str] = (),
    known: Collection[str] = (),
    read: Collection[str] = (),
    effort: Effort | None = None,
    spared: Set[str] = frozenset(),
    taken: Set[str] = frozenset(),
) -> Mended:
    """Mend a cell, as little as needed.

    A cell that does not parse is repaired if it then does; leftovers of services and editors are commented out.

    Args:
        text: The cell.
        services: Names that any cell of the notebook imports from Colab, and that no cell binds otherwise.
        known: Modules that the course itself imports.
        read: Names that any cell of the notebook reads; an unknown module that nobody reads is a leftover.
        effort: What is left to spend on the notebook.
        spared: What defines one of these stays, even in a cell whose magic leaves no names behind.
        taken: What other cells define: what defines one of these goes in a cell whose magic is not known.
    """
    tree, done = parse(text), tuple[str, ...]()
    if tree is None:
        text, tree, done = _parsing(text, effort or Effort(), spared, taken)
    if tree is None:
        return Mended(text, None)
    cleaned, more = _without_leftovers(text, tree, services, known, read)
    return Mended(cleaned, parse(cleaned), (*done, *more)) if cleaned != text else Mended(text, tree, done)


def _parsing(
    text: str, effort: Effort, spared: Set[str], taken: Set[str]
) -> tuple[str, ast.Module | None, tuple[str, ...]]:
    """Look for the smallest repair after which a cell parses."""
    if len(text) > MAX_PARSED:
        return text, None, ()
    steps: list[tuple[str, Callable[[str], str]]] = [
        ("", lambda t: t),
        ("characters that cannot be seen were taken out", lambda t: t.translate(_INVISIBLE)),
        ("special spaces were replaced by ordinary ones", lambda t: t.translate(_SPACES)),
        ("typographic signs were replaced by those that Python knows", lambda t: t.translate(_SIGNS)),
        ("tabs were replaced by spaces", lambda t: t.expandtabs(4)),
        ("the indentation of the whole cell was taken away", _dedented),
        ("the prompts in front of the lines were taken out", _without_prompts),
        ("the fences around the code were taken out", lambda t: _FENCE_LINE.sub("", t)),
    ]
    tried: set[str] = set()
    for phrase, step in steps:
        if (changed := step(text)) in tried:
            continue
        tried.add(changed)
        fixed, tree, quietly = without_magics(changed, effort, spared, taken)
        if tree is not None:
            return fixed, tree, tuple(p for p in (phrase, quietly) if p)
    whole, phrases = text, []
    for phrase, step in steps[1:]:
        changed = step(whole)
        if changed != whole:
            phrases.append(phrase)
        whole = changed
        if whole in tried:
            continue
        tried.add(whole)
        fixed, tree, quietly = without_magics(whole, effort, spared, taken)
        if tree is not None:
            return fixed, tree, tuple(p for p in (*phrases, quietly) if p)
    return text, None, ()


def _dedented(text: str) -> str:
    """Take away the indentation of the first line from all lines, or what all have in common."""
    plain = textwrap.dedent(text.expandtabs(4) if "\t" in text else text)
    if plain != text:
        return plain
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    margin = first[: len(first) - len(first.lstrip())]
    return "\n".join(line[len(margin) :] if line.startswith(margin) else line for line in text.split("\n"))


def _without_prompts(text: str) -> str:
    return re.sub(r"^(?:In \[[\d ]*\]: ?|>>> ?|\.\.\. ?| *\.{3}: ?)", "", text, flags=re.M)


def _without_leftovers(
    text: str, tree: ast.Module, services: Collection[str], known: Collection[str], read: Collection[str]
) -> tuple[str, tuple[str, ...]]:
    """Comment out what services and editors left at top level of a cell that parses."""
    own = bound_otherwise(tree)
    services = {*services, *services_in(tree)} - own
    lines, loud = text.split("\n"), False
    for number, node in enumerate(tree.body):
        if not (_service_import(node) or _service_call(node, services, own) or _unused(node, known, read)):
            continue
        before = tree.body[number - 1].end_lineno if number else 0
        after = tree.body[number + 1].lineno if number + 1 < len(tree.body) else len(lines) + 1
        if before == node.lineno or after == node.end_lineno:
            continue
        for n in range(node.lineno - 1, last_line(node)):
            lines[n] = f"# {lines[n]}"
        found = call_of_ipython(node)
        loud = loud or found is None or not found.is_quiet
    cleaned = "\n".join(lines)
    if cleaned == text or parse(cleaned) is None:
        return text, ()
    phrase = "leftovers of the editor or of Colab (imports and calls that work nowhere else) were commented out"
    return cleaned, (phrase,) if loud else ()


def services_in(tree: ast.Module) -> set[str]:
    """Return the names that a cell imports from a service such as Colab."""
    return {name for name, node in bound_at_top(tree.body).items() if _service_import(node)}


def bound_otherwise(tree: ast.Module) -> set[str]:
    """Return the names that a cell binds to something else than a service."""
    return {name for name, node in bound_at_top(tree.body).items() if not _service_import(node)}


def _service_import(node: ast.stmt) -> bool:
    roots = imported_modules(node)
    return bool(roots) and all(any(r == t or r.startswith(t + ".") for t in _TOOLS) for r in roots)


def _service_call(node: ast.stmt, services: Collection[str], own: Collection[str]) -> bool:
    if not isinstance(node, ast.Expr | ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    if not isinstance(function, ast.Attribute):
        return False
    if call_of_ipython(node) is not None:
        return True
    root = function.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in own:
        return False
    return root.id in services or (root.id, function.attr) in _SERVICE_CALLS


def _unused(node: ast.stmt, known: Collection[str], read: Collection[str]) -> bool:
    """Return whether a statement imports what nobody reads from a module that the course does not know."""
    roots = {root.split(".")[0] for root in imported_modules(node)}
    names = [a.asname or a.name.split(".")[0] for a in getattr(node, "names", []) if isinstance(a, ast.alias)]
    if not roots or "*" in names or roots & (set(known) | _INSTALLED) or set(names) & set(read):
        return False
    return all(root in _BY_MISTAKE or root not in sys.stdlib_module_names for root in roots)
