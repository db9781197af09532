"""The time of handing in is read from a file that a student may have written, by nbgrader's own commands as well."""

import datetime
import os

import pytest
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from grader.nbgrader_plugins.autograde import MarkingExporter

HOSTILE = {
    "digits": lambda path: path.write_text("1" * 5000),
    "words": lambda path: path.write_text("now, or later"),
    "bytes": lambda path: path.write_bytes(b"\xff\xfe" * 20),
    "year": lambda path: path.write_text("9999-12-31 23:59:59 -0800"),
    "a large file": lambda path: (path.touch(), os.truncate(path, 2**40)),
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a link": lambda path: path.symlink_to("/dev/zero"),
}


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
