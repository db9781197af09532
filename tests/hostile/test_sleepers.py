"""Nobody waits for those who hang: a class keeps its marks beside them, and they are told what ran out."""

from concurrent.futures import wait

import pytest

from grader.classrun import executors
from grader.classrun.run import end, grade_class
from grader.core.cells import exercises
from grader.core.nbgrader_api import course_config, folders_config
from grader.core.notebook import read_notebook
from grader.engine.patience import give_place

from .course import NAME, honest_answers, make_course
from .sheet import Sheet
from .sleepers import HANGS, hand_in, hanging, wrong


class Cold:
    """Stands for a warm process where none is needed."""

    alive = True

    def twin(self):
        return self

    def close(self):
        pass


def _wait_for(file):
    give_place.get()()
    while not file.exists():
        pass


def _come(file):
    file.touch()


def test_those_who_wait_give_their_places_and_get_no_more_than_there_are(tmp_path):
    """All workers wait for what only a later submission does: it comes, since they gave their places."""
    pool = executors._Pool(2, "", "best", Cold())
    workers = executors.Workers(pool, lambda: 2)
    try:
        room = workers.room
        file = tmp_path / "came"
        waiting = [pool.submit(_wait_for, file) for _ in range(2)]
        while workers.given < 2:
            pass
        assert workers.room == room + 2
        last = pool.submit(_come, file)
        wait([*waiting, last])
        assert all(future.exception() is None for future in (*waiting, last))
        while workers.given:  # they are taken back with the end of a submission
            pass
        assert workers.room == room
        assert not [f for f in pool.under_way_beside if not f.done()]
        pool.places.value = 100
        assert workers.given == len(pool.twins) - 2
    finally:
        pool.kill()
        pool.shutdown()


@pytest.mark.slow
def test_a_class_keeps_its_marks_beside_those_who_hang(tmp_path, monkeypatch):
    """Four who are right, and four who hang: waiting, in Python and in C; two of these hold both workers at first."""
    made = make_course(tmp_path / "base")
    course = made.course
    sheet = Sheet(course, honest_answers(course))
    known = exercises(read_notebook(course.source(NAME)))
    ways = ["sleeps", "locks twice", "loops", "counts in c"]
    assert set(ways) <= set(HANGS)
    hangs = {f"hangs{n}": how for n, how in enumerate(ways)}  # they come first
    for student, how in hangs.items():
        hand_in(hanging(sheet.solved(), known[0], how), made.group, student, NAME)
    for number in range(4):
        hand_in(sheet.solved(), made.group, f"right{number}", NAME)
    beside, submit = [], executors._Pool._submit

    def noted(pool, *args, **options):
        future = submit(pool, *args, **options)
        beside.append(future in pool.under_way_beside)
        return future

    monkeypatch.setattr(executors._Pool, "_submit", noted)
    config = folders_config(course_config(course), made.group)
    config.MarkingExecute.update({"call_s": 0.5, "waiting_s": 2.0, "times": 0.0})
    try:
        students = [*hangs, *(f"right{number}" for number in range(4))]
        entries = grade_class(course, config, [NAME], students, jobs=2)
    finally:
        end()
    assert len(entries) == len(hangs) + 4
    assert wrong(entries, hangs, known[0]) == []
    assert beside[:2] == [False, False]
    assert any(beside), "both workers slept, and nobody was marked meanwhile"
