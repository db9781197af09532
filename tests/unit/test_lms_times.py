"""Times of handing in: what may change them, and what is said when they change or are not known."""

import os
import shutil

import pytest
from test_lms_collect import MOODLE_HEADER, make_zip, notebook, placed, rows
from test_lms_downloads import A8, A9, FIRST, LATER, again, there

from grader.lms import stamps as stamps_module

FOLDER = "{}_{}_assignsubmission_file_/{}"


def sheet(path, *people):
    """A worksheet of (number, name, time)."""
    row = 'Participant {0},{1},,{1}@x.org,Submitted for grading,,3,Yes,"{2}",-,\n'
    path.write_text(MOODLE_HEADER + "".join(row.format(*person) for person in people))
    return path


def at(day, hour=10):
    return f"{day} November 2026, {hour:02}:00 AM"


def stamps(course, assignment=A8):
    """The recorded days of handing in, by student."""
    files = {p.split("/")[0]: d for p, d in placed(course).items() if p.endswith(f"{assignment}/timestamp.txt")}
    return {student: int(data.decode()[8:10]) for student, data in files.items()}


def packed(tmp_path, *files):
    return make_zip(tmp_path / "inner.zip", files).read_bytes()


def at_day(day):
    return f"2026-11-{day} 10:00:00"


def known_times(course, student="eve"):
    """The times in `collected.csv`, by where the attempt is."""
    return {r["state"]: r["handed_in"] for r in rows(course.local / "collected.csv") if r["student"] == student}


@pytest.fixture
def before(two, run, tmp_path):
    """Notebook 8, handed in by three people on the 20th."""
    files = [(FOLDER.format(s, n, "nb.ipynb"), notebook(two, FIRST, A8)) for n, s in enumerate(("ada", "bob", "eve"))]
    people = [(n, s, at(20)) for n, s in enumerate(("ada", "bob", "eve"))]
    result = run(make_zip(tmp_path / "hw8.zip", files), rosters=[sheet(tmp_path / "8.csv", *people)])
    assert not result.times
    return stamps(two)


@pytest.mark.parametrize("forced", [None, A8, A9])
@pytest.mark.parametrize("whole", [1, 2, 3])
def test_a_file_in_the_upload_for_another_notebook_keeps_its_time(two, run, tmp_path, before, forced, whole):
    """Students zip the whole folder of the course, and the one who collects may ask for either notebook."""
    course = packed(
        tmp_path,
        (f"c/{A8}/{A8}.ipynb", notebook(two, FIRST, A8)),
        (f"c/{A9}/{A9}.ipynb", notebook(two, FIRST, A9)),
    )
    files = [
        (FOLDER.format(s, 50 + n, "c.zip" if n < whole else "nb.ipynb"), course if n < whole else notebook(two))
        for n, s in enumerate(("ada", "bob", "eve"))
    ]
    people = [(50 + n, s, at(27)) for n, s in enumerate(("ada", "bob", "eve"))]
    rosters = [sheet(tmp_path / "9.csv", *people)]
    journal = [row for row in rows(two.local / "collected.csv") if row["assignment"] == A8]
    result = run(make_zip(tmp_path / "hw9.zip", files, (2026, 11, 28, 0, 0, 0)), rosters=rosters, assignment=forced)
    assert stamps(two) == before == {"ada": 20, "bob": 20, "eve": 20}
    assert [row for row in rows(two.local / "collected.csv") if row["assignment"] == A8] == journal
    assert not result.times
    assert set(stamps(two, A9).values()) <= {27}


def test_answers_in_the_upload_for_another_notebook_keep_their_time_if_the_wrong_one_is_asked_for(
    two, run, tmp_path, before
):
    """One student ran the notebook and saved it again, so it has other bytes; the other one has mended it."""
    inner = {
        "ada": packed(tmp_path, ("8.ipynb", again(notebook(two, FIRST, A8), 1)), ("9.ipynb", notebook(two))),
        "bob": packed(tmp_path, ("8.ipynb", notebook(two, LATER, A8)), ("9.ipynb", notebook(two))),
    }
    files = [(FOLDER.format(s, 50 + n, "c.zip"), inner[s]) for n, s in enumerate(inner)]
    rosters = [sheet(tmp_path / "9.csv", *((50 + n, s, at(27)) for n, s in enumerate(inner)))]
    path = make_zip(tmp_path / "hw9.zip", files, (2026, 11, 28, 0, 0, 0))
    for _ in range(2):
        ada, _bob = run(path, rosters=rosters, assignment=A8).placed
        assert ada.outcome == "earlier attempt, kept aside"
        assert "its answers came in another upload before, whose time and number stay" in ada.notes
        assert there(two) == {("ada", A8): FIRST, ("bob", A8): LATER, ("eve", A8): FIRST}
        assert stamps(two) == before | {"bob": 27}
        current = {r["student"]: r["number"] for r in rows(two.local / "collected.csv") if r["state"] == "current"}
        assert current == {"ada": "0", "bob": "51", "eve": "2"}


