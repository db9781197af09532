"""A throw-away course of one small notebook, with canaries wherever a submission has no business."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.execute import execute
from grader.authoring.release import release
from grader.authoring.text import apply_view
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.nbgrader_api import prepare_gradebook
from grader.core.notebook import read_notebook, write_notebook
from grader.testing.samples import fill_answers

NAME = "01_sums"
#: Points of the test cells; the written answer's come on top, by hand.
POINTS = 10
FIRST, LAST = "a_first", "z_last"
REPOSITORY = Path(__file__).resolve().parents[2]

VIEW = '''# %% [markdown]
# # 1. Sums

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% course={"include": "words.py"}
# helper

# %% nbgrader={"grade_id": "given_numbers"} tags=["given"]
given_numbers = np.array([2.0, -1.0, 0.5, 4.0])

# %% tags=["demonstration"]
print(say("numbers", len(given_numbers)))

# %% [markdown]
# ### Exercise 1.1 - running_sum (4 points)

# %% nbgrader={"grade_id": "running_sum", "solution": true}
def running_sum(values):
    """Add up the values so far.

    `values` has shape `(n,)` and must not be changed. Returns an array of shape `(n,)`.
    """
    ### BEGIN SOLUTION
    # @SOLUTION@
    total, sums = 0.0, []
    for value in values:
        total += value
        sums.append(total)
    return np.array(sums)
    ### END SOLUTION

# %% tags=["self-check"]
print("running_sum(given_numbers) ends with 5.5")

# %% nbgrader={"grade_id": "test_running_sum_value", "points": 2}
"""Sums so far."""
import warnings
import numpy as np
warnings.simplefilter("ignore")
values = np.array([1.0, 2.5, -4.0])
want = np.array([1.0, 3.5, -0.5])
got = np.asarray(running_sum(values.copy()))
assert got.shape == want.shape, "the result does not have one sum for each value"
assert np.allclose(got, want), "these are not the sums so far"
### BEGIN HIDDEN TESTS
rng = np.random.default_rng(20731)
values = rng.normal(size=7)
want = np.cumsum(values)
got = np.asarray(running_sum(values.copy()))
assert got.shape == (7,), "the result does not have one sum for each value"
assert np.allclose(got, want), "these are not the sums so far, for other values"
secret = 1
secret += 1
secret += 1
secret += 1
secret += 1
secret += 1
del secret  # @HIDDEN@
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_running_sum_input", "points": 2}
"""The values stay what they are."""
import warnings
import numpy as np
warnings.simplefilter("ignore")
values = np.array([3.0, 1.0, 2.0, 5.0])
before = values.copy()
got = running_sum(values)
assert np.array_equal(values, before), "the function changes the array that it is given"
assert abs(float(np.asarray(got)[-1]) - 11.0) < 1e-9, "the last sum is not the sum of all"
### BEGIN HIDDEN TESTS
values = np.random.default_rng(977).normal(size=5)
before = values.copy()
got = running_sum(values)
assert np.array_equal(values, before), "the function changes the array that it is given"
assert abs(float(np.asarray(got)[-1]) - before.sum()) < 1e-9, "the last sum is not the sum of all"
### END HIDDEN TESTS

# %% [markdown]
# ### Exercise 1.2 - repeat_step (3 points)

# %% nbgrader={"grade_id": "repeat_step", "solution": true}
def repeat_step(step, start, limit):
    """Call a function on its own result until that is above the limit.

    Returns the list `[start, step(start), step(step(start)), ...]`; its last number is the first one above `limit`.
    """
    ### BEGIN SOLUTION
    # @SOLUTION@
    numbers = [start]
    while numbers[-1] <= limit:
        numbers.append(step(numbers[-1]))
    return numbers
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_repeat_step_value", "points": 2}
"""The numbers."""
import warnings
warnings.simplefilter("ignore")

def triple(x):
    return 3 * x + 1

want = [1, 4, 13, 40]
got = list(repeat_step(triple, 1, 20))
assert len(got) == 4, "it does not stop at the first number above the limit"
assert all(abs(a - b) < 1e-9 for a, b in zip(got, want)), "these are not the numbers"
### BEGIN HIDDEN TESTS
shift = 5.5
want = [2.0, 9.5, 24.5, 54.5, 114.5]
got = list(repeat_step(lambda x: 2 * x + shift, 2.0, 60.0))
assert len(got) == 5, "it does not stop at the first number above the limit"
assert all(abs(a - b) < 1e-9 for a, b in zip(got, want)), "these are not the numbers, for another function"
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_repeat_step_calls", "points": 1}
"""The function is called once for each new number, with the number before."""
import warnings
warnings.simplefilter("ignore")
calls = []

def noted(x):
    calls.append(x)
    return x + 7

repeat_step(noted, 3, 20)
assert calls == [3, 10, 17], "step is not called with each number in turn"
### BEGIN HIDDEN TESTS
calls.clear()
assert list(repeat_step(noted, 50, 20)) == [50], "a start above the limit is all there is"
assert calls == [], "step is called although the start is above the limit"
### END HIDDEN TESTS

# %% [markdown]
# ### Exercise 1.3 - pair_sums (3 points)

# %% nbgrader={"grade_id": "pair_sums", "solution": true}
def pair_sums(left, right):
    """Add each number of one array to each of another.

    `left` has shape `(n,)` and `right` `(m,)`. Returns an array of shape `(n, m)`.
    """
    ### BEGIN SOLUTION
    # @SOLUTION@
    return np.asarray(left)[:, None] + np.asarray(right)[None, :]
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_pair_sums_value", "points": 2}
"""The sums."""
import warnings
import numpy as np
from numpy.testing import assert_allclose
warnings.simplefilter("ignore")
left, right = np.array([1.0, 2.0]), np.array([10.0, 20.0, 30.0])
want = np.array([[11.0, 21.0, 31.0], [12.0, 22.0, 32.0]])
assert_allclose(np.asarray(pair_sums(left, right)), want, err_msg="these are not the sums")
### BEGIN HIDDEN TESTS
rng = np.random.default_rng(4411)
left, right = rng.normal(size=4), rng.normal(size=6)
want = np.add.outer(left, right)
assert_allclose(np.asarray(pair_sums(left, right)), want, err_msg="these are not the sums, for other numbers")
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_pair_sums_shape", "points": 1}
"""One array of the right shape."""
import warnings
import numpy as np
warnings.simplefilter("ignore")
got = pair_sums(np.arange(3.0), np.arange(5.0))
assert isinstance(got, np.ndarray), "the result is not an array"
assert got.shape == (3, 5), "the result does not have a row for each number on the left"
assert got.dtype.kind == "f" and got[2, 4] == 6.0, "the last number is not the sum of the last two"

# %% [markdown] nbgrader={"grade_id": "written_why", "points": 2, "solution": true}
# ### BEGIN SOLUTION
# @SOLUTION@
# ### END SOLUTION
'''

HELPER = '"""Words."""\n\n\ndef say(word, number):\n    return f"{word}: {number}"\n'
CATALOGUE = """# %% wrong: zeros
# says: These are zeros.
def running_sum(values):
    return np.zeros(len(values))

