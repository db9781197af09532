"""A run that is ended before it has told everything: what it found is told by the next one, and nothing is lost."""

import os
import shutil
import signal

import pytest
from test_lms_collect import make_zip, notebook, rows
from test_lms_downloads import A8, FIRST, LATER, there
from test_lms_times import at, sheet, stamps, upload

from grader.cli import main
from grader.core.errors import GraderError
from grader.core.files import replace_file
from grader.lms.placing import Shelf
from grader.lms.underway import Underway

PEOPLE = ("ada", "bob", "zoe")


@pytest.fixture
def weeks(two, tmp_path):
    """Two downloads with their worksheets: Bob's other file has no later time, so he is to be named."""
    first = upload(two, tmp_path / "1.zip", 21, **dict.fromkeys(PEOPLE, FIRST))
    second = upload(two, tmp_path / "2.zip", 28, **dict.fromkeys(PEOPLE, LATER))
    later = [(0, "ada", at(27)), (1, "bob", at(20)), (3, "zoe", at(27))]
    both = [(n, name, at(20)) for n, name in ((0, "ada"), (1, "bob"), (3, "zoe"))]
    return first, second, sheet(tmp_path / "old.csv", *both), sheet(tmp_path / "new.csv", *later)


def end_at(student, how, monkeypatch):
    """End this process, or what it does, in somebody's turn."""
    place = Shelf.place

    def placing(self, who, *args, **options):
        placed = place(self, who, *args, **options)
        if who == student:
            how()
        return placed

    monkeypatch.setattr(Shelf, "place", placing)


def interrupt():
    raise KeyboardInterrupt


def in_a_process(do):
    """Do something in a process of its own, as it may be killed."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which `nohup` has all tests ignore
        try:
            do()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def state(course):
    """All that is there."""
    journal = sorted(tuple(row.values()) for row in rows(course.local / "collected.csv"))
    return there(course), stamps(course), journal, sorted(p.name for p in (course.local / "attempts").rglob("*.*"))


@pytest.mark.parametrize("how", ["interrupted", "hung up", "killed"])
def test_what_a_run_found_that_was_ended_is_told_by_the_next_one(two, run, weeks, monkeypatch, how):
    first, second, old, new = weeks
    run(first, rosters=[old])
    with monkeypatch.context() as patch:
        if how == "interrupted":
            end_at("zoe", interrupt, patch)
            with pytest.raises(KeyboardInterrupt):
                run(second, rosters=[new])
        else:
            number = signal.SIGHUP if how == "hung up" else signal.SIGKILL
            end_at("zoe", lambda: os.kill(os.getpid(), number), patch)
            assert in_a_process(lambda: run(second, rosters=[new])) == number
    (odd,) = run(second, rosters=[new]).times
    assert odd.why.endswith("of bob")
    assert there(two) == {(name, A8): LATER for name in PEOPLE}
    assert stamps(two) == {"ada": 27, "bob": 20, "zoe": 27}
    assert not run(second, rosters=[new]).times


@pytest.mark.parametrize("lost", [True, False])
def test_a_run_that_was_killed_leaves_nothing_that_the_next_one_takes_for_chosen_by_hand(
    two, run, weeks, monkeypatch, lost
):
    first, second, old, new = weeks
    run(first, rosters=[old])
    if lost:
        run(second, rosters=[new])
        before = state(two)
        shutil.rmtree(two.local / "submitted")
    with monkeypatch.context() as patch:
        end_at("bob", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(first, second, rosters=[old, new])) == signal.SIGKILL
    run(first, second, rosters=[old, new])
    assert there(two) == {(name, A8): LATER for name in PEOPLE}
    assert all(row["order"] for row in rows(two.local / "collected.csv"))
    if lost:
        assert state(two) == before


@pytest.fixture
def killed(two, run, weeks, monkeypatch):
    """A run of the second download that was killed in Zoe's turn."""
    first, second, old, new = weeks
    run(first, rosters=[old])
    with monkeypatch.context() as patch:
        end_at("zoe", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(second, rosters=[new])) == signal.SIGKILL
    assert there(two) == {(name, A8): LATER for name in PEOPLE}


def test_what_is_put_back_is_named_by_a_run_of_something_else(two, run, weeks, killed, tmp_path, capsys):
    _, second, _, new = weeks
    other = make_zip(tmp_path / "9.zip", [("eve/nb.ipynb", notebook(two, FIRST, "09_doubling"))])
    command = ["--course", str(two.root), "collect", str(other)]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert f"the {A8} of ada, bob, zoe into collected.csv, and that was put back" in said
    assert "Fix: collect 2.zip again" in said
    assert {there(two)[name, A8] for name in PEOPLE} == {FIRST}
    assert main(command) == 0  # it was told
    assert not run(second, rosters=[new]).put_back


