"""Publishing: what goes along, what must not, what is refused and what is left alone."""

import hashlib
import json
import os
import shutil
import subprocess

import nbformat
import pytest
from nbconvert import HTMLExporter, SlidesExporter

from grader.authoring.release import release
from grader.cli import main
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests, solutions
from grader.languages.building import translated_release
from grader.publishing import publish as module
from grader.publishing.leaks import Leak, Phrases, leaks, secrets_of, squeezed, unguarded
from grader.publishing.publish import MANIFEST, publish
from grader.publishing.site import publish_site

NB = "09_doubling"
PATH = f"notebooks/{NB}/{NB}.ipynb"
FILES = {PATH, "README.md", "requirements.txt", "environment.yml", "LICENSE", ".gitignore"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Where the release is kept for the next test."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture
def ready(course, shelf, request, monkeypatch):
    """The small course, released and with all that is published; that the release is up to date is taken as given."""
    if not (shelf / "notebooks").exists():
        release(course, [NB])
        shutil.copytree(course.release, shelf / "notebooks")
    shutil.copytree(shelf / "notebooks", course.release, dirs_exist_ok=True)
    for name in ("LICENSE", "requirements.txt"):
        shutil.copy(request.config.rootpath / name, course.root)
    (course.root / "pyproject.toml").write_text('[tool.course]\nrepository = "uni/students"\n')
    monkeypatch.setattr(module, "out_of_date", lambda course, assignments: [])
    return course


def tree(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def change(path, act):
    nb = read_notebook(path)
    act(nb)
    nbformat.write(nb, path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("HIDDEN TESTS", "HIDDEN TEST"),
        lambda text: text.replace("HIDDEN TESTS", "hidden tests"),
        lambda text: text.replace("BEGIN HIDDEN", "BEGIN  HIDDEN"),
        lambda text: text.replace("HIDDEN", "HIDEN"),
        lambda text: text.replace("### END HIDDEN TESTS", ""),
        lambda text: text.replace("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS", 1),
    ],
)
def test_a_misspelled_marker_is_neither_released_nor_published(ready, tmp_path, spoil):
    def act(nb):
        cell = next(c for c in nb.cells if "BEGIN HIDDEN TESTS" in c.source)
        cell.source = spoil(cell.source)

    change(ready.source(NB), act)
    for make in (
        lambda: release(ready, [NB]),
        lambda: publish(ready, tmp_path / "out"),
        lambda: publish_site(ready, tmp_path / "site"),
    ):
        with pytest.raises(GraderError, match="is no marker with a partner"):
            make()
    assert not list(tmp_path.glob("out/*"))


def test_what_is_published_is_a_list(ready, tmp_path):
    to = tmp_path / "out"
    result = publish(ready, to)
    assert not result.refused
    assert set(result.written) == FILES
    assert set(tree(to)) == FILES | {MANIFEST}
    assert "09_doubling" in (to / "README.md").read_text()
    assert "git clone https://github.com/uni/students.git" in (to / "README.md").read_text()
    pins = (to / "requirements.txt").read_text()
    assert "jupyterlab==" in pins
    assert "nbgrader" not in pins
    text = b"".join(tree(to).values()).decode()
    for secret in ("SOLUTION", "HIDDEN", "given_two * x", "negative numbers", "squares instead", "Because."):
        assert secret not in text


def test_badges_lead_to_the_repository_of_pyproject(ready, tmp_path):
    old = "https://colab.research.google.com/github/OWNER/old/blob/main/x.ipynb"
    change(ready.released(NB), lambda nb: nb.cells[0].update(source=f"# 9. Doubling\n\n[![Open]({old})]({old})"))
    publish(ready, tmp_path / "out")
    new = f"https://colab.research.google.com/github/uni/students/blob/main/{PATH}"
    assert f"]({new})" in read_notebook(tmp_path / "out" / PATH).cells[0].source
    assert f"]({new})" in (tmp_path / "out/README.md").read_text()
    assert "OWNER" not in (tmp_path / "out" / PATH).read_text()
    (ready.root / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(GraderError, match="badges have no address"):
        publish(ready, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_publishing_again_updates_and_changes_nothing_else(ready, tmp_path):
    to = tmp_path / "out"
    publish(ready, to)
    before = {p: p.stat().st_mtime_ns for p in to.rglob("*") if p.is_file() and p.name != MANIFEST}
    (to / "CNAME").write_text("course.example.org")
    result = publish(ready, to)
    assert (result.written, result.removed, result.left) == ([], [], ["CNAME"])
    assert {p: p.stat().st_mtime_ns for p in before} == before
    change(ready.released(NB), lambda nb: nb.cells[0].update(source="# 9. Doubling, again"))
    assert publish(ready, to).written == [PATH, "README.md"]
    assert (to / "CNAME").exists()


def test_what_is_no_longer_published_is_removed(ready, tmp_path):
    to = tmp_path / "out"
    publish(ready, to)
    (to / "notebooks/08_old").mkdir()
    (to / "notebooks/08_old/08_old.ipynb").write_text("{}")
    manifest = json.loads((to / MANIFEST).read_text())
    manifest["files"]["notebooks/08_old/08_old.ipynb"] = hashlib.sha256(b"{}").hexdigest()
    (to / MANIFEST).write_text(json.dumps(manifest))
    assert publish(ready, to).removed == ["notebooks/08_old/08_old.ipynb"]
    assert not (to / "notebooks/08_old").exists()


def test_an_edited_file_is_not_lost(ready, tmp_path):
    to = tmp_path / "out"
    publish(ready, to)
    (to / "README.md").write_text("mine")
    before = tree(to)
    with pytest.raises(GraderError, match=r"edited since it was published: README\.md"):
        publish(ready, to)
    assert tree(to) == before
    assert publish(ready, to, replace=True).written == ["README.md"]


def hidden_test(nb):
    nb.cells[-2].source += '\nassert double(-3) == -6, "it is not doubled for negative numbers"'


def solution(nb):
    answer = next(c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "double")
    answer.source = 'def double(x):\n    """Double a number."""\n    return given_two * x'


def commented_solution(nb):
    nb.cells[0].source += "\n\n> `return   given_two*x`"


def mark(nb):
    nb.cells[-1].source = "### BEGIN SOLUTION\nx\n### END SOLUTION"


def catalogue_sentence(nb):
    nb.cells[0].source += "\nThis squares instead of doubling."


def in_an_output(nb):
    code = next(c for c in nb.cells if c.cell_type == "code")
    code.outputs = [
        nbformat.v4.new_output("stream", text="see: assert double(-3) == -6, 'x'\n  return given_two * x\n")
    ]


def in_metadata(nb):
    nb.metadata["note"] = {"kept": ["a", "    return given_two * x\n"]}


@pytest.mark.parametrize(
    ("plant", "named"),
    [
        (hidden_test, "a hidden test of 09_doubling, cell test_double_value"),
        (solution, "a solution of 09_doubling, cell double"),
        (commented_solution, "a solution of 09_doubling, cell double"),
        (mark, "it holds the mark '### BEGIN SOLUTION'"),
        (catalogue_sentence, "the catalogue of answers, 09_doubling/double.py"),
        (in_an_output, "a solution of 09_doubling, cell double"),
        (in_metadata, "a solution of 09_doubling, cell double"),
    ],
)
def test_a_planted_leak_is_named_and_nothing_is_written(ready, tmp_path, plant, named):
    to = tmp_path / "out"
    publish(ready, to)
    before = tree(to)
    change(ready.released(NB), plant)
    result = publish(ready, to)
    assert any(named in str(leak) for leak in result.refused), result.refused
    assert all(leak.where == PATH for leak in result.refused)
    assert tree(to) == before
    assert publish(ready, tmp_path / "new").refused
    assert not (tmp_path / "new").exists()


def as_page(nb):
    return HTMLExporter().from_notebook_node(nb)[0]


def as_slides(nb):
    return SlidesExporter().from_notebook_node(nb)[0]


def hidden_by_a_second_list(nb):
    return f'{{"cells": {json.dumps(nb.cells)}, "cells": []}}'


def beside_what_is_nested_too_deep(nb):
    return "[" * 100_000 + as_page(nb)


@pytest.mark.parametrize("kind", [as_page, as_slides, hidden_by_a_second_list, beside_what_is_nested_too_deep])
def test_a_key_in_another_form_is_named_and_what_everybody_sees_is_not(ready, kind):
    secrets, nb = secrets_of(ready), read_notebook(ready.released(NB))
    assert leaks("released", kind(nb).encode(), secrets) == []
    solution(nb)
    assert any("a solution of" in leak.what for leak in leaks("key", kind(nb).encode(), secrets))


@pytest.mark.parametrize("name", [f"{NB}/solution.py", f"{NB}/{NB}-Copy1.ipynb", "gradebook.db", "08_old/08_old.ipynb"])
def test_a_stray_file_among_the_notebooks_is_named(ready, tmp_path, name):
    (ready.release / name).parent.mkdir(exist_ok=True)
    (ready.release / name).write_text("x")
    assert [leak.where for leak in publish(ready, tmp_path / "out").refused] == [f"notebooks/{name}"]
    assert not (tmp_path / "out").exists()


def test_checkpoints_of_an_editor_do_not_go_along_and_do_not_disturb(ready, tmp_path):
    (ready.release / NB / ".ipynb_checkpoints").mkdir()
    shutil.copy(ready.source(NB), ready.release / NB / ".ipynb_checkpoints")
    assert not publish(ready, tmp_path / "out").refused
    assert set(tree(tmp_path / "out")) == FILES | {MANIFEST}


def test_a_release_that_is_a_link_or_missing(ready, tmp_path):
    ready.released(NB).unlink()
    assert "missing" in publish(ready, tmp_path / "out").refused[0].what
    ready.released(NB).symlink_to(ready.source(NB))
    assert publish(ready, tmp_path / "out").refused == [Leak(PATH, "it is a link")]


@pytest.mark.parametrize(
    ("name", "copied"),
    [
        ("09.ipynb", "solutions/09_doubling/09_doubling.ipynb"),
        ("answers/double.py", "grader/catalogue/09_doubling/double.py"),
    ],
)
def test_the_instructors_file_in_the_published_folder(ready, tmp_path, name, copied):
    to = tmp_path / "out"
    publish(ready, to)
    (to / name).parent.mkdir(exist_ok=True)
    shutil.copy(ready.root / copied, to / name)
    before = tree(to)
    refused = publish(ready, to).refused
    assert {leak.where for leak in refused} == {f"{to}/{name}"}
    assert f"it is the instructor's {copied}" in {leak.what for leak in refused}
    assert tree(to) == before


def test_a_link_in_the_published_folder(ready, tmp_path):
    to = tmp_path / "out"
    publish(ready, to)
    (to / "more").symlink_to(ready.solutions)
    assert "it is a link" in publish(ready, to).refused[0].what
    (to / "more").unlink()
    (to / "README.md").unlink()
    (to / "README.md").symlink_to(ready.root / "LICENSE")
    with pytest.raises(GraderError, match="it is a link"):
        publish(ready, to, replace=True)
    assert (ready.root / "LICENSE").read_text().startswith("This repository")


def test_a_foreign_folder_is_refused_and_stays(ready, tmp_path):
    to = tmp_path / "thesis"
    to.mkdir()
    (to / "chapter.tex").write_text("x")
    with pytest.raises(GraderError, match=r"did not make this folder; it holds chapter\.tex"):
        publish(ready, to, replace=True)
    assert set(tree(to)) == {"chapter.tex"}
    (to / MANIFEST).write_text('{"files": {"../../etc/passwd": ""}}')
    with pytest.raises(GraderError, match="cannot be read"):
        publish(ready, to)
    with pytest.raises(GraderError, match="not a folder"):
        publish(ready, to / "chapter.tex")


@pytest.mark.parametrize("inner", ["", "students", "notebooks"])
def test_the_instructors_repository_is_no_place_for_it(ready, inner):
    with pytest.raises(GraderError, match="do not go into the instructor's repository"):
        publish(ready, ready.root / inner)
    with pytest.raises(GraderError, match="do not go into the instructor's repository"):
        publish(ready, ready.root.parent)


def test_history_does_not_go_along(ready, tmp_path):
    def git(folder, *arguments):
        own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(folder), *own, *arguments], check=True, capture_output=True)

    git(ready.root, "init", "-q")
    git(ready.root, "add", "solutions")
    git(ready.root, "commit", "-qm", "x")
    git(tmp_path, "clone", "-q", str(ready.root), "clone")
    for path in (tmp_path / "clone").iterdir():
        if path.name != ".git":
            shutil.rmtree(path)
    with pytest.raises(GraderError, match="its history is that of the instructor's repository"):
        publish(ready, tmp_path / "clone")
    (tmp_path / "fresh").mkdir()
    git(tmp_path / "fresh", "init", "-q")
    assert not publish(ready, tmp_path / "fresh").refused
    (ready.root / "more").write_text("x")
    git(ready.root, "add", "more")
    git(ready.root, "commit", "-qm", "y")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{ready.root}", "shallow")  # has no first commit
    (tmp_path / "shallow" / "deeper").mkdir()
    for place in ("shallow", "shallow/deeper"):
        with pytest.raises(GraderError, match="its history is that of the instructor's repository"):
            publish(ready, tmp_path / place)


def without_git(monkeypatch, *folders):
    monkeypatch.setenv("PATH", "")


def broken(monkeypatch, *folders):
    for folder in folders:
        (folder / ".git" / "HEAD").unlink()


@pytest.mark.parametrize("spoil", [without_git, broken])
@pytest.mark.parametrize("whose", ["the course's", "the students'"])
def test_where_git_does_not_answer_nothing_is_written(ready, tmp_path, monkeypatch, spoil, whose):
    to = tmp_path / "out"
    for folder in (ready.root, to):
        folder.mkdir(exist_ok=True)
        subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    spoil(monkeypatch, ready.root if whose == "the course's" else to)
    with pytest.raises(GraderError, match="git does not tell what its history holds"):
        publish(ready, to)
    assert {p.name for p in to.iterdir()} == {".git"}


def test_a_course_without_git_is_published(ready, tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path / "out")], check=True)
    monkeypatch.setenv("PATH", "")
    assert not publish(ready, tmp_path / "out").refused


