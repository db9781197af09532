"""Run a notebook, save its outputs and draw the pictures of its sliders beforehand: `grader execute`.

A page of the web edition has no kernel, so a slider there chooses among pictures that were drawn before. They take the
notebook's own functions and trained models, and two trainings need not end with the same numbers. So they are drawn in
the kernel whose outputs are saved, after the notebook's last cell: a slider says what the cell below it says. The
pictures are kept in `assets/web/frames/`, in other languages beside their catalogues; building the site runs nothing.
Which values they are drawn for follows from the sliders, or from `assets/web/frames.toml` where these have too many.
"""

from __future__ import annotations

import base64
import hashlib
import html
import inspect
import io
import json
import re
import shutil
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from PIL import Image

from grader.authoring.runs import execute_in
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.languages.building import translated
from grader.languages.catalogues import refuse_unknown
from grader.languages.messages import ENGLISH
from grader.publishing import frame_capture
from grader.publishing.frames import chosen_values, fingerprints, folder_of

#: Most pictures of one cell; where more would be needed, the page has the still picture alone.
MOST = 30
#: With these no step is seen in a colour bar. They take a fourth more bytes than 32; 256 would take half as much more.
_COLOURS = 128
_KIND = "application/json"
#: What a kernel has in place of the helper.
_EXPLORE = f"""
def explore(function, controls):
    from IPython.display import display
    drawn = frames_of(function, controls, capture_html, {MOST}, chosen_values)
    display({{{_KIND!r}: {{'drawn': drawn}}}}, raw=True)
"""
_ALT, _DATA = re.compile(r'alt="([^"]*)"'), re.compile(r"data:image/png;base64,([^\"]+)")


def execute_and_draw(course: Course, assignment: str, language: str = ENGLISH) -> list[str]:
    """Run a notebook, save what its cells show, and keep the pictures of each cell with sliders.

    Args:
        course: The course.
        assignment: The notebook.
        language: The language of what they show and say.

    Returns:
        How long it took, and a line for each cell with sliders: how many pictures it has, or that it keeps its still
        picture.

    Raises:
        GraderError: If a cell fails; what was kept before stays then.
    """
    refuse_unknown(course, language)
    nb = read_notebook(course.source(assignment))
    made_from = fingerprints(course, assignment, nb, language)
    shown = nb if language == ENGLISH or not made_from else translated(course, assignment, language, nb)[0]
    drawing = _drawing(shown, chosen_values(course, assignment), set(made_from))
    said = [execute_in(course, assignment, language, [cell for pair in drawing.values() for cell in pair])]
    drawn = {name: found for name, pair in drawing.items() if (found := _drawn(pair[1]))}
    folder = folder_of(course, assignment, language)
    shutil.rmtree(folder, ignore_errors=True)
    for name, now in made_from.items():
        if found := drawn.get(name):
            count, size = _keep(folder, name, found, now)
            said.append(f"{assignment}, {name}: {len(found['frames'])} choices, {count} pictures, {size / 1000:.0f} kB")
        else:
            said.append(f"{assignment}, {name}: too many choices, the still picture stays")
    return said


def _drawing(
    nb: NotebookNode, chosen: dict[str, list[list]], wanted: set[str]
) -> dict[str, tuple[NotebookNode, NotebookNode]]:
    """Return, by the id of each cell with sliders, the cell that prepares the drawing and the one that draws."""
    found: dict[str, tuple[NotebookNode, NotebookNode]] = {}
    for cell in nb.cells:
        if cell.id in wanted:
            # The module's own text once, and what was chosen for this cell.
            source = "" if found else f"{inspect.getsource(frame_capture)}\n\n{_EXPLORE}"
            prepare = new_code_cell(f"{source}\nchosen_values = {chosen.get(cell.id)!r}")
            found[cell.id] = (prepare, new_code_cell(cell.source))
    return found


def _drawn(cell: NotebookNode) -> dict | None:
    """Return what a cell has drawn."""
    outputs = (output.get("data", {}).get(_KIND) or {} for output in cell.outputs)
    return next((data["drawn"] for data in outputs if data.get("drawn")), None)


def _keep(folder: Path, name: str, drawn: dict, made_from: str) -> tuple[int, int]:
    """Write the pictures of a cell, each once, and what belongs to them; return how many there are, and their bytes."""
    kept: dict[str, int] = {}
    frames, size = [], 0
    for picture, text in drawn["frames"]:
        encoded, alt = _DATA.search(picture), _ALT.search(picture)
        if encoded is None or alt is None or len(_DATA.findall(picture)) != 1:
            raise GraderError("it does not show exactly one picture", f"cell {name}", "show one figure in its function")
        data = base64.b64decode(encoded[1])
        fresh = len(kept)
        number = kept.setdefault(hashlib.sha256(data).hexdigest(), fresh)
        if number == fresh:
            size += _write_picture(folder / name / f"{number}.webp", data)
        words = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
        frames.append({"picture": number, "alt": html.unescape(alt[1]), "text": words})
    content = {"made_from": made_from, "controls": drawn["controls"], "frames": frames}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return len(kept), size


def _write_picture(path: Path, data: bytes) -> int:
    """Write a picture as WebP in fewer colours: no visible difference, less than half of the notebook's PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(_COLOURS, kmeans=2)
    picture.convert("RGB").save(path, "webp", lossless=True, method=6)
    return path.stat().st_size
