"""The steps that remove from a marked notebook what must not be on its feedback page.

They are named in `GenerateFeedback.preprocessors` (`nbgrader_config.py`) and also clean the marked notebooks that go
back through a learning management system.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from typing import Any

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.escaping import as_printed, without_controls
from grader.core.images import picture
from grader.core.regions import Markers, Part, hidden_tests
from grader.engine.result import believe, ran_apart, said_by_student
from grader.feedback.bounds import MAX_IMAGE, MAX_IMAGES, MAX_OUTPUTS, Allowance, cut
from grader.feedback.explain import explain_failures
from grader.feedback.layout import released_to
from grader.feedback.marks import NotebookMarks
from grader.feedback.sanitise import IMAGES, clean_html, with_few_images
from grader.feedback.scrub import Scrubber, redact
from grader.feedback.stubs import says_unwritten
from grader.gradebook import records
from grader.submissions.showing import left_out, tells_left_out

HIDDEN_NOTE = "# hidden tests: not shown"
# Shorter lines (`x = 1`) reveal nothing and appear in honest outputs by chance.
SECRET_LENGTH = 12
MESSAGE_LENGTH = 1_000
#: Where the room of the page's Markdown is found, in nbconvert's resources.
MARKDOWN_ROOM = "markdown_room"
IMAGE_LEFT_OUT = "[an image that there is no room for]"
TEXTS = ("text/plain", "text/latex", "text/markdown")


class GetMarks(NbGraderPreprocessor):
    """Stands for nbgrader's step that copies marks and comments into the notebook; it asks for each cell by itself."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Take up the marks of one notebook, in one look at the gradebook. Called by nbconvert."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            marks = NotebookMarks.read(gradebook, names["assignment"], names["student"], names["notebook"])
            believe(nb, records.look_up(gradebook, names["assignment"], names["student"]))
        for cell in nb.cells:
            own = cell.metadata.get("nbgrader", {})
            if own.get("solution") or own.get("task"):
                own["comment"] = marks.comments.get(own["grade_id"])
            if own.get("grade") or own.get("task"):
                own["score"], own["points"], own["waits"] = marks.grades[own["grade_id"]]
        names.update(score=marks.score, max_score=marks.max_score, late_penalty=marks.late_penalty, marks=marks.word)
        return nb, resources


class HideTests(NbGraderPreprocessor):
    """Remove the hidden tests, and from a test cell's outputs everything but the reason of its failure.

    The rest of those outputs may hold lines of the test and, printed by the student's function, its data.

    Where tests and student's code were one process, as with a bare nbgrader, any text may quote a hidden test. Where
    they were two, the student's process never saw one: what it says stays as it is, even if it is a line of a hidden
    test, or the page would tell which guesses are right. The reasons of failures hold words of both sides. The tests'
    own are the strings in their source, so a hidden line that stands in none of these is the student's. That holds for
    the arguments of an example too: a test may hand on what another function of the student's returned.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Hide the tests of one notebook. Called by nbconvert after the marks were taken up."""
        marks = hidden_tests(self.config)
        hidden: set[str] = set()
        strings: list[str] = []
        coursedir = CourseDirectory(parent=self)
        released = released_to(coursedir, resources.get("nbgrader", {}))
        for cell in nb.cells:
            for name in ("feedback", "section"):  # a student may have written these
                cell.metadata.pop(name, None)
            if kind_of(cell) is CellKind.TEST:  # in any other cell the markers are a student's, and so are the lines
                strings += strings_in(cell.source)
                cell.source, lines = hide_tests(cell.source, marks)
                hidden.update(line.strip() for line in lines)
                theirs = said_by_student(nb, grade_id(cell) or "")
                text = failure(cell.get("outputs", []), theirs, lambda said: says_unwritten(said, coursedir, released))
                cell.metadata["feedback"] = {"message": text, "title": _title(cell.source)}
                cell["outputs"] = []
        explain_failures(nb, released)
        visible = {line.strip() for cell in nb.cells for line in cell.source.splitlines()}
        secrets = sorted((s for s in hidden - visible if len(s) >= SECRET_LENGTH), key=len, reverse=True)
        apart = ran_apart(nb)
        said = [s for s in secrets if any(s in text for text in strings)] if apart else secrets
        for cell in nb.cells:
            _change_inputs(cell, lambda text: redact(text, said))
            _change_reasons(cell, lambda text: redact(text, said))
            if not apart:
                _change_outputs(cell, lambda text: redact(text, secrets))
        return nb, resources


