"""Honest answers that are slow keep their points on a machine that is three times slower.

Such a machine needs three times the CPU seconds for everything. So these answers are marked with a third of each limit:
the slowest right ones of the whole catalogue (Keras in every call, layers built anew for a number), which take up to
nine times as long as the reference.
"""

import dataclasses

import pytest

from grader.core.catalogue import read_catalogue
from grader.core.cells import exercises
from grader.core.notebook import read_notebook
from grader.engine.prelude import import_lines
from grader.engine.running import mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan
from grader.sandbox.warm import Template
from grader.submissions.transplant import transplant
from grader.testing.samples import fill_answers

NAME = "04_multi_head_attention"
SLOWEST = {"multi_head_attention": "keras_layer", "mha_parameter_count": "build_the_layer"}
LIMITS = ("call_cpu_s", "cell_cpu_s", "notebook_cpu_s")


@pytest.mark.slow
def test_slow_answers_keep_their_points_on_a_machine_three_times_slower(course):
    source = read_notebook(course.source(NAME))
    answers = {}
    for one in exercises(source):
        known = read_catalogue(course.catalogue / NAME / f"{one.name}.py", one.functions, one.answer)
        right = {variant.name: variant.source for variant in known.right}
        answers[one.name] = right[SLOWEST[one.name]] if one.name in SLOWEST else one.answer
    nb = transplant(source, fill_answers(read_notebook(course.released(NAME)), answers)).notebook
    budget, plan = Budget(), Plan.of(nb, source)
    third = dataclasses.replace(budget, **{name: getattr(budget, name) / 3 for name in LIMITS})
    tiny = dataclasses.replace(budget, **{name: getattr(budget, name) / 1000 for name in LIMITS})
    with Template(import_lines(source)) as template:
        marked = mark_notebook(nb, plan, template, third)
        assert [v.name for v in marked.verdicts.values() if v.outcome != "passed"] == []
        assert not marked.ran_out
        print(f"{marked.cpu_s:.1f} CPU seconds of {third.notebook_cpu_s:g}")
        assert mark_notebook(nb, plan, template, tiny).ran_out, "the limits are at work"
