"""The process that reads what students handed in: whatever a file does to it, the one that marks goes on."""

import contextlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from test_intake import NAME
from test_reading import submission as answered
from test_reading import tiny_source

from grader.core.errors import GraderError
from grader.engine import apart, handed, submission, taken_over
from grader.engine.apart import Apart, End, Successive
from grader.engine.handed import Handed, planted
from grader.engine.kit import Kit
from grader.engine.settings import Settings
from grader.engine.skipping import Plan
from grader.sandbox.inside import isolate
from grader.submissions.pristine import pristine

TRANSPLANT = handed.transplant


@pytest.fixture
def kit():
    source = tiny_source()
    yield Kit(NAME, source, pristine(source), "", "", {})
    handed.close()


@pytest.fixture
def file():
    return Handed(f"{NAME}.ipynb", nbformat.writes(answered()).encode())


@pytest.fixture
def process():
    """One that does what it is asked for by the name of a function below."""
    one = Apart(lambda question: globals()[question.decode()]())
    yield one
    one.close()


def spin():
    while True:
        pass


def compute():
    """Use 0.6 CPU seconds."""
    end = time.process_time() + 0.6
    while time.process_time() < end:
        pass
    return str(os.getpid()).encode()


def fill():
    return bytes(4 * apart.MEMORY)


def grow():
    return str(len(b"x" * (2 * apart._GROWTH))).encode()


HELD = []


def hold():
    """Take all memory there is and keep it."""
    with contextlib.suppress(MemoryError):
        while True:
            HELD.append(b"x" * 2**23)
    raise MemoryError


def hold_little_and_find_no_room_beside_it():
    HELD.append(b"x")
    if len(HELD) > 1:
        raise MemoryError
    return str(os.getpid()).encode()


def answer_much():
    return bytes(apart.MOST + 1)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def be_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def fail():
    raise KeyError("ours")


def write():
    with open(os.path.join(os.environ["PYTEST_APART"], "file"), "w") as out:
        out.write("x")


def opened():
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return "\n".join(os.readlink(link) for link in links if os.path.lexists(link)).encode()


@pytest.mark.parametrize(
    ("what", "end"),
    [
        (fill, End.TOO_LARGE), (answer_much, End.TOO_LARGE), (spin, End.TIME), (crash, End.CRASH),
        (be_killed, End.LOST), (fail, End.FAULT),
    ],
)  # fmt: skip
def test_how_work_ended_is_told(process, what, end):
    answer = process.ask(what.__name__.encode(), 1.0)
    assert answer.end is end
    assert (b"KeyError: 'ours'" in answer.data) == (end is End.FAULT)


def test_cpu_seconds_are_those_of_one_question(process):
    pids = [process.ask(b"compute", 1.0).data for _ in range(4)]
    assert pids == [str(process.pid).encode()] * 4


def test_the_limit_of_one_question_ends_with_it(process):
    """It held while the next one came in: who came after one that had all but used it up was marked as nothing."""
    process.ask(b"compute", 1.0)
    assert resource.prlimit(process.pid, resource.RLIMIT_CPU) == resource.getrlimit(resource.RLIMIT_CPU)


def test_one_that_has_grown_answers_and_ends(process):
    answer = process.ask(b"grow", 5.0)
    assert (answer.end, answer.data) == (End.DONE, str(2 * apart._GROWTH).encode())
    assert not process.alive
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, 0)


@pytest.mark.parametrize("what", [fill, hold, fail, answer_much])
def test_one_whose_work_did_not_end_well_ends(process, what):
    assert process.ask(what.__name__.encode(), 20.0).end is not End.DONE
    assert not process.alive
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, 0)


def begun_by_name(begun):
    begun.append(Apart(lambda question: globals()[question.decode()]()))
    return begun[-1]


def test_what_had_no_room_beside_what_others_left_is_tried_in_a_new_process():
    begun = []
    processes = Successive(lambda: begun_by_name(begun))
    answers = [processes.ask(b"hold_little_and_find_no_room_beside_it", 5.0) for _ in range(3)]
    assert [a.end for a in answers] == [End.DONE] * 3
    assert [int(a.data) for a in answers] == [p.pid for p in begun]
    processes.close()


