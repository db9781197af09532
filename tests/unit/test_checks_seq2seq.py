"""The self-checks of notebook 1: silent on right answers, a word for each usual mistake, never an exception."""

from pathlib import Path

import keras
import numpy as np
import pytest
from helpers import checks_decoding, checks_encoder, checks_exact_match, checks_greedy, checks_quantize, checks_seq2seq

from grader.core.catalogue import read_catalogue

FOLDER = Path(__file__).resolve().parents[2] / "grader" / "catalogue" / "01_seq2seq_bottleneck"
CHECKS = {
    "pad_batch": checks_seq2seq.check_pad_batch,
    "teacher_forcing": checks_seq2seq.check_teacher_forcing,
    "rnn_encode": checks_encoder.check_rnn_encode,
    "masked_cross_entropy": checks_decoding.check_masked_cross_entropy,
    "greedy_decode": checks_greedy.check_greedy_decode,
    "exact_match_by_length": checks_exact_match.check_exact_match_by_length,
    "quantize": checks_quantize.check_quantize,
}
VARIANTS = [(name, variant) for name in CHECKS for variant in read_catalogue(FOLDER / f"{name}.py").variants]


def run_check(name, function, capsys):
    capsys.readouterr()
    assert CHECKS[name](function) is None
    return capsys.readouterr().out


def remarks(printed):
    """Return the lines that object; a word in a line that says "ok" recognises nothing."""
    return "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=[f"{n}-{v.kind}-{v.name}" for n, v in VARIANTS])
def test_variants_of_the_catalogue(name, variant, capsys):
    space = {"np": np, "keras": keras}
    exec(variant.source, space)
    printed = run_check(name, space[name], capsys)
    if variant.kind == "right":
        assert "--  " not in printed
        assert f"{name}: all of these hold" in printed
    elif variant.self_check:
        assert variant.self_check in remarks(printed)
        assert "--  " in printed


@pytest.mark.parametrize("name", CHECKS)
def test_not_written_yet(name, capsys):
    def stub(*args):
        raise NotImplementedError("not written yet")

    assert run_check(name, stub, capsys) == f"{name}: not written yet\n"


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("result", [None, 3.5, "text", [], (), {}, np.zeros((2, 2)), (None, None), {"a": "b"}, [["x"]]])
def test_odd_results_do_not_raise(name, result, capsys):
    printed = run_check(name, lambda *args: result, capsys)
    assert "--  " in printed


def test_most_wrong_answers_are_recognised_by_name():
    wrong = [variant for _, variant in VARIANTS if variant.kind == "wrong"]
    assert sum(bool(variant.self_check) for variant in wrong) >= 0.7 * len(wrong)


def findings(printed):
    return [line for line in printed.splitlines() if line.startswith("--  ")]


@pytest.mark.parametrize(
    ("name", "variant", "number"),
    [
        ("teacher_forcing", "changes_its_input", 1),
        ("teacher_forcing", "swapped", 1),
        ("masked_cross_entropy", "double_softmax", 1),
        ("masked_cross_entropy", "logits_times_mask", 1),
        ("masked_cross_entropy", "one_maximum_for_all", 1),
        ("exact_match_by_length", "divides_by_all_rows", 1),
    ],
)
def test_one_finding_for_one_mistake(name, variant, number, capsys):
    source = next(v.source for n, v in VARIANTS if (n, v.name) == (name, variant))
    space = {"np": np, "keras": keras}
    exec(source, space)
    assert len(findings(run_check(name, space[name], capsys))) == number


def test_ids_as_an_index_get_a_hint(capsys):
    def indexes_the_sentences(logits, targets, mask):
        return -logits[targets][mask].mean()

    printed = run_check("masked_cross_entropy", indexes_the_sentences, capsys)
    assert "IndexError" in printed
    assert "np.take_along_axis" in printed


@pytest.mark.parametrize(
    "places",
    [lambda x: np.floor(np.clip(x, -1, 0.99) * 2) / 2, lambda x: (np.floor(np.clip(x, -1, 0.99) * 2) + 0.5) / 2],
)
def test_levels_without_an_end_get_a_hint(places, capsys):
    printed = run_check("quantize", lambda vectors, bits: places(vectors), capsys)
    assert "Both ends are levels" in printed


@pytest.mark.parametrize("name", CHECKS)
def test_no_line_is_printed_twice(name, capsys):
    source = next(v.source for n, v in VARIANTS if n == name and v.kind == "right")
    space = {"np": np, "keras": keras}
    exec(source, space)
    lines = run_check(name, space[name], capsys).splitlines()
    assert len(lines) == len(set(lines))
