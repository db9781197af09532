"""Python source as messages: comments, docstrings and the strings that somebody reads."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from grader.core.names import tree_of
from grader.languages.literals import is_grammar, literal, message_of, plain_text, split_placeholders, width
from grader.languages.prose import Translate, docstring_blocks, in_docstring
from grader.languages.wrapping import wrapped

#: Longest line, in columns, of what is written here.
ROOM = 112
#: Calls whose arguments are shown as they are, so that a single word is text too.
_SHOWN_BY = {
    "print", "show", "text", "annotate", "set_title", "set_xlabel", "set_ylabel", "set_zlabel", "suptitle", "supxlabel",
    "supylabel", "set_label", "draw_text", "draw_box", "expect", "hint", "HTML", "legend", "to_width",
}  # fmt: skip
_SHOWN_AS = {"title", "xlabel", "ylabel", "label", "alt", "what", "description", "expected", "hint", "on"}
#: Calls of which a dict is shown, keys and values: the labels and choices of controls.
_SHOWN_WHOLE = {"explore"}
#: Calls, methods and keyword arguments whose strings are no text, whatever they look like.
_NO_TEXT_TO = {
    "compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split", "rsplit", "einsum", "startswith",
    "endswith", "replace", "removeprefix", "removesuffix", "get", "pop", "setdefault", "getattr", "setattr", "hasattr",
    "strftime", "strptime", "astype", "dtype", "count", "index", "partition", "simplefilter", "filterwarnings", "strip",
}  # fmt: skip
_NO_TEXT_AS = {
    "loc", "ha", "va", "ls", "color", "colour", "fc", "ec", "mfc", "marker", "cmap", "layout", "dtype", "name", "key",
    "interpolation", "transform", "weight", "fontweight", "style", "linestyle", "arrowstyle", "sep", "end", "axis",
    "padding", "activation", "divide", "all", "invalid", "over", "under", "mode", "kind", "rotation_mode", "hatch",
}  # fmt: skip
#: Comments that are told to a tool.
_FOR_TOOLS = re.compile(r"#\s*(fmt:|noqa|type:|pragma|ruff|Generated from|#+ (BEGIN|END))|#!")
_TITLE = re.compile(r"#\s*@title\s+")
#: What a string has that is a program of the browser or a style sheet.
_PROGRAM = re.compile(r"=> |\bdocument\.|</style>")
#: Titles that are made of something else: the docstring of a test, the file of a helper.
_MADE_TITLE = re.compile(r"#\s*@title (Test|Helper code)")


@dataclass(frozen=True)
class Rules:
    """What is taken out of the source of a notebook or helper.

    Args:
        comments: Whether comments are read by students.
        docstrings: Whether docstrings are.
        identifiers: Strings that code compares or looks up, which therefore stay.
        not_text: Further strings that stay, although they look like text.
        text: Strings that are text, although they do not look like it; an f-string by its words or as it is written.
    """

    comments: bool = True
    docstrings: bool = True
    identifiers: frozenset[str] = frozenset()
    not_text: frozenset[str] = frozenset()
    text: frozenset[str] = frozenset()


@dataclass
class Piece:
    """A place in the source with what it says.

    Args:
        start: Where it begins, counted in characters.
        end: Where it ends.
        messages: What it says: one message, or those of a docstring, or a string with the strings inside it.
        kind: What it is, for the translator.
        column: Column in which it begins.
        formatted: Whether it is an f-string.
        several_lines: Whether the source breaks it into several lines.
        nested: Strings within its placeholders.
    """

    start: int
    end: int
    messages: list[str]
    kind: str
    column: int = 0
    formatted: bool = False
    several_lines: bool = False
    nested: set[str] = field(default_factory=set)


def identifiers(source: str) -> set[str]:
    """Return the strings that code compares, looks up or finds something by."""
    found = set()
    for node in ast.walk(tree_of(source)):
        inside: list[ast.AST] = []
        if isinstance(node, ast.Subscript):
            inside = [] if _is_made(node) else [node.slice]
        elif isinstance(node, ast.Compare):
            inside = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and _called(node) in _NO_TEXT_TO:
            inside = [*node.args]
        elif isinstance(node, ast.MatchValue):
            inside = [node.value]
        for root in inside:
            elements = root.elts if isinstance(root, ast.Tuple | ast.List | ast.Set) else [root]
            found |= {e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)}
    return found


def stored_keys(source: str) -> set[str]:
    """Return the keys of stored measurements, by which notebooks look them up."""
    stored = [n for n in tree_of(source).body if isinstance(n, ast.Assign) and stores_data(n)]
    dicts = [d for statement in stored for d in ast.walk(statement) if isinstance(d, ast.Dict)]
    return {k.value for d in dicts for k in d.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)}


def stores_data(statement: ast.AST) -> bool:
    """Return whether a statement holds stored measurements, whose words are looked up by notebooks."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Name) and t.id.lstrip("_").startswith("STORED") for t in targets)


