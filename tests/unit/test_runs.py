"""What notebooks show in another language is kept from a run, and used as long as its code is the one that ran."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.authoring import runs as module
from grader.authoring.needs import digest, needed_cells
from grader.authoring.release import release
from grader.authoring.runs import kept, outdated, place
from grader.cli import main
from grader.core.errors import GraderError
from grader.core.names import bare
from grader.core.notebook import read_notebook
from grader.languages.catalogues import fill
from grader.publishing.site import site_sources
from grader.publishing.site_words import WORDS

NB, ZH = "09_doubling", "zh_CN"
SHOWN = 'print("the first of two")'
FURTHER = 'print(say("both of the two", given_two))'


def add(course, *sources, name="shown"):
    nb = read_notebook(course.source(NB))
    number = len(nb.cells)
    for n, source in enumerate(sources):
        cell = new_code_cell(source, id=f"{name}-{n}", metadata={"tags": ["demonstration"]})
        nb.cells.insert(number - 1, cell)
    nbformat.write(nb, course.source(NB))


def said(outputs):
    return "".join(output.text for output in outputs)


@pytest.fixture
def chinese(course):
    """The small course with a translation of two cells."""
    add(course, SHOWN, FURTHER, "print(3)")
    fill(course, ZH, NB, {"the first of two": "两个中的第一个", "both of the two": "两个都在这里"}, {})
    return course


def run(course):
    return main(["--course", str(course.root), "execute", "9", "--language", ZH])


def now(course):
    return kept(course, NB, ZH, read_notebook(course.source(NB)))


def test_a_run_in_another_language_is_kept_and_the_english_outputs_stay(chinese, capsys):
    before = chinese.source(NB).read_bytes()
    assert run(chinese) == 0
    assert "4 cells" in capsys.readouterr().out
    assert chinese.source(NB).read_bytes() == before
    found = now(chinese)
    assert found.stale == []
    assert said(found.outputs["shown-0"]) == "两个中的第一个\n"
    assert said(found.outputs["shown-1"]) == "两个都在这里: 2\n"
    assert outdated(chinese, [NB]) == []


def test_only_demonstrations_are_kept(chinese):
    run(chinese)
    cells = json.loads(place(chinese, ZH, NB).read_text(encoding="utf-8"))
    nb = read_notebook(chinese.source(NB))
    assert set(cells) == {c.id for c in nb.cells if "demonstration" in c.metadata.get("tags", [])}


def test_what_is_as_in_english_is_not_kept_twice(chinese):
    main(["--course", str(chinese.root), "execute", "9"])
    run(chinese)
    assert now(chinese).outputs["shown-2"] is None
    assert said(now(chinese).outputs["shown-0"]) == "两个中的第一个\n"


def test_only_what_ran_with_other_code_is_out_of_date(chinese, capsys):
    run(chinese)
    fill(chinese, ZH, NB, {"the first of two": "两个里的第一个"}, {})
    assert now(chinese).stale == ["shown-0"]
    (line,) = outdated(chinese, [NB])
    assert "1 of 4 cells" in line
    assert "grader execute 09 --language zh_CN" in line
    for command in (["check"], ["translate", "--check"]):
        main(["--course", str(chinese.root), *command])
        assert line in capsys.readouterr().out


def test_what_a_cell_needs_counts_and_comments_do_not(chinese):
    run(chinese)
    helper = chinese.helpers / "words.py"
    nb = read_notebook(chinese.source(NB))
    for cell in nb.cells:
        cell.source = cell.source.replace("import math\n\n\ndef", "import math  # floor\n\n\n# It says.\ndef")
    nbformat.write(nb, chinese.source(NB))
    assert now(chinese).stale == []
    helper.write_text(helper.read_text().replace("{word}: ", "{word} - "))
    for cell in nb.cells:
        cell.source = cell.source.replace("{word}: ", "{word} - ")
    nbformat.write(nb, chinese.source(NB))
    assert "shown-1" in now(chinese).stale
    assert "shown-0" not in now(chinese).stale


def test_a_failing_cell_leaves_what_was_kept(chinese, capsys):
    run(chinese)
    before = place(chinese, ZH, NB).read_bytes()
    add(chinese, "1 / 0", name="failing")
    assert run(chinese) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert place(chinese, ZH, NB).read_bytes() == before


def test_a_language_without_a_translation_is_not_run(course):
    with pytest.raises(GraderError, match="no translation"):
        module.execute_in(course, NB, "de")


def test_a_page_shows_its_own_run_and_says_where_it_cannot(chinese):
    main(["--course", str(chinese.root), "execute", "9"])
    release(chinese, [NB])
    page = site_sources(chinese, ZH)[f"{NB}.md"].decode()
    assert "two: 2" in page
    assert WORDS[ZH]["solved_in_english"] in page
    assert WORDS[ZH]["in_english"] not in page
    run(chinese)
    page = site_sources(chinese, ZH)[f"{NB}.md"].decode()
    assert "两个都在这里: 2" in page
    assert WORDS[ZH]["solved"] in page
    assert WORDS[ZH]["in_english"] not in page
    assert "两个" not in site_sources(chinese)[f"{NB}.md"].decode()
    fill(chinese, ZH, NB, {"the first of two": "两个里的第一个"}, {})
    page = site_sources(chinese, ZH)[f"{NB}.md"].decode()
    assert "<pre>the first of two\n" in page
    assert page.count(WORDS[ZH]["in_english"]) == 1
    assert "两个都在这里: 2" in page


def test_code_without_comments_and_docstrings():
    source = (
        '"""Words."""\nx = "# no comment"  # one\n\ndef f():\n    """Say.\n\n    More.\n    """\n    return """a"""\n'
    )
    assert bare(source) == 'x = "# no comment"\ndef f():\n    return """a"""'
    assert bare("not python (") == "not python ("


def test_of_what_is_not_used_nothing_is_needed():
    cells = [new_code_cell(source, id=f"c{n}") for n, source in enumerate(["a = 1", "b = 2", "c = a", "print(c)"])]
    nb = new_notebook(cells=cells)
    assert [cell.id for cell in needed_cells(nb, {"c3"}, strict=True)] == ["c0", "c2", "c3"]
    before = digest(needed_cells(nb, {"c3"}, strict=True))
    cells[1].source = "b = 3"
    assert digest(needed_cells(nb, {"c3"}, strict=True)) == before
    cells[0].source = "a = 3"
    assert digest(needed_cells(nb, {"c3"}, strict=True)) != before
