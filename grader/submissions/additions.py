"""What students add to cells that are not theirs: what of it is kept as a cell of their own, and what is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from grader.core.cells import LOCKED_KINDS, CellKind
from grader.core.names import bound_anywhere, bound_at_top, tree_of
from grader.core.statements import Statement, statements_of
from grader.submissions import mend
from grader.submissions.answers import Answer
from grader.submissions.cells import Cells, Piece, Role, Slot
from grader.submissions.file_names import printable, quoted
from grader.submissions.parsing import parse

#: Most names in one sentence.
_MOST_NAMED = 8
#: What a line of code that does not parse seems to bind.
_ASSIGNED = re.compile(r"^(\w{1,80}) ?=[^=]", re.M)
_IMPORTS = (ast.Import, ast.ImportFrom)
_METHODS = {"property", "staticmethod", "classmethod"}


@dataclass(frozen=True)
class Addition:
    """What was added to a locked cell or a test cell.

    Args:
        slot: The cell.
        kept: What replaces nothing: statements that bind names of their own and those that change only such.
        left_out: The names that the other statements have to do with.
    """

    slot: Slot
    kept: str
    left_out: frozenset[str]


def additions(cells: Cells) -> dict[int, Addition]:
    """Return what was added to cells that are put back as released, by the cell's index in the submission."""
    courses: dict[str, ast.stmt] = {}
    for slot in cells.slots:
        if slot.kind in LOCKED_KINDS:
            courses |= _bound(slot)
    changed = (p for p in cells.pieces if p.role is Role.EDITED and p.beyond and cells.slot_of(p).is_fixed)
    return {p.index: _added(cells, p, courses) for p in changed}


def _bound(slot: Slot) -> dict[str, ast.stmt]:
    tree = parse(slot.text)
    return bound_at_top(tree.body) if tree else {}


def _added(cells: Cells, piece: Piece, courses: Mapping[str, ast.stmt]) -> Addition:
    slot, code = cells.slot_of(piece), piece.new_code
    if code.tree is None:
        return Addition(slot, "", frozenset(code.names | set(_ASSIGNED.findall(code.text))))
    own = _bound(slot)
    # A locked cell may bind early what another one or an answer binds again; a test's would replace that.
    taken = own if slot.kind is not CellKind.TEST else {**courses, **own}
    answers = cells.functions if slot.kind is CellKind.TEST else set()
    objects = {name for name, node in courses.items() if not isinstance(node, _IMPORTS) and not _defines(node)}
    not_theirs = (set(courses) | set(own) | cells.functions, objects | set(own))
    here = {name for said in statements_of(slot.text) for name in said.binds}  # those of its loops as well
    modules, new, left_out, keep = set[str](), set[str](), set[str](), set[int]()
    for node, said in zip(code.tree.body, statements_of(code.text), strict=False):
        again = isinstance(node, _IMPORTS) and all(_imports_again(node, a, taken) for a in node.names)
        free = again or not said.binds & (set(taken) | answers)
        own_objects = not (said.stores | said.methods) & not_theirs[0] and not said.hands & not_theirs[1]
        # A function does nothing before it is called, and if a call may do more than that, the call is left out.
        free = free and (own_objects or _only_defines(node))
        if free and (said.binds - set(taken) - here or _concerns(said, new - modules)):
            keep.add(id(node))
            new |= said.binds if own_objects else set()
            modules |= said.imports
        elif not said.looks and not isinstance(node, ast.Assert):
            left_out |= _changes(said, own, objects) - (here if slot.kind is CellKind.TEST else set())
    return Addition(slot, mend.segments(code.text, code.tree, lambda n: id(n) in keep), frozenset(left_out))


def _only_defines(node: ast.stmt) -> bool:
    """Return whether a statement defines a function, or a class of methods and plain values, and does nothing else."""
    match node:
        case ast.FunctionDef(decorator_list=outside) | ast.AsyncFunctionDef(decorator_list=outside):
            return all(isinstance(one, ast.Name) and one.id in _METHODS for one in outside)
        case ast.ClassDef(decorator_list=[], bases=bases, keywords=[], body=body):
            return not any(map(_calls, bases)) and all(_only_defines(one) or _is_plain(one) for one in body)
    return False