def test_an_older_state_in_the_upload_for_another_notebook_does_not_count_again(two, run, tmp_path, before):
    files = [(FOLDER.format("ada", 0, "nb.ipynb"), notebook(two, LATER, A8))]
    rosters = [sheet(tmp_path / "8b.csv", (0, "ada", at(21)))]
    run(make_zip(tmp_path / "hw8b.zip", files, (2026, 11, 22, 0, 0, 0)), rosters=rosters)
    course = packed(tmp_path, ("8.ipynb", notebook(two, FIRST, A8)), ("9.ipynb", notebook(two, FIRST, A9)))
    rosters = [sheet(tmp_path / "9.csv", (50, "ada", at(27)))]
    path = make_zip(tmp_path / "x.zip", [(FOLDER.format("ada", 50, "c.zip"), course)], (2026, 11, 28, 0, 0, 0))
    run(path, rosters=rosters, assignment=A8)
    assert there(two)["ada", A8] == LATER
    assert stamps(two)["ada"] == 21


def test_a_file_of_canvas_in_the_upload_for_another_notebook_keeps_its_number(two, run, tmp_path):
    """Its feedback would go back under the name of that upload."""
    run(make_zip(tmp_path / "8.zip", [("ada_1_500_nb.ipynb", notebook(two, FIRST, A8))]))
    course = packed(tmp_path, ("8.ipynb", notebook(two, FIRST, A8)), ("9.ipynb", notebook(two, FIRST, A9)))
    path = make_zip(tmp_path / "9.zip", [("ada_LATE_1_600_c.zip", course)], (2026, 11, 28, 0, 0, 0))
    run(path, assignment=A8)
    (row,) = rows(two.local / "collected.csv")
    assert (row["attachment"], row["name"], row["late"]) == ("500", "nb.ipynb", "")
    # Handed in again for its own assignment, it has another number there.
    run(make_zip(tmp_path / "8b.zip", [("ada_1_700_nb-1.ipynb", notebook(two, FIRST, A8))], (2026, 11, 29, 0, 0, 0)))
    (row,) = rows(two.local / "collected.csv")
    assert (row["attachment"], row["name"]) == ("700", "nb-1.ipynb")


def test_the_same_file_handed_in_again_has_a_later_time_and_that_is_named(two, run, tmp_path, before):
    files = [(FOLDER.format(s, n, "nb.ipynb"), notebook(two, FIRST, A8)) for n, s in enumerate(("ada", "bob", "eve"))]
    people = [(0, "ada", at(27)), (1, "bob", at(20)), (2, "eve", at(20))]
    path = make_zip(tmp_path / "hw8b.zip", files, (2026, 11, 28, 0, 0, 0))
    rosters = [sheet(tmp_path / "8b.csv", *people)]
    (odd,) = run(path, rosters=rosters).times
    assert odd.where == "hw8b.zip"
    assert odd.why == "it has a later time of handing in for files that were collected before, of ada"
    assert stamps(two) == before | {"ada": 27}
    assert not run(path, rosters=rosters).times


def upload(course, path, day=28, **answers):
    """A download of notebook 8, with an answer of each person."""
    numbers = {"ada": 0, "bob": 1, "eve": 2, "zoe": 3}
    files = [(FOLDER.format(s, numbers[s], "nb.ipynb"), notebook(course, answers[s], A8)) for s in answers]
    return make_zip(path, files, (2026, 11, day, 0, 0, 0))


OLD = [(0, "ada", at(20)), (1, "bob", at(20)), (2, "eve", at(20)), (3, "zoe", "-")]
NEW = [*OLD[:2], (2, "eve", at(27)), (3, "zoe", at(27))]


