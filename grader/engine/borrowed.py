"""Answers that use a function of the release's folded helper cells: some of these know what is right.

A self-check computes what an answer should give, and a lesson what it shows. No answer of the catalogue and none that a
reader wrote uses one of them, so a person should look at one that does. It is found by its name, where the answer, or
a function or value of the student's own that it reads, reads that. A private name, `_name`, is found however it is
reached, unless the student gives it to something: hardly any library has it. Who hides the name is not found: one that
is put together from pieces, or a function that is stored in an object by something else than `=`.

This parses a student's code, so it is called where time and memory have limits (`handed.py`). Each statement is read
once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.core.names import bound_at_top, scope_of, tree_of, used_anywhere, used_at_once
from grader.engine.tested import binds, tested

_DEFINES = re.compile(r"^(?:def|class) (\w+)", re.M)
_WORDS = re.compile(r"\w{1,80}")
_CALLS = re.compile(r"(?<![\w.])(\w{1,80})\(")
#: With these, code runs a text; gets at names by texts; gets at the notebook as a module, whose names are attributes.
_RUNS_TEXT = frozenset({"eval", "exec", "compile", "get_ipython"})
_CALLED = frozenset({"globals", "locals", "vars"})
_NAMESPACES = _CALLED | {"__globals__", "f_globals", "f_locals", "user_ns"}
_MODULES = frozenset({"__main__", "modules", "user_module"})
#: What gets something by the text that it is called with.
_GETTERS = frozenset({"getattr", "attrgetter", "itemgetter", "methodcaller"})


@dataclass
class _Statement:
    """What a statement of the student's reads; of the names it says otherwise, those of the helper cells alone.

    Args:
        reads: Names that it reads, at once or when a function of it is called.
        at_once: Helper functions that it reads at once, when no code of the student's has bound that name.
        attributes: Names that it has as an attribute, but not of a name.
        parts: Pairs of a name and such a name as its attribute.
        texts: Names that it has as a whole text.
        in_text: Names that are words of its texts.
        means: What it has of `_RUNS_TEXT`, `_NAMESPACES` and `_MODULES`.
        private: Names that begin with `_` and that it gets from something, as an attribute or by a text.
        gives: Names that it gives to something of its own: a method, an attribute, an item.
    """

    reads: Set[str] = frozenset()
    at_once: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    parts: set[tuple[str, str]] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    in_text: set[str] = field(default_factory=set)
    means: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    gives: set[str] = field(default_factory=set)

    def told(self, spaces: Set[str]) -> set[str]:
        """Return the names that it gets at by a text or as an attribute.

        Args:
            spaces: Names of what names can be got from, such as that of `m` behind `import __main__ as m`.
        """
        found = {name for of, name in self.parts if of in spaces}
        found |= self.texts if self.means or self.reads & spaces else set()
        found |= self.attributes if self.means & _MODULES else set()
        return found | (self.in_text if self.means & _RUNS_TEXT else set())


def borrowed(nb: NotebookNode) -> Iterator[Finding]:
    """Yield a finding for each answer that uses such a function, unless the student's own code has bound its name.

    A call of its own line, such as that of a self-check, gives an answer nothing.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
    """
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    ours = {name for cell in code if kind_of(cell) is CellKind.HELPERS for name in _DEFINES.findall(cell.source)}
    theirs = (CellKind.ANSWER, CellKind.FREE)
    if not any(kind_of(cell) in theirs and ours.intersection(_WORDS.findall(cell.source)) for cell in code):
        return
    behind: dict[str, list[tuple[int, _Statement]]] = {}  # what binds a name in the student's own cells, with its place
    answers: dict[str, list[_Statement]] = {}
    given: set[str] = set()  # what the student's own code gives to something of its own
    own: set[str] = set()  # names of `ours` that code of the student's has bound
    known: dict[int, frozenset[str]] = {}  # the same, in front of each test cell
    spaces: set[str] = set()
    for place, cell in enumerate(nb.cells):
        kind = kind_of(cell)
        if cell.cell_type != "code":
            continue
        if kind is CellKind.TEST:
            known[place] = frozenset(own)
        if kind in (*LOCKED_KINDS, CellKind.TEST):
            continue
        statements = []
        for statement in tree_of(cell.source).body:
            statements.append(one := _statement(statement, ours, own))
            given |= one.gives
            if kind in theirs:
                for name in binds(statement):
                    behind.setdefault(name, []).append((place, one))
                if one.means - _RUNS_TEXT and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                    spaces |= bound_at_top([statement]).keys()
            own |= _bound_as_it_runs(statement) & ours
        if kind is CellKind.ANSWER:
            # Of a cell that is not Python alone, because of a magic, what it calls.
            calls = set() if statements else set(_CALLS.findall(cell.source))
            answers[grade_id(cell) or ""] = [*statements, _Statement(calls)]
    for answer in tested(nb):
        before = {name: [one for at, one in some if at < answer.end] for name, some in behind.items()}
        parts = [(answer.place, one) for one in answers[answer.name]]
        parts += [(at, one) for name in answer.names for at, one in behind.get(name, ()) if answer.made_of(name, at)]
        met: dict[int, list[_Statement]] = {}  # the parts, by the test cell that meets them first
        for at, one in parts:
            met.setdefault(next((n for n in known if n > max(at, answer.place)), len(nb.cells)), []).append(one)
        used = (_found(some, before, ours - known.get(n, own), spaces, given) for n, some in met.items())
        for name in sorted(set[str]().union(*used)):
            text = (
                f"The answer to {answer.name} uses {name}, which the course's helper cells define and no answer needs."
            )
            yield Finding("helper-called", answer.name, text, Level.SUSPICIOUS)


def _statement(statement: ast.stmt, ours: Set[str], own: Set[str]) -> _Statement:
    """Return what a statement reads.

    Args:
        statement: The statement.
        ours: Names that the helper cells define.
        own: Those of them that the student's code has bound before.
    """
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=args, keywords=named)) if name in ours:
            parts: list[ast.expr] = [*args, *(word.value for word in named)]
            statement = ast.Expr(ast.Tuple(parts, ast.Load()))
    try:
        scope = scope_of(statement)
        # What a loop, `with`, `except` or `:=` binds, or a function within `if`, is read there and nothing else.
        inside = scope.bound - _assigned_in(statement)
        found = _Statement(
            scope.used - inside, used_at_once(ast.Module([statement], [])) & scope.used & ours - own - inside
        )
        if isinstance(statement, ast.Assign):  # `share = (lambda: share)()`
            found.at_once |= scope.used & scope.bound & ours - own
    except RecursionError:
        found = _Statement(used_anywhere(statement))
    found.private, found.gives = _got_and_given(statement, ours)
    notes = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Expr)}  # a docstring is one
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=word):
                found.means |= {word} & _RUNS_TEXT
            case ast.Call(func=ast.Name(id=word), args=[]) if word in _NAMESPACES:
                found.means.add(word)
            case ast.Subscript(value=ast.Attribute(attr=word)):  # sys.modules["__main__"]
                found.means |= {word} & _MODULES
            case ast.Attribute(value=of, attr=word):
                found.means |= {word} & _NAMESPACES - _CALLED
                found.attributes |= {word} & ours if not isinstance(of, ast.Name) else set()
                found.parts |= {(of.id, word)} if isinstance(of, ast.Name) and word in ours else set()
            case ast.Call(args=[ast.Constant(value="__main__"), *_]):
                found.means.add("__main__")
            case ast.Constant(value=str(text)) if id(node) not in notes:
                found.texts |= {text} & ours
                found.in_text |= ours & set(_WORDS.findall(text))
            case ast.Import(names=names):
                found.means |= {alias.name for alias in names} & _MODULES
            case ast.ImportFrom(module="__main__", names=names):
                found.at_once |= {alias.name for alias in names} & ours
            case ast.ImportFrom(names=names):
                found.means |= {alias.name for alias in names} & _MODULES
    return found


def _got_and_given(statement: ast.stmt, ours: Set[str]) -> tuple[set[str], set[str]]:
    """Return the private names that a statement gets from something, and all that it gives to something of its own.

    Args:
        statement: The statement.
        ours: Names that the helper cells define; the others are left out.
    """
    got, given = set[str](), set[str]()
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                given.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                given.add(name)
            case ast.List(elts=texts) | ast.Tuple(elts=texts) | ast.Set(elts=texts):
                given.update(_texts(texts))
            case ast.Subscript(slice=ast.Constant(value=str(name)), ctx=ast.Store()):
                given.add(name)
            case ast.Dict(keys=keys):
                given.update(_texts(keys))
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                got.add(name)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _GETTERS:
                got.update(_texts(args))
            case ast.Call(args=args, keywords=keywords):  # setattr, or what makes a class or a dict
                given.update(_texts(args), (one.arg for one in keywords if one.arg))
    return {name for name in got & ours if name.startswith("_")}, given & ours


def _texts(values: Iterable[ast.expr | None]) -> Iterator[str]:
    """Yield those of some values that are a text."""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def _assigned_in(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds by `=`, at any depth."""
    assigns = (n for n in ast.walk(statement) if isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign))
    targets = (t for n in assigns for t in (n.targets if isinstance(n, ast.Assign) else [n.target]))
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _bound_as_it_runs(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds to something of its own, as far as it runs."""
    match statement:
        case ast.AnnAssign(value=None) | ast.ImportFrom(module="__main__") | ast.If(test=ast.Constant(value=False | 0)):
            return set()
        case ast.For(target=target) | ast.With(items=[ast.withitem(optional_vars=ast.Name() as target)]):
            return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} | set(bound_at_top([statement]))
    return set(bound_at_top([statement]))


def _found(
    statements: Iterable[_Statement],
    behind: dict[str, list[_Statement]],
    ours: Set[str],
    spaces: Set[str],
    given: Set[str],
) -> set[str]:
    """Return the helper functions that statements use, or what they need of the student's own, at any depth.

    Args:
        statements: Those of the answer.
        behind: The statements that bind a name.
        ours: Names of the helper cells that are still theirs.
        spaces: Names of what names can be got from.
        given: Private names that things of the student's own have.
    """
    found, followed = set[str](), set[str]()
    waiting, seen = list(statements), set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:  # it binds many names
            continue
        seen.add(id(one))
        found |= one.at_once | (one.reads & ours) | one.told(spaces) | (one.private & ours - given)
        for name in one.reads - ours - followed:
            followed.add(name)
            waiting += behind.get(name, ())
    return found
