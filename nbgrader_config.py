"""nbgrader's configuration of the course; `nbgrader` reads it when it is called in this folder."""

from pathlib import Path

c = get_config()
root = Path(__file__).resolve().parent
local = root / "grader" / "local"

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
# Personal data stands in one place, which git ignores.
c.CourseDirectory.submitted_directory = "grader/local/submitted"
c.CourseDirectory.autograded_directory = "grader/local/autograded"
c.CourseDirectory.feedback_directory = "grader/local/feedback"
c.CourseDirectory.solution_directory = "grader/local/solution"
c.CourseDirectory.db_url = f"sqlite:///{local / 'gradebook.db'}"
local.mkdir(parents=True, exist_ok=True)

c.ClearSolutions.code_stub = {
    "python": '# Write your code here and remove the next line.\nraise NotImplementedError("not written yet")'
}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# Marking. The lists are nbgrader's own, with our steps (grader/preprocessors.py) where the comments say.
c.Autograde.sanitize_preprocessors = [
    "grader.preprocessors.TidySubmission",  # first: what Colab leaves breaks later steps
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "grader.preprocessors.SkipDemonstrations",  # before execution: training and figures need not run for marking
    "nbgrader.preprocessors.Execute",
    "grader.preprocessors.StderrIsNoError",  # after execution, before the marks are taken from the outputs
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# Each kernel would tell on the terminal over which transport it talks.
c.Execute.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
c.Execute.skip_cells_with_tag = "skipped-when-grading"
# A deleted test cell is put back: otherwise its points vanish without a word.
c.OverwriteCells.add_missing_cells = True


def seconds_for(cell):
    """Give each test cell 15 s (the reference needs under 2) and any other cell, such as the imports, a minute."""
    return 15 if cell.metadata.get("nbgrader", {}).get("grade") else 60


c.Execute.timeout_func = seconds_for
# After an interrupt the outputs may be slow to come on a busy machine; waiting too short fails the whole submission.
c.Execute.iopub_timeout = 60