class CleanOutputs(NbGraderPreprocessor):
    """Keep only outputs that can do no harm on a page, in bounds, without the paths of this machine."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Clean the outputs of one notebook. Called by nbconvert."""
        scrub = Scrubber(CourseDirectory(parent=self).root)
        room, reasons = Allowance(), Allowance()  # why a test failed is shown, whatever else takes up all room
        own = _not_the_courses(nb, released_to(CourseDirectory(parent=self), resources.get("nbgrader", {})))
        nb.metadata.pop("widgets", None)
        for cell in nb.cells:
            source = without_controls(cell.source)
            cell.source = room.source(source) if id(cell) in own else source
            bundles = {
                name: {kind: shown for kind, data in bundle.items() if (shown := _attached(kind, data, room))}
                for name, bundle in list(cell.get("attachments", {}).items())[:MAX_IMAGES]
            }
            cell["attachments"] = {name: bundle for name, bundle in bundles.items() if bundle}
            if cell.cell_type != "markdown" or not cell.attachments:
                del cell["attachments"]
            if cell.cell_type == "code":
                cell["outputs"] = _kept(cell.outputs, room)
            for change in (_change_inputs, _change_reasons, _change_outputs):
                change(cell, lambda text: scrub(without_controls(strip_ansi(text))))
            for change in (_change_inputs, _change_reasons):
                change(cell, reasons.text)
        resources[MARKDOWN_ROOM] = room.for_markdown()
        return nb, resources


def hide_tests(source: str, markers: Markers) -> tuple[str, list[str]]:
    """Replace each region of hidden tests by a comment.

    Args:
        source: Code of a test cell.
        markers: What marks hidden tests. A region that is not closed reaches to the end of the cell.

    Returns:
        The rest of the code, and the lines that were taken out.
    """
    shown, hidden = [], []
    for part, line in markers.parts(source):
        if part is Part.BEGIN:
            shown.append(line[: len(line) - len(line.lstrip())] + HIDDEN_NOTE)
        elif part in (Part.OUTSIDE, Part.STRAY):  # a student may have written an end of nothing
            shown.append(line)
        elif part is Part.INSIDE:
            hidden += line.splitlines()
    return "\n".join(shown), hidden


def strings_in(source: str) -> list[str]:
    """Return the texts that stand in some code: what it can say in words of its own; all of it if it is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return [source]
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def failure(outputs: list[NotebookNode], theirs: bool = False, unwritten: Callable[[str], bool] = bool) -> str:
    """Describe why a test cell failed: the message of its assertion, else the error's name and message.

    Args:
        outputs: The cell's outputs.
        theirs: Whether what ended the test is not an assertion of its own but maybe the student's, whose words are no
            reason of the course's. It is not known where tests and student's code were one process.
        unwritten: Whether what a `NotImplementedError` says is what the release's own stub does.

    Returns:
        The text, or an empty one if there is no error.
    """
    for output in outputs:
        if output.output_type == "error":
            name, text = str(output.get("ename", "")), strip_ansi(str(output.get("evalue", ""))).strip()
            if name == "KeyboardInterrupt" and not text and not theirs:  # nbgrader's own time limit
                return "The test did not end within its time."
            own = name == "TimeoutError" or (name == "NotImplementedError" and unwritten(text))
            if text and own:  # marking's words, and the release's
                return _short(text, MESSAGE_LENGTH)
            if name == "AssertionError" and not theirs:
                return _short(text, MESSAGE_LENGTH) or "The test failed; it gives no further reason."
            return _short(f"{name}: {text}" if text else name, MESSAGE_LENGTH)
    return ""


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + " ..."


def _title(source: str) -> str:
    """Return the first line of a cell's docstring."""
    try:
        lines = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    except (SyntaxError, ValueError):
        return ""
    return lines[0] if lines else ""