# %% right: cumsum
# why: numpy's own
def running_sum(values):
    return np.cumsum(values)
"""
#: Nothing but where the sources are: all else is nbgrader's own choice.
STOCK_CONFIG = """from pathlib import Path

c = get_config()
root = Path(__file__).resolve().parent
c.CourseDirectory.root = str(root)
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.source_directory = str(root.parent / "solutions")
c.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
"""


@dataclass(frozen=True)
class Canaries:
    """Words that stand where a submission must not read, each word in one kind of place only.

    Args:
        solution: In the answers of the source notebook.
        hidden: In a hidden test.
        gradebook: In the gradebook, as another student's last name.
        other: In another student's submission.
        home: In a file of the grader's home folder.
        environment: In an environment variable of the grader.
        config: In the course's configuration.
    """

    solution: str
    hidden: str
    gradebook: str
    other: str
    home: str
    environment: str
    config: str

    @classmethod
    def new(cls) -> Canaries:
        """Make fresh ones."""
        return cls(*(f"CANARY-{name}-{secrets.token_hex(6)}" for name in cls.__dataclass_fields__))


@dataclass(frozen=True)
class HostileCourse:
    """A throw-away course.

    Args:
        root: Its folder. Everything that a trick may write to is below it.
        canaries: What stands in it.
    """

    root: Path
    canaries: Canaries

    @property
    def course(self) -> Course:
        """The same as the grader's own code knows it."""
        return Course(self.root)

    @property
    def home(self) -> Path:
        """Home folder of the process that grades."""
        return self.root / "home"

    @property
    def tmp(self) -> Path:
        """Folder for temporary files of the process that grades."""
        return self.root / "tmp"

    @property
    def group(self) -> Path:
        """Where a class is marked: submissions, gradebook, marked notebooks, feedback."""
        return self.root / "class"

    def environment(self, marker: str) -> dict[str, str]:
        """Return the environment of a process that grades.

        Args:
            marker: By this word, processes that are left behind are found.
        """
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "GRADER_PASSWORD": self.canaries.environment,
            "HOSTILE_RUN": marker,
        }

    def copy(self, to: Path) -> HostileCourse:
        """Make another course like this one, with the same canaries."""
        shutil.copytree(self.root, to, symlinks=True)
        return HostileCourse(to, self.canaries)

    @classmethod
    def bare(cls, root: Path) -> HostileCourse:
        """Open a course by its folder, without knowing its canaries."""
        return cls(root, Canaries(*[""] * len(Canaries.__dataclass_fields__)))


