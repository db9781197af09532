"""Which of two attempts is the later one if submissions are lost, downloads are old and worksheets new."""

import csv
import shutil

import pytest
from test_lms_collect import make_zip, notebook, rows
from test_lms_downloads import A8, A9, FIRST, LATER, canvas, there
from test_lms_times import FOLDER, NEW, OLD, at, at_day, copies, known_times, sheet, stamps, upload

ALL = {"ada": FIRST, "bob": FIRST}


@pytest.fixture
def weeks(two, run, tmp_path):
    """Two downloads with their worksheets; Eve handed in again in between. Nobody downloaded what she did after."""
    first, second = upload(two, tmp_path / "1.zip", 21, **ALL, eve=FIRST), tmp_path / "2.zip"
    upload(two, second, 28, **ALL, eve=LATER)
    sheets = [sheet(tmp_path / "old.csv", *OLD), sheet(tmp_path / "new.csv", *NEW)]
    sheets.append(sheet(tmp_path / "newest.csv", *OLD[:2], (2, "eve", at(29))))
    run(first, rosters=sheets[:1])
    return first, second, *sheets


def row_of(course, answer, student="eve"):
    """What `collected.csv` says of a student's file."""
    found = [row for row in rows(course.local / "collected.csv") if row["student"] == student]
    kept = {(course.local / row["file"]).read_bytes(): row for row in found if row["file"]}
    return kept[notebook(course, answer, A8)]


@pytest.mark.parametrize(
    ("what", "runs", "given"),
    [
        ("", ["01"], "all"),
        ("", ["01"], "new"),
        ("", ["01"], "none"),
        ("", ["0", "1"], "none"),
        ("", ["1", "0"], "own"),
        ("", ["01", "0"], "new"),
        ("eve", ["0", "1"], "own"),
    ],
)
def test_what_counted_counts_again_if_the_submissions_were_lost(two, run, weeks, what, runs, given):
    first, second, old, new, _ = weeks
    run(second, rosters=[new])
    counts, times, journal = there(two), stamps(two), known_times(two)
    assert counts["eve", A8] == LATER
    shutil.rmtree(two.local / "submitted" / what)
    for numbers in runs:
        own = [(old, new)[int(n)] for n in numbers]
        rosters = {"all": [old, new], "new": [new], "own": own, "none": []}[given]
        assert not run(*((first, second)[int(n)] for n in numbers), rosters=rosters).looks
    assert there(two) == counts
    assert stamps(two) == times
    assert known_times(two) == journal


def test_a_late_file_that_was_lost_does_not_pass_for_one_in_time(two, run, weeks):
    _, second, old, new, _ = weeks
    run(second, rosters=[new])
    shutil.rmtree(two.local / "submitted")
    (odd,) = run(second, rosters=[old]).times
    assert odd.why.endswith("of eve; the later one stays")
    assert stamps(two)["eve"] == 27


def test_a_later_time_for_what_was_lost_is_named(two, run, weeks):
    first, second, _, new, newest = weeks
    run(second, rosters=[new])
    shutil.rmtree(two.local / "submitted")
    (odd,) = run(first, second, rosters=[newest]).times
    assert "it has a later time of handing in" in odd.why
    assert there(two)["eve", A8] == LATER
    assert known_times(two) == {"earlier": at_day(20), "current": at_day(29)}


@pytest.mark.parametrize("folders", [True, False])
def test_copies_of_a_class_count_as_before_if_the_submissions_were_lost(two, run, tmp_path, folders):
    both = [copies(two, tmp_path / f"week {n}", n, folders, ada=a) for n, a in enumerate((FIRST, LATER))]
    run(*both)
    shutil.rmtree(two.local / "submitted")
    run(*both)
    assert there(two)["ada", A8] == LATER
    run(*both)
    assert there(two)["ada", A8] == LATER


