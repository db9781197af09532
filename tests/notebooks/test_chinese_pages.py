"""The feedback page of a notebook in Chinese has no English sentence of the grader's, however the file was damaged."""

import copy
import dataclasses
import re
from functools import lru_cache

import nbformat
import pytest
from bs4 import BeautifulSoup
from traitlets.config import Config

from grader.classrun.run import end
from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.engine.result import Origin, Result, render
from grader.engine.settings import Budget, Settings
from grader.engine.submission import Handed, Kit, mark_handed, planted
from grader.feedback.page import FeedbackExporter, findings_for_student
from grader.feedback.steps import CleanOutputs, HideTests
from grader.languages.building import language_of, translated
from grader.testing.damage import DAMAGES, hand_in
from grader.testing.samples import fill_answers

COURSE = Course.find()
NAME = "05_positional_encoding"
#: What the page says of the course's and of marking's; a student's code and text, and code of tests, are elsewhere.
SAYS = "h1, h2, p, #marks div, #marks th, #noticed li, summary, .test header, .cause, .comment, pre.error"
#: An error of a cell that marking ended; others are a student's.
MARKINGS = re.compile(r"TimeoutError|SystemExit")
#: Three words in a row, apart from names in code.
ENGLISH = re.compile(r"(?<![\w.])[A-Za-z][a-z']*(?:,? [a-z']+){2,}")


@lru_cache(1)
def solved():
    """Return the solved notebook in English and in Chinese, and what marks it."""
    source = read_notebook(COURSE.source(NAME))
    english = fill_answers(read_notebook(COURSE.released(NAME)), {e.name: e.answer for e in exercises(source)})
    chinese, _ = translated(COURSE, NAME, "zh_CN", english)
    return english, chinese, Kit.read(COURSE.source(NAME))


def page_of(nb, language):
    """Write the page of a marked notebook; each of its points is got, unless its test has an error."""
    assert language_of(nb) == language
    for cell in nb.cells:
        own = cell.metadata.get("nbgrader", {})
        if own.get("grade"):
            own["score"] = 0 if any(o.output_type == "error" for o in cell.get("outputs", [])) else own.points
        if own.get("solution"):
            own["comment"] = "No response."
    exporter = FeedbackExporter(config=Config({"CourseDirectory": {"root": str(COURSE.root)}}))
    exporter.bounded = True
    for step in (HideTests, CleanOutputs):
        exporter.register_preprocessor(step, enabled=True)
    names = {"student": "ada", "assignment": NAME, "notebook": NAME, "score": 1, "max_score": 2, "late_penalty": 1}
    text, _ = exporter.from_notebook_node(nb, {"nbgrader": names})
    return BeautifulSoup(text, "html.parser")


def said(page):
    """Return the sentences of a page without code and without what stands in quotation marks."""
    for code in page.select("code, pre.output:not(.error)"):
        code.string = "x"
    elements = [element for element in page.select(SAYS) if element.find_parent(class_="text") is None]
    found = [e.get_text(" ") for e in elements if e.name != "pre" or MARKINGS.match(e.get_text())]
    return [re.sub("\u201c[^\u201d]*(\u201d|$)", "", text) for text in found]


def left_in_english(page):
    """Return the texts in which English words are left, each with the first of them."""
    return [(found[0], " ".join(text.split())) for text in said(page) if (found := ENGLISH.search(text))]


def read(kit, nb, kind, folder):
    """Damage a notebook and read it as marking does, without running it."""
    hand_in(DAMAGES[kind](copy.deepcopy(nb)), folder, NAME)
    handed = Handed.take(folder, kit)
    made = planted(kit, handed)
    render(made.notebook, Result().of(Origin(handed.digest, kit.tests, tuple(made.findings))))
    return made.notebook


