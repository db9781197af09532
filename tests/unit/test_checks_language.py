"""The self-checks of notebook 8: silent on right answers, a word for each usual mistake, never an exception."""

import ast
from pathlib import Path

import keras
import numpy as np
import pytest
from helpers import checks_language_stack, checks_language_text, checks_language_writing

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "grader" / "catalogue" / "08_language_models"
CHECKS = {
    "train_bpe": checks_language_text.check_train_bpe,
    "mask_tokens": checks_language_text.check_mask_tokens,
    "causal_lm_loss": checks_language_writing.check_causal_lm_loss,
    "next_token_probabilities": checks_language_writing.check_next_token_probabilities,
    "step_with_cache": checks_language_stack.check_step_with_cache,
    "leaks_future": checks_language_stack.check_leaks_future,
    "gpt2_parameter_count": checks_language_stack.check_gpt2_parameter_count,
}
VARIANTS = [(name, variant) for name in CHECKS for variant in read_catalogue(FOLDER / f"{name}.py").variants]


@pytest.fixture(scope="module")
def notebook():
    return read_notebook(Course(ROOT).source("08_language_models"))


@pytest.fixture(scope="module")
def reference(notebook):
    """Give what the notebook's given cells define, and its answers; each exercise's functions by its name."""
    space, functions = {"np": np, "keras": keras}, {}
    for cell in notebook.cells:
        if kind_of(cell) is CellKind.GIVEN:
            exec(compile(ast.parse(cell.source), cell.id, "exec"), space)
    for exercise in exercises(notebook):
        exec(exercise.answer, space)
        functions[exercise.name] = exercise.functions
    return space, functions


@pytest.mark.parametrize("name", CHECKS)
def test_the_notebooks_answers_pass(name, reference, capsys):
    space, functions = reference
    CHECKS[name](*(space[f] for f in functions[name]))
    printed = capsys.readouterr().out
    assert "--  " not in printed
    assert f"{name}: all of these hold" in printed


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=[f"{n}-{v.kind}-{v.name}" for n, v in VARIANTS])
def test_variants_of_the_catalogue(name, variant, reference, capsys):
    space, functions = dict(reference[0]), reference[1][name]
    exec(variant.source, space)
    assert CHECKS[name](*(space[f] for f in functions)) is None
    printed = capsys.readouterr().out
    if variant.kind == "right":
        assert "--  " not in printed
    elif variant.self_check:
        assert variant.self_check in "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))


@pytest.mark.parametrize("name", CHECKS)
def test_not_written_yet(name, reference, capsys):
    def stub(*args, **options):
        raise NotImplementedError

    CHECKS[name](*(stub for _ in reference[1][name]))
    parts = reference[1][name] if name == "gpt2_parameter_count" else [name]
    assert capsys.readouterr().out.splitlines() == [f"{part}: not written yet" for part in parts]


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("odd", [None, "text", [], float("nan"), np.zeros((7, 7)), {"a": 1}], ids=str)
def test_odd_results_end_the_check_in_peace(name, odd, reference, capsys):
    CHECKS[name](*((lambda *args, **options: odd) for _ in reference[1][name]))
    assert "--  " in capsys.readouterr().out


def loss_over(counts):
    """Return a loss over the targets that count, given which ids and which targets are real."""

    def causal_lm_loss(logits, ids, pad_id=0):
        real = counts(ids != pad_id) & (ids[:, 1:] != pad_id)
        chances = np.take_along_axis(np.asarray(keras.ops.softmax(logits[:, :-1])), ids[:, 1:, None], axis=-1)[..., 0]
        return float(-np.log(chances[real]).mean()) if real.any() else 0.0

    return causal_lm_loss


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (lambda real: real[:, :-1], "Hint: yours drops a target if the id before it is padding"),
        (lambda real: np.cumprod(real, 1)[:, 1:] > 0, "Hint: yours drops all targets after the first padding of a"),
        (lambda real: np.cumprod(real[:, 1:], 1) > 0, "Hint: yours drops all targets after the first target that is"),
        # A text that begins with padding is dropped, which is none of these.
        (lambda real: real[:, [0]], "Which targets of a text that begins with padding count?"),
    ],
)  # fmt: skip
def test_which_targets_are_lost_beside_padding_is_told_apart(counts, said, capsys):
    checks_language_writing.check_causal_lm_loss(loss_over(counts))
    printed = capsys.readouterr().out.replace("Your function returns 0, and 2.079 is expected. ", "")
    assert f"--  padding may come first. {said}" in printed


@pytest.mark.parametrize("least", [1e-7, 1e-12, 1e-30])
def test_a_loss_that_cannot_become_large_is_said_to_be_clipped(least, capsys):
    """How far away the target is does not matter, so the number that was clipped to need not be known."""

    def causal_lm_loss(logits, ids, pad_id=0):
        real = ids[:, 1:] != pad_id
        e = np.exp(logits[:, :-1] - logits[:, :-1].max(-1, keepdims=True))
        chances = np.take_along_axis(e / e.sum(-1, keepdims=True), ids[:, 1:, None], axis=-1)[..., 0]
        return float(-np.log(chances[real] + least).mean()) if real.any() else 0.0

    checks_language_writing.check_causal_lm_loss(causal_lm_loss)
    assert "--  logits of 1e4 give a finite loss. Hint: 5e3 costs the same, so you clip" in capsys.readouterr().out
