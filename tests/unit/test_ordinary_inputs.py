"""Whoever takes something ordinary in an argument for something else loses points, since tests ask with it.

Random numbers hold no zeros, masks of a lesson are causal or end a sentence, and a mistake that only shows elsewhere
keeps all points. So each way takes an argument for another one before the solution sees it, and the audit runs the
test cells on that. Where a way changes nothing that the exercise promises, `HARMLESS` says why.
"""

import functools
import re

import pytest

from grader.audit.results import Task
from grader.audit.runner import Runner
from grader.audit.series import run_in_series
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

pytestmark = pytest.mark.slow  # and one worker runs all of them (`TOGETHER` in tests/conftest.py)
COURSE = Course.find()

#: By notebook and exercise the arguments that are arrays, with their numbers of axes; in front of them the function, if
#: it is another one than the exercise; a mask is an argument with "mask" in its name.
ARGUMENTS = """
01_seq2seq_bottleneck
    teacher_forcing: target 2
    rnn_encode: x 3, mask 2, w_x 2, w_h 2, b 1
    masked_cross_entropy: logits 3, targets 2, mask 2
    exact_match_by_length: predicted 2, target 2, lengths 1
    quantize: vectors 2
02_additive_attention
    softmax: x 3
    additive_scores: query 3, key 3, w_query 2, w_key 2, v 1
    masked_softmax: scores 3, mask 3
    additive_attention: query 3, value 3, key 3, w_query 2, w_key 2, v 1, mask 3
    attention_decoder_step: embedded 2, state 2, encoder_states 3, mask 2
    alignment_accuracy: weights 2
03_dot_product_attention
    similarity: query 3, key 3
    scaled_dot_product_attention: query 3, value 3, key 3, mask 3
    causal_mask padding_mask: ids 2
    keras_attention: query 3, value 3, key 3, query_mask 2, value_mask 2
    window_mask hard_attention: scores 2, value 2
    attention_jacobian: query 1, key 2, value 2
04_multi_head_attention
    split_heads: x 3
    split_heads merge_heads: x 4
    multi_head_attention: query 3, value 3, key 3, mask 4
    convolution_as_attention: x 2, kernel 3
05_positional_encoding
    binary_encoding: positions 1
    add_positions: ids 2, table 2, encoding 2
    relative_bias: table 1
    rotary: x 4
06_transformer
    layer_norm: x 3, gamma 1, beta 1
    feed_forward: x 3, w1 2, b1 1, w2 2, b2 1
    encoder_layer: x 3, mask 3
    decoder_layer: x 3, memory 3, self_mask 3, memory_mask 3
07_training_and_decoding
    smooth_labels: targets 1
08_language_models
    mask_tokens: ids 2
    causal_lm_loss: logits 3, ids 2
    next_token_probabilities: logits 1
    step_with_cache: x 2
09_attention_for_images
    patchify: images 4
    patchify unpatchify: patches 3
    spatial_attention: state 2, grid 4, w_state 2, w_grid 2, v 1
    doubly_stochastic_penalty: weights 3, mask 2
    pointing_accuracy: maps 3, boxes 2
    resize_positions: table 2
"""
#: What an array `x` is taken for; `k` is one of its axes.
NUMBERS = {
    "zeros": "np.where(x == 0, 1, x).astype(x.dtype)",
    "negative": "np.maximum(x, 0)",
    "positive": "np.minimum(x, 0)",
}
AXES = {
    "first": "np.broadcast_to(x.take([0], k), x.shape)",  # the first row's, say, taken for all
    "last": "np.broadcast_to(x.take([-1], k), x.shape)",
    "one": "np.zeros(0)[1] if x.shape[k] == 1 else x",  # an error, if the axis has the length 1
}
MASKS = {
    "causal": "x & np.tri(x.shape[-2], dtype=bool) if x.shape[-2] == x.shape[-1] else x",
    "itself": "x | np.eye(x.shape[-2], dtype=bool) if x.shape[-2] == x.shape[-1] else x",
    "holes": "np.flip(np.maximum.accumulate(np.flip(x, -1), -1), -1)",  # up to the last True
    "begin": "np.maximum.accumulate(x, -1)",
    "end": "np.minimum.accumulate(x, -1)",
    "row": "np.where(x.any(-1, keepdims=True), x, True)",  # a row that may attend to nothing
    "column": "np.where(x.any(-2, keepdims=True), x, True)",  # a place that is forbidden everywhere
}
#: Functions, arguments and ways that change nothing of what is promised, and why.
HARMLESS = [
    ("teacher_forcing masked_cross_entropy exact_match_by_length smooth_labels", "target targets predicted", "negative",
     "an id is not negative there"),
    ("add_positions mask_tokens causal_lm_loss", "ids", "negative", "ids are from 0 to vocab_size - 1"),
    ("exact_match_by_length", "lengths", "zeros negative", "lengths are from 1 to T"),
    ("binary_encoding", "positions", "negative", "none of them is negative"),
    ("alignment_accuracy doubly_stochastic_penalty", "weights", "negative", "attention weights are not negative"),
    ("pointing_accuracy", "boxes", "negative one-1", "boxes lie in the map and have four numbers"),
    ("attention_decoder_step", "mask", "row", "each sentence has a real word"),
    ("keras_attention", "value_mask", "row", "rows with all keys masked are not tested, it says"),
    ("attention_decoder_step", "embedded state encoder_states", "one-1", "nothing says that a width may be 1"),
    ("encoder_layer decoder_layer", "x memory", "one-1", "B, T and S may be 1, and D is not said to"),
    ("rotary", "x", "one-1", "K is even"),
    ("add_positions", "table", "one-2", "a vocabulary of one word is not said to occur"),
]  # fmt: skip
TAKEN = """
def _taken(right, name, how):
    import functools, inspect
    signature = inspect.signature(right)
    @functools.wraps(right)
    def wrong(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        x = given.arguments.get(name)
        if x is not None and np.ndim(x) >= {axes}:
            given.arguments[name] = how(np.asarray(x))
        return right(*given.args, **given.kwargs)
    return wrong
{function} = _taken({function}, {argument!r}, lambda x: {how})
"""


