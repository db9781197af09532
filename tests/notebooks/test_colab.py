"""On Colab: both notebooks of an assignment run with its library set, and what it saves keeps its marks.

Trainings take a step here, the first one compiled as students have it: nothing that is asked depends on how good a
model is.
"""

import re
import subprocess

import pytest
from as_students_run import after_setup, briefly, errors, printed, run
from both_ways import notebooks_of, with_outputs
from colab_environment import REQUIREMENTS, colab_python
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from offline import need_network_namespaces

from grader.classrun.run import grade_class
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import write_notebook
from grader.testing.samples import as_saved_by_colab, fill_answers

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
    """The interpreter of the environment that imitates Colab."""
    need_network_namespaces()
    found = colab_python(course.build)
    if found is None:
        pytest.skip("no Python 3.13 on this machine, which Colab has")
    return found


def check_release(nb):
    """The untouched release fails in its test cells only, because nothing is written."""
    failed = errors(nb)
    tests = [c.id for c in nb.cells if kind_of(c) is CellKind.TEST]
    assert {n: e for n, e in failed.items() if n not in tests} == {}
    assert set(failed.values()) == {("NotImplementedError", "not written yet")}
    checks = [c for c in nb.cells if kind_of(c) is CellKind.SELF_CHECK]
    assert [c.id for c in checks if "not written yet" not in printed(c)] == []
    assert re.search(r"\n0 of \d+ exercises are written, and 0 of \d+ pass", printed(nb.cells[-1]))


def check_solution(nb):
    """Everything runs, every self-check holds, and the last cell says how to hand in on Colab."""
    assert errors(nb) == {}
    checks = [c for c in nb.cells if kind_of(c) is CellKind.SELF_CHECK]
    assert [c.id for c in checks if re.search(r"^--  ", printed(c), re.M)] == []
    last = printed(nb.cells[-1])
    total = len(exercises(nb))
    assert f"{total} of {total} exercises are written, and {total} of {total} pass" in last
    assert "File > Download > Download .ipynb" in last


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
def test_both_notebooks_run_with_colabs_libraries_and_keep_their_marks(python, course, assignment, tmp_path):
    source, released, merged = notebooks_of(course, assignment)
    merged.cells.append(new_code_cell(MOVE, id="move"))
    merged.cells.insert(after_setup(merged), new_code_cell(briefly(graphs=1), id="briefly"))
    outcome, executed = run(python, merged, tmp_path, "colab")
    memory_mib, cpu_s = outcome["cells"]["probe"]["text"].split("\n")[1:3]
    print(f"{assignment}: {cpu_s} s of processor time, {memory_mib} MiB")
    assert outcome["files"] == ["merged.ipynb"]
    assert outcome["cells"]["briefly"]["error"] is None

    check_widgets(outcome)
    untouched = with_outputs(released, executed, "released")
    check_release(untouched)
    check_solution(with_outputs(source, executed, "answered"))

    answered = fill_answers(released, {e.name: e.answer for e in exercises(source)})
    submissions = {
        "untouched": released,
        "untouched-colab": as_saved_by_colab(untouched),
        "answered": answered,
        "answered-colab": as_saved_by_colab(with_outputs(answered, executed, "answered")),
    }
    got = marks(course, assignment, submissions, tmp_path)
    tests = {name for e in exercises(source) for name, _, _ in e.tests}
    assert got["untouched-colab"] == got["untouched"]
    assert {got["untouched"][name][0] for name in tests} == {0}
    assert got["answered-colab"] == got["answered"]
    assert [name for name in tests if got["answered"][name][0] != got["answered"][name][1]] == []


@pytest.mark.slow
def test_the_environment_is_that_of_colab(python):
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