def test_a_correction_by_mail_counts_as_before_if_the_submissions_were_lost(two, run, tmp_path, weeks):
    first, _, old, *_ = weeks
    mail = copies(two, tmp_path / "mail", 20, folders=False, eve=LATER)
    for _ in range(2):
        run(first, rosters=[old])
        run(mail)
        run(first, rosters=[old])
        assert there(two)["eve", A8] == LATER
        shutil.rmtree(two.local / "submitted")


@pytest.mark.parametrize("order", ["m2", "2m", "m then 2", "2 then m"])
@pytest.mark.parametrize(("saved", "counts"), [(22, LATER), (19, FIRST)])
def test_a_correction_is_held_against_the_time_of_handing_in_not_that_of_the_download(
    two, run, tmp_path, order, saved, counts
):
    """A download is later than what is in it, and the first one of an activity may be made after a correction came."""
    known = make_zip(tmp_path / "9.zip", [(FOLDER.format("eve", 12, "nb.ipynb"), notebook(two, FIRST, A9))])
    run(known, rosters=[sheet(tmp_path / "9.csv", (12, "eve", at(18)))])
    paths = {"m": copies(two, tmp_path / "mail", saved - 18, folders=False, eve=LATER)}
    paths["2"] = upload(two, tmp_path / "2.zip", 28, **ALL, eve=FIRST)
    for _ in range(2):
        for together in order.split(" then "):
            run(*(paths[name] for name in together), rosters=[sheet(tmp_path / "old.csv", *OLD)])
        assert there(two)["eve", A8] == counts


def test_a_correction_that_was_saved_after_another_file_was_handed_in_is_named(two, run, tmp_path):
    """It may have been sent before that. Every other week says nothing new."""
    known = make_zip(tmp_path / "9.zip", [(FOLDER.format("eve", 12, "nb.ipynb"), notebook(two, FIRST, A9))])
    run(known, rosters=[sheet(tmp_path / "9.csv", (12, "eve", at(18)))])
    run(copies(two, tmp_path / "mail", 4, folders=False, eve=LATER))
    for day, names in ((28, ["eve"]), (29, [])):
        path = upload(two, tmp_path / f"{day}.zip", day, **ALL, eve=FIRST)
        named = run(path, rosters=[sheet(tmp_path / "old.csv", *OLD)]).times
        assert ["eve" for one in named if "nothing tells" in one.why and "eve" in one.why] == names
        assert there(two)["eve", A8] == LATER


@pytest.mark.parametrize("system", ["moodle", "no times", "plain"])
@pytest.mark.parametrize("gone", ["by hand", "last one"])
def test_the_last_of_those_that_are_there_counts_if_what_counted_cannot_come_again(two, run, tmp_path, system, gone):
    """What was corrected by hand is in no download, and a download may be lost, too."""
    runs = {"m": copies(two, tmp_path / "mail", 4, folders=False, eve=LATER)}
    if system == "plain":
        runs["1"] = copies(two, tmp_path / "week 1", 3, **ALL, eve=FIRST)
    else:
        runs["1"] = upload(two, tmp_path / "1.zip", 21, **ALL, eve=FIRST)
    given = [sheet(tmp_path / "old.csv", *OLD)] if system == "moodle" else []
    for name in "1m":
        run(runs[name], rosters=given)
    path = two.local / "submitted/eve" / A8 / f"{A8}.ipynb"
    if gone == "by hand":
        path.write_bytes(notebook(two, "return 'by hand'", A8))
        run(runs["1"], rosters=given)
    else:
        run(copies(two, tmp_path / "second mail", 6, folders=False, eve="return 'last one'"))
    assert path.read_bytes() == notebook(two, f"return {gone!r}", A8)
    shutil.rmtree(two.local / "submitted")
    for name in "1m1m":
        run(runs[name], rosters=given)
    assert there(two)["eve", A8] == LATER


