"""Which threads the warm process has: with some of them it must not be forked."""

from __future__ import annotations

import contextlib
import os

#: How the names of the threads begin that TensorFlow starts for its first operation (`tf_Compute`, `tf_graph_runner`).
OF_OPERATIONS = "tf_"


def threads() -> dict[int, str]:
    """Return the names of this process's threads by their number."""
    found = {}
    with contextlib.suppress(OSError):  # not Linux
        for number in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError), open(f"/proc/self/task/{number}/comm") as file:  # it has just ended
                found[int(number)] = file.read().strip()
    return found


class Lookout:
    """Remembers the threads that were there when the imports were done.

    A fork copies the thread that forks and no other. A library that starts a thread while it is imported (OpenBLAS,
    some builds of TensorFlow) is prepared for that: it starts another one when it needs it. TensorFlow after its first
    operation is not: its children wait for ever for the threads of its pools. With TensorFlow 2.21, Keras 3.15 and
    one thread per library (`warm.ENVIRONMENT`) the imports start none at all, the first operation three.
    """

    def __init__(self) -> None:
        self.before = {number for number, name in threads().items() if not name.startswith(OF_OPERATIONS)}

    def objection(self) -> str:
        """Return why this process must not be forked, or an empty string."""
        # In a process that was forked itself, the one thread has another number than it had before the fork.
        new = [name for number, name in sorted(threads().items()) if number not in {*self.before, os.getpid()}]
        if not new:
            return ""
        return (
            f"the warm process cannot be forked safely, since threads were started in it after its imports or by an "
            f"operation: {', '.join(new)}. Importing a module of the notebook must not run a TensorFlow operation"
        )
