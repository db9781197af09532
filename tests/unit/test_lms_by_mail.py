"""A file that came by itself, as by mail, beside what the same student handed in."""

import shutil

import pytest
from test_lms_collect import rows
from test_lms_downloads import A8, FIRST, LATER, canvas, there
from test_lms_order import row_of
from test_lms_times import at, at_day, copies, sheet, stamps, upload


@pytest.fixture
def back(two, run, tmp_path):
    """Eve handed in one file and another one, the wrong one, and mailed the first again, which counts."""
    paths = [upload(two, tmp_path / "1.zip", 21, eve=FIRST), upload(two, tmp_path / "2.zip", 28, eve=LATER)]
    sheets = [sheet(tmp_path / f"{n}.csv", (2, "eve", at(day))) for n, day in enumerate((20, 27))]
    for path, known in zip(paths, sheets, strict=True):
        run(path, rosters=[known])
    mail = copies(two, tmp_path / "mail", 11, folders=False, eve=FIRST)
    run(mail)
    assert there(two)["eve", A8] == FIRST
    return *paths, mail, sheets


@pytest.mark.parametrize("given", ["both", "last", "none"])
@pytest.mark.parametrize("lost", [True, False])
def test_who_goes_back_to_an_earlier_file_by_mail_has_it_whatever_is_collected_again(two, run, back, given, lost):
    first, second, mail, sheets = back
    given = {"both": sheets, "last": sheets[1:], "none": []}[given]
    if lost:
        shutil.rmtree(two.local / "submitted")
    for paths in ((first, second, mail), (first, second), (second,), (first,), (mail,), (first, second)):
        run(*paths, rosters=given)
        assert there(two)["eve", A8] == FIRST
    assert not stamps(two)  # the worksheet's time is of the other file
    row = row_of(two, FIRST)
    assert (row["state"], row["number"], row["source"]) == ("current", "2", "mail")


def test_in_canvas_an_older_download_that_is_collected_later_does_not_take_the_place_of_a_mail(two, run, tmp_path):
    second = canvas(two, tmp_path / "2.zip", ("eve_333_900_nb-1.ipynb", LATER, A8), day=28)
    run(second)
    run(copies(two, tmp_path / "mail", 11, folders=False, eve=FIRST))
    for path in (canvas(two, tmp_path / "1.zip", ("eve_333_500_nb.ipynb", FIRST, A8)), second):
        run(path)
        assert there(two)["eve", A8] == FIRST


def test_what_is_handed_in_after_a_mail_that_goes_back_replaces_it(two, run, tmp_path, back):
    first, second, _, sheets = back
    run(first, second, rosters=sheets)
    third = upload(two, tmp_path / "3.zip", 30, eve=LATER)
    run(third, rosters=[sheet(tmp_path / "3.csv", (2, "eve", "Monday, 30 November 2026, 9:00 AM"))])
    assert there(two)["eve", A8] == LATER
    assert rows(two.local / "collected.csv")[-1]["state"] == "current"
    assert at_day(27) not in row_of(two, LATER)["handed_in"]
