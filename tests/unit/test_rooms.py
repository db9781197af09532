"""The packages of the grader keep their order, which is computed from their imports.

A submission travels along `WAY`. A package imports only from the packages before it on the way, and nothing on the
way imports from a package beside it, so that a reader of one package never has to know a later one.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from grader.engine import fingerprints

#: The way of a submission: each package may import from those before it.
WAY = ("core", "languages", "submissions", "sandbox", "engine", "gradebook", "classrun")
#: What shows and hands out results. They may import from the whole way and from the packages named here.
AFTER = {
    "feedback": (),
    "report": (),
    "lms": ("feedback",),
    "nbgrader_plugins": ("feedback",),
    "marking": ("feedback", "nbgrader_plugins"),  # the names that configurations used before the packages were made
}
#: What is beside the way: nothing above may import it, it may import all of the above and what is named here.
BESIDE = {
    "authoring": (),
    "audit": (),
    "testing": (),
    "publishing": ("authoring",),
    "benchmarks": ("testing",),
    "demo": ("testing",),
    "doctor": (),
    "cli": ("authoring", "audit", "publishing", "benchmarks", "demo", "doctor", ""),
    "__main__": ("cli",),
    "": ("authoring", "audit", "publishing"),  # grader/__init__.py, the names for scripts
}
#: Where a mark is decided: what these import can change one.
DECIDING = ("grader.engine.submission", "grader.gradebook.writer")
#: Besides the standard library and each other, what runs behind the walls may import these.
BEHIND_THE_WALLS = {"IPython", "keras", "matplotlib", "matplotlib_inline", "numpy", "tensorflow", "traitlets"}
MOST_LINES = 450


@dataclass(frozen=True)
class Tree:
    """The modules of a package and what they import.

    Args:
        root: Folder of the package; its name is the package's.
    """

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Path of each module by its full name. The catalogue holds answers of students, which are no modules."""
        found = {}
        for path in sorted(self.root.rglob("*.py")):
            parts = path.relative_to(self.root.parent).with_suffix("").parts
            if parts[1] not in ("catalogue", "local"):
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def written(self) -> dict[str, set[str]]:
        """Names that each module imports, anywhere in it, as they are written there: dots lead to the package."""
        return {name: set(self._written(name)) for name in self.modules}

    def _written(self, name: str) -> Iterator[str]:
        for node in ast.walk(ast.parse(self.modules[name].read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = f"{node.module}." if node.module else ""
                yield from (f"{'.' * node.level}{base}{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                yield from (arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant))

    def _absolute(self, importer: str, name: str) -> str:
        """Return an imported name without the dots that it may begin with."""
        level = len(name) - len(name.lstrip("."))
        up = level if self.modules[importer].name != "__init__.py" else level - 1
        base = importer.split(".")[: -up or None] if level else []
        return ".".join([*base, name[level:]])

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Modules of the package that each module imports."""
        return {
            name: {t for n in names if (t := self._module(name, n))} - {name} for name, names in self.written.items()
        }

    def _module(self, importer: str, name: str) -> str | None:
        """Return the module that an imported name comes from, None if it is not of this package."""
        name = self._absolute(importer, name)
        while name and name not in self.modules:
            name = name.rpartition(".")[0]
        return name if name and name != importer.rpartition(".")[0] else None

    def room(self, module: str) -> str:
        """Return the first part of a module's name after the package's: a package, a top-level module or nothing."""
        return module.removeprefix(self.root.name).lstrip(".").split(".")[0]

    def reached(self, *roots: str) -> set[str]:
        """Return the modules that some modules import, directly or not, and these themselves."""
        found, todo = set(), list(roots)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.imports[name]
        return found


def is_inside(module: str) -> bool:
    """Return whether a module runs behind the walls."""
    return ".sandbox.inside." in module


def allowed(room: str) -> set[str]:
    """Return the rooms that a room may import from."""
    if room in WAY:
        return set(WAY[: WAY.index(room) + 1])
    if room in AFTER:
        return {*WAY, room, *AFTER[room]}
    return {*WAY, *AFTER, room, *BESIDE[room]}


def wrong_directions(tree: Tree) -> set[tuple[str, str]]:
    """Return imports against the order, as pairs of modules."""
    return {
        (name, target)
        for name, targets in tree.imports.items()
        for target in targets
        if tree.room(target) not in allowed(tree.room(name))
    }


def circles(imports: dict[str, set[str]]) -> set[str]:
    """Return groups of names that import each other in a circle, each as one text."""

    def reached(name: str) -> set[str]:
        found, todo = set(), list(imports[name])
        while todo:
            if (next_one := todo.pop()) not in found:
                found.add(next_one)
                todo += imports.get(next_one, ())
        return found

    reach = {name: reached(name) for name in imports}
    return {
        " ".join(sorted({name, *(other for other in reach[name] if name in reach.get(other, ()))}))
        for name in imports
        if name in reach[name]
    }


def rooms(tree: Tree) -> dict[str, set[str]]:
    """Return which rooms each room imports from."""
    found: dict[str, set[str]] = {tree.room(name): set() for name in tree.modules}
    for name, targets in tree.imports.items():
        found[tree.room(name)] |= {tree.room(target) for target in targets} - {tree.room(name)}
    return found


def foreign_inside(tree: Tree) -> set[tuple[str, str]]:
    """Return what modules behind the walls import although it need not be there.

    Their package has another name there and lies in no other one, so they import each other by a single dot.
    """
    fine = {*sys.stdlib_module_names, *BEHIND_THE_WALLS}
    return {
        (name, imported)
        for name, names in tree.written.items()
        if is_inside(name)
        for imported in names
        if imported.startswith("..") or not (imported.startswith(".") or imported.split(".")[0] in fine)
    }


def long_modules(tree: Tree) -> set[str]:
    """Return the modules that are too long."""
    return {name for name, path in tree.modules.items() if len(path.read_text("utf-8").splitlines()) > MOST_LINES}


@pytest.fixture(scope="module")
def tree(request):
    return Tree(request.config.rootpath / "grader")


def test_every_room_has_a_place_in_the_order(tree):
    assert {tree.room(name) for name in tree.modules} - {*WAY, *AFTER, *BESIDE} == set()


def test_rooms_import_in_one_direction(tree):
    assert wrong_directions(tree) == set()


def test_no_modules_and_no_rooms_import_each_other(tree):
    assert circles(tree.imports) | circles(rooms(tree)) == set()


def test_what_runs_behind_the_walls_needs_nothing_else(tree):
    assert [name for name in tree.modules if is_inside(name)], "nothing was looked at"
    assert foreign_inside(tree) == set()


def test_no_module_is_too_long(tree):
    assert long_modules(tree) == set()


def test_the_fingerprint_is_of_the_packages_that_decide_a_mark(tree):
    deciding = {tree.room(name) for name in tree.reached(*DECIDING)}
    assert deciding == set(fingerprints.DECIDING)
    assert set(fingerprints.DECIDING) < set(WAY)


def test_a_new_module_changes_the_fingerprint_where_marks_are_decided_and_nowhere_else(request, tmp_path, monkeypatch):
    package = request.config.rootpath / "grader"
    for room in (*WAY, "feedback"):
        (tmp_path / "grader" / room).mkdir(parents=True)
    of_engine = Path(fingerprints.__file__).relative_to(package)
    monkeypatch.setattr(fingerprints, "__file__", str(tmp_path / "grader" / of_engine))

    def now() -> str:
        fingerprints.environment.cache_clear()
        return fingerprints.environment()

    try:
        before = now()
        for room in (*WAY, "feedback"):
            (tmp_path / "grader" / room / "new.py").write_text(f'"""New in {room}."""\n')
            after = now()
            assert (after != before) is (room in fingerprints.DECIDING), room
            before = after
    finally:
        fingerprints.environment.cache_clear()


def made(folder: Path, files: dict[str, str]) -> Tree:
    """Write a package of some modules."""
    for name, source in files.items():
        path = folder / "grader" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return Tree(folder / "grader")


@pytest.mark.parametrize(
    ("file", "source", "wrong"),
    [
        ("core/a.py", "from grader.engine import run\n", ("grader.core.a", "grader.engine.run")),
        ("core/a.py", "import grader.engine.run\n", ("grader.core.a", "grader.engine.run")),
        ("core/a.py", "def f():\n    from grader.engine.run import g\n", ("grader.core.a", "grader.engine.run")),
        ("core/a.py", "from ..engine import run\n", ("grader.core.a", "grader.engine.run")),
        ("core/a.py", "import importlib\nimportlib.import_module('grader.cli')\n", ("grader.core.a", "grader.cli")),
        ("core/a.py", "from grader import cli\n", ("grader.core.a", "grader.cli")),
        ("core/a.py", "from grader import Course\n", ("grader.core.a", "grader")),
        ("engine/b.py", "from grader.feedback import page\n", ("grader.engine.b", "grader.feedback.page")),
        ("feedback/c.py", "from grader.audit import d\n", ("grader.feedback.c", "grader.audit.d")),
        ("report/c.py", "from grader.feedback import page\n", ("grader.report.c", "grader.feedback.page")),
        ("audit/e.py", "from grader.authoring import sync\n", ("grader.audit.e", "grader.authoring.sync")),
    ],
)
def test_an_import_against_the_order_is_found(tmp_path, file, source, wrong):
    names = ("__init__", "cli", "core/x", "engine/run", "feedback/page", "audit/d", "authoring/sync")
    tree = made(tmp_path, {**{f"{name}.py": "" for name in names}, file: source})
    assert wrong_directions(tree) == {wrong}


def test_imports_along_the_order_are_fine(tmp_path):
    source = "import json\nfrom grader.core.x import f\nfrom grader.core import x\nfrom . import b\n"
    tree = made(tmp_path, {"core/x.py": "", "engine/b.py": "", "engine/a.py": source, "cli.py": "import grader.core.x"})
    assert wrong_directions(tree) == set()
    assert tree.imports["grader.engine.a"] == {"grader.core.x", "grader.engine.b"}


def test_circles_are_found(tmp_path):
    files = {
        "core/a.py": "from grader.core import b\n",
        "core/b.py": "def f():\n    from grader.core import c\n",
        "core/c.py": "from grader.core.a import g\n",
        "core/d.py": "from grader.core import a\n",
        "sandbox/inside/one.py": "from . import two\n",
        "sandbox/inside/two.py": "from .one import f\n",
    }
    found = circles(made(tmp_path, files).imports)
    inside = "grader.sandbox.inside.one grader.sandbox.inside.two"
    assert found == {"grader.core.a grader.core.b grader.core.c", inside}


def test_circles_of_rooms_are_found_even_where_no_modules_form_one(tmp_path):
    files = {
        "audit/a.py": "from grader.testing import b\n",
        "testing/b.py": "",
        "testing/c.py": "from grader.audit import d\n",
        "audit/d.py": "",
    }
    tree = made(tmp_path, files)
    assert circles(tree.imports) == set()
    assert circles(rooms(tree)) == {"audit testing"}


@pytest.mark.parametrize(
    "line",
    [
        "import requests",
        "from grader.core import x",
        "import grader",
        "import b",
        "from grader.sandbox.inside import b",
        "from ..inside import b",
        "from .. import warm",
        "from ...core import x",
    ],
)
def test_a_foreign_import_behind_the_walls_is_found(tmp_path, line):
    fine = "import json\nfrom . import b\nfrom .b import f\nimport numpy as np\n"
    sources = {"sandbox/inside/a.py": f"{fine}{line}\n", "sandbox/inside/b.py": ""}
    found = foreign_inside(made(tmp_path, sources))
    assert [name for name, _ in found] == ["grader.sandbox.inside.a"], found


def test_a_long_module_is_found_but_not_an_answer_of_the_catalogue(tmp_path):
    long = "\n" * (MOST_LINES + 1)
    tree = made(tmp_path, {"core/a.py": long, "core/b.py": "\n" * MOST_LINES, "catalogue/01/a.py": long})
    assert long_modules(tree) == {"grader.core.a"}


def test_what_a_module_reaches_is_found_through_others(tmp_path):
    files = {
        "core/a.py": "from grader.core import b\n",
        "core/b.py": "def f():\n    from grader.sandbox import c\n",
        "sandbox/c.py": "",
        "feedback/d.py": "from grader.core import a\n",
    }
    tree = made(tmp_path, files)
    assert tree.reached("grader.core.a") == {"grader.core.a", "grader.core.b", "grader.sandbox.c"}