def test_git_is_asked_of_the_folder_whatever_the_environment_names(ready, tmp_path, monkeypatch):
    for folder in (ready.root, tmp_path / "out"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(ready.root), *own, "commit", "-qm", "x", "--allow-empty"], check=True)
    monkeypatch.setenv("GIT_DIR", str(ready.root / ".git"))
    assert not publish(ready, tmp_path / "out").refused


def test_a_run_that_was_cut_short_can_be_repeated(ready, tmp_path, monkeypatch):
    to, real, count = tmp_path / "out", os.replace, []

    def replace(part, path):
        count.append(path)
        if len(count) == 4:
            raise OSError("no space left")
        real(part, path)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(OSError, match="no space"):
        publish(ready, to)
    monkeypatch.setattr(os, "replace", real)
    assert not publish(ready, to).refused
    assert set(tree(to)) == FILES | {MANIFEST}


def test_an_import_without_a_pin_is_named(ready, tmp_path):
    def use(nb, name):
        next(c for c in nb.cells if c.cell_type == "code").source += f"\nimport {name}"

    change(ready.released(NB), lambda nb: use(nb, "no_such_package_here"))
    with pytest.raises(GraderError, match="imports no_such_package_here"):
        publish(ready, tmp_path / "out")
    change(ready.released(NB), lambda nb: use(nb, "numpy"))
    nb = read_notebook(ready.released(NB))
    nb.cells = [c for c in nb.cells if "no_such_package_here" not in c.source]
    nbformat.write(nb, ready.released(NB))
    (ready.root / "requirements.txt").write_text("keras==3.0\n")
    change(ready.released(NB), lambda nb: nb.cells.append(nbformat.v4.new_code_cell("import numpy")))
    with pytest.raises(GraderError, match="no version of numpy"):
        publish(ready, tmp_path / "out")