def _is_plain(node: ast.stmt) -> bool:
    """Return whether a statement of a class is a docstring, `pass`, or gives a name a value that no call returns."""
    match node:
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()) | ast.Expr(value=ast.Constant()):
            return not _calls(node)
    return isinstance(node, ast.Pass)


def _calls(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Call) for one in ast.walk(node))


def _defines(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _changes(said: Statement, own: Mapping[str, ast.stmt], objects: Set[str]) -> Set[str]:
    """Return the names of which a statement of a locked cell may change what answers see of them.

    Args:
        said: The statement.
        own: What the cell binds.
        objects: What locked cells bind that is no module, function or class.
    """
    if said.defines:  # what stands in a function is not done where that is defined, and may be to names of its own
        return said.binds
    modules = {name for name, node in own.items() if isinstance(node, _IMPORTS)}
    # Of a module `np.set_printoptions` changes nothing for an answer, and `np.seterr` does.
    touched = (said.methods | said.hands) & (objects | set(own) - modules)
    return said.binds | said.stores | touched | said.effects & modules


def _concerns(said: Statement, new: Set[str]) -> bool:
    """Return whether a statement does something with names that were added; `print(x)` and `assert x` do not."""
    return not said.looks and bool((said.stores | said.methods | said.hands | said.now) & new)


def _imports_again(node: ast.Import | ast.ImportFrom, alias: ast.alias, own: Mapping[str, ast.stmt]) -> bool:
    """Return whether an import gives a name that is new, or what the name stands for anyway."""
    other = own.get(alias.asname or alias.name.split(".")[0])
    if other is None:
        return True
    same = isinstance(other, type(node)) and getattr(other, "module", "") == getattr(node, "module", "")
    return same and any(ast.dump(a) == ast.dump(alias) for a in getattr(other, "names", ()))


def note_left_out(cells: Cells, added: Mapping[int, Addition], answers: Mapping[int, Answer]) -> None:
    """Report which answers use names that changes of other cells concern, where these changes were left out."""
    left_out: dict[str, set[str]] = {}  # a cell may be there in many copies
    for one in added.values():
        left_out.setdefault(one.slot.name, set()).update(one.left_out)
    if not any(left_out.values()):
        return
    texts = [p.code.text for p in cells.pieces if p.is_own and p.is_code and p.code]
    texts += [one.kept for one in added.values()]
    reads: dict[str, set[str]] = {}
    for text in texts:
        for said in statements_of(text):
            for name in said.binds | said.stores | said.methods | said.hands:
                reads.setdefault(name, set()).update(said.now | said.later)
    for slot in cells.answers:
        used = _followed(answers[slot.index].text, reads) if slot.index in answers else set()
        for changed, concerned in left_out.items():
            if names := sorted(concerned & used):
                listed = ", ".join(quoted(printable(name)) for name in names[:_MOST_NAMED])
                listed += ", ..." if len(names) > _MOST_NAMED else ""
                text = (
                    f"{slot.shown_first} uses {listed}, and changes to the cell {changed} that concern this "
                    "were left out. Only the released cell counts, so such changes belong in a cell of one's own."
                )
                cells.note("addition-left-out", slot.name, text)


def _followed(answer: str, reads: Mapping[str, Set[str]]) -> set[str]:
    """Return the names that an answer reads, also by way of the student's own cells."""
    found: set[str] = set()
    waiting = [*_read(answer)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += reads.get(name, ())
    return found


def _read(answer: str) -> set[str]:
    """Return the names that an answer reads and does not bind; a module is the same one whoever imports it."""
    said = statements_of(answer) if parse(answer) else ()
    bound = {name for one in said for name in one.binds - one.imports}
    imports = (node for node in ast.walk(tree_of(answer)) if isinstance(node, _IMPORTS))
    return {name for one in said for name in one.now | one.later} - bound | set().union(*map(bound_anywhere, imports))
