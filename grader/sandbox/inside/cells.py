"""Cells that many processes run, compiled once.

What every child of a warm process may know, this process compiles, and messages name it by its number. A test is sent
to the tests' side as code; it must never stand in a process that a student's is forked from.
"""

from __future__ import annotations

import ast
import builtins
import gc
import marshal
from types import CodeType

#: As code, or as the exception that says why a cell does not compile.
CELLS: list[CodeType | Exception] = []
#: What each function of a helper cell calls first, with the name of what the cell defines. It is a builtin, which does
#: nothing where nobody listens (`helper_calls.py`).
HOOK = "__helper_is_called__"
setattr(builtins, HOOK, lambda helper: None)

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def telling(tree: ast.Module) -> ast.Module:
    """Change a helper cell so that each of its functions says when it is called; lines stay where they are.

    Lambdas do so too, in a table at the top of the cell or in a function.

    Args:
        tree: The cell, changed in place.

    Returns:
        The same tree.
    """
    for statement in tree.body:
        name, of = _defined(statement), (*_FUNCTION, ast.Lambda)
        for function in [node for node in ast.walk(statement) if name and isinstance(node, of)]:
            call = ast.Call(ast.Name(HOOK, ast.Load()), [ast.Constant(name)], [])
            if isinstance(function, ast.Lambda):
                both = ast.Tuple([call, function.body], ast.Load())
                told = ast.Subscript(both, ast.Constant(1), ast.Load())
                function.body = ast.fix_missing_locations(ast.copy_location(told, function.body))
            else:
                where = ast.copy_location(ast.Expr(call), function.body[0])
                documented = ast.get_docstring(function, clean=False) is not None
                function.body.insert(int(documented), ast.fix_missing_locations(where))
    return tree


def _defined(statement: ast.stmt) -> str:
    """Return the one name that a statement at the top of a cell defines or assigns to, if there is one."""
    if isinstance(statement, (*_FUNCTION, ast.ClassDef)):
        return statement.name
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def compiled(name: str, source: str, helpers: bool = False) -> CodeType | Exception:
    """Compile a cell, or return the exception that says why it cannot be.

    Args:
        name: What tracebacks call it.
        source: Its source.
        helpers: Whether it is a helper cell, whose functions say when they are called.
    """
    try:
        tree = ast.parse(source, f"<{name}>")
        return compile(telling(tree) if helpers else tree, f"<{name}>", "exec", dont_inherit=True, optimize=0)
    except Exception as error:
        return error


def unpacked(name: str, cell: bytes | str) -> tuple[CodeType, CodeType | None]:
    """Return the code of a cell, and that of the expression at its end, if there is one.

    Args:
        name: What tracebacks call it.
        cell: What `marshal` made of `halves`, by this course's own process; or source.

    Raises:
        SyntaxError: If it is source, and not Python.
    """
    if isinstance(cell, str):
        return halves(name, ast.parse(cell, f"<{name}>"))
    body, last = marshal.loads(cell)
    return body, last


def halves(name: str, tree: ast.Module) -> tuple[CodeType, CodeType | None]:
    """Compile a cell, and the expression at its end, if there is one, by itself.

    Args:
        name: What tracebacks call it.
        tree: Its syntax tree.
    """
    # Whatever Python was told where this runs: without its asserts, a test would pass whoever is tested.
    file, body = f"<{name}>", list(tree.body)
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    code = compile(ast.Module(body, []), file, "exec", dont_inherit=True, optimize=0)
    if not isinstance(last, ast.Expr):
        return code, None
    return code, compile(ast.Expression(last.value), file, "eval", dont_inherit=True, optimize=0)


def keep(name: str, source: str, helpers: bool = False) -> int:
    """Compile a cell that many children share; called in the warm process.

    Args:
        name: What tracebacks call it.
        source: Its source.
        helpers: Whether it is a helper cell, whose functions say when they are called.

    Returns:
        Its number.
    """
    CELLS.append(compiled(name, source, helpers))
    gc.freeze()  # as after the imports: a child that looked through it for garbage would copy its pages
    return len(CELLS) - 1
