"""Two known mistakes at once: answers that make both, composed of the sources of those that make one each.

Both are held against an answer without mistakes, and what either changed there is taken over. The answers of a
catalogue are written like one another more than like the solution, so the text that most of them share serves as that
answer as well, after it was seen to do what the solution does.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

#: Pairs of mistakes of one exercise that are composed.
MAX_PAIRS = 1_000


class _Conflict(Exception):
    """Both changed the same place."""


def composed(
    reference: str, wrong: dict[str, str], is_right: Callable[[str], bool]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield pairs of mistakes and the source of an answer that makes both.

    Args:
        reference: The solution's source.
        wrong: The source of each known mistake, by name.
        is_right: Returns whether a source does what the solution does.
    """
    trees = {name: _functions(source) for name, source in wrong.items()}
    solution = _functions(reference)
    usual = {
        name: _usual([solution[name], *(tree[name] for tree in trees.values() if name in tree)]) for name in solution
    }
    bases = [solution]
    if is_right(_source(usual)):
        bases.append(usual)
    for (one, first), (other, second) in itertools.islice(itertools.combinations(trees.items(), 2), MAX_PAIRS):
        for base in bases:
            try:
                both = {n: _merged(f, first.get(n, f), second.get(n, f)) for n, f in base.items()}
            except _Conflict:
                continue
            yield (one, other), _source(both)
            break


def _functions(source: str) -> dict[str, Any]:
    """Return the functions of an answer by name, without docstrings and annotations of what they return."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                node.body = node.body[1:]
            node.returns = None
            found[node.name] = node
    return found


def _source(functions: dict[str, Any]) -> str:
    return "\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in functions.values())


def _text(node: Any) -> str:
    if isinstance(node, ast.AST):
        return ast.dump(node)
    return repr([_text(one) for one in node]) if isinstance(node, list) else repr(node)


def _merged(base: Any, one: Any, other: Any) -> Any:
    """Return a tree with the changes of both to a base."""
    was = _text(base)
    if _text(one) == was:
        return other
    if _text(other) == was:
        return one
    if isinstance(base, ast.AST) and type(base) is type(one) is type(other):
        parts = {f: _merged(*(getattr(tree, f, None) for tree in (base, one, other))) for f in base._fields}
        return type(base)(**parts)
    if all(isinstance(tree, list) for tree in (base, one, other)) and len(base) == len(one) == len(other):
        return [_merged(*three) for three in zip(base, one, other, strict=True)]
    raise _Conflict


def _usual(nodes: list[Any]) -> Any:
    """Return the tree that has at each place what most have there."""
    kind = Counter(map(type, nodes)).most_common(1)[0][0]
    nodes = [node for node in nodes if type(node) is kind]
    if issubclass(kind, ast.AST):
        return kind(**{field: _usual([getattr(node, field, None) for node in nodes]) for field in kind._fields})
    if kind is list:
        length = Counter(map(len, nodes)).most_common(1)[0][0]
        nodes = [node for node in nodes if len(node) == length]
        return [_usual([node[n] for node in nodes]) for n in range(length)]
    text = Counter(map(repr, nodes)).most_common(1)[0][0]
    return next(node for node in nodes if repr(node) == text)
