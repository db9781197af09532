"""Addresses and languages that are none are said in a sentence, and no password is shown."""

import pytest

from grader.authoring.runs import execute_in
from grader.core.databases import read_address, shown_address
from grader.core.errors import GraderError
from grader.gradebook.records import students_with_submissions
from grader.publishing.frame_making import execute_and_draw
from grader.publishing.publish import publish
from grader.report.data import read_class

NAME = "09_doubling"


@pytest.mark.parametrize("address", ["gradebook", "postgresql+psycopg://ann:secret@localhost:port/course"])
def test_an_address_that_is_none_is_said_wherever_it_is_read(course, address):
    for read in (
        lambda: read_address(address),
        lambda: students_with_submissions(address, "course"),
        lambda: read_class(course, address, "course", [NAME]),
    ):
        with pytest.raises(GraderError, match="address cannot be read") as caught:
            read()
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "p://ann:secret@db/course",
        "p://ann@/course?host=db&password=secret",
        "p://ann@/course?host=db&pasword=secret",
        "p://ann@db/course?oauth_client_secret=secret",
        "p://ann@db/course?options=secret",
        "p://ann@db/course%20password=secret",
        "p://ann@db/course?dbname=course%20password=secret",
        "p://ann@db/course?host=db&host=password=secret",
    ],
)
def test_an_address_is_shown_without_its_password(address):
    shown = shown_address(read_address(address.replace("p://", "postgresql+psycopg://")))
    assert "secret" not in shown
    assert "db" in shown


def test_what_tells_nothing_secret_is_shown():
    address = "postgresql+psycopg://ann@db:5432/course?connect_timeout=3&sslmode=require"
    assert shown_address(read_address(address)) == address


@pytest.mark.parametrize("language", ["../..", "en_XX", ""])
def test_a_language_without_translations_is_refused(course, language):
    for make in (
        lambda: execute_and_draw(course, NAME, language),
        lambda: execute_in(course, NAME, language),
    ):
        with pytest.raises(GraderError, match="there is no translation into") as caught:
            make()
        assert "one of: en" in caught.value.fix


@pytest.mark.parametrize("incomplete", [True, False])
@pytest.mark.parametrize("language", ["../..", "zh/CN", ""])
def test_what_is_no_name_of_a_language_is_not_published(course, tmp_path, language, incomplete):
    with pytest.raises(GraderError, match="no such language"):
        publish(course, tmp_path / "students", language=language, incomplete=incomplete)
    assert not (tmp_path / "students").exists()
