"""What the statements of a cell's top level bind, read and may change: what `grader.core.needed` follows."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.core.names import bound_anywhere, remember, scope_of, tree_of, used_anywhere, words


@dataclass(frozen=True)
class Statement:
    """A statement of a cell's top level, and what it has to do with names.

    Args:
        first: Its first line, decorators included, from 1.
        last: Its last line.
        binds: Names that it binds at top level, also through `global` in a function that it defines.
        now: Names that it reads when it runs.
        later: Names that it reads when somebody calls what it defines.
        stores: Names into whose objects it stores.
        hands: Names that it hands to a call which is made for its own sake, or calls a method of; such a call may
            change what they stand for.
        methods: Names of which it calls a method for its own sake, also in a comprehension or lambda, or which decorate
            so (`@rules.add`).
        fixed: Whether all that it binds are numbers and texts, which nothing can change.
        looks: Whether it looks at something and leaves nothing behind, such as `print(x)`.
        declared: Those of the names in `binds` that only a call of its functions binds.
        imports: Those that it imports.
        defines: Whether what it binds are functions and classes.
        anything: It may bind any name (`from module import *`), or changes what all code behind it means
            (`from __future__ import annotations`).
        starred: What it binds as `from module import *`, of modules that this is usual for.
        parameters: Those of the function that it defines, in order; none of other statements.
        given: What it hands to calls of functions, within functions as well: the function, the place or name of the
            argument, and the name that is handed over. A decorator is handed what it decorates.
        remembers: Whether it defines what a use may change for those to come: a class, or a function with a decorator
            or with a default that can change.
        attributes: Names of which it reads an attribute, other than those that all objects have.
        effects: Names that it may call for an effect that has no name, as in `np.seterr(all="raise")`: the call's value
            is of no use to it, and of no object made here.
    """

    first: int
    last: int
    binds: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]
    stores: frozenset[str] = frozenset()
    hands: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    fixed: bool = False
    looks: bool = False
    declared: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    defines: bool = False
    anything: bool = False
    starred: frozenset[str] = frozenset()
    parameters: tuple[str, ...] = ()
    given: frozenset[tuple[str, int | str, str]] = frozenset()
    remembers: bool = False
    attributes: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()


#: Functions that go through what they are handed, which uses an iterator up and changes nothing else.
EXHAUSTING = {"sum", "max", "min", "sorted", "list"}
#: Functions that look, and change nothing.
LOOKING = {"print", "display", "help", "len", "type", "repr", "str", "dir"} | EXHAUSTING
#: Functions that give a number or a text.
_FIXED = {"len", "int", "float", "str", "bool", "round", "repr"}
#: Modules of which everything may be imported at once.
_STARRED = {"numpy", "math", "random", "itertools", "functools", "collections", "typing"}
#: What libraries are usually called, whose constants nobody changes.
_LIBRARIES = {"np", "numpy", "math", "keras", "tf", "tensorflow"}
#: Functions without an effect that an answer may rely on: on chance, on what is shown, on memory.
_NO_EFFECT = {"seed", "set_seed", "set_random_seed", "set_printoptions", "set_option", "clear_session", "collect"}
_NO_EFFECT |= {"filterwarnings", "simplefilter", "sleep"}
#: How the names of functions begin that set something and return what it was, and of those that only compare.
_SETS, _COMPARES = ("set", "enable", "disable"), "assert"
#: Decorators of libraries that change nothing but what they decorate.
_WRAPPING = {"cache", "lru_cache", "wraps", "total_ordering", "vectorize", "dataclass", "contextmanager"}
#: Functions that store into their first argument.
_SETTING = {"setattr", "delattr"}
#: Names of what can reach any name by text.
BY_TEXT = frozenset({"exec", "eval", "globals", "locals", "get_ipython", "__main__"})
#: Calls that reach names by text, and those that return a namespace.
_BY_TEXT, _NAMESPACES = {"exec", "eval"}, {"globals", "locals", "vars"}


@remember
def statements_of(source: str) -> tuple[Statement, ...]:
    """Return the statements of a cell's top level in order; none if it is not Python.

    Code that reaches names by text, as in `globals()["x"]`, counts as reading and binding every word in it.
    """
    return tuple(_statement(node, source) for node in tree_of(source).body)


def _statement(node: ast.stmt, source: str) -> Statement:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    last = node.end_lineno or node.lineno
    flow, imported = _Flow(), set[str]()
    try:
        scope = scope_of(node)
        flow.follow([node])
        used, binds, declared, now = scope.used, scope.bound | scope.module_wide, scope.module_wide, flow.read
        imported = scope.imported
    except RecursionError:
        used, binds, declared, imported = _at_any_depth(node)
        now = used | _changed(node)
    nodes = list(ast.walk(node))
    used |= declared & _changed(node) if declared else set()
    defines = any(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) for n in nodes)
    froms = [n for n in nodes if isinstance(n, ast.ImportFrom)]
    anything = any(n.names[0].name == "*" or n.module == "__future__" for n in froms)
    stores, hands, methods = _touched(nodes)
    if any(_by_text(n) for n in nodes):
        said = words("\n".join(source.split("\n")[first - 1 : last]))
        used, now, binds = used | said, now | said, binds | said
    return Statement(
        first,
        last,
        frozenset(binds),
        frozenset(now),
        frozenset(used if defines else ()),
        frozenset(stores),
        frozenset(hands),
        frozenset(methods),
        isinstance(node, ast.Assign | ast.AnnAssign) and _is_fixed(node.value),
        isinstance(node, ast.Expr | ast.Assert) and not stores | hands | methods and all(map(_only_looks, nodes)),
        frozenset(declared),
        frozenset(imported),
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef),
        anything,
        frozenset(name for n in froms if n.names[0].name == "*" for name in _exported(n.module or "")),
        _parameters(node),
        frozenset(given for n in nodes for given in _given(n)),
        _remembers(node),
        frozenset(name for n in nodes for name in _attribute_of(n)),
        frozenset(name for n in nodes for name in _effect_of(n)),
    )


@functools.cache
def _exported(module: str) -> frozenset[str]:
    """Return what `from module import *` binds; nothing is known of modules that it is not usual for."""
    if module not in _STARRED:
        return frozenset()
    found = importlib.import_module(module)
    return frozenset(getattr(found, "__all__", None) or (name for name in vars(found) if name[0] != "_"))


def _at_any_depth(node: ast.stmt) -> tuple[set[str], set[str], set[str], set[str]]:
    """Return the names that a statement reads, binds, declares `global` and imports, if it is too deep for scopes."""
    nodes = list(ast.walk(node))
    declared = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
    imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    imported = set().union(*map(bound_anywhere, imports))
    return used_anywhere(node), bound_anywhere(node) | declared, declared, imported


def _changed(node: ast.stmt) -> set[str]:
    """Return the names that a statement reads and binds by `+=` and its kind."""
    return {n.target.id for n in ast.walk(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}


def _by_text(node: ast.AST) -> bool:
    """Return whether code reaches names by text: `exec`, `globals()["x"]`, `vars().update(...)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _BY_TEXT
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(call := node.value, ast.Call):
        return isinstance(call.func, ast.Name) and call.func.id in _NAMESPACES and not call.args  # `vars(x)` is of `x`
    return False


def _touched(nodes: Sequence[ast.AST]) -> tuple[set[str], set[str], set[str]]:
    """Return the names that some code may change the objects of, as `stores`, `hands` and `methods`."""
    stores: set[str] = set()
    hands: set[str] = set()
    methods: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            stores |= _root(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SETTING:
            stores |= _root(node.args[0]) if node.args else set()
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for one in node.decorator_list:
                called = one.func if isinstance(one, ast.Call) else one
                changes = isinstance(called, ast.Attribute) and called.attr not in _WRAPPING
                methods |= _root(called) if changes else set()
        elif isinstance(node, ast.Expr | ast.Lambda):
            call = _for_its_own_sake(node)
            if call is not None and not _is_look(call):
                root = _root(call.func) if isinstance(call.func, ast.Attribute) else set()
                methods |= root
                if isinstance(node, ast.Expr) and node.value is call:
                    given = [*call.args, *(word.value for word in call.keywords)]
                    hands |= root | {n.id for part in given for n in ast.walk(part) if isinstance(n, ast.Name)}
    return stores, hands, methods


def _effect_of(node: ast.AST) -> set[str]:
    """Return the name whose call, or a method of which, a statement may make for an effect on what has no name."""
    if not isinstance(node, ast.Expr | ast.Assign) or not isinstance(call := node.value, ast.Call):
        return set()
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    # A class is called for its value, and so is whatever is assigned, unless it says that it sets something.
    for_effect = isinstance(node, ast.Expr) or called.startswith(_SETS)
    known = not called[:1].isupper() and not called.startswith(_COMPARES) and called not in _NO_EFFECT | LOOKING
    return _root(call.func) if known and for_effect else set()


def _parameters(node: ast.stmt) -> tuple[str, ...]:
    """Return the parameters of the function that a statement defines."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ()
    return tuple(one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


def _remembers(node: ast.stmt) -> bool:
    """Return whether a statement defines what may be another after a use: a class, `@cache`, `def f(x, seen=[])`."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return isinstance(node, ast.ClassDef)
    defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None]
    changing = any(not (isinstance(one, ast.Name) or _is_fixed(one)) for one in defaults)
    return changing or any(not _root(one) & _LIBRARIES for one in node.decorator_list)


def _attribute_of(node: ast.AST) -> set[str]:
    """Return the name of which code reads an attribute that not all objects have."""
    if not isinstance(node, ast.Attribute) or node.attr.startswith("__") or not isinstance(node.value, ast.Name):
        return set()
    return {node.value.id}


def _given(node: ast.AST) -> Iterator[tuple[str, int | str, str]]:
    """Yield what a call of a function, or a decorator, is handed by its name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        handed: list[tuple[int | str, ast.expr]] = [
            *enumerate(node.args),
            *((word.arg or "", word.value) for word in node.keywords),
        ]
        for place, value in handed:
            if isinstance(value, ast.Name):
                yield node.func.id, place, value.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for one in node.decorator_list:
            if isinstance(one, ast.Name):
                yield one.id, 0, node.name


def _is_look(call: ast.Call) -> bool:
    """Return whether a call looks at what it is handed, and changes nothing."""
    return isinstance(call.func, ast.Name) and call.func.id in LOOKING


def _only_looks(node: ast.AST) -> bool:
    """Return whether a node is no call, or one that looks, and binds nothing."""
    return _is_look(node) if isinstance(node, ast.Call) else not isinstance(node, ast.NamedExpr | ast.Await)


def _for_its_own_sake(node: ast.Expr | ast.Lambda) -> ast.Call | None:
    """Return the call of a statement or lambda whose value nobody takes."""
    value = node.value if isinstance(node, ast.Expr) else node.body
    while isinstance(value, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        value = value.elt
    return value if isinstance(value, ast.Call) else None


def _is_fixed(node: ast.expr | None) -> bool:
    """Return whether an expression gives a number, a text or a tuple of such, whatever the names in it stand for."""
    waiting = [node]  # a sum of a thousand terms is a thousand deep
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Tuple):
            waiting += one.elts
        elif isinstance(one, ast.UnaryOp):
            waiting.append(one.operand)
        elif isinstance(one, ast.BinOp):
            waiting += [one.left, one.right]
        elif not _is_fixed_by_itself(one):
            return False
    return True


def _is_fixed_by_itself(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _FIXED
    if isinstance(node, ast.Attribute):  # `np.inf`, `np.float32`, `np.finfo(float).eps`
        told = node.value
        if isinstance(told, ast.Call) and isinstance(told.func, ast.Attribute) and told.func.attr in ("finfo", "iinfo"):
            told = told.func.value
        return isinstance(told, ast.Name) and told.id in _LIBRARIES
    return isinstance(node, ast.Constant | ast.JoinedStr)


def _root(node: ast.expr) -> set[str]:
    """Return the name that a chain such as `a.b[c].d` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


class _Flow:
    """Finds the names that statements read before they bind them, following the order in which they run."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()

    def follow(self, body: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        for node in body:
            if isinstance(node, ast.If | ast.While):
                self._look(node.test)
                self._branches(node.body, node.orelse)
            elif isinstance(node, ast.For | ast.AsyncFor):
                self._look(node.iter)
                self._look(node.target)
                self._branches(node.body, node.orelse)
            elif isinstance(node, ast.With | ast.AsyncWith):
                for item in node.items:
                    self._look(item)
                self.follow(node.body)
            elif isinstance(node, ast.Try | ast.TryStar):
                for handler in node.handlers:
                    self._look(handler.type)
                    self.bound |= {handler.name} if handler.name else set()
                self._branches([*node.body, *node.orelse], *(handler.body for handler in node.handlers))
                self.follow(node.finalbody)
            else:
                if isinstance(node, ast.AugAssign):
                    self.read |= _root(node.target) - self.bound
                self._look(node)

    def _branches(self, *branches: Iterable[ast.stmt]) -> None:
        """Follow branches of which any may run: what one binds, the others do not have, what comes behind has."""
        before, after = self.bound, set(self.bound)
        for branch in branches:
            self.bound = set(before)
            self.follow(branch)
            after |= self.bound
        self.bound = after

    def _look(self, node: ast.AST | None) -> None:
        if node is not None:
            scope = scope_of(node)
            self.read |= scope.used - self.bound
            self.bound |= scope.bound
