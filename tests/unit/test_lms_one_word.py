"""Canvas names its files by a name in one word: who by mail may be meant for that one, with a gradebook and without."""

import itertools
import random
import re

import pytest
from test_lms_collect import make_zip, notebook, rows
from test_lms_identity import EVE, gradebook, who, write

from grader.lms.people import may_be_meant, may_be_meant_in_one

ADA, BOB = "lovelaceada_55_900_nb.ipynb", "bergeradam_56_901_nb.ipynb"
MEANT = ["A. Lovelace", "Lovelace A", "Ada", "Lovelace", "Ada L", "Ada M Lovelace", "Ada Lovelace 2", "lovelace_a"]


@pytest.fixture
def known(course, run, tmp_path):
    """A class that was collected from Canvas without a gradebook."""
    download = make_zip(tmp_path / "1.zip", [(ADA, notebook(course)), (BOB, notebook(course))])
    assert not run(download).needs_a_look
    return download


@pytest.fixture
def book(tmp_path):
    return gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), (56, "Berger, Adam"))


def by_mail(course, tmp_path, name):
    return write(tmp_path / f"mail {name}", {f"{name}.ipynb": notebook(course, EVE)})


@pytest.mark.parametrize("when", ["never", "before", "now", "both"])
@pytest.mark.parametrize("name", MEANT)
def test_a_name_that_may_be_meant_for_one_of_canvas_waits_for_a_row(course, run, tmp_path, known, book, name, when):
    if when in ("before", "both"):
        run(known, rosters=[book])
    mail, roster = by_mail(course, tmp_path, name), [book] if when in ("now", "both") else []
    (lost,) = run(mail, rosters=roster).unplaced
    assert "and lovelaceada of students.csv may be one person" in lost.why
    assert ("give Canvas' exported gradebook" in lost.fix) is (when == "never")
    assert who(course) == {"lovelaceada", "bergeradam"}
    header = list(rows(course.local / "students.csv")[0])
    row = ",".join({"student": "second", "system": "plain", "name": name}.get(head, "") for head in header)
    with (course.local / "students.csv").open("a") as file:
        file.write(f"{row}\n")
    assert not run(mail, rosters=roster).unplaced
    assert who(course) == {"lovelaceada", "bergeradam", "second"}


@pytest.mark.parametrize(
    "name", ["Adam Lovelace", "Ada Love", "Eve Lovelace", "E. Lovelace", "Ada K", "Berger Lovelace"]
)
@pytest.mark.parametrize("told", [True, False])
def test_a_name_that_shares_some_words_with_one_of_canvas_is_a_newcomers(
    course, run, tmp_path, known, book, name, told
):
    assert not run(by_mail(course, tmp_path, name), rosters=[book] if told else []).unplaced
    assert len(who(course)) == 3


def test_the_full_name_that_a_gradebook_told_once_is_kept_and_compared(course, run, tmp_path, known, book):
    mail = by_mail(course, tmp_path, "Ada Berger")  # *Berger, Adam* and *Berger, Ada M.* are one word alike
    (lost,) = run(mail).unplaced
    assert "and bergeradam of students.csv may be one person" in lost.why
    short = by_mail(course, tmp_path, "lovelaceada")  # as was advised
    assert [placed.student for placed in run(short).placed] == ["lovelaceada"]
    assert [row["full_name"] for row in rows(course.local / "students.csv")] == ["", ""]
    result = run(mail, rosters=[book])  # nobody of the gradebook is in it
    assert [(placed.student, placed.outcome) for placed in result.placed] == [("ada_berger", "new")]
    people = rows(course.local / "students.csv")
    assert [row["name"] for row in people] == ["lovelaceada", "bergeradam", "Ada Berger"]
    assert [row["full_name"] for row in people] == ["Ada Lovelace", "Adam Berger", ""]
    assert not run(known, mail, short).unplaced
    (placed,) = run(by_mail(course, tmp_path, "Ada Lovelace")).placed
    assert placed.student == "lovelaceada"
    assert rows(course.local / "students.csv") == people


