"""What notebook 8 runs around the answers: texts, counting models, the stack, the writer, the two questions."""

import numpy as np
import pytest
from helpers import (
    count_models,
    language_figures,
    language_lesson,
    libraries_task,
    manuals,
    small_stack,
    stack_training,
    subwords,
    writing,
)


def test_texts_come_back_from_their_subwords():
    cut = subwords.Subwords([(" ", "t"), (" t", "h"), ("i", "n")])
    assert cut.cut(" thin") == [" th", "in"]
    assert cut.decode(cut.encode("thin, in 1.5 things")).strip() == "thin, in 1.5 things"


def test_targets_are_one_position_later():
    inputs, targets = subwords.windows([[5, 6, 7], [8, 9]], length=3)
    assert inputs.tolist() == [[subwords.END, 5, 6], [7, subwords.END, 8]]
    assert targets.tolist() == [[5, 6, 7], [subwords.END, 8, 9]]


def test_nothing_held_out_is_learned_from():
    texts = {"one": [[f"text number {n}."] for n in range(200)]}
    kept, aside = subwords.hold_out(texts)
    assert sorted(kept["one"] + aside["one"]) == sorted(texts["one"])
    assert 5 < len(aside["one"]) < 40


def test_paragraphs_are_prose_without_the_libraries_names():
    cleaned = manuals._clean("Return the `numpy` array, see\nKeras (and more).")
    assert cleaned == "return the array, see (and more)."
    assert manuals._clean(">>> np.ones(3)") == manuals._clean("no capital letter.") == ""


def test_counting_knows_what_follows_what():
    losses = count_models.counted_losses([[3, 4, 5] * 30], [[3, 4, 5] * 5], vocab_size=8)
    assert losses["trigram"] < 0.5
    assert losses["bigram"] < 0.5 < losses["unigram"]
    assert count_models.counted([[3, 4, 5]], vocab_size=8)([4, 3]).shape == (3, 3)  # the end is predicted as well


@pytest.mark.parametrize(
    ("settings", "moved"),
    [
        ({"causal": True}, {2, 3, 4, 5}),
        ({"causal": False, "near": 1}, {1, 2, 3}),
        ({"causal": False}, {0, 1, 2, 3, 4, 5}),
    ],
)
def test_a_mask_decides_which_rows_a_changed_id_reaches(settings, moved):
    stack = stack_training.new_stack(9, length=6, d_model=8, num_heads=2, num_layers=1, **settings)
    ids = np.array([[3, 4, 5, 6, 7, 8]])
    changed = ids.copy()
    changed[0, 2] = 8
    difference = np.abs(np.asarray(stack(changed)) - np.asarray(stack(ids))).max(axis=-1)[0]
    assert set(np.flatnonzero(difference > 1e-6).tolist()) == moved


def test_only_the_first_layer_is_near():
    stack = stack_training.new_stack(9, length=6, d_model=8, num_heads=2, num_layers=2, causal=False, near=1)
    ids = np.array([[3, 4, 5, 6, 7, 8]])
    changed = np.array([[8, 4, 5, 6, 7, 8]])
    difference = np.abs(np.asarray(stack(changed)) - np.asarray(stack(ids))).max(axis=-1)[0]
    assert (difference > 1e-7).all()


def test_the_writer_is_the_stack():
    stack = stack_training.new_stack(9, length=6, d_model=8, num_heads=2)
    ids = np.array([2, 4, 5, 6, 7])
    np.testing.assert_allclose(writing.Writer(stack).logits(ids), np.asarray(stack(ids[None]))[0], atol=1e-5)


def test_positions_begin_as_sines_and_cosines():
    waves = np.asarray(small_stack.begin_as_waves((5, 4)))
    np.testing.assert_allclose(waves[:, 0], 0.1 * np.sin(np.arange(5)), atol=1e-6)
    np.testing.assert_allclose(waves[:, 3], 0.1 * np.cos(np.arange(5) / 100), atol=1e-6)


def test_all_classes_are_tested_equally():
    texts, labels = libraries_task.evenly(list("abcdefg"), np.array([0, 1, 0, 1, 1, 2, 2]))
    assert texts == ["a", "c", "b", "d", "f", "g"]
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]


def test_few_labels_are_drawn_from_each_class():
    labels = np.repeat([0, 1, 2], 20)
    places = libraries_task.few_labels(labels, 4, seed=1)
    assert np.bincount(labels[places]).tolist() == [4, 4, 4]
    assert len(set(places.tolist())) == 12


def test_words_decide_when_only_words_are_counted():
    texts = ["red fish", "blue bird", "green tree", "grey stone"]
    new = ["a stone", "a bird", "the fish", "that tree"]
    assert libraries_task.count_words_alone(texts, np.arange(4), new).tolist() == [3, 1, 0, 2]