def test_a_correction_that_is_saved_once_more_is_as_old_as_before(two, run, tmp_path, weeks):
    """Whoever copies what is left after a loss gives it a new time, but what is handed in later stays later."""
    first, second, old, new, _ = weeks
    mail = copies(two, tmp_path / "mail", 4, folders=False, eve="return 'by mail'")
    run(mail)
    shutil.rmtree(two.local / "submitted")
    mail = copies(two, tmp_path / "mail", 12, folders=False, eve="return 'by mail'")
    run(first, mail, rosters=[old])
    run(second, rosters=[new])
    assert there(two)["eve", A8] == LATER


@pytest.mark.parametrize("sheets", [True, False])
@pytest.mark.parametrize("lost", [True, False])
def test_what_came_by_mail_and_is_handed_in_as_well_is_of_that_system(two, run, tmp_path, weeks, sheets, lost):
    """An older download, with what was handed in before, does not take its place and its time."""
    first, _, old, new, _ = weeks
    mail = copies(two, tmp_path / "mail", 4, folders=False, eve=LATER)
    again, third = upload(two, tmp_path / "2.zip", 24, **ALL, eve=FIRST), upload(two, tmp_path / "3.zip", 28, eve=LATER)
    for path, known in ((mail, old), (again, old), (third, new)):
        run(path, rosters=[known] if sheets else [])
    if lost:
        shutil.rmtree(two.local / "submitted")
        run(mail)
    for path in (again, mail, third, first):
        run(path, rosters=[new] if sheets else [])
        row = row_of(two, LATER)
        assert (row["state"], row["system"], row["number"], row["source"]) == ("current", "moodle", "2", "3.zip")
        assert row["handed_in"] == (at_day(27) if sheets else "")


def test_what_came_by_mail_gets_no_number_from_the_upload_for_another_notebook(two, run, tmp_path, weeks):
    run(copies(two, tmp_path / "mail", 4, folders=False, eve=LATER))
    both = [(FOLDER.format("eve", 12, f"{a}.ipynb"), notebook(two, LATER, a)) for a in (A8, A9)]
    run(make_zip(tmp_path / "9.zip", both), rosters=[sheet(tmp_path / "9.csv", (12, "eve", at(18)))], assignment=A8)
    assert (row_of(two, LATER)["state"], row_of(two, LATER)["number"]) == ("current", "")


@pytest.mark.parametrize("order", ["21m", "12m", "2m", "m21"])
@pytest.mark.parametrize("system", ["moodle", "no times", "plain"])
def test_a_correction_counts_again_in_whatever_order_all_is_collected_after_a_loss(two, run, tmp_path, system, order):
    """The later download has what was handed in before the correction, and a later time than that."""
    runs = {"m": copies(two, tmp_path / "mail", 4, folders=False, eve=LATER)}
    for name, day in (("1", 21), ("2", 28)):
        if system == "plain":
            runs[name] = copies(two, tmp_path / f"week {name}", day - 18, **ALL, eve=FIRST)
        else:
            runs[name] = upload(two, tmp_path / f"{name}.zip", day, **ALL, eve=FIRST)
    given = [sheet(tmp_path / "old.csv", *OLD)] if system == "moodle" else []
    for name in "1m2":
        run(runs[name], rosters=given)
    assert there(two)["eve", A8] == LATER
    shutil.rmtree(two.local / "submitted")
    run(*(runs[name] for name in order), rosters=given)
    assert there(two)["eve", A8] == LATER
    for name in order:
        run(runs[name], rosters=given)
        assert there(two)["eve", A8] == LATER


def test_it_is_said_that_what_counted_was_lost_until_it_or_something_later_comes(two, run, tmp_path, weeks):
    first, second, old, new, _ = weeks
    mail = copies(two, tmp_path / "mail", 4, folders=False, eve="return 'by mail'")
    said = "what counted before was lost, and counts again if mail is collected again"
    run(mail)
    (two.local / "submitted/eve" / A8 / f"{A8}.ipynb").unlink()
    assert said in run(first, rosters=[old]).placed[2].notes
    shutil.rmtree(two.local / "submitted")  # what counts for want of the other one is no reason to forget that
    assert said in run(first, rosters=[old]).placed[2].notes
    assert not run(second, rosters=[new]).placed[2].notes[1:]
    run(mail)
    assert there(two)["eve", A8] == LATER


