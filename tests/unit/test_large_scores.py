"""Scores of +-1e4: a softmax that is right only for some of them loses points, and one that is right keeps them all.

Each way to write it takes the place of the exercise's own, and the audit runs the test cells on that. A way that is
wrong only for scores which an exercise does not promise is right there, and `OTHERWISE` says why.
"""

import functools
import re

import numpy as np
import pytest

from grader.audit.results import Task
from grader.audit.runner import Runner
from grader.audit.series import run_in_series
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

pytestmark = pytest.mark.slow  # and one worker runs all of them (`TOGETHER` in tests/conftest.py)
COURSE = Course.find()

SOFTMAX = '''
def by_hand(scores, mask=None):
    scores = np.asarray(scores, dtype="{dtype}")
    mask = np.broadcast_to(True if mask is None else np.asarray(mask), scores.shape)
    allowed = np.where(mask, scores, -np.inf)
    finite = lambda x: np.where(np.isfinite(x), x, 0)

    def top(x, *axes):
        """Return the largest along those of the axes that there are, 0 where nothing is allowed."""
        return finite(x.max(axis=tuple({{a % x.ndim for a in axes if a >= -x.ndim}}), keepdims=True))

    {code}
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total > 0, total, 1)
'''
SOFTMAX_WAYS = """
right own: each row by the largest score that is allowed in it
    e = np.exp(allowed - top(allowed, -1))
right near: any shift near the largest score does
    e = np.exp(allowed - top(allowed, -1) + 20)
right logarithms: the logarithm of the sum is a little above the largest score
    e = np.exp(allowed - finite(np.logaddexp.reduce(allowed, axis=-1, keepdims=True)))
right logarithms_alone: near 1e4 float32 has steps of 0.001, so its weights sum to 1 up to that
    return np.exp(allowed - finite(np.logaddexp.reduce(allowed, axis=-1, keepdims=True)))
right less_1e9: no two scores differ by that
    x = np.where(mask, scores, scores - 1e9); e = np.exp(x - top(x, -1)) * mask
right lowest: no score is below the lowest number
    x = np.where(mask, scores, np.finfo(scores.dtype).min); e = np.exp(x - top(x, -1)) * mask
right clipped_at_80: an exponential of 1e-35 is lost in the sum
    e = np.exp(np.maximum(allowed - top(allowed, -1), -80)) * mask
right epsilon: after the shift the sum is at least 1, or 0 where nothing is allowed
    e = np.exp(allowed - top(allowed, -1)); return e / (e.sum(axis=-1, keepdims=True) + 1e-9)
right less_2e4: wrong only beyond +-1e4, which is not promised: a forbidden 1e4 is then no larger than an allowed -1e4
    x = np.where(mask, scores, scores - 2e4); e = np.exp(x - top(x, -1)) * mask
right filled_1e4: wrong only for scores below -1e4, which are not promised
    x = np.where(mask, scores, -1e4); e = np.exp(x - top(x, -1)) * mask
wrong everything: a row far below any other one has only zeros
    e = np.exp(allowed - top(allowed, *range(-scores.ndim, 0)))
wrong matrix: a row far below that of another query has only zeros
    e = np.exp(allowed - top(allowed, -2, -1))
wrong batch: a row far below that of another sequence has only zeros
    e = np.exp(allowed - top(allowed, -scores.ndim, -1))
wrong heads: a row far below that of another head has only zeros
    e = np.exp(allowed - top(allowed, -3, -1))
wrong forbidden_too: beside a forbidden score of 1e4 an allowed one of -1e4 becomes 0
    e = np.exp(allowed - top(scores, -1))
wrong absolute: scores near -1e4 become 0
    e = np.exp(allowed - top(np.where(mask, np.abs(scores), 0), -1))
wrong at_least_0: scores near -1e4 become 0
    e = np.exp(allowed - np.maximum(top(allowed, -1), 0))
wrong mean: the largest score may be thousands above it
    e = np.exp(allowed - scores.mean(axis=-1, keepdims=True))
wrong first: the largest score may stand elsewhere
    e = np.exp(allowed - scores[..., :1])
wrong last: the largest score may stand elsewhere
    e = np.exp(allowed - scores[..., -1:])
wrong clipped_at_700: 9000 and 9001 become the same
    e = np.exp(np.clip(allowed, -700, 700)) * mask
wrong clipped_at_5: a score far below the largest one keeps a weight of 0.007
    e = np.exp(np.maximum(allowed - top(allowed, -1), -5)) * mask
wrong clipped_at_10: a score far below the largest one keeps a weight of 5e-5
    e = np.exp(np.maximum(allowed - top(allowed, -1), -10)) * mask
wrong less_1e4: a forbidden 1e4 still has a weight beside an allowed -1e4
    x = np.where(mask, scores, scores - 1e4); e = np.exp(x - top(x, -1))
wrong less_1e4_zeroed: beside a forbidden 1e4 an allowed -1e4 becomes 0
    x = np.where(mask, scores, scores - 1e4); e = np.exp(x - top(x, -1)) * mask
wrong filled_1e3: an allowed -1e4 is far below what fills the forbidden scores
    x = np.where(mask, scores, -1e3); e = np.exp(x - top(x, -1)) * mask
wrong filled_0: an allowed -1e4 is far below what fills the forbidden scores
    x = np.where(mask, scores, 0); e = np.exp(x - top(x, -1)) * mask
wrong scaled: large scores are divided by the largest one, and so are their differences
    size = top(np.abs(scores), -1); x = allowed / np.where(size > 1e3, size, 1); e = np.exp(x - top(x, -1))
wrong not_a_number: without a shift the sum is infinite, or 0
    e = np.nan_to_num(np.exp(allowed)); return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))
wrong half: float16 has steps of 8 at 1e4
    x = allowed.astype("float16").astype(float); e = np.exp(x - top(x, -1))
"""
LOG_SOFTMAX = """
def by_hand(x, targets):
    x = np.asarray(x, dtype="{dtype}")
    own = x - x.max(axis=-1, keepdims=True)
    p = np.exp(own) / np.exp(own).sum(axis=-1, keepdims=True)
    log = lambda shifted: shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return {code}
"""
LOG_SOFTMAX_WAYS = """
right own: each position by its largest logit
    log(own)
right logarithms: NumPy shifts each pair by the larger one
    x - np.logaddexp.reduce(x, axis=-1, keepdims=True)
wrong everything: a position far below any other one has only zeros
    log(x - x.max(initial=-np.inf))
wrong sentence: a position far below another one of its sentence has only zeros
    log(x - x.max(axis=(1, 2), keepdims=True, initial=-np.inf))
wrong batch: a position far below the same one of another sentence has only zeros
    log(x - x.max(axis=(0, 2), keepdims=True))
wrong absolute: logits near -1e4 become 0
    log(x - np.abs(x).max(axis=-1, keepdims=True))
wrong at_least_0: logits near -1e4 become 0
    log(x - np.maximum(x.max(axis=-1, keepdims=True), 0))
wrong first: the largest logit may stand elsewhere
    log(x - x[..., :1])
wrong mean: the largest logit may be thousands above it
    log(x - x.mean(axis=-1, keepdims=True))
wrong target: the target may be 2e4 below the largest logit
    log(x - np.take_along_axis(x, targets[..., None], axis=-1))
wrong p_from_1e-12: no loss is above 28
    np.log(np.maximum(p, 1e-12))
wrong p_and_1e-9: no loss is above 21
    np.log(p + 1e-9)
wrong clipped_at_700: no loss is above 1400
    log(np.clip(x, -700, 700))
wrong differences_clipped_at_700: no loss is above 700
    log(np.maximum(own, -700))
"""
#: Exercises in which a way is the other of right and wrong, and why.
OTHERWISE = [
    ("softmax attention_jacobian step_with_cache spatial_attention", "no score is forbidden there",
     "forbidden_too less_1e4 less_1e4_zeroed filled_1e3 filled_0"),
    ("attention_jacobian next_token_probabilities", "there is one row", "everything matrix batch heads"),
    ("step_with_cache", "each head of each sequence has one row", "matrix"),
    ("spatial_attention", "pictures and cells are the only axes", "heads"),
    ("next_token_probabilities", "what top-k and top-p drop is never larger than what they keep",
     "forbidden_too less_1e4 less_1e4_zeroed"),
    ("next_token_probabilities", "logits of -1e4 are divided by a temperature below 1", "filled_1e4"),
    ("spatial_attention", "for scores of +-1e4 weights count as equal up to 2e-3", "clipped_at_10"),
    ("next_token_probabilities", "an id of probability 0.25 no longer reaches a top_p of 0.25", "epsilon"),
]  # fmt: skip
NEXT = """
    kept, order = np.full(len(logits), True), np.argsort(-logits, kind="stable")
    if top_k is not None:
        kept[order[top_k:]] = False
    if top_p is not None:
        p = by_hand(logits / temperature, kept)[order]
        kept[order[np.cumsum(p) - p >= top_p]] = False
    return by_hand(logits / temperature, kept)
"""
LOGS = r"shifted = .*\n *log_probs = .*", "log_probs = by_hand(logits, targets)"
GIVEN = r"given_(masked_)?softmax\(", "by_hand("
ALONG = "return np.moveaxis(by_hand(np.moveaxis(x, axis, -1)), -1, axis)"
CELLS = "weights = by_hand(scores.reshape(len(grid), -1)).reshape(scores.shape)"
#: Notebook of each exercise, and what of its solution is replaced by what.
ANSWERS = {
    "masked_cross_entropy": ("01_seq2seq_bottleneck", *LOGS),
    "softmax": ("02_additive_attention", r"shifted = [\s\S]*", ALONG),
    "masked_softmax": ("02_additive_attention", r"allowed = [\s\S]*", "return by_hand(scores, mask)"),
    "scaled_dot_product_attention": ("03_dot_product_attention", *GIVEN),
    "keras_attention": ("03_dot_product_attention", *GIVEN),
    "attention_jacobian": ("03_dot_product_attention", *GIVEN),
    "multi_head_attention": ("04_multi_head_attention", *GIVEN),
    "causal_lm_loss": ("08_language_models", *LOGS),
    "next_token_probabilities": ("08_language_models", r" *p = np.exp[\s\S]*", NEXT),
    "step_with_cache": ("08_language_models", *GIVEN),
    "spatial_attention": ("09_attention_for_images", r"e = np.exp.*\n *weights = .*", CELLS),
}
#: A right way that is too rough in this precision: there weights sum to 1.0004 beside keys of 1e4.
TOO_ROUGH = [("attention_jacobian", "logarithms_alone", "float32")]