def test_a_worksheet_that_is_older_than_the_download_is_named(two, run, tmp_path, before):
    """Eve hands in again and Zoe for the first time, both late; the worksheet is that of the week before."""
    path = upload(two, tmp_path / "b.zip", ada=FIRST, bob=FIRST, eve=LATER, zoe=FIRST)
    same, none = run(path, rosters=[sheet(tmp_path / "old.csv", *OLD)]).times
    assert "no later times for them" in same.why
    assert same.why.endswith("of eve")
    assert none.why.endswith("has no time for the files of zoe")
    # With the new one all is right, and the change is told once.
    (moved,) = run(path, rosters=[sheet(tmp_path / "new.csv", *NEW)]).times
    assert moved.why.endswith("of eve")
    assert stamps(two) == {"ada": 20, "bob": 20, "eve": 27, "zoe": 27}
    assert not run(path, rosters=[tmp_path / "new.csv"]).times
    # And the old one sets nothing back.
    (back,) = run(path, rosters=[tmp_path / "old.csv"]).times
    assert back.why.endswith("of eve; the later one stays")
    assert stamps(two)["eve"] == 27


@pytest.mark.parametrize("first", ["new.csv", "old.csv"])
def test_of_two_worksheets_the_later_time_counts(two, run, tmp_path, before, first):
    sheets = [sheet(tmp_path / "new.csv", *NEW), sheet(tmp_path / "old.csv", *OLD)]
    path = upload(two, tmp_path / "b.zip", eve=LATER, zoe=FIRST)
    assert not run(path, rosters=sorted(sheets, key=lambda p: p.name != first)).times
    assert stamps(two) == before | {"eve": 27, "zoe": 27}


@pytest.mark.parametrize("turned", [False, True])
def test_both_downloads_and_the_new_worksheet_are_nothing_odd(two, run, tmp_path, before, turned):
    """As `grader collect *.zip` takes them; the file of the first download has the time of the second for a moment."""
    paths = [upload(two, tmp_path / "a.zip", 21, eve=FIRST), upload(two, tmp_path / "b.zip", eve=LATER)]
    result = run(*sorted(paths, reverse=turned), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    assert not result.times
    assert there(two)["eve", A8] == LATER
    assert stamps(two)["eve"] == 27
    assert known_times(two) == {"earlier": at_day(20), "current": at_day(27)}


def test_an_earlier_time_of_other_files_in_a_later_download_is_named(two, run, tmp_path, before):
    rosters = [sheet(tmp_path / "older.csv", (2, "eve", at(19)))]
    (odd,) = run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=rosters).times
    assert "no later times" in odd.why
    run(tmp_path / "b.zip", rosters=[sheet(tmp_path / "new.csv", *NEW)])
    assert there(two)["eve", A8] == LATER
    # A download that is older is no contradiction.
    assert not run(tmp_path / "hw8.zip", rosters=rosters[:0]).times


def test_a_worksheet_that_lists_nobody_of_the_download_is_named(two, run, tmp_path):
    path = upload(two, tmp_path / "b.zip", ada=FIRST, bob=FIRST)
    (odd,) = run(path, rosters=[sheet(tmp_path / "other.csv", (50, "ada", at(20)))]).times
    assert "lists nobody of it" in odd.why
    both = [tmp_path / "other.csv", sheet(tmp_path / "own.csv", *OLD)]
    assert not run(path, rosters=both).times
    assert not run(path).times


def test_a_time_that_cannot_be_read_is_named(two, run, tmp_path):
    path = upload(two, tmp_path / "b.zip", ada=FIRST, bob=FIRST)
    (odd,) = run(path, rosters=[sheet(tmp_path / "8.csv", (0, "ada", "2026-11-20 10:00"), (1, "bob", at(20)))]).times
    assert odd.why == "the times of ada in Moodle's grading worksheet cannot be read"


def test_a_later_attempt_without_a_time_after_one_with_a_time_is_named(two, run, tmp_path, before):
    (odd,) = run(upload(two, tmp_path / "b.zip", ada=FIRST, eve=LATER)).times
    assert "of which no time is known" in odd.why
    assert stamps(two) == {"ada": 20, "bob": 20}
    run(tmp_path / "b.zip", rosters=[sheet(tmp_path / "new.csv", *NEW)])
    assert stamps(two)["eve"] == 27


def test_a_file_that_is_put_back_keeps_its_known_time(two, run, tmp_path, before):
    for path in (two.local / "submitted/ada" / A8).iterdir():
        path.unlink()
    assert not run(tmp_path / "hw8.zip").times
    assert stamps(two) == before


