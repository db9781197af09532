"""What is the same in every submission and comes first: imports, and set-up and helper cells, which are run ahead once.

Both sides of each submission would run them. Instead a process that has run them is kept beside the warm one, and both
sides are forked from that. A submission in which something of the student's has to run between these cells is forked
from the warm one, and runs them itself.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.names import parsed
from grader.sandbox.warm import WarmProcess

#: They are the course's own, and call nothing of a student's.
_KINDS = (CellKind.SETUP, CellKind.HELPERS, CellKind.GIVEN)


@dataclass(frozen=True)
class Prelude:
    """The first cells of a notebook, up to the first one that is not the course's own.

    Args:
        cells: Their names and sources, and whether they are helper cells.
    """

    cells: tuple[tuple[str, str, bool], ...]

    @classmethod
    def of(cls, source: NotebookNode) -> Prelude:
        """Take it from a source notebook; it has no cell if one of them shows a value, which only running it tells."""
        found: list[tuple[str, str, bool]] = []
        for cell in (cell for cell in source.cells if cell.cell_type == "code"):
            if kind_of(cell) not in _KINDS:
                break
            found.append(_as_run(cell))
        return cls(() if any(_parts(text).shows for _, text, _ in found) else tuple(found))

    @property
    def ahead(self) -> list[tuple[str, str, bool]]:
        """The cells without what has to wait: after an operation TensorFlow cannot be forked."""
        return [(name, _parts(text).ahead, helpers) for name, text, helpers in self.cells]

    @property
    def left(self) -> str:
        """The statements that were left out of `ahead`. They only warm TensorFlow up, so nobody has to run them."""
        return "\n".join(left for _, text, _ in self.cells if (left := _parts(text).left))

    def begun(self, line: WarmProcess) -> WarmProcess:
        """Return the process that has run it; the warm process itself if it cannot be run ahead.

        Args:
            line: The warm process for the notebook.
        """
        after = line.after(self.ahead) if self.cells else None
        if after is None:
            return line
        after.kept["prelude"] = self, line, after.texts
        return after


def places(nb: NotebookNode, skipped: Set[int], line: WarmProcess) -> tuple[dict[int, str], WarmProcess]:
    """Find out which cells of a notebook a process has run ahead.

    Args:
        nb: A submission in its release, or the source.
        skipped: Places of the cells that do not run.
        line: From `Prelude.begun`, or any other warm process.

    Returns:
        What these cells printed, by their places, and the process to fork from. If the notebook does not begin with
        all that the process has run, there are none, and it is forked from the warm process itself.
    """
    kept = line.kept.get("prelude")
    if kept is None:
        return {}, line
    assert isinstance(kept, tuple)  # what is kept by this name was put there by `begun`
    prelude, warm, texts = kept
    found = list(_first(nb, skipped, prelude.cells))
    if len(found) < len(prelude.cells):
        return {}, warm
    return dict(zip(found, texts, strict=True)), line


def _first(nb: NotebookNode, skipped: Set[int], cells: tuple[tuple[str, str, bool], ...]) -> Iterator[int]:
    """Yield the places of these cells, as long as nothing else runs before them."""
    wanted = list(cells)
    for place, cell in enumerate(nb.cells):
        if cell.cell_type != "code" or not wanted:
            continue
        if kind_of(cell) in _KINDS and _as_run(cell) == wanted[0]:
            del wanted[0]
            yield place
        elif place not in skipped:
            return


def _as_run(cell: NotebookNode) -> tuple[str, str, bool]:
    name = grade_id(cell) or str(cell.get("id", "cell"))
    return name, cell.source, kind_of(cell) is CellKind.HELPERS


class _Parts(NamedTuple):
    """The two parts of a cell.

    Args:
        ahead: What can be run ahead, each line where it was.
        left: What has to wait: statements that compute something with a function of `keras.ops` and leave it. These
            functions have no effect, so only the time is different without them.
        shows: Whether the cell may show a value, its last statement being an expression other than `print(...)`.
    """

    ahead: str
    left: str
    shows: bool


@lru_cache(maxsize=512)
def _parts(source: str) -> _Parts:
    try:
        body = parsed(source).body
    except SyntaxError:  # it is told when the cell is run where its time is limited
        return _Parts(source, "", shows=True)
    values = {node: node.value for node in body if isinstance(node, ast.Expr)}
    called = {node: ast.unparse(value.func) for node, value in values.items() if isinstance(value, ast.Call)}
    idle = [node for node, name in called.items() if name.startswith("keras.ops.")]
    lines = source.split("\n")
    for node in idle:
        for number in range(node.lineno - 1, node.end_lineno or node.lineno):
            lines[number] = ""
    shows = bool(body) and body[-1] in values and called.get(body[-1]) != "print"
    return _Parts("\n".join(lines), "\n".join(map(ast.unparse, idle)), shows)


def import_lines(nb: NotebookNode) -> str:
    """Return the top-level imports and `os.environ` assignments of a notebook's locked and test cells, a line each."""
    lines: dict[str, None] = {}
    for cell in nb.cells:
        if kind_of(cell) not in (*LOCKED_KINDS, CellKind.TEST):
            continue
        with contextlib.suppress(SyntaxError):
            for node in parsed(cell.source).body:
                settled = (
                    isinstance(node, ast.Assign)
                    and ast.unparse(node).startswith("os.environ[")
                    and isinstance(node.value, ast.Constant)
                )
                if isinstance(node, ast.Import | ast.ImportFrom) or settled:
                    lines[ast.unparse(node)] = None
    return "\n".join(lines)
