"""A course of one small notebook, made from its text view."""

import functools

import nbgrader.api
import pytest

from grader.authoring.execute import execute
from grader.authoring.text import apply_view
from grader.core.course import Course
from grader.core.nbgrader_api import find_own_programs
from grader.lms.collect import collect

# A bare `Gradebook` starts a program to ask for the version of its tables, seconds for each new file; the answer stays.
find_own_programs()
nbgrader.api.get_alembic_version = functools.cache(nbgrader.api.get_alembic_version)

VIEW = '''# %% [markdown]
# # 9. Doubling

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import math

# %% course={"include": "words.py"}
# helper

# %% nbgrader={"grade_id": "given_two"} tags=["given"]
given_two = 2

# %% tags=["demonstration"]
shown = [say("two", given_two) for _ in range(2)]
print(shown)

# %% [markdown]
# ### Exercise 9.1 - double (3 points)

# %% nbgrader={"grade_id": "double", "solution": true}
def double(x):
    """Double a number."""
    ### BEGIN SOLUTION
    return given_two * x
    ### END SOLUTION

# %% tags=["self-check"]
print(double(1) == 2)

# %% nbgrader={"grade_id": "test_double_value", "points": 2}
"""The value."""
assert double(2) == 4, "it is not doubled"
### BEGIN HIDDEN TESTS
assert double(-3) == -6, "it is not doubled for negative numbers"
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_double_text", "points": 1}
"""Text."""
### BEGIN HIDDEN TESTS
assert double("a") == "aa", "text is not doubled"
### END HIDDEN TESTS

# %% [markdown] nbgrader={"grade_id": "written_why", "points": 2, "solution": true}
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
'''

HELPER = '"""Words."""\n\nimport math\n\n\ndef say(word, number):\n    return f"{word}: {math.floor(number)}"\n'
CATALOGUE = """# %% wrong: squares
# says: This squares instead of doubling.
def double(x):
    return x * x

# %% right: adds
# why: x + x
def double(x):
    return x + x
"""


@pytest.fixture
def course(tmp_path, request):
    """A course with the notebook 09_doubling, executed, with the repository's own configuration."""
    root = tmp_path / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers", "grader/catalogue/09_doubling"):
        (root / folder).mkdir(parents=True)
    config = request.config.rootpath / "nbgrader_config.py"
    (root / "nbgrader_config.py").write_text(config.read_text())
    (root / "assets/helpers/words.py").write_text(HELPER)
    (root / "build/09_doubling.py").write_text(VIEW)
    (root / "grader/catalogue/09_doubling/double.py").write_text(CATALOGUE)
    course = Course(root)
    apply_view(course, "09_doubling")
    return course


@pytest.fixture
def executed(course):
    """The same course with saved outputs."""
    execute(course, "09_doubling")
    return course


@pytest.fixture
def two(course):
    """The small course with a second assignment."""
    view = (
        (course.build / "09_doubling.py")
        .read_text()
        .replace("double", "triple")
        .replace("9.1", "8.1")
        .replace("given_two", "given_three")
    )
    (course.build / "08_tripling.py").write_text(view.replace("written_why", "written_three"))
    (course.solutions / "08_tripling").mkdir()
    apply_view(course, "08_tripling")
    return course


@pytest.fixture
def run(course):
    """Collects into a folder of submissions and gives the result."""

    def run(*paths, **options):
        return collect(course, course.local / "submitted", paths, **options)

    return run
