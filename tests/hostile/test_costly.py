"""What a costly file costs the process that marks: memory that its size decides, and the time that reading has."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from grader.engine import handed, submission
from grader.engine.settings import Settings
from grader.feedback import clock

from .corpus import KINDS
from .course import NAME, HostileCourse, honest_answers, make_course
from .harness import submission_files
from .kinds.costly import COSTLY
from .sheet import Sheet, put

#: MB by which the process that marks may grow: a file of 25 MB, and its way to the process that reads and back.
MOST_MB = 160
#: CPU seconds for choosing and reading: none of these may come near the limit that ends the process which reads.
MOST_S = handed.READ_S * 2 / 3


def cost(root: str) -> dict[str, list[float]]:
    """Take in and read each costly submission; return MB by which this process grew, and CPU seconds."""
    made = HostileCourse.bare(Path(root))
    sheet = Sheet(made.course, honest_answers(made.course))
    kit = submission.Kit.read(made.course.source(NAME))
    found: dict[str, list[float]] = {}
    for name in COSTLY:
        folder = Path(root, "costly", name, NAME)
        put(submission_files(KINDS[name], sheet)[1], folder, Path(root))
    for name in COSTLY:
        grown, begun = _grown(), _used()
        taken = submission.Handed.take(Path(root, "costly", name, NAME), kit)
        submission.planted(kit, taken)
        handed.close()  # what it used is counted when it has ended
        found[name] = [_grown() - grown, _used() - begun]
    return found


def _grown() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _used() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


@pytest.mark.slow
def test_costly_files_cost_the_process_that_marks_little(tmp_path):
    """The kinds themselves are marked in `test_ours.py`, with the others."""
    made = make_course(tmp_path / "course")
    command = [sys.executable, "-m", "tests.hostile.test_costly", str(made.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.keys() == set(COSTLY)
    assert {name: mb for name, (mb, _) in found.items() if mb > MOST_MB} == {}
    assert {name: cpu_s for name, (_, cpu_s) in found.items() if cpu_s > MOST_S} == {}


def test_reading_and_a_page_have_less_time_than_a_submission():
    assert Settings().budget.notebook_wall_s > 2 * handed.READ_S
    assert clock.CPU_S <= handed.READ_S


if __name__ == "__main__":
    print(json.dumps(cost(sys.argv[1])))
