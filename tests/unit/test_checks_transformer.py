"""The self-checks of notebooks 6 and 7: silent on right answers, a word for each usual mistake, never an exception."""

import ast
import functools
from pathlib import Path

import keras
import numpy as np
import pytest
from helpers import (
    checks_bleu,
    checks_build,
    checks_counting,
    checks_decoder_layer,
    checks_layers,
    checks_recipe,
    checks_search,
    checks_transformer,
    transformer_slips,
)

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENTS = ("06_transformer", "07_training_and_decoding")
CHECKS = {
    "layer_norm": checks_transformer.check_layer_norm,
    "feed_forward": checks_transformer.check_feed_forward,
    "encoder_layer": checks_layers.check_encoder_layer,
    "decoder_layer": checks_decoder_layer.check_decoder_layer,
    "noam_learning_rate": checks_recipe.check_noam_learning_rate,
    "smooth_labels": checks_recipe.check_smooth_labels,
    "beam_search": checks_search.check_beam_search,
    "transformer_parameter_count": checks_counting.check_transformer_parameter_count,
    "bleu": checks_bleu.check_bleu,
}
FILES = {path.stem: path for name in ASSIGNMENTS for path in (ROOT / "grader" / "catalogue" / name).glob("*.py")}
VARIANTS = [(name, variant) for name in CHECKS for variant in read_catalogue(FILES[name]).variants]


@pytest.fixture(scope="module")
def given():
    """Return what the given cells of both notebooks define."""
    space = {"functools": functools, "np": np, "keras": keras}
    for cell in (cell for name in ASSIGNMENTS for cell in read_notebook(Course(ROOT).source(name)).cells):
        if kind_of(cell) is CellKind.GIVEN and not cell.source.startswith("def model_logits"):
            exec(compile(ast.parse(cell.source), cell.id, "exec"), space)
    return space


def remarks(printed):
    """Return the lines that object; a word in a line that says "ok" recognises nothing."""
    return "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=[f"{n}-{v.kind}-{v.name}" for n, v in VARIANTS])
def test_variants_of_the_catalogue(name, variant, given, capsys):
    space = dict(given)
    exec(variant.source, space)
    capsys.readouterr()
    assert CHECKS[name](space[name]) is None
    printed = capsys.readouterr().out
    if variant.kind == "right":
        assert "--  " not in printed
        assert f"{name}: all of these hold" in printed
    elif variant.self_check:
        assert variant.self_check in remarks(printed)
        assert "--  " in printed


SLIPS_OF_THE_DECODER = {
    "cross-attention takes the weights of self-attention": ('weights["cross_attention"]', 'weights["self_attention"]'),
    "norm2 serves twice": ('weights["norm3"]', 'weights["norm2"]'),
    "the last residual carries the layer's x": ("z + given_feed_forward", "x + given_feed_forward"),
    "value (2, 5, 4) and key (2, 3, 4) come from the same words": ("(y, memory, memory", "(y, memory, y"),
    "there the keys of cross-attention come from the decoder": ("(y, memory, memory", "(y, memory, y"),
    "(2, 3, 4) and (2, 5, 4) do not fit together": ("(y, memory, memory", "(memory, y, y"),
    "there the memory asks in cross-attention": ("(y, memory, memory", "(memory, y, y"),
}


@pytest.mark.parametrize("said", SLIPS_OF_THE_DECODER)
def test_slips_of_the_decoder_layer_are_named(said, given, capsys):
    right = """
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    y = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = given_layer_norm(x + y, **weights["norm1"])
    z = given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    z = given_layer_norm(y + z, **weights["norm2"])
    return given_layer_norm(z + given_feed_forward(z, **weights["ffn"]), **weights["norm3"])
"""
    for source, expected in (
        (right, "decoder_layer: all of these hold"),
        (right.replace(*SLIPS_OF_THE_DECODER[said]), said),
    ):
        space = dict(given)
        exec(source, space)
        checks_decoder_layer.check_decoder_layer(space["decoder_layer"])
        assert expected in remarks(capsys.readouterr().out)


def test_an_error_that_equal_lengths_do_not_explain_gets_no_name(given, capsys):
    def decoder_layer(x, memory, weights, *others):
        memory = memory if memory.shape == x.shape else memory + x
        return given["given_multi_head_attention"](x, memory, memory, weights["cross_attention"], 1)[0] * 0.7

    checks_decoder_layer.check_decoder_layer(decoder_layer)
    printed = capsys.readouterr().out
    assert "do not fit together" in printed
    assert "With a memory as long as the target" not in printed


@pytest.mark.parametrize("transposed", ["w1", "w2"])
def test_a_transposed_matrix_of_the_feed_forward_is_explained(transposed, capsys):
    def feed_forward(x, w1, b1, w2, b2):
        w1, w2 = (w1.T, w2) if transposed == "w1" else (w1, w2.T)
        return np.maximum(x @ w1 + b1, 0) @ w2 + b2

    checks_transformer.check_feed_forward(feed_forward)
    printed = capsys.readouterr().out
    assert "`@` sums over the last axis of its left array" in printed
    assert "matmul: " not in printed


