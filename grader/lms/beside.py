"""Read and sort what students handed in in a process beside the one that collects, which has no limits of its own.

A file can be made so that unpacking and looking through it takes long or much memory. Here that costs its owner alone:
the process has the limits of the one that reads what is marked (`engine/apart.py`), and what it answers is data.
"""

from __future__ import annotations

import datetime
import logging
import sys
from collections.abc import Collection, Sequence
from typing import Any

from grader.core.escaping import printable_line
from grader.engine.apart import Answer, Apart, End, Successive, joined, parted
from grader.engine.handed import READ_S, reading_failed
from grader.lms.archive import Item, Unplaced
from grader.lms.candidates import Candidate, Sorted, Sorter, like_a_notebook
from grader.lms.platforms import Sender
from grader.lms.students import Listed
from grader.submissions.file_names import quoted
from grader.submissions.packed import is_zip

logger = logging.getLogger(__name__)

#: One student's files with what their paths say, what a roster says of the student, and whether there is a row already.
Sent = tuple[list[tuple[Item, Sender]], Listed | None, bool]
_ITEM = ("source", "parts", "size", "top", "raw")
_WHY = {
    End.TIME: "its student's files could not be read within {:g} seconds of a processor's time",
    End.TOO_LARGE: "its student's files need more memory than any notebook does",
    End.CRASH: "its student's files are nested deeper than Python's own parser can follow",
    End.LOST: "the process that reads was stopped, or got no processor time",
}


class Beside:
    """The process that reads one source; it begins when it is first asked, and anew when it was ended.

    Args:
        sorter: Sorts one student's files.
        sent: Those of every student.
        handles: Descriptors of the archives that the files are read from.
    """

    def __init__(self, sorter: Sorter, sent: Sequence[Sent], handles: Collection[int]):
        self._sorter, self._sent, self._handles = sorter, sent, handles
        self._processes = Successive(self._begin)

    def _begin(self) -> Apart:
        return Apart(lambda question: _told(self._sorter.sort(*self._sent[int(question)])), self._handles)

    def sort(self, number: int) -> Sorted:
        """Read and sort the files of one student, by the place in the list."""
        if sys.platform != "linux":  # elsewhere there are no such limits; nothing is marked there either
            return self._sorter.sort(*self._sent[number])
        return self._understood(number, self._processes.ask(str(number).encode(), READ_S))

    def _understood(self, number: int, answer: Answer) -> Sorted:
        sent = self._sent[number][0]
        if answer.end is End.DONE:
            return _heard(answer.data, sent)
        item = next((i for i, _ in sent if like_a_notebook(i) or is_zip(i.name)), sent[0][0])
        if answer.end is End.FAULT:
            logger.error("reading %s failed", item.where, exc_info=reading_failed(answer))
            why = f"a fault of the grader, not of the files: {quoted(printable_line(str(reading_failed(answer)), 200))}"
            return Sorted(refused=[item.unplaced(why, "put the notebook into its place by hand")])
        fix = "ask the student for the one notebook alone, or collect again if others were read before"
        return Sorted(refused=[item.unplaced(_WHY[answer.end].format(READ_S), fix)])

    def close(self) -> None:
        """End the process."""
        self._processes.close()


def _told(found: Sorted) -> bytes:
    """Describe a student's files as data; the files' own content follows behind."""
    candidates = [(assignment, c) for assignment, some in found.candidates.items() for c in some]
    head = {
        "refused": [[u.where, u.why, u.fix, u.path] for u in found.refused],
        "unknown": [[u.where, u.why, u.fix, u.path] for u in found.unknown],
        "aside": found.aside,
        "untold": found.untold,
        "candidates": [
            {
                "assignment": assignment, "item": {name: getattr(c.item, name) for name in _ITEM},
                "time": _as_text(c.item.time), "said": _as_text(c.item.said), "sender": _as_data(c.sender),
                "name": c.name, "size": len(c.data), "score": c.score,
                "handed_in": _as_text(c.handed_in), "late": c.late,
            }
            for assignment, c in candidates
        ],
    }  # fmt: skip
    return joined(head, b"".join(c.data for _, c in candidates))


def _heard(said: bytes, sent: list[tuple[Item, Sender]]) -> Sorted:
    """Take up what `_told` described. A sender is one of those that were sent, never what the answer says."""
    head, data = parted(said)
    senders = {tuple(_as_data(sender)): sender for _, sender in sent}
    found = Sorted(aside=[str(text) for text in head["aside"]], untold=int(head["untold"]))
    for told, lost in ((head["refused"], found.refused), (head["unknown"], found.unknown)):
        lost += [Unplaced(where, why, fix, tuple(path)) for where, why, fix, path in told]
    start = 0
    for told in head["candidates"]:
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in told["item"].items()}
        item = Item(**fields, time=_as_time(told["time"]), said=_as_time(told["said"]), load=bytes)
        end = start + int(told["size"])
        candidate = Candidate(
            item, senders[tuple(told["sender"])], str(told["name"]), data[start:end], int(told["score"]),
            _as_time(told["handed_in"]), bool(told["late"]),
        )  # fmt: skip
        found.candidates.setdefault(str(told["assignment"]), []).append(candidate)
        start = end
    return found


def _as_data(sender: Sender) -> list[Any]:
    """Return what tells one sender of a student's files from the others."""
    return [sender.number, sender.attachment, sender.late, sender.folder, sender.file, sender.origin, sender.stated]


def _as_text(time: datetime.datetime | None) -> str:
    return time.isoformat() if time else ""


def _as_time(text: str) -> datetime.datetime | None:
    return datetime.datetime.fromisoformat(text) if text else None
