"""Strings of Python source as messages: f-strings with their {placeholders}, and literals written from a message."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Iterator

#: What a placeholder may print for the sake of English grammar alone; a translation may leave such a placeholder out.
_GRAMMAR = {"", "s", "es", "y", "ies", "is", "are", "has", "have", "was", "were", "a", "an", "do", "does", "it", "they"}
_QUOTES = ('"', "'", '"""', "'''")


def message_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the message that a string literal is: its text, with an f-string's placeholders as they are written."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value).replace("{", "{{").replace("}", "}}"))
        elif isinstance(value, ast.FormattedValue):
            parts.append(_placeholder(value))
    return "".join(parts)


def _placeholder(node: ast.FormattedValue) -> str:
    code = ast.unparse(node.value)
    sign = {-1: "", 114: "!r", 115: "!s", 97: "!a"}[node.conversion]
    spec = f":{message_of(node.format_spec)}" if isinstance(node.format_spec, ast.JoinedStr) else ""
    return "{" + (" " if code.startswith("{") else "") + code + sign + spec + "}"


def plain_text(node: ast.Constant | ast.JoinedStr) -> str:
    """Return what a literal says without its placeholders."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(v.value) for v in node.values if isinstance(v, ast.Constant))


def split_placeholders(message: str) -> list[tuple[bool, str]]:
    """Split the message of an f-string into `(whether it is a placeholder, text)`, in order.

    Raises:
        ValueError: If a brace has no partner.
    """
    found: list[tuple[bool, str]] = []
    text, at = "", 0
    while at < len(message):
        sign = message[at]
        if message[at : at + 2] in ("{{", "}}"):
            text, at = text + message[at : at + 2], at + 2
        elif sign == "{":
            end = _closing(message, at)
            found += [(False, text)] if text else []
            found.append((True, message[at : end + 1]))
            text, at = "", end + 1
        elif sign == "}":
            raise ValueError("a } without its {")
        else:
            text, at = text + sign, at + 1
    return [*found, (False, text)] if text else found


def _closing(message: str, start: int) -> int:
    depth, quote = 0, ""
    for at in range(start, len(message)):
        sign = message[at]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "{[(":
            depth += 1
        elif sign in "}])":
            depth -= 1
            if depth == 0:
                return at
    raise ValueError("a { without its }")


def placeholders(message: str) -> list[str]:
    """Return the placeholders of a message that must stay; those that print English grammar only may go."""
    return [text for inside, text in split_placeholders(message) if inside and not is_grammar(text)]


def is_grammar(placeholder: str) -> bool:
    """Return whether a placeholder only bends an English word, such as the plural `{'s' * (n > 1)}`."""
    node = _value_of(placeholder).value
    printed = [n.value for n in _printed(node)]
    others = isinstance(node, ast.Constant | ast.IfExp) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    )
    return others and bool(printed) and all(isinstance(v, str) and v.strip() in _GRAMMAR for v in printed)


def choices(placeholder: str) -> tuple[str, ...]:
    """Return the texts of which a placeholder prints one, as in `{'a' if x else 'b'}`; none if it may print others."""
    node = _value_of(placeholder).value
    printed = [n.value for n in _printed(node)] if isinstance(node, ast.IfExp) else []
    texts = tuple(value for value in printed if isinstance(value, str))
    return texts if len(texts) == len(printed) else ()


def _printed(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the constants that an expression may print."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.IfExp):
        for branch in (node.body, node.orelse):
            if isinstance(branch, ast.Constant | ast.IfExp):
                yield from _printed(branch)
            else:
                yield ast.Constant(None)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _printed(node.left)


def _value_of(placeholder: str) -> ast.FormattedValue:
    for quote in _QUOTES:
        if quote not in placeholder:
            tree = ast.parse(f"f{quote}{placeholder}{quote}", mode="eval").body
            if isinstance(tree, ast.JoinedStr) and isinstance(tree.values[0], ast.FormattedValue):
                return tree.values[0]
    raise ValueError(f"no placeholder: {placeholder}")


class _Nested(ast.NodeTransformer):
    """Translates the strings within a placeholder that `wanted` names."""

    def __init__(self, translate: Callable[[str], str], wanted: set[str]):
        self.translate, self.wanted = translate, wanted

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and node.value in self.wanted:
            return ast.Constant(self.translate(node.value))
        return node


def literal(message: str, formatted: bool, translate: Callable[[str], str], nested: set[str]) -> str:
    """Write a message as a string literal on one line.

    Args:
        message: The message, translated.
        formatted: Whether it is that of an f-string.
        translate: What translates the strings within its placeholders.
        nested: Those strings.

    Raises:
        ValueError: If its braces do not fit.
    """
    if not formatted:
        return '"' + _escaped(message, '"') + '"'
    parts = split_placeholders(message)
    if nested:
        parts = [(inside, _with_nested(text, translate, nested) if inside else text) for inside, text in parts]
    quote = next((q for q in _QUOTES if not any(inside and q in text for inside, text in parts)), None)
    if quote is None:
        raise ValueError("its placeholders use every kind of quotation mark")
    return f"f{quote}{''.join(text if inside else _escaped(text, quote) for inside, text in parts)}{quote}"


def _with_nested(placeholder: str, translate: Callable[[str], str], nested: set[str]) -> str:
    value = _value_of(placeholder)
    value.value = _Nested(translate, nested).visit(value.value)
    return _placeholder(value)


def _escaped(text: str, quote: str) -> str:
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", quote[0]: "\\" + quote[0]}
    return "".join(
        named.get(c) or (c if c.isprintable() or c == "\u3000" else c.encode("unicode_escape").decode()) for c in text
    )


def width(text: str) -> int:
    """Return how many columns a text takes; a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