def test_who_went_back_to_an_earlier_file_has_it_again_if_all_was_lost(two, run, tmp_path, weeks):
    first, second, old, new, newest = weeks
    run(second, rosters=[new])
    third = upload(two, tmp_path / "3.zip", 30, **ALL, eve=FIRST)
    run(third, rosters=[newest])
    times = stamps(two)
    shutil.rmtree(two.local / "submitted")
    for _ in range(2):
        assert not run(first, second, third, rosters=[old, new, newest]).times
        assert (there(two)["eve", A8], stamps(two)) == (FIRST, times)


@pytest.mark.parametrize("sheets", [True, False])
def test_what_was_handed_in_after_a_correction_by_mail_counts_again_if_all_was_lost(two, run, tmp_path, weeks, sheets):
    first, second, old, new, _ = weeks
    mail = copies(two, tmp_path / "mail", 5, folders=False, eve="return 'by mail'")
    run(mail)
    run(second, rosters=[new] if sheets else [])
    journal = rows(two.local / "collected.csv")
    assert there(two)["eve", A8] == LATER
    shutil.rmtree(two.local / "submitted")
    run(first, mail, second, rosters=[old, new] if sheets else [])
    assert there(two)["eve", A8] == LATER
    assert [(row["student"], row["state"], row["source"]) for row in rows(two.local / "collected.csv")] == [
        (row["student"], row["state"], row["source"]) for row in journal
    ]


def test_in_canvas_what_was_handed_in_after_a_correction_by_mail_counts_again_if_all_was_lost(two, run, tmp_path):
    first = canvas(two, tmp_path / "1.zip", ("eve_333_500_nb.ipynb", FIRST, A8))
    mail = copies(two, tmp_path / "mail", 1, folders=False, eve="return 'by mail'")
    second = canvas(two, tmp_path / "2.zip", ("eve_333_900_nb-1.ipynb", LATER, A8), day=28)
    for path in (first, mail, second):
        run(path)
    shutil.rmtree(two.local / "submitted")
    run(first, mail, second)
    assert there(two)["eve", A8] == LATER


def test_a_correction_by_mail_stays_though_somebody_wrote_an_earlier_time_than_the_worksheets(
    two, run, tmp_path, weeks
):
    """As the advice for a later time says; the next download has the same file and the worksheet's time."""
    *_, new, _ = weeks
    run(upload(two, tmp_path / "3.zip", 28, **ALL, eve=FIRST), rosters=[new])
    assert known_times(two) == {"current": at_day(27)}
    (two.local / "submitted/eve" / A8 / "timestamp.txt").write_text("2026-11-20 10:00:00.000000 UTC\n")
    run(copies(two, tmp_path / "mail", 11, folders=False, eve=LATER))
    result = run(upload(two, tmp_path / "4.zip", 30, **ALL, eve=FIRST), rosters=[new])
    assert not result.times
    assert there(two)["eve", A8] == LATER


@pytest.mark.parametrize("known", [True, False])
def test_an_older_download_with_a_newer_worksheet_replaces_nothing(two, run, tmp_path, weeks, known):
    """The worksheet has the time of what Eve handed in last, which is in neither download."""
    first, second, _, new, newest = weeks
    run(second, rosters=[new])
    if not known:
        first = upload(two, tmp_path / "0.zip", 20, **ALL, eve="return 'before'")
    (odd,) = run(first, rosters=[newest]).times
    assert odd.why.startswith("it is older than the download of the files that count, of eve; these stay")
    assert there(two)["eve", A8] == LATER
    assert stamps(two)["eve"] == 27
    assert row_of(two, FIRST)["handed_in"] == at_day(20)
    # With the later download beside it, what counts gets that time, as ever, and it is named.
    (moved,) = run(first, second, rosters=[newest]).times
    assert moved.why == "it has a later time of handing in for files that were collected before, of eve"
    assert stamps(two)["eve"] == 29
    assert row_of(two, FIRST)["handed_in"] == at_day(20)


