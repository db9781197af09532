"""Take in submissions whose files have to be compared while others are marked: nobody waits for somebody else's files.

Comparing is done by a process with limits of its own (`engine/handed.py`), which may use all of them. A thread waits
for it, so that the process which hands out the work does not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from grader.engine import handed

Key = TypeVar("Key")
Taken = TypeVar("Taken")


class Choosing(Generic[Key, Taken]):
    """What is taken in beside a run.

    Args:
        take: Takes in one submission.
        jobs: How many at once.
    """

    def __init__(self, take: Callable[[Key], Taken], jobs: int):
        self._take, self._later = take, deque[Key]()
        self._readers: list[handed.Reader] = []
        self._threads = ThreadPoolExecutor(jobs, initializer=lambda: self._readers.append(handed.reader()))
        self.under_way: dict[Future[Taken], Key] = {}

    def __bool__(self) -> bool:
        return bool(self._later or self.under_way)

    def add(self, key: Key) -> None:
        """Have a submission taken in when its turn comes."""
        self._later.append(key)

    def ready(self, room: int) -> tuple[Key, Callable[[], Taken]] | None:
        """Return a submission that is taken in and what returns or raises what came of it; None if there is none yet.

        Args:
            room: How many may be under way or wait to be fetched: what they hold is in memory.
        """
        while self._later and len(self.under_way) < room:
            key = self._later.popleft()
            self.under_way[self._threads.submit(self._take, key)] = key
        done = next((future for future in self.under_way if future.done()), None)
        return None if done is None else (self.under_way.pop(done), done.result)

    def awaited(self) -> list[Future[Taken]]:
        """List what is not done yet."""
        return [future for future in self.under_way if not future.done()]

    def close(self) -> None:
        """End the threads and their processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._readers:
            reader.stop()
        self._threads.shutdown()
        for reader in self._readers:
            reader.close()
