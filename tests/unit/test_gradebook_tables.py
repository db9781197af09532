"""A new gradebook has nbgrader's tables and their version, without the program that nbgrader would start for it."""

import subprocess

import pytest
import sqlalchemy
from nbgrader.api import Gradebook, get_alembic_version

from grader.core.nbgrader_api import prepare_gradebook
from grader.gradebook import records


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'gradebook.db'}"


def version(url):
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as link:
        [found] = link.execute(sqlalchemy.text("SELECT version_num FROM alembic_version")).scalars()
    engine.dispose()
    return found


def test_the_version_is_what_nbgrader_would_write(url):
    prepare_gradebook(url, "attention")
    assert version(url) == get_alembic_version()


def test_no_program_is_started(url, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError(f"started: {args}")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    prepare_gradebook(url, "attention")
    with Gradebook(url, "attention") as gradebook:
        gradebook.add_student("ada")


def test_a_gradebook_that_is_there_is_left_as_it_is(url, monkeypatch):
    prepare_gradebook(url, "attention")
    with Gradebook(url, "attention") as gradebook:
        gradebook.add_student("ada")
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as link:
        link.execute(sqlalchemy.text("UPDATE alembic_version SET version_num = 'older'"))
    engine.dispose()
    prepare_gradebook(url, "attention")
    with Gradebook(url, "attention") as gradebook:
        assert [s.id for s in gradebook.students] == ["ada"]
    assert version(url) == "older"


def test_a_record_can_be_written_into_a_gradebook_that_had_none_once_it_was_asked_for(url):
    prepare_gradebook(url, "attention")
    with Gradebook(url, "attention") as gradebook:
        assert records.look_up(gradebook, "ps1", "ada") is None  # and makes no table
        assert not sqlalchemy.inspect(gradebook.engine).has_table("marking_record")
        assert records.read(gradebook, "ps1", "ada") is None  # makes it, while nothing is waiting to be committed
        gradebook.db.execute(sqlalchemy.text("INSERT INTO student (id) VALUES ('ada')"))
        records.write(gradebook, "ps1", "ada", {"points": 3})
        gradebook.db.commit()
        assert records.look_up(gradebook, "ps1", "ada") == {"points": 3}
