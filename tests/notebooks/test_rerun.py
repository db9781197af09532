"""Demonstrations that cannot be run again are noticed; `test_alone.py` runs those of the course once more."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from rerun import NOT_YET_IN_THE_FRAME, changed_when_run_again

from grader.authoring.frame import machinery
from grader.core.notebook import read_notebook, write_notebook


def test_every_notebook_is_in_the_frame_or_named_as_not_yet_in_it(course):
    outside = {a for a in course.assignments() if machinery(read_notebook(course.source(a))) is None}
    assert outside == set(NOT_YET_IN_THE_FRAME)


def demonstration(name, source):
    return new_code_cell(source, id=name, metadata={"tags": ["demonstration"]})


def test_a_name_that_a_test_cell_overwrites_is_noticed():
    marks = {"grade": True, "solution": False, "grade_id": "test_x", "points": 1, "locked": True}
    cells = [
        demonstration("makes", "weights = [1, 2]"),
        demonstration("shows", "print(weights)"),
        new_code_cell("weights = 3", id="test_x", metadata={"nbgrader": marks}),
        demonstration("quiet", "print('the same')"),
    ]
    # With this seed the second cell comes before the first, which would repair the name.
    changed = changed_when_run_again(new_notebook(cells=cells), seed=3)
    assert changed == {"shows": ([{"stream": "[1, 2]\n"}], [{"stream": "3\n"}])}


def test_a_demonstration_that_works_only_once_ends_the_run():
    cells = [demonstration("once", "count = globals().get('count', 0) + 1\nassert count == 1")]
    with pytest.raises(CellExecutionError):
        changed_when_run_again(new_notebook(cells=cells), seed=0)


def test_a_notebook_that_ran_alone_leaves_no_kernel_behind(tmp_path):
    """It would hold the pipe that the test reads, for ever where orphans do not go to process 1."""
    write_notebook(
        new_notebook(cells=[new_code_cell("import os\nprint(os.getpid())", id="who")]), tmp_path / "nb.ipynb"
    )
    (tmp_path / "alone").mkdir()
    script = Path(__file__).with_name("run_alone.py")
    with (tmp_path / "said").open("w") as said:
        subprocess.run([sys.executable, script, tmp_path / "nb.ipynb", tmp_path / "alone"], stdout=said, check=True)
    outcome = json.loads((tmp_path / "said").read_text().splitlines()[-1])
    assert not psutil.pid_exists(int(outcome["cells"]["who"]["text"]))


def test_pictures_are_compared_by_what_they_say():
    source = (
        "from itertools import count\nfrom IPython.display import HTML\nif 'n' not in globals():\n    n = count()\n"
    )
    source += 'HTML(f\'<img alt="a curve" src="data:image/png;base64,{next(n)}">\')'
    assert changed_when_run_again(new_notebook(cells=[demonstration("drawn", source)]), seed=0) == {}
