"""What of this machine is shown behind the walls, wherever the course, the class and the environment are."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hostile.harness import environment_in
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grader import doctor
from grader.core import private
from grader.core.errors import RunRefused
from grader.core.private import Place
from grader.sandbox import mounts, warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marking needs Linux")
REPOSITORY = Path(__file__).resolve().parents[2]
LEVELS = ["bubblewrap", "landlock"]

#: Starts a warm process as marking does, and makes the student's side look for a file by its path and by its name.
LOOK = """import json, sys, time
from grader.core.errors import GraderError
from grader.core.private import Place
from grader.sandbox import warm
from grader.sandbox.inside import isolate, wire
from grader.sandbox.pair import Pair

level, course, canary = sys.argv[1:]
code = f'''
import os, sys, numpy
found, seen = [], set()
around = [p + "/.." for p in sys.path]
for start in ("/", {course!r}, {course!r} + "/..", sys.prefix, sys.base_prefix, *sys.path, *around):
    for folder, folders, names in os.walk(os.path.realpath(start)):
        folders[:] = [f for f in folders if os.path.join(folder, f) not in seen | {{"/proc", "/dev", "/sys"}}]
        seen.add(folder)
        found += [folder for name in names if name.startswith("canary") and open(os.path.join(folder, name)).read()]
try:
    found.append(open({canary!r}).read())
except OSError:
    pass
assert not found, found
'''
try:
    with warm.Template("import numpy", at_most=level, private=[Place("the course", course)]) as template:
        pair = Pair(template, isolate.Limits())
        wire.send(pair.student, {"source": code, "name": "c", "cpu_s": 60.0, "wall_s": 120.0, "rescue": False})
        error = wire.receive(pair.student, deadline=time.monotonic() + 120)["error"]
        print(json.dumps([pair.isolation["level"], error]))
        pair.end()
except GraderError as error:
    print(json.dumps(["refused", str(error)]))
"""


def look(level: str, course: Path, python: str = sys.executable, **environment: str) -> list:
    """Put a canary into a course and look for it behind the walls.

    Returns:
        The level that was reached and the error that tells what was found, or None; or "refused" and why.
    """
    canary = course / "solutions" / f"canary-{os.urandom(4).hex()}.ipynb"
    canary.parent.mkdir(parents=True)
    canary.write_text("the solution")
    command = [python, "-c", LOOK, level, str(course), str(canary)]
    ours = {"PYTHONPATH": str(REPOSITORY), **environment}
    done = subprocess.run(command, capture_output=True, text=True, cwd=course, env=os.environ | ours)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(params=["/usr/src", "/usr/local/lib"])
def of_the_system(request):
    """A folder below one of the system's."""
    if not os.access(request.param, os.W_OK):
        pytest.skip(f"{request.param} cannot be written to")
    with tempfile.TemporaryDirectory(dir=request.param, prefix="app-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("level", LEVELS)
def test_a_course_below_usr_is_not_seen(of_the_system, level):
    assert look(level, of_the_system / "course") == [level, None]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("place", [".venv", "."])
def test_a_course_around_its_environment_is_not_seen(tmp_path, level, place):
    assert look(level, tmp_path, environment_in(tmp_path / place)) == [level, None]


@pytest.mark.parametrize("level", LEVELS)
def test_a_course_on_a_link_with_home_and_temporary_files_inside_is_not_seen(tmp_path, level):
    (tmp_path / "disk" / "course").mkdir(parents=True)
    (tmp_path / "data").symlink_to("disk")
    course = tmp_path / "data" / ".." / "data" / "course"
    (course / "tmp").mkdir()
    python = environment_in(course / ".venv")
    assert look(level, course, python, HOME=str(course), TMPDIR=str(course / "tmp")) == [level, None]


def test_nothing_is_shown_as_a_whole_that_may_hold_anything():
    seen = mounts.view(private.of_this_machine(), cover=False)
    wide = {"/", "/usr", "/usr/local", "/usr/share", "/etc", "/opt", "/home", sys.prefix, sys.base_prefix}
    assert not wide & {*seen.shown, *(to for _, to in seen.links if to in seen.shown)}
    assert not any(mounts.within(str(REPOSITORY / "solutions"), folder) for folder in seen.shown)
    for path in (sys.executable, os.__file__, json.__file__, pytest.__file__):
        assert any(mounts.within(os.path.realpath(path), folder) for folder in seen.shown), path


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """A folder that is shown besides what Python needs."""
    folder = tmp_path / "packages"
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "module.py").write_text("x = 1")
    python = mounts.needed()
    monkeypatch.setattr(mounts, "needed", lambda: [*python, str(folder)])
    return folder


def examined(level: str, place: Path) -> doctor.Examination:
    return doctor.examine(level, "import json", [Place("the class", str(place))])


def test_a_private_folder_in_what_is_shown_is_covered(shown):
    (shown / "class" / "ada").mkdir(parents=True)
    (shown / "class" / "ada" / "a.ipynb").write_text("her answers")
    found = examined("bubblewrap", shown / "class")
    assert found.covered == (Place("the class", str(shown / "class")),)
    assert found.sound, doctor.report(found)
    assert f"the class ({shown / 'class'})" in doctor.report(found)


def test_what_python_needs_of_a_covered_folder_is_shown(shown, monkeypatch):
    (shown / "course" / ".venv").mkdir(parents=True)
    python = mounts.needed()
    monkeypatch.setattr(mounts, "needed", lambda: [*python, str(shown / "course" / ".venv")])
    seen = mounts.view([Place("the course", str(shown / "course"))], cover=True)
    words = mounts.bubblewrap_words(seen)
    course = f"{shown}/course"
    bound = [("--ro-bind", str(shown)), ("--tmpfs", course), ("--ro-bind", f"{course}/.venv"), ("--remount-ro", course)]
    assert [pair for pair in itertools.pairwise(words) if pair[0][:2] == "--" and str(shown) in pair[1]] == bound