def test_what_has_no_room_in_a_new_process_is_not_tried_again():
    begun = []
    processes = Successive(lambda: begun_by_name(begun))
    assert [processes.ask(b"fill", 5.0).end for _ in range(2)] == [End.TOO_LARGE] * 2
    assert len(begun) == 2
    assert processes.ask(b"compute", 5.0).end is End.DONE
    assert processes.ask(b"fill", 5.0).end is End.TOO_LARGE
    assert len(begun) == 4  # once beside what was there, once alone
    processes.close()


def twice(question):
    return question * 2


def ask_often(processes, letter, said):
    """Ask for what is longer than a socket holds, so that what two ask for at once would come mixed."""
    wrong = sum(processes.ask(letter * 300_000, 10.0).data != letter * 600_000 for _ in range(30))
    said.send((wrong, processes.process.pid))


def test_forks_of_the_process_that_began_it_begin_their_own():
    """Whoever marks in this process and then in others forks those beside a process that reads."""
    processes = Successive(lambda: Apart(twice))
    assert processes.ask(b"a", 5.0).data == b"aa"
    own, context = processes.process.pid, multiprocessing.get_context("fork")
    forks = []
    for letter in (b"b", b"c"):
        hears, said = context.Pipe(duplex=False)
        forks.append((hears, context.Process(target=ask_often, args=(processes, letter, said))))
    for _, fork in forks:
        fork.start()
    told = [hears.recv() if hears.poll(60) else (None, own) for hears, _ in forks]
    for _, fork in forks:
        fork.kill()
        fork.join()
    assert [wrong for wrong, _ in told] == [0, 0]
    assert len({own, *(pid for _, pid in told)}) == 3
    assert processes.ask(b"d", 5.0).data == b"dd"
    assert processes.process.pid == own
    processes.close()


def test_a_fork_that_lets_go_of_it_ends_nothing():
    processes = Successive(lambda: Apart(twice))
    assert processes.ask(b"a", 5.0).data == b"aa"
    own = processes.process.pid
    fork = multiprocessing.get_context("fork").Process(target=processes.close)
    fork.start()
    fork.join(60)
    assert fork.exitcode == 0
    assert processes.ask(b"b", 5.0).data == b"bb"
    assert processes.process.pid == own
    processes.close()


def test_the_second_attempt_has_the_time_that_the_first_has_left(monkeypatch):
    asked = []
    ask = Apart.ask
    monkeypatch.setattr(
        Apart, "ask", lambda self, question, cpu_s: (asked.append(cpu_s), ask(self, question, cpu_s))[1]
    )
    monkeypatch.setitem(globals(), "compute_and_fill", lambda: (compute(), fill())[1])
    processes = Successive(lambda: begun_by_name([]))
    processes.ask(b"compute", 5.0)
    assert processes.ask(b"compute_and_fill", 5.0).end is End.TOO_LARGE
    processes.close()
    first, second, third = asked
    assert first == second == 5.0
    assert 1.0 <= third < 4.5


def test_it_holds_none_of_our_files_and_writes_none(tmp_path, monkeypatch):
    """Somebody may wait for the last copy of a pipe to be closed, and a database must not be open in two processes."""
    monkeypatch.setenv("PYTEST_APART", str(tmp_path))
    with open(tmp_path / "gradebook.db", "w"):
        one = Apart(lambda question: globals()[question.decode()]())
    try:
        with open(tmp_path / "gradebook.db", "w"):
            assert b"gradebook.db" not in one.ask(b"opened", 5.0).data
        assert one.ask(b"write", 5.0).end is not End.DONE
    finally:
        one.close()
    assert not any(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "own",
    [
        *("x = 1" + " + 1" * n for n in (990, 1500, 5000)), "text = (\n    'a'" + "\n    + 'b'" * 1200 + "\n)",
        "x = " + "-" * 1200 + "1", "x = 1" + " ** 2" * 1400, "x = math" + ".pi" * 2500, "x = math" + ".pi()" * 1500,
        "if x == 0:\n    y = 0\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1500)),
        "x = 0; text = (\n    'a'" + "\n    + 'bbbbbbbbbbbbbbbbbbbb'" * 1400 + "\n); y = 1",
    ],
)  # fmt: skip
def test_a_cell_of_the_students_own_that_is_a_thousand_deep_changes_nothing(kit, file, own):
    nb = nbformat.reads(file.data.decode(), 4)
    nb.cells += [nbformat.v4.new_code_cell(own)]
    made, without = planted(kit, Handed(file.name, nbformat.writes(nb).encode())), planted(kit, file)
    assert made.findings == without.findings == []
    assert [c for c in made.notebook.cells if c.source != own] == without.notebook.cells
    (place,) = (n for n, cell in enumerate(made.notebook.cells) if cell.source == own)
    assert made.plan.skipped == without.plan.skipped | {place}


