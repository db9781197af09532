"""What of this machine is shown behind the walls: what Python needs, piece by piece, and nothing that is private.

A folder such as `/usr` or `sys.prefix` may hold anything, a course among it. So the pieces are computed: the program,
the standard library, the packages, the folders of the dynamic linker, and a few files of data. A private place that
lies in one of these all the same is covered by an empty folder or, where that cannot be done, nothing is started.
"""

from __future__ import annotations

import glob
import os
import platform
import re
import site
import sys
import sysconfig
import zoneinfo
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.core.errors import RunRefused
from grader.core.private import Place

#: A folder with so many shared libraries is one of libraries and is shown as it is; of others their libraries are.
_MANY_LIBRARIES = 40
#: Data of the system that Python and its packages read.
_DATA = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/alternatives",
    "/usr/lib/locale",
    "/usr/share/fontconfig",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/matplotlib",
)
#: Far more links than lead to any file.
_MOST_STEPS = 1000


@dataclass(frozen=True)
class View:
    """What is shown, by real paths.

    Args:
        shown: Folders and files to be seen, read-only; a folder comes before what lies in it.
        hidden: Folders inside these that are covered, with what each of them is.
        links: Symbolic links on the way to what is shown, and where each of them leads.
    """

    shown: tuple[str, ...]
    hidden: tuple[Place, ...]
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Mount:
    """A line of `/proc/self/mountinfo`.

    Args:
        device: Number of the file system.
        root: The folder of that file system which is mounted.
        point: Where it is mounted.
    """

    device: str
    root: str
    point: str


def within(path: str, folder: str) -> bool:
    """Return whether a path is a folder's or lies in it, by the names alone."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _python() -> Iterator[str]:
    """Yield the program, the standard library and the folders of packages, as a start without variables finds them."""
    yield sys.executable
    yield os.path.join(sys.prefix, "pyvenv.cfg")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    yield os.path.dirname(os.__file__)
    yield sysconfig.get_path("stdlib")
    yield os.path.join(sys.base_exec_prefix, sys.platlibdir, version)
    yield os.path.join(sys.base_prefix, sys.platlibdir, f"{version.replace('.', '')}.zip")
    yield from (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages())


def _libraries() -> Iterator[str]:
    """Yield folders full of shared libraries, and the libraries of other folders that the dynamic linker looks into."""
    machines = {f"{platform.machine()}-linux-gnu", sysconfig.get_config_var("MULTIARCH") or ""}
    for prefix in dict.fromkeys(("/", "/usr", "/usr/local", sys.base_prefix, sys.prefix)):
        for name in ("lib", "lib64"):
            for machine in machines | {""}:
                folder = os.path.join(prefix, name, machine)
                libraries = glob.glob(glob.escape(folder.rstrip("/")) + "/*.so*")
                yield from libraries if len(libraries) < _MANY_LIBRARIES else [folder]


def needed() -> list[str]:
    """List the folders and files that this Python needs to run and to import its packages."""
    paths = (*_python(), *_libraries(), *_DATA, *zoneinfo.TZPATH)
    return sorted({path for path in paths if path and os.path.exists(path)})


def _way(path: str) -> tuple[dict[str, str], str]:
    """Follow a path through its symbolic links.

    Returns:
        Each link on the way, by its real place, with the real place it leads to; and the real path.
    """
    links: dict[str, str] = {}
    todo, done = os.path.join(os.getcwd(), path).split("/")[::-1], ""
    for _ in range(_MOST_STEPS):
        if not todo:
            break
        part = todo.pop()
        here = f"{done}/{part}"
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
        elif os.path.islink(here):
            links[here] = os.path.realpath(here)
            target = os.readlink(here)
            done = "" if target.startswith("/") else done
            todo += target.split("/")[::-1]
        else:
            done = here
    return links, os.path.realpath(path)


def _mounts() -> list[_Mount]:
    """List what is mounted where; an empty list where the system does not tell."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            lines = [re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), line).split(" ") for line in file]
    except OSError:
        return []
    return [_Mount(line[2], line[3], line[4]) for line in lines if len(line) > 4]