@pytest.mark.parametrize("sheets", [(False, False), (False, True), (True, False), (True, True)])
def test_a_correction_that_was_collected_by_itself_stays_when_moodle_is_downloaded_again(two, run, tmp_path, sheets):
    """Somebody else was late, so the activity is downloaded once more, with the file that was corrected by mail."""

    def rosters(n, day):
        return [sheet(tmp_path / f"{n}.csv", (0, "ada", at(day)), (1, "bob", at(27)))] * sheets[n]

    run(upload(two, tmp_path / "a.zip", 21, ada=FIRST), rosters=rosters(0, 20))
    mail = tmp_path / f"ada - {A8}.ipynb"
    mail.write_bytes(notebook(two, LATER, A8))
    os.utime(mail, (1_795_500_000,) * 2)  # the 24th
    assert [p.outcome for p in run(mail).placed] == ["later attempt"]
    for _ in range(2):
        run(upload(two, tmp_path / "b.zip", 28, ada=FIRST, bob=FIRST), rosters=rosters(1, 20))
        assert there(two) == {("ada", A8): LATER, ("bob", A8): FIRST}
    # Who deliberately goes back to the earlier file has it: that one has a new time.
    if all(sheets):
        run(upload(two, tmp_path / "c.zip", 29, ada=FIRST, bob=FIRST), rosters=rosters(1, 28))
        assert there(two)["ada", A8] == FIRST
        assert stamps(two)["ada"] == 28


def test_a_known_file_with_its_known_time_is_no_new_attempt(two, run, tmp_path, before):
    """The one that counts has no time, so only the downloads could be compared."""
    run(upload(two, tmp_path / "b.zip", 25, ada=LATER))
    run(upload(two, tmp_path / "c.zip", 28, ada=FIRST), rosters=[sheet(tmp_path / "8.csv", *OLD)])
    assert there(two)["ada", A8] == LATER


@pytest.mark.parametrize("both", [True, False])
def test_an_attempt_that_is_put_back_by_hand_has_its_own_time(two, run, tmp_path, before, both):
    """Late work replaced it, and its time stood beside the file that had come in time."""
    run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    place = two.local / "submitted/eve" / A8 / f"{A8}.ipynb"
    place.write_bytes(next((two.local / "attempts/eve").rglob("*.ipynb")).read_bytes())
    assert stamps(two)["eve"] == 27
    paths = [tmp_path / "hw8.zip", tmp_path / "b.zip"] if both else [tmp_path / "b.zip"]
    result = run(*paths, rosters=[tmp_path / "new.csv"])
    said = "timestamp.txt says 2026-11-20 10:00:00 UTC now, the time of the attempt that was put there by hand"
    assert said in [note for p in result.placed for note in p.notes]
    for _ in range(2):
        assert there(two)["eve", A8] == FIRST
        assert stamps(two) == before
        assert known_times(two) == {"current": at_day(20), "earlier": at_day(27)}
        assert not run(*paths, rosters=[tmp_path / "new.csv"]).times


def test_an_attempt_of_no_known_time_that_is_put_back_by_hand_has_none(two, run, tmp_path):
    run(upload(two, tmp_path / "a.zip", 21, eve=FIRST))
    run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    place = two.local / "submitted/eve" / A8 / f"{A8}.ipynb"
    place.write_bytes(next((two.local / "attempts/eve").rglob("*.ipynb")).read_bytes())
    for _ in range(2):
        run(tmp_path / "a.zip", rosters=[tmp_path / "new.csv"])
        assert "eve" not in stamps(two)
        assert known_times(two) == {"current": "", "earlier": at_day(27)}


def test_a_time_that_was_written_by_hand_beside_an_attempt_that_was_put_back_stays(two, run, tmp_path, before):
    run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    place = two.local / "submitted/eve" / A8 / f"{A8}.ipynb"
    place.write_bytes(next((two.local / "attempts/eve").rglob("*.ipynb")).read_bytes())
    place.with_name("timestamp.txt").write_text("2026-11-22 10:00:00 UTC\n")
    run(tmp_path / "b.zip", rosters=[tmp_path / "new.csv"])
    assert stamps(two)["eve"] == 22


