"""Read zip files and folders of submissions file by file, within bounds; nothing is unpacked onto the disk.

nbgrader's own way in, `nbgrader zip_collect`, unpacks an archive and every archive inside it as often and as large as
they say, takes one assignment a run, and finds a student by one pattern over file names. That is not good enough for
files that strangers made, which is why its plugins are not used here; the folders it would fill are the same.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import itertools
import os
import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.core.errors import GraderError, NotRead
from grader.core.escaping import printable_line
from grader.submissions.file_names import called, named
from grader.submissions.intake import MAX_BYTES, MAX_SLIMMED, read_bytes, read_notebook
from grader.submissions.packed import (
    CHECKPOINTS,
    MAX_DEPTH,
    composed,
    entry_parts,
    is_checkpoint,
    is_folder,
    is_junk,
    is_link,
    is_zip,
    leads_out,
    open_download,
    open_packed,
    read_entry,
    unfit,
    why_not_opened,
)

#: Most files that are listed, of an archive and of a student's folder, and most that are read of one student.
MAX_LISTED, MAX_FILES, MAX_STUDENT_FILES = 250_000, 50_000, 200
#: Most bytes that are read of one student's files, archives inside the archive included.
MAX_STUDENT_BYTES = 4 * MAX_BYTES
_OTHER_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".gz", ".7z", ".rar")


@dataclass(frozen=True)
class Unplaced:
    """Something that found no place.

    Args:
        where: The archive or folder, and the file in it.
        why: What is wrong with it.
        fix: What to do about it.
        path: Its path there letter for letter, a name at a time; empty if it is no one file.
    """

    where: str
    why: str
    fix: str
    path: tuple[str, ...] = ()


_DAY = datetime.timedelta(days=1)  # more than any two time zones are apart
_FIRST = datetime.datetime(1980, 1, 1, tzinfo=datetime.UTC) + _DAY  # before it: what a zip says that knows no time


@dataclass(frozen=True)
class Item:
    """A file that was handed in; its content is read when it is asked for.

    Args:
        source: Name of the archive or folder it came in, to show: students choose names of archives, too.
        parts: Its path there, a name at a time.
        size: Bytes that it says it has.
        time: Time of change as the archive or the disk has it.
        load: Reads it. Raises GraderError if that cannot be done within bounds.
        top: How many of the parts are above what the archive or the folder itself says.
        raw: The same path letter for letter, before its letters were brought into one form.
        said: The time that a student's own archive says, which counts only among the files in it.
        stands_for: It stands for a folder of which nothing is taken: it is there, so that the folders beside it mean
            what they meant, and is not read.
    """

    source: str
    parts: tuple[str, ...]
    size: int
    time: datetime.datetime | None
    load: Callable[[], bytes] = field(repr=False, compare=False)
    top: int = 0
    raw: tuple[str, ...] = ()
    said: datetime.datetime | None = None
    stands_for: bool = False

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.parts[-1]

    @property
    def where(self) -> str:
        """Archive and path, to show."""
        return _place(self.source, self.parts)

    def unplaced(self, why: str, fix: str) -> Unplaced:
        """Say that it finds no place."""
        return Unplaced(self.where, why, fix, self.raw)


@dataclass
class Contents:
    """What an archive or a folder holds.

    Args:
        items: Its files.
        refused: What was not taken.
        junk: What programs left, of which nothing is taken where something else lies.
        around: How many folders are around all the students' folders.
        handles: Descriptors of files that stay open while its files are read.
    """

    items: list[Item] = field(default_factory=list)
    refused: list[Unplaced] = field(default_factory=list)
    junk: list[Item] = field(default_factory=list)
    around: int = 0
    handles: list[int] = field(default_factory=list)

    def add(self, other: Contents) -> None:
        """Take in what another one holds."""
        self.items += other.items
        self.refused += other.refused


def is_other_archive(name: str) -> bool:
    """Return whether a file is, by its name, an archive of a kind that is not opened."""
    return name.lower().endswith(_OTHER_ARCHIVES)


@contextlib.contextmanager
def open_source(path: Path, assignments: Collection[str] = ()) -> Iterator[Contents]:
    """List an archive, a folder or a single file, which stays open meanwhile.

    A zip file that lies in a folder is a file of whoever its name says, never a download: a student may have made it.

    Args:
        path: What the instructor downloaded.
        assignments: Names of the course's assignments: a folder of such a name is no student's.

    Raises:
        GraderError: If there is no such file or folder, or it holds too many files that are in no student's folder.
    """
    with contextlib.ExitStack() as stack:
        if path.is_dir():
            yield _folder(path, assignments)
        elif not path.is_file():
            raise GraderError("no such file or folder", str(path), "name a downloaded zip file or a folder")
        elif is_zip(path.name):
            yield _zip(path, printable_line(path.name), stack, assignments)
        else:
            yield _plain_file(path)


def unpack(item: Item) -> Contents:
    """List a zip file that a student handed in.

    The files have the time of the zip file: those inside are what the student's computer said.
    """
    found = Contents()
    try:
        inner = _entries(open_packed(item.load(), item.where, MAX_STUDENT_FILES), item.source, item.parts)
    except GraderError as error:
        found.refused.append(item.unplaced(error.what, "ask for the notebook itself, not packed"))
    else:
        found.refused += inner.refused
        found.items += [replace(i, time=item.time, said=i.time) for i in inner.items]
        found.junk += [replace(i, time=item.time, said=i.time) for i in inner.junk if is_checkpoint(i.parts)]
    return found


def refuse_nested(found: Contents) -> None:
    """Refuse the zip files that are inside a student's zip file."""
    for nested in [i for i in found.items if is_zip(i.name)]:
        found.items.remove(nested)
        text = "a zip file inside a zip file of the student"
        found.refused.append(nested.unplaced(text, "ask for the notebook itself, not packed"))


