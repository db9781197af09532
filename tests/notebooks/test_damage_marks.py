"""Right answers in damaged files keep their marks; what nobody could see to be right is lost alone, and named.

Most kinds of damage are mended so well that the same notebook comes out. Each notebook is marked once.
"""

import json

import pytest

from grader.core.cells import exercises
from grader.core.findings import Level
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.engine import submission
from grader.engine.prelude import import_lines
from grader.engine.running import mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan
from grader.sandbox.warm import Template
from grader.testing.damage import DAMAGES, UNREPAIRABLE, hand_in
from grader.testing.samples import fill_answers

NOTEBOOKS = ("01_seq2seq_bottleneck", "05_positional_encoding")


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_damage_costs_nothing_that_a_person_would_see_to_be_right(course, name, tmp_path):
    assignment = name
    source = read_notebook(course.source(assignment))
    known = exercises(source)
    solved = fill_answers(read_notebook(course.released(assignment)), {e.name: e.answer for e in known})
    assert len(DAMAGES) >= 30
    wrong, unnamed, results, kit = [], [], {}, submission.Kit.read(course.source(assignment))
    with Template(import_lines(source)) as template:
        for kind, damage in DAMAGES.items():
            folder = tmp_path / kind
            folder.mkdir()
            hand_in(damage(solved), folder, assignment)
            made = submission.planted(kit, submission.Handed.take(folder, kit))
            nb, findings = made.notebook, made.findings
            whole = json.dumps(nb, sort_keys=True)
            if whole not in results:
                results[whole] = mark_notebook(nb, Plan.of(nb, source), template, Budget(call_cpu_s=5, cell_cpu_s=20))
            marked = results[whole]
            costs = UNREPAIRABLE[kind](solved) if kind in UNREPAIRABLE else set()
            failed = {test for test, verdict in marked.verdicts.items() if verdict.outcome != "passed"}
            expected = {test for e in known if e.name in costs for test, _, _ in e.tests}
            if failed != expected:
                said = {t: marked.verdicts[t].message for t in failed - expected}
                wrong.append(f"{kind}: lost {sorted(failed - expected)} {said}, kept {sorted(expected - failed)}")
            if costs and not any(f.level is Level.LOST for f in [*findings, *marked.findings]):
                unnamed.append(kind)
    # Mended means that no trace of the damage is left.
    assert len(results) < len(DAMAGES) / 2
    assert not wrong, "\n".join(wrong)
    assert not unnamed, unnamed


def test_the_test_cells_that_are_handed_out_hide_something(course):
    """Else this test would say nothing about hidden tests."""
    for assignment in NOTEBOOKS:
        for exercise in exercises(read_notebook(course.source(assignment))):
            assert any(hidden_tests().without(source) != source for _, _, source in exercise.tests)
