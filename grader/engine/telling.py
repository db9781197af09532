"""What a file answers, in words that can be compared: two files may differ in a helper alone, or in a picture.

What is run once more, laid out anew or remarked upon is the same answer. What may change one is not: code of the
student's own counts wherever it mentions a name that the answer depends on, as a dict is filled far from where it is
bound. That may tell apart what comes to the same, and then somebody looks at both; it never takes one answer for
another that replaces it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.names import own_names, remember, root_of, scope_of, tree_of, used_anywhere
from grader.submissions.assembly import STUDENT_TAG

_LINE_ENDS = re.compile("\r\n|\r|\n")
_STAR = "*"  # the name of what `from x import *` binds, which nobody can tell
#: With these, too, a statement may bind any name.
_ANY_NAME = {"exec", "globals"}
#: Calls that change nothing.
_SHOWING = {"print", "display"}


def texts_of(nb: NotebookNode, release: NotebookNode) -> dict[str, str]:
    """Return what each cell that has an id says, with what an answer in it depends on.

    What the release has in the same way is not the student's own: a set-up cell that a script joined to another one, or
    one more `import numpy as np`.

    Args:
        nb: The notebook, put together from the release and the student's cells.
        release: The release.
    """
    code = [cell for cell in release.cells if cell.cell_type == "code" and kind_of(cell) is not CellKind.TEST]
    provided = {one.text for cell in code for one in _statements(cell.source)}
    tagged = (c for c in nb.cells if c.cell_type == "code" and STUDENT_TAG in c.metadata.get("tags", []))
    own = _Own(one for cell in tagged for one in _statements(cell.source) if one.text not in provided)
    named = [(name, cell) for cell in nb.cells if (name := grade_id(cell))]
    return {
        name: "\n".join([_said(cell.source), *own.changing(cell.source)])
        if cell.cell_type == "code"
        else "\n".join([_bare(cell.source), *_pictures(cell)])
        for name, cell in named
    }


@dataclass(frozen=True)
class _Names:
    """Names of some code's top level.

    Args:
        bound: What it binds.
        used: What it reads.
        changed: What it assigns to a part of, as in `a[0] = 1` and `a.b = 1`.
    """

    bound: frozenset[str]
    used: frozenset[str]
    changed: frozenset[str]

    @classmethod
    def of(cls, node: ast.AST) -> _Names:
        """Return the names of a piece of code; of one that is nested too deeply, every word may be each of them."""
        inside = list(ast.walk(node))
        try:
            scope = scope_of(node)
        except RecursionError:
            wide = {name for n in inside if isinstance(n, ast.Global) for name in n.names}
            every = frozenset(own_names(node) | used_anywhere(node) | wide)
            return cls(every, every, every)
        parts = (n for n in inside if isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load))
        changed = frozenset(root for part in parts if (root := root_of(part)))
        return cls(frozenset(scope.bound | scope.module_wide), frozenset(scope.used), changed)

    @property
    def all(self) -> frozenset[str]:
        return self.bound | self.used | self.changed


@dataclass(frozen=True)
class _Statement:
    text: str
    names: _Names


class _Own:
    """The statements of a student's own cells.

    Args:
        statements: In their order.
    """

    def __init__(self, statements: Iterable[_Statement]):
        self._all = list(statements)
        bound = {name for one in self._all for name in one.names.bound}
        self._of = defaultdict[str, list[int]](list)
        for number, one in enumerate(self._all):
            # Of what the course provides, as `np`, or the answer itself, a mention changes nothing, as in a try of it.
            mine = one.names.bound | one.names.changed | (one.names.all & bound)
            mine |= {_STAR} if one.names.used & _ANY_NAME else set()
            for name in mine:
                self._of[name].append(number)

    def changing(self, source: str) -> list[str]:
        """Return the statements that may change what some code does: those that mention what it depends on."""
        if not self._all:
            return []
        chosen = set[int]()
        waiting = [_STAR, *_Names.of(tree_of(source)).all]
        seen = set(waiting)
        while waiting:
            new = [number for number in self._of[waiting.pop()] if number not in chosen]
            chosen.update(new)
            more = frozenset[str]().union(*(self._all[number].names.all for number in new)) - seen
            seen |= more
            waiting += more
        return [self._all[number].text for number in sorted(chosen)]


@remember
def _statements(source: str) -> tuple[_Statement, ...]:
    """Return the statements of a cell that may change something, an import for each name."""
    lines, found = list[str](), list[_Statement]()
    for whole in tree_of(source).body:
        for node in _apart(whole):
            if _only_shows(node):
                continue
            try:
                text = ast.unparse(node)
            except (RecursionError, ValueError):  # or a letter that must not be escaped, or a number without end
                lines = lines or _LINE_ENDS.split(source)  # as Python counts them
                text = "\n".join(lines[whole.lineno - 1 : whole.end_lineno])
            found.append(_Statement(text, _Names.of(node)))
    return tuple(found)


def _apart(node: ast.stmt) -> Iterator[ast.stmt]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        yield node
        return
    for alias in node.names:
        yield ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "names": [alias]}), node)


def _only_shows(node: ast.stmt) -> bool:
    """Return whether a statement shows something, or says something, and no more."""
    if not isinstance(node, ast.Expr):
        return False
    acting = ast.Call | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
    acts = [n for n in ast.walk(node) if isinstance(n, acting)]
    return all(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in _SHOWING for n in acts)


def _said(source: str) -> str:
    """Return code without what says nothing: remarks, blank lines, the way in which it is laid out."""
    tree = tree_of(source)
    try:
        return ast.dump(tree) if tree.body else _bare(source)
    except (RecursionError, ValueError):
        return _bare(source)


def _bare(text: str) -> str:
    """Return a text without empty lines and blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())


def _pictures(cell: NotebookNode) -> list[str]:
    """Return the pictures that are attached to a text, in the order of their names."""
    found = []
    for name, forms in sorted((cell.get("attachments") or {}).items()):
        # Some editors end a picture's text with a line's end.
        found += [f"{name} {form} {''.join(str(data).split())}" for form, data in sorted(forms.items())]
    return found