def test_the_order_is_judged_by_the_loss():
    cut = subwords.Subwords([])
    stack = stack_training.new_stack(len(cut), length=16, d_model=8, num_heads=2, num_layers=1)
    texts = ["ab cd", "ab cd ef.", "one", "same same"]  # the last two cannot be swapped
    calls = []

    def loss(logits, ids, pad_id):
        calls.append(cut.decode(ids[0]))
        assert logits.shape == (1, 16, len(cut))
        assert pad_id == subwords.PAD
        return float("ab cd" not in calls[-1])

    share = libraries_task.share_in_order(stack, cut, texts, loss)
    assert len(calls) == 4
    assert share == np.mean(["ab cd" not in swapped for swapped in calls[1::2]])
    assert 0 <= libraries_task.share_in_order(stack, cut, texts) <= 1


def test_pairs_that_were_counted_judge_the_order_too():
    cut = subwords.Subwords([])
    read = [cut.encode("ab cd")] * 9
    assert libraries_task.counted_in_order(read, cut, ["ab cd", "ab cd.", "one"], length=64) == 1


def test_a_swap_that_the_stack_does_not_read_is_judged_by_nobody():
    cut = subwords.Subwords([])
    texts = ["ab " * 9 + "cd ef", "gh ij"]
    whole, read = (libraries_task._both_orders(cut, texts, length, seed=0) for length in (64, 16))
    assert len(whole) % 2 == len(read) % 2 == 0
    swaps = [libraries_task._both_orders(cut, texts[:1], 16, seed) for seed in range(9)]
    assert swaps == [[]] * 9  # all that differs is behind symbol 16
    assert [cut.decode(ids) for ids in read] == ["gh ij", "ij gh"]
    assert all(ids[0] == subwords.END and len(ids) <= 16 for ids in read)


def test_both_models_judge_what_the_stack_reads(monkeypatch):
    cut, seen = subwords.Subwords([]), []
    stack = stack_training.new_stack(len(cut), length=12, d_model=8, num_heads=2, num_layers=1)

    def loss(logits, ids, pad_id):
        seen.append([i for i in ids[0] if i != pad_id])
        return 0.0

    def counted(training, size):
        return lambda ids: counts.append([subwords.END, *ids]) or np.zeros((len(ids) + 1, 3))

    counts, texts = [], ["ab cd ef gh ij", "ab cd", "kl mn"]
    libraries_task.share_in_order(stack, cut, texts, loss)
    monkeypatch.setattr(libraries_task, "counted", counted)
    libraries_task.counted_in_order([], cut, texts, length=12)
    assert seen == counts
    assert len(seen) >= 4


def test_keeping_keys_and_values_changes_no_output():
    rng = np.random.default_rng(3)
    weights = {k + p: rng.normal(size=(8, 8) if k == "w_" else 8) / 4 for p in "qkvo" for k in ("w_", "b_")}
    x = rng.normal(size=(5, 8))
    kept = {n: x @ weights["w_" + n] + weights["b_" + n] for n in "kv"}
    for part in kept.values():
        part[-1] = np.nan
    last = writing.attend_anew(x, weights, 2, kept)
    np.testing.assert_allclose(last, writing.attend_anew(x, weights, 2)[-1:])


def test_the_clock_needs_no_answer(capsys):
    times = writing.time_steps(None, lengths=(8, 512))
    lines = capsys.readouterr().out.splitlines()
    assert [line.count(" ms") for line in lines] == [0, 2, 2]
    assert times >= 2  # with the lesson's 1,024 positions it is far more


def test_filters_that_wait_for_an_answer_are_named(capsys):
    cut = subwords.Subwords([])
    stack = stack_training.new_stack(len(cut), length=16, d_model=8, num_heads=2, num_layers=1)
    for shape in (None, lambda logits, *_: np.full(len(logits), 1 / len(logits))):
        settings = [(1.0, None, None), (1.0, 20, None), (1.0, None, 0.9)]
        language_lesson.print_samples(writing.Writer(stack), cut, "ab", shape, settings)
        labels = [line.split("]")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
        waiting = [label.endswith("(not applied before exercise 8.4)") for label in labels]
        assert waiting == [False, shape is None, shape is None]


@pytest.mark.parametrize(
    ("guess", "verdict"),
    [
        (None, "measured one / two; you made no prediction"),
        ("one", "measured one; you predicted one, which is right"),
        ("two", "measured two; you predicted two, which is right"),
        ("three", "measured one / two; you predicted three, which is wrong"),
        ("four", "none of the answers to choose from: one, two, three"),
    ],
)
def test_a_tie_has_two_right_answers(guess, verdict, capsys):
    runs = {"one": [0.7, 0.7, 0.6], "two": [0.6, 0.6, 0.7], "three": [0.5, 0.5, 0.5]}
    language_figures.settle_best({"accuracy": {way: {10: some} for way, some in runs.items()}}, guess, 10)
    assert verdict in capsys.readouterr().out


def test_a_blank_alone_is_named():
    cut = subwords.Subwords([(" ", "t")])
    assert [cut.show(cut.ids[s]) for s in (" ", " t", "t")] == ["·(blank)", "·t", "t"]
