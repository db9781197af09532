"""What Canvas' numbers of files say against a reading of a file's name.

Canvas counts all files of a server, so those that are handed in for one assignment have numbers of about one size.
`lovelaceada_5501_712345_hw_3_2.ipynb` beside `builderbob_2277_712350_nb.ipynb` is no file number 2 of a user number 3,
who calls himself `Lovelace Ada_5501_712345_hw`. But `lovelaceada_5501_712345_77_712340_nb.ipynb` may be a file of user
77, whose display name begins with Ada's name and number: nobody else can write what stands before Canvas' own numbers.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.lms.journal import Attempt
from grader.lms.platforms import Sender, System, read_again

#: No file of the same weeks has a number that is so many times smaller, not even on a new server.
_APART = 100
#: Of so many other people, not all have names that one of them made up.
_SEVERAL = 3


class Attachments:
    """The numbers of the files of one download and of those before it.

    Args:
        senders: Who is read from the names of the files in the download.
        attempts: What was collected before.
    """

    def __init__(self, senders: Iterable[Sender], attempts: Iterable[Attempt]):
        self._known = list[tuple[list[tuple[int, str]], int]]()
        for those in (list(senders), [again for attempt in attempts if (again := _again(attempt))]):
            # Canvas alone wrote the numbers of a name with one reading; of the others, one person has made up few.
            self._known.append((_least(s for s in those if not s.others), 1))
            self._known.append((_least(those), _SEVERAL))

    def others(self, sender: Sender) -> list[Sender]:
        """Return the people with longer names whose file it may be, too, for all that the numbers say.

        One with a shorter name cannot have made up the reading that a roster confirms: Canvas' own numbers would be
        within the name that the roster has.
        """
        longer = [other for other in sender.others if other.attachment and len(other.file) < len(sender.file)]
        least = self._least_beside(sender.number) if longer else 0
        return [other for other in longer if int(other.attachment) * _APART >= least]

    def doubts(self, attempt: Attempt) -> bool:
        """Return whether something that was collected before may be of another one by its name."""
        again = _again(attempt)
        return bool(again and self.others(again))

    def _least_beside(self, number: str) -> int:
        """Return the smallest number of a file of somebody else; 0 if too few are known."""
        for least, needed in self._known:
            beside = [attachment for attachment, person in least[: needed + 1] if person != number]
            if len(beside) >= needed:
                return beside[0]
        return 0


def _least(senders: Iterable[Sender]) -> list[tuple[int, str]]:
    """Return the smallest number of a file of each person, with the person's number, in order."""
    least: dict[str, int] = {}
    for sender in senders:
        if not sender.attachment:  # a link, of which no number orders anything
            continue
        attachment = int(sender.attachment)
        least[sender.number] = min(least.get(sender.number, attachment), attachment)
    return sorted((attachment, number) for number, attachment in least.items())


def _again(attempt: Attempt) -> Sender | None:
    """Return what the name of a file said that was collected before; `collected.csv` may have been edited since."""
    if attempt.system != System.CANVAS:
        return None
    return read_again(attempt.number, attempt.attachment, bool(attempt.late), attempt.name)
