"""Small automatic changes to a reference solution, each of which some test should notice.

Changes are made on the syntax tree, and only between `### BEGIN SOLUTION` and `### END SOLUTION`. What an exercise's
contract does not fix is left alone: texts of messages, docstrings, imports, type annotations.

To add an operator, write a method of `_Changes` named after what it looks at and yield `_Edit`s from it.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.core.catalogue import STATEMENT_JOIN, header
from grader.core.errors import GraderError
from grader.core.regions import Part, solutions

_ARITHMETIC = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
_NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_COMPARISON = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_PAIRS = (
    ("max", "min"),
    ("amax", "amin"),
    ("argmax", "argmin"),
    ("maximum", "minimum"),
    ("nanmax", "nanmin"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("any", "all"),
    ("sin", "cos"),
    ("triu", "tril"),
    ("floor", "ceil"),
    ("sum", "mean"),
    ("cumsum", "cumprod"),
    ("repeat", "tile"),
    ("logical_and", "logical_or"),
    ("ValueError", "RuntimeError"),
)
_SWAPS = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
#: `f(x)` becomes `x`. Conversions such as `np.asarray` are not here: with arrays they change nothing.
_DROPPED_FUNCTIONS = {
    "tanh", "exp", "sqrt", "log", "abs", "absolute", "square", "expit", "isfinite", "logical_not",
    "sorted", "reversed", "copy", "array", "transpose", "cumsum", "softmax", "given_softmax", "sin", "cos",
}  # fmt: skip
#: `x.f(...)` becomes `x`.
_DROPPED_METHODS = {"copy", "astype", "swapaxes", "transpose", "reshape", "ravel", "squeeze"}
_AXES = {"axis", "axes", "dim"}
#: Functions that do not care about the order of their arguments.
_SYMMETRIC = {
    "max", "min", "maximum", "minimum", "add", "multiply", "logical_and", "logical_or", "allclose", "isclose", "equal",
}  # fmt: skip
#: Functions whose second positional argument is an axis.
_AXIS_SECOND = {
    "sum", "mean", "max", "min", "argmax", "argmin", "any", "all", "std", "var", "prod", "cumsum", "cumprod",
    "concatenate", "stack", "expand_dims", "flip", "sort", "argsort", "softmax", "given_softmax", "squeeze",
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One automatic change.

    Args:
        operator: What kind of change.
        line: Line of the answer cell, from 1.
        was: The statement it is in, on one line: whole if it is simple, only the head if not.
        now: The same statement, changed.
        nth: Which of several places with the same `was` and `now`, from 1.
        source: The whole changed answer.
    """

    operator: str
    line: int
    was: str
    now: str
    nth: int
    source: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What a record of the catalogue identifies it by."""
        return self.was, self.now, self.nth


@dataclass(frozen=True)
class _Edit:
    """A change at one place of the tree: `node.field`, or its element `at`, becomes `new`.

    Args:
        operator: What kind of change.
        node: The node that is changed.
        field: Which of its fields.
        new: The new value. For an element of a body, the statements that replace as many old ones.
        at: Which element, if the field is a list.
        remove: Take the element away instead.
    """

    operator: str
    node: ast.AST
    field: str
    new: object = None
    at: int | None = None
    remove: bool = False

    @property
    def of_statements(self) -> bool:
        """Whether whole statements are replaced, at `at` and behind it."""
        return isinstance(self.new, list) and self.at is not None

    def apply(self, node: ast.AST) -> None:
        """Make the change on this node of a copy of the tree."""
        new = copy.deepcopy(self.new)
        if self.at is None:
            setattr(node, self.field, new)
        elif self.remove:
            del getattr(node, self.field)[self.at]
        elif self.of_statements:
            getattr(node, self.field)[self.at : self.at + len(new)] = new
        else:
            getattr(node, self.field)[self.at] = new


def solution_regions(source: str, where: str = "") -> list[tuple[int, int]]:
    """Find the lines between the solution marks.

    Args:
        source: An answer cell.
        where: What it is called in an error.

    Returns:
        First and last line of each region, the marks themselves included, from 1.

    Raises:
        GraderError: If marks do not come in pairs, or there are none.
    """
    regions, begin = [], None
    first, last = solutions().written
    for number, (part, _) in enumerate(solutions().parts(source), 1):
        if part is Part.NESTED:
            raise GraderError(f"two {first} in a row", f"{where}, line {number}", f"add {last}")
        if part is Part.STRAY:
            raise GraderError(f"{last} without a beginning", f"{where}, line {number}", f"add {first} above it")
        if part is Part.BEGIN:
            begin = number
        elif part is Part.END:
            regions.append((begin, number))
            begin = None
    if begin is not None or not regions:
        fix = f"put the solution between {first} and {last}"
        raise GraderError("no complete solution region", where, fix)
    return regions


def stub_of(source: str, stub: str = 'raise NotImplementedError("not written yet")', where: str = "") -> str:
    """Return an answer cell as students get it: each region replaced, as nbgrader's `ClearSolutions` does."""
    solution_regions(source, where)  # complains about markers that are not in pairs
    return solutions().without(source, stub)


