"""Draw the pictures of a notebook's sliders beforehand: `grader frames`.

A page of the web edition has no kernel, so a slider there chooses among pictures that were drawn before. They take the
notebook's own functions and trained models, so its cells are run here: what a slider needs, not the whole notebook. The
pictures are kept in `assets/web/frames/`; building the site runs nothing.
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

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.names import statements_of
from grader.core.notebook import read_notebook
from grader.publishing import frame_capture
from grader.publishing.frames import explores, fingerprint

#: Most pictures of one cell; where more would be needed, the page has the still picture alone.
MOST = 30
_COLOURS = 32
_TIMEOUT_S = 900
_KIND = "application/json"
_ALT, _DATA = re.compile(r'alt="([^"]*)"'), re.compile(r"data:image/png;base64,([^\"]+)")


def make_frames(course: Course, assignment: str) -> list[str]:
    """Draw and keep the pictures of each cell with sliders of a notebook.

    Args:
        course: The course.
        assignment: The notebook.

    Returns:
        A line for each cell: how many pictures it has, or that it keeps its still picture.

    Raises:
        GraderError: If a cell fails; what was kept before stays then.
    """
    nb = read_notebook(course.source(assignment))
    wanted = [cell for cell in nb.cells if explores(cell)]
    if not wanted:
        return []
    drawn = _drawn(nb, {cell.id for cell in wanted}, str(course.source(assignment)))
    folder = course.frames / assignment
    shutil.rmtree(folder, ignore_errors=True)
    said = []
    for cell in wanted:
        if found := drawn.get(cell.id):
            count = _keep(folder, cell.id, found, fingerprint(cell))
            said.append(f"{assignment}, {cell.id}: {len(found['frames'])} choices, {count} pictures")
        else:
            said.append(f"{assignment}, {cell.id}: too many choices, the still picture stays")
    return said


def needed_cells(nb: NotebookNode, wanted: set[str]) -> list[NotebookNode]:
    """Return the cells to run: those with sliders, what they need of demonstrations, and what defines the rest.

    A demonstration is needed if it binds a name that is needed, stores into it or hands it to a call, as training does.
    """
    names: set[str] = set()
    found = []
    for cell in reversed(nb.cells):
        kind = kind_of(cell)
        if cell.cell_type != "code" or kind in (CellKind.TEST, CellKind.SELF_CHECK):
            continue
        statements = statements_of(cell.source)
        touched = {name for s in statements for name in s.binds | s.stores | s.hands}
        if cell.id in wanted or (names and (kind not in SKIPPED_KINDS or touched & names)):
            names |= {name for s in statements for name in s.now | s.later | s.binds}
            found.append(cell)
    return found[::-1]


def _drawn(nb: NotebookNode, wanted: set[str], where: str) -> dict[str, dict]:
    """Run what is needed; return what each cell with sliders draws, by its id."""
    capture = new_code_cell(
        f"{inspect.getsource(frame_capture)}\n\ndef explore(function, controls):\n"
        f"    from IPython.display import display\n"
        f"    display({{{_KIND!r}: {{'drawn': frames_of(function, controls, capture_html, {MOST})}}}}, raw=True)\n"
    )
    cells: list[NotebookNode] = []
    ready = False
    for cell in needed_cells(nb, wanted):
        if cell.id in wanted and not ready:
            cells, ready = [*cells, capture], True
        cells.append(new_code_cell(cell.source, id=cell.id))
    run = new_notebook(cells=cells, metadata=nb.metadata)
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(
        run, timeout=_TIMEOUT_S, kernel_name="python3", store_widget_state=False, extra_arguments=quiet
    )
    try:
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


def _keep(folder: Path, name: str, drawn: dict, made_from: str) -> int:
    """Write the pictures of a cell, each once, and what belongs to them; return how many there are."""
    kept: dict[str, int] = {}
    frames = []
    for picture, text in drawn["frames"]:
        encoded, alt = _DATA.search(picture), _ALT.search(picture)
        if encoded is None or alt is None or len(_DATA.findall(picture)) != 1:
            raise GraderError("it does not show exactly one picture", f"cell {name}", "show one figure in its function")
        data = base64.b64decode(encoded[1])
        number = kept.setdefault(hashlib.sha256(data).hexdigest(), len(kept))
        if number == len(kept) - 1:
            _write_picture(folder / name / f"{number}.webp", data)
        words = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
        frames.append({"picture": number, "alt": html.unescape(alt[1]), "text": words})
    content = {"made_from": made_from, "controls": drawn["controls"], "frames": frames}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return len(kept)


def _write_picture(path: Path, data: bytes) -> None:
    """Write a picture as WebP in few colours: hardly a visible difference, a third of the notebook's PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(_COLOURS)
    picture.convert("RGB").save(path, "webp", lossless=True, method=6)
