"""The time of handing in is read from a file that a student may have written, by nbgrader's own commands as well."""

import datetime
import os
import subprocess
import sys

import pytest
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from grader.nbgrader_plugins.autograde import MarkingExporter
from grader.submissions.times import time_in

HOSTILE = {
    "digits": lambda path: path.write_text("1" * 5000),
    "words": lambda path: path.write_text("now, or later"),
    "bytes": lambda path: path.write_bytes(b"\xff\xfe" * 20),
    "year": lambda path: path.write_text("9999-12-31 23:59:59 -0800"),
    "a large file": lambda path: (path.touch(), os.truncate(path, 2**40)),
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a link": lambda path: path.symlink_to("/dev/zero"),
    "minutes": lambda path: path.write_text("1" * 30 + "m"),
    "hours": lambda path: path.write_text("1" * 30 + "h"),
    "fraction": lambda path: path.write_text("12:" + "9" * 40),
    "dots for a zone": lambda path: path.write_text("2020-01-01 10:00 .."),
    "a file for a zone": lambda path: path.write_text("2020-01-01 10:00:00 /usr/share/zoneinfo/Europe/Berlin"),
    "a place for a zone": lambda path: path.write_text("2020-01-01 10:00:00 Europe/Berlin"),
}
#: What the formgrader does for each student of its list, in a process that loaded nothing but the configuration.
FORMGRADER = """
import signal, sys
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader
PyFileConfigLoader("nbgrader_config.py", path=sys.argv[1]).load_config()
api = NbGraderAPI(CourseDirectory(root=sys.argv[2]))
for student in sys.argv[3:]:
    signal.alarm(60)
    print(student, api.get_submitted_timestamp("a", student), sep=": ")
"""


def time_that_nbgrader_reads(folder):
    """Return what nbgrader, started as `nbgrader autograde` is, reads as a submission's time."""
    found = []
    converter = Autograde(coursedir=CourseDirectory(root=str(folder)))
    converter.exporter_class = MarkingExporter
    converter.init_notebooks = lambda: None
    converter.convert_notebooks = lambda: found.append(converter.coursedir.get_existing_timestamp(str(folder)))
    converter.start()
    return found[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_stops_nbgrader(name, tmp_path):
    HOSTILE[name](tmp_path / "timestamp.txt")
    assert time_that_nbgrader_reads(tmp_path) is None


def test_a_time_is_read_as_before(tmp_path):
    assert time_that_nbgrader_reads(tmp_path) is None
    (tmp_path / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n")
    assert time_that_nbgrader_reads(tmp_path) == datetime.datetime(2026, 11, 20, 12)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-20 12:00:00.123456 UTC\n", (12, 0, 0, 123456)),
        ("2026-11-20 12:00:00 UTC", (12,)),
        ("2026-11-20 12:00:00", (12,)),
        ("2026-11-20T12:00:00.5Z", (12, 0, 0, 500000)),
        ("2026-11-20 12:00:00.5 +0130", (10, 30, 0, 500000)),
        ("2026-11-20 12:00:00 -05:00", (17,)),
    ],
)
def test_what_writes_times_is_understood(text, time):
    assert time_in(text.encode()) == datetime.datetime(2026, 11, 20, *time)


@pytest.mark.parametrize("text", ["", "x", "1" * 100, "2026-11-20", "2026-13-01 00:00:00", "1990-12-31 00:00:00 UTC"])
def test_a_text_that_only_resembles_a_time_is_none(text):
    with pytest.raises(ValueError, match=r"."):
        time_in(text.encode())


def test_the_formgraders_list_has_everybody_whatever_their_file_holds(tmp_path, request):
    for number, put in enumerate(HOSTILE.values()):
        (tmp_path / f"submitted/eve{number}/a").mkdir(parents=True)
        put(tmp_path / f"submitted/eve{number}/a/timestamp.txt")
    (tmp_path / "submitted/ada/a").mkdir(parents=True)
    (tmp_path / "submitted/ada/a/timestamp.txt").write_text("2026-11-20 12:00:00.000000 UTC")
    students = [f"eve{number}" for number in range(len(HOSTILE))] + ["ada"]
    command = [sys.executable, "-c", FORMGRADER, request.config.rootpath, tmp_path, *students]
    listed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    wanted = [*(f"{student}: None" for student in students[:-1]), "ada: 2026-11-20 12:00:00"]
    assert listed.stdout.splitlines() == wanted, listed.stderr[-2000:]
