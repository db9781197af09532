"""What a student handed in: chosen, read, mended and put into the release, at a bounded cost.

All of it is done by our own code and by parsers, so no walls are needed; but a file can be made to cost a parser
minutes or gigabytes. So it is done in a process apart (`apart.py`), whose time is taken from the submission's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict

from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.engine import fingerprints
from grader.engine.apart import Answer, Apart, End, Successive, joined, parted
from grader.engine.kit import Kit
from grader.engine.settings import Budget, Settings
from grader.engine.skipping import Plan, proxied
from grader.engine.taken_over import taken_over
from grader.submissions import intake, reading, showing
from grader.submissions.alone import is_alone
from grader.submissions.choosing import Answers
from grader.submissions.file_names import called
from grader.submissions.transplant import transplant
from grader.submissions.unread import unread_findings, unread_in
from grader.submissions.words import words_of

#: What a folder can make the readers do as well: it changes while it is read. That memory is used up is for `apart.py`
#: to judge, which knows whose it may have been. Every other exception is a fault of our own code. It ends as *failed*,
#: never as a student's zero.
_OF_THE_FOLDER = (GraderError, OSError, RecursionError)
#: CPU seconds for choosing the file, and for reading it and putting its answers into the release. The largest files
#: that are read take a fifth of it.
READ_S = 30.0
#: Most cells and findings of what comes back, and most characters of a name.
_CELLS, _FINDINGS, _NAME, _NAMES = 10_000, 20_000, 1_000, 100


class ReadingFailed(Exception):
    """Our own code failed in the process that reads; its traceback is in a note."""


@dataclass(frozen=True)
class Handed:
    """What a student handed in.

    Args:
        name: Name of the file that stands for the submission, empty if there is none.
        data: Its bytes.
        findings: What was noticed when it was taken in.
        spent_s: Seconds on the clock that choosing it took, if it had to be chosen.
        given_up: Whether choosing was given up at a limit, which the same folder reaches again.
        unread: Names of the files beside it that are not read, and may hold answers that it lacks.
    """

    name: str = ""
    data: bytes = b""
    findings: tuple[Finding, ...] = ()
    spent_s: float = 0.0
    given_up: bool = False
    unread: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The fingerprint of what was handed in, empty if there was nothing."""
        return fingerprints.fingerprint(self.data) if self.name else ""

    @classmethod
    def take(cls, folder: Path, kit: Kit, file_mib: int = Settings.file_mib, most_s: float = READ_S) -> Handed:
        """Take in a folder; whatever it holds, the result can be marked.

        Args:
            folder: `submitted/<student>/<assignment>`.
            kit: The assignment's.
            file_mib: Size of the largest file that is read.
            most_s: CPU seconds that it may take.

        Raises:
            GraderError: If the process that reads was ended or not served by this machine.
            ReadingFailed: If our own code failed.
        """
        if one := cls.alone(folder, kit.assignment, file_mib):
            return one
        question = {"take": str(folder), "file_mib": file_mib}
        answer = _ask(kit, question, b"", most_s)
        if failed := _not_read(answer, most_s):
            return cls(findings=(failed,), spent_s=answer.wall_s, given_up=True)
        head, data = parted(answer.data)
        return _must_be_handed(head, data, answer.wall_s)

    @classmethod
    def alone(cls, folder: Path, assignment: str, file_mib: int = Settings.file_mib) -> Handed | None:
        """Take in a folder in which there is nothing to compare, for which no kit is needed; None if there is.

        Args:
            folder: `submitted/<student>/<assignment>`.
            assignment: Name of the assignment.
            file_mib: Size of the largest file that is read.
        """
        exact = folder / f"{assignment}.ipynb"
        return _the_one(exact) if is_alone(folder, assignment, file_mib * 2**20) else None


@dataclass(frozen=True)
class Planted:
    """The release with a student's answers.

    Args:
        notebook: It can be run.
        findings: What was noticed from the folder to here.
        plan: How it is run.
        spent_s: Seconds on the clock that it took, choosing the file included.
    """

    notebook: NotebookNode
    findings: list[Finding]
    plan: Plan
    spent_s: float = 0.0