def test_what_is_put_back_and_placed_anew_is_not_named(two, run, weeks, killed, tmp_path):
    first, second, old, new = weeks
    assert not run(first, second, rosters=[old, new]).put_back
    assert there(two) == {(name, A8): LATER for name in PEOPLE}


def test_of_what_is_put_back_that_is_named_which_did_not_come_again(two, run, weeks, killed, tmp_path):
    part = upload(two, tmp_path / "part.zip", 28, ada=LATER)
    (line,) = run(part, rosters=[weeks[3]]).put_back
    assert line.why.startswith(f"a run was ended before it had entered the {A8} of bob, zoe into")


def test_what_is_put_back_is_named_although_that_run_is_ended_as_well(two, run, weeks, killed, monkeypatch):
    first, _, old, _ = weeks
    back = Underway.put_back
    for when in ("before", "after"):

        def ended(self, *args, when=when):
            if when == "after":
                back(self, *args)
            os.kill(os.getpid(), signal.SIGKILL)

        with monkeypatch.context() as patch:
            patch.setattr(Underway, "put_back", ended)
            assert in_a_process(lambda: run(first, rosters=[old])) == signal.SIGKILL
    (line,) = run(first, rosters=[old]).put_back
    assert "of ada, bob, zoe into" in line.why
    assert {there(two)[name, A8] for name in PEOPLE} == {FIRST}
    assert not run(first, rosters=[old]).put_back


@pytest.mark.parametrize("again", [True, False])
def test_what_cannot_be_put_back_stays_and_is_named(two, run, weeks, killed, again, capsys):
    """Every further collect, of whatever download, ended with a traceback."""
    first, second, old, new = weeks
    shutil.rmtree(two.local / "attempts" / "bob")
    download, roster = (second, new) if again else (first, old)
    command = ["--course", str(two.root), "collect", str(download), "--roster", str(roster)]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert there(two)["bob", A8] == LATER
    assert (f"the {A8} of ada, zoe into collected.csv, and that was put back" in said) is not again
    assert f"the {A8} of bob into collected.csv, and that stays, since attempts/bob/{A8}/" in said
    assert "of before is gone" in said
    assert "Fix: collect 2.zip again, and look at their times" in said
    result = run(second, rosters=[new])
    assert not result.unplaced
    assert not result.put_back
    assert there(two) == {(name, A8): LATER for name in PEOPLE}
    (row,) = [row for row in rows(two.local / "collected.csv") if (row["student"], row["state"]) == ("bob", "current")]
    assert (row["source"], row["number"]) == ("2.zip", "1")


