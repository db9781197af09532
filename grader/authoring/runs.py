"""What notebooks show in other languages: a run of each translated source, kept for the pages of the web edition.

Kept are the outputs of demonstrations, by the cell's id, each with a digest of the translated code that made it: that
of the cell and of all cells that it needs. As soon as one of these is another, the output is out of date, and its page
falls back to the English one. What a cell shows in both languages alike is not kept twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from grader.authoring.execute import execute, run_notebook
from grader.authoring.needs import digest, needed_cells
from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.core.names import calls_in, tree_of
from grader.core.notebook import normalise, read_notebook
from grader.languages.building import Sources, translated
from grader.languages.catalogues import languages, refuse_unknown, translations
from grader.languages.messages import ENGLISH, locale

#: Calls of cells whose outputs no page shows: sliders have pictures of their own, and handing in says who is done.
_NOT_SHOWN = {"explore", "hand_in"}


@dataclass(frozen=True)
class Kept:
    """What is kept of a run.

    Args:
        outputs: Of each cell whose output is up to date, what it showed; None where that is what the English one shows.
        stale: Ids of cells whose output is of earlier code, or that have none.
    """

    outputs: dict[str, list[NotebookNode] | None] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)


def place(course: Course, language: str, assignment: str) -> Path:
    """Return the file that keeps what a notebook shows in a language."""
    return locale(course) / language / "outputs" / f"{assignment}.json"


def execute_in(course: Course, assignment: str, language: str, behind: Sequence[NotebookNode] = ()) -> str:
    """Run a source notebook in a language and keep its outputs; return what was done, in words.

    Args:
        course: The course.
        assignment: Which notebook.
        language: The language.
        behind: Cells that run after its own, in the same kernel; they get their outputs.

    Raises:
        GraderError: If a cell fails, or there is no translation.
    """
    if language == ENGLISH:
        return f"{execute(course, assignment, behind):.1f} s"
    refuse_unknown(course, language)
    if not translations(course, language, assignment):
        raise GraderError(f"there is no translation into {language!r}", assignment, "fill its catalogue")
    return execute_translated(course, assignment, language, behind)


def execute_translated(course: Course, assignment: str, language: str, behind: Sequence[NotebookNode] = ()) -> str:
    """Run a source notebook in another language from a fresh kernel and keep what its demonstrations show.

    Args:
        course: The course.
        assignment: Which notebook.
        language: The language, which has a translation.
        behind: Cells that run after its own, in the same kernel; they get their outputs.

    Returns:
        What was kept, in words.

    Raises:
        GraderError: If a cell fails; what was kept before stays then.
    """
    source = read_notebook(course.source(assignment))
    nb, _ = translated(course, assignment, language, source)
    made_from = digests(course, assignment, language, source)
    seconds = run_notebook(nb, f"{course.source(assignment)}, in {language}", behind)
    normalise(nb)
    english = {cell.id: shown(cell) for cell in source.cells}
    cells, same = {}, 0
    for cell in nb.cells:
        if cell.id in made_from:
            found = shown(cell)
            is_same = found == english[cell.id]
            same += is_same
            cells[cell.id] = {"made_from": made_from[cell.id], "outputs": None if is_same else found}
    path = place(course, language, assignment)
    text = json.dumps(cells, indent=1, ensure_ascii=False) + "\n"
    write_if_changed(path, text)
    return f"{seconds:.1f} s, {len(cells)} cells, {same} as in English, {len(text.encode()) / 1000:.0f} kB"


def shown(cell: NotebookNode) -> list[NotebookNode]:
    """Return what a page shows of a cell's outputs: printed text, HTML and plain results."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if output.output_type == "stream" and output.name == "stdout":
            found.append(NotebookNode(output_type="stream", name="stdout", text=output.text))
        elif "text/html" in data or set(data) == {"text/plain"}:
            kind = "text/html" if "text/html" in data else "text/plain"
            found.append(NotebookNode(output_type="display_data", data=NotebookNode({kind: data[kind]})))
    return found


def digests(
    course: Course, assignment: str, language: str, source: NotebookNode, sliders: bool = False
) -> dict[str, str]:
    """Return, for each cell that a page shows, what changes with the translated code that its outputs come from.

    The letters that the notebook carries for its figures do not count: they follow from the words.

    Args:
        course: The course.
        assignment: The notebook.
        language: The language.
        source: Its source, in English.
        sliders: Whether the cells that make sliders are meant, instead of all others.
    """
    sources = Sources(course, assignment, language)
    cells = [NotebookNode(cell | {"source": sources.of(cell)}) for cell in source.cells if cell.cell_type == "code"]
    nb = NotebookNode(cells=cells)
    calls = {cell.id: calls_in(tree_of(cell.source)) for cell in cells if kind_of(cell) is CellKind.DEMONSTRATION}
    asked = [name for name, said in calls.items() if ("explore" in said if sliders else not said & _NOT_SHOWN)]
    return {name: digest(needed_cells(nb, {name}, strict=True)) for name in asked}


def kept(course: Course, assignment: str, language: str, source: NotebookNode) -> Kept:
    """Read what is kept of a notebook's run in a language."""
    path = place(course, language, assignment)
    cells = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    result = Kept()
    for name, now in digests(course, assignment, language, source).items():
        if name not in cells or cells[name]["made_from"] != now:
            result.stale.append(name)
        else:
            found = cells[name]["outputs"]
            result.outputs[name] = None if found is None else [_as_node(output) for output in found]
    return result


def _as_node(output: dict) -> NotebookNode:
    data = {"data": NotebookNode(output["data"])} if "data" in output else {}
    return NotebookNode(output | data)


def outdated(course: Course, assignments: list[str]) -> list[str]:
    """Name the notebooks whose run in a language is out of date, a line for each."""
    found = []
    for language in languages(course):
        for assignment in assignments:
            if not translations(course, language, assignment):
                continue
            now = kept(course, assignment, language, read_notebook(course.source(assignment)))
            if now.stale:
                of = len(now.stale) + len(now.outputs)
                where = place(course, language, assignment).relative_to(course.root).as_posix()
                what = f"no output that is up to date for {len(now.stale)} of {of} cells"
                found.append(f"{where}: {what}: run grader execute {assignment[:2]} --language {language}")
    return found
