"""Answers that use a function of the release's folded helper cells: some of these know what is right.

A self-check computes what an answer should give, and a lesson what it shows. No answer of the catalogue and none that a
reader wrote uses one of them, so a person should look at one that does. It is found by its name, where the answer, or
a function or value of the student's own that it reads, reads that. A private name, `_name`, is found however it is
reached, unless the student gives it to something: hardly any library has it. Who hides the name is not found: one that
is put together from pieces, or a function that is stored in an object by something else than `=`.

A name that the student's code has bound is its own. Where that is not sure, as in a loop that may not run, it counts
for what stands beside an answer, but not for what the tests call (`surely.py`).

This parses a student's code, so it is called where time and memory have limits (`handed.py`). Each statement is read
once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field, replace

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.core.names import left_behind, may_bind, scope_of, tree_of, used_anywhere
from grader.engine.bodies import Part, Parts, without_bare_calls
from grader.engine.foreseen import Foreseen
from grader.engine.reads import Reads, assigned_in, called_at_once, set_first
from grader.engine.surely import Effects
from grader.engine.tested import Tested, binds, tested

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
        unsure: The same, when no code of the student's is sure to have bound it.
        needs: Helper functions that it or a function in it reads, unless it is sure to bind that name.
        calls: Functions that it calls at once.
        number: How many statements stand before it.
        sure: Names of helper functions that the student's code is sure to have bound before it.
        binds: Names that it binds.
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
    unsure: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    calls: Set[str] = frozenset()
    number: int = 0
    sure: Set[str] = frozenset()
    binds: Set[str] = frozenset()
    attributes: set[str] = field(default_factory=set)
    parts: set[tuple[str, str]] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    in_text: set[str] = field(default_factory=set)
    means: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    gives: set[str] = field(default_factory=set)

    def inside(self, name: str) -> str:
        """Return what a name is called in `reads` where it means what this statement itself binds."""
        return f"{name} {self.number}"

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

    A call on a line of its own, such as that of a self-check, gives an answer nothing.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
    """
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    ours = {name for cell in code if kind_of(cell) is CellKind.HELPERS for name in _DEFINES.findall(cell.source)}
    theirs = (CellKind.ANSWER, CellKind.FREE)
    if not any(kind_of(cell) in theirs and ours.intersection(_WORDS.findall(cell.source)) for cell in code):
        return
    read = _Read(ours, theirs)
    for place, cell in enumerate(nb.cells):
        if cell.cell_type == "code":
            read.add(place, cell)
    for answer in tested(nb):
        for name in sorted(read.used_by(answer, len(nb.cells))):
            text = (
                f"The answer to {answer.name} uses {name}, which the course's helper cells define and no answer needs."
            )
            yield Finding("helper-called", answer.name, text, Level.SUSPICIOUS)


