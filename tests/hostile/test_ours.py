"""This course's grader on the whole corpus: no points, no secrets, no traces, and the class survives."""

import os
from pathlib import Path

import pytest

from .corpus import GROUPS, KINDS
from .course import POINTS, make_course
from .harness import run_ours
from .table import save

#: What gains points all the same, and why that is accepted. grader/README.md names each.
ACCEPTED = {
    "change-hidden": "a function that hides that it changed its argument is worth what one is that copies it: 2 points",
}


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """The course that each class copies."""
    return make_course(tmp_path_factory.mktemp("sums-course") / "base")


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_no_hostile_submission_gets_anything(group, base):
    kinds = [k for k in KINDS.values() if k.group == group]
    outcomes = run_ours(kinds, base)
    save("ours", outcomes)
    assert set(outcomes) == {k.name for k in kinds}
    succeeded = {name: o.words() for name, o in outcomes.items() if o.succeeded and name not in ACCEPTED}
    assert not succeeded, succeeded
    unmarked = [name for name, outcome in outcomes.items() if not outcome.marked]
    assert not unmarked, unmarked
    odd = {name: o.note for name, o in outcomes.items() if o.note}
    assert not odd, odd


#: What looks for the course, or for a file of it.
SEEKERS = [k for k in KINDS.values() if k.group == "places" or k.name.endswith(("-read", "-used", "-by-root"))]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["/usr/src", "/usr/local/lib", "around its environment"])
def test_no_place_of_a_course_gives_it_away(where, base):
    around = not where.startswith("/")
    below = None if around else Path(where)
    if below and not os.access(below, os.W_OK):
        pytest.skip(f"{below} cannot be written to")
    outcomes = run_ours(SEEKERS, base, below=below, around=around)
    assert {name: o.words() for name, o in outcomes.items() if o.succeeded or o.note or not o.marked} == {}


#: What takes more than it may, or has the kernel do something for it.
TAKERS = [
    k
    for k in KINDS.values()
    if k.name.startswith(("threads-", "disk-fill", "folders-", "signal-by-", "header-", "noted-", "lock-", "byte-out-"))
    or k.name.startswith("page-cache-")
    or k.name in ("thread-bomb", "interfaces-of-the-network", "flags-of-a-file")
]


@pytest.mark.slow
def test_nobody_takes_more_where_there_is_no_bubblewrap(base):
    outcomes = run_ours(TAKERS, base, level="landlock")
    assert len(outcomes) > 25
    assert {name: o.words() for name, o in outcomes.items() if o.succeeded or o.note or not o.marked} == {}


def test_what_is_accepted_is_still_in_the_corpus():
    assert set(ACCEPTED) <= set(KINDS)
    assert POINTS == 10