def test_lines_that_students_see_anyway_are_no_secret(ready):
    secrets = secrets_of(ready)
    assert squeezed("return given_two * x") in secrets.lines
    assert squeezed("shown = [say('two', given_two) for _ in range(2)]") not in secrets.lines
    assert "it is not doubled for negative numbers" in secrets.sentences
    assert "it is not doubled" not in secrets.sentences
    assert not leaks("x", b"a plain text, print(double(1) == 2)", secrets)
    assert leaks("x.md", b'why: "return given_two*x", they say', secrets)
    assert leaks("x.md", b'it says "it is not doubled for negative numbers" there', secrets)


@pytest.mark.slow
def test_the_release_has_to_be_what_the_source_gives(ready, tmp_path, monkeypatch, capsys):
    monkeypatch.undo()
    arguments = ["--course", str(ready.root), "publish", str(tmp_path / "out")]
    assert main(arguments) == 0
    assert "6 written" in capsys.readouterr().out
    change(ready.released(NB), lambda nb: nb.cells[0].update(source="# 9. Doubling, edited by hand"))
    assert main(arguments) == 1
    assert "out of date with solutions" in capsys.readouterr().out
    assert "edited by hand" not in (tmp_path / "out" / PATH).read_text()
    assert main(["--course", str(ready.root), "publish", str(ready.root)]) == 2