def honest_answers(course: Course) -> dict[str, str]:
    """Return the reference answers without what only an instructor's file holds."""
    known = {e.name: e.answer for e in exercises(read_notebook(course.source(NAME)))}
    return {n: "\n".join(line for line in a.split("\n") if "CANARY-" not in line) for n, a in known.items()}


def make_course(root: Path) -> HostileCourse:
    """Make the course, release its notebook and mark one honest submission with stock nbgrader.

    Args:
        root: Where; must not exist.
    """
    canaries = Canaries.new()
    made = HostileCourse(root, canaries)
    for folder in (
        "solutions",
        "notebooks",
        "build",
        "assets/helpers",
        f"grader/catalogue/{NAME}",
        "home",
        "tmp",
        "class",
    ):
        (root / folder).mkdir(parents=True)
    (root / f"COURSE-CANARY-{secrets.token_hex(6)}").touch()
    config = (REPOSITORY / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{config}\n# password {canaries.config}\n")
    (root / "assets/helpers/words.py").write_text(HELPER)
    (root / f"grader/catalogue/{NAME}/running_sum.py").write_text(CATALOGUE)
    (root / "home/secret.txt").write_text(canaries.home + "\n")
    view = VIEW.replace("@SOLUTION@", canaries.solution).replace("@HIDDEN@", canaries.hidden)
    (root / f"build/{NAME}.py").write_text(view)
    course = made.course
    apply_view(course, NAME)
    execute(course, NAME)
    release(course, [NAME])
    shutil.rmtree(root / "build")
    group = made.group
    (group / "nbgrader_config.py").write_text(STOCK_CONFIG)
    honest = fill_answers(read_notebook(course.released(NAME)), honest_answers(course))
    for student in (FIRST, LAST):
        nb = fill_answers(honest, {n: f"# {canaries.other}\n{a}" for n, a in honest_answers(course).items()})
        write_notebook(nb, group / "submitted" / student / NAME / f"{NAME}.ipynb")
    prepare_gradebook(f"sqlite:///{group / 'gradebook.db'}", "attention")  # nbgrader takes seconds for its tables
    environment = made.environment("making")
    nbgrader = str(Path(sys.executable).parent / "nbgrader")
    for command in (["generate_assignment", NAME], ["autograde", NAME, "--student", FIRST]):
        done = subprocess.run([nbgrader, *command], cwd=group, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"stock nbgrader failed on the hostile course:\n{done.stderr[-3000:]}")
    with sqlite3.connect(group / "gradebook.db") as book:
        book.execute("UPDATE student SET last_name = ? WHERE id = ?", (canaries.gradebook, FIRST))
    return made
