"""A gradebook in PostgreSQL: the same marks as in SQLite, whoever else writes and whatever breaks off."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy
from conftest import NAMES
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin
from sqlalchemy.exc import DatabaseError

from grader.classrun.run import end, grade_class
from grader.cli import main
from grader.core.course import Course
from grader.core.databases import HELD_UP, TURNED_AWAY, worth_trying
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader, prepare_gradebook
from grader.core.notebook import read_notebook, write_notebook
from grader.demo import make_submission, read_sample_class
from grader.gradebook import records

NAME = NAMES[0]
#: What a record says of the run rather than of the submission.
RUN_ONLY = ("wall_s", "cpu_s", "peak_mib")


def config_for(course, folder, url=None):
    config = folders_config(course_config(course), folder)
    if url is not None:
        config.CourseDirectory.db_url = url
    return config


def run(course, folder, url=None, names=(NAME,), **options):
    try:
        return grade_class(course, config_for(course, folder, url), list(names), **options)
    finally:
        end()


def everything(url, names=(NAME,)):
    """Give all marks, comments and records of some assignments."""
    found = {}
    with Gradebook(url, "attention") as gradebook:
        for name in names:
            for submission in gradebook.assignment_submissions(name):
                student = submission.student.id
                record = records.read(gradebook, name, student)
                found[name, student] = (
                    {
                        g.name: (g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade)
                        for n in submission.notebooks
                        for g in n.grades
                    },
                    {c.name: (c.auto_comment, c.manual_comment) for n in submission.notebooks for c in n.comments},
                    submission.timestamp,
                    submission.score,
                    record and {key: value for key, value in record.items() if key not in RUN_ONLY},
                )
    return found


def sqlite_url(folder):
    return f"sqlite:///{folder / 'gradebook.db'}"


def outcomes(entries):
    return {(e.assignment, e.student): (e.outcome, e.points, e.why) for e in entries}


def test_the_same_marks_and_records_as_in_sqlite(small_course, class_folder, url):
    # Handed in at noon in New York; nbgrader keeps times in UTC, without a zone.
    (class_folder / "submitted/ada" / NAME / "timestamp.txt").write_text("2026-11-20 12:00:00 -0500")
    run(small_course, class_folder)
    entries = run(small_course, class_folder, url)
    assert outcomes(entries) == {
        (NAME, "ada"): ("marked", 3, ""),
        (NAME, "bob"): ("marked", 2, ""),
        (NAME, "cyd"): ("marked", 2, ""),
    }
    kept = everything(url)
    assert kept == everything(sqlite_url(class_folder))
    assert kept[NAME, "ada"][2].isoformat() == "2026-11-20T17:00:00"
    assert {e.outcome for e in run(small_course, class_folder, url)} == {"unchanged"}


def test_characters_that_a_database_refuses_come_back_from_the_record(small_course, class_folder, url):
    entries = run(small_course, class_folder, url, students=["cyd"])
    assert entries[0].outcome == "marked", entries[0].why
    with Gradebook(url) as gradebook:
        messages = [v["message"] for v in records.read(gradebook, NAME, "cyd")["verdicts"]]
        assert "\0" in messages[1]
        assert "é \U0001f600" in messages[1]
        records.write(gradebook, NAME, "cyd", {"text": "\0 \ud800"})
        gradebook.db.commit()
        assert records.read(gradebook, NAME, "cyd") == {"text": "\0 \ud800"}
        # The control: this is what PostgreSQL does with such a text.
        with pytest.raises(Exception, match="NUL"):
            gradebook.db.execute(sqlalchemy.text("SELECT CAST(:t AS text)"), {"t": "\0"})


def test_nbgraders_own_steps_and_views_work_on_it(small_course, class_folder, url):
    config = config_for(small_course, class_folder, url)
    with open_nbgrader(config) as api:
        assert api.generate_assignment(NAME)["success"]
        for student in ("ada", "bob", "cyd"):
            done = api.autograde(NAME, student)
            assert done["success"], done["log"]
            assert api.generate_feedback(NAME, student)["success"]
        end()
        # What the formgrader's pages ask for.
        assert {s["student"]: s["score"] for s in api.get_submissions(NAME)} == {"ada": 3, "bob": 2, "cyd": 2}
        assert [n["num_submissions"] for n in api.get_notebooks(NAME)] == [3]
        assert len(api.get_notebook_submissions(NAME, NAME)) == 3
        assert {s["id"]: s["score"] for s in api.get_students()} == {"ada": 3, "bob": 2, "cyd": 2}
        assert api.get_student_submissions("ada")
        assert api.get_student_notebook_submissions("ada", NAME)
        with Gradebook(url, "attention") as gradebook:
            CsvExportPlugin(to=str(class_folder / "marks.csv"), parent=api).export(gradebook)
            assert gradebook.average_assignment_code_score(NAME) == pytest.approx(7 / 3)
    assert (class_folder / "feedback/ada" / NAME / f"{NAME}.html").is_file()
    rows = (class_folder / "marks.csv").read_text().splitlines()
    assert len(rows) == 4
    assert rows[1].startswith(f"{NAME},,,ada")
    nbgrader = str(Path(sys.executable).with_name("nbgrader"))
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [nbgrader, "db", "upgrade", "--db", url]
    done = subprocess.run(command, cwd=class_folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert everything(url)[NAME, "ada"][3] == 3


def test_a_release_after_submissions_keeps_their_marks(small_course, class_folder, url):
    run(small_course, class_folder, url)
    before = everything(url)
    with open_nbgrader(config_for(small_course, class_folder, url)) as api:
        done = api.generate_assignment(NAME, force=True)
    assert done["success"], done["log"]
    assert everything(url) == before


def test_manual_marks_and_comments_stay(small_course, class_folder, url):
    run(small_course, class_folder, url)
    with Gradebook(url, "attention") as gradebook:
        gradebook.find_grade("written_why", NAME, NAME, "ada").manual_score = 1.5
        gradebook.find_grade("test_double_text", NAME, NAME, "bob").manual_score = 0.5
        gradebook.find_comment("written_why", NAME, NAME, "ada").manual_comment = "well said"
        gradebook.db.commit()
    run(small_course, class_folder, url, force=True)
    after = everything(url)
    assert after[NAME, "ada"][0]["written_why"] == (None, 1.5, None, True)
    assert after[NAME, "ada"][1]["written_why"][1] == "well said"
    assert after[NAME, "bob"][0]["test_double_text"][:2] == (0, 0.5)


def test_no_transaction_and_no_connection_is_left_open(small_course, class_folder, url):
    run(small_course, class_folder, url)
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as link:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        assert link.execute(sqlalchemy.text(query)).scalar() == 0
    engine.dispose()


# Two instructors ------------------------------------------------------------------------------------------------------

INSTRUCTOR = """
import json, sys
from pathlib import Path

