"""Draw the pictures of a notebook's sliders beforehand: `grader frames`.

A page of the web edition has no kernel, so a slider there chooses among pictures that were drawn before. They take the
notebook's own functions and trained models, so its cells are run here: what a slider needs, not the whole notebook. The
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

from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from grader.authoring.execute import client_of
from grader.authoring.needs import needed_cells
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
_COLOURS = 32
_TIMEOUT_S = 900
_KIND = "application/json"
#: What a kernel has in place of the helper.
_EXPLORE = f"""
def explore(function, controls):
    from IPython.display import display
    drawn = frames_of(function, controls, capture_html, {MOST}, chosen_values)
    display({{{_KIND!r}: {{'drawn': drawn}}}}, raw=True)
"""
_ALT, _DATA = re.compile(r'alt="([^"]*)"'), re.compile(r"data:image/png;base64,([^\"]+)")


def make_frames(course: Course, assignment: str, language: str = ENGLISH) -> list[str]:
    """Draw and keep the pictures of each cell with sliders of a notebook.

    Args:
        course: The course.
        assignment: The notebook.
        language: The language of what they show and say.

    Returns:
        A line for each cell: how many pictures it has, or that it keeps its still picture.

    Raises:
        GraderError: If a cell fails; what was kept before stays then.
    """
    refuse_unknown(course, language)
    nb = read_notebook(course.source(assignment))
    made_from = fingerprints(course, assignment, nb, language)
    if not made_from:
        return []
    shown = nb if language == ENGLISH else translated(course, assignment, language, nb)[0]
    drawn = _drawn(shown, chosen_values(course, assignment), set(made_from), str(course.source(assignment)))
    folder = folder_of(course, assignment, language)
    shutil.rmtree(folder, ignore_errors=True)
    said = []
    for name, now in made_from.items():
        if found := drawn.get(name):
            count, size = _keep(folder, name, found, now)
            said.append(f"{assignment}, {name}: {len(found['frames'])} choices, {count} pictures, {size / 1000:.0f} kB")
        else:
            said.append(f"{assignment}, {name}: too many choices, the still picture stays")
    return said


def _drawn(nb: NotebookNode, chosen: dict[str, list[list]], wanted: set[str], where: str) -> dict[str, dict]:
    """Run what is needed; return what each cell with sliders draws, by its id."""
    cells: list[NotebookNode] = []
    ready = False
    for cell in needed_cells(nb, wanted):
        if cell.id in wanted:
            # The module's own text once, and what was chosen for this cell.
            source = "" if ready else f"{inspect.getsource(frame_capture)}\n\n{_EXPLORE}"
            cells.append(new_code_cell(f"{source}\nchosen_values = {chosen.get(cell.id)!r}"))
            ready = True
        cells.append(new_code_cell(cell.source, id=cell.id))
    run = new_notebook(cells=cells, metadata=nb.metadata)
    try:
        with client_of(run, _TIMEOUT_S) as client:
            client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        raise GraderError(f"a cell failed:\n{error}", where, "grader execute shows which, in the notebook") from None
    found = {}
    for cell in run.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {}).get(_KIND) or {}
            if cell.id in wanted and data.get("drawn"):
                found[cell.id] = data["drawn"]
    return found


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
    """Write a picture as WebP in few colours: hardly a visible difference, a third of the notebook's PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(_COLOURS)
    picture.convert("RGB").save(path, "webp", lossless=True, method=6)
    return path.stat().st_size
