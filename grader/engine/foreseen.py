"""What code shows of itself before it runs: whether a condition holds, a loop has a turn, `with` may end an error.

A condition is known if it is made of constants, or of names that are bound to one further up, at the top of the same
cell and not in a branch, and of nothing else. What is not known may be either way.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field, replace
from typing import Any

from grader.core.names import may_bind, root_of

#: Context managers that end no error. Of any other, what stands behind an error in its body may not run.
_QUIET = re.compile(
    "open|errstate|printoptions|catch_warnings|suppress_warnings|nullcontext|closing|chdir|redirect_std(out|err)"
    "|R?Lock|Pool|(Thread|Process)PoolExecutor|Popen|connect|urlopen|ZipFile|load|(Named)?TemporaryFile"
    "|TemporaryDirectory|device|name_scope|scope|as_default|GradientTape|no_grad|inference_mode|rc_context|context"
    "|(local|option_)context|ioff|ion|tqdm"
)
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
#: What has a turn for each of that which it is called with.
_OF_ALL = frozenset({"enumerate", "zip", "reversed", "sorted", "list", "tuple"})


@dataclass
class Foreseen:
    """What is known where code stands.

    Args:
        constants: What names are bound to, if that is a constant.
        own: Names that the student's code may have given to something of its own, such as a `range` that is not
            Python's.
        shared: Names that a function of the student's declares `global`, so that a call may change them.
        unsure: Names whose constants are not believed, since the statement around binds them.
        imported: Those of them that it imports.
    """

    constants: dict[str, object] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    unsure: Set[str] = frozenset()
    imported: Set[str] = frozenset()

    def within(self, statement: ast.stmt) -> Foreseen:
        """Return what is known anywhere in a statement: not what it binds itself."""
        nodes = (node for node in ast.walk(statement) if isinstance(node, ast.stmt))
        imported = set[str]().union(*map(_imported, nodes))
        return replace(self, unsure=may_bind(statement), imported=imported)

    def anew(self) -> Foreseen:
        """Return what is known in another cell, or in a function, which runs when it is called."""
        return replace(self, constants={}, unsure=frozenset(), imported=frozenset())

    def _as_ever(self, name: str) -> bool:
        """Return whether a name is still Python's, or a library's."""
        return name not in self.own and (name not in self.unsure or name in self.imported)

    def run(self, statement: ast.stmt) -> None:
        """Take note of what a statement binds at the top of a cell."""
        bound = may_bind(statement)
        self.own |= bound - _imported(statement)
        shared = set[str]().union(*(node.names for node in ast.walk(statement) if isinstance(node, ast.Global)))
        self.shared |= shared
        for name in bound | shared:
            self.constants.pop(name, None)
        match statement:
            case ast.Assign(targets=targets, value=value) if constant := self._constant(value):
                names = (target.id for target in targets if isinstance(target, ast.Name))
                self.constants |= dict.fromkeys({*names} - self.shared, constant[0])

    def holds(self, test: ast.expr) -> bool | None:
        """Return whether a condition holds; None if that is not known."""
        test, wanted = without_not(test)
        match test:
            case ast.Compare(
                left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]
            ):
                holds = True if self._as_ever("__name__") else None
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                holds = self._compared(left, op, right)
            case _:
                constant = self._constant(test)
                holds = bool(constant[0]) if constant else None
        return None if holds is None else holds is wanted

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
        one, other, compare = self._constant(left), self._constant(right), _COMPARED.get(type(op))
        try:
            return bool(compare(one[0], other[0])) if one and other and compare else None
        except TypeError:
            return None

    def _constant(self, value: ast.expr) -> tuple[object] | None:
        """Return the constant that an expression is, if it is one."""
        match value:
            case ast.Constant(value=constant):
                return (constant,)
            case ast.Name(id=name) if name in self.constants and name not in self.unsure:
                return (self.constants[name],)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number) | float(number))):
                return (-number,)
        return None

    def has_any(self, value: ast.expr) -> bool:
        """Return whether a loop over something is sure to have a turn."""
        match value:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return any(not isinstance(element, ast.Starred) for element in elements)
            case ast.Dict(keys=keys):
                return any(keys)
            case ast.Call(func=ast.Attribute(value=ast.Dict() as table, attr="items" | "keys" | "values"), args=[]):
                return self.has_any(table)
            case ast.Call(func=ast.Name(id="range") | ast.Attribute(value=ast.Name(id="np"), attr="arange") as of):
                return self._as_ever(root_of(of)) and not value.keywords and self._counts(value.args)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="linspace"), args=[_, _, *number]):
                plain = not value.keywords and not any(isinstance(one, ast.Starred) for one in value.args)
                return self._as_ever("np") and plain and (not number or self._counts(number[:1]))
            case ast.ListComp(generators=[ast.comprehension(iter=of, ifs=[])]):
                return self.has_any(of)
            case ast.Call(func=ast.Name(id=name), args=values) if name in _OF_ALL and self._as_ever(name):
                return bool(values) and all(self.has_any(one) for one in values)
        constant = self._constant(value)
        return bool(constant and isinstance(constant[0], str) and constant[0])

    def _counts(self, values: Iterable[ast.expr]) -> bool:
        """Return whether there is a number in the range from one to another, in some steps."""
        found = [self._constant(value) for value in values]
        numbers = [constant[0] for constant in found if constant and isinstance(constant[0], int)]
        try:
            return len(numbers) == len(found) and bool(range(*numbers))
        except (TypeError, ValueError):
            return False

    def swallows(self, manager: ast.expr) -> bool:
        """Return whether a context manager may end an error: it is none that is known to end none, by its name."""
        match manager:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as of):
                return not self._as_ever(root_of(of)) or not _QUIET.fullmatch(name)
        return True

    def ends(self, statement: ast.stmt) -> bool:
        """Return whether a statement is sure to be an error, so that nothing runs behind it."""
        return isinstance(statement, ast.Raise) or (
            isinstance(statement, ast.Assert) and self.holds(statement.test) is False
        )


def without_not(test: ast.expr) -> tuple[ast.expr, bool]:
    """Return a condition without each `not` in front of it, and whether it has to hold for the whole to hold."""
    wanted = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, wanted = test.operand, not wanted
    return test, wanted


def _imported(statement: ast.stmt) -> set[str]:
    """Return the names that a statement imports and that are what they are called: `np`, or `open` from somewhere."""
    match statement:
        case ast.Import(names=names):
            return {alias.asname or alias.name.split(".")[0] for alias in names}
        case ast.ImportFrom(names=names):
            return {alias.name for alias in names if alias.asname in (None, alias.name)}
    return set()
