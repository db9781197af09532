"""On Colab, in another language: both notebooks of an assignment run with its library set, and keep their marks.

The English notebooks run with this environment's libraries (`test_alone.py`), and a translation changes no code
(`grader check`). What it can break is code that looks something up by a word that is shown, and a letter that no font
has; what Colab can break are libraries. So one run asks for both, for each language that the course is translated into.

Trainings take a step here, the first one compiled as students have it: nothing that is asked depends on how good a
model is.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from as_students_run import after_setup, briefly, errors, printed, run
from both_ways import notebooks_of, with_outputs
from colab_environment import REQUIREMENTS, colab_python
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from nbgrader.utils import is_grade
from offline import need_network_namespaces

from grader.classrun.run import grade_class
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.languages.catalogues import languages, translations
from grader.testing.samples import as_saved_by_colab, fill_answers

#: Hears of letters that no font has. Warnings count too where a cell has asked not to see them, as test cells do.
LISTEN = """
def _listen():
    import warnings

    warn, heard = warnings.warn, []

    def louder(message, *args, **options):
        if "missing from" in str(message):
            heard.append(str(message))
        return warn(message, *args, **options)

    warnings.warn = louder
    return heard


_without_letters = _listen()
"""
TELL = "print('\\n'.join(_without_letters))"
#: What the last cell says, with the names of its placeholders.
ON_COLAB = "File > Download > Download .ipynb"
SUMMARY = (
    "{len(answers) - unwritten} of {len(answers)} exercises are written, and "
    "{len(answers) - len(open_ones)} of {len(answers)} pass their self-check. "
)
#: Moves every slider and chooses from every list that `explore` made, as a student does; ipywidgets 7 keeps a register.
MOVE = """
import ipywidgets

for box in [w for w in ipywidgets.Widget.widgets.values() if isinstance(w, ipywidgets.VBox)]:
    *rows, picture, text = box.children
    seen = {(picture.value, text.value)}
    for control in [row.children[0] if isinstance(row, ipywidgets.HBox) else row for row in rows]:
        for value in [control.min, control.max] if hasattr(control, "max") else [i for _, i in control.options]:
            control.value = value
            seen.add((picture.value, text.value))
    print(len(rows), "controls", len(seen), "pictures")
"""


@pytest.fixture(scope="session")
def python(course):
    """The interpreter of the environment that imitates Colab; None without the Python that it has."""
    need_network_namespaces()
    return colab_python(course.build)


class Said:
    """What a notebook and its helpers say in a language.

    Args:
        course: The course.
        assignment: The assignment.
        language: The language.
        source: The English source notebook.
    """

    def __init__(self, course, assignment, language, source):
        helpers = {c.metadata.get("course", {}).get("include") for c in source.cells} - {None}
        names = ["frame", assignment, *(f"helpers/{Path(name).stem}" for name in sorted(helpers))]
        self.known = {text: said for name in names for text, said in translations(course, language, name).items()}

    def summary(self, written, passed, total):
        """Return a pattern for what the last cell says of the exercises."""
        [message] = [text for text in self.known if text.startswith(SUMMARY)]
        values = {
            "len(answers) - unwritten": written,
            "len(answers) - len(open_ones)": passed,
            "len(answers)": total,
        }
        words = re.split(r"\{([^}]*)\}", self.known[message])  # every second one is a placeholder
        return "".join(str(values.get(w, r"\d+")) if n % 2 else re.escape(w) for n, w in enumerate(words))

    def still_english(self, nb):
        """Return the lines that a notebook prints in English though they are translated."""
        lines = {line for cell in nb.cells if cell.cell_type == "code" for line in printed(cell).split("\n")}
        return lines & {text for text, said in self.known.items() if text != said and " " in text.strip()}


def check_release(nb, said):
    """The untouched release fails in its test cells only, because nothing is written."""
    failed = errors(nb)
    tests = [c.id for c in nb.cells if kind_of(c) is CellKind.TEST]
    assert {n: e for n, e in failed.items() if n not in tests} == {}
    unwritten = said.known["not written yet"]
    assert set(failed.values()) == {("NotImplementedError", unwritten)}
    checks = [c for c in nb.cells if kind_of(c) is CellKind.SELF_CHECK]
    assert [c.id for c in checks if unwritten not in printed(c)] == []
    assert re.search(said.summary(0, 0, len(exercises(nb))), printed(nb.cells[-1]))


def check_solution(nb, said):
    """Everything runs, every self-check holds, and the last cell says how to hand in."""
    assert errors(nb) == {}
    checks = [c for c in nb.cells if kind_of(c) is CellKind.SELF_CHECK]
    assert checks
    assert [c.id for c in checks if re.search(r"^--  ", printed(c), re.M)] == []
    total = len(exercises(nb))
    assert re.search(said.summary(total, total, total), printed(nb.cells[-1]))


def check_widgets(outcome):
    """Every control can be moved, and the picture follows."""
    moved = outcome["cells"]["move"]
    assert moved["error"] is None, moved["error"]
    pictures = [int(n) for n in re.findall(r"(\d+) pictures", moved["text"])]
    assert pictures
    assert min(pictures) > 1, moved["text"]


def marks(course, assignment, submissions, folder):
    """Hand in, mark and write feedback as an instructor does; give each student's points by test cell."""
    config = folders_config(course_config(course), folder)
    found = {}
    with open_nbgrader(config, folder / "nbgrader.log") as api:
        assert api.generate_assignment(assignment)["success"]
        for student, nb in submissions.items():
            write_notebook(nb, folder / "submitted" / student / assignment / f"{assignment}.ipynb")
        entries = grade_class(course, config, [assignment], log_to=folder / "nbgrader.log")
        assert {e.outcome for e in entries} == {"marked"}, entries
        for student in submissions:
            assert api.generate_feedback(assignment, student)["success"]
            with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
                grades = gradebook.find_submission_notebook(assignment, assignment, student).grades
                found[student] = {g.name: (g.auto_score or 0, g.max_score) for g in grades}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("language", languages(Course.find()))
