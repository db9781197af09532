"""Every package that is imported is declared in pyproject.toml: what another package brings along can go with it."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Packages that an extra installs; the code imports them only where somebody asked for what they are for.
EXTRAS = {"distributed": "cluster", "psycopg": "postgresql"}
EXTRAS |= {name: "site" for name in ("sphinx", "docutils", "latex2mathml")}


def plain(name):
    """Return the name of a distribution in its normal form."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*lists):
    """Return the names in the main list of dependencies and in the named optional ones."""
    entries = [*PROJECT["dependencies"], *(e for name in lists for e in PROJECT["optional-dependencies"][name])]
    return {plain(re.match(r"[\w.-]+", entry)[0]) for entry in entries}


def imported(*folders):
    """Return the first names of all imports below some folders, wherever in a file they are, with a file of each."""
    found = {}
    for path in (p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))):
        if "local" in path.relative_to(ROOT).parts:  # grader/local has students' files
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            found.update({name.partition(".")[0]: path.relative_to(ROOT).as_posix() for name in names})
    return found


def ours():
    """Return the names under which the repository's own files and folders are imported."""
    return {p.stem for folder in ("grader", "assets", "tests") for p in [ROOT / folder, *(ROOT / folder).rglob("*")]}


def undeclared(modules, names):
    """Return the imports that no declared distribution provides, with a file of each."""
    known, own = importlib.metadata.packages_distributions(), ours()
    return {
        module: path
        for module, path in modules.items()
        if module not in sys.stdlib_module_names | own and not {plain(n) for n in known.get(module, [])} & names
    }


@pytest.mark.parametrize(
    ("folders", "lists"),
    [(("grader", "assets/helpers"), tuple(EXTRAS.values())), (("tests", "assets"), ("dev", *EXTRAS.values()))],
)
def test_every_import_is_declared(folders, lists):
    modules = imported(*folders)
    assert {"numpy", "matplotlib"} <= modules.keys()
    assert undeclared(modules, declared(*lists)) == {}


def test_what_an_extra_installs_is_imported_only_when_it_is_needed():
    files = [p for p in sorted((ROOT / "grader").rglob("*.py")) if "local" not in p.relative_to(ROOT).parts]
    assert files
    for path in files:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & EXTRAS.keys(), path


def test_an_import_that_is_not_declared_is_found():
    modules = {"bleach": "x.py", "nowhere": "y.py", "numpy": "z.py", "os": "z.py", "grader": "z.py"}
    assert undeclared(modules, {"numpy", "nbconvert"}) == {"bleach": "x.py", "nowhere": "y.py"}


def test_requirements_pin_each_of_them():
    pins = re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    assert declared("dev", *EXTRAS.values()) - {plain(p) for p in pins} - {"attention-course"} == set()