def copies(course, path, day, folders=True, **answers):
    """A copy of a class's folders, all made at one time, or files that say whose they are."""
    for student, answer in answers.items():
        file = path / student / "nb.ipynb" if folders else path / f"{student} - {A8}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(notebook(course, answer, A8))
        os.utime(file, (1_795_000_000 + day * 86_400,) * 2)
    return path


@pytest.mark.parametrize(
    ("correction", "folders", "again", "looks"),
    [
        ("mail", False, "week 1", 0),
        ("mail", False, "week 3", 0),
        ("mail", True, "week 1", 0),
        ("week 2", True, "week 3", 1),  # whether the file of week 2 was given up, nobody can tell
    ],
)
def test_a_correction_stays_when_the_folders_of_a_class_are_copied_again(
    two, run, tmp_path, correction, folders, again, looks
):
    """A fresh clone has new times for all files, and the earlier file was taken for a later attempt."""
    run(copies(two, tmp_path / "week 1", 1, ada=FIRST, bob=FIRST))
    run(copies(two, tmp_path / correction, 2, folders, ada=LATER))
    for day in (3, 4):
        result = run(copies(two, tmp_path / again, day, ada=FIRST, bob=FIRST), assignment=A8)
        assert there(two) == {("ada", A8): LATER, ("bob", A8): FIRST}
        assert len(result.looks) == looks
        for look in result.looks:
            assert "counts; an earlier one lies in \u201cweek 3\u201d again" in look.why
            assert f"copy attempts/ada/{A8}/" in look.fix


def test_who_goes_back_to_an_earlier_file_in_the_same_folder_has_it(two, run, tmp_path):
    for day, answer in enumerate((FIRST, LATER, FIRST)):
        run(copies(two, tmp_path / "home", day, ada=answer))
        assert there(two)["ada", A8] == answer


def test_an_earlier_file_in_a_third_copy_of_a_class_is_said_to_be_kept_aside(two, run, tmp_path):
    """Under another name the correction may be from elsewhere, so it counts; a line tells whoever went back."""
    run(copies(two, tmp_path / "week 1", 1, ada=FIRST))
    run(copies(two, tmp_path / "week 2", 2, folders=False, ada=LATER))
    (one,) = run(copies(two, tmp_path / "week 3", 3, ada=FIRST)).placed
    assert there(two)["ada", A8] == LATER
    assert [note for note in one.notes if note.startswith("the same file came before; the one from \u201cweek 2")]


def test_an_attempt_that_comes_again_after_the_later_one_was_taken_away_has_its_own_time(two, run, tmp_path, before):
    run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    (two.local / "submitted/eve" / A8 / f"{A8}.ipynb").unlink()
    run(tmp_path / "hw8.zip", rosters=[tmp_path / "new.csv"])
    assert there(two)["eve", A8] == FIRST
    assert stamps(two) == before


@pytest.mark.parametrize("lost", [False, True])
def test_the_time_of_a_worksheet_is_that_of_the_last_attempt_though_the_one_before_got_it_too(
    two, run, tmp_path, before, lost
):
    """The worksheet was newer than the first download, and the second one was collected without any."""
    new = [sheet(tmp_path / "new.csv", *NEW)]
    first = upload(two, tmp_path / "1.zip", 26, ada=FIRST, eve=LATER)
    second = upload(two, tmp_path / "2.zip", 28, ada=FIRST, eve="return 'at last'")
    run(first, rosters=new)
    (odd,) = run(second).times
    assert "of which no time is known" in odd.why
    if lost:
        shutil.rmtree(two.local / "submitted")
        run(first, rosters=new)
    assert not run(second, rosters=new).times
    assert stamps(two)["eve"] == 27
    assert known_times(two) == {"earlier": at_day(27), "current": at_day(27)}


def test_a_time_that_could_not_be_written_is_written_the_next_time(two, run, tmp_path, before, monkeypatch):
    run(upload(two, tmp_path / "b.zip", eve=LATER), rosters=[sheet(tmp_path / "new.csv", *NEW)])
    place = two.local / "submitted/eve" / A8 / f"{A8}.ipynb"
    place.write_bytes(next((two.local / "attempts/eve").rglob("*.ipynb")).read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr(stamps_module, "write_time", full)
        assert "No space left" in run(tmp_path / "b.zip", rosters=[tmp_path / "new.csv"]).unplaced[0].why
    run(tmp_path / "b.zip", rosters=[tmp_path / "new.csv"])
    assert stamps(two) == before


def full(*args):
    raise OSError(28, "No space left on device")