def planted(kit: Kit, handed: Handed, budget: Budget | None = None, pictures: bool = False) -> Planted:
    """Put the answers of what was handed in into the release.

    Args:
        kit: The assignment's.
        handed: What was handed in.
        budget: Time of the submission.
        pictures: Keep pictures that the student's cells showed.

    Raises:
        GraderError: If the process that reads was ended or not served by this machine.
        ReadingFailed: If our own code failed.
    """
    most_s = min(READ_S, (budget or Budget()).notebook_wall_s)
    head = {"name": handed.name, "pictures": pictures, "unread": handed.unread}
    answer = _ask(kit, head, handed.data, most_s)
    spent_s = handed.spent_s + answer.wall_s
    if failed := _not_read(answer, most_s):
        nothing = _plant(kit, "", b"")
        return Planted(nothing.notebook, [*handed.findings, failed, *nothing.findings], nothing.plan, spent_s)
    head, _ = parted(answer.data)
    made = _must_be_planted(head)
    return Planted(made.notebook, [*handed.findings, *made.findings], made.plan, spent_s)


def plan_of(kit: Kit, nb: NotebookNode) -> Plan:
    """Return how a notebook that was planted earlier is run."""
    answer = _ask(kit, {"plan": nb}, b"", READ_S)
    if answer.end is not End.DONE:  # it runs as a whole then, which costs time and no mark
        return Plan(frozenset(), Plan.of(kit.release, kit.source).functions)
    return _must_be_plan(parted(answer.data)[0], len(nb.cells))


def answered(kit: Kit, name: str, data: bytes, most_s: float = READ_S) -> tuple[Answers | None, float]:
    """Find the answers in a file, which need not be among the submissions yet.

    Args:
        kit: The assignment's.
        name: Name of the file.
        data: Its bytes.
        most_s: CPU seconds that it may take.

    Returns:
        The answers, None if the file cannot be read within bounds; and the CPU seconds that it took.

    Raises:
        GraderError: If the process that reads was ended or not served by this machine.
        ReadingFailed: If our own code failed.
    """
    answer = _ask(kit, {"answers": name}, data, most_s)
    if answer.end is not End.DONE:
        return None, most_s
    head = parted(answer.data)[0]
    given, of = head.get("given"), head.get("of")
    texts = isinstance(given, dict) and all(isinstance(text, str) for text in given.values())
    if not (texts and isinstance(given, dict) and isinstance(of, int)):
        raise TypeError("the process that reads answered with odd answers")
    return Answers(given, of), answer.cpu_s


def close() -> None:
    """End the process that reads for this thread."""
    reader().close()


def _the_one(path: Path) -> Handed:
    """Read the bytes of one file and look at nothing else, for what else is there may have come meanwhile."""
    try:
        return Handed(path.name, intake.read_bytes(path))
    except _OF_THE_FOLDER as error:
        return Handed(findings=(_unreadable(error),))


# What the other process does.


def _chosen(folder: Path, kit: Kit, file_mib: int) -> Handed:
    found, most, unread = intake.Found(None), file_mib * 2**20, tuple[str, ...]()
    try:
        found = intake.find_submission(folder, kit.assignment, kit.source, kit.answered, most)
        unread = unread_in(folder, found.path, words_of(kit.source))
        if found.packed is not None:
            return Handed(f"{kit.assignment}.ipynb", found.packed, tuple(found.findings), unread=unread)
        if found.path is not None:
            size, data = found.path.lstat().st_size, intake.read_notebook(found.path, most)
            slim = [_without_outputs(found.path.name, size)] if size > intake.MAX_BYTES else []
            return Handed(found.path.name, data, (*found.findings, *slim), unread=unread)
    except _OF_THE_FOLDER as error:
        return Handed(findings=(*found.findings, _unreadable(error)), unread=unread)
    return Handed(findings=tuple(found.findings), unread=unread)


def _plant(kit: Kit, name: str, data: bytes, pictures: bool = False, unread: Sequence[str] = ()) -> Planted:
    findings: list[Finding] = []
    submission = None
    try:
        if name:
            submission, findings = reading.read_submission(data, name, pictures)
        done = transplant(kit.source, submission, release=kit.release, shown=kit.shown)
    except RecursionError as error:
        findings = [*findings, _unreadable(error)]
        done = transplant(kit.source, None, release=kit.release)
    findings = [*findings, *done.findings, *unread_findings(unread, kit.release, done)]
    if name and (another := kit.another(data)):
        text = f"This notebook is {another}, another assignment; the right one has to be handed in."
        others = [f for f in findings if f.kind != "other-notebook"]  # which said the same without its name
        findings = [Finding("other-notebook", "", text, Level.LOST), *others]
    if name:
        findings += taken_over(done.notebook, kit.assignment, kit.given)
    return Planted(done.notebook, findings, _planned(done.notebook, kit.source))