def test_a_full_name_of_before_a_change_is_nobodys(course, run, tmp_path, known, book):
    run(known, rosters=[book])
    table = course.local / "students.csv"
    table.write_text(table.read_text().replace("lovelaceada,,", "Ada King,,"))
    assert "Ada King" in table.read_text()
    (placed,) = run(by_mail(course, tmp_path, "Eve Lovelace")).placed
    assert placed.student == "eve_lovelace"
    (placed,) = run(by_mail(course, tmp_path, "Ada Lovelace")).placed
    assert (placed.student, placed.outcome) == ("ada_lovelace", "new")


def test_a_new_name_that_the_gradebook_has_for_a_number_is_compared(course, run, tmp_path, known):
    """Before the row is corrected, which is advised when the download comes."""
    now = gradebook(tmp_path / "now.csv", (55, "King, Ada"), (56, "Berger, Adam"))
    (lost,) = run(by_mail(course, tmp_path, "A. King"), rosters=[now]).unplaced
    assert "and lovelaceada of students.csv may be one person" in lost.why


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("A. Müller", "muelleranna"),
        ("Anna Mueller", "müllerannalena"),
        ("Z. O'Brien", "obrienzoe"),
        ("Ada Lovelace", "lovelaceadamarie"),
        ("Ada M. Lovelace", "lovelaceadamarie"),
        ("Ada Berg", "vanderbergada"),
        ("小明", "王小明"),
        ("रीता", "शर्मारीता"),
    ],
)
def test_words_of_which_a_name_in_one_word_may_be_made(name, known):
    assert may_be_meant_in_one(name, known)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("A L", "lovelaceada"),
        ("Ada 2", "lovelaceada"),
        ("Bob Lovelace", "lovelaceada"),
        ("B. Lovelace", "lovelaceada"),
        ("An Wang", "wangyan"),
        ("王", "王小明"),
        ("---", "lovelaceada"),
        ("", "lovelaceada"),
        (" ".join(f"a{'a' * n}" for n in range(12)), "b" * 200),
    ],
)
def test_words_of_which_a_name_in_one_word_is_not_made(name, known):
    assert not may_be_meant_in_one(name, known)


def test_few_of_a_class_are_doubted_who_are_not_meant():
    """Of 120 people, each held against all others."""
    first = "Ada Adam Anna Anne Ben Clara Dan Dana Eli Elisa Fay Ian Jan Jana Jon Jonas Lea Lena Li Lin Mei Wei Yan Yu"
    last = (
        "Lovelace Love Berg Bergmann Berger Lund Lindgren Li Lin Wang Wan Chen Cheng Yang Müller Miller Nowak O'Brien"
    )
    last += " Brien Kim Lee Das Roy Sen Anders Andersen Hansen"
    names = [f"{one} {other}" for one, other in itertools.product(first.split(), last.split())]
    random.Random(1).shuffle(names)
    pairs = list(itertools.permutations(names[:120], 2))
    assert sum(may_be_meant(one, other) for one, other in pairs) <= 5
    in_one = {name: re.sub(r"\W", "", "".join(reversed(name.lower().split()))) for name in names}
    assert in_one["Ada O'Brien"] == "obrienada"
    assert sum(may_be_meant_in_one(one, in_one[other]) for one, other in pairs) <= 15
    assert all(may_be_meant_in_one(f"{name[0]}. {name.split()[1]}", in_one[name]) for name in names)


def test_many_newcomers_beside_many_who_are_known_take_no_time(monkeypatch):
    """Each name is taken apart once, however many it is compared with."""
    from grader.lms import people

    counted = []
    in_short = people._in_short
    monkeypatch.setattr(people, "_in_short", lambda words: counted.append(words) or in_short(words))
    known, new = ([f"{kind}{n} Mühle Persön" for n in range(60)] for kind in ("Known", "New"))
    for one, other in itertools.product(new, known):
        people.may_be_meant(one, other)
    assert len(counted) <= len(known) + len(new)
