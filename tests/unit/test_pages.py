"""A warm process that is forked often has large pages, which a fork does not have to copy the list of."""

import mmap
import os
import platform
import re
import socket
from pathlib import Path

import pytest

from grader.sandbox.inside import pages
from grader.sandbox.inside.isolate import Level, Limits
from grader.sandbox.inside.orders import Role
from grader.sandbox.warm import Template

KERNEL = tuple(map(int, re.match(r"(\d+)\.(\d+)", platform.release()).groups()))
collecting = pytest.mark.skipif(KERNEL < (6, 1) or mmap.PAGESIZE != 4096, reason="this kernel collects no pages")


def large_kb(pid):
    [line] = re.findall(r"^AnonHugePages: +(\d+) kB$", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    return int(line)


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("7f0000100000-7f0000700000 rw-p 00000000 00:00 0 ", [0x7F0000200000, 0x7F0000400000]),
        ("7f0000200000-7f0000600000 rw-p 00000000 00:00 0 ", [0x7F0000200000, 0x7F0000400000]),
        ("55d000000000-55d000400000 rw-p 00000000 00:00 0       [heap]", [0x55D000000000, 0x55D000200000]),
        ("7f0000100000-7f0000300000 rw-p 00000000 00:00 0 ", []),
        ("7f0000200000-7f0000600000 r--p 00000000 00:00 0 ", []),
        ("7f0000200000-7f0000600000 rw-s 00000000 00:05 77                         /dev/shm/a name", []),
        ("7f0000200000-7f0000600000 rw-p 00004000 08:01 1234                       /usr/lib/libc.so.6", []),
        ("7ff000000000-7ff000400000 rw-p 00000000 00:00 0                          [stack]", []),
    ],
)  # fmt: skip
def test_only_whole_large_pages_of_no_file_are_collected(line, places):
    assert list(pages._held(line)) == places


@collecting
def test_memory_is_collected_and_keeps_what_it_holds():
    size = 8 * pages.LARGE
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        memory.madvise(mmap.MADV_NORMAL)
        for place in range(0, size, mmap.PAGESIZE):
            memory[place] = place // mmap.PAGESIZE % 251
        pid = os.fork()
        if pid == 0:  # what is collected stays in this child
            ended = 1
            try:
                agreed, large = pages.collect(), large_kb(os.getpid())
                same = all(memory[place] == place // mmap.PAGESIZE % 251 for place in range(0, size, mmap.PAGESIZE))
                ended = 0 if same and agreed and large else 2
            finally:
                os._exit(ended)
        assert os.waitpid(pid, 0)[1] == 0


@collecting
def test_a_process_collects_once_it_was_forked_often():
    ballast = "import sys; sys.ballast = [bytes(100) for _ in range(200_000)]"
    with Template(ballast, isolation=Level.LIMITS, at_most=Level.LIMITS) as template:

        def spawn(times):
            for _ in range(times):
                own, other = socket.socketpair()
                with own, other:
                    number, _ = template.spawn(Role.AUDIT, [other], Limits())
                template.end(number, 0)
            return large_kb(template._process.pid)

        few = spawn(pages.WORTH_IT - 1)
        assert spawn(1) > few