def test_a_note_that_a_full_disk_cut_short_takes_nobody_elses_along(two, run, weeks, monkeypatch):
    """The next student's file was then taken for chosen by hand."""
    first, second, old, new = weeks
    run(first, rosters=[old])
    begin = Underway.begin

    def cut(self, student, *args):
        begin(self, student, *args)
        if student == "ada":
            note = self._path.read_text()
            self._path.write_text(note[: len(note) // 2])
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Underway, "begin", cut)
        end_at("zoe", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(second, rosters=[new])) == signal.SIGKILL
    (line,) = run(first, rosters=[old]).put_back
    assert "of bob, zoe into" in line.why
    assert there(two) == {(name, A8): FIRST for name in PEOPLE}


@pytest.mark.parametrize("other", [False, True])
def test_whose_files_a_first_run_placed_that_was_killed_is_known_after_marking(
    two, run, weeks, monkeypatch, tmp_path, other
):
    """Marking then has their ids, and nothing said whose these are."""
    first, _, old, _ = weeks
    with monkeypatch.context() as patch:
        end_at("zoe", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(first, rosters=[old])) == signal.SIGKILL
    if other:  # which tells it, and forgets it then
        assert run(upload(two, tmp_path / "9.zip", 21, eve=FIRST)).put_back
    result = run(first, rosters=[old], marked=PEOPLE)
    assert not result.unplaced
    assert not result.put_back
    assert {there(two)[name, A8] for name in PEOPLE} == {FIRST}
    assert len(rows(two.local / "students.csv")) == (4 if other else 3)


@pytest.mark.parametrize("row", ["ada,moodle,,Ada L", "al815,moodle,,ada"])
def test_a_row_that_somebody_wrote_after_a_run_was_killed_stays(two, run, weeks, monkeypatch, row):
    first, _, old, _ = weeks
    with monkeypatch.context() as patch:
        end_at("zoe", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(first, rosters=[old])) == signal.SIGKILL
    (two.local / "students.csv").write_text(f"student,system,number,name\n{row}\n")
    run(make_zip(two.local.parent / "none.zip", []))
    people = [(one["student"], one["name"]) for one in rows(two.local / "students.csv")]
    student, _, _, name = row.split(",")
    assert people == [(student, name), ("bob", "bob"), ("zoe", "zoe")]


def test_a_time_that_somebody_wrote_after_a_run_was_killed_stays_with_its_file(two, run, weeks, killed):
    first, _, old, _ = weeks
    hand = two.local / "submitted/ada" / A8 / "timestamp.txt"
    hand.write_text("2026-11-19 10:00:00 UTC\n")
    (line,) = run(first, rosters=[old]).put_back
    assert "of bob, zoe into" in line.why
    assert hand.read_text() == "2026-11-19 10:00:00 UTC\n"
    assert {name: there(two)[name, A8] for name in PEOPLE} == {"ada": LATER, "bob": FIRST, "zoe": FIRST}


@pytest.mark.parametrize("how", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("at", ["08_tripling.ipynb", "timestamp.txt"])
def test_putting_back_that_is_ended_is_done_by_the_next_run(two, run, weeks, monkeypatch, how, at):
    """As by a second Ctrl-C, or on a full disk."""
    first, second, old, new = weeks
    run(first, rosters=[old])
    before = state(two)

    def end(path, data):
        if path.name == at:
            raise how(28, "No space left on device")
        replace_file(path, data)

    def full():
        monkeypatch.setattr("grader.lms.underway.replace_file", end)
        raise how(28, "No space left on device")

    with monkeypatch.context() as patch:
        end_at("zoe", full, patch)
        if how is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                run(second, rosters=[new])
        else:
            assert "No space left" in run(second, rosters=[new]).unplaced[0].why
    assert there(two)["zoe", A8] == LATER
    monkeypatch.undo()
    (line,) = run(first, rosters=[old]).put_back
    assert "of zoe into" in line.why
    assert there(two) == {("ada", A8): LATER, ("bob", A8): LATER, ("zoe", A8): FIRST}
    assert [row for row in state(two)[2] if row[0] == "zoe"] == [row for row in before[2] if row[0] == "zoe"]
    assert stamps(two)["zoe"] == 20


def test_what_somebody_put_there_after_a_run_was_killed_stays(two, run, weeks, monkeypatch):
    first, second, old, new = weeks
    run(first, rosters=[old])
    with monkeypatch.context() as patch:
        end_at("bob", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        in_a_process(lambda: run(second, rosters=[new]))
    place, hand = two.local / "submitted/ada" / A8 / f"{A8}.ipynb", notebook(two, "return 'by hand'", A8)
    place.write_bytes(hand)
    run(first, rosters=[old])
    assert place.read_bytes() == hand


def test_an_interrupted_turn_leaves_the_place_and_its_row_as_they_were(two, run, weeks, monkeypatch):
    first, second, old, new = weeks
    run(first, rosters=[old])
    hand = two.local / "submitted/ada" / A8 / "timestamp.txt"
    hand.write_text("2026-11-19 10:00:00 UTC\n")  # as somebody wrote it
    with monkeypatch.context() as patch:
        end_at("ada", interrupt, patch)
        with pytest.raises(KeyboardInterrupt):
            run(second, rosters=[new])
    assert there(two)["ada", A8] == FIRST
    assert hand.read_text() == "2026-11-19 10:00:00 UTC\n"
    assert [row["state"] for row in rows(two.local / "collected.csv")] == ["current"] * 3


def test_what_nobody_read_to_its_end_is_told_again(two, weeks, capsys, monkeypatch):
    """As with `| head`, where what is told goes nowhere."""
    first, second, old, new = weeks
    base = ["--course", str(two.root), "collect"]
    main([*base, str(first), "--roster", str(old)])

    def gone(result):
        raise BrokenPipeError(32, "Broken pipe")

    with monkeypatch.context() as patch:
        patch.setattr("grader.lms.collected.summary", gone)
        with pytest.raises(BrokenPipeError):
            main([*base, str(second), "--roster", str(new)])
    capsys.readouterr()
    for code, named in ((1, True), (0, False)):
        assert main([*base, str(second), "--roster", str(new)]) == code
        assert ("of bob" in capsys.readouterr().out) is named


def test_a_list_of_what_was_not_told_that_cannot_be_read_is_named(two, weeks, capsys):
    first, _, old, _ = weeks
    two.local.mkdir(parents=True)
    (two.local / ".not_shown").write_text("[[], [")
    assert main(["--course", str(two.root), "collect", str(first), "--roster", str(old)]) == 2
    assert "what the last run found cannot be read" in capsys.readouterr().err


def test_a_second_source_that_cannot_be_opened_costs_nobody_what_was_found_in_the_first(two, run, weeks, tmp_path):
    first, second, old, new = weeks
    run(first, rosters=[old])
    gone = make_zip(tmp_path / "x.zip", [])
    with pytest.raises(GraderError):
        run(second, gone, rosters=[new], say=lambda line: gone.unlink(missing_ok=True))
    (odd,) = run(second, rosters=[new]).times
    assert odd.why.endswith("of bob")
