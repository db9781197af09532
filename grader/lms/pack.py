"""Pack feedback for upload: the page for Moodle, the marked notebook for Canvas."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from grader.core.cells import CellKind, kind_of
from grader.core.errors import GraderError
from grader.core.escaping import markdown_block, markdown_line, visible
from grader.core.files import replace_file
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.feedback.clock import CPU_S, make_one
from grader.feedback.page import findings_for_student
from grader.lms.marks import Mark, Question, number

#: The same files give the same archive.
_KEPT = ("grade", "grade_id", "locked", "schema_version", "solution")
_TIME = (1980, 1, 1, 0, 0, 0)
#: Most bytes of a feedback page or a marked notebook that is taken along: a student's content is in both.
MAX_TAKEN = 2**26
#: What a page tells of the marks that it shows, within so many bytes.
_MARKS, _HEAD = re.compile(rb'<meta name="marks" content="([0-9a-f]{32})">'), 600
#: Bytes of a file's or folder's name that file systems take.
_MOST_BYTES = 255


class Fixed(str):
    """A piece of a name that a system looks for, so that it is never cut."""

    __slots__ = ()


def fitting(*pieces: str) -> str:
    """Return a file's or folder's name that prints as it stands and that every file system takes.

    A sign that stands for what does not print has more bytes than that had, so a name that did fit may not any more.

    Args:
        pieces: What the name is made of, in order. Those that are not `Fixed` are cut if the whole is too long, the
            longest first, and a digest of the whole tells it from others that would be the same then.
    """
    shown = [visible(piece).replace("\\", "\ufffd").replace("/", "\ufffd") for piece in pieces]
    digest = f"~{hashlib.sha256(''.join(pieces).encode('utf-8', 'replace')).hexdigest()[:8]}"
    while (over := len("".join(shown).encode()) - _MOST_BYTES) > 0:
        free = {n: len(shown[n].encode()) for n, piece in enumerate(pieces) if not isinstance(piece, Fixed)}
        longest = max(free, key=lambda n: free[n], default=None)
        if longest is None or free[longest] <= len(digest):  # nothing in it could be cut any further
            return fitting("".join(pieces))
        kept = shown[longest].encode()[: max(free[longest] - over - len(digest), 0)]
        shown[longest] = kept.decode(errors="ignore") + digest
    return "".join(shown)


def zip_bytes(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Make a zip file in memory, the same for the same files.

    Names are made `fitting`: they print as they stand, and a backslash, which ends a folder's name to some, is none.
    Neither system looks at the letters of a name: Moodle wants the number and the words behind it, Canvas the two
    numbers. Whoever gives a name that may be long makes it of pieces, or those could be cut off.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo("/".join(map(fitting, name.split("/"))), _TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return target.getvalue()


def write_zip(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip file at once."""
    replace_file(path, zip_bytes(files))


def feedback_page(coursedir: CourseDirectory, mark: Mark) -> tuple[bytes | None, str]:
    """Return the feedback page that nbgrader wrote for a submission.

    Returns:
        The page, or None, and what is wrong with it, if something is.
    """
    page = _step(coursedir, coursedir.feedback_directory, mark).with_suffix(".html")
    marked = _step(coursedir, coursedir.autograded_directory, mark)
    fix = f"run nbgrader generate_feedback {mark.assignment}"
    if not page.is_file():
        return None, f"{mark.student}, {mark.assignment}: no feedback page; {fix}"
    with page.open("rb") as file:
        told = _MARKS.search(file.read(_HEAD))
    # Points and comments that a person gave touch the gradebook alone. A page of other origin does not tell its marks.
    old = told is not None and told[1] != mark.word.encode()
    if old or (marked.is_file() and marked.stat().st_mtime > page.stat().st_mtime):
        return None, f"{mark.student}, {mark.assignment}: the feedback page is older than the marks; {fix} --force"
    if page.stat().st_size > MAX_TAKEN:
        return None, f"{mark.student}, {mark.assignment}: the feedback page {_too_large(page)}"
    return page.read_bytes(), ""


