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
MEANT += ["A. Lovelace 2", "Ada L 2", "AdaLovelace"]


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
        ("AdaLovelace", "lovelaceada"),
        ("adalovelace (late)", "lovelaceada"),
        ("AdaLovelace2", "lovelaceada"),
        ("MinhAnhNguyễn", "nguyễnminhanh"),
        ("ZoeMueller", "müllerzoe"),
        ("明小王", "王明小"),
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
        ("Bob L 2", "lovelaceada"),
        ("Bob Lovelace", "lovelaceada"),
        ("B. Lovelace", "lovelaceada"),
        ("An Wang", "wangyan"),
        ("AdaLovelac", "lovelaceada"),
        ("AdaLoveleca", "lovelaceada"),
        ("AdamLovelace", "lovelaceada"),
        ("AdaAda", "lovelaceada"),
        ("王", "王小明"),
        ("---", "lovelaceada"),
        ("", "lovelaceada"),
        (" ".join(f"a{'a' * n}" for n in range(12)), "b" * 200),
    ],
)
def test_words_of_which_a_name_in_one_word_is_not_made(name, known):
    assert not may_be_meant_in_one(name, known)


@pytest.mark.parametrize(
    ("one", "other"), [("Team A 1", "Team A 2"), ("team b 2", "team blue 1"), ("Ada 2", "Ada Lovelace"), ("A 2", "Ada")]
)
def test_a_number_tells_people_apart(one, other):
    assert not may_be_meant(one, other)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("row", ["", "lovelaceada"])
def test_two_names_of_one_student_are_named_and_one_is_placed(course, run, tmp_path, known, book, alone, row):
    """Of which Canvas tells the one in its files, and the gradebook the other."""
    run(known, rosters=[book])
    if row:
        _add_row(course, student="lovelaceada", system="plain", name=row)
    here = tmp_path / "hand"
    bodies = {"Ada Lovelace": "return 'mailed'", "lovelaceada": "return 'saved by hand'"}
    for name, body in bodies.items():
        write(here, {f"{name}/nb.ipynb" if not alone else f"{name}.ipynb": notebook(course, body)})
    result = run(here)
    assert [placed.student for placed in result.placed] == (["lovelaceada"] if row else [])
    assert len(result.unplaced) == (1 if row else 2)
    assert all("would become one student" in lost.why for lost in result.unplaced)
    assert who(course) == {"lovelaceada", "bergeradam"}
    (here / "Ada Lovelace").with_suffix(".ipynb" if alone else "").rename(
        tmp_path / ("Ada Lovelace" + ".ipynb" * alone)
    )
    assert [placed.student for placed in run(here).placed] == ["lovelaceada"]  # each by itself is certain


@pytest.mark.parametrize("system", ["canvas", "moodle"])
def test_a_full_name_is_nobodys_for_certain_if_canvas_has_it_in_one_word_of_somebody_else(
    course, run, tmp_path, known, book, system
):
    """The gradebook is older than the other one's enrolment."""
    run(known, rosters=[book])
    if system == "moodle":
        _add_row(course, student="ada", system="moodle", name="Ada Lovelace")
        mail = "Adam Berger"
        run(make_zip(tmp_path / "2.zip", [("bergeradam_77_903_nb.ipynb", notebook(course))]))
    else:
        mail = "Ada Lovelace"
        run(make_zip(tmp_path / "2.zip", [("lovelaceada_77_903_nb.ipynb", notebook(course))]))
    before = who(course)
    (lost,) = run(by_mail(course, tmp_path, mail)).unplaced
    assert lost.why == f"several people are called \u201c{mail}\u201d"
    assert who(course) == before
    # Each of the others is still found.
    (placed,) = run(by_mail(course, tmp_path, "Adam Berger" if system == "canvas" else "Berta")).placed
    assert placed.student == ("bergeradam" if system == "canvas" else "Berta")


@pytest.mark.parametrize("name", ["Lovelace, Ada", "Ada Lovelace"])
def test_a_name_in_one_word_is_nobodys_for_certain_if_a_gradebook_has_it_in_words_of_somebody_else(
    course, run, tmp_path, name
):
    book = gradebook(tmp_path / "old.csv", (55, name), (56, "Berger, Adam"))
    files = [(ADA, notebook(course)), (BOB, notebook(course)), ("lovelaceada_77_903_nb.ipynb", notebook(course))]
    assert not run(make_zip(tmp_path / "1.zip", files), rosters=[book]).needs_a_look
    assert who(course) == {"ada_lovelace", "adam_berger", "lovelaceada"}
    mail = by_mail(course, tmp_path, "lovelaceada")
    (lost,) = run(mail).unplaced
    assert lost.why == "several people are called lovelaceada"
    _add_row(course, student="lovelaceada", system="plain", name="lovelaceada")
    assert [placed.student for placed in run(mail).placed] == ["lovelaceada"]


@pytest.mark.parametrize(("name", "meant"), [("al12", True), ("AL-12", True), ("al1", False)])
def test_what_somebody_logs_in_with_may_be_meant_for_that_one(course, run, tmp_path, known, name, meant):
    table = course.local / "students.csv"
    people = rows(table)
    people[0]["login"] = "al12"
    table.write_text("\n".join(",".join(line) for line in (people[0], *(one.values() for one in people))) + "\n")
    result = run(by_mail(course, tmp_path, name))
    why = f"{name} and lovelaceada of students.csv may be one person"
    assert [lost.why for lost in result.unplaced] == [why] * meant
    assert len(who(course)) == 3 - meant
    if meant:
        _add_row(course, student="lovelaceada", system="plain", name=name)
        assert [placed.student for placed in run(by_mail(course, tmp_path, name)).placed] == ["lovelaceada"]


def test_one_person_in_two_systems_is_found_by_the_full_name(course, run, tmp_path, known):
    _add_row(course, student="lovelaceada", system="moodle", name="Ada Lovelace")
    (placed,) = run(by_mail(course, tmp_path, "Ada Lovelace")).placed
    assert placed.student == "lovelaceada"


def test_a_full_name_that_somebody_wrote_stays(course, run, tmp_path, known, book):
    table = course.local / "students.csv"
    people = rows(table)
    people[0]["full_name"] = "ADA Lovelace"
    table.write_text("\n".join(",".join(line) for line in (people[0], *(one.values() for one in people))) + "\n")
    run(known, rosters=[book])
    assert [row["full_name"] for row in rows(table)] == ["ADA Lovelace", "Adam Berger"]


def _add_row(course, **cells):
    table = course.local / "students.csv"
    with table.open("a") as file:
        file.write(",".join(cells.get(head, "") for head in rows(table)[0]) + "\n")


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
    assert sum(may_be_meant_in_one(one.replace(" ", ""), in_one[other]) for one, other in pairs) <= 2
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


def test_full_names_are_compared_with_those_in_one_word_once(monkeypatch):
    """And not for each newcomer anew."""
    from grader.lms import students

    counted = []
    compare = students.same_name
    monkeypatch.setattr(students, "same_name", lambda *names: counted.append(names) or compare(*names))
    students._is_full.cache_clear()
    people = [
        students.Person(f"s{n}", "canvas", str(n), f"lovelaceada{n}", full_name=f"Ada{n} Lovelace") for n in range(9)
    ]
    for _ in range(20):
        assert all(person.names for person in people)
    assert len(counted) == 9
