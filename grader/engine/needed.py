"""Find what of a student's code the marks need: the answers, and what they read, followed through at any depth.

Answers are the roots. What they read is bound by locked cells, which run anyway, or by statements of the student's own,
which then run in their turn, with all that those read. Everything else stays out: explorations, changed demonstrations,
predictions. A demonstration of the release runs only if an answer reads what nothing else binds.

Followed are names: what binds one, what stores into its object (`table[0] = 1`), what hands it to a call
(`fill(table)`) or calls a method of it (`table.update(...)`), itself or under another name (`row = table[0]`), and what
calls a function that does so or declares it `global`. Effects without a name (`np.seterr`, a seed, a patched module)
are not followed; they are no part of what an answer may rely on.
"""

from __future__ import annotations

import builtins
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import Enum

from nbformat import NotebookNode

from grader.core.statements import Statement, statements_of


class Part(Enum):
    """Whose code a cell is."""

    LOCKED = "locked"
    ANSWER = "answer"
    OWN = "the student's own"
    RELEASED = "a demonstration or self-check as it was released"


@dataclass(frozen=True)
class Needed:
    """What the marks need.

    Args:
        sources: Of the student's cells that run, what of them runs, by place; other lines are blank.
        released: Places of the demonstrations that an answer needs, each with the name that asks for it and the place
            of the answer.
        beside: First lines of the statements of answer cells that run although no mark needs them, by place.
    """

    sources: dict[int, str] = field(default_factory=dict)
    released: dict[int, tuple[str, int]] = field(default_factory=dict)
    beside: dict[int, list[int]] = field(default_factory=dict)


def needed_by(cells: Mapping[int, NotebookNode], parts: Mapping[int, Part], roots: Iterable[str]) -> Needed:
    """Find what the marks need.

    Args:
        cells: The code cells but for tests, by place, in order.
        parts: Whose code each is.
        roots: The names that tests and student-side cells ask for.
    """
    search = _Search(cells, parts)
    search.follow(roots)
    return Needed(dict(search.sources()), dict(sorted(search.released.items())), search.beside)


@dataclass(frozen=True, eq=False)
class _Line:
    """A statement, and where it stands."""

    place: int
    said: Statement