def test_both_notebooks_run_translated_with_colabs_libraries_and_keep_their_marks(
    python, course, assignment, language, tmp_path
):
    english, released = read_notebook(course.source(assignment)), read_notebook(course.released(assignment))
    said = Said(course, assignment, language, english)
    source, shown, merged = notebooks_of(course, assignment, language)
    merged.cells += [new_code_cell(MOVE, id="move"), new_code_cell(TELL, id="tell")]
    for number, (name, code) in enumerate([("briefly", briefly(graphs=1)), ("listen", LISTEN)]):
        merged.cells.insert(after_setup(merged) + number, new_code_cell(code, id=name))
    place = ("colab",) if python else ()
    outcome, executed = run(python or sys.executable, merged, tmp_path, *place)
    memory_mib, cpu_s = outcome["cells"]["probe"]["text"].split("\n")[1:3]
    print(f"{assignment}: {cpu_s} s of processor time, {memory_mib} MiB")
    assert outcome["files"] == ["merged.ipynb"]
    assert outcome["cells"]["briefly"]["error"] is None

    check_widgets(outcome)
    untouched, solved = with_outputs(shown, executed, "released"), with_outputs(source, executed, "answered")
    check_release(untouched, said)
    check_solution(solved, said)
    assert outcome["cells"]["tell"]["text"].split() == []
    assert said.still_english(executed) == set()
    if not python:
        pytest.skip("all but Colab's libraries was tried: no Python 3.13 on this machine, which Colab has")
    assert said.known[ON_COLAB] in printed(solved.cells[-1])

    answers = {e.name: e.answer for e in exercises(english)}
    # The same answers in English, as they were released, get the same: the sample class has them (`test_readme.py`).
    submissions = {
        "untouched": as_saved_by_colab(untouched),
        "answered": as_saved_by_colab(with_outputs(fill_answers(shown, answers), executed, "answered")),
    }
    got = marks(course, assignment, submissions, tmp_path)
    points = {name: points for e in exercises(english) for name, points, _ in e.tests}
    most = {c.metadata["nbgrader"]["grade_id"]: c.metadata["nbgrader"]["points"] for c in released.cells if is_grade(c)}
    assert points.items() <= most.items()
    assert got["untouched"] == {name: (0, all_of_it) for name, all_of_it in most.items()}
    assert got["answered"] == {name: (points.get(name, 0), all_of_it) for name, all_of_it in most.items()}


@pytest.mark.slow
def test_the_environment_is_that_of_colab(python):
    if not python:
        pytest.skip("no Python 3.13 on this machine, which Colab has")
    listed = subprocess.run(
        [python, "-c", "import importlib.metadata as m\nfor d in m.distributions(): print(d.name.lower(), d.version)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    have = {name.replace("_", "-"): version for name, version in (line.split() for line in listed.stdout.splitlines())}
    published = re.findall(r"^([\w-]+)==([\w.]+)", REQUIREMENTS.with_suffix(".in").read_text(), re.M)
    published = {name.replace("_", "-"): version for name, version in published}
    assert {"ipywidgets", "numpy", "keras", "ipython", "ipykernel"} <= set(published)
    different = {n: (v, have.get(n)) for n, v in published.items() if have.get(n) != v}
    assert {n for n in different if not n.startswith("tensorflow")} == set()
    assert "nbgrader" not in have
