"""Pictures that were drawn beforehand, one for each choice of a cell's sliders, and how a page shows them."""

from __future__ import annotations

import hashlib
import html
import io
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from PIL import Image

from grader.authoring.runs import digests
from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.names import calls_in, tree_of
from grader.core.notebook import read_notebook
from grader.languages.messages import ENGLISH, locale

#: How many times larger the file is than the picture on the page.
_SHARPNESS = 2


@dataclass(frozen=True)
class Frames:
    """The pictures of one cell.

    Args:
        name: The cell's id.
        controls: For each control its `label`, whether it is a `list`, its `values` as words, and where it starts.
        frames: For each choice, the last control running fastest, the `picture`'s number, its `alt` and the `text`.
        pictures: The files, by number.
    """

    name: str
    controls: list[dict]
    frames: list[dict]
    pictures: dict[int, bytes]


def explores(cell: NotebookNode) -> bool:
    """Return whether a cell makes sliders."""
    return kind_of(cell) is CellKind.DEMONSTRATION and "explore" in calls_in(tree_of(cell.source))


def folder_of(course: Course, assignment: str, language: str = ENGLISH) -> Path:
    """Return where the pictures of a notebook's sliders are kept."""
    return (course.frames if language == ENGLISH else locale(course) / language / "frames") / assignment


def chosen_values(course: Course, assignment: str) -> dict[str, list[list]]:
    """Return the values that were chosen for controls, by the cell's id; an empty list stands for all of a control."""
    path = course.web / "frames.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content.get(assignment, {})


def fingerprints(course: Course, assignment: str, nb: NotebookNode, language: str = ENGLISH) -> dict[str, str]:
    """Return, for each cell with sliders, what changes when its pictures have to be drawn anew, by the cell's id.

    In English that follows from the cell's text. In other languages it follows from all code that the pictures come
    from: most of their words are in helpers.
    """
    chosen = chosen_values(course, assignment)
    if language != ENGLISH:
        found = digests(course, assignment, language, nb, sliders=True)
    else:
        found = {cell.id: _digest(cell.source) for cell in nb.cells if explores(cell)}
    return {name: _digest(f"{now} {chosen[name]}") if name in chosen else now for name, now in found.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def frames_of_notebook(
    course: Course, assignment: str, nb: NotebookNode, language: str = ENGLISH
) -> tuple[dict[str, Frames], list[str]]:
    """Read the pictures that are kept for a notebook.

    Returns:
        Those of each cell that they are up to date for, by its id; and the ids of cells for which they are not.
    """
    found, stale = {}, []
    for name, now in fingerprints(course, assignment, nb, language).items():
        path = folder_of(course, assignment, language) / f"{name}.json"
        if not path.is_file():
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["made_from"] != now:
            stale.append(name)
            continue
        numbers = {frame["picture"] for frame in content["frames"]}
        pictures = {n: (path.with_suffix("") / f"{n}.webp").read_bytes() for n in numbers}
        found[name] = Frames(name, content["controls"], content["frames"], pictures)
    return found, stale


def outdated_frames(course: Course, language: str = ENGLISH) -> list[str]:
    """Name the cells whose sliders have no pictures that are up to date, a line for each notebook."""
    found = []
    for assignment in course.assignments():
        nb = read_notebook(course.source(assignment))
        there, _ = frames_of_notebook(course, assignment, nb, language)
        lacking = [cell.id for cell in nb.cells if explores(cell) and cell.id not in there]
        if lacking:
            option = "" if language == ENGLISH else f" --language {language}"
            what = f"no pictures that are up to date for the sliders of {', '.join(lacking)}"
            found.append(f"{assignment}: {what}: run grader execute {assignment[:2]}{option}")
    return found


def player(frames: Frames, folder: str, words: dict[str, str]) -> tuple[str, dict[str, bytes]]:
    """Make what a page shows: native controls, the picture of the first choice, and what is to be seen in words.

    Without script the controls stay hidden, and the picture is the one that the notebook begins with.

    Args:
        frames: The pictures.
        folder: Where they are, from the page.
        words: The site's own words.

    Returns:
        HTML, and the files by their path from the page.
    """
    place = 0
    for control in frames.controls:
        place = place * len(control["values"]) + control["start"]
    first = frames.frames[place]
    files = {f"{folder}/{frames.name}/{n}.webp": data for n, data in frames.pictures.items()}
    with Image.open(io.BytesIO(frames.pictures[first["picture"]])) as image:
        width, height = image.width // _SHARPNESS, image.height // _SHARPNESS
    rows = "".join(_control(c, f"{frames.name}-{n}") for n, c in enumerate(frames.controls))
    # As JSON within a page, where only "<" could end it.
    data = json.dumps([[f["picture"], f["alt"], f["text"]] for f in frames.frames], ensure_ascii=False)
    data = data.replace("<", "\\u003c")
    source = f"{folder}/{frames.name}/"
    return (
        f'<figure class="frames" data-folder="{html.escape(source)}">\n'
        f'<form class="controls" hidden aria-label="{html.escape(words["choose"])}">{rows}</form>\n'
        '<div class="picture">'
        f'<img alt="{html.escape(first["alt"])}" src="{html.escape(source)}{first["picture"]}.webp" '
        f'width="{width}" height="{height}" style="--width: {width}px" loading="lazy" decoding="async"></div>\n'
        f'<figcaption aria-live="polite">{html.escape(first["text"])}</figcaption>\n'
        f'<script type="application/json">{data}</script>\n</figure>'
    ), files


def _control(control: dict, name: str) -> str:
    """Make a list, or a slider whose value is shown beside it and read aloud as its text."""
    label, values, start = html.escape(control["label"]), control["values"], control["start"]
    if control["list"]:
        options = "".join(
            f"<option{' selected' if n == start else ''}>{html.escape(value)}</option>"
            for n, value in enumerate(values)
        )
        return (
            f'<label for="{name}">{label}</label><select id="{name}" autocomplete="off">{options}</select><span></span>'
        )
    shown, listed = html.escape(values[start]), html.escape(json.dumps(values))
    return (
        f'<label for="{name}">{label}</label><input type="range" id="{name}" min="0" max="{len(values) - 1}" '
        f'value="{start}" step="1" autocomplete="off" data-values="{listed}" aria-valuetext="{shown}">'
        f'<output for="{name}">{shown}</output>'
    )