class _Search:
    """The search for what is needed.

    Args:
        cells: As for `needed_by`.
        parts: As for `needed_by`.
    """

    def __init__(self, cells: Mapping[int, NotebookNode], parts: Mapping[int, Part]):
        self.cells, self.parts = cells, parts
        self.lines = {place: [_Line(place, said) for said in statements_of(c.source)] for place, c in cells.items()}
        own = (Part.ANSWER, Part.OWN)
        self.students = [line for place in cells if parts[place] in own for line in self.lines[place]]
        self.binders: dict[str, list[_Line]] = defaultdict(list)
        self.shown: dict[str, list[int]] = defaultdict(list)  # demonstrations that bind a name
        self.touching: dict[str, list[_Line]] = defaultdict(list)
        for place in cells:
            for line in self.lines[place]:
                for name in line.said.binds:
                    if parts[place] is Part.RELEASED:
                        self.shown[name].append(place)
                    else:
                        self.binders[name].append(line)
        self.first = self._first_names()
        self.changes = self._changes()
        for line in self.students:
            for name in self.changes[line]:
                self.touching[self.first.get(name, name)].append(line)
        self._through_calls()
        self.kept: set[_Line] = set()
        self.released: dict[int, tuple[str, int]] = {}
        self.beside: dict[int, list[int]] = {}
        self.asked: set[str] = set()
        self.waiting: deque[tuple[_Line, int]] = deque()

    def _first_names(self) -> dict[str, str]:
        """Return for names of the student's that may stand for one object, or for parts of it, the first of them."""
        first: dict[str, str] = {}

        def find(name: str) -> str:
            while (above := first.get(name, name)) != name:
                first[name] = first.get(above, above)
                name = above
            return name

        made = {name for line in self.students if not line.said.defines for name in line.said.binds}
        for line in self.students:
            for group in line.said.same:
                names = sorted(group & made)
                for name in names[1:]:
                    first[find(name)] = find(names[0])
        return {name: find(name) for name in first}

    def _changes(self) -> dict[_Line, Set[str]]:
        """Return the names whose objects each statement of the student's may change, or what it defines when called.

        A call may change what the student made, a method also a function or class of theirs, and neither changes a
        module: `plt.plot(...)`. A call for its value changes no number or text.
        """
        modules = {name for lines in self.lines.values() for line in lines for name in line.said.imports}
        bound = {name for line in self.students for name in line.said.binds}
        made = {name for line in self.students if not line.said.defines for name in line.said.binds}
        loose = {
            name for line in self.students if not (line.said.defines or line.said.fixed) for name in line.said.binds
        }
        found: dict[_Line, Set[str]] = {}
        for line in self.students:
            said = line.said
            by_calls = (said.hands & made) | (said.methods & bound) | (said.lends & loose)
            found[line] = (said.stores | by_calls) - modules
        return found

    def _through_calls(self) -> None:
        """Count what calls a function that declares a name `global`, or changes its object, as binding that name.

        What an answer changes, such as a memory of its results, the tests' own calls change: none but these count.
        """
        calling: dict[str, list[_Line]] = defaultdict(list)
        for line in self.students:
            for name in line.said.now:
                calling[name].append(line)
        seen: set[tuple[str, str, bool]] = set()
        waiting: deque[tuple[str, str, bool]] = deque()
        for line in self.students:
            inside = self.changes[line] & line.said.later if self.parts[line.place] is Part.OWN else set()
            for function in line.said.binds - line.said.declared:
                waiting += [(function, name, True) for name in line.said.declared]
                waiting += [(function, name, False) for name in inside]
        while waiting:
            function, name, declared = one = waiting.popleft()
            if one in seen:
                continue
            seen.add(one)
            for line in calling[function]:
                self.touching[self.first.get(name, name)].append(line)
                if line.said.later and (declared or self.parts[line.place] is Part.OWN):
                    waiting += [(outer, name, declared) for outer in line.said.binds]

    def follow(self, roots: Iterable[str]) -> None:
        """Follow names to all that they need."""
        for line in self.students:
            if line.said.anything:
                self._keep(line, line.place)
        for name in roots:
            self._ask(name, -1)
        while self.waiting:
            line, behalf = self.waiting.popleft()
            locked = self.parts[line.place] is Part.LOCKED
            for name in sorted(line.said.now | line.said.later):
                self._ask(name, behalf)
                if not locked:
                    self._ask_demonstrations(name, behalf, line)

    def _ask(self, name: str, behalf: int) -> None:
        """Keep the code of the student's and the locked code that provides a name."""
        if name not in self.asked:
            self.asked.add(name)
            for line in [*self.binders.get(name, ()), *self.touching.get(self.first.get(name, name), ())]:
                self._keep(line, behalf)

    def _keep(self, line: _Line, behalf: int) -> None:
        if line not in self.kept:
            self.kept.add(line)
            self.waiting.append((line, line.place if self.parts[line.place] is Part.ANSWER else behalf))

    def _ask_demonstrations(self, name: str, behalf: int, asker: _Line | None, first: str = "") -> None:
        """Keep the demonstrations that bind a name which the student reads, if nothing else does.

        Args:
            name: The name.
            behalf: Place of the answer.
            asker: The statement of the student's that reads it.
            first: The name that it reads, if a demonstration that binds that one needs this one.
        """
        own_first = asker is not None and name in asker.said.now
        others = [line for line in self.binders.get(name, ())[:2] if not (own_first and line is asker)]
        if others or hasattr(builtins, name):
            return
        for place in self.shown.get(name, ()):
            if place not in self.released:
                self.released[place] = (first or name, behalf)
                for line in self.lines[place]:
                    for read in sorted(line.said.now | line.said.later):
                        self._ask(read, behalf)
                        self._ask_demonstrations(read, behalf, None, first or name)

    def sources(self) -> Iterator[tuple[int, str]]:
        """Yield the places of the student's cells that run, each with what of it runs."""
        there: set[str] = set()
        for place, lines in self.lines.items():
            part = self.parts[place]
            if part is Part.OWN:
                lines = [line for line in lines if line in self.kept]
            elif part is Part.ANSWER:
                lines = list(self._possible(lines, there))
                said = (line.said for line in lines if line not in self.kept)
                if beside := [one.first for one in said if not (one.defines or one.imports)]:
                    self.beside[place] = beside
            elif part is Part.RELEASED and place not in self.released:
                lines = []
            there = there.union(*(line.said.binds for line in lines))
            if part is Part.ANSWER or (part is Part.OWN and lines):
                yield place, _only(self.cells[place].source, self.lines[place], lines)

    def _possible(self, lines: Iterable[_Line], there: Set[str]) -> Iterator[_Line]:
        """Yield the statements of an answer cell that the marks need, and those that find what they read.

        What only looks at something that was not run, such as `print(translator)`, would end with an error here.
        """
        now = set(there)
        for line in lines:
            absent = (n for n in line.said.now - now if n in self.binders or n in self.shown)
            if line in self.kept or all(hasattr(builtins, name) for name in absent):
                now |= line.said.binds
                yield line


def _only(source: str, lines: Iterable[_Line], kept: Iterable[_Line]) -> str:
    """Return a cell in which the lines of the other statements are blank."""
    keep = {n for line in kept for n in range(line.said.first, line.said.last + 1)}
    cut = {n for line in lines for n in range(line.said.first, line.said.last + 1)} - keep
    return source if not cut else "\n".join("" if n in cut else s for n, s in enumerate(source.split("\n"), 1))