def _on_device(path: str, mounts: list[_Mount]) -> tuple[str, str]:
    """Return a real path as its file system knows it, which is the same through whichever mount it is seen."""
    over = [m for m in mounts if within(path, m.point)]
    if not over:
        return "", path
    mount = max(reversed(over), key=lambda m: len(m.point))
    return mount.device, os.path.normpath(f"{mount.root}/{path[len(mount.point.rstrip('/')) :]}")


def _mounted_in(folder: str, mounts: list[_Mount]) -> list[_Mount]:
    """List what is seen in a folder that is shown: itself, and what is mounted there."""
    return [_Mount(*_on_device(folder, mounts), folder), *(m for m in mounts if within(m.point, folder))]


def _seen_in(folder: str, there: list[_Mount], device: str, private: str) -> Iterator[str]:
    """Yield where a private place, or a piece of it, is seen in a folder that is shown, be it mounted there.

    Args:
        folder: The folder.
        there: What is seen in it.
        device: Number of the private place's file system.
        private: The place as that file system knows it.
    """
    for mount in there:
        if mount.device == device and within(private, mount.root):
            yield os.path.normpath(f"{mount.point}/{private[len(mount.root.rstrip('/')) :]}")
        elif mount.device == device and within(mount.root, private) and mount.point != folder:
            yield mount.point


def view(private: Iterable[Place], cover: bool) -> View:
    """Compute what is shown.

    Args:
        private: What must not be seen.
        cover: Whether a folder can be covered by an empty one; Landlock has no means for that.

    Raises:
        RunRefused: If something private would be seen.
    """
    links: dict[str, str] = {}
    real: set[str] = set()
    for path in needed():
        on_the_way, end = _way(path)
        links |= on_the_way
        real.add(end)
    mounts = _mounts()
    outer = [path for path in sorted(real) if not any(path != other and within(path, other) for other in real)]
    mounted = [(folder, _mounted_in(folder, mounts)) for folder in outer]
    hidden: dict[str, Place] = {}
    for place in private:
        on_device = _on_device(os.path.realpath(place.path), mounts)
        for folder, there in mounted:
            for seen in _seen_in(folder, there, *on_device):
                if not cover or seen == folder or not os.path.isdir(seen):
                    raise _refusal(place, folder)
                hidden.setdefault(seen, Place(place.what, seen))
    # What Python needs of a folder that is covered is laid on top of the cover.
    shown = [path for path in sorted(real) if path in outer or any(within(path, covered) for covered in hidden)]
    ways = {at: to for at, to in links.items() if not any(within(at, folder) for folder in shown)}
    by_depth = sorted(shown, key=_depth)
    return View(tuple(by_depth), tuple(sorted(hidden.values(), key=lambda p: _depth(p.path))), tuple(ways.items()))


def _depth(path: str) -> tuple[int, str]:
    return len(PurePosixPath(path).parts), path


def _refusal(place: Place, folder: str) -> RunRefused:
    return RunRefused(
        f"{place.what} ({place.path}) lies in {folder}, which students' code has to read because Python needs it",
        "isolation",
        "move it to a folder of its own (a course may hold its .venv), or install bubblewrap, which can cover a folder",
    )


def bubblewrap_words(seen: View) -> list[str]:
    """Return the options that show and hide in bubblewrap, in an order in which none undoes another."""
    words = [word for at, to in seen.links for word in ("--symlink", to, at)]
    covers = [place.path for place in seen.hidden]
    for path in sorted({*seen.shown, *covers}, key=_depth):
        words += ["--tmpfs", path] if path in covers else ["--ro-bind", path, path]
    return [*words, *(word for path in covers for word in ("--remount-ro", path))]