@pytest.mark.slow
def test_the_course_itself_holds_nothing_secret(request, tmp_path):
    """The released notebooks of this repository, looked through as `grader publish` does."""
    from grader.core.course import Course

    course = Course(request.config.rootpath)
    secrets = secrets_of(course)
    assert len(secrets.lines) > 1000
    for assignment in course.assignments():
        assert leaks(assignment, course.released(assignment).read_bytes(), secrets) == []
        assert leaks(assignment, course.source(assignment).read_bytes(), secrets)


def test_a_language_that_is_not_translated_is_refused_unless_that_is_wanted(ready, tmp_path):
    with pytest.raises(GraderError, match=r"the translation is not complete: 09_doubling: \d+ missing"):
        publish(ready, tmp_path / "out", language="zh_CN")
    assert not (tmp_path / "out").exists()
    assert not publish(ready, tmp_path / "out", language="zh_CN", incomplete=True).refused
    assert read_notebook(tmp_path / "out" / PATH).metadata["course"] == {"language": "zh_CN"}


def test_the_other_language_goes_to_its_own_repository(ready, tmp_path, monkeypatch):
    (ready.root / "pyproject.toml").write_text(
        '[tool.course]\nrepository = "uni/students"\n[tool.course.repositories]\nzh_CN = "uni/students-zh"\n'
    )
    said = {"On Google Colab": "在 Google Colab 上", "{minutes} min": "{minutes} 分钟"}
    for place in ("languages.building", "publishing.publish"):
        monkeypatch.setattr(f"grader.{place}.translations", lambda *_: said)
    publish(ready, tmp_path / "out", language="zh_CN", incomplete=True)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "## 在 Google Colab 上" in text
    assert "uni/students-zh" in text
    assert "uni/students." not in text
    assert "On Google Colab" not in text


