"""For all tests: no gradebook but their own, no more threads than processors, an order in which both stay busy."""

import gc
import os
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
TOGETHER = ("browser/", "gradebook/", "hostile/test_corpus.py", "hostile/test_crowd.py")
#: Files whose tests share warm processes, or what is read once, if the first part of their ids, the notebook, is one.
BY_NOTEBOOK = ("notebooks/test_answers.py", "notebooks/test_two_languages.py")


def may_have_slow_tests(path):
    """Tell whether a file, or the `conftest.py` beside it, names the mark of the slow tests."""
    texts = (p.read_text(encoding="utf-8") for p in (path, path.with_name("conftest.py")) if p.exists())
    return any("mark.slow" in text for text in texts)


def pytest_ignore_collect(collection_path, config):
    """Leave files without a slow test alone where only slow ones are asked for: importing them all takes a while."""
    if config.option.markexpr == "slow" and collection_path.match("test_*.py"):
        return not may_have_slow_tests(collection_path) or None
    return None


def pytest_collection_modifyitems(items):
    """Put the longest tests first, and leave the rest in its order."""
    place = {name: number for number, name in enumerate(LONGEST)}
    files = {item: item.path.relative_to(HERE).as_posix() for item in items if item.path.is_relative_to(HERE)}
    items.sort(key=lambda item: place.get(files.get(item), len(LONGEST)))
    # The quick tests' run sees all of them: here a slow test that the other run would leave out is found.
    marked = {item.path for item in items if item.get_closest_marker("slow")}
    if lost := sorted(str(path) for path in marked if not may_have_slow_tests(path)):
        raise pytest.UsageError(f"these files have slow tests and do not say `mark.slow`: {lost}")


def pytest_collection_finish():
    """Never look again for garbage among the tests and the libraries, which stay to the end; seldom among the rest.

    They are 600 MB, and what reads strangers' files is forked from this process thousands of times. In large pages, a
    list of hundreds is copied each time, and not one of 150,000.
    """
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
