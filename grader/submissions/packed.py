"""Read a zip file that a stranger made: its entries one by one, within bounds, and nothing onto the disk."""

from __future__ import annotations

import contextlib
import datetime
import io
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.core.errors import GraderError, NotRead
from grader.submissions.endings import rank_of
from grader.submissions.slimming import slimmed

#: Where Jupyter keeps the copy of a notebook that it makes whenever somebody saves it.
CHECKPOINTS = ".ipynb_checkpoints"
_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", CHECKPOINTS, ".git"}
_PIECE = 2**20
#: Begins every entry of the list that a zip file ends with; most bytes of that list.
_LISTED, _MOST_LISTED = b"PK\x01\x02", 32 * 2**20
#: What is before each name in that list, and before each entry itself: its first bytes, where the length of the name
#: is, and how long it is.
_HEADERS = ((_LISTED, 28, 46), (b"PK\x03\x04", 26, 30))
#: Characters of a path, and bytes of each name in it.
_LONGEST_PATH, _LONGEST_NAME = 4096, 255
#: Folders around a file. Nobody's notebook lies deeper, and each of them takes room in the path of each file in it.
MAX_DEPTH = 40
#: Bits of an entry that is encrypted, in the ordinary way or in a stronger one.
_ENCRYPTED = 0x1 | 0x40
#: The rank of a file in an archive, its path, a name at a time, and what the archive says of it.
Entry = tuple[int, tuple[str, ...], zipfile.ZipInfo]
_UNPACK_IT = "unpack it and name the folder of the submissions"


def is_zip(name: str) -> bool:
    """Return whether a file is a zip file, by its name."""
    return name.lower().endswith(".zip")


def is_junk(name: str) -> bool:
    """Return whether a file or folder of this name is one that systems and editors leave."""
    return name in _JUNK or name.startswith(("._", ".~"))


def is_checkpoint(parts: tuple[str, ...]) -> bool:
    """Return whether a path is that of a copy which Jupyter keeps, in no other folder that a program left."""
    return parts[-2:-1] == (CHECKPOINTS,) and not any(is_junk(part) for part in (*parts[:-2], parts[-1]))


def listed_in(data: bytes) -> Iterator[tuple[str, ...]]:
    """List the paths of what is in a zip file, a name at a time, whether it can be opened or not: they are not packed.

    Args:
        data: The file, of which a part may be missing; most paths come twice.
    """
    for begins, size_at, length in _HEADERS:
        at = data.find(begins)
        while at >= 0:
            end = at + length + int.from_bytes(data[at + size_at : at + size_at + 2], "little")
            yield _parts(data[at + length : end].decode("utf-8", "replace"))
            at = data.find(begins, end)


def open_packed(data: bytes, where: str, most_files: int) -> zipfile.ZipFile:
    """Open a zip file that is in memory.

    Args:
        data: The file.
        where: Its name in a sentence.
        most_files: So many entries may be in it.

    Raises:
        GraderError: If it holds more files, or is none.
    """
    fix = "ask for the notebook itself, not packed"
    # Counted before it is parsed: a list of millions of names would fill the memory.
    if data.count(_LISTED) > most_files:
        raise GraderError(f"a zip file with more than {most_files} files", where, fix)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # zipfile has many ways to say that a file is broken
        raise GraderError(f"a broken zip file ({why_not_opened(error)})", where, fix) from None


class _Directory(io.FileIO):
    """A zip file whose list of entries is measured before it is parsed; a list of millions would fill the memory.

    Args:
        path: The file.
        most_files: So many entries may be in it.
    """

    def __init__(self, path: Path, most_files: int):
        super().__init__(path)
        self.most_files, self.listed = most_files, False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read like any file; until all entries are listed, up to a bound."""
        if self.listed:
            return super().read(size) or b""
        most = _MOST_LISTED + 1
        asked = most if size is None or size < 0 else min(size, most)  # "all the rest" is asked for near the end alone
        data = super().read(asked) or b""
        if len(data) > _MOST_LISTED:
            raise GraderError(f"its list of files has more than {_MOST_LISTED // 2**20} MB", self._where, _UNPACK_IT)
        if data.count(_LISTED) > self.most_files:
            raise GraderError(f"it holds more than {self.most_files} files", self._where, _UNPACK_IT)
        return data

    @property
    def _where(self) -> str:
        return Path(str(self.name)).name


@contextlib.contextmanager
def open_download(path: Path, most_files: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip file on the disk, of any size.

    Args:
        path: The file.
        most_files: So many entries may be in it.

    Raises:
        GraderError: If it holds more entries, or names that are longer than any list of them needs.
    """
    with _Directory(path, most_files) as file, zipfile.ZipFile(file) as opened:
        file.listed = True
        yield opened


