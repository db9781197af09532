"""The corpus itself: every kind can be made, and without its trick it earns what it deserves."""

from dataclasses import asdict

import pytest

from . import harness
from .corpus import GROUPS, KINDS
from .course import POINTS, honest_answers, make_course
from .culprits import settled, smallest
from .harness import Listener, fingerprint, run_stock_class, submission_files
from .judge import Outcome, active_content
from .kinds.protocol import IN_PLACE
from .sheet import EXERCISES, Kind, Sheet, put

#: Kinds that stock nbgrader falls for, one for each thing that the harness can notice.
CAUGHT = {
    "skip-tag": "gained",
    "solution-read": "canaries",
    "solution-changed": "changed",
    "daemonised": "left",
    "tcp-connect": "connected",
    "script-in-text": "active",
    "schema-99": "stopped",
    "extra-credit-written": "harmed",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("hostile") / "base")


@pytest.fixture(scope="module")
def sheet(base):
    return Sheet(base.course, honest_answers(base.course))


@pytest.fixture(scope="module")
def listener():
    heard = Listener()
    yield heard
    heard.close()


def test_there_are_many_kinds_in_nine_groups():
    assert len(KINDS) > 400
    assert len(GROUPS) == 9
    assert len({k.says for k in KINDS.values()}) == len(KINDS), "two kinds say the same"
    assert all(k.says[-1] not in ".!" and k.says[0].islower() for k in KINDS.values())
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in KINDS), (
        "names are folder names too"
    )


def test_the_released_notebook_holds_no_canary(base, sheet):
    released = base.course.released("01_sums").read_text()
    solved = str(sheet.solved())
    for word in asdict(base.canaries).values():
        assert word
        assert word not in released
        assert word not in solved


@pytest.mark.slow
def test_every_kind_can_be_made_and_is_another_one(base, sheet, tmp_path):
    seen = {}
    for name, kind in KINDS.items():
        _, files = submission_files(kind, sheet)
        assert files
        word = fingerprint(kind, sheet)
        assert word == fingerprint(kind, sheet), f"{name} is another one each time"
        assert word not in seen, f"{name} is the same as {seen[word]}"
        seen[word] = name
        if not any(len(c) > 10**7 for c in files.values() if isinstance(c, bytes)):
            put(files, tmp_path / name, base.root)


def plain(name, make):
    return Kind(name, "control", "is no trick", make)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make", "points"),
    [
        ("untouched", Sheet.released, 0),
        ("wrong", Sheet.wrong, 0),
        ("solved", Sheet.solved, POINTS),
        ("in-place", lambda s: s.wrong({"running_sum": IN_PLACE}), 2),
    ],
)
def test_what_answers_deserve(base, listener, tmp_path, name, make, points):
    outcome = run_stock_class(base, [plain(name, make)], listener, tmp_path)[name]
    assert outcome.total == points
    assert outcome.marked
    outcome.gained = 0
    assert not outcome.succeeded, outcome.words()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "what"), CAUGHT.items())
def test_the_harness_notices(base, listener, tmp_path, name, what):
    outcome = run_stock_class(base, [KINDS[name]], listener, tmp_path, feedback=what == "active")[name]
    assert getattr(outcome, what), outcome.words()