def _change_inputs(cell: NotebookNode, change: Callable[[str], str]) -> None:
    """Apply a function to the arguments of a cell's example: the tests' own, and what they handed on."""
    if example := cell.metadata.get("feedback", {}).get("example"):
        example["arguments"] = [[name, change(text)] for name, text in example["arguments"]]


def _change_reasons(cell: NotebookNode, change: Callable[[str], str]) -> None:
    """Apply a function to why a test failed, where the tests' words and the student's stand side by side."""
    if "feedback" in cell.metadata:
        cell.metadata.feedback["message"] = change(cell.metadata.feedback["message"])
        if "causes" in cell.metadata.feedback:  # the self-check may quote an exception
            cell.metadata.feedback["causes"] = [change(text) for text in cell.metadata.feedback.causes]
        if example := cell.metadata.feedback.get("example"):
            example["got"] = change(example["got"])


def _change_outputs(cell: NotebookNode, change: Callable[[str], str]) -> None:
    """Apply a function to each text among a cell's outputs."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            output["text"] = change(output.text)
        elif output.output_type == "error":
            output["ename"], output["evalue"] = change(output.ename), change(output.evalue)
            output["traceback"] = [change(line) for line in output.traceback]
        else:
            for kind, text in output.data.items():
                if isinstance(text, str) and kind not in IMAGES:
                    output.data[kind] = change(text)


def _not_the_courses(nb: NotebookNode, released: Set[str] | None) -> set[int]:
    """Return the cells, by identity, whose sources take of the room that is the student's.

    The course's own take none and stay whole, or what a student wrote could cut a test in the middle. Each is free
    once: a copy of it is the student's.
    """
    found, free = set(), {("source", source) for source in released or ()}
    free |= {("test", grade_id(cell) or "") for cell in nb.cells if kind_of(cell) is CellKind.TEST}
    for cell in nb.cells:
        test = kind_of(cell) is CellKind.TEST
        name = ("test", grade_id(cell) or "") if test else ("source", cell.source.strip())
        if name in free:
            free.remove(name)
        else:
            found.add(id(cell))
    return found


def _kept(outputs: list[NotebookNode], room: Allowance) -> list[NotebookNode]:
    """Return the outputs of a cell that are shown, and at their end a line about those that are not."""
    kept = [output for output in outputs[:MAX_OUTPUTS] if _clean(output, room)]
    if len(outputs) > MAX_OUTPUTS:
        kept.append(new_output("stream", name="stdout", text=left_out(outputs=len(outputs) - MAX_OUTPUTS)))
    return kept


def _attached(kind: str, data: object, room: Allowance) -> str:
    """Return what a page gets of an attachment, or an empty text if that is no image or one too many."""
    found = picture(kind, data, MAX_IMAGE)
    return found.data if found and room.image(len(found.data), found.size.work) else ""


def _clean(output: NotebookNode, room: Allowance) -> bool:
    """Remove from an output what may run and what is too much, and return whether anything is left."""
    if output.output_type == "stream":
        if not tells_left_out(output.text):  # which is no longer than what would tell of it
            output["text"] = room.text(as_printed(strip_ansi(output.text)))  # colours take no place on a line
        return True
    if output.output_type == "error":
        output["evalue"] = cut(str(output.evalue), MESSAGE_LENGTH)
        output["traceback"] = [room.text("\n".join(map(str, output.traceback)))]
        return True
    data = output.data
    kept = {kind: room.text(data[kind]) for kind in TEXTS if isinstance(data.get(kind), str)}
    for kind in IMAGES:
        if found := picture(kind, data.get(kind), MAX_IMAGE):
            image = found.data
            if room.image(len(image), found.size.work):
                kept[kind] = image
            else:
                kept.setdefault("text/plain", IMAGE_LEFT_OUT)
    if isinstance(data.get("text/html"), str):
        markup = data["text/html"]
        cleaned = clean_html(markup) if room.html(markup) else None
        shown = None if cleaned is None else with_few_images(cleaned, room)
        if shown is not None and room.markup(shown):
            kept["text/html"] = shown
        else:  # as it was typed
            kept.setdefault("text/plain", room.text(markup))
    output["data"] = NotebookNode(kept)
    output["metadata"] = NotebookNode()
    return bool(kept)
