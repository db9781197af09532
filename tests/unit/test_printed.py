"""What a program printed is shown as JupyterLab shows it: what is drawn anew stands in place of what was there."""

import random
import time

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from grader.core.escaping import as_printed
from grader.feedback import steps


def seen_of(printed):
    """Return what a page shows of what a cell printed."""
    cell = new_code_cell("fit()", outputs=[new_output("stream", text=printed)])
    return steps.CleanOutputs().preprocess(new_notebook(cells=[cell]), {})[0].cells[0].outputs[0].text


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("ab\bc", "ac"),
        ("ab\b\b\b\bc", "c"),
        ("a\nb\b\b\bc", "a\nc"),
        ("\b\ba", "a"),
        ("\x1b[1mab\x1b[0m\b\bc", "c"),
        ("1/2 \b\b\b\b\r2/2 ", "2/2 "),
        ("no backspace\t\r\n", "no backspace\t\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("10 of 90\r9 of 90", "9 of 900"),
        ("\rone\rtwo\n\rthree\r", "two\nthree"),
    ],
)
def test_what_is_drawn_anew_on_its_line_is_seen_once(printed, seen):
    shown = seen_of(printed)
    assert shown == seen


def test_a_progress_bar_of_keras_is_what_it_was_at_the_end():
    text, bar = "Epoch 1/2\n", ""
    for step in range(1, 301):
        bar = (
            f"\r\x1b[1m{step:>3}/300\x1b[0m \x1b[32m{'━' * (step // 15)}\x1b[0m \x1b[1m1s\x1b[0m 12ms/step - loss: 1.23"
        )
        text += "\b" * 90 + bar
    shown = seen_of(f"{text}\nDone: 0.93\n")
    assert shown.startswith("Epoch 1/2\n300/300 ")
    assert shown.endswith("loss: 1.23\nDone: 0.93\n")


def test_drawing_anew_costs_a_time_that_the_length_decides():
    rng = random.Random(0)
    begun = time.process_time()
    as_printed("x" * 500_000 + "\r" * 300_000 + "y\r" * 200_000)
    as_printed("x" * 500_000 + "\b" * 400_000 + "".join(rng.choice("x\b\r\n") for _ in range(500_000)))
    assert time.process_time() - begun < 2
