"""Changes of the expressions in a solution: operators, constants, arguments, axes, slices.

To add one, write a method of `ExpressionChanges` named after what it looks at, yield `Edit`s from it, and list it at
the end of this module.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

ARITHMETIC = {
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


#: Where an expression stands: node, field, element of the field or None.
Slot = tuple[ast.AST, str, int | None]


@dataclass(frozen=True)
class Edit:
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
    new: Any = None
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


class ExpressionChanges:
    """Walks over expressions and proposes edits.

    Args:
        parents: The node above each node, by `id`.
    """

    def __init__(self, parents: dict[int, ast.AST]):
        self.parents = parents

    def values(self, node: ast.AST, field: str, value: object, parameters: tuple[str, ...]) -> Iterator[Edit]:
        """Propose changes of the expressions in one field of a node."""
        if isinstance(value, ast.AST):
            yield from self._expression(value, (node, field, None), parameters)
        elif isinstance(value, list):
            for at, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from self._expression(item, (node, field, at), parameters)

    def _expression(self, node: ast.AST, slot: Slot, parameters: tuple[str, ...]) -> Iterator[Edit]:
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
            yield from self.values(node, name, value, parameters)

    def _literal(self, node: ast.AST, number: float, slot: Slot) -> Iterator[Edit]:
        if isinstance(number, bool):
            yield _put("truth value", slot, ast.Constant(not number))
        elif isinstance(number, int):
            operator = "axis" if _is_axis(self.parents, slot) else "constant"
            yield _put(operator, slot, _constant(number + 1))
            yield _put(operator, slot, _constant(number - 1))
        else:
            yield _put("constant", slot, _constant(2 * number if number else 1.0))
            yield _put("constant", slot, _constant(-number if number else -1.0))

    def _binary(self, node: ast.BinOp, slot: Slot) -> Iterator[Edit]:
        for other in ARITHMETIC.get(type(node.op), ()):
            yield Edit("arithmetic", node, "op", other())
        if isinstance(node.op, _NOT_COMMUTATIVE):
            yield _put("swapped operands", slot, ast.BinOp(node.right, node.op, node.left))
        yield _put("dropped operand", slot, node.left)
        yield _put("dropped operand", slot, node.right)

    def _unary(self, node: ast.UnaryOp, slot: Slot) -> Iterator[Edit]:
        yield _put("sign", slot, node.operand)

    def _boolean(self, node: ast.BoolOp, slot: Slot) -> Iterator[Edit]:
        yield Edit("and/or", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for at in range(len(node.values)):
            if len(node.values) == 2:
                yield _put("dropped operand", slot, node.values[at])
            else:
                yield Edit("dropped operand", node, "values", at=at, remove=True)

    def _comparison(self, node: ast.Compare, slot: Slot) -> Iterator[Edit]:
        for at, op in enumerate(node.ops):
            for other in _COMPARISON.get(type(op), ()):
                yield Edit("comparison", node, "ops", other(), at)

    def _call(self, node: ast.Call, slot: Slot) -> Iterator[Edit]:
        name = _last_name(node.func)
        for at in range(len(node.keywords)):
            yield Edit("dropped keyword", node, "keywords", at=at, remove=True)
        for at in range(len(node.args) - 1 if name not in _SYMMETRIC else 0):
            yield Edit("swapped arguments", node, "args", swapped(node.args, at))
        if len(node.args) > 1:
            yield Edit("dropped argument", node, "args", at=len(node.args) - 1, remove=True)
        if name in _DROPPED_FUNCTIONS and len(node.args) >= 1:
            yield _put("dropped function", slot, node.args[0])
        if isinstance(node.func, ast.Attribute) and name in _DROPPED_METHODS and not is_module(node.func.value):
            yield _put("dropped function", slot, node.func.value)
        if name == "range" and node.args:
            bound = 0 if len(node.args) == 1 else 1
            if _number(node.args[bound]) is None:
                less = ast.BinOp(node.args[bound], ast.Sub(), ast.Constant(1))
                yield Edit("bound", node, "args", less, bound)
        for keyword in node.keywords:
            if keyword.arg in _AXES and _number(keyword.value) is None:
                yield Edit("axis", keyword, "value", _constant(-1))
                yield Edit("axis", keyword, "value", _constant(0))

    def name(self, node: ast.AST, slot: Slot) -> Iterator[Edit]:
        """Swap a function for its counterpart, whether it is called or handed on."""
        if isinstance(node, ast.Name) and node.id in _SWAPS and isinstance(node.ctx, ast.Load):
            yield _put("function", slot, ast.Name(_SWAPS[node.id], ast.Load()))
        elif isinstance(node, ast.Attribute):
            if node.attr in _SWAPS:
                yield Edit("function", node, "attr", _SWAPS[node.attr])
            if node.attr in ("T", "mT"):
                yield _put("dropped transpose", slot, node.value)

    def _subscript(self, node: ast.Subscript, slot: Slot) -> Iterator[Edit]:
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for at, index in enumerate(indices):
            place = (node.slice, "elts", at) if isinstance(node.slice, ast.Tuple) else (node, "slice", None)
            if isinstance(index, ast.Name):
                yield _put("index", place, ast.BinOp(index, ast.Sub(), ast.Constant(1)))
            if at + 1 < len(indices):
                yield Edit("swapped indices", node.slice, "elts", swapped(indices, at))

    def _slice(self, node: ast.Slice, slot: Slot) -> Iterator[Edit]:
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                yield Edit("slice", node, part, None)
        if node.step is not None and (step := _number(node.step)) is not None:
            yield Edit("slice", node, "step", _constant(-step))

    def _choice(self, node: ast.IfExp, slot: Slot) -> Iterator[Edit]:
        yield _put("condition", slot, node.body)
        yield _put("condition", slot, node.orelse)

    def _comprehension(self, node: ast.comprehension, slot: Slot) -> Iterator[Edit]:
        for at in range(len(node.ifs)):
            yield Edit("condition", node, "ifs", at=at, remove=True)


_LOOKS: dict[type, tuple[Callable, ...]] = {
    ast.BinOp: (ExpressionChanges._binary,),
    ast.UnaryOp: (ExpressionChanges._unary,),
    ast.BoolOp: (ExpressionChanges._boolean,),
    ast.Compare: (ExpressionChanges._comparison,),
    ast.Call: (ExpressionChanges._call,),
    ast.Name: (ExpressionChanges.name,),
    ast.Attribute: (ExpressionChanges.name,),
    ast.Subscript: (ExpressionChanges._subscript,),
    ast.Slice: (ExpressionChanges._slice,),
    ast.IfExp: (ExpressionChanges._choice,),
    ast.comprehension: (ExpressionChanges._comprehension,),
}


def _put(operator: str, slot: Slot, new: ast.AST) -> Edit:
    node, field, at = slot
    return Edit(operator, node, field, new, at)


def swapped(items: list, at: int) -> list:
    """Return a copy of a list with the element at `at` and the next one exchanged."""
    return [*items[:at], items[at + 1], items[at], *items[at + 2 :]]


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


def is_module(node: ast.AST) -> bool:
    """Return whether `node.f(x)` is a function of a module rather than a method of an array."""
    return ast.unparse(node).split(".")[0] in {"np", "numpy", "keras", "tf", "math", "itertools", "collections"}


def _is_axis(parents: dict[int, ast.AST], slot: Slot) -> bool:
    """Return whether a number is in the place of an axis."""
    node, field, at = slot
    if isinstance(node, ast.Tuple):
        node = parents[id(node)]
    if isinstance(node, ast.keyword):
        return node.arg in _AXES
    if isinstance(node, ast.Call) and field == "args":
        name = _last_name(node.func)
        if isinstance(node.func, ast.Name):  # Python's own sum, max, ... have no axis
            return name.endswith("softmax") and at == 1
        if isinstance(node.func, ast.Attribute):
            return name in _AXIS_SECOND and at == (1 if is_module(node.func.value) else 0)
    return False