def test_what_is_too_deep_to_be_planned_runs_as_a_whole(kit, file, monkeypatch):
    def too_deep(*args):
        raise RecursionError

    monkeypatch.setattr("grader.engine.skipping.needed_by", too_deep)
    made = planted(kit, file)
    assert made.findings == []
    assert made.plan == Plan(frozenset(), ("double",))


def test_a_right_file_is_read_by_one_process_after_the_other(kit, file):
    first = planted(kit, file)
    process = handed.reader().processes.process
    assert planted(kit, file).notebook == first.notebook == handed._plant(kit, file.name, file.data).notebook
    assert handed.reader().processes.process is process
    assert first.plan == handed._plant(kit, file.name, file.data).plan
    assert any("return 2 * x" in cell.source for cell in first.notebook.cells)


def faulty(monkeypatch, what):
    """Have the process that reads do something instead of using what was read."""
    monkeypatch.setattr(
        handed,
        "transplant",
        lambda source, nb, release, shown=None: TRANSPLANT(source, nb, release=release) if nb is None else what(),
    )


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (spin, "could not be read within 1 seconds of a processor's time"),
        (fill, "needs more memory than any notebook does"),
        (crash, "nested deeper than Python's own parser can follow"),
    ],
)
def test_a_file_that_cannot_be_read_in_bounds_is_marked_as_nothing(kit, file, monkeypatch, what, words):
    faulty(monkeypatch, what)
    if what is spin:  # the others end by themselves, however slow the machine is
        monkeypatch.setattr(handed, "READ_S", 1.0)
    made = planted(kit, file)
    assert words in made.findings[0].text
    assert "marked as if nothing had been handed in" in made.findings[0].text
    nothing = handed._plant(kit, "", b"")
    assert (made.notebook, made.plan) == (nothing.notebook, nothing.plan)
    monkeypatch.undo()
    handed.close()  # it may know the function from above
    assert planted(kit, file).findings == []


def test_what_looks_for_copies_of_the_course_has_the_limits_of_reading(kit, file, monkeypatch):
    monkeypatch.setattr(taken_over, "copied", lambda *of: fill())
    made = planted(kit, file)
    assert "needs more memory than any notebook does" in made.findings[0].text


def test_a_file_that_fills_the_memory_takes_nothing_from_the_next_student(kit, file, monkeypatch):
    """The process had gone on, full: an ordinary notebook with pictures was marked as nothing handed in."""

    def made(source, nb, release, shown=None):
        return hold() if nb and nb.cells[-1].source == "evil" else TRANSPLANT(source, nb, release=release, shown=shown)

    monkeypatch.setattr(handed, "transplant", made)
    right = planted(kit, file)
    nb = nbformat.reads(file.data.decode(), 4)
    nb.cells.append(nbformat.v4.new_markdown_cell("evil"))
    evil = planted(kit, Handed(file.name, nbformat.writes(nb).encode()))
    assert "needs more memory than any notebook does" in evil.findings[0].text
    nb = nbformat.reads(file.data.decode(), 4)
    nb.metadata["padding"] = "x" * 6_000_000
    after = planted(kit, Handed(file.name, nbformat.writes(nb).encode()))
    assert after.findings == right.findings == []
    assert [c.source for c in after.notebook.cells] == [c.source for c in right.notebook.cells]


@pytest.mark.parametrize(("what", "error"), [(fail, handed.ReadingFailed), (be_killed, GraderError)])
def test_what_is_our_fault_or_the_machines_is_no_students_zero(kit, file, monkeypatch, what, error):
    faulty(monkeypatch, what)
    with pytest.raises(error) as caught:
        planted(kit, file)
    if error is handed.ReadingFailed:
        assert "KeyError: 'ours'" in str(caught.value)
        assert " in fail\n" in "".join(caught.value.__notes__)


