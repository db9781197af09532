"""The badge in a notebook's first cell opens its release on Colab; its last cell knows every exercise."""

import ast
import re
import shutil
import tomllib
import types

import pytest
from helpers.yours import library_advice

from grader.authoring.sync import sync
from grader.core.cells import CellKind, exercises, kind_of, written_points
from grader.core.course import Course
from grader.core.names import imported_modules
from grader.core.notebook import read_notebook

LINK = re.compile(r"https://colab\.research\.google\.com/github/[^\s)\"]*")


def links(nb):
    """Give every address on Colab in a notebook."""
    return [address for cell in nb.cells for address in LINK.findall(cell.source)]


@pytest.mark.parametrize("which", ["source", "released"])
def test_the_badge_opens_the_release_in_the_repository_that_is_set(course, assignment, which):
    settings = tomllib.loads((course.root / "pyproject.toml").read_text(encoding="utf-8"))
    repository = settings["tool"]["course"]["repository"]
    nb = read_notebook(getattr(course, which)(assignment))
    (address,) = links(nb)
    assert address in nb.cells[0].source
    root, path = address.split("/blob/main/")
    assert root == f"https://colab.research.google.com/github/{repository}"
    assert course.root / path == course.released(assignment)
    assert (course.root / path).is_file()


def test_a_new_repository_changes_every_badge_and_nothing_else(course, tmp_path):
    for name in ("nbgrader_config.py", "pyproject.toml"):
        shutil.copy(course.root / name, tmp_path)
    for folder in ("solutions", "assets/helpers"):
        shutil.copytree(course.root / folder, tmp_path / folder)
    own = Course(tmp_path)
    assert sync(own, own.assignments(), write=False) == []
    before = {a: read_notebook(own.source(a)) for a in own.assignments()}
    setting = tmp_path / "pyproject.toml"
    setting.write_text(
        re.sub(r'^repository = ".*"$', 'repository = "somebody/their-course"', setting.read_text(), flags=re.M)
    )
    assert sync(own, own.assignments()) == list(before)
    for assignment, old in before.items():
        new = read_notebook(own.source(assignment))
        target = f"somebody/their-course/blob/main/notebooks/{assignment}/{assignment}.ipynb"
        assert links(new) == [f"https://colab.research.google.com/github/{target}"]
        new.cells[0].source = LINK.sub(links(old)[0], new.cells[0].source)
        assert new == old


def test_the_last_cell_lists_every_exercise_as_its_self_check_is_called(course, assignment):
    nb = read_notebook(course.source(assignment))
    known = {e.name: e for e in exercises(nb)}
    expected, current = {}, None
    for cell in nb.cells:
        if kind_of(cell) is CellKind.ANSWER:
            current = known[cell.id]
        elif kind_of(cell) is CellKind.SELF_CHECK:
            call = ast.parse(cell.source).body[-1].value
            functions = [a.id for a in call.args]
            assert call.func.id == f"check_{functions[0]}"
            expected[current.number] = (current.points, *functions)
    last = nb.cells[-1]
    assert kind_of(last) is CellKind.DEMONSTRATION
    (call,) = [
        n for n in ast.walk(ast.parse(last.source)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "hand_in"
    ]
    names, file, table = call.args
    assert ast.unparse(names) == "globals()"
    assert ast.literal_eval(file) == f"{assignment}.ipynb"
    assert ast.literal_eval(table) == expected
    assert len(expected) == len(known)
    assert {k.arg: ast.literal_eval(k.value) for k in call.keywords} == {"written": sum(written_points(nb).values())}


def test_the_last_cell_names_no_library_that_the_course_itself_imports(course, assignment):
    nb = read_notebook(course.source(assignment))
    trees = [ast.parse(cell.source) for cell in nb.cells if cell.cell_type == "code"]
    modules = [module for tree in trees for node in ast.walk(tree) for module in imported_modules(node)]
    assert "keras" in modules
    assert library_advice({module: types.ModuleType(module) for module in modules}) == ()
    assert "To hand in:" in str(nb.cells[-1].outputs)
    assert "Your notebook imports" not in str(nb.cells[-1].outputs)
