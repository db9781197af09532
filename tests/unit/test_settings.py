"""How to mark is set in one place, whichever command marks."""

import dataclasses
import pickle

import pytest
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config

from grader.classrun.steps import must_be_our_steps
from grader.core import errors
from grader.core.errors import GraderError
from grader.engine.settings import Budget, Marking, Pace, Settings
from grader.nbgrader_plugins.autograde import MarkingExecute
from grader.sandbox.inside.isolate import Limits

OTHERWISE = {
    "isolation": "landlock",
    "notebook_s": 30.0,
    "cell_s": 2.0,
    "call_s": 1.0,
    "demonstrations_s": 7.0,
    "waiting_s": 3.0,
    "times": 4.0,
    "memory_mib": 1024,
    "render": True,
}


def both_ways(config):
    """What `grader grade` reads and what `nbgrader autograde` reads."""
    return Marking(config=config).settings(), MarkingExecute(config=config).settings()


@pytest.mark.parametrize("section", ["MarkingExecute", "Marking"])
def test_both_commands_read_the_same_settings(section):
    config = Config({section: OTHERWISE, "LimitOutput": {"max_lines": 7}})
    ours, nbgraders = both_ways(config)
    assert ours == nbgraders
    budget = Budget(
        cell_cpu_s=2.0, cell_wall_s=20.0, call_cpu_s=1.0, call_wall_s=10.0, test_wall_s=20.0, notebook_cpu_s=30.0,
        notebook_wall_s=300.0, demonstrations_cpu_s=7.0, waiting_s=3.0, notebook_waiting_s=12.0, times=4.0,
    )  # fmt: skip
    outputs = Config({"LimitOutput": {"max_lines": 7}})
    assert ours == Settings("landlock", budget, Limits(memory_mib=1024), outputs=outputs, render=True)


def test_the_section_after_the_step_overrides_for_both_commands():
    ours, nbgraders = both_ways(Config({"Marking": {"render": True, "cell_s": 1.0}, "MarkingExecute": {"cell_s": 2.0}}))
    assert ours == nbgraders
    assert ours.render
    assert ours.budget.cell_cpu_s == 2.0


def test_nothing_set_gives_the_one_default():
    ours, nbgraders = both_ways(Config())
    assert ours == nbgraders == Settings()
    assert repr(ours.budget) == repr(Budget())  # the fingerprint is made of it


@pytest.mark.parametrize("name", [*OTHERWISE, "outputs"])
def test_each_setting_reaches_the_worker(name):
    value = Config({"LimitOutput": {"max_lines": 7}} if name == "outputs" else {"Marking": {name: OTHERWISE[name]}})
    changed = {
        f.name
        for f in dataclasses.fields(Settings)
        if getattr(Marking(config=value).settings(), f.name) != getattr(Settings(), f.name)
    }
    assert len(changed) == 1


def test_limits_rise_with_what_the_reference_takes_in_steps():
    budget = Budget(call_cpu_s=2, cell_cpu_s=10, notebook_cpu_s=40, times=10)
    assert budget.for_reference(Pace()) == budget
    assert budget.for_reference(Pace(0.2, 1.0, 4.0)) == budget
    longer = budget.for_reference(Pace(0.21, 1.0, 30.0))
    assert (longer.call_cpu_s, longer.cell_cpu_s, longer.notebook_cpu_s) == (4, 10, 320)
    assert longer.call_wall_s == 2 * budget.call_wall_s
    assert longer.notebook_wall_s == 8 * budget.notebook_wall_s
    assert longer.waiting_s == budget.waiting_s, "right code does not wait, however slow the machine is"
    assert budget.for_reference(Pace(0.21, 1.0, 30.0)) == budget.for_reference(Pace(0.39, 0.5, 25.0)), "steps"
    fixed = Budget(call_cpu_s=2, times=0)
    assert fixed.for_reference(Pace(100, 100, 100)) == fixed


class MarkingExecuteOfSomebody(NbGraderPreprocessor):
    """A step of somebody's own."""


MarkingExecuteOfSomebody.__name__ = MarkingExecuteOfSomebody.__qualname__ = "MarkingExecute"
ClearOutput = MarkingExecuteOfSomebody


@pytest.mark.parametrize(
    "step",
    [
        MarkingExecuteOfSomebody,
        f"{__name__}.MarkingExecuteOfSomebody",
        f"{__name__}.ClearOutput",
        "theirs.ClearOutput",
        type("MarkingExecute", (MarkingExecute,), {}),
    ],
)
def test_a_foreign_step_with_the_name_of_ours_is_refused(step):
    with pytest.raises(GraderError, match="does not run"):
        must_be_our_steps(Config({"Autograde": {"autograde_preprocessors": [step]}}))


@pytest.mark.parametrize(
    "step",
    [
        MarkingExecute,
        "grader.nbgrader_plugins.autograde.MarkingExecute",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.clearoutput.ClearOutput",
    ],
)
def test_our_steps_are_known_by_any_name(step):
    must_be_our_steps(Config({"Autograde": {"sanitize_preprocessors": [step]}}))


@pytest.mark.parametrize(
    "kind", [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, GraderError)]
)
def test_an_error_comes_back_from_a_worker_as_it_was(kind):
    sent = kind("it is wrong", "there", "mend it")
    got = pickle.loads(pickle.dumps(sent))
    assert type(got) is kind
    assert (got.what, got.where, got.fix) == ("it is wrong", "there", "mend it")
    assert str(got) == str(sent) == "there: it is wrong\n  Fix: mend it"
