"""Make a page of the web edition from a notebook: text and code of the release, pictures and results of the source.

Everything that a page says comes from the released notebook. From the executed source, or from the run that is kept of
it in the page's language, it takes the outputs of demonstrations alone, and only where the cell is the same in both: a
self-check's output describes the solution, a test's has nothing to say, and an answer's could be one.
"""

from __future__ import annotations

import ast
import base64
import binascii
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of
from grader.core.images import png_size
from grader.core.names import tree_of
from grader.languages.messages import ENGLISH
from grader.publishing.frames import Frames, player
from grader.publishing.printed import shown_output
from grader.publishing.site_words import WORDS

_BADGE = re.compile(r"^\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)\n*", re.M)
_TITLE = re.compile(r"^# @title (.+)\n", re.M)
_PICTURE = re.compile(r'<img alt="([^"]*)" src="data:image/png;base64,([^"]+)" width="(\d+)"[^>]*>')
#: Packed data, such as letters for figures: only its beginning is shown. The notebook to download has all of it.
_PACKED = re.compile(r"^([A-Za-z0-9+/]{60})[A-Za-z0-9+/=\n]{1000,}\n", re.M)
#: Where `show` leaves a picture's file twice as large as the page shows it.
_SHARPNESS = 2
_MACHINERY = (CellKind.SETUP, CellKind.HELPERS)


@dataclass
class Page:
    """A page before Sphinx makes HTML of it.

    Args:
        text: The page in MyST Markdown.
        files: Its pictures, by their path beside the page.
    """

    text: str
    files: dict[str, bytes] = field(default_factory=dict)


def make_page(
    release: NotebookNode,
    source: NotebookNode,
    name: str,
    colab: str | None,
    frames: Mapping[str, Frames] | None = None,
    language: str = "en",
    translated: NotebookNode | None = None,
    others: tuple[str, ...] = (),
    own: Mapping[str, list[NotebookNode] | None] | None = None,
) -> Page:
    """Make the page of a notebook.

    Args:
        release: The notebook as students get it, in English.
        source: The executed source notebook.
        name: The assignment.
        colab: Address that opens the notebook in Colab, None if there is none.
        frames: Pictures for cells with sliders, by the cell's id.
        language: Whose words the page adds to the notebook's.
        translated: The release in that language, with the same cells; the release itself by default.
        others: Languages in which there is the same page.
        own: What cells showed in a run in that language, by their ids; None for a cell means as in English. Cells that
            are not named show what they do in English, and the page says so. By default it is English.

    Returns:
        The page and its pictures.
    """
    maker = _Maker(source, translated or release, name, colab, frames or {}, WORDS[language], own)
    return maker.page(release, translated or release, language_links(others, f"{name}.html"))


def language_links(others: tuple[str, ...], page: str) -> str:
    """Return the buttons that lead to a page in other languages."""
    return " ".join(
        f'<a class="button" lang="{tag(language)}" hreflang="{tag(language)}" href="../{language}/{page}">'
        f"{WORDS[language]['name']}</a>"
        for language in others
    )


def tag(language: str) -> str:
    """Return a language as a page names it: `zh-CN` for `zh_CN`."""
    return language.replace("_", "-")


