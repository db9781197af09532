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
from grader.lms.placing import Shelf

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