def test_a_translated_message_of_a_hidden_test_is_a_leak(course, monkeypatch):
    said = {"text is not doubled": "文本没有变成原来的两倍"}
    text = "他说：文本没有变成原来的两倍。".encode()
    assert not leaks("x.md", text, secrets_of(course))
    monkeypatch.setattr("grader.languages.building.languages", lambda _: ["zh_CN"])
    monkeypatch.setattr("grader.languages.building.translations", lambda *_: said)
    assert leaks("x.md", text, secrets_of(course))


def test_phrases_are_found_wherever_they_stand():
    long, other, short = "it is not doubled for 3", "ends at the very last", "没有变成原来的两倍"
    for pad in range(12):
        text = "x" * pad + long + "." * (pad % 3) + short + "y" * pad + other
        assert sorted(Phrases([long, other, short], 16).within(text)) == sorted([long, other])
        assert Phrases([short, "aaa"], 8).within(text) == [short]
        assert Phrases([long], 16).within(text.replace("3", "4")) == []
    assert Phrases([long], 16).within(long[3:] + long[:3]) == []
    assert Phrases(["a" * 16], 16).within("a" * 15) == []


SOLUTION = (
    "    total = given_two * x   # as often as that\n"
    "    rest = total - 2 * x + 0\n"
    "    return total - rest if rest else total\n"
)
HIDDEN = 'assert double(-3) == -6, "it is not doubled for negative numbers"'