def _planned(nb: NotebookNode, source: NotebookNode) -> Plan:
    try:
        return Plan.of(nb, source)
    except RecursionError:  # of code that is nested without end; it runs as a whole then, which costs no mark
        return Plan(frozenset(), proxied(nb, source))


def _work(kits: tuple[Kit, ...], question: bytes) -> bytes:
    head, data = parted(question)
    kit = kits[head["kit"]]
    if "take" in head:
        handed = _chosen(Path(head["take"]), kit, head["file_mib"])
        findings = [f.as_json() for f in handed.findings]
        return joined({"name": handed.name, "findings": findings, "unread": handed.unread}, handed.data)
    if "answers" in head:
        found = kit.answered(data, head["answers"])
        return joined({"given": dict(found.given), "of": found.of})
    if "plan" in head:
        return joined(_plan_as_json(_planned(from_dict(head["plan"]), kit.source)))
    made = _plant(kit, head["name"], data, head["pictures"], head["unread"])
    findings = [f.as_json() for f in made.findings]
    return joined({"notebook": made.notebook, "findings": findings} | _plan_as_json(made.plan))


def _plan_as_json(plan: Plan) -> dict[str, Any]:
    sources, released = list(plan.sources.items()), [[n, *asked] for n, asked in plan.released.items()]
    return {
        "skipped": sorted(plan.skipped),
        "functions": plan.functions,
        "sources": sources,
        "released": released,
        "beside": list(plan.beside.items()),
        "more": None if plan.more is None else _plan_as_json(plan.more),
    }


def _without_outputs(name: str, size: int) -> Finding:
    text = f"{called(name)} has {size // 2**20} MB; it was read without its outputs."
    return Finding("outputs-left-out", called(name), text)


def _unreadable(error: Exception) -> Finding:
    return _lost(f"could not be read ({error.what if isinstance(error, GraderError) else type(error).__name__})")


def _lost(what: str) -> Finding:
    text = f"The file {what}; it was marked as if nothing had been handed in."
    return Finding("unreadable", "", text, Level.LOST)


# Talking with it.


class Reader:
    """The process that reads for one thread, begun when first needed and anew for a kit that it has not seen."""

    def __init__(self) -> None:
        self.kits: tuple[Kit, ...] = ()
        self.processes = Successive(self._begin)

    def _begin(self) -> Apart:
        kits = self.kits
        return Apart(lambda question: _work(kits, question))

    def ask(self, kit: Kit, head: dict[str, Any], data: bytes, cpu_s: float) -> Answer:
        """Have it answer a question about a kit."""
        if not any(kit is known for known in self.kits):
            self.close()
            self.kits = (*self.kits[-15:], kit)
        number = next(n for n, known in enumerate(self.kits) if known is kit)
        return self.processes.ask(joined({"kit": number, **head}, data), cpu_s)

    def close(self) -> None:
        """End the process, if there is one."""
        self.processes.close()

    def stop(self) -> None:
        """Have another thread's question end at once, as one whose process this machine stopped."""
        if self.processes.process is not None:
            self.processes.process.stop()


class _Own(threading.local):
    def __init__(self) -> None:
        self.reader = Reader()


_own = _Own()


def reader() -> Reader:
    """Return the one that reads for this thread."""
    return _own.reader


def _ask(kit: Kit, head: dict[str, Any], data: bytes, cpu_s: float) -> Answer:
    """Ask it; a fault of ours and one of the machine's end here.

    Raises:
        GraderError: If the process was ended or not served by this machine.
        ReadingFailed: If our own code failed.
    """
    answer = reader().ask(kit, head, data, cpu_s)
    if answer.end is End.FAULT:
        raise reading_failed(answer)
    if answer.end is End.LOST:
        fix = "look for what else uses this machine's processors and memory, and mark again"
        raise GraderError("the process that reads submissions was stopped or got no processor time", "marking", fix)
    return answer


def reading_failed(answer: Answer) -> ReadingFailed:
    """Return the error for an answer that tells of a fault of ours, with its traceback."""
    traceback = answer.data.decode("utf-8", "replace")
    error = ReadingFailed(traceback.strip().rpartition("\n")[2])
    error.add_note(traceback)
    return error


