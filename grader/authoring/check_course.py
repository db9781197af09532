"""Rules across notebooks: ids, folders and the helper files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from sys import stdlib_module_names

from grader.authoring.check_base import Book, Finding, On, rule
from grader.authoring.check_text import EMOJI
from grader.authoring.sync import helper_imports
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.names import tree_of

_HELPER_LINES = 150
_ALLOWED = {"numpy", "matplotlib", "PIL", "ipywidgets", "IPython", "keras", "tensorflow", "babel"}


@rule("unique-ids", On.COURSE, "Gradebooks and reports tell cells apart by their ids alone.")
def _unique(book: Book) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for page in book.pages:
        here: set[str] = set()
        for cell in page.cells:
            ids = {name for name in (cell.get("id"), grade_id(cell)) if name is not None}
            if ids & here:
                yield page.finding(cell, f"the id {min(ids & here)!r} occurs twice in the notebook", "rename one")
            here |= ids
            name, kind = grade_id(cell), kind_of(cell)
            # Set-up, helpers and given functions may be the same in several notebooks.
            if name and kind in (CellKind.ANSWER, CellKind.TEST, CellKind.WRITTEN):
                if seen.get(name, page.label) != page.label:
                    yield page.finding(cell, f"grade_id {name!r} is also in {seen[name]}", "rename it here")
                seen.setdefault(name, page.label)


@rule("only-notebooks", On.COURSE, "nbgrader copies every other file of an assignment's folder to the students.")
def _folders(book: Book) -> Iterator[Finding]:
    for page in book.pages:
        for path in sorted(page.path.parent.glob("*")):
            if path.name not in (page.path.name, ".ipynb_checkpoints"):
                yield Finding(
                    path.relative_to(book.course.root).as_posix(), "", "a file beside the notebook", "move it"
                )


@rule("helper-length", On.COURSE, f"A notebook carries its helpers: {_HELPER_LINES} lines each are enough.")
def _length(book: Book) -> Iterator[Finding]:
    for name, source in book.helpers.items():
        lines = len(source.splitlines())
        if lines > _HELPER_LINES:
            yield book.helper_finding(name, f"{lines} lines", "split it by theme")


@rule("helper-imports", On.COURSE, "A helper runs on Colab as it is; `grader sync` knows one form of helper import.")
def _imports(book: Book) -> Iterator[Finding]:
    for name, source in book.helpers.items():
        own = {f"helpers.{Path(n).stem}" for n in helper_imports(source)}
        for node in ast.walk(tree_of(source)):
            if isinstance(node, ast.Import):
                modules = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = ["." * node.level + (node.module or "")]
            else:
                continue
            for module in modules:
                top = module.split(".")[0]
                if top == "helpers" and (node.col_offset or isinstance(node, ast.Import) or module not in own):
                    fix = "write `from helpers.<name> import ...` at the start of a line, near the top"
                    yield book.helper_finding(name, f"imports {module} in a form that `grader sync` does not drop", fix)
                elif top != "helpers" and top not in _ALLOWED and top not in stdlib_module_names:
                    fix = f"use the standard library, {', '.join(sorted(_ALLOWED))}"
                    yield book.helper_finding(name, f"imports {module}", fix)


@rule("helper-docstrings", On.COURSE, "Curious students open the helper cells; what is there explains itself.")
def _docstrings(book: Book) -> Iterator[Finding]:
    for name, source in book.helpers.items():
        tree = tree_of(source)
        if not tree.body or ast.get_docstring(tree) is None:
            yield book.helper_finding(name, "no docstring, or not Python", "say in its first line what it is for")
        for node in tree.body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if ast.get_docstring(node) is None:
                yield book.helper_finding(name, f"{node.name} has no docstring", "say what it does, with shapes")


@rule("helper-text", On.COURSE, "What helpers print is read by students like the text.")
def _text(book: Book) -> Iterator[Finding]:
    for name, source in book.helpers.items():
        if EMOJI.search(source):
            yield book.helper_finding(name, "an emoji", "use a word")
