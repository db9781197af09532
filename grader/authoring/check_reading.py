"""Read what is in a cell: marked regions, names, prose, outputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

from grader.core.names import names_of, tree_of
from grader.core.regions import Markers, Part, doubtful, hidden_tests, solutions


def visible(source: str) -> str:
    """Return the part of a test cell that students see."""
    return hidden_tests().without(source)


def stub(source: str) -> str:
    """Return the part of an answer cell that students see, with `pass` where the solution was."""
    return solutions().without(source, "pass")


def badly_marked(markers: Markers, source: str) -> bool:
    """Return whether a cell has markers without a partner, or markers that are not written as this course does it."""
    lines = [line.strip() for part, line in markers.parts(source) if part not in (Part.OUTSIDE, Part.INSIDE)]
    return bool(doubtful(source, markers)) or not set(lines) <= set(markers.written)


def defined_in(cells: Iterable[NotebookNode]) -> frozenset[str]:
    """Return all names that some cells define."""
    return frozenset().union(*(names_of(c.source).bound for c in cells))


def imported_in(cells: Iterable[NotebookNode]) -> dict[str, str]:
    """Return the names that some cells import, each with the full name of what it stands for; the first cell wins."""
    found: dict[str, str] = {}
    for cell in cells:
        for node in tree_of(cell.source).body:
            origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                whole = bool(origin or alias.asname)  # `import a.b` leaves `a`, which is all of it
                found.setdefault(
                    alias.asname or alias.name.split(".")[0],
                    origin + (alias.name if whole else alias.name.split(".")[0]),
                )
    return found


def listed(names: Iterable[str]) -> str:
    """Write names as a list in a sentence."""
    return ", ".join(sorted(names))


def outside_fences(text: str) -> str:
    """Return markdown without its code blocks."""
    return re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)


def prose(text: str) -> str:
    """Return the words of a markdown text: no code, formulas, tags, addresses or table rules."""
    text = outside_fences(text)
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"(`+).+?\1", " code ", text).replace(r"\$", "")
    text = re.sub(r"\$\$.+?\$\$", " formula ", text, flags=re.S)
    text = re.sub(r"\$[^$\n]+\$", " formula ", text)
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"</?\w[^>]*>|https?://\S+", " ", text)


def output_texts(cell: NotebookNode) -> Iterator[str]:
    """Return every text among a cell's outputs, without the pictures inside HTML."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.text
        for kind, data in output.get("data", {}).items():
            if kind.startswith("text/") and isinstance(data, str):
                yield re.sub(r"data:[\w/+.-]+;base64,[\w+/=\s]*", "data:", data)