from grader.core.course import Course
from grader.classrun.run import end, grade_class
from grader.core.nbgrader_api import course_config, enter_class, folders_config, open_nbgrader

root, folder, url, names, students = json.loads(sys.argv[1])
course = Course(Path(root))
config = folders_config(course_config(course), Path(folder))
config.CourseDirectory.db_url = url
print("ready", flush=True)
input()
with open_nbgrader(config) as api:
    enter_class(api, names, ["ada", "bob", "cyd"])
entries = grade_class(course, config, names, students)
end()
print(json.dumps([[e.assignment, e.student, e.outcome, e.points, e.why] for e in entries]))
"""


def instructors(course, class_folder, url, parts):
    """Let some mark parts of a class at the same time, each in a process and folder of their own."""
    processes = []
    for number, (names, students) in enumerate(parts):
        folder = class_folder / f"instructor{number}"
        shutil.copytree(class_folder / "submitted", folder / "submitted")
        plan = json.dumps([str(course.root), str(folder), url, names, students])
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", INSTRUCTOR, plan],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    found = {}
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        found |= {(a, s): (outcome, points, why) for a, s, outcome, points, why in json.loads(out)}
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        [([NAME], ["ada", "cyd"]), ([NAME], ["bob"])],  # each a part of the class
        [([NAMES[0]], []), ([NAMES[1]], [])],  # each a notebook, so that both enter the same students
    ],
    ids=["students", "notebooks"],
)
def test_two_instructors_at_the_same_time_lose_nothing(small_course, class_folder, url, parts):
    """They begin with an empty database, so both also make its tables and enter the assignments."""
    found = instructors(small_course, class_folder, url, parts)
    names = sorted({name for name, _ in found})
    assert {outcome for outcome, _, _ in found.values()} == {"marked"}, found
    assert len(found) == 3 * len(names)
    run(small_course, class_folder, None, names)
    assert everything(url, names) == everything(sqlite_url(class_folder), names)


# A run that breaks off ------------------------------------------------------------------------------------------------

KILLED = """
import json, os, signal, sys
from pathlib import Path

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from grader.core.course import Course
from grader.gradebook import records
from grader.classrun.run import end, grade_class
from grader.core.nbgrader_api import course_config, folders_config

root, folder, url, name, left = json.loads(sys.argv[1])