@pytest.mark.parametrize("kind", DAMAGES)
def test_what_is_noticed_of_a_damaged_file_is_said_in_its_language(kind, tmp_path):
    _, chinese, kit = solved()
    found = read(kit, chinese, kind, tmp_path / NAME)
    noticed = findings_for_student(found)
    page = page_of(found, language_of(found))
    texts = [li.get_text() for li in page.select("#noticed li")]
    assert len(texts) == len(noticed)
    if language_of(found) == "zh_CN":
        assert left_in_english(page) == []
        assert set(texts) & {finding.text for finding in noticed} == set()


@pytest.mark.parametrize("kind", ["cut-off", "marks-lost", "installing"])
def test_a_page_in_english_says_what_was_noticed_as_it_is_recorded(kind, tmp_path):
    english, _, kit = solved()
    found = read(kit, english, kind, tmp_path / NAME)
    texts = [li.get_text() for li in page_of(found, "en").select("#noticed li")]
    assert texts
    assert texts == [finding.text for finding in findings_for_student(found)]


QUOTED = "\u201cValueError: the rest was left out, and bob copied it\u201d"
#: What answers do that the page says something of, by the function, and what it says in English.
ENDS = {
    "binary_encoding": "def binary_encoding(positions, bits):\n    while True:\n        pass",
    "sinusoidal_encoding": f"{{right}}\n\n\nraise ValueError('{QUOTED[13:-1]}')\n\n\ndef helper():\n    pass",
    "shift_matrix": "def shift_matrix(k, d_model, base=10000.0):\n    import time\n\n    time.sleep(100)",
    "relative_bias": "{right}\n\n\nwhile True:\n    pass",
}
WRONG = {
    "relative_bias": "{right}\n\n\n_biased = relative_bias\n\n\ndef relative_bias(length, table):\n"
    "    found = _biased(length, table)\n    return found + 1.5 if len(table) == 1 else found",
    "binary_encoding": "def binary_encoding(positions, bits):\n"
    "    if np.max(positions) >= 2**bits:\n        raise ValueError('too large')\n"
    "    return positions[:, None] >> np.arange(bits)[::-1] & 1",
    "rotary": "{right}\n\n\n_turned = rotary\n\n\ndef rotary(*args, **kwargs):\n"
    "    return -3 * _turned(*args, **kwargs) + 1",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "tells"),
    [
        (ENDS, ["endless loop", "waited for something", "the definitions behind", "no mark needs"]),
        (WRONG, ["calls that were tried", "What does a rotation by", "an array of shape"]),
    ],
    ids=["ends", "wrong"],
)
def test_what_ended_or_went_wrong_is_said_in_its_language(answers, tells):
    english, chinese, kit = solved()
    budget = Budget.of(call_s=1, cell_s=2, notebook_s=60, demonstrations_s=2, waiting_s=1, times=0)
    clock = dict.fromkeys(("call_wall_s", "cell_wall_s", "test_wall_s"), 200.0)  # a busy machine takes nothing away
    budget = dataclasses.replace(budget, **clock, notebook_wall_s=2_000.0, notebook_waiting_s=20.0)
    pages = {}
    try:
        for language, nb in copy.deepcopy({"en": english, "zh_CN": chinese}).items():
            for cell in nb.cells:
                if grade_id(cell) in answers:
                    cell.source = answers[grade_id(cell)].replace("{right}", cell.source)
            settings = dataclasses.replace(Settings(), budget=budget)
            done = mark_handed(kit, Handed(f"{NAME}.ipynb", nbformat.writes(nb).encode()), settings)
            pages[language] = page_of(nbformat.reads(done.notebook, as_version=4), language)
    finally:
        end()
    words = " ".join(said(pages["en"]))
    assert [told for told in tells if told not in words] == [], words
    assert left_in_english(pages["zh_CN"]) == []
    noticed = [page.get_text() for page in pages.values()]
    assert [QUOTED in text for text in noticed] == ["sinusoidal_encoding" in answers] * 2