@dataclass
class _Read:
    """What the cells of a notebook read and bind, one after the other.

    Args:
        ours: Names that the helper cells define.
        theirs: Kinds of the student's cells.
        behind: What binds a name in the student's own cells, with its place.
        answers: The statements of each answer.
        given: Names that the student's own code gives to something of its own.
        own: Names of `ours` that code of the student's has bound, if it ran.
        sure: Those of them that it is sure to have bound.
        known: Both, in front of each test cell.
        spaces: Names of what names can be got from.
        sets: What a function of the student's binds by `global`, until it is called.
        classes: Names of the student's classes.
        foreseen: What is known of the cell, and of names that are no longer Python's.
    """

    ours: Set[str]
    theirs: tuple[CellKind, ...]
    behind: dict[str, list[tuple[int, _Statement]]] = field(default_factory=dict)
    answers: dict[str, list[_Statement]] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    own: Set[str] = frozenset()
    sure: Set[str] = frozenset()
    known: dict[int, tuple[Set[str], Set[str]]] = field(default_factory=dict)
    spaces: set[str] = field(default_factory=set)
    sets: dict[str, set[str]] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    foreseen: Foreseen = field(default_factory=Foreseen)
    number: int = 0

    def add(self, place: int, cell: NotebookNode) -> None:
        """Read the next cell."""
        kind = kind_of(cell)
        if kind is CellKind.TEST:
            self.known[place] = self.own, self.sure
        elif kind is CellKind.HELPERS:  # from here on its names are the course's again
            bound = left_behind(cell.source)
            self.own, self.sure = self.own - bound, self.sure - bound
            for name in bound:
                self.behind.pop(name, None)
        elif kind not in LOCKED_KINDS:
            statements = self._statements(place, kind, tree_of(cell.source).body)
            if kind is CellKind.ANSWER:
                # Of a cell that is not Python alone, because of a magic, what it calls.
                calls = set() if statements else set(_CALLS.findall(cell.source))
                self.answers[grade_id(cell) or ""] = [*statements, _Statement(calls)]

    def _statements(self, place: int, kind: CellKind, body: list[ast.stmt]) -> list[_Statement]:
        """Read the statements of a cell of the student's."""
        statements = []
        body = [without_bare_calls(statement, self.ours) for statement in body]
        self.foreseen = self.foreseen.anew()
        effects = Effects(self.foreseen)
        for statement, bound in zip(body, effects.steps(body), strict=True):
            reads = Reads(self.ours, effects)
            statements.append(one := _statement(statement, reads, self.own, self.sure))
            one.number = self.number = self.number + 1
            self.given |= one.gives
            self.classes |= {statement.name} if isinstance(statement, ast.ClassDef) else set()
            one.calls = called_at_once(statement, self.classes)
            if kind in self.theirs:
                self._binds(place, one, statement)
            self.own |= (_bound_as_it_runs(statement) | bound) & self.ours
            if bound := bound & self.ours - self.sure:
                self.sure |= bound
        return statements

    def _binds(self, place: int, one: _Statement, statement: ast.stmt) -> None:
        """Note what a statement binds, at once or by functions that it calls."""
        one.binds = binds(statement)
        if isinstance(statement, ast.FunctionDef):
            self.sets[statement.name] = one.binds - {statement.name}
        called = one.calls & self.sets.keys()
        within = Parts(statement)
        for name in (one.binds - within.filling.keys()).union(*(self.sets.pop(function) for function in called)):
            self.behind.setdefault(name, []).append((place, one))
        read: dict[int, _Statement] = {}
        for name, some in [*within.filling.items(), *((one.inside(n), p) for n, p in within.binding.items())]:
            for key, part in some.items():
                if key not in read:
                    read[key] = _part(one, part, within)
                self.behind.setdefault(name, []).append((place, read[key]))
        if one.means - _RUNS_TEXT and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            self.spaces |= may_bind(statement)

    def used_by(self, answer: Tested, end: int) -> set[str]:
        """Return the helper functions that an answer uses.

        Args:
            answer: The answer.
            end: The number of cells.
        """
        before = {name: [one for at, one in some if at < answer.end] for name, some in self.behind.items()}
        parts = [(answer.place, one) for one in self.answers[answer.name]]
        parts += [
            (at, one) for name in answer.names for at, one in self.behind.get(name, ()) if answer.made_of(name, at)
        ]
        met: dict[int, list[_Statement]] = {}  # the parts, by the test cell that meets them first
        for at, one in parts:
            met.setdefault(next((n for n in self.known if n > max(at, answer.place)), end), []).append(one)
        used = set[str]()
        for n, some in met.items():
            own, sure = self.known.get(n, (self.own, self.sure))
            used |= _found(some, before, self.ours - own, self.spaces, self.given)
            # What stands beside the functions that are tested gives them nothing, so a doubt is no matter there.
            used |= _needed([one for one in some if one.binds & answer.names], before, self.ours, sure)
        return used