def _not_read(answer: Answer, cpu_s: float) -> Finding | None:
    """Return what to say of a file that could not be read, None if it could."""
    return {
        End.TIME: _lost(f"could not be read within {cpu_s:g} seconds of a processor's time"),
        End.TOO_LARGE: _lost("could not be read: it needs more memory than any notebook does"),
        End.CRASH: _lost("could not be read: it is nested deeper than Python's own parser can follow"),
    }.get(answer.end)


# What comes back is data made of a student's file: its types and sizes are looked at before anything else is.


def _must_be(right: bool, what: str) -> None:
    if not right:
        raise TypeError(f"the process that reads answered with an odd {what}")


def _must_be_list(value: Any, most: int, item: Callable[[Any], bool], what: str) -> list[Any]:
    _must_be(isinstance(value, list) and len(value) <= most and all(map(item, value)), what)
    return list(value)


def _must_be_findings(value: Any) -> list[Finding]:
    names = {"kind", "where", "text", "level"}
    texts = _must_be_list(
        value,
        _FINDINGS,
        lambda f: isinstance(f, dict) and f.keys() == names and all(isinstance(t, str) for t in f.values()),
        "finding",
    )
    return [Finding.from_json(text) for text in texts]


def _must_be_handed(head: dict[str, Any], data: bytes, spent_s: float) -> Handed:
    name = head.get("name")
    _must_be(isinstance(name, str) and len(name) <= _NAME, "name")
    _must_be(len(data) <= intake.MAX_BYTES, "size")
    unread = _must_be_list(head.get("unread"), _NAMES, lambda n: _is_text(n) and len(n) <= _NAME, "name")
    return Handed(str(name), data, tuple(_must_be_findings(head.get("findings"))), spent_s, unread=tuple(unread))


def _must_be_plan(head: dict[str, Any], cells: int) -> Plan:
    skipped = _must_be_list(head.get("skipped"), cells, _place(cells), "plan")
    functions = _must_be_list(head.get("functions"), cells, lambda n: isinstance(n, str) and n.isidentifier(), "plan")
    sources = _must_be_list(head.get("sources"), cells, lambda p: _fits(p, _place(cells), _is_text), "plan")
    released = _must_be_list(head.get("released"), cells, lambda p: _fits(p, _place(cells), _is_text, _is_text), "plan")
    asked = {place: (name, answer) for place, name, answer in released}
    beside = _must_be_list(head.get("beside"), cells, lambda p: _fits(p, _place(cells), _is_lines), "plan")
    more = head.get("more")
    _must_be(more is None or (isinstance(more, dict) and more.get("more") is None), "plan")
    return Plan(
        frozenset(skipped), tuple(functions), dict(map(tuple, sources)), asked, dict(map(tuple, beside)),
        more if more is None else _must_be_plan(more, cells),
    )  # fmt: skip


def _place(cells: int) -> Callable[[Any], bool]:
    return lambda n: type(n) is int and 0 <= n < cells


def _is_lines(value: Any) -> bool:
    return isinstance(value, list) and all(type(n) is int for n in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _fits(value: Any, *kinds: Callable[[Any], bool]) -> bool:
    """Return whether a value is a list of as many items, each of its kind."""
    return isinstance(value, list) and len(value) == len(kinds) and all(k(v) for k, v in zip(kinds, value, strict=True))


def _must_be_planted(head: dict[str, Any]) -> Planted:
    nb = head.get("notebook")
    _must_be(isinstance(nb, dict) and isinstance(nb.get("metadata"), dict), "notebook")
    cells = _must_be_list(nb.get("cells") if isinstance(nb, dict) else None, _CELLS, _is_cell, "notebook")
    return Planted(from_dict(nb), _must_be_findings(head.get("findings")), _must_be_plan(head, len(cells)))


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata"), dict):
        return False
    code = cell.get("cell_type") == "code"
    outputs = showing.is_kept(cell.get("outputs")) if code else "outputs" not in cell
    outputs = outputs and ("attachments" not in cell or showing.is_attached(cell["attachments"]))
    return outputs and cell.get("cell_type") in ("code", "markdown", "raw") and isinstance(cell.get("source"), str)


__all__ = ["Handed", "Planted", "Reader", "ReadingFailed", "answered", "close", "plan_of", "planted", "reader"]
