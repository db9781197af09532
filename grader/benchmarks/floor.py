"""The least that marking can cost: answers and tests in one child of a warm process, no walls, no nbgrader.

`bench.py` starts this file as a program. A line of JSON with imports comes first, then one with the cells of a notebook
for each submission; back comes how many tests failed. Whoever started it measures.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys


def run(cells: list[list[str]]) -> int:
    """Run the cells of a notebook one after the other; give how many tests failed.

    Args:
        cells: Pairs of kind (`"test"` or another) and source.
    """
    space: dict = {"__name__": "__main__"}
    failed = 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for kind, source in cells:
            try:
                exec(compile(source, "<cell>", "exec"), space)
            except Exception:
                failed += kind == "test"
    return failed


def main() -> None:
    """Serve until the input ends."""
    space: dict = {"os": os}
    for line in json.loads(sys.stdin.readline()).splitlines():
        with contextlib.suppress(Exception):
            exec(line, space)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os._exit(min(run(json.loads(line)), 100))
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"failed": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