@pytest.mark.parametrize("name", CHECKS)
def test_not_written_yet(name, capsys):
    def stub(*args):
        raise NotImplementedError

    CHECKS[name](stub)
    assert capsys.readouterr().out == f"{name}: not written yet\n"


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("odd", [None, "text", [], float("nan"), np.zeros((7, 7)), {"a": 1}], ids=str)
def test_odd_results_end_the_check_in_peace(name, odd, capsys):
    CHECKS[name](lambda *args: odd)
    assert "--  " in capsys.readouterr().out


def fake_model(config, seed, source, target, *flags):
    """Logits that depend on nothing but the target's own word."""
    logits = np.asarray(target)[..., None] * np.linspace(-1, 1, config["target_vocab_size"])
    return logits, np.array(list(checks_build._expected_sizes(config["norm_first"]).elements())), np.ones(9)


@pytest.mark.parametrize(
    ("step", "rate"), [(36, lambda n: 0.75 / 9 / max(n - 8, 9) ** 0.5), (1, lambda n: min(n * 9**-1.5, n**-0.5 / 4))]
)
def test_the_question_about_the_branches_is_about_a_step_that_is_wrong(step, rate, capsys):
    right = {n: 0.25 * min(n**-0.5, n * 9**-1.5) for n in range(1, 99)}

    def noam_learning_rate(n, width, warmup):
        return rate(n) if n >= step else right[n]

    checks_recipe.check_noam_learning_rate(noam_learning_rate)
    assert f"What is each branch at step {step}?" in capsys.readouterr().out


def test_build_without_a_source_is_noticed(capsys):
    checks_build.check_build_transformer(None, fake_model)
    printed = capsys.readouterr().out
    assert "ok  no look-ahead" in printed
    assert "--  the source has influence" in printed


def model_of(raises=lambda ids: False, **slip):
    """Return a `model_logits` that computes the logits of a model with a known mistake, sentence by sentence."""

    def model_logits(config, seed, source, target, training=False, backward=False):
        source, target = np.asarray(source), np.asarray(target)
        if raises(source):
            raise ValueError("Incompatible shapes: [2,2,4,4] vs. [1,1,2,4] [Op:LogicalAnd] name:")
        options = {"norm_first": config["norm_first"], "dropped": training, **slip}
        if "sides" in options:
            options["flat"] = dict.fromkeys(options.pop("sides"), source != 0) if len(source) > 1 else {}
        pairs = enumerate(zip(source, target, strict=True))
        logits = np.stack([transformer_slips.slipped_logits(*pair, row=n, **options) for n, pair in pairs])
        sizes = np.array(list(checks_build._expected_sizes(config["norm_first"]).elements()))
        return logits, sizes, np.ones(len(sizes))

    return model_logits


@pytest.mark.parametrize("sides", [("encoder", "cross"), ("encoder",), ("cross",)])
def test_a_mask_without_an_axis_for_the_queries_is_named(sides, capsys):
    def other_sizes(ids):
        return len(ids) not in (1, ids.shape[1])

    checks_build.check_build_transformer(None, model_of(other_sizes, sides=sides))
    assert "--  two sentences at once run. Hint: a mask of the source is (B, S)" in capsys.readouterr().out


def test_another_error_of_a_batch_is_not_named(capsys):
    checks_build.check_build_transformer(None, model_of(lambda ids: len(ids) == 2, relu=""))
    printed = capsys.readouterr().out
    assert "--  two sentences at once run. One alone runs; two raise ValueError: Incompatible shapes" in printed
    assert "(B, S)" not in printed


def test_an_inverted_mask_of_the_source_is_named(capsys):
    checks_build.check_build_transformer(None, model_of(masked=("encoder", "cross", "inverted")))
    assert "Hint: the source's mask seems inverted" in capsys.readouterr().out


def test_a_decoder_layer_that_reads_an_encoder_layer_of_its_own_is_named(capsys):
    checks_build.check_build_transformer(None, model_of(memory="own"))
    printed = capsys.readouterr().out
    line = "--  the logits of a right post-norm model. "
    assert f"{line}Hint: each decoder layer reads an encoder layer of its own; all read the" in printed


def test_a_function_that_build_transformer_calls_is_noticed_when_it_changes(given, capsys):
    space = dict(given)
    (exercise,) = (one for one in exercises(read_notebook(Course(ROOT).source(ASSIGNMENTS[0]))) if one.adapters)
    for source in (exercise.answer, *exercise.adapters):
        exec(source, space)
    right = space["add_sublayer"]
    for function, holds in ((right, True), (lambda x, compute, config: compute(x), False), (right, True)):
        space["add_sublayer"] = function
        checks_build.check_build_transformer(space["build_transformer"], space["model_logits"])
        assert ("all of these hold" in capsys.readouterr().out) == holds


def test_build_not_written_yet(capsys):
    def model_logits(*args):
        raise NotImplementedError

    checks_build.check_build_transformer(None, model_logits)
    assert capsys.readouterr().out == "build_transformer: not written yet\n"
