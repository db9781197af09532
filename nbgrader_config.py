"""nbgrader's configuration of the course; `nbgrader` reads it when it is called in this folder."""

import os
from pathlib import Path

from grader.nbgrader_plugins.times import bound_times

bound_times()  # only forms of a time are read, where nbgrader itself would try any text; it has no setting for that

c = get_config()
root = Path(__file__).resolve().parent
local = root / "grader" / "local"

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
# All personal data is kept in one place, which git ignores.
c.CourseDirectory.submitted_directory = "grader/local/submitted"
c.CourseDirectory.autograded_directory = "grader/local/autograded"
c.CourseDirectory.feedback_directory = "grader/local/feedback"
c.CourseDirectory.solution_directory = "grader/local/solution"
# Several instructors share a gradebook in PostgreSQL; grader/README.md explains how.
c.CourseDirectory.db_url = os.environ.get("GRADEBOOK_URL") or f"sqlite:///{local / 'gradebook.db'}"

c.ClearSolutions.code_stub = {
    "python": '# Write your code here and remove the next line.\nraise NotImplementedError("not written yet")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# For `nbgrader validate` and its button, which run whole notebooks, training included; marking has limits of its own.
c.Execute.timeout = 600

# A submission is one notebook; whatever else lies beside it is neither run nor copied.
c.CourseDirectory.ignore = ["*"]

# Marking (grader/README.md). The student's code and the tests run in two processes that are isolated from this machine;
# `grader doctor` says how far. The lists are nbgrader's own, with our steps where the comments say.
c.Autograde.pre_convert_hook = (
    "grader.nbgrader_plugins.autograde.take_what_there_is"  # a file of another name is no missing file
)
c.Autograde.exporter_class = "grader.nbgrader_plugins.autograde.MarkingExporter"  # the answers alone are the student's
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "grader.nbgrader_plugins.autograde.MarkingExecute",  # for nbgrader's Execute
    "nbgrader.preprocessors.IgnorePattern",
    "nbgrader.preprocessors.LimitOutput",
    "grader.nbgrader_plugins.autograde.StrictAutoGrades",  # for nbgrader's SaveAutoGrades
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# Least isolation that will do: "best" takes what this machine offers from Landlock on, "bubblewrap" marks with no less.
c.MarkingExecute.isolation = "best"

# What students get back: no script, no hidden test, no path of this machine, a reason for each lost point.
c.GenerateFeedback.preprocessors = [
    "grader.nbgrader_plugins.feedback.GetMarks",
    "grader.nbgrader_plugins.feedback.HideTests",
    "grader.nbgrader_plugins.feedback.CleanOutputs",
]
c.GenerateFeedback.exporter_class = "grader.nbgrader_plugins.feedback.FeedbackExporter"

# The formgrader's page of a submission: no script of a student's in the instructor's session.
c.HTMLExporter.preprocessors = ["grader.nbgrader_plugins.formgrader.CleanSubmission"]
# Its filters are linear in what a student wrote, and nothing of it paints over the marks.
c.HTMLExporter.filters = {
    "markdown2html": "grader.nbgrader_plugins.formgrader.clean_markdown",
    "highlight_code": "grader.nbgrader_plugins.formgrader.coloured_code",
    "ansi2html": "grader.nbgrader_plugins.formgrader.contained_text",
    "clean_html": "grader.nbgrader_plugins.formgrader.cleaned_before",
    "strip_files_prefix": "grader.nbgrader_plugins.formgrader.cleaned_before",
}

# Nobody else on this machine reads submissions and marks. A folder that is there already stays as it is.
shared = "groupshared" in c.CourseDirectory and c.CourseDirectory.groupshared
local.mkdir(0o777 if shared else 0o700, parents=True, exist_ok=True)