def names_shown(statement: ast.AST) -> bool:
    """Return whether a statement names, in a dict, what code looks up as people read it: only the values are text."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Name) and t.id.lstrip("_").startswith("SHOWN") for t in targets)


def _is_made(node: ast.Subscript) -> bool:
    """Return whether an entry is put into a dict rather than looked up."""
    return isinstance(node.ctx, ast.Store)


def _called(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )


class Reader:
    """Finds what somebody reads in a piece of Python source.

    Args:
        source: The source, which must be valid Python.
        rules: What counts as text.
    """

    def __init__(self, source: str, rules: Rules):
        self.source, self.rules = source, rules
        self.tree = tree_of(source)
        self.parent: dict[ast.AST, ast.AST] = {}
        self.literals: list[ast.Constant | ast.JoinedStr] = []
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
                if isinstance(child, ast.JoinedStr) or (
                    isinstance(child, ast.Constant) and isinstance(child.value, str)
                ):
                    self.literals.append(child)
        self.lines = source.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def pieces(self) -> list[Piece]:
        """Return all places, in order."""
        found = [*self._strings()]
        if self.rules.comments:
            found += self._comments()
        return sorted(found, key=lambda p: p.start)

    def _offset(self, line: int, column: int) -> int:
        """Return the place of a node in characters; the tree counts bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def _span(self, node: ast.expr) -> tuple[int, int, int]:
        start = self._offset(node.lineno, node.col_offset)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return start, self._offset(node.end_lineno, node.end_col_offset), start - self.starts[node.lineno - 1]

    def _strings(self) -> Iterator[Piece]:
        documentation = self._docstrings()
        for node in self.literals:
            if self._within_string(node):
                continue
            start, end, column = self._span(node)
            if node in documentation:
                units = docstring_blocks(inspect.cleandoc(str(node.value))) if isinstance(node, ast.Constant) else []
                messages = [b.text for b in units if b.text is not None]
                if self.rules.docstrings and messages:
                    yield Piece(start, end, messages, "docstring", column)
                continue
            nested = (
                {
                    n.value
                    for n in ast.walk(node)
                    if isinstance(n, ast.Constant)
                    and isinstance(n.value, str)
                    and not isinstance(self.parent[n], ast.JoinedStr)
                    and self._is_text(n, n.value, True)
                }
                if isinstance(node, ast.JoinedStr)
                else set()
            )
            itself = self._is_text(node, plain_text(node), False)
            if itself or nested:
                message = message_of(node)
                kind = self._kind(node)
                lines = node.lineno != node.end_lineno
                formatted = isinstance(node, ast.JoinedStr)
                messages = [message] * itself + sorted(nested)
                yield Piece(start, end, messages, kind, column, formatted, lines, nested)

    def _docstrings(self) -> set[ast.expr]:
        found: set[ast.expr] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.body:
                first = node.body[0]
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    found.add(first.value)
        return found

    def _within_string(self, node: ast.AST) -> bool:
        """Return whether a string is inside a placeholder of an f-string."""
        above = self.parent.get(node)
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.JoinedStr):
                return True
            above = self.parent.get(above)
        return False

    def _is_text(self, node: ast.expr, said: str, inside: bool) -> bool:
        rules, in_dict = self.rules, self.parent.get(node)
        if isinstance(in_dict, ast.Dict) and names_shown(self.parent[in_dict]):
            return node in in_dict.values
        if said in rules.text or (isinstance(node, ast.JoinedStr) and message_of(node) in rules.text):
            return True
        words = re.sub(r"\$[^$]+\$|`[^`]*`|https?://\S+|<[^>]*>", " ", said)
        if said in rules.not_text or _PROGRAM.search(said) or not re.search(r"[A-Za-z]{2,}", words):
            return False
        labels = isinstance(in_dict, ast.Dict) and node in in_dict.keys and self._in_controls(in_dict)
        if isinstance(node, ast.Constant) and not labels and (said in rules.identifiers or self._is_data(node)):
            return False
        sentence = (
            re.search(r"[A-Za-z]{2,}\S*\s+\S", words) is not None or re.search(r"\S\s+[A-Za-z]{2,}", words) is not None
        )
        return self._place(node, sentence, inside)

    def _is_data(self, node: ast.Constant) -> bool:
        """Return whether a string is a pattern, written raw and no formula in it, or a text of many lines."""
        start, _, _ = self._span(node)
        raw = self.source[start] in "rRbB" and "$" not in str(node.value)
        return raw or self.source.startswith(('"""', "'''"), start)

    def _place(self, node: ast.expr, sentence: bool, inside: bool) -> bool:
        """Return whether a string is text where it stands."""
        below: ast.AST = node
        above = self.parent.get(node)
        while above is not None:
            if isinstance(above, ast.Subscript) and above.slice is below:
                return sentence and _is_made(above)
            if isinstance(above, ast.Compare):
                return False
            if isinstance(above, ast.Attribute):
                return above.attr == "format" and sentence
            if isinstance(above, ast.IfExp) and above.test is below:
                return False
            if isinstance(above, ast.keyword):
                if above.arg in _NO_TEXT_AS:
                    return False
                if above.arg in _SHOWN_AS:
                    return True
            if isinstance(above, ast.Dict) and below in above.keys:
                return self._in_controls(above) or (sentence and not stores_data(self._statement(above)))
            if isinstance(above, ast.FormattedValue) and isinstance(below, ast.IfExp | ast.BoolOp | ast.Constant):
                return not is_grammar("{" + ast.unparse(above.value) + "}")
            if isinstance(above, ast.Call):
                if _called(above) in _NO_TEXT_TO:
                    return False
                if isinstance(below, ast.Dict) and self._in_controls(below):
                    return True
                return sentence or (_called(above) in _SHOWN_BY and not isinstance(below, ast.keyword))
            if isinstance(above, ast.Assert):
                return above.msg is below
            if isinstance(above, ast.stmt):
                return sentence and not stores_data(above)
            below, above = above, self.parent.get(above)
        return sentence

    def _in_controls(self, node: ast.AST) -> bool:
        """Return whether a dict is handed to a call that shows its keys and choices."""
        call = self.parent.get(node)
        return isinstance(call, ast.Call) and _called(call) in _SHOWN_WHOLE

    def _statement(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.stmt):
            node = self.parent[node]
        return node

    def _kind(self, node: ast.AST) -> str:
        above = self.parent.get(node)
        while above is not None and not isinstance(above, ast.Call | ast.stmt):
            above = self.parent.get(above)
        if isinstance(above, ast.Assert):
            return "message of a test"
        if isinstance(above, ast.Call) and _called(above):
            return f"string, in {_called(above)}()"
        return "string"

    def _comments(self) -> Iterator[Piece]:
        block: list[tokenize.TokenInfo] = []
        for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if token.type != tokenize.COMMENT or _FOR_TOOLS.match(token.string):
                continue
            alone = not token.line[: token.start[1]].strip()
            follows = block and block[-1].start == (token.start[0] - 1, token.start[1])
            if not (alone and follows and not _TITLE.match(token.string) and not _TITLE.match(block[-1].string)):
                yield from self._comment(block)
                block = []
            block.append(token)
            if not alone:
                yield from self._comment(block)
                block = []
        yield from self._comment(block)

    def _comment(self, tokens: list[tokenize.TokenInfo]) -> Iterator[Piece]:
        if not tokens:
            return
        if _MADE_TITLE.match(tokens[0].string):
            return
        title = _TITLE.match(tokens[0].string)
        lead = len(title[0]) if title else 0
        said = " ".join(t.string[lead or 1 :].strip() for t in tokens).strip()
        plain = re.sub(r"`[^`]*`|\$[^$]+\$|https?://\S+|\w+\([^)]*\)", " ", said)
        if not re.search(r"[a-z]{2,}", plain) or said in self.rules.not_text:
            return
        first, last = tokens[0], tokens[-1]
        start = self.starts[first.start[0] - 1] + first.start[1] + lead
        end = self.starts[last.end[0] - 1] + last.end[1]
        yield Piece(start, end, [said], "title of a folded cell" if title else "comment", first.start[1], bool(lead))


