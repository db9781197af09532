"""For all tests: no gradebook but their own, no more threads than processors, an order in which both stay busy."""

import ast
import functools
import gc
import os
import sys
from pathlib import Path

import pytest

from grader.sandbox.inside import pages

# What an instructor has set for the real class; `nbgrader_config.py` reads it.
os.environ.pop("GRADEBOOK_URL", None)
# NumPy's products of matrices are shared among threads that wait for each other by spinning. Where several processes do
# so on the same processors, they mostly wait: four at once on two took 10 to 40 times as long as with one thread each.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# TensorFlow's threads share out what is too small to be shared, as the models of the course are: with one of them a
# whole notebook takes a sixth less of the processors, and ends with the same numbers.
os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"

HERE = Path(__file__).parent
#: Where tests import from what is not the grader; see pyproject.toml.
IMPORTED_FROM = (HERE.parent, HERE.parent / "assets", HERE / "notebooks")
#: Files whose tests take longest, and so begin first: a long test that begins last leaves the other processors idle.
#: Those that mostly wait (a browser, hostile code that sleeps) are spread between those that compute.
LONGEST = (
    "notebooks/test_readme.py",
    "browser/test_student.py",
    "hostile/test_ours.py",
    "notebooks/test_answers.py",
    "notebooks/test_colab.py",
    "browser/test_instructor.py",
    "browser/test_painting.py",
    "browser/test_web_edition.py",
    "notebooks/test_alone.py",
    "hostile/test_costly.py",
    "gradebook/test_postgresql.py",
    "gradebook/test_dask.py",
    "notebooks/test_stock_nbgrader.py",
    "notebooks/test_damage_marks.py",
    "hostile/test_corpus.py",
)
#: Files and folders whose tests share what takes long to set up: each file is run by one worker (`--dist loadgroup`).
TOGETHER = (
    "browser/",
    "gradebook/",
    "hostile/test_corpus.py",
    "hostile/test_crowd.py",
    "unit/test_large_scores.py",
    "unit/test_ordinary_inputs.py",
    "unit/test_single_precision.py",
)
#: Files whose tests share warm processes, or what is read once, if the first part of their ids, the notebook, is one.
BY_NOTEBOOK = ("notebooks/test_answers.py", "notebooks/test_two_languages.py")


def may_have_slow_tests(path):
    """Tell whether a file, or the `conftest.py` beside it, names the mark of the slow tests."""
    texts = (p.read_text(encoding="utf-8") for p in (path, path.with_name("conftest.py")) if p.exists())
    return any("mark.slow" in text for text in texts)


def takes_keras(path):
    """Tell whether the tests of a file import Keras: as the file does, or as the notebooks' cells do that they run."""
    return path.is_relative_to(HERE / "notebooks") or imports_keras(path)


@functools.cache
def imports_keras(path):
    """Tell whether importing a file imports Keras: by its own imports, or by those of the helpers it imports."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names = [statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)]
        else:
            continue
        if any(name.split(".")[0] in {"keras", "tensorflow"} for name in names):
            return True
        places = (root / f"{name.replace('.', '/')}.py" for name in names for root in IMPORTED_FROM)
        if any(imports_keras(place) for place in places if place.is_file()):
            return True
    return False


def pytest_addoption(parser):
    """Let the tests that take Keras run by themselves.

    Nearly all others fork the process that they run in, and those of `collect` thousands of times. One that holds
    TensorFlow takes three times as long for that.
    """
    which = "only the files whose tests take Keras, or only the others"
    parser.addoption("--keras", choices=["with", "without"], help=which)


def pytest_ignore_collect(collection_path, config):
    """Leave files alone that are not asked for: importing them all takes a while."""
    if not collection_path.match("test_*.py"):
        return None
    if config.option.markexpr == "slow" and not may_have_slow_tests(collection_path):
        return True
    chosen = config.option.keras
    return True if chosen and (chosen == "with") != takes_keras(collection_path) else None


def pytest_collection_modifyitems(items):
    """Put the longest tests first, and leave the rest in its order."""
    place = {name: number for number, name in enumerate(LONGEST)}
    files = {item: item.path.relative_to(HERE).as_posix() for item in items if item.path.is_relative_to(HERE)}
    items.sort(key=lambda item: place.get(files.get(item), len(LONGEST)))
    # The quick tests' run sees all of them: here a slow test that the other run would leave out is found.
    marked = {item.path for item in items if item.get_closest_marker("slow")}
    if lost := sorted(str(path) for path in marked if not may_have_slow_tests(path)):
        raise pytest.UsageError(f"these files have slow tests and do not say `mark.slow`: {lost}")


def pytest_collection_finish(session):
    """Never look again for garbage among the tests and the libraries, which stay to the end; seldom among the rest.

    They are 600 MB, and what reads strangers' files is forked from this process thousands of times. In large pages, a
    list of hundreds is copied each time, and not one of 150,000.
    """
    if session.config.option.keras == "without" and "tensorflow" in sys.modules:
        raise pytest.UsageError("a file that `takes_keras` overlooks has imported TensorFlow")
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    pages.collect()


def group_of(nodeid):
    """Return the name of a test's group, all of which one worker runs."""
    name = nodeid.split("::")[0].removeprefix(f"{HERE.name}/")
    if name.startswith(TOGETHER):
        return name
    if name in BY_NOTEBOOK and "[" in nodeid:
        return nodeid.split("-")[0].removesuffix("]")
    return nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Group tests by their ids: the marks of pytest-xdist 3.8 get lost under pytest 9.2, without a word."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

    return Grouped(config, log)
