"""A configuration of an earlier version keeps working, and says which names are new."""

import importlib
import re

import pytest
from traitlets.utils.importstring import import_item

#: What `nbgrader_config.py` named before the packages were made.
OLD = {
    "autograde": ("steps", ["take_what_there_is", "MarkingExporter", "MarkingExecute", "StrictAutoGrades"]),
    "feedback": ("feedback", ["GetMarks", "HideTests", "CleanOutputs", "FeedbackExporter"]),
    "formgrader": ("formgrader", ["CleanSubmission", "clean_markdown"]),
}
NAMES = [
    (f"grader.marking.{old}.{name}", f"grader.nbgrader_plugins.{new}.{name}")
    for new, (old, names) in OLD.items()
    for name in names
]


@pytest.mark.parametrize(("old", "new"), NAMES)
def test_an_old_name_is_the_new_object_and_warns(old, new, caplog):
    with pytest.warns(DeprecationWarning, match=re.escape(new)):
        found = import_item(old)
    assert found is import_item(new)
    assert new in caplog.text


def test_what_never_was_a_name_is_none_now():
    with pytest.raises(AttributeError, match="Nonsense"):
        importlib.import_module("grader.marking.steps").Nonsense  # noqa: B018


def test_nothing_of_the_configuration_uses_an_old_name(request):
    assert "grader.marking" not in (request.config.rootpath / "nbgrader_config.py").read_text()
    named = re.findall(r'"(grader\.[\w.]+)"', (request.config.rootpath / "nbgrader_config.py").read_text())
    assert {name.rpartition(".")[0] for name in named} == {f"grader.nbgrader_plugins.{new}" for new in OLD}
