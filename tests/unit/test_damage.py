"""Every kind of damage, from a folder on disk to the transplanted notebook: no answer gets lost."""

import ast
import copy
from functools import lru_cache
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from test_reading import marked, tiny_source

from grader.core.cells import LOCKED_KINDS, CellKind, exercises, grade_id, kind_of
from grader.core.findings import Level
from grader.core.names import defined_functions
from grader.core.notebook import read_notebook
from grader.submissions.intake import find_submission, read_bytes
from grader.submissions.reading import read_submission
from grader.submissions.transplant import STUDENT_TAG, pristine, transplant
from grader.testing.damage import DAMAGES, UNREPAIRABLE, hand_in
from grader.testing.samples import fill_answers

ROOT = Path(__file__).resolve().parents[2]
#: Kinds that no step has to repair.
SILENT = {
    "windows-line-ends",
    "saved-answer-of-the-server",
    "notebook-as-text",
    "notebook-in-a-cell",
    "no-format-given",
    "modules-beside-it",
    "saved-by-colab",
    "marks-of-old-schemas",
    "quiet-magics",
    "demonstrations-edited",
    "cells-added",
}


def tiny_course():
    source = tiny_source()
    source.cells[4:4] = [
        new_code_cell("print(double(1))\nprint(double(2))", id="check", metadata={"tags": ["self-check"]})
    ]
    source.cells[2:2] = [new_code_cell("shown = 1\nprint(shown)", id="shown", metadata={"tags": ["demonstration"]})]
    more = copy.deepcopy(source.cells[4:7])
    for cell in more:
        cell.source = cell.source.replace("double", "triple").replace("2 *", "3 *").replace("== 4", "== 6")
        cell.id = f"{cell.id}-triple"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = cell.id = cell.metadata.nbgrader.grade_id.replace("double", "triple")
    why = "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"
    marks = marked("written_why", grade=True, points=2, solution=True, locked=False)
    words = [new_markdown_cell("Why?", id="why"), new_markdown_cell(why, id="written_why", metadata=marks)]
    source.cells += [new_markdown_cell("### Exercise 9.2 - triple (2 points)", id="second"), *more, *words]
    release = pristine(source)
    for cell in release.cells:
        cell.source = cell.source.split("\n### BEGIN HIDDEN TESTS")[0]
    return source, release


@lru_cache
def assignment(name):
    if name == "tiny":
        source, release = tiny_course()
    else:
        source, release = (read_notebook(ROOT / kind / name / f"{name}.ipynb") for kind in ("solutions", "notebooks"))
    return source, fill_answers(release, {e.name: e.answer for e in exercises(source)})


NAMES = ["tiny", "01_seq2seq_bottleneck", "05_positional_encoding"]


def bodies(cell):
    """Give the functions that a cell defines last, without their texts and without what the damage put in."""
    found = {}
    try:
        tree = ast.parse(cell.source)
    except (SyntaxError, ValueError):
        return found
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body = [n for n in node.body if not isinstance(n, ast.Expr)]
            found[node.name] = ast.dump(node)
    return found


def wrong_answers(source, nb):
    """Name the exercises whose tests would meet other functions than the submitted ones, and what else is not right."""
    wanted = {e.name: bodies(nbformat.v4.new_code_cell(e.answer)) for e in exercises(source)}
    assert all(wanted.values()), "an answer without functions would be right whatever is handed in"
    tests = {t[0]: e.name for e in exercises(source) for t in e.tests}
    current, wrong, seen = {}, set(), set()
    for cell in nb.cells:
        if kind_of(cell) is CellKind.TEST:
            name = tests.get(grade_id(cell))
            seen.add(grade_id(cell))
            if name and any(current.get(f) != body for f, body in wanted[name].items()):
                wrong.add(name)
        elif cell.cell_type == "code":
            current |= bodies(cell)
    locked = (CellKind.TEST, *LOCKED_KINDS)
    sources = {grade_id(c): c.source for c in nb.cells if kind_of(c) in locked}
    wrong |= {tests[t] for t in tests if t not in seen}
    wrong |= {grade_id(c) for c in source.cells if kind_of(c) in locked and sources.get(grade_id(c)) != c.source}
    written = {grade_id(c): c.source for c in nb.cells if kind_of(c) is CellKind.WRITTEN}
    return wrong | {
        grade_id(c)
        for c in source.cells
        if kind_of(c) is CellKind.WRITTEN and "fixed size" not in written.get(grade_id(c), "")
    }


