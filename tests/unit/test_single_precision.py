"""A right answer that computes in single precision keeps all points, and its self-check does not object.

Lessons promise that either precision will do. In the lower one a number is rounded at about the seventh digit, and
which way depends on where a row stands in a batch, on the library and on the processor. So no test may ask that two
results are equal, or that nothing moved, more exactly than that. Here the arrays that the solution is given become
float32, and its results differ by a little, each number of each call by a sign of its own; a 0, as the weight of what
is masked, a 1 and a whole number stay. Exercises that are not about such numbers are listed with why.
"""

import functools

import pytest

from grader.audit.results import Task
from grader.audit.runner import Runner
from grader.audit.series import run_in_series
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

pytestmark = pytest.mark.slow  # and one worker runs all of them (`TOGETHER` in tests/conftest.py)
COURSE = Course.find()

#: By notebook and exercise what happens to each of its results: `row` differs by a share of the largest number of its
#: row, or of 1, `each` number by a share of itself, and `unit` as `row`, but stays within -1 and 1.
RESULTS = """
01_seq2seq_bottleneck
    rnn_encode: unit unit
    masked_cross_entropy: each
    quantize: unit
02_additive_attention
    softmax: each
    additive_scores: row
    masked_softmax: each
    additive_attention: row each
    attention_decoder_step: row row each
    alignment_accuracy: each
03_dot_product_attention
    similarity: row
    scaled_dot_product_attention: row each
    keras_attention: row each
    attention_jacobian: row
04_multi_head_attention
    multi_head_attention: row each
    is_permutation_equivariant: each
    previous_token_head: row row row
    convolution_as_attention: row row
05_positional_encoding
    sinusoidal_encoding: unit
    shift_matrix: unit
    add_positions: row
    rotary: row
06_transformer
    layer_norm: row
    feed_forward: row
    encoder_layer: row
    decoder_layer: row
07_training_and_decoding
    noam_learning_rate: each
    smooth_labels: each
    beam_search: each each
    bleu: each
08_language_models
    causal_lm_loss: each
    next_token_probabilities: each
    step_with_cache: row row
    leaks_future: each
09_attention_for_images
    spatial_attention: row each
    doubly_stochastic_penalty: each
    resize_positions: row
    attention_rollout: each
"""
#: Other exercises, and why nothing of this happens in them.
EXACT = {
    "pad_batch teacher_forcing greedy_decode exact_match_by_length": "ids, masks and shares of whole numbers",
    "causal_mask": "masks",
    "window_mask": "a mask, and a value that is copied whole: equal scores are equal, and nearly equal ones are not",
    "split_heads patchify": "numbers that are copied",
    "relative_bias": "numbers that are copied from a table",
    "binary_encoding": "bits",
    "mha_parameter_count transformer_parameter_count gpt2_parameter_count vit_parameter_count": "whole numbers",
    "build_transformer": "a model of Keras, in single precision itself",
    "train_bpe mask_tokens": "words and ids",
    "pointing_accuracy": "nearly equal is not equal there, it says, in float64 too; of the rest a share is taken",
}
#: Numbers of single precision are 1.2e-7 apart, and a layer rounds a few times.
SHARE = 5e-7
SINGLE = """
def _single(right, kinds, rng=np.random.default_rng({seed})):
    import functools

    def given(a):
        if isinstance(a, (list, tuple)):
            return type(a)(map(given, a))
        if isinstance(a, dict):
            return {{name: given(part) for name, part in a.items()}}
        if callable(a):
            return lambda *args, **options: given(a(*args, **options))
        return a.astype("float32") if isinstance(a, np.ndarray) and a.dtype == "float64" else a

    def rounded(a, kind):
        if isinstance(a, dict):
            return {{name: rounded(part, kind) for name, part in a.items()}}
        if isinstance(a, (int, np.integer, list)) or np.asarray(a).dtype.kind != "f":
            return a
        a = np.asarray(a, dtype="float32")
        size = np.abs(a) if kind == "each" else np.maximum(1, np.abs(a).max(axis=-1, keepdims=True, initial=0))
        moved = a + np.float32({share}) * size * rng.choice(np.float32([-1, 1]), a.shape)
        moved = np.clip(moved, -1, 1) if kind == "unit" else moved
        return np.where(np.isin(a, [-1, 0, 1]), a, moved)

    @functools.wraps(right)
    def single(*args, **options):
        got = right(*map(given, args), **given(options))
        return tuple(map(rounded, got, kinds)) if isinstance(got, tuple) else rounded(got, kinds[0])

    return single


{function} = _single({function}, {kinds})
"""
DRAWS = range(3)


def cases():
    """Yield assignment, exercise and kinds of results."""
    for line in RESULTS.strip().splitlines():
        if not line.startswith(" "):
            assignment = line
            continue
        name, kinds = line.strip().split(": ")
        yield assignment, name, kinds.split()


@functools.cache
def results(assignment):
    """Run all answers to the exercises of a notebook."""
    found, nb = {}, read_notebook(COURSE.source(assignment))
    kinds = {name: those for place, name, those in cases() if place == assignment}
    with Runner(nb, 1) as runner:
        for one in exercises(nb):
            if one.name in kinds:
                named = {"function": one.name, "kinds": kinds[one.name], "share": SHARE}
                sources = [one.answer + SINGLE.format(seed=seed, **named) for seed in DRAWS]
                tasks = [Task(one, source, self_check=True) for source in sources]
                found[one.name] = run_in_series(runner, tasks, one.answer, sure=lambda task, result: result.kept_all)
    return found


@pytest.mark.parametrize(
    ("assignment", "name"), [pytest.param(place, name, id=f"{place[:2]}-{name}") for place, name, _ in cases()]
)
def test_single_precision_keeps_all_points(assignment, name):
    for result in results(assignment)[name]:
        assert not result.answer_error
        assert [(cell.name, cell.line, cell.message) for cell in result.failed] == []
        assert not result.self_check_error
        assert [line for line in result.printed.splitlines() if line.startswith("--")] == []


def test_every_exercise_is_listed():
    listed = [name for _, name, _ in cases()] + " ".join(EXACT).split()
    there = [one.name for a in COURSE.assignments() for one in exercises(read_notebook(COURSE.source(a)))]
    assert sorted(listed) == sorted(there)