def marked_notebook(coursedir: CourseDirectory, config: Config, mark: Mark) -> bytes:
    """Make of a marked submission the notebook that its student gets back: points and reasons stand in it.

    It goes through the steps that make the feedback page, so it holds no hidden test and no path either.

    Raises:
        GraderError: If the submission was not marked, it is too large, or a hidden test is left.
    """
    path = _step(coursedir, coursedir.autograded_directory, mark)
    if path.is_file() and path.stat().st_size > MAX_TAKEN:
        raise GraderError(f"the marked notebook {_too_large(path)}", str(path), "look at it, and hand it back by hand")
    nb = read_notebook(path)
    made = make_one(lambda: _handed_back(nb, coursedir, config, mark))
    if made.text is None:
        why = made.why or f"it could not be made within {CPU_S} seconds of a processor's time"
        raise GraderError(why, str(path), "look at it, and hand it back by hand")
    if any(hidden_tests(config).written[0] in source for source in _tests_in(made.text)):
        raise GraderError("a hidden test would go along", str(path), "see c.GenerateFeedback in nbgrader_config.py")
    return made.text.encode()


def _tests_in(text: str) -> list[str]:
    """Return the sources of the test cells of a notebook; elsewhere a student may have written the markers."""
    cells = nbformat.reads(text, as_version=4).cells
    return [cell.source for cell in cells if kind_of(cell) is CellKind.TEST]


def _handed_back(nb: NotebookNode, coursedir: CourseDirectory, config: Config, mark: Mark) -> str:
    """Make the notebook in a process of its own: what cleans it works on what the student wrote."""
    names = {"student": mark.student, "assignment": mark.assignment, "notebook": mark.assignment}
    resources = {"nbgrader": {**names, "db_url": coursedir.db_url}}
    for step in config.GenerateFeedback.get("preprocessors", GenerateFeedback.preprocessors.default()):
        step = import_item(step) if isinstance(step, str) else step
        nb, resources = step(config=config).preprocess(nb, resources)
    return str(nbformat.writes(_with_marks(nb, mark)))


def _too_large(path: Path) -> str:
    return f"has {path.stat().st_size:,} bytes, more than the {MAX_TAKEN:,} that are taken along"


def _step(coursedir: CourseDirectory, directory: str, mark: Mark) -> Path:
    return Path(coursedir.format_path(directory, mark.student, mark.assignment)) / f"{mark.assignment}.ipynb"


def _points(question: Question) -> str:
    return "waits for a person" if question.waits else f"{number(question.score)} of {number(question.max_score)}"


def _with_marks(nb: NotebookNode, mark: Mark) -> NotebookNode:
    """Put the points of each graded cell above it, and take from the metadata what is the instructor's."""
    noticed = [f"- {markdown_line(finding.text)}" for finding in findings_for_student(nb)]
    table = ["| question | points |", "|---|---|", *(f"| {q.name} | {_points(q)} |" for q in mark.questions)]
    # Not as Markdown: `<end>` would be a tag there, `w[i](t)` a link, and a table one line.
    remarks = [f"{names}:\n\n{markdown_block(text)}" for names, text in mark.remarks]
    told = [*mark.points_told(lost_too=False), *remarks]
    top = [f"# Feedback: {mark.assignment}", *told, "\n".join(noticed), "\n".join(table)]
    cells = [new_markdown_cell("\n\n".join(part for part in top if part))]
    points = {q.name: q for q in mark.questions}
    for cell in nb.cells:
        marks, feedback = cell.metadata.get("nbgrader", {}), cell.metadata.get("feedback", {})
        question = points.get(marks.get("grade_id"))
        if question:
            message = feedback.get("message") or ""
            reason = f"\n\n{markdown_block(message)}" if message else ""
            cells.append(new_markdown_cell(f"**{question.name}: {_points(question)}**{reason}"))
        kept = {key: marks[key] for key in _KEPT if key in marks}
        shown = {key: cell.metadata[key] for key in ("cellView", "jupyter") if key in cell.metadata}
        cell.metadata = NotebookNode({**shown, **({"nbgrader": kept} if kept else {})})
        cells.append(cell)
    keys = ("kernelspec", "language_info")
    metadata = NotebookNode({key: nb.metadata[key] for key in keys if key in nb.metadata})
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)