def test_answers_are_in_the_release(sheet):
    assert all(sheet.cell(sheet.released(), e).metadata.nbgrader.solution for e in EXERCISES)


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<p>HOSTILE-MARK</p>", []),
        ("&lt;script&gt;HOSTILE-MARK&lt;/script&gt;", []),
        ("<script>'the page itself'</script>", []),
        ("<script>'HOSTILE-MARK'</script>", ["script"]),
        ("<script type='application/json'>'HOSTILE-MARK'</script>", []),
        ("<img onerror='HOSTILE-MARK'>", ["img onerror"]),
        ("<a href='java\nscript:HOSTILE-MARK'>x</a>", ["a href"]),
        ("<a href='https://example.org/HOSTILE-MARK'>x</a>", []),
        ("<iframe srcdoc='<script>HOSTILE-MARK</script>'></iframe>", ["iframe srcdoc"]),
        ("<iframe sandbox srcdoc='<script>HOSTILE-MARK</script>'></iframe>", []),
        ("<td rowspan=100>x</td>", []),
        ("<sub>x</sub>" * 30, []),
        ("<sub>" * 21, ["many sub"]),
        ("<q>x</q>", ["many q"]),
        ("<img>" * 61, ["many img"]),
        ("<i style='color:red;font-family:aaaa,bbbb'>x</i>", ["i font-family"]),
        ("<i lang='abc'>x</i><html lang='de' dir='auto'>", ["i lang", "html dir"]),
        ("<td rowspan=000000065534>x</td>", ["td rowspan"]),
        ("<!-- HOSTILE-MARK -->", []),
        ("<!-- HOSTILE-MARK" + " the rest of the page" * 100, ["open comment"]),
    ],
)
def test_active_content(tmp_path, page, found):
    (tmp_path / "x.html").write_text(page)
    assert active_content(tmp_path) == found


class Class:
    """Marks made-up classes: harm comes only of submissions that are in one class together.

    Args:
        harmful: Names that do harm together.
        times: How often they do; then never again.
    """

    def __init__(self, *harmful, times=10**9):
        self.harmful, self.times, self.marked = set(harmful), times, []

    def __call__(self, kinds):
        names = [k.name for k in kinds]
        self.marked.append(names)
        harmed = self.harmful <= set(names) and self.times > 0
        self.times -= harmed
        return {name: Outcome(name, marked=True, harmed=harmed) for name in names}


def made_up(size):
    return [plain(f"kind-{n}", Sheet.wrong) for n in range(size)]


def harm(outcome):
    return outcome.harmed


@pytest.mark.parametrize("size", [2, 3, 6, 20])
def test_harm_that_needs_two_submissions_is_theirs(size):
    run = Class("kind-0", f"kind-{size - 1}")
    said = []
    found = settled(made_up(size), run, harm, said.append)
    assert list(found) == [k.name for k in made_up(size)]
    assert [name for name, o in found.items() if o.succeeded] == ["kind-0", f"kind-{size - 1}"]
    assert found["kind-0"].note == f"together: kind-0, kind-{size - 1}"
    assert said[-1] == f"only together: kind-0, kind-{size - 1}"
    assert len(run.marked) <= size + 15


@pytest.mark.parametrize("harmful", [("kind-0", "kind-9"), ("kind-2", "kind-3"), ("kind-0", "kind-4", "kind-9")])
def test_the_smallest_class_that_does_harm(harmful):
    run = Class(*harmful)
    found = smallest(made_up(10), lambda some: any(map(harm, run(some).values())))
    assert [k.name for k in found] == list(harmful)


def test_harm_that_one_does_alone_is_its_own():
    found = settled(made_up(6), Class("kind-4"), harm, lambda line: None)
    assert [name for name, o in found.items() if o.succeeded] == ["kind-4"]


def test_harm_that_is_seen_once_only_is_everybodys():
    found = settled(made_up(4), Class("kind-1", times=1), harm, lambda line: None)
    assert all(o.harmed for o in found.values())


def test_a_class_without_harm_is_marked_once():
    run = Class("kind-1", "none of them")
    found = settled(made_up(4), run, harm, lambda line: None)
    assert len(run.marked) == 1
    assert not any(o.succeeded for o in found.values())


def test_a_run_is_not_clean_when_a_class_was_not(monkeypatch):
    run = Class("kind-1", "kind-4")
    monkeypatch.setattr(harness, "_run_ours_class", lambda base, kinds, *_: run(kinds))
    found = harness.run_ours(made_up(9), base="not made", together=5, say=lambda line: None)
    assert len(found) == 9
    assert [name for name, o in found.items() if o.succeeded] == ["kind-1", "kind-4"]
