"""Large pages for what a warm process holds: a fork copies the list of its pages, though not what stands on them.

A warm process holds some 50,000 pages of 4 kB, and marking one submission forks it four times. Where the kernel can
collect small pages into large ones (`MADV_COLLAPSE`, since Linux 6.1), half of that list is gone: an answer to
exercise 5.1 took 63 instead of 79 ms on the clock (160 marks). It costs half a second and up to 150 MB, so it is done
for a process that has shown how busy it is.
"""

from __future__ import annotations

import contextlib
import ctypes

#: After so many forks they have paid for it.
WORTH_IT = 32
#: Bytes of a large page, where the machine has any of this size. Others refuse, and that is all.
LARGE = 2 << 20
_MADV_COLLAPSE = 25


def _held(line: str) -> range:
    """Return where the large pages of a line of `/proc/self/maps` would begin: of memory that is no file's."""
    where, access, _, _, inode, *name = line.split(maxsplit=5)
    if access != "rw-p" or inode != "0" or name not in ([], ["[heap]"]):
        return range(0)
    begin, end = (int(number, 16) for number in where.split("-"))
    return range(-(-begin // LARGE) * LARGE, end - LARGE + 1, LARGE)


def collect() -> int:
    """Collect what the calling process holds into large pages, as far as the kernel agrees.

    Returns:
        The number of large pages.
    """
    agreed = 0
    with contextlib.suppress(OSError, AttributeError):  # no /proc, or not Linux
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        with open("/proc/self/maps") as file:
            lines = file.read().splitlines()
        for line in lines:
            agreed += sum(madvise(place, LARGE, _MADV_COLLAPSE) == 0 for place in _held(line))
    return agreed
