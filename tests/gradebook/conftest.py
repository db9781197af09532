"""A real PostgreSQL server, and a course of two small notebooks to mark on it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from grader.authoring.text import apply_view
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook, write_notebook
from grader.testing.samples import fill_answers

NAMES = ("07_doubling", "08_doubling")
VIEW = '''# %% [markdown]
# # {number}. Doubling

# %% nbgrader={{"grade_id": "setup"}} tags=["setup"]
import math

# %% [markdown]
# ### Exercise {number}.1 - double (3 points)

# %% nbgrader={{"grade_id": "double", "solution": true}}
def double(x):
    """Double a number."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% nbgrader={{"grade_id": "test_double_value", "points": 2}}
"""The value."""
assert double(2) == 4, "it is not doubled"

# %% nbgrader={{"grade_id": "test_double_text", "points": 1}}
"""Text."""
assert double("a") == "aa", "text is not doubled: " + str(double("a"))

# %% [markdown] nbgrader={{"grade_id": "written_why", "points": 2, "solution": true}}
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
'''


def programs() -> Path | None:
    """Give the folder of the server's programs; Debian has it outside of PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file()), None)


@pytest.fixture(scope="session")
def server():
    """Start a server of its own, without sync to disk; give the folder of its socket, its only way in."""
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed (pip install 'psycopg[binary]')")
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("PostgreSQL's server is not installed (Debian, Ubuntu: apt-get install postgresql)")
    # A socket's path has at most 107 characters, so not below pytest's own folder.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    who = {}
    if os.getuid() == 0:  # the server refuses to run as root
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def call(program: str, *options: str) -> None:
        command = [str(bin_folder / program), "-D", str(folder / "data"), *options]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **who)
        assert done.returncode == 0, done.stderr

    try:
        call("initdb", "-U", "grader", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-F -c listen_addresses='' -c unix_socket_directories={folder} -c max_connections=40"
        call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield folder
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def url(server, request):
    """Make an empty database and give its address."""
    import psycopg
    from psycopg import sql

    name = f"test_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(host=str(server), user="grader", dbname="postgres", autocommit=True) as link:
        link.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return f"postgresql+psycopg://grader@/{name}?host={server}"


@pytest.fixture(scope="session")
def small_course(tmp_path_factory, request):
    """A course of two notebooks that need no library."""
    root = tmp_path_factory.mktemp("gradebook") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    course = Course(root)
    for name in NAMES:
        (root / f"build/{name}.py").write_text(VIEW.format(number=int(name[:2])))
        apply_view(course, name)
    return course


@pytest.fixture
def class_folder(small_course, tmp_path):
    """Hand in three submissions to each notebook: right, wrong, and with characters that no database likes."""
    for name in NAMES:
        source = read_notebook(small_course.source(name))
        right = {e.name: e.answer for e in exercises(source)}
        for student, answers in (
            ("ada", right),
            ("bob", {"double": "def double(x):\n    return x + 2"}),
            ("cyd", {"double": 'def double(x):\n    return 2 * x if x == 2 else "\\x00 é \U0001f600"'}),
        ):
            path = tmp_path / "submitted" / student / name / f"{name}.ipynb"
            write_notebook(fill_answers(source, answers), path)
    return tmp_path
