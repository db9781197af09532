"""The last cell of a notebook: which answers are written, what their self-checks say, what to hand in and how."""

import html
import sys
from dataclasses import dataclass

from IPython.display import display
from IPython.utils.capture import capture_output

# What the table says of a self-check, with the colour of its bar; the words alone are enough.
_COLOURS = {"holds": "#009E73", "look again": "#E69F00", "raises an error": "#D55E00"}
_UNFINISHED = "#8A8A8A"
_COLUMNS = ("Exercise", "Points", "Self-check", "What it says")

_JUPYTERLAB = ("Kernel > Restart Kernel and Run All Cells", "File > Save Notebook, then File > Download")
_COLAB = ("Runtime > Restart session and run all", "File > Download > Download .ipynb")


@dataclass(frozen=True)
class Answer:
    """One row of the table.

    Args:
        exercise: Number and function, such as `"1.1 pad_batch"`.
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
    """Run an exercise's self-check without showing anything; give a state and a sentence."""
    first = functions[0]
    for function in functions:
        if function not in names:
            return "not there", f"{function} is not defined in this session: run its cell"
        if not callable(names[function]):
            return "not there", f"{function} is of type {type(names[function]).__name__}, not a function: run its cell"
    check = getattr(names.get(f"check_{first}"), "report", None)
    if check is None:
        return "not checked", f"check_{first} is not defined in this session: run the helper cells at the top"
    with capture_output():
        report = check(*(names[function] for function in functions))
    if isinstance(report.error, NotImplementedError):
        return "not written", f"{_raised_in(report.error)} raises NotImplementedError"
    if report.error is not None:
        return "raises an error", _short(f"{type(report.error).__name__}: {report.error}")
    if report.failed:
        return (
            "look again",
            f"{report.held} of {report.held + report.failed} properties hold, but not: {_short(report.finding)}",
        )
    return "holds", f"all {report.held} properties hold"


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
            state, says = "stopped", f"the self-check did not come to its end: {type(error).__name__}"
        answers.append(Answer(f"{number} {functions[0]}", points, state, says))
    return answers


def _advice(answers, notebook, written):
    """Give the sentences below the table."""
    restart, download = _COLAB if "google.colab" in sys.modules else _JUPYTERLAB
    open_ones = [a for a in answers if a.state != "holds"]
    unwritten = sum(a.state in ("not written", "not there") for a in answers)
    reached, total = sum(a.points for a in answers if a.state == "holds"), sum(a.points for a in answers)
    if open_ones:
        first = "Each exercise is marked on its own, so an unfinished notebook can be handed in. "
        first += f"If there is time, go back to {open_ones[0].exercise}."
    else:
        first = f"Choose {restart}: what counts is what stands in the cells, not what this session remembers."
    return (
        f"{len(answers) - unwritten} of {len(answers)} exercises are written, {len(answers) - len(open_ones)} of "
        f"{len(answers)} pass their self-check: {reached} of {total} points, if the test cells agree. "
        "Run those too: none may end in an error. Part of their tests you do not see.",
        f"The written answer ({written} points) cannot be seen from here and is marked by a person: read it once more.",
        "To hand in:",
        f"1. {first}",
        f"2. Choose {download}.",
        f"3. Hand in this one file, {notebook}, where your course collects it. Outputs may stay in it.",
    )


def _as_text(answers, advice):
    rows = [_COLUMNS]
    rows += [(a.exercise, str(a.points), a.state, a.says) for a in answers]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{r[0]:{wide[0]}}  {r[1]:>{wide[1]}}  {r[2]:{wide[2]}}  {r[3]}" for r in rows]
    return "\n".join([*lines, "", *advice])


def _as_html(answers, advice):
    left = "text-align:left; vertical-align:top; padding:4px 12px 4px 8px"
    heads = "".join(f'<th scope="col" style="{left}">{h}</th>' for h in _COLUMNS)
    rows = ""
    for a in answers:
        bar = f"{left}; white-space:nowrap; border-left:6px solid {_COLOURS.get(a.state, _UNFINISHED)}"
        number = (
            f'<th scope="row" style="{left}; white-space:nowrap; font-weight:normal">{html.escape(a.exercise)}</th>'
        )
        says = f'<td style="{left}; max-width:36em">{html.escape(a.says)}</td>'
        rows += f'<tr>{number}<td style="{left}">{a.points}</td><td style="{bar}"><b>{a.state}</b></td>{says}</tr>'
    below = "".join(f'<p style="max-width:46em; margin:6px 0">{html.escape(line)}</p>' for line in advice)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{below}"


def hand_in(names, notebook, exercises, written):
    """Show which answers are written, what their self-checks say, what to hand in and how.

    Args:
        names: The notebook's `globals()`.
        notebook: Name of the file to hand in.
        exercises: Number of each exercise to `(points, function, ...)`.
        written: Points of the written answer.
    """
    answers = review(names, exercises)
    advice = _advice(answers, notebook, written)
    display({"text/html": _as_html(answers, advice), "text/plain": _as_text(answers, advice)}, raw=True)
