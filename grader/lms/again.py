"""Whether a file that comes again is a new attempt: the same file lies in many a download and copy of a class."""

from __future__ import annotations

from collections.abc import Iterable

from grader.lms.candidates import Candidate
from grader.lms.journal import Attempt, State, as_time, comes_later, later, time_of_download
from grader.lms.platforms import System


def came_elsewhere(best: Candidate, current: Attempt, alone: bool) -> bool:
    """Return whether a file lies in another assignment's upload than an attempt before, as in a zip of the course.

    That upload says neither when the file was handed in for its own assignment nor where the feedback goes. Moodle's
    numbers are of one assignment. Canvas' are not, but there another notebook lies in the upload, too.

    Args:
        best: The file.
        current: The attempt.
        alone: Whether no notebook of another assignment came with the file.
    """
    sender = best.sender
    if current.system != sender.system:
        return False
    if sender.system == System.MOODLE:
        return sender.number != current.number
    return sender.system == System.CANVAS and not alone and sender.attachment != current.attachment


def was_lost(known: Attempt, current: Attempt, next_best: bool) -> bool:
    """Return whether a known file is to count again, as where all is collected once more after a loss.

    What somebody put there by hand has no order, and stays.

    Args:
        known: The file as it came before.
        current: The one that counts.
        next_best: Whether what counted has not come yet, and the first is below the second among the rows.
    """
    if not current.order:
        return False
    if current.system != System.PLAIN and (known.system, known.number) == (current.system, current.number):
        return comes_later(known, current) is True
    # Copies, and what comes from several places, have no order that holds: each week's may have the same old file.
    return known.state is State.LOST or (next_best and comes_later(known, current) is not False)


def once_more(fresh: Attempt, known: Attempt, current: Attempt) -> bool:
    """Return whether Canvas gives a file another number, since it was handed in once more: which counts is open again.

    Args:
        fresh: The file as it comes now.
        known: The same as it came before.
        current: The one that counts.
    """
    return bool(current.order and fresh.attachment) and later(fresh.order, known.order) is True


def went_back(fresh: Attempt, known: Attempt, attempts: Iterable[Attempt]) -> bool:
    """Return whether a file came by itself, as by mail, and was handed in before another one, not after it.

    Whoever mails an earlier file again goes back to it, and a download in which it was says nothing of that.

    Args:
        fresh: The file as it comes now, in a download.
        known: The same as it came before.
        attempts: All of the student's.
    """
    if known.system != System.PLAIN or not fresh.number:
        return False
    upload = [a for a in attempts if (a.system, a.number) == (fresh.system, fresh.number)]
    return any(later(attempt.order, fresh.order) for attempt in upload)


def takes_over(fresh: Attempt, known: Attempt, attempts: Iterable[Attempt]) -> bool:
    """Return whether a row is to say from now on that its file came as it comes now.

    That is so of the later download, and of a system's beside what came by mail, as marks go back to a system. A file
    that came by itself may be saved once more at any time, and is as old as when it came first.

    Args:
        fresh: The file as it comes now.
        known: The row.
        attempts: All of the student's.
    """
    if went_back(fresh, known, attempts):
        return False
    if bool(fresh.number) != bool(known.number):
        return bool(fresh.number)
    if not fresh.number and known.order:
        return False
    return later(known.order, fresh.order) is not True


def came_again(fresh: Attempt, known: Attempt, current: Attempt) -> bool:
    """Return whether a file comes as it came before, and is no new attempt.

    Each download has the file of whoever handed in nothing since, at the time of that download, and so has each copy of
    a class's folders. So this time says nothing beside a file that came in another way, as by mail: only a new time of
    handing in does.

    Args:
        fresh: The file as it comes now.
        known: The same as it came before.
        current: The one that counts.
    """
    if (fresh.system, fresh.number or known.number) != (known.system, known.number):
        return False
    told, was = as_time(fresh.handed_in), as_time(known.handed_in)
    if told and was:
        # Beside a file that came in another way: somebody may have written an earlier time than that of the worksheet.
        downloaded = time_of_download(known) if current.system != fresh.system else None
        return told <= was or (downloaded is not None and told <= downloaded)
    return current.system != fresh.system or (
        fresh.system == System.PLAIN and not told and current.source not in (fresh.source, known.source)
    )


def may_be_back(fresh: Attempt, known: Attempt, current: Attempt) -> bool:
    """Return whether a file that came again may be one to which a student has gone back.

    Each of three copies of a class's folders may have another name, and may have what that student had at its time. A
    correction has been collected from elsewhere if the others come from one place, or if it is called otherwise.
    """
    copies = fresh.system == current.system == System.PLAIN and fresh.name == current.name
    apart = len({fresh.source, known.source, current.source}) == 3
    return copies and apart and came_again(fresh, known, current) and later(fresh.order, current.order) is True


def untold(fresh: Attempt, current: Attempt) -> list[str]:
    """Say so if a file counts only because it came last, although both have an order.

    Args:
        fresh: The file as it comes now.
        current: The one that counted until now.
    """
    if not (fresh.order and current.order) or comes_later(fresh, current) is not None:
        return []
    return ["nothing tells which of the two is the later one, so the one that was collected last counts"]
