"""The last cell of a notebook: which exercises are done, what their self-checks say, and how to hand the file in."""

import html
import sys
from dataclasses import dataclass

from helpers.observed import describe_error
from helpers.yours import answer_name, library_advice
from IPython.display import display
from IPython.utils.capture import capture_output

# How a self-check came out, with the colour of its bar; the words alone are enough.
_COLOURS = {"passes": "#009E73", "look again": "#E69F00", "raises an error": "#D55E00"}
_COLUMNS = ("Exercise", "Points", "Self-check", "What it says")

_JUPYTERLAB = ("Kernel > Restart Kernel and Run All Cells", "File > Save Notebook, then File > Download")
_COLAB = ("Runtime > Restart session and run all", "File > Download > Download .ipynb")


@dataclass(frozen=True)
class Answer:
    """One row of the table.

    Args:
        exercise: Number and functions, such as `"1.1 pad_batch"`.
        points: Points of its test cells.
        state: One or two words.
        says: A sentence.
    """

    exercise: str
    points: int
    state: str
    says: str


def _short(text):
    text = " ".join(str(text).split())
    return text if len(text) <= 220 else text[:217] + "..."


def _raised_in(error):
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_name


def _state(names, functions):
    """Run an exercise's self-check without showing anything; return a state and a sentence."""
    first = functions[0]
    for function in functions:
        if function not in names:
            return "not defined", f"{function} is not defined yet: run its cell"
        if not callable(names[function]):
            return (
                "not defined",
                f"{function} is of type {type(names[function]).__name__}, not a function: run its cell again",
            )
    check = getattr(names.get(f"check_{first}"), "report", None)
    if check is None:
        return "not checked", f"check_{first} is not defined yet: run the helper cells at the top"
    with capture_output():
        report = check(*(names[function] for function in functions))
    if isinstance(report.error, NotImplementedError):
        return "not written", f"{_raised_in(report.error)} still raises NotImplementedError"
    if report.error is not None:
        return "raises an error", _short(describe_error(report.error))
    if report.failed:
        passed = f"{report.held} of {report.held + report.failed} properties hold"
        return "look again", f"{passed}. The first one that does not: {_short(report.finding)}"
    return "passes", f"all {report.held} properties hold"


def review(names, exercises):
    """Look at every answer; whatever a student's function does costs its own row only.

    Args:
        names: The notebook's `globals()`.
        exercises: Number of each exercise to `(points, function, ...)`: the functions that its self-check takes.

    Returns:
        A list of `Answer`.
    """
    answers = []
    for number, (points, *functions) in exercises.items():
        try:
            state, says = _state(names, functions)
        except BaseException as error:  # an interrupt stops an endless loop, and sys.exit() is no exception either
            state, says = "stopped", f"the self-check did not finish: {type(error).__name__}"
        name = answer_name({function: names.get(function) for function in functions})
        answers.append(Answer(f"{number} {name}", points, state, says))
    return answers


def _advice(answers, notebook, written):
    """Return the sentences below the table."""
    restart, download = _COLAB if "google.colab" in sys.modules else _JUPYTERLAB
    open_ones = [a for a in answers if a.state != "passes"]
    unwritten = sum(a.state in ("not written", "not defined") for a in answers)
    reached, total = sum(a.points for a in answers if a.state == "passes"), sum(a.points for a in answers)
    if open_ones:
        first = "You can hand in an unfinished notebook, because each exercise is marked on its own. "
        first += f"If you have time left, go back to {open_ones[0].exercise}."
    else:
        first = f"Choose {restart}. Your file is graded in a fresh session, so every cell has to work in one."
    return (
        f"{len(answers) - unwritten} of {len(answers)} exercises are written, and {len(answers) - len(open_ones)} of "
        f"{len(answers)} pass their self-check. That makes {reached} of {total} points if the graded tests agree. Run "
        "the test cells too: none of them should end in an error. Some of the graded tests are hidden.",
        f"A person marks your written answer ({written} points). This cell cannot check it, so read it once more.",
        "To hand in:",
        f"1. {first}",
        f"2. Choose {download}.",
        f"3. Hand in the file {notebook} where your course collects the notebooks. You can leave the outputs in it.",
    )


def _as_text(answers, advice):
    rows = [_COLUMNS, *((a.exercise, str(a.points), a.state, a.says) for a in answers)]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{r[0]:{wide[0]}}  {r[1]:>{wide[1]}}  {r[2]:{wide[2]}}  {r[3]}" for r in rows]
    return "\n".join([*lines, "", *advice])


def _as_html(answers, advice):
    left = "text-align:left; vertical-align:top; padding:4px 12px 4px 8px"
    heads = "".join(f'<th scope="col" style="{left}">{h}</th>' for h in _COLUMNS)
    rows = ""
    for a in answers:
        bar = f"{left}; white-space:nowrap; border-left:6px solid {_COLOURS.get(a.state, '#8A8A8A')}"
        th = f'<th scope="row" style="{left}; white-space:nowrap; font-weight:normal">{html.escape(a.exercise)}</th>'
        says = f'<td style="{left}; max-width:36em">{html.escape(a.says)}</td>'
        rows += f'<tr>{th}<td style="{left}">{a.points}</td><td style="{bar}"><b>{a.state}</b></td>{says}</tr>'
    below = "".join(f'<p style="max-width:46em; margin:6px 0">{html.escape(line)}</p>' for line in advice)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{below}"


def hand_in(names, notebook, exercises, written):
    """Show which exercises are done, what their self-checks say, and how to hand the file in.

    Args:
        names: The notebook's `globals()`.
        notebook: Name of the file to hand in.
        exercises: Number of each exercise to `(points, function, ...)`.
        written: Points of the written answer.
    """
    answers = review(names, exercises)
    advice = (*library_advice(names), *_advice(answers, notebook, written))
    display({"text/html": _as_html(answers, advice), "text/plain": _as_text(answers, advice)}, raw=True)
