"""Figures of notebook 6, the suspects and the demonstrations' Transformer."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import (
    decoding_steps,
    diagrams_transformer,
    layer_costs,
    plots,
    suspects_transformer,
    translator,
    translator_figures,
)


@pytest.fixture
def shown(monkeypatch):
    seen = []
    for module in (decoding_steps, diagrams_transformer, translator_figures, layer_costs, plots):
        monkeypatch.setattr(module, "show", lambda figure, alt: seen.append((figure, alt)))
    yield seen
    plt.close("all")


def overlapping(figure):
    """Give the texts of the first axes that lie over each other."""
    figure.canvas.draw()
    texts = figure.axes[0].texts
    boxes = [t.get_window_extent() for t in texts]
    pairs = [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]
    return [(texts[i].get_text(), texts[j].get_text()) for i, j in pairs]


def test_both_places_of_the_norm_are_drawn(shown):
    diagrams_transformer.show_norms_diagram()
    figure, alt = shown[0]
    texts = [t.get_text() for t in figure.axes[0].texts]
    assert {"post-norm", "pre-norm"} <= set(texts)
    assert texts.count("layer norm") == 4
    assert texts.count("feed-forward") == 2
    first, second = (texts.index(name) for name in ("post-norm", "pre-norm"))
    order = {name: [t for t in part if t in ("layer norm", "self-attention")]
             for name, part in (("post", texts[:first]), ("pre", texts[first:second]))}  # fmt: skip
    assert len(order["post"]) == len(order["pre"]) == 3
    assert "no norm of the sum" in alt
    assert not overlapping(figure)


def test_whole_transformer_shows_its_words(shown):
    diagrams_transformer.show_transformer_diagram(["twenty", "three"], ["<start>", "drei"], "und")
    figure, alt = shown[0]
    texts = [t.get_text() for t in figure.axes[0].texts]
    assert {"twenty three", "<start> drei", "und"} <= set(texts)
    assert [texts.count(letter) for letter in "QKV"] == [3, 3, 3]  # one of each for every attention
    assert {"(B, S, D)", "(B, T, D)", "(B, T, vocab_size)"} <= set(texts)
    assert "twenty three" in alt
    assert not overlapping(figure)


def test_counts_of_heads():
    weights = np.eye(3)[None]
    assert translator_figures.share_on_gold(weights, [[{0}, set(), {0}]]) == 0.5
    assert np.allclose(translator_figures.weight_by_distance(np.eye(4)[None], np.ones((1, 4), bool)), np.eye(7)[3])
    assert translator_figures.weight_by_distance(np.ones((1, 5, 5)), np.ones((1, 5), bool)).tolist() == [1.0] * 7
    padded = np.ones((1, 5, 5))
    padded[:, 4], padded[:, :, 4] = 9, 9
    real = np.array([[True, True, True, True, False]])
    assert translator_figures.weight_by_distance(padded, real).tolist() == [1.0] * 7


def test_figures_say_what_they_show(shown):
    maps = np.full((2, 2, 3, 2), 0.5)
    translator_figures.show_all_heads(maps, list("abc"), list("xy"), "Maps", [{0}, set(), {1}])
    translator_figures.show_habits({"encoder 1.1": np.eye(7)[2]}, "Habits")
    translator_figures.show_by_words([8, 9, 10], {"Transformer": [[1.0, 0.9, 0.2], [1.0, 1.0, 0.0]]}, 9, "Longer")
    layer_costs.show_growth((64, 128), {"recurrent": [1.0, 2.0]}, "Growth")
    layer_costs.show_schedule(4000, (512,))
    alts = [alt for _, alt in shown]
    assert "layer 2 head 1" in alts[0]
    assert "encoder 1.1: -1 1.00" in alts[1]
    assert "up to 9 words" in alts[2]
    assert "10 words 0.10" in alts[2]
    assert "x 2.0" in alts[3]
    assert "6.98771e-04" in alts[4]


def test_measured_layers_have_a_time_for_each_length():
    seconds = layer_costs.measure_layers(width=4, lengths=(3, 5), repeats=1)
    assert {len(times) for times in seconds.values()} == {2}
    assert min(min(times) for times in seconds.values()) > 0


def test_suspects_are_as_described():
    models = suspects_transformer.make_whole_suspects()
    assert list(models) == list(suspects_transformer.WHOLE_SUSPECTS)
    source, target = np.array([[3, 7, 4, 0, 0]]), np.array([[1, 6, 2]])
    late = np.array([[1, 6, 5]])
    for letter, (encode, decode, loss) in models.items():
        logits = decode(encode(source), source, target)
        assert logits.shape == (1, 3, 12)
        moved = np.abs(decode(encode(source), source, late) - logits)[0, :2].max()
        assert (moved > 1e-6) == (letter == "A")
        assert np.isfinite(loss(logits, target))


def test_translator_masks_and_decodes():
    model, maps = translator.make_translator(9, 8, 5, 4, width=8, num_heads=2, depth=1, d_ff=6)
    source, target = np.array([[3, 4, 5, 0, 0]]), np.array([[4, 5, 2, 0]])
    weights = maps.predict([source, translator.shift_right(target)], verbose=0)
    cross = np.asarray(weights["cross-attention"][0])
    assert cross.shape == (1, 2, 4, 5)
    assert cross[..., 3:].max() == 0
    assert np.triu(np.asarray(weights["decoder self-attention"][0])[0, 0], 1).max() == 0
    losses = translator.train_translator(model, np.repeat(source, 8, 0), np.repeat(target, 8, 0), epochs=60, peak=2e-2,
                                         warmup_steps=10)  # fmt: skip
    assert losses[-1] < 0.5 < losses[0]
    written = translator.decode_greedily(model, source)
    assert translator.whole_sentence_right(written, target).all()
    tokens, total = translator.decode_with_beam(model, source, 3)
    assert translator.whole_sentence_right(tokens, target).all()
    assert -0.8 < total[0] <= 0


def test_warm_up_peaks_where_it_should():
    rate = translator.WarmUp(2.0, 4)
    got = [float(rate(step)) for step in (0, 3, 15)]
    assert np.allclose(got, [0.5, 2.0, 1.0])


def drilled_model(sequences):
    """Give a stand-in for a translator: after the words so far, high logits for what the sequences have next."""

    class Drilled:
        output_shape = (None, 4, 7)

        def predict_on_batch(self, inputs):
            tokens, logits = inputs[1][0], np.zeros((1, 4, 7))
            for t in range(4):
                for words, height in sequences:
                    if words[: t + 1] == list(tokens[: t + 1]):
                        logits[0, t, words[t + 1]] = height
            return logits

    return Drilled()


def test_a_choice_is_followed_to_its_own_end():
    model = drilled_model([([1, 3, 4, 2, 0], 9.0), ([1, 5, 6, 6, 2], 7.0)])
    source = np.array([[3, 4]])
    best, candidates, shares, best_total = decoding_steps.follow_choice(model, source, 0, 1)
    assert best.tolist() == [1, 3, 4, 2]
    assert candidates[:2].tolist() == [3, 5]
    assert shares[0] > 0.8 > 0.2 > shares[1] > 0.05
    other, _, _, total = decoding_steps.follow_choice(model, source, 0, 2)
    assert other.tolist() == [1, 5, 6, 6, 2]
    assert total < best_total
    assert np.isclose(total, np.log(shares[1]) + 3 * (7 - np.log(np.exp(7) + 6)), atol=1e-6)
    late, _, _, _ = decoding_steps.follow_choice(model, source, 2, 1)
    assert late.tolist() == best.tolist()


def test_a_choice_may_end_the_sentence():
    model = drilled_model([([1, 3, 4, 2, 0], 9.0), ([1, 3, 2, 0, 0], 8.0)])
    tokens, candidates, _, _ = decoding_steps.follow_choice(model, np.array([[3]]), 1, 2)
    assert candidates[1] == 2
    assert tokens.tolist() == [1, 3, 2]


def test_a_step_says_what_was_taken_and_what_it_costs(shown, capsys):
    choice = (["eins", "<end>"], 1, 2, ["ein", "eins"], [0.9, 0.1], ["one", "two"], np.array([0.7, 0.3]), -2.5, -0.1)
    decoding_steps.show_choice(*choice)
    told = capsys.readouterr().out
    for part in (
        "Written so far: nothing",
        "ein 0.900, then eins 0.100",
        "most at one, 0.70",
        "Taken: eins",
        "-2.50; -0.10 without",
    ):
        assert part in told
    assert told.strip() in shown[0][1]
    decoding_steps.show_choice(choice[0], 1, 1, *choice[3:])
    assert "without your choice" not in capsys.readouterr().out