def test_reading_takes_of_the_submissions_one_clock(kit, file, monkeypatch):
    left = []

    def seen(nb, plan, line, budget, *rest):
        left.append(budget.notebook_wall_s)
        raise KeyError("enough")

    class Line:
        def use(self, *args):
            return self

        def after(self, cells):
            return None

        def __enter__(self):
            return self

        def __exit__(self, *args):
            pass

    monkeypatch.setattr(submission, "mark_notebook", seen)
    monkeypatch.setattr(submission, "warm", Line())
    faulty(monkeypatch, spin)
    monkeypatch.setattr(handed, "READ_S", 1.0)
    most = Settings().budget.notebook_wall_s
    for spent in (0.0, 20.0, most + 1):
        with pytest.raises(KeyError, match="enough"):
            submission.mark_handed(kit, Handed(file.name, file.data, spent_s=spent), Settings())
    assert left[0] <= most - 1
    assert left[1] <= most - 21
    assert left[2] == 0


def test_what_a_folder_called_like_a_file_holds_is_compared_in_the_process_apart(kit, file, tmp_path):
    folder = tmp_path / "eve" / NAME
    (folder / "submitted_at.txt").mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_bytes(file.data)
    (folder / "submitted_at.txt" / "x.ipynb").write_bytes(file.data)
    taken = Handed.take(folder, kit)
    assert (taken.name, taken.data) == (f"{NAME}.ipynb", file.data)
    assert taken.spent_s > 0


def test_a_folder_that_takes_too_long_counts_as_nothing(kit, file, tmp_path, monkeypatch):
    folder = tmp_path / "eve" / NAME
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_bytes(file.data)
    assert Handed.take(folder, kit).spent_s == 0  # nothing to choose, nothing to read but bytes
    (folder / "other.ipynb").write_bytes(file.data)
    taken = Handed.take(folder, kit)
    assert (taken.name, taken.data) == (f"{NAME}.ipynb", file.data)
    assert taken.spent_s > 0
    handed.close()
    monkeypatch.setattr(handed.intake, "find_submission", lambda *args: spin())
    given_up = Handed.take(folder, kit, most_s=1.0)
    assert (given_up.name, given_up.data) == ("", b"")
    assert "could not be read within 1 seconds" in given_up.findings[0].text
    assert given_up.spent_s >= 1


@pytest.mark.parametrize(
    "told",
    [
        [], {"notebook": {"cells": 3, "metadata": {}}},
        {"notebook": {"cells": [{"cell_type": "code"}], "metadata": {}}},
        {"notebook": {"cells": [], "metadata": {}}, "findings": [{"kind": 3}], "skipped": [], "functions": []},
        {"notebook": {"cells": [], "metadata": {}}, "findings": [], "skipped": [7], "functions": []},
        {"notebook": {"cells": [], "metadata": {}}, "findings": [], "skipped": [], "functions": ["a b"]},
    ],
)  # fmt: skip
def test_what_comes_back_is_looked_at_before_it_is_used(kit, file, monkeypatch, told):
    monkeypatch.setattr(handed, "_work", lambda kits, question: apart.joined(told))
    with pytest.raises(TypeError):
        planted(kit, file)


def test_the_process_that_marks_stays_small(tmp_path):
    """25 MB of empty lists took 730 MB of it."""
    script = f"""
import resource, sys
sys.path[:0] = {[str(p) for p in sys.path]!r}
from test_apart import NAME, Handed, Kit, planted, pristine, tiny_source
source = tiny_source()
kit = Kit(NAME, source, pristine(source), "", "", {{}})
planted(kit, Handed(NAME + ".ipynb", b"{{}}"))
data = b'{{"cells":[' + b"[]," * 8_000_000 + b"{{}}]}}"
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
made = planted(kit, Handed(NAME + ".ipynb", data))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 130  # the file itself and its way over


@pytest.mark.parametrize(("refusals", "works"), [(2, True), (99, False)])
def test_a_moment_without_room_for_a_process_is_waited_for(monkeypatch, refusals, works):
    """Somebody's threads may have taken it, who is ended for that; nobody else shall pay for it."""
    forked, left = os.fork, [refusals]

    def scarce():
        left[0] -= 1
        if left[0] >= 0:
            raise BlockingIOError(11, "no room")
        return forked()

    monkeypatch.setattr(isolate, "_PAUSES_S", (0.01, 0.01, 0.01))
    monkeypatch.setattr(os, "fork", scarce)
    if works:
        with contextlib.closing(Apart(lambda question: question * 2)) as process:
            assert process.ask(b"ab", 5).data == b"abab"
    else:
        with pytest.raises(BlockingIOError):
            Apart(lambda question: question)
