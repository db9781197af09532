"""The warm processes that a marking process keeps: started when first needed, ended together."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from grader.core.private import Place
from grader.sandbox.warm import Template, Twin, WarmProcess

#: Imports, least level of isolation, and what must not be seen.
_Key = tuple[str, str, tuple[Place, ...]]


class Warm:
    """The warm processes of this process: one for each set of imports, and twins of it for further threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._mains: dict[_Key, WarmProcess] = {}
        self._users: Counter[_Key] = Counter()
        self._own = threading.local()
        self._private: tuple[Place, ...] = ()

    def keep_out(self, places: Iterable[Place]) -> None:
        """Name what the processes started from now on must not see; what was named before stays named.

        Args:
            places: Files and folders, those of the course that is marked.
        """
        self._private = tuple(dict.fromkeys((*self._private, *places)))

    @contextmanager
    def use(self, imports: str, isolation: str) -> Iterator[WarmProcess]:
        """Lend a warm process to this thread, started if need be; others that nobody uses end then."""
        key = (imports, isolation, self._private)
        with self._lock:
            main = self._mains.get(key)
            if main is None or not main.alive:
                for other in [k for k in self._mains if not self._users[k] or k == key]:
                    self._mains.pop(other).close()
                main = self._mains[key] = Template(imports, isolation, private=self._private).__enter__()
            self._users[key] += 1
        try:
            yield main if threading.current_thread() is threading.main_thread() else self._twin(main)
        finally:
            with self._lock:
                self._users[key] -= 1

    def _twin(self, main: WarmProcess) -> Twin:
        own = getattr(self._own, "twin", None)
        if own is None or own[0] is not main or not own[1].alive:
            own = self._own.twin = (main, main.twin())
        return own[1]

    def adopt(self, imports: str, isolation: str, twin: Twin) -> None:
        """Take over a warm process that was made for this worker."""
        self._mains = {(imports, isolation, self._private): twin}

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for key in list(self._mains):
                self._mains.pop(key).close()


warm = Warm()
