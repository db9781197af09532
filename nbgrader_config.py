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
    "python": "# Write your code here and remove the next line.\nraise NotImplementedError(\"not written yet\")"
}
c.ClearSolutions.text_stub = "*Write your answer here.*"