def through_the_pipeline(source, damaged, folder, name):
    hand_in(damaged, folder, name)
    found = find_submission(folder, name, source)
    assert found.path is not None
    nb, findings = read_submission(read_bytes(found.path), found.path.name)
    result = transplant(source, nb)
    return result, [*found.findings, *findings, *result.findings]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_costs_no_answer(kind, name, tmp_path):
    source, solved = assignment(name)
    before = copy.deepcopy(solved)
    folder = tmp_path / "ada" / name
    folder.mkdir(parents=True)
    result, findings = through_the_pipeline(source, DAMAGES[kind](solved), folder, name)
    assert solved == before, "the damage changed its input"
    allowed = UNREPAIRABLE[kind](solved) if kind in UNREPAIRABLE else set()
    assert wrong_answers(source, result.notebook) <= allowed
    assert {n for n, how in result.answered.items() if how in ("missing", "untouched")} <= allowed
    for cell in result.notebook.cells:  # the answer cell itself holds the answer
        if kind_of(cell) is CellKind.ANSWER and grade_id(cell) not in allowed:
            answer = next(e for e in exercises(source) if e.name == grade_id(cell))
            assert set(answer.functions) <= set(defined_functions(cell.source))
    lost = [f for f in findings if f.level is not Level.REPAIRED]
    if kind in UNREPAIRABLE:
        assert kind in ("cut-off", "broken-within-a-cell") or lost
    else:
        assert bool(findings) == (kind not in SILENT), [f.text for f in findings]
        assert not lost or kind == "cells-of-wrong-kinds", [f.text for f in lost]
    for finding in findings:
        assert finding.text.endswith(".")
        assert str(tmp_path) not in finding.text
    released = [c for c in result.notebook.cells if STUDENT_TAG not in c.metadata.get("tags", [])]
    ids = [c.id for c in pristine(source).cells]
    assert [c.id for c in released] == [i for i in ids if i in {c.id for c in released}], "the release's order"
    kept = {i for i in ids if i not in {c.id for c in released}}
    assert all(kind_of(c) in (CellKind.DEMONSTRATION, CellKind.SELF_CHECK) for c in source.cells if c.id in kept)
    assert len({c.id for c in result.notebook.cells}) == len(result.notebook.cells)
    nbformat.validate(result.notebook)


def without_transplant(source, damaged):
    """Name what is wrong with a damaged file as stock nbgrader takes it: locked cells put back by their marks alone."""
    if not isinstance(damaged, NotebookNode):
        data = damaged.get("{assignment}.ipynb", b"") if isinstance(damaged, dict) else damaged
        try:
            damaged = nbformat.reads(data.decode(), as_version=4)
        except Exception:
            return {"not read"}
    locked = {grade_id(c): c.source for c in source.cells if kind_of(c) in (CellKind.TEST, *LOCKED_KINDS)}
    nb = copy.deepcopy(damaged)
    for cell in nb.cells:
        if not isinstance(cell.metadata.get("nbgrader", {}), dict):
            return {"nbgrader stops"}
        cell.source = locked.get(grade_id(cell), cell.source)
        if cell.cell_type == "code" and kind_of(cell) not in (CellKind.TEST, *LOCKED_KINDS):
            cell.source = TransformerManager().transform_cell(cell.source)  # magics run there
    return wrong_answers(source, nb)


def test_without_transplant_most_damage_costs_answers():
    """The same question to the damaged file itself: the assertion can fail, and it does."""
    for name in NAMES:
        source, solved = assignment(name)
        assert without_transplant(source, solved) == set()
        harmed = {kind for kind, damage in DAMAGES.items() if without_transplant(source, damage(solved))}
        assert harmed >= set(UNREPAIRABLE) - {"leftover-raise"}
        assert len(harmed) > 0.6 * len(DAMAGES), sorted(set(DAMAGES) - harmed)


def test_an_undamaged_submission_is_right_either_way():
    for name in NAMES:
        source, solved = assignment(name)
        result = transplant(source, solved)
        assert wrong_answers(source, result.notebook) == set()
        assert result.findings == []
        assert len(result.notebook.cells) == len(source.cells)


def test_each_kind_is_described_and_pure():
    assert len(DAMAGES) >= 45
    assert set(UNREPAIRABLE) <= set(DAMAGES)
    _, solved = assignment("tiny")
    for damage in DAMAGES.values():
        assert damage.__doc__.endswith(".")
        assert damage(solved) == damage(solved)
