"""The grader graded: every known answer to every exercise, beside the tests and across the boundary.

One test per exercise runs what is known about it once each way:

- the audit, in one process with the test cells: reference, untouched cell, the catalogue's answers and all automatic
  changes; wrong answers lose points, right ones keep them, self-checks say what they should, no change goes unnoticed;
- the test cells in another order, for reference and untouched cell: the audit lets a changed answer meet the likeliest
  cell first, which changes no verdict;
- marking, on two sides of the sandbox as for students: the same answers get the same verdict from each test cell;
- for one exercise of each notebook, feedback names the right cause of its wrong answers and none for its right ones.
"""

import operator

import pytest

from grader.audit.audit import audit, strays
from grader.audit.mutations import stub_of
from grader.audit.runner import Task
from grader.core.cells import exercises, grade_id
from grader.core.notebook import read_notebook
from grader.engine.recognising import Recogniser
from grader.submissions.transplant import pristine

#: Of each notebook the exercise whose mistakes must be recognised, a kind of each: loops, masks, shapes, a function
#: that is passed to the answer and one that is asked for, errors.
RECOGNISED = {
    "01_seq2seq_bottleneck": "greedy_decode",
    "02_additive_attention": "masked_softmax",
    "03_dot_product_attention": "window_mask",
    "04_multi_head_attention": "is_permutation_equivariant",
    "05_positional_encoding": "binary_encoding",
    "06_transformer": "feed_forward",
    "07_training_and_decoding": "smooth_labels",
    "08_language_models": "gpt2_parameter_count",
    "09_attention_for_images": "pointing_accuracy",
}
#: Of these exercises' wrong answers every one was recognised when this was written. A change of a test can make two of
#: them give the same everywhere (both are named then, which counts), or a third (none is): one such may come.
MOST_MISSED = 1
#: Automatic changes of such an exercise for which no other cause than theirs may be named.
CHANGES = 2


def check_any_test_cell_may_run_first(runner, exercise, audited):
    """A test cell has the same verdict wherever it runs; the audit itself has run them in their order."""
    told = operator.attrgetter("name", "outcome", "error", "line")
    names = [name for name, _, _ in exercise.tests]
    for text, in_order in ((exercise.answer, audited.reference), (stub_of(exercise.answer), audited.stub)):
        results = runner.run([Task(exercise, text, first=name) for name in names[1:]])
        for name, result in zip(names[1:], results, strict=True):
            assert list(map(told, result.cells)) == list(map(told, in_order.cells)), name


@pytest.mark.slow
def test_answers_to(course, assignment, exercise, warm):
    processes = warm(assignment)
    source = processes.source
    found = audit(course, assignment, exercise=exercise, runner=processes.runner)
    assert not found.all_findings, "\n".join(map(str, found.all_findings))
    [audited] = found.exercises
    assert audited.killed

    one = audited.exercise
    check_any_test_cell_may_run_first(processes.runner, one, audited)
    untouched = next(c.source for c in pristine(source).cells if grade_id(c) == exercise)
    beside = [("reference", one.answer, audited.reference), ("untouched", untouched, audited.stub)]
    beside += [(f"{v.variant.kind}:{v.variant.name}", v.variant.source, v.result) for v in audited.variants]
    measure = processes.measure
    recogniser = None if exercise == RECOGNISED[assignment] else Recogniser(None, processes.runner.template)
    differing, compared, marked = [], 0, {}
    for name, text, expected in beside:
        marked[name] = measure.mark(one, text, recogniser)
        for cell in expected.cells:
            compared += 1
            across = marked[name].verdicts[cell.name]
            if (across.outcome == "passed") != cell.passed and cell.outcome != "stderr":
                differing.append(f"{name}: {cell} / {across.outcome} {across.error}: {across.message}")
    print(f"{exercise}: {found.answers} answers beside the tests, {len(beside)} across, {compared} verdicts")
    assert compared == len(beside) * len(one.tests)
    assert not differing, "\n".join(differing)

    if exercise == RECOGNISED[assignment]:
        for v in audited.variants:
            measure.count(one, v.variant, marked[f"{v.variant.kind}:{v.variant.name}"])
        measure.count_changes(one, CHANGES)
        figures = measure.figures
        print(figures)
        assert figures.wrong.total() >= 6
        assert figures.right >= 3
        assert figures.wrong["another"] == 0, figures.missed
        assert figures.wrong["none"] <= MOST_MISSED, figures.missed
        assert not figures.blamed
        assert figures.changed["another"] == 0, figures.misled


def test_every_catalogue_belongs_to_an_exercise(course, assignment):
    known = exercises(read_notebook(course.source(assignment)))
    assert RECOGNISED[assignment] in [e.name for e in known]
    assert strays(course, assignment, known) == []