def arguments():
    """Yield assignment, exercise, function, argument and its number of axes."""
    for line in ARGUMENTS.strip().splitlines():
        if not line.startswith(" "):
            assignment = line
            continue
        names, those = line.strip().split(": ")
        for argument, axes in re.findall(r"(\w+) (\d)", those):
            yield assignment, names.split()[0], names.split()[-1], argument, int(axes)


def ways(argument, axes):
    """Yield the name of each way, what `x` becomes in it, and how many axes it needs."""
    is_mask = "mask" in argument
    for way, how in (MASKS if is_mask else NUMBERS).items():
        if axes > 2 or way not in ("causal", "itself"):  # of sentences and places nobody expects a square
            yield way, how, 2 if is_mask else 1
    for k in range(-axes, 0):
        for way, how in AXES.items():
            yield f"{way}{k}", re.sub(r"\bk\b", str(k), how), -k


def cases(harmless):
    """List the ways that are wrong, or those that are harmless."""
    found = []
    for assignment, exercise, function, argument, axes in arguments():
        for way, how, least in ways(argument, axes):
            tables = [[names.split() for names in those] for *those, _ in HARMLESS]
            if harmless is any(function in one and argument in two and way in three for one, two, three in tables):
                source = TAKEN.format(axes=least, function=function, argument=argument, how=how)
                place = f"{assignment[:2]}-{function}-{argument}-{way}"
                found.append(pytest.param(assignment, exercise, source, id=place))
    return found


@functools.cache
def results(assignment):
    """Run all answers to the exercises of a notebook."""
    found, nb = {}, read_notebook(COURSE.source(assignment))
    with Runner(nb, 1) as runner:
        for one in exercises(nb):
            sources = [c.values[2] for c in cases(False) + cases(True) if c.values[:2] == (assignment, one.name)]
            tasks = [Task(one, one.answer + source, stop_at_first=True) for source in sources]
            if tasks:
                ran = run_in_series(runner, tasks, one.answer, sure=lambda task, result: True)
                found |= {(one.name, source): result for source, result in zip(sources, ran, strict=True)}
    return found


@pytest.mark.parametrize(("assignment", "exercise", "source"), cases(harmless=False))
def test_what_is_taken_for_something_else_loses_a_point(assignment, exercise, source):
    result = results(assignment)[exercise, source]
    assert not result.answer_error
    assert not result.kept_all


@pytest.mark.parametrize(("assignment", "exercise", "source"), cases(harmless=True))
def test_what_is_harmless_loses_nothing(assignment, exercise, source):
    """Else it belongs to the others."""
    assert results(assignment)[exercise, source].kept_all
