"""What of an answer's cell is used although a line above it failed: it needs nothing that the line would have made."""

from __future__ import annotations

import ast


def defined_by(node: ast.stmt) -> list[str] | None:
    """Return the names of what a statement defines; None if it is not used behind a failed line.

    Used are functions, classes and plain values such as `EPS = 1e-9`, and imports, whose names are of no interest.
    """
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import() | ast.ImportFrom():
            return []
        case ast.Assign(targets=targets, value=value) if _is_plain(value):
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            return names if len(names) == len(targets) else None
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if _is_plain(value):
            return [name]
    return None


def _is_plain(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
