"""Which of several files that a student handed in together counts: the one in which most exercises are answered.

Names and times tell little of that. A platform numbers the files of an upload as they come, a browser calls the newer
one `nb (1).ipynb`, and nbgrader's own name can be on the release that nobody has touched. So answers are counted before
names and times are compared, wherever one file is chosen: in a download (`lms`) and in a submission's folder
(`intake.py`). A file that is left aside although it may hold an answer that the chosen one lacks is never passed over
in silence. Of two files with as many answers, names and times decide, and the student may have meant the other one: so
what they answer differently needs a look, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.core.findings import Finding, Level

#: Most files of a student whose answers are counted; and most bytes, once one is found that has some.
MAX_COUNTED, MAX_COUNTED_BYTES = 8, 30 * 2**20
SHOWN = 10  # names in a sentence


@dataclass(frozen=True)
class Answers:
    """What is answered in a file; its length is the number of exercises that are.

    Args:
        given: A word for each answer, which another answer does not share, by the exercise.
        of: How many exercises there are.
    """

    given: Mapping[str, str] = field(default_factory=dict)
    of: int = 0

    def __len__(self) -> int:
        return len(self.given)

    @property
    def complete(self) -> bool:
        """Whether every exercise is answered: no other file can have more."""
        return 0 < self.of <= len(self.given)

    def missing(self, other: Answers) -> list[str]:
        """Return the exercises that another file answers and this one does not."""
        return [name for name in other.given if name not in self.given]

    def changed(self, other: Answers) -> list[str]:
        """Return the exercises that both answer, each in its own way."""
        return [name for name, one in other.given.items() if self.given.get(name, one) != one]


#: A file's name, for a sentence, and what is answered in it.
Named = tuple[str, Answers | None]


@dataclass(frozen=True)
class File:
    """A file whose answers can be counted.

    Args:
        digest: Of its content; what has the same content has the same answers.
        size: Its bytes.
        count: Counts its answers; None if that is not possible.
    """

    digest: str
    size: int
    count: Callable[[], Answers | None]


def counted(files: Iterable[File]) -> list[Answers | None]:
    """Count the answers in files, within bounds; reading a file takes time.

    After one that answers all exercises the others are still read: a second one may answer all of them in another way.

    Args:
        files: The likeliest first.

    Returns:
        For each file what is answered in it; None if nobody counted.
    """
    known: dict[str, Answers | None] = {}
    found: list[Answers | None] = []
    spent = 0
    for file in files:
        some = any(known.values())
        enough = len(known) >= MAX_COUNTED or (some and spent + file.size > MAX_COUNTED_BYTES)
        if file.digest not in known and not enough:
            known[file.digest], spent = file.count(), spent + file.size
        found.append(known.get(file.digest))
    return found


@dataclass(frozen=True)
class Aside:
    """What the files that were left aside may hold beyond the one that counts; numbers are places in their list.

    Args:
        missing: Those that answer exercises which the one that counts does not, and these.
        changed: The one that would have counted by its name or time, and the exercises that it answers differently.
        equal: Those that answer as many exercises as the one that counts, and those that each answers differently.
        uncounted: Those whose answers nobody counted, although the one that counts does not have all.
    """

    missing: tuple[tuple[int, tuple[str, ...]], ...] = ()
    changed: tuple[int, tuple[str, ...]] | None = None
    uncounted: tuple[int, ...] = ()
    equal: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed or self.uncounted or self.equal)


def compared(
    taken: Answers | None, left: Sequence[Answers | None], first: int | None = None, older: Collection[int] = ()
) -> Aside:
    """Compare the file that counts with those that were left aside.

    Args:
        taken: What is answered in the one that counts.
        left: In each of the others; only those that hold something of the assignment.
        first: The place of the one that would have counted if nobody had counted answers, if that is another one.
        older: The places of those that an editor saved as an earlier state of another one, which nobody meant.
    """
    mine = taken or Answers()
    missing = [(n, tuple(mine.missing(one))) for n, one in enumerate(left) if one and mine.missing(one)]
    before = left[first] if first is not None else None
    changed = tuple(mine.changed(before)) if before else ()
    unknown = [n for n, one in enumerate(left) if one is None and not mine.complete]
    as_many = [(n, tuple(mine.changed(one))) for n, one in enumerate(left) if one and len(one) == len(mine)]
    return Aside(
        missing=tuple(missing),
        changed=(first, changed) if first is not None and changed else None,
        uncounted=tuple(unknown),
        equal=tuple((n, names) for n, names in as_many if names and n not in older),
    )


def findings(
    taken: Named, left: Sequence[Named], first: int | None, older: Collection[int] = (), shut: Sequence[str] = ()
) -> Iterator[Finding]:
    """Say which file counts, if its name alone would not say so, and what needs a look of those that were left aside.

    Args:
        taken: The file that is marked.
        left: The others that hold something of the assignment.
        first: The place of the one that would have counted if nobody had counted answers, if that is another one.
        older: The places of those that an editor saved as an earlier state of another one.
        shut: Archives that may hold a notebook which nobody has looked into.
    """
    (marked, own), aside = taken, compared(taken[1], [answers for _, answers in left], first, older)
    mine = own or Answers()
    before, fewer = left[first] if first is not None else ("", None)
    if fewer and not aside.changed:
        text = f"{marked} was marked, which answers {len(mine)} of {mine.of} exercises; {before} answers {len(fewer)}."
        yield Finding("fuller-file-taken", marked, text)
    if aside.missing:
        number, names = max(aside.missing, key=lambda one: len(one[1]))
        other, theirs = left[number][0], left[number][1] or Answers()
        text = (
            f"{marked} was marked, which answers {len(mine)} of {theirs.of} exercises. {other} was left aside, which "
            f"answers {len(theirs)}, and among them some that the marked file does not answer: {some_of(names)}. Put "
            "all answers that should count into one notebook."
        )
        yield Finding("answers-left", marked, text, Level.LOST)
    if aside.changed:
        number, names = aside.changed
        other, theirs = left[number][0], left[number][1] or Answers()
        text = (
            f"{marked} was marked, because it answers {len(mine)} of {mine.of} exercises and {other} only "
            f"{len(theirs)}. But {other} has other answers to some of them: {some_of(names)}. Put the answers that "
            "should count into one notebook."
        )
        yield Finding("answers-differ", marked, text, Level.LOST)
    if aside.equal:
        number, names = max(aside.equal, key=lambda one: len(one[1]))
        other = left[number][0]
        text = (
            f"{marked} was marked. {other} was left aside: it answers as many exercises, but some of them differently: "
            f"{some_of(names)}. Nothing says which of the two should count. Hand in only that one."
        )
        yield Finding("equals-differ", marked, text, Level.LOST)
    if unknown := [*(left[number][0] for number in aside.uncounted), *shut]:
        others = ", ".join(unknown[:SHOWN])
        text = (
            f"{marked} was marked, which answers {len(mine)} of {mine.of} exercises. Files were left aside without "
            f"counting their answers, since there are too many or too large ones: {others}. Hand in the one notebook "
            "that should count."
        )
        yield Finding("answers-not-counted", marked, text, Level.LOST)


def some_of(names: Sequence[str]) -> str:
    """Return as many names as a sentence has room for, and a sign that there are more."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
