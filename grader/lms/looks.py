"""Say which files of a student need a look: those that do not count, and what they hold beyond the one that does."""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.escaping import printable_line
from grader.lms.archive import Unplaced
from grader.lms.candidates import Candidate
from grader.lms.placing import Placed, Shelf
from grader.lms.stamps import with_time
from grader.submissions.choosing import SHOWN, Answers, Aside, some_of
from grader.submissions.file_names import called, named


def left_aside(
    placed: Placed, shelf: Shelf, counts: tuple[str, str, Answers | None], others: Sequence[Candidate], aside: Aside
) -> dict[str, Unplaced]:
    """Name what may be missed of the files of one upload that do not count.

    Args:
        placed: What became of the upload.
        shelf: Where all of them are now.
        counts: Name, digest and answers of the file that counts.
        others: The files.
        aside: What they hold beyond it.
    """
    (name, digest, answers), found = counts, dict[str, Unplaced]()
    mine = answers or Answers()

    def look(other: Candidate, why: str) -> None:
        found.update(look_at(placed, shelf, digest, other.sha256, why))

    if aside.missing:
        number, names = max(aside.missing, key=lambda one: len(one[1]))
        other, theirs = others[number], others[number].answers or Answers()
        what = f"{name} counts, which answers {len(mine)} of {theirs.of} exercises"
        more = f"answers {len(theirs)}, among them some that the first does not: {some_of(names)}"
        look(other, f"{what}; {named(other.name)}, which is kept aside, {more}")
    if aside.changed:
        number, names = aside.changed
        other = others[number]
        what = f"{name} counts, because it answers more exercises than {named(other.name)}"
        look(other, f"{what}, which has other answers to some of them: {some_of(names)}")
    if aside.equal:
        number, names = max(aside.equal, key=lambda one: len(one[1]))
        other = others[number]
        what = f"{name} counts; {named(other.name)} answers as many exercises, and some in another way"
        more = f" (and {len(aside.equal) - 1} more such files)" if len(aside.equal) > 1 else ""
        look(other, f"{what}: {some_of(names)}{more}")
    if aside.uncounted:
        other = others[aside.uncounted[-1]]
        many = ", ".join(named(others[n].name) for n in aside.uncounted[-SHOWN:])
        what = f"{name} counts, which answers {len(mine)} of {mine.of} exercises"
        look(other, f"{what}; the answers in other files could not be counted: {many}")
    return found


def look_at(placed: Placed, shelf: Shelf, counts: str, other: str, why: str) -> dict[str, Unplaced]:
    """Say what to do about a file that was kept aside, by the digests of both."""
    where = f"{called(placed.student)}, {placed.assignment}"
    kept, place = (shelf.attempt(placed.student, placed.assignment, digest) for digest in (other, counts))
    files = [named(printable_line(one.file if one else "")) for one in (kept, place)]
    how = f"copy {files[0]} to {files[1]}{with_time(kept, place)}"
    if place:
        shelf.keep_copy(place)  # which the other one is to be written over
    return {other: Unplaced(where, why, f"look at both, or ask the student; to have the other one count, {how}")}
