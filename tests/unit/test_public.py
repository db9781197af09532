"""What a script may import from `grader`."""

import ast
import inspect
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import grader


def test_every_public_name_is_there():
    for name in grader.__all__:
        assert getattr(grader, name) is not None, name
    assert set(grader.__all__) <= set(dir(grader))


def test_the_names_for_type_checkers_are_those_that_are_imported_at_first_use():
    tree = ast.parse(inspect.getsource(grader))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {node.module: tuple(alias.name for alias in node.names) for node in block.body}
    assert declared == grader._HOMES
    names = [name for names in declared.values() for name in names]
    assert sorted([*names, "__version__"]) == sorted(grader.__all__)


def test_a_name_that_is_not_public_is_an_ordinary_error():
    with pytest.raises(AttributeError, match="has no attribute 'mark_everything'"):
        grader.mark_everything  # noqa: B018
    assert not hasattr(grader, "warm")


def test_importing_the_package_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import grader; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "grader" in done.stdout.split()
    heavy = [name for name in done.stdout.split() if name.split(".")[0] in ("nbgrader", "nbformat", "numpy", "keras")]
    own = [name for name in done.stdout.split() if name.startswith("grader.")]
    assert (heavy, own) == ([], [])


def test_the_package_says_that_it_is_typed():
    assert (Path(grader.__file__).parent / "py.typed").is_file()


def test_the_example_marks_a_submission(course):
    shutil.copy(course.source("09_doubling"), course.root / "ada.ipynb")
    lines = inspect.getdoc(grader).splitlines()
    example = textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))
    assert example.startswith("import pathlib, grader")
    here = Path(grader.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=course.root,
        env={**os.environ, "PYTHONPATH": str(here)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "3.0 of 3.0\n", done.stderr