def deadly(owner, name):
    real = getattr(owner, name)

    def step(*args, **kwargs):
        global left
        for half in (lambda: None, lambda: real(*args, **kwargs)):
            result = half()
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, step)


for owner, method in ((Session, "commit"), (records, "write")):
    deadly(owner, method)
course = Course(Path(root))
config = folders_config(course_config(course), Path(folder))
config.CourseDirectory.db_url = url
grade_class(course, config, [name])
end()
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_in_the_same_gradebook(small_course, class_folder, url, tmp_path_factory):
    """Killed at the first, the sixth, ... moment before or after a commit; then a run that nobody disturbed."""
    shutil.rmtree(class_folder / "submitted/ada")
    killed = 0
    while True:
        plan = json.dumps([str(small_course.root), str(class_folder), url, NAME, 5 * killed + 1])
        done = subprocess.run([sys.executable, "-c", KILLED, plan], capture_output=True, text=True)
        if done.returncode != -signal.SIGKILL:
            break
        killed += 1
    assert done.returncode == 0, done.stderr
    assert killed > 3
    whole = tmp_path_factory.mktemp("whole")
    shutil.copytree(class_folder / "submitted", whole / "submitted")
    run(small_course, whole)
    assert everything(url) == everything(sqlite_url(whole))
    assert {e.outcome for e in run(small_course, class_folder, url)} == {"unchanged"}


def test_a_lost_connection_costs_one_submission_until_the_next_run(small_course, class_folder, url):
    """As when the server is restarted in mid-run."""
    engine = sqlalchemy.create_engine(url)
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    query += "WHERE datname = current_database() AND pid <> pg_backend_pid()"

    said = []

    def cut(line):
        said.append(line)
        if len(said) == 1:
            with engine.connect() as link:
                assert link.execute(sqlalchemy.text(query)).all(), "nobody was connected"

    entries = {e.student: e for e in run(small_course, class_folder, url, say=cut)}
    engine.dispose()
    failed = [student for student, entry in entries.items() if entry.outcome == "failed"]
    assert len(failed) == 1
    assert "terminating connection" in entries[failed[0]].why
    again = {e.student: e.outcome for e in run(small_course, class_folder, url)}
    assert again == {student: "marked" if student in failed else "unchanged" for student in entries}
    run(small_course, class_folder)
    assert everything(url) == everything(sqlite_url(class_folder))


def test_a_gradebook_that_was_cut_short_is_mended(url):
    engine = sqlalchemy.create_engine(url)
    from nbgrader.api import Base

    Base.metadata.create_all(bind=engine)  # where nbgrader was ended between its tables and the mark of their version
    assert not sqlalchemy.inspect(engine).has_table("alembic_version")
    for _ in range(2):
        prepare_gradebook(url, "attention")
    with engine.connect() as link:
        assert link.execute(sqlalchemy.text("SELECT count(*) FROM alembic_version")).scalar() == 1
        courses = link.execute(sqlalchemy.text("SELECT id FROM course")).scalars().all()
    engine.dispose()
    assert sorted(courses) == ["attention", "default_course"]


# The address ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("gradebook", "address cannot be read"),
        ("postgresql+psycopg://ann:secret@127.0.0.1:port/course", "address cannot be read"),
        ("postgresql+psycopg://ann@/course?host=127.0.0.1&port=9&password=secret", "cannot be opened: .*refused"),
        ("postgresql+psycopg://ann:secret@127.0.0.1:9/course", "cannot be opened: .*refused"),
        ("nosuch://ann@localhost/course", "no driver"),
        ("sqlite:////no/such/folder/gradebook.db", "unable to open"),
    ],
)
def test_a_gradebook_that_cannot_be_opened_is_said_in_a_sentence(address, says):
    with pytest.raises(GraderError, match=says) as caught:
        prepare_gradebook(address, "attention")
    assert "secret" not in str(caught.value)
    assert caught.value.fix


