"""Find what of a student's code the marks need: the answers, and what they read, followed through at any depth.

Answers are the roots. What they read is bound by locked cells, which run anyway, or by statements of the student's own,
which then run in their turn, with all that those read. Everything else stays out: explorations, changed demonstrations,
predictions. A demonstration of the release runs only if an answer reads what nothing else binds.

Followed are names: what binds one, what stores into its object (`table[0] = 1`), what hands it to a call
(`fill(table)`), also as an argument that the called function stores into (`@add_to_class(Scorer)`), and what calls a
function that declares it `global`. An object can be changed in more ways than can be listed, under other names and by
functions that know it. So if an answer reads what the student's own cells made and what can change, all that has to do
with it runs as well, in front of the last test, as long as it asks for no demonstration; it has a time of its own, and
its errors end nothing (`Needed.beside`). So does a call of what an answer's cell defines for nothing else than to fill
what the answer reads (`filling`).

A class, a function with a cache and a table of the course's can change as well, but hardly anybody changes them, and
explorations use them all the time. So what has to do with these runs only once points were lost (`Needed.more`, see
`again`). So does what calls or sets something of a module with no value of the student's (`np.seterr(all="raise")`,
`os.environ["A"] = "1"`). Seeds are not followed; they are no part of what an answer may rely on.
"""

from __future__ import annotations