def ways(table):
    """List the ways of a table: whether it is right, its name, why, and the code."""
    return [(r == "right", *rest) for r, *rest in re.findall(r"(right|wrong) (\S+): (.*)\n    (.*)", table)]


def cases(right):
    """List exercises with the ways that are right there, in both precisions, or those that are wrong."""
    found = []
    for exercise, (assignment, *change) in ANSWERS.items():
        frame, table = (LOG_SOFTMAX, LOG_SOFTMAX_WAYS) if tuple(change) == LOGS else (SOFTMAX, SOFTMAX_WAYS)
        for as_a_rule, way, why, code in ways(table):
            other = [reason for which, reason, those in OTHERWISE if exercise in which.split() and way in those.split()]
            if right is not (as_a_rule is not bool(other)):
                continue
            for dtype in ("float64", "float32") if right else ("float64",):
                if (exercise, way, dtype) in TOO_ROUGH:
                    continue
                place = f"{assignment}-{exercise}-{way}" + f"-{dtype}" * right
                source = frame.format(code=code, dtype=dtype)
                found.append(pytest.param(exercise, source, other[0] if other else why, id=place))
    return found


@functools.cache
def results(assignment):
    """Run all answers to the exercises of a notebook; give what came of them by exercise and softmax."""
    found, nb = {}, read_notebook(COURSE.source(assignment))
    with Runner(nb, 1) as runner:
        for one in (exercise for exercise in exercises(nb) if exercise.name in ANSWERS):
            answer, replaced = re.subn(*ANSWERS[one.name][1:], one.answer)
            assert replaced, f"the solution of {one.name} is not as it was"
            right, wrong = ([c.values[1] for c in cases(r) if c.values[0] == one.name] for r in (True, False))
            tasks = [Task(one, s + answer) for s in right] + [Task(one, s + answer, stop_at_first=True) for s in wrong]
            ran = run_in_series(runner, tasks, one.answer, sure=lambda task, r: r.kept_all is not task.stop_at_first)
            found |= {(one.name, softmax): result for softmax, result in zip(right + wrong, ran, strict=True)}
    return found