@pytest.fixture
def longer(ready, monkeypatch):
    """The small course with a solution of three lines."""

    def act(nb):
        cell = of(nb, "double")
        cell.source = cell.source.replace("    return given_two * x\n", SOLUTION)

    change(ready.source(NB), act)
    monkeypatch.setattr("grader.publishing.site.out_of_date", lambda course, assignments: [])
    assert SOLUTION in of(read_notebook(ready.source(NB)), "double").source
    return ready


def of(nb, name):
    """Find a cell by its id or what it is."""
    return next(
        c for c in nb.cells if name in (c.metadata.get("nbgrader", {}).get("grade_id"), *c.metadata.get("tags", []))
    )


def into(name, text):
    """Add text to a cell of the source and of what was released from it."""

    def act(nb):
        (nb.cells[0] if name == "title" else of(nb, name)).source += f"\n{text}"

    return act


def quoted(name):
    return into(name, "> " + SOLUTION.strip().replace("\n", "\n> "))


def in_a_sentence(nb):
    nb.cells[0].source += "\nSo write `total = given_two*x`, and subtract."


def in_a_comment(nb):
    of(nb, "demonstration").source += "\n# " + SOLUTION.strip().replace("\n    ", "\n# ")


def in_a_helper(nb):
    of(nb, "helpers").source += f"\n\ndef _reference(x):\n{SOLUTION}"


def in_a_visible_test(nb):
    cell = of(nb, "test_double_value")
    cell.source = cell.source.replace("assert double(2)", f"x = 2\n{SOLUTION.replace('    ', '')}assert double(2)", 1)


def in_a_raw_cell(nb):
    nb.cells.append(nbformat.v4.new_raw_cell(f"Notes:\n{SOLUTION}", id="note"))


def begun_a_line_too_late(nb):
    cell, first = of(nb, "double"), SOLUTION.split("\n")[0] + "\n"
    begin = "    ### BEGIN SOLUTION\n"
    cell.source = cell.source.replace(begin + first, first + begin)


def an_old_version_below(nb):
    of(nb, "double").source += "\n\ndef double_old(x):\n    return x + x"


def a_value_below(nb):
    of(nb, "double").source += "\n\nold = lambda x: x + x"


def without(name, word):
    def act(nb):
        of(nb, name).source = "\n".join(line for line in of(nb, name).source.split("\n") if word not in line)

    return act