import builtins
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import Enum

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader.core.filling import SHOWING, called_from, changes, filling
from grader.core.groups import Groups
from grader.core.statements import BY_TEXT, EXHAUSTING, LOOKING, Statement, statements_of


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
        beside: First lines of the statements that run although it is not known that a mark needs them, by place.
        more: The same with all else of the student's that a mark might need; None if there is nothing else.
    """

    sources: dict[int, str] = field(default_factory=dict)
    released: dict[int, tuple[str, int]] = field(default_factory=dict)
    beside: dict[int, list[int]] = field(default_factory=dict)
    more: Needed | None = None


def needed_by(cells: Mapping[int, NotebookNode], parts: Mapping[int, Part], roots: Iterable[str], end: int) -> Needed:
    """Find what the marks need.

    Args:
        cells: The code cells but for tests, by place, in order.
        parts: Whose code each is.
        roots: The names that tests and student-side cells ask for.
        end: Place of the last test.
    """
    search = _Search(cells, parts)
    search.follow(roots)
    search.add_what_may_change_it(end)
    found = search.found()
    return replace(found, more=search.found()) if search.add_what_else_may(end) else found


def statements_needed(source: str, roots: Iterable[str]) -> set[int]:
    """Return the numbers, from 0, of a cell's statements that some names need or that may change what these read.

    Args:
        source: The cell; nothing is known of any other.
        roots: The names.
    """
    search = _Search({0: new_code_cell(source)}, {0: Part.OWN})
    search.follow(roots)
    search.add_what_may_change_it(1)
    return {n for n, line in enumerate(search.lines[0]) if line in search.kept or line in search.perhaps}


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
        self.handed: set[str] = set()  # to a function that stores into it
        for place in cells:
            for line in self.lines[place]:
                for name in line.said.binds:
                    if parts[place] is Part.RELEASED:
                        self.shown[name].append(place)
                    else:
                        self.binders[name].append(line)
        modules = {name for lines in self.lines.values() for line in lines for name in line.said.imports}
        self.modules, self.starred = modules, {name for line in self.students for name in line.said.starred}
        self.bound = {name for line in self.students for name in line.said.binds} - modules
        made = {name for line in self.students if not line.said.defines for name in line.said.binds}
        for line in self.students:
            # A call may change what the student made, a method also a function or class, and neither changes a module:
            # `plt.plot(...)`.
            changed = (line.said.stores | (line.said.hands & made) | (line.said.methods & self.bound)) - modules
            for name in changed:
                self.touching[name].append(line)
        self._through_calls()
        self._through_arguments(modules)
        courses = [place for place in cells if parts[place] in (Part.LOCKED, Part.ANSWER)]
        self.given = {name for place in courses for line in self.lines[place] for name in line.said.binds}
        self.perhaps: set[_Line] = set()
        self.kept: set[_Line] = set()
        self.released: dict[int, tuple[str, int]] = {}
        self.beside: dict[int, list[int]] = {}
        self.asked: set[str] = set()
        self.called: set[str] = set()  # by the tests
        self.waiting: deque[tuple[_Line, int]] = deque()

    def _through_calls(self) -> None:
        """Count what calls a function that declares a name `global` as binding that name."""
        calling: dict[str, list[_Line]] = defaultdict(list)
        for line in self.students:
            for name in line.said.now:
                calling[name].append(line)
        seen: set[tuple[str, str]] = set()
        waiting = deque(
            (function, name)
            for line in self.students
            for name in line.said.declared
            for function in line.said.binds - line.said.declared
        )
        while waiting:
            function, name = waiting.popleft()
            if (function, name) in seen:
                continue
            seen.add((function, name))
            for line in calling[function]:
                self.touching[name].append(line)
                waiting += [(outer, name) for outer in line.said.binds] if line.said.later else []

    def _through_arguments(self, modules: Set[str]) -> None:
        """Count what hands something to a function that stores into it as storing into it: `@add_to_class(Scorer)`."""
        parameters: dict[str, tuple[str, ...]] = {}
        handing: dict[tuple[str, int | str], list[tuple[_Line, str]]] = defaultdict(list)
        for line in self.students:
            for function in line.said.binds if line.said.parameters else ():
                parameters[function] = line.said.parameters
            for function, place, name in line.said.given:
                handing[function, place].append((line, name))
        waiting = deque(
            (function, name)
            for line in self.students
            for name in line.said.stores.intersection(line.said.parameters)
            for function in line.said.binds
        )
        seen: set[tuple[str, str]] = set()
        while waiting:
            function, parameter = waiting.popleft()
            if (function, parameter) in seen:
                continue
            seen.add((function, parameter))
            order = parameters[function]
            for place in (parameter, order.index(parameter)) if parameter in order else ():
                for line, name in handing[function, place]:
                    if name in line.said.parameters:  # it hands on what it is handed
                        waiting += [(outer, name) for outer in line.said.binds]
                    elif name not in modules:
                        self.touching[name].append(line)
                        self.handed.add(name)

    def follow(self, roots: Iterable[str]) -> None:
        """Follow names to all that they need."""
        for line in self.students:
            if line.said.anything:
                self._keep(line, line.place)
        roots = list(roots)
        self.called = called_from(roots, [line.said for line in self.students])
        for name in roots:
            self._ask(name, -1)
        while self.waiting:
            line, behalf = self.waiting.popleft()
            locked = self.parts[line.place] is Part.LOCKED
            for name in sorted(line.said.now | line.said.later):
                # The course's cells need each other, and answers; a student's own `n` they would find by chance.
                if not locked or name in self.given:
                    self._ask(name, behalf)
                if not locked:
                    self._ask_demonstrations(name, behalf, line)

    def add_what_may_change_it(self, end: int) -> None:
        """Find the student's statements that have to do with what an answer reads and what they made, and can change.

        Args:
            end: Place of the last test: what comes behind changes no mark.
        """
        self._add(self._loose(), self.asked, end, lambda said: said.looks)

    def add_what_else_may(self, end: int) -> bool:
        """Find also what may change what an answer reads in a way that is not followed.

        That is all that has to do with a class, with a function that remembers something, has an attribute that is
        read or binds a name by `global`, with a table of the course's or of a demonstration, with an iterator or with
        names reached by text, and what has an effect on a module.

        Args:
            end: Place of the last test.

        Returns:
            Whether there is anything.
        """
        before = set(self.perhaps)
        kept = [line.said for line in self.students if line in self.kept]
        read = {name for said in kept for name in said.now | said.later}
        functions = {name for line in self.students if line.said.defines for name in line.said.binds}
        marked = {name for said in kept for name in said.attributes} & functions
        loose = self._loose()
        remembers = (
            line
            for line in self.students
            if line.said.remembers or changes(line.said) & loose or line.said.declared & self.asked
        )
        remembering = {name for line in remembers for name in line.said.binds}
        courses = [n for n, part in self.parts.items() if part is Part.LOCKED or n in self.released]
        others = [line.said for place in courses for line in self.lines[place]]
        given = {n for said in others if not (said.defines or said.fixed) for n in said.binds - said.imports}
        loose |= remembering | marked | (given & read) | BY_TEXT
        self._add(loose, self.asked | BY_TEXT, end, lambda said: said.looks and EXHAUSTING.isdisjoint(said.now))
        self._run_too(self._on_modules(), end)
        return any(not line.said.defines or line.said.remembers for line in self.perhaps - before)

    def _add(self, loose: Set[str], asked: Set[str], end: int, looks: Callable[[Statement], bool]) -> None:
        """Add to what may be needed all that has to do with some names.

        Args:
            loose: The names of all that can change.
            asked: The names in question.
            end: Place of the last test.
            looks: Returns whether a statement changes nothing.
        """
        own = [line for line in self.students if self.parts[line.place] is Part.OWN]
        fills, sure = filling((line.said for line in self.students), self.called, loose, self.asked & self.bound)
        loose, asked = loose | fills, asked | sure
        if not asked & loose:
            return
        knowing = self._knowing(own, loose)
        connects = (
            line
            for line in self.students
            if self.parts[line.place] is Part.OWN or not line.said.defines or line.said.binds & fills
        )
        groups = Groups()
        for line in connects:
            groups.join(self._mentioned(line) & knowing)
        wanted = {groups.of(name) for name in asked & loose}
        concerned = (
            line
            for line in own
            if not (looks(line.said) and LOOKING.isdisjoint(line.said.now & self.bound))
            and any(groups.of(name) in wanted for name in self._mentioned(line) & knowing)
        )
        self._run_too(concerned, end)
        for line in own:  # what reads what was left out is left out as well
            if line in self.perhaps and not line.said.defines and not all(map(self._is_there, line.said.now)):
                self.perhaps.discard(line)

    def _on_modules(self) -> Iterator[_Line]:
        """Yield the student's statements that change something of a module, and what calls a function that does."""
        own = [line for line in self.students if self.parts[line.place] is Part.OWN]
        fixed = {name for line in self.students if line.said.fixed for name in line.said.binds}
        fixed |= self.modules | set(dir(builtins))
        names = self.modules - SHOWING
        doing = {n for x in own if x.said.defines and (x.said.effects | x.said.stores) & names for n in x.said.binds}
        for line in own:
            calls = line.said.effects & (names | doing) and line.said.now <= fixed | doing
            if not line.said.defines and (calls or line.said.stores & names):
                yield line

    def _run_too(self, lines: Iterable[_Line], end: int) -> None:
        """Add statements to what may be needed, with all of the student's own that they read."""
        waiting = deque(lines)
        while waiting:
            line = waiting.popleft()
            if line in self.perhaps or line in self.kept or line.place >= end or self._lacks(line):
                continue
            self.perhaps.add(line)
            for name in self._mentioned(line):
                waiting += [x for x in self.binders.get(name, ()) if self.parts[x.place] is Part.OWN]

    def _is_there(self, name: str) -> bool:
        """Return whether something that runs binds a name, or nothing that could run does."""
        binders = self.binders.get(name, ())
        runs = (x in self.kept or x in self.perhaps or self.parts[x.place] is not Part.OWN for x in binders)
        return not binders or any(runs)

    def _loose(self) -> set[str]:
        """Return the names of what the student made and what can change: no number, no text, no mere function."""
        own = [line for line in self.students if self.parts[line.place] is Part.OWN]
        fixed = {name for line in self.students if line.said.fixed for name in line.said.binds}
        others = [line.said for line in self.students if not (line.said.defines or line.said.fixed)]
        made = {name for said in others for name in said.binds - said.declared}
        touched = {name for line in own for name in line.said.stores | line.said.methods} | self.handed
        return self.bound & (made | (touched - fixed))

    def _knowing(self, own: Iterable[_Line], loose: Set[str]) -> set[str]:
        """Return these names, and those of the student's own functions and classes that know one of them."""
        readers: dict[str, list[_Line]] = defaultdict(list)
        for line in own:
            for name in line.said.later if line.said.defines else ():
                readers[name].append(line)
        found, waiting = set(loose), list(loose)
        while waiting:
            for line in readers.pop(waiting.pop(), ()):
                waiting += line.said.binds - found
                found |= line.said.binds
        return found

    @staticmethod
    def _mentioned(line: _Line) -> frozenset[str]:
        return line.said.binds | line.said.now | line.said.later

    def _lacks(self, line: _Line) -> bool:
        """Return whether a statement reads what only a demonstration provides."""
        shown = (n for n in line.said.now if n in self.shown and n not in self.binders)
        return not line.said.defines and any(self.released.keys().isdisjoint(self.shown[n]) for n in shown)

    def _ask(self, name: str, behalf: int) -> None:
        """Keep the code of the student's and the locked code that provides a name."""
        if name not in self.asked:
            self.asked.add(name)
            for line in [*self.binders.get(name, ()), *self.touching.get(name, ())]:
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
        if others or hasattr(builtins, name) or name in self.starred:
            return
        for place in self.shown.get(name, ()):
            if place not in self.released:
                self.released[place] = (first or name, behalf)
                for line in self.lines[place]:
                    for read in sorted(line.said.now | line.said.later):
                        self._ask(read, behalf)
                        self._ask_demonstrations(read, behalf, None, first or name)

    def found(self) -> Needed:
        """Return what was found so far."""
        self.beside = {}
        return Needed(dict(self._sources()), dict(sorted(self.released.items())), self.beside)

    def _sources(self) -> Iterator[tuple[int, str]]:
        """Yield the places of the student's cells that run, each with what of it runs."""
        there: set[str] = set()
        for place, lines in self.lines.items():
            part = self.parts[place]
            if part is Part.OWN:
                lines = [line for line in lines if line in self.kept or line in self.perhaps]
                if beside := [line.said.first for line in lines if line in self.perhaps]:
                    self.beside[place] = beside
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
    lines, keep = list(lines), {n for line in kept for n in range(line.said.first, line.said.last + 1)}
    for line in (*lines, *lines[::-1]):  # what shares a line with what is kept cannot be cut out by lines
        span = range(line.said.first, line.said.last + 1)
        keep = keep.union(span) if keep.intersection(span) else keep
    cut = {n for line in lines for n in range(line.said.first, line.said.last + 1)} - keep
    return source if not cut else "\n".join("" if n in cut else s for n, s in enumerate(source.split("\n"), 1))
