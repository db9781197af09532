"""For all tests: no gradebook but their own, and an order in which both processors stay busy."""

import os
from pathlib import Path

import pytest

# What an instructor has set for the real class; `nbgrader_config.py` reads it.
os.environ.pop("GRADEBOOK_URL", None)

HERE = Path(__file__).parent
#: Files whose tests take longest, and so begin first: a long test that begins last leaves the other processors idle.
#: Those that mostly wait (a browser, hostile code that sleeps) are spread between those that compute.
LONGEST = (
    "notebooks/test_readme.py",
    "hostile/test_ours.py",
    "notebooks/test_answers.py",
    "notebooks/test_colab.py",
    "browser/test_instructor.py",
    "notebooks/test_alone.py",
    "browser/test_student.py",
    "notebooks/test_stock_nbgrader.py",
    "notebooks/test_damage_marks.py",
    "hostile/test_corpus.py",
)
#: Files and folders whose tests share what takes long to set up: each file is run by one worker (`--dist loadgroup`).
TOGETHER = ("browser", "gradebook", "hostile/test_corpus.py", "hostile/test_crowd.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the longest tests first, keep those together that share a fixture, and the rest in its order."""
    place = {name: number for number, name in enumerate(LONGEST)}
    files = {item: item.path.relative_to(HERE).as_posix() for item in items if item.path.is_relative_to(HERE)}
    for item, name in files.items():
        if name.startswith(TOGETHER) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(name))
    items.sort(key=lambda item: place.get(files.get(item), len(LONGEST)))