def _folder(root: Path, assignments: Collection[str]) -> Contents:
    """List a folder; of a student's folder in it that holds too many files, nothing is taken."""
    around = _folders_around(root, assignments)
    found = Contents(around=around)
    source = printable_line(root.resolve().name)
    listed, starts, full = Counter[tuple[str, ...]](), dict[tuple[str, ...], tuple[int, int]](), set[tuple[str, ...]]()

    def unread(error: OSError) -> None:
        parts = Path(error.filename).relative_to(root).parts
        if not parts:
            raise GraderError("it cannot be looked at", str(root), "see who may read it") from error
        found.refused.append(_not_looked_at(source, parts, error))

    for folder, names, files in os.walk(root, onerror=unread, followlinks=False):
        parts = Path(folder).relative_to(root).parts
        whose = owner_of(parts, around, assignments)
        starts.setdefault(whose, (len(found.items), len(found.refused)))
        listed[whose] += len(names) + len(files)
        if listed[whose] > MAX_FILES:
            if len(whose) <= around or whose[-1] in assignments:
                raise GraderError(f"more than {MAX_FILES} files", folder, "name the folder of the submissions")
            names.clear()
            if whose not in full:  # a folder's files and those of its folders follow one another
                _leave_out(found, *starts[whose], source, whose)
                full.add(whose)
            continue
        for name in [n for n in names if os.path.islink(os.path.join(folder, n))]:
            found.refused.append(_is_a_link(source, (*parts, name)))
        found.junk += _junk(source, Path(folder), parts, [*filter(is_junk, (*names, *files))])
        names[:] = sorted(n for n in names if not is_junk(n) and not os.path.islink(os.path.join(folder, n)))
        if names and len(parts) == MAX_DEPTH:  # the system's way through folders calls itself for each level
            found.refused.append(_too_deep(source, (*parts, names[0])))
            names.clear()
        for name in sorted(files):
            if not is_junk(name):
                found.add(_plain_file(Path(folder, name), source, (*parts, name)))
    return found


def _junk(source: str, folder: Path, parts: tuple[str, ...], names: list[str]) -> list[Item]:
    """Return what programs left in a folder: Jupyter's copies one by one, of other folders no more than the name."""
    found = list[Item]()
    for name in names:
        copies = list[str]()
        if name == CHECKPOINTS and not os.path.islink(folder / name):
            with contextlib.suppress(OSError), os.scandir(folder / name) as entries:
                some = itertools.islice(entries, MAX_STUDENT_FILES)
                copies = sorted(e.name for e in some if e.is_file(follow_symlinks=False))
        for path in [Path(name, copy) for copy in copies] or [Path(name)]:
            found += _plain_file(folder / path, source, (*parts, *path.parts)).items
    return found


def owner_of(folder: tuple[str, ...], around: int, assignments: Collection[str]) -> tuple[str, ...]:
    """Return the folder of a student that a folder is or lies in; one that is around several is its own."""
    return folder[: around + 1 + (len(folder) > around and folder[around] in assignments)]