def rubric_below(nb):
    of(nb, "written_why").source += "\n\n**Rubric.** One point for the reason, one for an example."


def rubric_in_the_text(nb):
    of(nb, "written_why").source = of(nb, "written_why").source.replace("Because.", "Because.\nA point for each half.")
    nb.cells[0].source += "\nA point for each half."


def a_name_in_metadata(nb):
    of(nb, "double").metadata["note"] = "marked by Ada, /home/ada"


def hidden_test_as_an_example(nb):
    of(nb, "demonstration").source += f"\n{HIDDEN}"


LEAKING = {
    "text": (quoted("title"), "a solution of 09_doubling, cell double"),
    "sentence": (in_a_sentence, "a solution of 09_doubling, cell double"),
    "comment": (in_a_comment, "kept-back: most of its solution"),
    "demonstration": (into("demonstration", f"def twice(x):\n{SOLUTION}"), "kept-back: most of its solution"),
    "helper": (in_a_helper, "kept-back: most of its solution"),
    "visible test": (in_a_visible_test, "kept-back: most of its solution"),
    "raw": (in_a_raw_cell, "cell-kind: is a raw cell"),
    "late": (begun_a_line_too_late, "solution-regions: code that students get"),
    "below": (an_old_version_below, "solution-regions: 1 solution regions for 2 functions"),
    "value": (a_value_below, "solution-regions: code that students get"),
    "no marker": (without("double", "SOLUTION"), "solution-regions: 0 solution regions"),
    "none hidden": (without("test_double_value", "HIDDEN TESTS"), "exercise-visible-hidden: no hidden test"),
    "hidden test": (hidden_test_as_an_example, "kept-back: most of its hidden test"),
    "rubric": (rubric_below, "hidden-rubric"),
    "rubric in text": (rubric_in_the_text, "a solution of 09_doubling, cell written_why"),
    "metadata": (a_name_in_metadata, "clean-metadata: cell metadata note"),
}


@pytest.mark.parametrize("name", LEAKING)
@pytest.mark.parametrize("make", [publish, publish_site])
def test_what_a_source_gives_away_itself_is_a_leak(longer, tmp_path, name, make):
    act, named = LEAKING[name]
    change(longer.source(NB), act)
    nb = read_notebook(longer.source(NB))
    for markers in (solutions(), hidden_tests()):
        for cell in nb.cells:
            cell.source = markers.without(cell.source, "raise NotImplementedError")
    nbformat.write(nb, longer.released(NB))
    refused = make(longer, tmp_path / "out").refused
    assert any(named in str(leak) for leak in refused), refused
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "act",
    [
        into("title", "Look at `x` again: the result is `total`, and given_two * x is what to begin with."),
        into("title", "The total is what is left if the rest is taken away."),
        into("demonstration", "total = given_two * 4"),
        into("test_double_value", 'assert double(3) == 6, "it is not doubled for negative numbers"'),
    ],
)
def test_what_a_source_has_in_common_with_a_solution_is_none(longer, tmp_path, act):
    change(longer.source(NB), act)
    change(longer.released(NB), act)
    assert publish(longer, tmp_path / "out").refused == []


@pytest.mark.parametrize("said", [SOLUTION.split("\n")[1], f"两倍：`{SOLUTION.split(chr(10))[1].strip()}`。"])
def test_an_answer_in_a_translation_is_a_leak(longer, monkeypatch, said):
    monkeypatch.setattr("grader.languages.building.languages", lambda _: ["zh_CN"])
    monkeypatch.setattr("grader.languages.building.translations", lambda *_: {"9. Doubling": said})
    nb, _ = translated_release(longer, NB, "zh_CN")
    assert said.strip() in nb.cells[0].source
    assert leaks("zh", nbformat.writes(nb).encode(), secrets_of(longer))


@pytest.mark.slow
def test_the_course_itself_is_in_order(request):
    from grader.core.course import Course

    assert unguarded(Course(request.config.rootpath)) == []