def test_who_goes_back_to_an_earlier_file_has_its_new_time_and_that_is_named(two, run, tmp_path, weeks):
    _, second, _, new, newest = weeks
    run(second, rosters=[new])
    third = upload(two, tmp_path / "3.zip", 30, **ALL, eve=FIRST)
    result = run(third, rosters=[newest])
    assert there(two)["eve", A8] == FIRST
    assert known_times(two) == {"earlier": at_day(27), "current": at_day(29)}
    assert f"the time of handing in is {at_day(29)} UTC; it was {at_day(20)} UTC" in result.placed[2].notes
    assert "it has a later time of handing in" in result.times[0].why
    assert not run(third, rosters=[newest]).times


def test_a_download_between_two_of_the_same_file_replaces_nothing(two, run, tmp_path, weeks):
    """Eve went back to her first file, and nobody had collected the one in between."""
    _, second, _, new, newest = weeks
    run(upload(two, tmp_path / "3.zip", 30, **ALL, eve=FIRST), rosters=[newest])
    for rosters in ([new], [newest]):
        run(second, rosters=rosters)
        assert there(two)["eve", A8] == FIRST


def test_in_canvas_a_file_that_is_handed_in_again_counts_after_a_correction_by_mail(two, run, tmp_path):
    run(canvas(two, tmp_path / "1.zip", ("eve_333_500_nb.ipynb", FIRST, A8)))
    mail = copies(two, tmp_path / "mail", 1, folders=False, eve=LATER)
    run(mail)
    run(tmp_path / "1.zip")
    assert there(two)["eve", A8] == LATER
    (one,) = run(canvas(two, tmp_path / "2.zip", ("eve_333_900_nb-1.ipynb", FIRST, A8), day=28)).placed
    assert "nothing tells which of the two is the later one" in one.notes[0]
    for path in (mail, tmp_path / "1.zip", tmp_path / "2.zip"):
        run(path)
        assert there(two)["eve", A8] == FIRST


def test_a_time_that_was_written_by_hand_is_kept_with_its_attempt(two, run, weeks):
    first, second, _, new, _ = weeks
    (two.local / "submitted/eve" / A8 / "timestamp.txt").write_text("2026-11-19 10:00:00.000000 UTC\n")
    run(first)
    assert known_times(two) == {"current": at_day(20)}
    run(second, rosters=[new])
    assert known_times(two) == {"earlier": at_day(19), "current": at_day(27)}
    assert stamps(two)["eve"] == 27


def test_a_time_of_the_exchange_is_kept_with_what_it_put_there(two, run, tmp_path):
    folder = two.local / "submitted/eve" / A8
    folder.mkdir(parents=True)
    (folder / f"{A8}.ipynb").write_bytes(notebook(two, FIRST, A8))
    (folder / "timestamp.txt").write_text("2026-11-20 10:00:00.000000 UTC\n")
    (two.local / "students.csv").write_text("student,system,name\neve,plain,eve\n")
    (odd,) = run(copies(two, tmp_path / "mail", 1, folders=False, eve=LATER)).times
    assert "of which no time is known, although one was of those before" in odd.why
    assert known_times(two) == {"earlier": at_day(20), "current": ""}


def test_a_file_that_is_put_over_one_with_a_time_is_said_to_have_that(two, run, weeks):
    _, second, _, new, _ = weeks
    run(second, rosters=[new])
    (two.local / "submitted/eve" / A8 / f"{A8}.ipynb").write_bytes(notebook(two, "return 'by mail'", A8))
    notes = [one.notes for _ in range(2) for one in run(second, rosters=[new]).placed if one.student == "eve"]
    said = ["timestamp.txt beside it has the time of the attempt that was there before" in "".join(n) for n in notes]
    assert said == [True, False]
    (current,) = [r for r in csv.DictReader((two.local / "collected.csv").open()) if r["system"] == "found"]
    assert current["handed_in"] == ""