def _folders_around(root: Path, assignments: Collection[str]) -> int:
    """Return 1 if a folder is around all the students' folders, and 0 if these are directly in what was named."""
    with os.scandir(root) as entries:
        inside = [e for e in entries if not is_junk(e.name)]
    if len(inside) != 1 or not inside[0].is_dir(follow_symlinks=False):
        return 0
    try:
        with os.scandir(inside[0]) as entries:
            inner = {e.name for e in entries if not is_junk(e.name) and e.is_dir(follow_symlinks=False)}
    except OSError:  # whoever lists it says so
        return 0
    return int(len(inner) > 1 and not inner & set(assignments))


def _leave_out(found: Contents, items: int, refused: int, source: str, whose: tuple[str, ...]) -> None:
    """Take out what was listed of a folder, from the given places on, and name the folder."""
    del found.items[items:], found.refused[refused:]
    _name_full(found, source, whose)


def _name_full(found: Contents, source: str, whose: tuple[str, ...]) -> None:
    """Name a folder of which nothing was taken, and leave something that stands for it."""
    parts = _readable(whose)
    stands = Item(source, (*parts, "-"), 0, None, bytes, raw=(*whose, "-"), stands_for=True)
    found.items.append(stands)
    text = f"more than {MAX_FILES} files and folders are in it, so nothing of it was taken"
    fix = "put this student's notebook alone into a folder of this name, and collect the folder above"
    found.refused.append(Unplaced(_place(source, parts), text, fix))


def _plain_file(path: Path, source: str = "", parts: tuple[str, ...] = ()) -> Contents:
    raw = parts or (path.name,)
    parts = _readable(raw)
    source = source or printable_line(path.parent.resolve().name)
    try:
        status = path.lstat()
    except (OSError, ValueError) as error:
        return Contents(refused=[_not_looked_at(source, raw, error)])
    if stat.S_ISLNK(status.st_mode):
        return Contents(refused=[_is_a_link(source, parts)])
    read = read_bytes if is_zip(path.name) else read_notebook
    time = _if_known(lambda: datetime.datetime.fromtimestamp(status.st_mtime, datetime.UTC))
    return Contents([Item(source, parts, status.st_size, time, lambda: read(path), raw=raw)])


def _place(source: str, parts: tuple[str, ...]) -> str:
    """Name an archive or a folder, which a student may have named, too, and what is in it."""
    return f"{named(source)}: {called('/'.join(parts))}"


def _not_looked_at(source: str, raw: tuple[str, ...], error: Exception) -> Unplaced:
    """Name a file or folder at which the system does not let us look: its path is too long, or it is nobody's to read.

    Args:
        source: The folder that was named, to show.
        raw: The path in it, letter for letter.
        error: What the system said.
    """
    shown = _readable(raw)
    why = f"it cannot be looked at ({getattr(error, 'strerror', None) or type(error).__name__})"
    fix = "ask the student for the notebook itself, in no folder"
    return Unplaced(_place(source, shown), why, fix, raw)


def _too_deep(source: str, raw: tuple[str, ...]) -> Unplaced:
    """Name the first of the folders that lie too deep to be looked into."""
    why, fix = f"it lies in more than {MAX_DEPTH} folders", "ask the student for the notebook itself, in no folder"
    return Unplaced(_place(source, _readable(raw)), why, fix, raw[: MAX_DEPTH + 1])


