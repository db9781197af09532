"""The self-checks of notebook 2: silent on right answers, a word for each usual mistake, never an exception."""

from pathlib import Path

import keras
import numpy as np
import pytest
from helpers import (
    checks_additive,
    checks_alignment,
    checks_attention,
    checks_decoder_step,
    checks_masked,
    checks_scores,
)

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.notebook import read_notebook

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "grader" / "catalogue" / "02_additive_attention"
CHECKS = {
    "softmax": checks_additive.check_softmax,
    "additive_scores": checks_scores.check_additive_scores,
    "masked_softmax": checks_masked.check_masked_softmax,
    "additive_attention": checks_attention.check_additive_attention,
    "attention_decoder_step": checks_decoder_step.check_attention_decoder_step,
    "alignment_accuracy": checks_alignment.check_alignment_accuracy,
}
VARIANTS = [(name, variant) for name in CHECKS for variant in read_catalogue(FOLDER / f"{name}.py").variants]


@pytest.fixture(scope="module")
def notebook():
    return read_notebook(ROOT / "solutions" / "02_additive_attention" / "02_additive_attention.ipynb")


@pytest.fixture(scope="module")
def given(notebook):
    """What the notebook's given cells define."""
    space = {"np": np, "keras": keras}
    for cell in notebook.cells:
        if kind_of(cell) is CellKind.GIVEN:
            exec(cell.source, space)
    return space


def run_check(name, function, capsys):
    capsys.readouterr()
    assert CHECKS[name](function) is None
    return capsys.readouterr().out


def remarks(printed):
    """Return the lines that object; a word in a line that says "ok" recognises nothing."""
    return "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=[f"{n}-{v.kind}-{v.name}" for n, v in VARIANTS])
def test_variants_of_the_catalogue(name, variant, given, capsys):
    space = dict(given)
    exec(variant.source, space)
    printed = run_check(name, space[name], capsys)
    if variant.kind == "right":
        assert "--  " not in printed
        assert f"{name}: all of these hold" in printed
    else:
        assert "--  " in printed
        assert not variant.self_check or variant.self_check in remarks(printed)


@pytest.mark.parametrize("name", CHECKS)
def test_not_written_yet(name, capsys):
    def stub(*args):
        raise NotImplementedError("not written yet")

    assert run_check(name, stub, capsys) == f"{name}: not written yet\n"


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "result", [None, 3.5, "text", [], (), {}, np.zeros((2, 2)), (None, None), (None,) * 3, {"a": "b"}, [["x"]]]
)
def test_odd_results_do_not_raise(name, result, capsys):
    assert "--  " in run_check(name, lambda *args: result, capsys)


def test_most_wrong_answers_are_recognised_by_name():
    wrong = [variant for _, variant in VARIANTS if variant.kind == "wrong"]
    assert sum(bool(variant.self_check) for variant in wrong) >= 0.9 * len(wrong)


