"""A file that came by itself, as by mail, beside what the same student handed in."""

import os
import shutil

import pytest
from test_lms_collect import make_zip, notebook, rows
from test_lms_downloads import A8, A9, FIRST, LATER, canvas, there
from test_lms_order import row_of
from test_lms_times import FOLDER, at, at_day, copies, sheet, stamps, upload


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


DAYS = {"before": 1, "1980": None, "ahead": 400, "after": 11}


@pytest.mark.parametrize("when", DAYS)
@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_came_by_itself_beside_another_one_is_named_once_whichever_counts(two, run, tmp_path, when, packed):
    """The time of a file says neither when it was sent nor, if a clock was wrong, anything at all."""
    first = upload(two, tmp_path / "1.zip", 28, eve=FIRST)
    given = [sheet(tmp_path / "1.csv", (2, "eve", at(27)))]
    run(first, rosters=given)
    mail = copies(two, tmp_path / "mail", DAYS[when] or 0, folders=False, eve=LATER)
    if when == "1980":
        os.utime(next(mail.iterdir()), (315_532_800,) * 2)
    if packed:
        times = {"before": (2026, 11, 19), "1980": (1980, 1, 1), "ahead": (2099, 1, 1), "after": (2026, 11, 29)}
        mail = make_zip(
            tmp_path / "mails.zip", [(f"eve - {A8}.ipynb", notebook(two, LATER, A8))], (*times[when], 0, 0, 0)
        )
    (odd,) = run(mail).times
    counts = when != "before"
    assert there(two)["eve", A8] == (LATER if counts else FIRST)
    assert f"as by mail, and {'counts' if counts else 'does not count'}, of eve" in odd.why
    for paths in ((mail,), (first,), (first, mail)):
        assert not run(*paths, rosters=given).times


def test_what_is_handed_in_beside_a_file_that_came_by_itself_from_a_clock_that_is_ahead_is_named(two, run, tmp_path):
    run(
        upload(two, tmp_path / "1.zip", 21, eve="return 'first'"),
        rosters=[sheet(tmp_path / "1.csv", (2, "eve", at(20)))],
    )
    run(copies(two, tmp_path / "mail", 400, folders=False, eve=FIRST))
    second, given = upload(two, tmp_path / "2.zip", 28, eve=LATER), [sheet(tmp_path / "2.csv", (2, "eve", at(27)))]
    (odd,) = run(second, rosters=given).times
    assert "does not count, of eve" in odd.why
    assert there(two)["eve", A8] == LATER
    assert not run(second, rosters=given).times


def test_in_canvas_an_earlier_file_that_comes_by_mail_again_is_named(two, run, tmp_path):
    for day, number, answer in ((21, 500, FIRST), (28, 900, LATER)):
        run(canvas(two, tmp_path / f"{day}.zip", (f"eve_333_{number}_nb.ipynb", answer, A8), day=day))
    (odd,) = run(copies(two, tmp_path / "mail", 11, folders=False, eve=FIRST)).times
    assert "does not count, of eve" in odd.why


@pytest.mark.parametrize("together", [True, False])
def test_in_canvas_a_file_that_is_handed_in_once_more_beside_a_mail_is_named(two, run, tmp_path, together):
    """The correction by mail came after the file's first number, and nobody knows whether after its second."""
    first = canvas(two, tmp_path / "1.zip", ("eve_333_500_nb.ipynb", FIRST, A8), day=21)
    mail = copies(two, tmp_path / "mail", 11, folders=False, eve=LATER)
    again = canvas(two, tmp_path / "2.zip", ("eve_333_900_nb-1.ipynb", FIRST, A8), day=28)
    if together:
        (odd,) = run(first, mail, again).times
    else:
        run(first)
        run(mail)
        (odd,) = run(again).times
    assert "as by mail, and does not count, of eve" in odd.why
    assert there(two)["eve", A8] == FIRST
    for paths in ((again,), (first,), (mail,), (first, mail, again)):
        assert not run(*paths).times
        assert there(two)["eve", A8] == FIRST


@pytest.mark.parametrize(("day", "named"), [(9, False), (8, True)])
def test_a_file_that_was_mailed_before_it_was_handed_in_late_is_named(two, run, tmp_path, day, named):
    """Mailed in time, and uploaded next morning: which of both counts is for a person to say."""
    known = make_zip(tmp_path / "9.zip", [(FOLDER.format("eve", 12, "nb.ipynb"), notebook(two, FIRST, A9))])
    run(known, rosters=[sheet(tmp_path / "9.csv", (12, "eve", at(18)))])
    run(copies(two, tmp_path / "mail", day, folders=False, eve=LATER))  # it was handed in on the 27th
    second, given = upload(two, tmp_path / "2.zip", 28, eve=LATER), [sheet(tmp_path / "2.csv", (2, "eve", at(27)))]
    result = run(second, rosters=given)
    assert [one.why.endswith("collected before, of eve") for one in result.times] == [True] * named
    assert any("it came by itself before, and was saved at 2026-11-26" in n for n in result.placed[0].notes) is named
    assert not run(second, rosters=given).times


def test_a_time_alone_that_was_taken_away_is_written_again(two, run, tmp_path):
    first, given = upload(two, tmp_path / "1.zip", 21, eve=FIRST), [sheet(tmp_path / "1.csv", (2, "eve", at(20)))]
    run(first, rosters=given)
    (two.local / "submitted/eve" / A8 / "timestamp.txt").unlink()
    (one,) = run(first, rosters=given).placed
    assert "timestamp.txt was taken away, and is written again" in one.notes
    assert stamps(two) == {"eve": 20}