def _readable(raw: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a path as text; those of a folder are in memory once, however many files lie in it."""
    return tuple(map(_readable_name, raw))


@functools.lru_cache(maxsize=10_000)
def _readable_name(raw: str) -> str:
    # Bytes that are not UTF-8 become halves of surrogate pairs in names, and no CSV file can hold those.
    (name,) = composed((raw.encode("utf-8", "replace").decode(),))
    return name


def _if_known(time: Callable[[], datetime.datetime]) -> datetime.datetime | None:
    """Return the time of a file; None where it says nothing, as of a clock that is ahead, or no calendar has it."""
    with contextlib.suppress(ValueError, OverflowError, OSError):
        if _FIRST < (found := time()) < datetime.datetime.now(datetime.UTC) + _DAY:
            return found
    return None


def _zip(path: Path, source: str, stack: contextlib.ExitStack, assignments: Collection[str]) -> Contents:
    try:
        opened = stack.enter_context(open_download(path, MAX_LISTED))
    except GraderError as error:
        return Contents(refused=[Unplaced(named(source), error.what, error.fix)])
    except Exception as error:
        text = f"not a zip file that can be read ({why_not_opened(error)})"
        return Contents(refused=[Unplaced(named(source), text, "download it again")])
    found = _without_the_full(_entries(opened, source, ()), source, assignments)
    found.handles = [opened.fp.fileno()] if opened.fp else []
    return found


def _without_the_full(found: Contents, source: str, assignments: Collection[str]) -> Contents:
    """Leave out of an archive the folders that hold too many files for one student's, and name them."""
    folders = [item.raw[:-1] for item in found.items]
    inner = {folder[1] for folder in folders if len(folder) > 1}
    around = found.around = int(
        len({folder[:1] for folder in folders}) == 1 and len(inner) > 1 and not inner & set(assignments)
    )
    whose = [owner_of(folder, around, assignments) for folder in folders]
    for full, often in Counter(whose).items():
        if often <= MAX_FILES:
            continue
        if len(full) <= around or full[-1] in assignments:
            why = f"more than {MAX_FILES} files are in no student's folder"
            return Contents(refused=[Unplaced(named(source), why, "unpack it and name the folder of the submissions")])
        found.items = [item for item, owner in zip(found.items, whose, strict=True) if owner != full]
        whose = [owner for owner in whose if owner != full]
        _name_full(found, source, full)
        whose.append(())  # what stands for it
    return found


def _entries(opened: zipfile.ZipFile, source: str, prefix: tuple[str, ...]) -> Contents:
    found = Contents()
    for entry in opened.infolist():
        if wrong := unfit(entry):
            where, (why, fix) = _place(source, (*prefix, entry.filename[:300])), wrong
            found.refused.append(Unplaced(where, why, fix, (*prefix, *entry_parts(entry))[: MAX_DEPTH + 1]))
            continue
        raw = entry_parts(entry)
        parts = composed(raw)
        junk = any(map(is_junk, parts))
        if is_folder(entry) or not parts or (junk and (len(raw) > MAX_DEPTH + 1 or leads_out(entry) or is_link(entry))):
            continue
        if len(raw) > MAX_DEPTH + 1:
            found.refused.append(_too_deep(source, (*prefix, *raw)))
            continue
        size, time, load = entry.file_size, _time(entry), _loader(opened, entry)
        item = Item(source, (*prefix, *parts), size, time, load, len(prefix), (*prefix, *raw))
        if junk:
            found.junk.append(item)
        elif leads_out(entry):
            text = "its path leads out of the archive"
            found.refused.append(item.unplaced(text, "ask the student to hand it in again"))
        elif is_link(entry):
            found.refused.append(_is_a_link(source, item.raw))
        else:
            found.items.append(item)
    return found


def _loader(opened: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], bytes]:
    """Return what reads an entry up to the bound, whatever size it says it has."""
    return lambda: read_entry(opened, entry, called(entry.filename), MAX_BYTES, MAX_SLIMMED)


def _time(entry: zipfile.ZipInfo) -> datetime.datetime | None:
    return _if_known(lambda: datetime.datetime(*entry.date_time).astimezone(datetime.UTC))


def _is_a_link(source: str, parts: tuple[str, ...]) -> Unplaced:
    text = "it is a link and not a file; it was not followed"
    return Unplaced(_place(source, parts), text, "ask for the notebook itself", parts)


class Budget:
    """What may still be read of one student's files.

    Args:
        files: So many files.
        size: So many bytes.
    """

    def __init__(self, files: int = MAX_STUDENT_FILES, size: int = MAX_STUDENT_BYTES):
        self.files, self.size = files, size

    def bound(self, item: Item) -> Item:
        """Return an item that uses up this budget when it is read."""

        def load() -> bytes:
            if self.files <= 0 or self.size <= 0:
                text = f"the student's files before it already came to {MAX_STUDENT_FILES} files or "
                text += f"{MAX_STUDENT_BYTES // 2**20} MB"
                raise GraderError(text, item.where, "ask for the one notebook alone")
            # What was left out took time too, and so did what turned out to be broken, whatever was made of it.
            self.files, cost = self.files - 1, min(item.size, MAX_SLIMMED)
            try:
                data = item.load()
                cost = max(len(data), cost)
                return data
            except NotRead:
                cost = 0
                raise
            finally:
                self.size -= cost

        return replace(item, load=load)