class _Maker:
    def __init__(
        self,
        source: NotebookNode,
        shown: NotebookNode,
        name: str,
        colab: str | None,
        frames: Mapping[str, Frames],
        words: dict[str, str],
        own: Mapping[str, list[NotebookNode] | None] | None,
    ):
        self.shown = {cell.id: cell for cell in shown.cells}
        self.executed = {cell.id: cell for cell in source.cells}
        self.name, self.colab, self.frames, self.words, self.own = name, colab, frames, words, own
        self.files: dict[str, bytes] = {}

    def page(self, release: NotebookNode, translated: NotebookNode, links: str) -> Page:
        """Return the page."""
        machinery = sum(kind_of(c) in _MACHINERY for c in release.cells)
        parts: list[str] = []
        inside = False
        for cell, shown in zip(release.cells, translated.cells, strict=True):
            is_machinery = kind_of(cell) in _MACHINERY
            if is_machinery and not inside:
                summary = self.words["machinery"].format(count=machinery - 1)
                parts.append(f'<details class="machinery"><summary>{summary}</summary>')
            elif inside and not is_machinery:
                parts.append("</details>")
            inside = is_machinery
            parts += self._cell(shown)
            if kind_of(cell) is CellKind.DEMONSTRATION:
                parts += self._outputs(cell)
        text = "\n\n".join([*parts, *(["</details>"] if inside else [])])
        heading, _, rest = text.partition("\n")
        return Page(f"{heading}\n\n{self._buttons(links)}\n{rest}\n", self.files)

    def _buttons(self, links: str) -> str:
        link = '<a class="button" href="{}"{}>{}</a>'
        colab = [link.format(html.escape(self.colab), "", self.words["colab"])] if self.colab else []
        download = link.format(f"notebooks/{self.name}.ipynb", " download", self.words["download"])
        solved = f'<p class="solved">{self.words["solved" if self.own != {} else "solved_in_english"]}</p>'
        return f'<p class="buttons">{" ".join([*colab, download, links]).strip()}</p>\n{solved}\n'

    def _cell(self, cell: NotebookNode) -> Iterator[str]:
        kind = kind_of(cell)
        if kind is CellKind.WRITTEN:
            yield _fenced(f"{{admonition}} {self.words['written']}\n:class: answer", cell.source)
        elif cell.cell_type != "code":
            yield _BADGE.sub("", cell.source)
        elif kind in (*_MACHINERY, CellKind.TEST):
            plain = "\n:plain:" if kind is CellKind.HELPERS else ""  # nobody reads it, and colours triple its size
            code = _PACKED.sub(r"\1 ...\n", _TITLE.sub("", cell.source, count=1))
            yield _fenced(f"{{folded}} {self._title(cell, kind)}{plain}", code)
        else:
            answer = kind is CellKind.ANSWER
            options = f"\n:class: answer\n:caption: {self.words['answer']}" if answer else ""
            yield _fenced(f"{{code-block}} python{options}", cell.source)

    def _title(self, cell: NotebookNode, kind: CellKind) -> str:
        """Name a folded cell."""
        include = cell.metadata.get("course", {}).get("include")
        if kind is CellKind.SETUP:
            return self.words["setup"]
        if include:
            # What a helper says about itself is machinery too, and is not translated.
            about = ast.get_docstring(tree_of(cell.source)) if self.words is WORDS[ENGLISH] else ""
            first = (about or "").split("\n")[0]
            return f"{self.words['helper']} {include}: {first}".rstrip(": ")
        title = _TITLE.search(cell.source)
        return title[1] if title else self.words["test"]

    def _outputs(self, cell: NotebookNode) -> Iterator[str]:
        executed = self.executed.get(cell.id)
        if executed is None or executed.source != cell.source or _calls(cell.source, "hand_in"):
            return
        if cell.id in self.frames:
            shown, files = player(self.frames[cell.id], f"figures/{self.name}", self.words)
            self.files |= files
            yield _fenced("{raw} html", shown)
            return
        controls = _controls(self.shown[cell.id].source)
        if controls:
            words = self.words["slider" if len(controls) == 1 else "sliders"]
            most = self.words["comma"].join(controls[:-1])
            listed = f"{most}{self.words['and']}{controls[-1]}" if most else controls[-1]
            yield f'<p class="note">{html.escape(words.format(controls=listed))}</p>'
            return
        own = (self.own or {}).get(cell.id)
        parts = [
            part
            for number, output in enumerate(executed.outputs if own is None else own)
            for part in self._output(output, f"{cell.id}-{number}")
        ]
        yield from parts
        if parts and self.own and cell.id not in self.own:
            yield f'<p class="note">{self.words["in_english"]}</p>'

    def _output(self, output: NotebookNode, name: str) -> Iterator[str]:
        if output.output_type == "stream":
            if output.name == "stdout":
                yield _fenced("{raw} html", shown_output(output.text.rstrip("\n")))
            return
        data = output.get("data", {})
        if "text/html" in data:
            yield self._html(data["text/html"], name)
        elif "text/plain" in data and set(data) == {"text/plain"}:
            yield _fenced("{raw} html", shown_output(data["text/plain"]))

    def _html(self, text: str, name: str) -> str:
        """Return HTML that a cell showed, with pictures taken out into files."""

        def taken(found: re.Match[str]) -> str:
            path = self._keep(found[2], name)
            size = png_size(self.files[path])
            width, height = (size.width, size.height) if size else (0, 0)
            shown = f'width="{found[3]}" height="{round(height * int(found[3]) / max(width, 1))}"'
            style = f'style="--width: {found[3]}px"'  # a style sheet cannot read the attribute
            return f'<img alt="{found[1]}" src="{path}" {shown} loading="lazy" decoding="async" {style}>'

        shown = _PICTURE.sub(taken, text)
        return _fenced("{raw} html", f'<div class="shown">{shown}</div>')

    def _keep(self, encoded: str, name: str) -> str:
        """Keep a picture as a file of the site; return its path."""
        try:
            data = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            data = b""
        number = sum(path.startswith(f"figures/{self.name}/{name}") for path in self.files)
        path = f"figures/{self.name}/{name}{f'-{number}' if number else ''}.png"
        self.files[path] = data
        return path


def _fenced(opening: str, text: str) -> str:
    """Return a block of text between marks that do not occur in it.

    The marks are tildes: only behind these may the opening line itself hold a backtick.
    """
    longest = max((len(run) for run in re.findall(r"~{3,}", text)), default=2)
    first, _, options = opening.partition("\n")
    marks = "~" * (longest + 1)
    return "\n".join([marks + first, *([options] if options else []), "", text, marks])


def _calls(source: str, function: str) -> list[ast.Call]:
    """Return the calls of a function by its name."""
    calls = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == function]


def _controls(source: str) -> list[str]:
    """Return the labels of the sliders and lists that a cell makes."""
    tables = [
        argument for call in _calls(source, "explore") for argument in call.args if isinstance(argument, ast.Dict)
    ]
    return [str(key.value) for table in tables for key in table.keys if isinstance(key, ast.Constant)]