def changes(source: str, where: str = "") -> list[Change]:
    """List all automatic changes to a reference answer, in a fixed order.

    Args:
        source: The answer cell, with its solution marks.
        where: What it is called in an error.

    Returns:
        The changes, by line. No two give the same program, and none gives the original.
    """
    finder = _Changes(ast.parse(source), solution_regions(source, where))
    number = {id(node): n for n, node in enumerate(ast.walk(finder.tree))}
    seen = {ast.dump(finder.tree)}
    found = []
    for edit in finder.all():
        tree = copy.deepcopy(finder.tree)
        twins = list(ast.walk(tree))
        edit.apply(twins[number[id(edit.node)]])
        ast.fix_missing_locations(tree)
        if ast.dump(tree) in seen:
            continue
        seen.add(ast.dump(tree))
        try:
            changed = ast.unparse(tree)
            compile(changed, "<change>", "exec")
        except (SyntaxError, ValueError):
            continue  # no program, such as `del` of a constant
        if edit.of_statements:
            old = getattr(edit.node, edit.field)[edit.at : edit.at + len(edit.new)]
            was, now = (STATEMENT_JOIN.join(map(header, nodes)) for nodes in (old, edit.new))
            line = old[0].lineno
        else:
            statement = finder.statement_of(edit.node)
            was, now = header(statement), header(twins[number[id(statement)]])
            line = getattr(edit.node, "lineno", statement.lineno)
        found.append((line, edit.operator, was, now, changed))
    found.sort(key=lambda entry: entry[0])  # stable: within a line, the order of the tree
    places: Counter[tuple[str, str]] = Counter()
    result = []
    for line, operator, was, now, changed in found:
        places[was, now] += 1
        result.append(Change(operator, line, was, now, places[was, now], changed))
    return result


_IMPORTS = (ast.Import, ast.ImportFrom)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = ("body", "orelse", "finalbody")