SOFT = "e = np.exp(x - x.max(axis, keepdims=True)); "
PAIRS = "q, k = query @ w_query, key @ w_key; "
GIVEN = "w, m = given_additive_scores(query, value if key is None else key, w_query, w_key, v), mask; "
STEP = (
    "c, a = given_additive_attention(state[:, None], encoder_states, None, params['w_query'], params['w_key'], "
    "params['v'], mask); "
)
HEADS = {
    "softmax": "x, axis=-1",
    "additive_scores": "query, key, w_query, w_key, v",
    "masked_softmax": "scores, mask=None",
    "additive_attention": "query, value, key, w_query, w_key, v, mask=None",
    "attention_decoder_step": "embedded, state, encoder_states, mask, params",
    "alignment_accuracy": "weights, gold",
}
SLIPS = [
    ("softmax", "e = np.exp(x.max(axis, keepdims=True) - x); return e / e.sum(axis, keepdims=True)", "which sign"),
    ("softmax", SOFT + "return e / np.exp(x).sum(axis, keepdims=True)", "of the same exponentials"),
    ("softmax", "return x if x > 3 else x", "one True or False"),
    ("additive_scores", PAIRS + "return np.tanh(q[:, None] + k[:, None]) @ v", "new axis in the same place"),
    ("additive_scores", PAIRS + "return np.tanh(q[:, :, None] + k[:, None]) * v", "got (1, 3, 3, 2): the hidden units"),
    ("additive_scores", PAIRS + "return (np.tanh(q[:, :, None] + k[:, None]) @ v)[0]", "the axis of sentences is gone"),
    ("additive_scores", PAIRS + "return np.tanh(q[:, :, None] + k[:, None]) @ v[:, None]", "an axis of size 1 is left"),
    ("additive_scores", PAIRS + "return np.tanh((q[:, :, None] + k[:, None]) * v).sum(-1)", "v comes after the tanh"),
    ("additive_scores", PAIRS + "return (np.tanh(q[:, :, None] + k[:, None]) * v).mean(-1)", "are averaged"),
    ("additive_scores", "return v @ np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None])", "of size 2, and"),
    ("additive_scores", "k = key @ w_query; return np.tanh((query @ w_query)[:, :, None] + k[:, None]) @ v",
     "which matrix belongs to the keys"),
    ("masked_softmax", "s = np.where(mask, scores, -np.inf); return np.exp(s - s.max(-1))",
     "shapes (2, 3) and (2,) do not fit"),
    ("masked_softmax", "s = scores.copy(); s[~mask] = -np.inf; e = np.exp(s - s.max(-1, keepdims=True)); "
     "return e / e.sum(-1, keepdims=True)", "deal with that case before anything reads the mask"),
    ("masked_softmax", "return np.exp(scores) * (True if mask is None else mask)", "these are the exponentials"),
    ("masked_softmax", "s = scores * mask; s[s == 0] = -np.inf; e = np.exp(s); return e / e.sum(-1, keepdims=True)",
     "an allowed score of 0 lost its weight"),
    ("masked_softmax", "return scores * np.nan", "Some are nan"),
    ("additive_attention", GIVEN + "w = given_masked_softmax(w, m); return w @ value", "is a single array"),
    ("additive_attention", GIVEN + "w = given_masked_softmax(w, m); return w * value, w", "(5, 6, 7) and (5, 7, 4)"),
    ("attention_decoder_step", STEP + "x = np.concatenate([embedded, c[:, 0]], -1); "
     "return c[:, 0], a[:, 0], given_gru_cell(x, state, params)", "in the order state, context, weights"),
    ("attention_decoder_step", STEP + "x = np.concatenate([embedded, c[:, 0]], -1); "
     "return given_gru_cell(x, state, params), c, a", "axis of positions is still there"),
    ("attention_decoder_step", STEP + "x = np.concatenate([embedded[:, None], c], -1); "
     "return given_gru_cell(x, state, params), c, a", "x must be (B, D + E), got (5, 1, 11)"),
    ("softmax", "e = np.exp(x - x.mean(axis, keepdims=True)); return e / e.sum(axis, keepdims=True)",
     "none is above 0"),
    ("masked_softmax", "a = np.broadcast_to(True if mask is None else mask, scores.shape); "
     "e = np.where(a, np.exp(np.where(a, scores, -np.inf) - scores[a].max(initial=-1e9)), 0.0); "
     "t = e.sum(-1, keepdims=True); return e / np.where(t > 0, t, 1.0)", "far below the first"),
    ("additive_attention", GIVEN + "w = given_masked_softmax(w) * (True if m is None else m); return w @ value, w",
     "where does the mask act"),
    ("additive_attention", GIVEN + "w = given_masked_softmax(w, m); e = w.sum(-1, keepdims=True) == 0; "
     "w = w + e / w.shape[-1]; return w @ value, w", "equal weights, came out"),
    ("attention_decoder_step", STEP + "r = mask[..., None]; mean = (encoder_states * r).sum(1) / r.sum(1); "
     "x = np.concatenate([embedded, mean], -1); return given_gru_cell(x, state, params), c[:, 0], a[:, 0]",
     "something else than the context"),
    ("alignment_accuracy", "return np.mean([b == g for b, g in zip(weights.argmax(-1), gold) if g])", "is it *in* its"),
    ("alignment_accuracy", "return np.mean(weights.argmax(0) == np.array(gold))", "Which axis are the target"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "says"), SLIPS)
def test_a_slip_gets_a_sentence_that_leads_on(name, body, says, given, capsys):
    space = dict(given)
    exec(f"def {name}({HEADS[name]}):\n    {body}", space)
    objections = [line for line in run_check(name, space[name], capsys).splitlines() if line.startswith("--")]
    assert says in objections[0]
    assert "it raised" not in objections[0]