def _statement(statement: ast.stmt, reads: Reads, own: Set[str], sure: Set[str]) -> _Statement:
    """Return what a statement reads.

    Args:
        statement: The statement.
        reads: Where to add what it reads of the helper cells.
        own: Those of them that the student's code has bound before, if it ran.
        sure: Those of them that it is sure to have bound.
    """
    ours = reads.names
    try:
        scope = scope_of(statement)
        # What a loop, `with`, `except` or `:=` binds, or a function within `if`, is read there, mostly, and is its own.
        inside = scope.bound - assigned_in(statement)
        reads.names = ours | inside & scope.used
        reads.add([statement], own, sure)
        inside |= set_first(statement, reads)
        used = scope.used - inside | reads.unsure
        found = _Statement(used, reads.at_once & ours, reads.unsure & ours, reads.needs & ours)
    except RecursionError:
        found = _Statement(used_anywhere(statement))
    found.sure = sure
    found.private, found.gives = _got_and_given(statement, ours)
    _add_hidden(found, statement, ours)
    return found


def _part(one: _Statement, part: Part, within: Parts) -> _Statement:
    """Return what a part of a compound statement reads; what it gets by a text counts as that of the whole.

    Args:
        one: What the whole reads.
        part: The part.
        within: All parts.
    """
    try:
        used = scope_of(part.node).used
    except RecursionError:
        return one
    reads = one.reads & used | {one.inside(name) for name in within.bound_beside(part, used)}
    at_once, unsure, needs, calls = one.at_once & used, one.unsure & used, one.needs & used, one.calls & used
    return replace(one, reads=reads, at_once=at_once, unsure=unsure, needs=needs, calls=calls, binds=frozenset())


def _add_hidden(found: _Statement, statement: ast.AST, ours: Set[str]) -> None:
    """Add what a statement reads by other means than a name.

    Args:
        found: What it reads.
        statement: The statement.
        ours: Names that the helper cells define.
    """
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


def _got_and_given(statement: ast.AST, ours: Set[str]) -> tuple[set[str], set[str]]:
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


def _bound_as_it_runs(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds to something of its own, if it runs."""
    match statement:
        case ast.AnnAssign(value=None) | ast.ImportFrom(module="__main__") | ast.If(test=ast.Constant(value=False | 0)):
            return set()
    return may_bind(statement)


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


def _needed(
    statements: Iterable[_Statement], behind: dict[str, list[_Statement]], ours: Set[str], sure: Set[str]
) -> set[str]:
    """Return the helper functions that statements use, unless the student's code is sure to have bound their names.

    Args:
        statements: Those that bind the functions that are tested.
        behind: The statements that bind a name.
        ours: Names of the helper cells.
        sure: Those that the student's code is sure to have bound by the time of the tests.
    """
    found, followed = set[str](), set[str]()
    waiting, seen = list(statements), dict[int, _Statement]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        found |= one.unsure | one.needs - sure
        for name in (one.reads | one.calls) - (ours - sure) - followed:
            followed.add(name)
            waiting += behind.get(name, ())
    return found | _called_before(seen.values(), behind, ours)


def _called_before(statements: Iterable[_Statement], behind: dict[str, list[_Statement]], ours: Set[str]) -> set[str]:
    """Return the helper functions that are used by what statements call, with the names as they were at that time.

    Args:
        statements: All that give something to an answer.
        behind: The statements that bind a name.
        ours: Names of the helper cells.
    """
    found, seen = set[str](), set[int]()
    left = {name: [*reversed(some)] for name, some in behind.items()}  # those that no earlier call met
    for call in sorted((one for one in statements if one.calls), key=lambda one: one.number):
        theirs = ours - call.sure
        waiting = [*(call.calls - theirs)]
        while waiting:
            some = left.get(waiting.pop(), [])
            while some and some[-1].number < call.number:
                one = some.pop()
                if id(one) not in seen:
                    seen.add(id(one))
                    found |= one.needs & theirs
                    waiting += one.reads - theirs
    return found