@lru_cache(2048)  # a helper stands in several notebooks, and each notebook is read for each of its uses
def pieces_of(source: str, rules: Rules) -> tuple[Piece, ...]:
    """Return the places in Python source that say something, in order."""
    return tuple(Reader(source, rules).pieces())


def in_code(source: str, rules: Rules, translate: Translate) -> str:
    """Return Python source with what it says translated; all else stays as it is, to the letter."""
    for piece in reversed(pieces_of(source, rules)):
        if all(translate(m) == m for m in piece.messages):
            continue
        source = source[: piece.start] + _written(piece, source, rules, translate) + source[piece.end :]
    return source


def _written(piece: Piece, source: str, rules: Rules, translate: Translate) -> str:
    indent = " " * piece.column
    if piece.kind == "comment":
        lines = wrapped(translate(piece.messages[0]), max(ROOM - piece.column - 2, 30))
        alone = not source[: piece.start].rsplit("\n", 1)[-1].strip()
        return f"\n{indent}# ".join(["# " + lines[0], *lines[1:]]) if alone else "# " + translate(piece.messages[0])
    if piece.kind == "title of a folded cell":
        return translate(piece.messages[0])
    original = source[piece.start : piece.end]
    if piece.kind == "docstring":
        cleaned = inspect.cleandoc(ast.literal_eval(original))
        text = in_docstring(cleaned, translate, ROOM - piece.column - 3)
        raw = "r" if "\\" in text else ""
        lines = [(indent + line if line and n else line) for n, line in enumerate(text.split("\n"))]
        return f'{raw}"""' + "\n".join(lines) + (f"\n{indent}" if len(lines) > 1 else "") + '"""'
    node = ast.parse(f"({original})", mode="eval").body
    assert isinstance(node, ast.Constant | ast.JoinedStr)
    message = message_of(node)
    said = translate(message) if message in piece.messages else message
    if not (piece.several_lines and width(said) > ROOM - piece.column - 4):
        return literal(said, piece.formatted, translate, piece.nested)
    parts = _divided(said, piece.formatted, ROOM - piece.column - 6)
    return f"\n{indent}".join(literal(p, piece.formatted, translate, piece.nested) for p in parts)


def _divided(message: str, formatted: bool, room: int) -> list[str]:
    """Break a message into parts of about one line each; a placeholder stays whole."""
    atoms: list[str] = []
    for inside, text in split_placeholders(message) if formatted else [(False, message)]:
        atoms += [text] if inside else re.findall(r"\{\{|\}\}|[^\S\n]*[!-z|~]+|[\s\S]", text)
    parts = [""]
    for atom in atoms:
        if parts[-1] and width(parts[-1] + atom) > room:
            parts.append("")
        parts[-1] += atom
    return parts