@pytest.mark.parametrize("name", CHECKS)
def test_no_line_is_printed_twice(name, given, capsys):
    space = dict(given)
    exec(next(v.source for n, v in VARIANTS if n == name and v.kind == "right"), space)
    lines = run_check(name, space[name], capsys).splitlines()
    assert len(lines) == len(set(lines))


def test_every_exercise_has_a_check(notebook):
    assert [e.name for e in exercises(notebook)] == list(CHECKS)


def test_given_gru_cell_is_the_one_of_keras(given):
    rng = np.random.default_rng(0)
    x, state = rng.normal(size=(2, 5)), rng.normal(size=(2, 3))
    params = {"gru_x": rng.normal(size=(5, 9)), "gru_h": rng.normal(size=(3, 9)), "gru_b": rng.normal(size=9)}
    cell = keras.layers.GRUCell(3, reset_after=False, dtype="float64")
    cell.build(x.shape)
    cell.set_weights(list(params.values()))
    np.testing.assert_allclose(given["given_gru_cell"](x, state, params), cell(x, [state])[0], rtol=1e-9)


def test_given_attention_agrees_with_the_loop_also_in_empty_rows(given):
    rng = np.random.default_rng(1)
    query, value = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6))
    w_query, w_key, v = rng.normal(size=(4, 7)), rng.normal(size=(6, 7)), rng.normal(size=7)
    mask = np.array([[True, False, True, True, False], [False] * 5])
    scores = given["given_additive_scores"](query, value, w_query, w_key, v)
    wide = np.array([[[True] * 5, [False, True, True, True, True], [False] * 5]] * 2)
    for form in (mask[:, None], wide, wide[0], None):  # as in exercise 2.4
        context, weights = given["given_additive_attention"](query, value, None, w_query, w_key, v, form)
        expected = given["given_masked_softmax"](scores, form)
        np.testing.assert_allclose(weights, expected, atol=1e-12)
        np.testing.assert_allclose(context, expected @ value, atol=1e-12)
    _, weights = given["given_additive_attention"](query, value, None, w_query, w_key, v, mask[:, None])
    assert not weights[1].any()


def test_given_attention_takes_a_row_of_mask_for_each_sentence_if_there_is_one_query(given):
    rng = np.random.default_rng(2)
    query, value = rng.normal(size=(2, 1, 4)), rng.normal(size=(2, 5, 6))
    arrays = rng.normal(size=(4, 7)), rng.normal(size=(6, 7)), rng.normal(size=7)
    mask = np.array([[True, False, True, True, False], [False, True] * 2 + [True]])
    short = given["given_additive_attention"](query, value, None, *arrays, mask)
    long = given["given_additive_attention"](query, value, None, *arrays, mask[:, None])
    for a, b in zip(short, long, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not short[1][~mask[:, None]].any()


@pytest.mark.parametrize(
    ("query", "mask", "message"),
    [
        (np.ones((2, 4)), None, r"query must be \(B, T, Dq\), got \(2, 4\)"),
        (np.ones((1, 2, 4)), None, r"query must be \(B, T, Dq\), got \(1, 2, 4\)"),
        (np.ones((2, 3, 4)), np.ones((2, 5), bool), r"mask must be \(T, S\), .* = \(2, 3, 5\), got \(2, 5\)"),
        (np.ones((2, 1, 4)), np.ones((2, 4), bool), r"mask must be .* = \(2, 1, 5\), got \(2, 4\)"),
    ],
)
def test_given_attention_names_wrong_shapes(query, mask, message, given):
    value, w_query, w_key = np.ones((2, 5, 6)), np.ones((4, 7)), np.ones((6, 7))
    with pytest.raises(ValueError, match=message):
        given["given_additive_attention"](query, value, None, w_query, w_key, np.ones(7), mask)


def test_given_gru_cell_names_wrong_shapes(given):
    params = {"gru_x": np.ones((5, 9)), "gru_h": np.ones((3, 9)), "gru_b": np.ones(9)}
    with pytest.raises(ValueError, match=r"x must be \(B, D \+ E\), got \(2, 1, 5\)"):
        given["given_gru_cell"](np.ones((2, 1, 5)), np.ones((2, 3)), params)