@pytest.mark.parametrize(("exercise", "softmax", "why"), cases(right=False))
def test_a_wrong_way_loses_a_point(exercise, softmax, why):
    result = results(ANSWERS[exercise][0])[exercise, softmax]
    assert not result.kept_all, why
    # It did run, and a test saw what it got wrong.
    assert (result.answer_error, result.caught_by.error) == ("", "AssertionError"), str(result.caught_by)


@pytest.mark.parametrize(("exercise", "softmax", "why"), cases(right=True))
def test_a_right_way_keeps_all_points(exercise, softmax, why):
    result = results(ANSWERS[exercise][0])[exercise, softmax]
    assert result.kept_all, f"{why}, but {result.caught_by}"


def test_all_ways_are_right_for_small_scores():
    """So it is its large scores that a test catches a wrong one by."""
    rng = np.random.default_rng(0)
    scores, mask = rng.integers(-2, 3, size=(2, 3, 4, 5)) / 2, rng.random((2, 3, 4, 5)) < 0.7
    mask[..., 0] = True
    e = np.where(mask, np.exp(scores), 0)
    for _, way, _, code in ways(SOFTMAX_WAYS):
        space = {"np": np}
        exec(SOFTMAX.format(code=code, dtype="float64"), space)
        assert np.allclose(space["by_hand"](scores, mask), e / e.sum(axis=-1, keepdims=True), atol=1e-6), way
