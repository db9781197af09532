"""The command line: help, exit codes, error texts."""

import errno
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from grader.cli import build_parser, main
from grader.core.course import Course

COMMANDS = [
    "text",
    "apply",
    "sync",
    "execute",
    "check",
    "audit",
    "release",
    "demo",
    "grade",
    "feedback",
    "doctor",
    "bench",
]
COMMANDS += ["report", "collect", "export", "publish", "translate", "frames"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "usage: grader" in printed
    assert len(printed) > 200


PAGES = ["README.md", "CONTRIBUTING.md", "grader/README.md", "grader/MEASUREMENTS.md", "grader/lms/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_the_documentation_are_understood(page):
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S))
    lines = re.findall(r"^(?:\.venv/bin/)?grader +(.+)$", blocks, re.M)
    assert lines
    for line in lines:
        words = re.split(r" {2,}|#", line)[0]  # then comes what it does
        build_parser().parse_args(shlex.split(words))
    assert set(re.findall(r"(?<![\w/.])grader ([a-z]+)\b", " ".join(re.findall(r"`([^`\n]+)`", text)))) <= set(COMMANDS)


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(["--help"])
    printed = capsys.readouterr().out
    assert set(re.findall(r"^    (\w+) ", printed, re.M)) == set(COMMANDS)
    assert "Exit codes" in printed


@pytest.mark.parametrize("arguments", [[], ["grade-everything"], ["sync", "--no-such-option"]])
def test_wrong_usage_is_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize("command", ["text", "sync", "execute", "check", "audit", "release", "demo"])
def test_unknown_notebook_is_2_and_names_the_known_ones(course, command, capsys):
    assert main(["--course", str(course.root), command, "77"]) == 2
    error = capsys.readouterr().err
    assert f"grader {command}:" in error
    assert "77" in error
    assert "09_doubling" in error


def test_outside_a_course_is_2(tmp_path, capsys):
    assert main(["--course", str(tmp_path), "sync"]) == 2
    assert "no course here" in capsys.readouterr().err


def test_sync_check_is_1_on_drift_and_0_without(course, capsys):
    arguments = ["--course", str(course.root), "sync", "--check"]
    assert main(arguments) == 0
    (course.helpers / "words.py").write_text("X = 1\n")
    assert main(arguments) == 1
    assert "09_doubling" in capsys.readouterr().out
    assert main(arguments[:-1]) == 0
    assert main(arguments) == 0


def test_release_check_is_1_when_out_of_date(executed, capsys):
    arguments = ["--course", str(executed.root), "release"]
    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0


@pytest.mark.parametrize("name", ["9", "09", "09_doubling", "solutions/09_doubling/", "09_doubling.ipynb"])
def test_notebooks_are_found_by_number_or_name(course, name):
    assert course.select([name]) == ["09_doubling"]


@pytest.mark.parametrize(
    ("error", "said", "fix"),
    [
        (OSError(errno.ENOSPC, "x", "/there/page.html"), "/there/page.html: No space left on device", "make room"),
        (OSError(errno.EROFS, "x", "/there"), "/there: Read-only file system", "may read and write there"),
        (PermissionError(errno.EACCES, "x", "/there"), "/there: Permission denied", "may read and write there"),
        (OSError(errno.ENOSPC, "x"), "No space left on device", "make room"),
    ],
)
def test_what_lies_with_the_machine_is_a_sentence(course, monkeypatch, capsys, error, said, fix):
    def fail(*_):
        raise error

    monkeypatch.setattr(Course, "select", fail)
    assert main(["--course", str(course.root), "feedback"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("grader feedback: ")
    assert said in told
    assert fix in told
    assert "Traceback" not in told


def test_a_database_that_cannot_be_written_is_a_sentence(course, tmp_path, monkeypatch, capsys):
    path = tmp_path / "gradebook.db"
    sqlite3.connect(path).close()

    def write(*_):
        with create_engine(f"sqlite:///file:{path}?mode=ro&uri=true").begin() as link:
            link.execute(text("CREATE TABLE one (two INTEGER)"))

    monkeypatch.setattr(Course, "select", write)
    assert main(["--course", str(course.root), "feedback"]) == 2
    told = capsys.readouterr().err
    assert "the gradebook: attempt to write a readonly database" in told
    assert "may read and write there" in told


@pytest.mark.parametrize("error", [OSError(errno.EPIPE, "x"), FileNotFoundError(errno.ENOENT, "x"), KeyError("x")])
def test_a_fault_of_ours_keeps_its_traceback(course, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(Course, "select", fail)
    with pytest.raises(type(error)) as raised:
        main(["--course", str(course.root), "feedback"])
    assert "fail" in [frame.name for frame in raised.traceback]


def test_who_reads_no_further_is_told_nothing(course):
    """As with `| head`: the pipe is closed before all is written."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "grader", "--course", str(course.root), "check", "--counts"]
    with os.fdopen(writer, "wb") as unread:
        done = subprocess.run(command, stdout=unread, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "")


ENDED = """
import sys
from grader.core.machine import ended_by

try:
    print("ada: 18 of 18", flush=True)
except BrokenPipeError as end:
    sys.exit(ended_by(end, "grade"))
"""


def test_whose_marking_stops_because_nobody_reads_on_is_told_that():
    """As with `| less` and `q`: those behind were not marked, and the shell shows the code of `less`."""
    for errors in (subprocess.PIPE, subprocess.STDOUT):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as unread:
            done = subprocess.run([sys.executable, "-c", ENDED], stdout=unread, stderr=errors, text=True)
        assert done.returncode == 1
        assert done.stderr is None or "some submissions may not be marked" in done.stderr


BEGUN = """
import os, signal, sys
from grader import cli

class Parser:
    def parse_args(self, argv):
        print("注意力")
        if (child := os.fork()) == 0:
            os._exit(7)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

signal.signal(signal.SIGCHLD, getattr(signal, sys.argv[1]))
cli.build_parser = Parser
cli.main(["grade"])
"""


@pytest.mark.parametrize("children", ["SIG_IGN", "SIG_DFL"])
def test_a_command_does_not_mind_who_starts_it_and_where(children):
    """Whose starter ignores its children inherits that; a terminal's encoding may lack the letters of a name."""
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", BEGUN, children]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (7, "\\u6ce8\\u610f\\u529b\n", "")