@pytest.mark.parametrize("case", ["landlock", "a file", "the folder itself", "through a link"])
def test_a_private_place_that_cannot_be_covered_is_refused(shown, tmp_path, case):
    place = {"landlock": shown / "own", "a file": shown / "own" / "module.py", "the folder itself": shown}.get(case)
    if place is None:
        place = tmp_path / "link"
        place.symlink_to(shown)
    with pytest.raises(RunRefused) as refused:
        examined("landlock" if case == "landlock" else "bubblewrap", place)
    assert f"the class ({place}) lies in {shown}" in str(refused.value)
    assert "move it" in refused.value.fix


def mounted(monkeypatch, *lines: tuple[str, str, str]) -> None:
    monkeypatch.setattr(mounts, "_mounts", lambda: [mounts._Mount(*line) for line in lines])


def test_a_course_that_is_mounted_in_what_is_shown_is_found(shown, tmp_path, monkeypatch):
    (shown / "mounted").mkdir()
    (tmp_path / "course" / "solutions").mkdir(parents=True)
    place, at = Place("the course", str(tmp_path / "course")), str(shown / "mounted")
    for root, covered in (
        (f"{tmp_path}/course", at),  # the course itself
        (str(tmp_path), f"{at}/course"),  # what is around it
        (f"{tmp_path}/course/solutions", at),  # a part of it
        (f"{tmp_path}/courses", None),  # another folder
    ):
        mounted(monkeypatch, ("8:1", "/", "/"), ("8:1", root, at))
        monkeypatch.setattr(mounts.os.path, "isdir", lambda path: True)
        seen = mounts.view([place], cover=True)
        assert [p.path for p in seen.hidden] == ([covered] if covered else []), root
        monkeypatch.undo()
        python = mounts.needed()
        monkeypatch.setattr(mounts, "needed", lambda python=python: [*python, str(shown)])
    mounted(monkeypatch, ("8:1", "/", "/"), ("8:2", f"{tmp_path}/course", at))  # another disk
    assert mounts.view([place], cover=True).hidden == ()


def test_lines_of_mounts_are_read():
    found = mounts._mounts()
    assert mounts._on_device("/proc/self", found)[1].startswith("/")
    assert any(m.point == "/" for m in found)


def test_the_places_of_a_configuration(tmp_path):
    config = Config()
    config.CourseDirectory.root = str(tmp_path / "course")
    config.CourseDirectory.submitted_directory = "/srv/class/submitted"
    config.CourseDirectory.db_url = "sqlite:////srv/books/gradebook.db"
    places = {p.path for p in private.of_course(CourseDirectory(config=config))}
    want = {str(tmp_path / "course"), "/srv/class/submitted", "/srv/books/gradebook.db", f"{tmp_path}/course/source"}
    assert want <= places
    config.CourseDirectory.db_url = "postgresql+psycopg://course@db/attention"
    assert not any("gradebook" in p.what for p in private.of_course(CourseDirectory(config=config)))


def test_doctor_says_so_if_the_course_is_seen(shown, tmp_path, monkeypatch):
    """The probes find what a wrong list of folders shows."""
    (shown / "class" / "ada").mkdir(parents=True)
    (shown / "class" / "ada" / "a.ipynb").write_text("her answers")
    blind = mounts.view([], cover=True)
    monkeypatch.setattr(mounts, "view", lambda private, cover: blind)
    found = examined("bubblewrap", shown / "class")
    assert not found.sound
    failed = {name for name, (stopped, _) in found.probes.items() if not stopped}
    assert failed == {"look into the class", "find any of these by walking"}
    assert "SOMETHING IS NOT STOPPED" in doctor.report(found)


def test_doctor_finds_the_course_under_another_name(shown, tmp_path, monkeypatch):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "a.ipynb").write_text("her answers")
    (shown / "b.ipynb").hardlink_to(tmp_path / "class" / "ada" / "a.ipynb")
    found = examined("bubblewrap", tmp_path / "class")
    assert {name for name, (stopped, _) in found.probes.items() if not stopped} == {"find any of these by walking"}


def test_a_running_process_that_shows_too_much_is_not_used_again(monkeypatch):
    from grader.sandbox import warm_processes

    own = warm_processes.Warm()
    try:
        with own.use("import json", "best") as first:
            pass
        own.keep_out([Place("the class", "/srv/class")])
        with own.use("import json", "best") as second:
            assert second is not first
            assert Place("the class", "/srv/class") in second.private
        own.keep_out([Place("the class", "/srv/class")])
        with own.use("import json", "best") as third:
            assert third is second
    finally:
        own.close()
    assert isinstance(first, warm.Template)


def test_a_folder_that_is_gone_before_it_is_read_does_not_end_doctor(tmp_path, monkeypatch):
    """Among temporary files others come and go."""
    for name in ("gone", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kept.txt").touch()
    scandir, asked = os.scandir, []

    def late(path="."):
        if os.path.basename(os.fspath(path)) == "gone":
            asked.append(path)
            raise FileNotFoundError(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", late)
    probes = doctor._probes_of([Place("some folder", str(tmp_path))], mounts.View((), (), ()), wrapped=True)
    assert asked
    assert str((tmp_path / "there" / "kept.txt").stat().st_ino) in probes["find any of these by walking"]