def unfit(entry: zipfile.ZipInfo) -> tuple[str, str] | None:
    """Return what is wrong with an entry's name, which is no file's, and what to do; None if nothing is."""
    parts = [part.encode("utf-8", "surrogatepass") for part in entry_parts(entry)]
    if len(entry.filename) > _LONGEST_PATH or any(len(part) > _LONGEST_NAME for part in parts):
        return "its name is too long for a file's", "ask for it under a short name"
    # Without its end it would have the name of the folder, which somebody else's file may have.
    if entry.file_size and re.search(r"(?:^|[/\\])\.?$", entry_name(entry)):
        return "its name ends as a folder's does, and it is a file", "ask for it under another name"
    return None


def entry_name(entry: zipfile.ZipInfo) -> str:
    """Return an entry's name; zip files made on a Mac hold UTF-8 without saying so."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name


def entry_parts(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """Return an entry's path, a name at a time."""
    return _parts(entry_name(entry))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(p for p in re.split(r"[/\\]", path) if p not in ("", "."))


def entry_seconds(entry: zipfile.ZipInfo) -> float:
    """Return the time that an archive says of an entry, as seconds; 0 if it says none."""
    with contextlib.suppress(ValueError, OverflowError, OSError):
        return datetime.datetime(*entry.date_time).timestamp()
    return 0.0


def is_folder(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a folder; old .NET programs write one as an empty file with a backslash at its end."""
    return entry.is_dir() or (entry.filename.endswith("\\") and not entry.file_size)


def leads_out(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry's path leads out of the archive."""
    parts = entry_parts(entry)
    outside = entry.filename.startswith(("/", "\\")) or bool(parts and re.match(r"[A-Za-z]:", parts[0]))
    return outside or ".." in parts


def is_link(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a link or a device and not a file."""
    return stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG)


def likeliest_in(opened: zipfile.ZipFile) -> list[Entry]:
    """List what could be a notebook in an archive, the likeliest first: few of many files are read."""
    found = []
    for entry in opened.infolist():
        parts = entry_parts(entry)
        rank = None if not parts or is_folder(entry) or any(map(is_junk, parts)) else rank_of(parts[-1])
        if rank is not None and not leads_out(entry) and not is_link(entry):
            found.append((rank, parts, entry))
    return sorted(found, key=lambda one: one[0])


def read_entry(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, where: str, most: int, most_slimmed: int) -> bytes:
    """Read an entry up to a bound, whatever size it says it has; a larger one without its outputs.

    Args:
        opened: The archive.
        entry: What to read.
        where: Its name in a sentence.
        most: Bytes that may be kept.
        most_slimmed: Bytes up to which it is read to leave its outputs out.

    Raises:
        GraderError: If it cannot be read, or is larger.
        NotRead: If it is packed in a way that is not opened.
    """
    # Of these two alone the standard library unpacks no more at a time than it is asked for.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotRead("it is packed by an unusual method", where, "ask the student for an ordinary zip file")
    try:
        with opened.open(entry) as stream:
            data = stream.read(most + 1)
            if len(data) <= most:
                return data

            def pieces() -> Iterator[bytes]:
                size, piece = 0, data
                while piece:
                    size += len(piece)
                    if size > most_slimmed:
                        fix = "ask the student to clear the outputs and save it again"
                        raise GraderError(f"it has more than {most_slimmed // 2**20} MB", where, fix)
                    yield piece
                    piece = stream.read(_PIECE)

            return slimmed(pieces(), most, where)
    except GraderError:
        raise
    except Exception as error:  # encrypted, an unknown method, a wrong checksum, cut short
        fix = "ask the student to hand it in again"
        raise GraderError(f"it cannot be unpacked ({_why_not_read(error, entry)})", where, fix) from None


# The standard library's own words are never shown: it quotes names that the file's author chose, of any length.


def why_not_opened(error: Exception) -> str:
    """Return why a zip file cannot be opened, in our own words."""
    if isinstance(error, NotImplementedError):
        return "it needs a newer program to unpack it"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "its list of files is missing or damaged"


def _why_not_read(error: Exception, entry: zipfile.ZipInfo) -> str:
    """Return why an entry cannot be read, in our own words."""
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if isinstance(error, NotImplementedError):
        return "it is packed by an unusual method"
    if isinstance(error, EOFError):
        return "it is cut short"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    return "it is damaged, or is not what the zip file's list says of it"


def composed(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return names with accents in one form; a Mac writes them as characters of their own."""
    return tuple(unicodedata.normalize("NFC", part) for part in parts)


def kind_of_file(mode: int) -> str:
    """Return what lies at a path, for a sentence, by the mode that its status has."""
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a file",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")