class _Changes:
    """Walks over the solution regions of one answer and proposes edits.

    Args:
        tree: The answer.
        regions: First and last line of each region.
    """

    def __init__(self, tree: ast.Module, regions: list[tuple[int, int]]):
        self.tree, self.regions = tree, regions
        self.parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def statement_of(self, node: ast.AST) -> ast.AST:
        """Find the innermost statement that a node belongs to."""
        while not isinstance(node, ast.stmt | ast.ExceptHandler):
            node = self.parents[id(node)]
        return node

    def all(self) -> Iterator[_Edit]:
        """Propose every change of the regions."""
        yield from self._block(self.tree, "body", ())

    def _inside(self, node: ast.AST) -> bool:
        return any(begin <= node.lineno <= end for begin, end in self.regions)

    def _block(self, owner: ast.AST, field: str, parameters: tuple[str, ...]) -> Iterator[_Edit]:
        """Look at the statements of one block, then at the blocks inside them."""
        body = getattr(owner, field)
        for at, node in enumerate(body):
            if self._inside(node) and not _is_text(node):
                yield from self._statement(owner, field, at, parameters)
            names = parameters
            if isinstance(node, ast.FunctionDef):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                names = tuple(a.arg for a in arguments)
            for block in _BLOCKS:
                if isinstance(getattr(node, block, None), list):
                    yield from self._block(node, block, names)
            for handler in getattr(node, "handlers", []):
                yield from self._block(handler, "body", names)
            for case in getattr(node, "cases", []):
                yield from self._block(case, "body", names)

    def _statement(self, owner: ast.AST, field: str, at: int, parameters: tuple[str, ...]) -> Iterator[_Edit]:
        """Propose changes of a statement as a whole, then of the expressions in it."""
        body = getattr(owner, field)
        node = body[at]

        def replaced(operator: str, *new: ast.stmt) -> _Edit:
            return _Edit(operator, owner, field, list(new), at)

        if isinstance(node, _IMPORTS):
            return
        last_return = isinstance(node, ast.Return) and isinstance(owner, ast.FunctionDef) and node is body[-1]
        first = self._first_given(node)
        needed = first & self._read_after(node)
        if not isinstance(node, ast.Pass | ast.FunctionDef) and not last_return and not needed:
            yield replaced("dropped statement", ast.Pass())
        if at + 1 < len(body):
            after = body[at + 1]
            still = (*_IMPORTS, *_ENDS, ast.FunctionDef)
            movable = not isinstance(node, still) and not isinstance(after, still)
            if movable and self._inside(after) and _depend(node, after) and not first & _names(after)[0]:
                yield replaced("swapped statements", after, node)
        match node:
            case ast.Break():
                yield replaced("continue for break", ast.Continue())
            case ast.Continue():
                yield replaced("break for continue", ast.Break())
            case ast.AugAssign(target, op, value):
                for other in _ARITHMETIC.get(type(op), ()):
                    yield _Edit("arithmetic", node, "op", other())
                yield replaced("assignment", ast.Assign([target], value, lineno=node.lineno))
            case ast.Assign([ast.Name(name) as target], ast.BinOp(ast.Name(same), op, right)) if name == same:
                yield replaced("change in place", ast.AugAssign(target, op, right))
            case ast.If():
                yield _Edit("condition", node, "test", ast.Constant(True))
                if node.orelse:  # else it is the same as dropping the statement
                    yield _Edit("condition", node, "test", ast.Constant(False))
            case ast.Return(ast.Tuple(elements) as value):
                for i in range(len(elements) - 1):
                    yield _Edit("swapped results", value, "elts", _swapped(elements, i))
            case ast.Raise(exc) if exc is not None:
                # The type counts, the text does not.
                kind, slot = (
                    (exc.func, (exc, "func", None)) if isinstance(exc, ast.Call) else (exc, (node, "exc", None))
                )
                yield from self._name(kind, slot)
                return
        for name, value in ast.iter_fields(node):
            skipped = name in (*_BLOCKS, "handlers", "cases", "annotation", "args", "decorator_list", "returns", "msg")
            if not skipped:
                yield from self._values(node, name, value, parameters)

    def _scope(self, node: ast.AST) -> ast.AST:
        """Find the function, or the module, that a statement belongs to."""
        while not isinstance(node, ast.FunctionDef | ast.Module):
            node = self.parents[id(node)]
        return node

    def _first_given(self, node: ast.stmt) -> set[str]:
        """List the names that get their first value from this assignment.

        To drop it, or to move it behind their use, is no test of the tests: any call then ends in a NameError.
        """
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            return set()
        scope = self._scope(self.parents[id(node)])
        known = {n.arg for n in ast.walk(scope) if isinstance(n, ast.arg)}
        names = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        known |= {n.id for n in names if n.lineno < node.lineno}
        return {n.id for n in names if node.lineno <= n.lineno <= node.end_lineno} - known

    def _read_after(self, node: ast.stmt) -> set[str]:
        """List the names that the same function reads further down."""
        names = (n for n in ast.walk(self._scope(self.parents[id(node)])) if isinstance(n, ast.Name))
        return {n.id for n in names if isinstance(n.ctx, ast.Load) and n.lineno > node.end_lineno}

    def _values(self, node: ast.AST, field: str, value: object, parameters: tuple[str, ...]) -> Iterator[_Edit]:
        """Propose changes of the expressions in one field of a node."""
        if isinstance(value, ast.AST):
            yield from self._expression(value, (node, field, None), parameters)
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from self._expression(item, (node, field, at), parameters)

    def _expression(self, node: ast.AST, slot: _Slot, parameters: tuple[str, ...]) -> Iterator[_Edit]:
        """Propose changes of an expression, then of its parts."""
        if isinstance(node, ast.JoinedStr):
            return
        number = _number(node)
        if number is not None:
            yield from self._literal(node, number, slot)
            return
        for look in _LOOKS.get(type(node), ()):
            yield from look(self, node, slot)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in parameters:
            for other in parameters:
                yield _put("other argument", slot, ast.Name(other, ast.Load()))
        for name, value in ast.iter_fields(node):
            yield from self._values(node, name, value, parameters)

    def _literal(self, node: ast.AST, number: float, slot: _Slot) -> Iterator[_Edit]:
        if isinstance(number, bool):
            yield _put("truth value", slot, ast.Constant(not number))
        elif isinstance(number, int):
            operator = "axis" if _is_axis(self.parents, slot) else "constant"
            yield _put(operator, slot, _constant(number + 1))
            yield _put(operator, slot, _constant(number - 1))
        else:
            yield _put("constant", slot, _constant(2 * number if number else 1.0))
            yield _put("constant", slot, _constant(-number if number else -1.0))

    def _binary(self, node: ast.BinOp, slot: _Slot) -> Iterator[_Edit]:
        for other in _ARITHMETIC.get(type(node.op), ()):
            yield _Edit("arithmetic", node, "op", other())
        if isinstance(node.op, _NOT_COMMUTATIVE):
            yield _put("swapped operands", slot, ast.BinOp(node.right, node.op, node.left))
        yield _put("dropped operand", slot, node.left)
        yield _put("dropped operand", slot, node.right)

    def _unary(self, node: ast.UnaryOp, slot: _Slot) -> Iterator[_Edit]:
        yield _put("sign", slot, node.operand)

    def _boolean(self, node: ast.BoolOp, slot: _Slot) -> Iterator[_Edit]:
        yield _Edit("and/or", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for at in range(len(node.values)):
            if len(node.values) == 2:
                yield _put("dropped operand", slot, node.values[at])
            else:
                yield _Edit("dropped operand", node, "values", at=at, remove=True)

    def _comparison(self, node: ast.Compare, slot: _Slot) -> Iterator[_Edit]:
        for at, op in enumerate(node.ops):
            for other in _COMPARISON.get(type(op), ()):
                yield _Edit("comparison", node, "ops", other(), at)

    def _call(self, node: ast.Call, slot: _Slot) -> Iterator[_Edit]:
        name = _last_name(node.func)
        for at in range(len(node.keywords)):
            yield _Edit("dropped keyword", node, "keywords", at=at, remove=True)
        for at in range(len(node.args) - 1 if name not in _SYMMETRIC else 0):
            yield _Edit("swapped arguments", node, "args", _swapped(node.args, at))
        if len(node.args) > 1:
            yield _Edit("dropped argument", node, "args", at=len(node.args) - 1, remove=True)
        if name in _DROPPED_FUNCTIONS and len(node.args) >= 1:
            yield _put("dropped function", slot, node.args[0])
        if isinstance(node.func, ast.Attribute) and name in _DROPPED_METHODS and not _is_module(node.func.value):
            yield _put("dropped function", slot, node.func.value)
        if name == "range" and node.args:
            bound = 0 if len(node.args) == 1 else 1
            if _number(node.args[bound]) is None:
                less = ast.BinOp(node.args[bound], ast.Sub(), ast.Constant(1))
                yield _Edit("bound", node, "args", less, bound)
        for keyword in node.keywords:
            if keyword.arg in _AXES and _number(keyword.value) is None:
                yield _Edit("axis", keyword, "value", _constant(-1))
                yield _Edit("axis", keyword, "value", _constant(0))

    def _name(self, node: ast.AST, slot: _Slot) -> Iterator[_Edit]:
        """Swap a function for its counterpart, whether it is called or handed on."""
        if isinstance(node, ast.Name) and node.id in _SWAPS and isinstance(node.ctx, ast.Load):
            yield _put("function", slot, ast.Name(_SWAPS[node.id], ast.Load()))
        elif isinstance(node, ast.Attribute):
            if node.attr in _SWAPS:
                yield _Edit("function", node, "attr", _SWAPS[node.attr])
            if node.attr in ("T", "mT"):
                yield _put("dropped transpose", slot, node.value)

    def _subscript(self, node: ast.Subscript, slot: _Slot) -> Iterator[_Edit]:
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for at, index in enumerate(indices):
            place = (node.slice, "elts", at) if isinstance(node.slice, ast.Tuple) else (node, "slice", None)
            if isinstance(index, ast.Name):
                yield _put("index", place, ast.BinOp(index, ast.Sub(), ast.Constant(1)))
            if at + 1 < len(indices):
                yield _Edit("swapped indices", node.slice, "elts", _swapped(indices, at))

    def _slice(self, node: ast.Slice, slot: _Slot) -> Iterator[_Edit]:
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                yield _Edit("slice", node, part, None)
        if node.step is not None and _number(node.step) is not None:
            yield _Edit("slice", node, "step", _constant(-_number(node.step)))

    def _choice(self, node: ast.IfExp, slot: _Slot) -> Iterator[_Edit]:
        yield _put("condition", slot, node.body)
        yield _put("condition", slot, node.orelse)

    def _comprehension(self, node: ast.comprehension, slot: _Slot) -> Iterator[_Edit]:
        for at in range(len(node.ifs)):
            yield _Edit("condition", node, "ifs", at=at, remove=True)


#: Where an expression stands: node, field, element of the field or None.
_Slot = tuple[ast.AST, str, int | None]

_LOOKS: dict[type, tuple[Callable, ...]] = {
    ast.BinOp: (_Changes._binary,),
    ast.UnaryOp: (_Changes._unary,),
    ast.BoolOp: (_Changes._boolean,),
    ast.Compare: (_Changes._comparison,),
    ast.Call: (_Changes._call,),
    ast.Name: (_Changes._name,),
    ast.Attribute: (_Changes._name,),
    ast.Subscript: (_Changes._subscript,),
    ast.Slice: (_Changes._slice,),
    ast.IfExp: (_Changes._choice,),
    ast.comprehension: (_Changes._comprehension,),
}


def _put(operator: str, slot: _Slot, new: ast.AST) -> _Edit:
    node, field, at = slot
    return _Edit(operator, node, field, new, at)


def _swapped(items: list, at: int) -> list:
    return [*items[:at], items[at + 1], items[at], *items[at + 2 :]]


def _names(node: ast.stmt) -> tuple[set[str], set[str]]:
    """List the names that a statement mentions, and those that it changes.

    A name counts as changed if it is assigned to, also in part (`x[0] = 1`), or if one of its methods is called.
    """
    mentioned, changed = set(), set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            mentioned.add(part.id)
            changed |= set() if isinstance(part.ctx, ast.Load) else {part.id}
        elif isinstance(part, ast.Attribute | ast.Subscript):
            base = part
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            method = isinstance(part, ast.Attribute) and not _is_module(part)
            if isinstance(base, ast.Name) and (method or not isinstance(part.ctx, ast.Load)):
                changed.add(base.id)
    return mentioned, changed


def _depend(one: ast.stmt, other: ast.stmt) -> bool:
    """Tell whether the order of two statements can matter: one changes a name that the other mentions."""
    (mentioned_1, changed_1), (mentioned_2, changed_2) = _names(one), _names(other)
    return bool(changed_1 & mentioned_2 or changed_2 & mentioned_1)


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a docstring or a bare `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _number(node: ast.AST) -> bool | int | float | None:
    """Read a number or truth value, its sign included; None if the node is something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None or isinstance(value, bool) else -value
    return None


def _constant(value: float) -> ast.expr:
    """Make the node that Python's parser would make of a number."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_module(node: ast.AST) -> bool:
    """Tell whether `node.f(x)` is a function of a module rather than a method of an array."""
    return ast.unparse(node).split(".")[0] in {"np", "numpy", "keras", "tf", "math", "itertools", "collections"}


def _is_axis(parents: dict[int, ast.AST], slot: _Slot) -> bool:
    """Tell whether a number stands where an axis is expected."""
    node, field, at = slot
    if isinstance(node, ast.Tuple):
        node = parents[id(node)]
    if isinstance(node, ast.keyword):
        return node.arg in _AXES
    if isinstance(node, ast.Call) and field == "args":
        name = _last_name(node.func)
        if isinstance(node.func, ast.Name):  # Python's own sum, max, ... have no axis
            return name.endswith("softmax") and at == 1
        return name in _AXIS_SECOND and at == (1 if _is_module(node.func.value) else 0)
    return False
