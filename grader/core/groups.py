"""Names that have to do with each other."""

from __future__ import annotations

from collections.abc import Iterable


class Groups:
    """Names that have to do with each other, as sets that grow together."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the name that stands for a name's group."""
        while (above := self.above.get(name, name)) != name:
            self.above[name] = self.above.get(above, above)
            name = above
        return name

    def join(self, names: Iterable[str]) -> None:
        """Make one group of those of some names."""
        first = ""
        for name in names:
            first = first or self.of(name)
            self.above[self.of(name)] = first