def test_what_may_pass_is_waited_for_and_what_lasts_is_said_at_once(server, url, tmp_path):
    """The same error of the driver, whatever language its text is in."""
    here = f"postgresql+psycopg://grader@/postgres?host={server}"

    def error_of(address, *statements):
        engine = sqlalchemy.create_engine(address)
        try:
            with engine.connect() as link:
                for statement in statements:
                    link.execute(sqlalchemy.text(statement))
        except DatabaseError as error:
            error.orig.args = ("verbindung verweigert",)  # a text that says nothing
            return error
        finally:
            engine.dispose()
        raise AssertionError("no error")

    nobody = "postgresql+psycopg://ann@/course?host=/no/such/folder"
    assert worth_trying(error_of(nobody, "SELECT 1"), nobody) == 1
    exists = error_of(url, "CREATE TABLE t (a int)", "CREATE TABLE t (a int)")
    assert worth_trying(exists, url) == HELD_UP
    with sqlalchemy.create_engine(url).connect() as first:
        first.execute(sqlalchemy.text("CREATE TABLE busy (a int)"))
        first.commit()
        first.execute(sqlalchemy.text("LOCK TABLE busy"))
        waited = error_of(url, "SET lock_timeout = 10", "SELECT * FROM busy")
        assert worth_trying(waited, url) == HELD_UP
    links = [sqlalchemy.create_engine(here) for _ in range(60)]
    taken = []
    try:
        with pytest.raises(DatabaseError) as full:
            taken.extend(engine.connect() for engine in links)
        full.value.orig.args = ("voll",)
        assert worth_trying(full.value, here) == TURNED_AWAY
    finally:
        for link in taken:
            link.close()
        for engine in links:
            engine.dispose()

    sqlite = f"sqlite:///{tmp_path / 'gradebook.db'}"
    assert worth_trying(error_of(sqlite, "CREATE TABLE t (a)", "CREATE TABLE t (a)"), sqlite) == HELD_UP
    away = "sqlite:////no/such/folder/gradebook.db"
    assert worth_trying(error_of(away, "SELECT 1"), away) == 1
    (tmp_path / "text.db").write_text("no database" * 1000)
    text = f"sqlite:///{tmp_path / 'text.db'}"
    assert worth_trying(error_of(text, "CREATE TABLE t (a)"), text) == 1
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        busy = error_of(f"{sqlite}?timeout=0", "CREATE TABLE u (a)")
        assert worth_trying(busy, sqlite) == HELD_UP


def test_a_wrong_password_or_database_is_said_soon(server, tmp_path):
    """The server is there and refuses; libpq does not pass on why, so it could as well be full for a moment."""
    here = f"postgresql+psycopg://grader@/postgres?host={server}"
    engine = sqlalchemy.create_engine(here, isolation_level="AUTOCOMMIT")
    rules = server / "data/pg_hba.conf"
    before = rules.read_text()
    try:
        with engine.connect() as link:
            link.execute(sqlalchemy.text("CREATE ROLE ann LOGIN PASSWORD 'right'"))
            rules.write_text("local all ann scram-sha-256\n" + before)
            link.execute(sqlalchemy.text("SELECT pg_reload_conf()"))
            for address, says in (
                (f"postgresql+psycopg://ann:wrong@/postgres?host={server}", "password"),
                (f"postgresql+psycopg://grader@/nosuch?host={server}", "nosuch"),
            ):
                begun = time.monotonic()
                with pytest.raises(GraderError, match=says):
                    prepare_gradebook(address, "attention")
                assert time.monotonic() - begun < 5
    finally:
        rules.write_text(before)
        with engine.connect() as link:
            link.execute(sqlalchemy.text("SELECT pg_reload_conf()"))
            link.execute(sqlalchemy.text("DROP ROLE IF EXISTS ann"))
        engine.dispose()


def test_the_environment_names_the_gradebook(small_course, class_folder, url, monkeypatch, capsys):
    monkeypatch.setenv("GRADEBOOK_URL", url)
    local = small_course.root / "grader/local"
    shutil.rmtree(local, ignore_errors=True)
    shutil.copytree(class_folder / "submitted", local / "submitted")
    assert main(["--course", str(small_course.root), "grade", "07", "--student", "ada"]) == 0
    assert "3 of 3" in capsys.readouterr().out
    assert not (local / "gradebook.db").exists()
    assert everything(url)[NAME, "ada"][3] == 3
    monkeypatch.setenv("GRADEBOOK_URL", "postgresql+psycopg://ann:secret@127.0.0.1:9/course")
    assert main(["--course", str(small_course.root), "grade", "07"]) == 2
    said = capsys.readouterr().err
    assert "cannot be opened" in said
    assert "secret" not in said
    shutil.rmtree(local)


# The course's own sample class ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_sample_class_gets_the_same_marks(url, tmp_path):
    course, name = Course.find(), "05_positional_encoding"
    students, code = read_sample_class(course.root / "grader/sample_class.toml")
    for student in students:
        write_notebook(
            make_submission(course, student, name, code), tmp_path / "submitted" / student.name / name / f"{name}.ipynb"
        )
    entries = run(course, tmp_path, url, [name])
    assert {e.student: e.points for e in entries} == {s.name: s.expected[name] for s in students}
    run(course, tmp_path, None, [name])
    assert everything(url, [name]) == everything(sqlite_url(tmp_path), [name])
    assert read_notebook(tmp_path / "autograded" / "perfect" / name / f"{name}.ipynb").cells
