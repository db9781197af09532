"""A notebook in another language is marked as the English one is, damaged in every way too.

Every message is "translated" here, whatever the catalogues hold, so that nothing of the English text is left to be
recognised. What is marked are the answers in the English release: with the same answers, the made notebooks have to be
the same.
"""

import copy
from functools import lru_cache

import nbformat
import pytest

from grader.classrun.run import end
from grader.core.cells import LOCKED_KINDS, CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.engine.settings import Settings
from grader.engine.submission import Handed, Kit, mark_handed
from grader.languages import building
from grader.languages.building import in_all_languages, language_of, translated
from grader.languages.messages import messages_of
from grader.submissions.intake import find_submission, read_bytes
from grader.submissions.reading import read_submission
from grader.submissions.transplant import How, pristine, transplant
from grader.testing.damage import DAMAGES, UNREPAIRABLE, hand_in
from grader.testing.samples import fill_answers

COURSE = Course.find()
QUICK = "05_positional_encoding"
NAMES = [pytest.param(n, marks=[] if n == QUICK else [pytest.mark.slow]) for n in COURSE.assignments()]
#: Damage that no Chinese character outlives. Answers do, but what is locked looks changed, and the language is lost.
WITHOUT_CHINESE = {"windows-1252"}
#: What a record says of the marks and their reasons; lines are counted in the answer, whose docstring may be shorter.
SAME = ("points", "max_points", "causes", "unrecognised")
#: What is marked, besides answers.
MARKED = (CellKind.ANSWER, CellKind.WRITTEN)
FIXED = (CellKind.TEST, *LOCKED_KINDS)


@lru_cache
def pseudo(name):
    """Make a "translation" of every message, as far from the English as can be: its letters move on by one."""
    return {
        m.text: f"译文{number}：{m.text if m.formatted else ''}" for number, m in enumerate(messages_of(COURSE, name))
    }


@pytest.fixture(autouse=True, scope="module")
def every_message_translated():
    patch = pytest.MonkeyPatch()
    patch.setattr(building, "translations", lambda course, language, name: pseudo(name))
    patch.setattr(building, "languages", lambda course: ["zh_CN"])
    yield
    patch.undo()


@lru_cache(2)
def handed_in(name):
    """Return source, pristine release, its translation, and the solved notebook in both languages."""
    source, released = read_notebook(COURSE.source(name)), read_notebook(COURSE.released(name))
    release = pristine(source)
    shown = in_all_languages(COURSE, name, release)
    english = fill_answers(released, {e.name: e.answer for e in exercises(source)})
    other, _ = translated(COURSE, name, "zh_CN", english)
    return source, release, shown, english, other


def through_the_pipeline(name, damaged, folder):
    source, release, shown, _, _ = handed_in(name)
    hand_in(damaged, folder, name)
    found = find_submission(folder, name, source)
    nb, _ = read_submission(read_bytes(found.path), found.path.name)
    return transplant(source, nb, release=release, shown=shown)


def body(source):
    """Return code without what a translation may change."""
    try:
        return building.blank(source)
    except SyntaxError:
        return source


def what_is_marked(nb):
    """Return what decides a mark: locked cells to the letter, answers as code, words as words."""
    found = {}
    for cell in nb.cells:
        kind = kind_of(cell)
        if kind in FIXED:
            found[grade_id(cell)] = cell.source
        elif kind is CellKind.ANSWER:
            found[grade_id(cell)] = body(cell.source)
        elif kind is CellKind.WRITTEN:
            found[grade_id(cell)] = cell.source
    return found


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("name", NAMES)  # all kinds of one notebook in a row, which share what is read once
def test_damage_is_mended_alike_in_both_languages(kind, name, tmp_path):
    *_, english, other = handed_in(name)
    results = [
        through_the_pipeline(name, DAMAGES[kind](copy.deepcopy(nb)), tmp_path / str(n) / name)
        for n, nb in enumerate((english, other))
    ]
    assert results[0].answered == results[1].answered
    assert what_is_marked(results[0].notebook) == what_is_marked(results[1].notebook)
    if kind in WITHOUT_CHINESE:
        return
    kinds = [sorted(f.kind for f in result.findings) for result in results]
    assert kinds[0] == kinds[1]
    if kind not in UNREPAIRABLE:
        assert [language_of(result.notebook) for result in results] == ["en", "zh_CN"]


@pytest.mark.parametrize(
    "saved",
    [
        pytest.param(lambda text: text.encode("gb18030"), id="the code page of Chinese Windows"),
        pytest.param(lambda text: text.encode()[:-100], id="cut off"),
        pytest.param(lambda text: text.encode().replace("译".encode(), b"\xe8\xaf", 1), id="half a character"),
        pytest.param(lambda text: text.encode("utf-16"), id="two bytes a character"),
    ],
)
def test_a_chinese_file_in_any_encoding_is_read(saved, tmp_path):
    source, _, shown, _, other = handed_in(QUICK)
    other = copy.deepcopy(other)
    words = next(c for c in other.cells if kind_of(c) is CellKind.WRITTEN)
    words.source = "同事只说对了一半，因为公式对任何位置都成立，网络却没有见过那些角度。"
    nb, _ = read_submission(saved(nbformat.writes(other)), f"{QUICK}.ipynb")
    made = transplant(source, nb, shown=shown)
    wanted = what_is_marked(other)
    found = what_is_marked(made.notebook)
    assert {
        name for name in found if kind_of_id(made.notebook, name) in MARKED and found[name] != wanted[name]
    } == set()
    assert language_of(made.notebook) == "zh_CN"


def kind_of_id(nb, name):
    return next(kind_of(c) for c in nb.cells if grade_id(c) == name)


@pytest.mark.parametrize("name", NAMES)
def test_marks_are_the_same_in_both_languages(name):
    source, *_, english, other = handed_in(name)
    kit = Kit.read(COURSE.source(name))
    graded = []
    try:
        for nb in copy.deepcopy((english, other)):
            spoil(nb, exercises(source), kit.release)
            graded.append(mark_handed(kit, Handed(f"{name}.ipynb", nbformat.writes(nb).encode()), Settings()))
    finally:
        end()
    marks = [{key: g.record[key] for key in SAME} for g in graded]
    assert marks[0] == marks[1]
    assert 0 < marks[0]["points"] < marks[0]["max_points"]
    verdicts = [[(v["name"], v["outcome"], v["message"], v["points"]) for v in g.record["verdicts"]] for g in graded]
    assert verdicts[0] == verdicts[1]
    assert graded[0].by_hand == graded[1].by_hand
    assert language_of(nbformat.reads(graded[1].notebook, as_version=4)) == "zh_CN"


def spoil(nb, found, release):
    """Leave the first exercise out and make the results of the second one wrong."""
    function = found[1].functions[0]
    for cell in nb.cells:
        if grade_id(cell) == found[0].name:
            cell.source = next(c.source for c in release.cells if grade_id(c) == found[0].name)
        elif grade_id(cell) == found[1].name:
            cell.source += f"\n\n\n_right = {function}\n\n\ndef {function}(*args, **kwargs):\n    return None"


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_release_is_untouched_in_both_languages(name):
    source, _, shown, *_ = handed_in(name)
    release = read_notebook(COURSE.released(name))
    other, _ = translated(COURSE, name, "zh_CN", release)
    assert other != release
    for nb in (release, other):
        result = transplant(source, nb, shown=shown)
        assert set(result.answered.values()) == {How.UNTOUCHED}
        assert result.findings == []
        assert [c.source for c in result.notebook.cells] == [c.source for c in pristine(source).cells]
