"""Figures of notebook 1 and the look at results."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import bits_figures, curves, diagrams_seq2seq, look
from helpers.stored_curves import STORED_CURVES
from helpers.stored_widths import STORED_WIDTHS


@pytest.fixture
def shown(monkeypatch):
    seen = []
    for module in (bits_figures, curves, diagrams_seq2seq):
        monkeypatch.setattr(module, "show", lambda figure, alt: seen.append((figure, alt)))
    yield seen
    plt.close("all")


def test_encoder_decoder_names_all_words_and_the_size(shown):
    source, target = ["twenty", "three"], ["drei", "und", "zwanzig"]
    diagrams_seq2seq.show_encoder_decoder(source, target, 48)
    figure, alt = shown[0]
    texts = [t.get_text() for t in figure.axes[0].texts]
    for word in [*source, *target, "<start>", "<end>", "bottleneck"]:
        assert word in texts
    assert texts.count("und") == 2  # written once, read once
    assert any("48 values" in t for t in texts)
    assert "twenty three" in alt
    assert "drei und zwanzig" in alt


def test_words_do_not_overlap(shown):
    diagrams_seq2seq.show_encoder_decoder(["twenty", "three", "thousand"], ["drei", "und", "zwanzig", "tausend"], 32)
    figure, _ = shown[0]
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in figure.axes[0].texts]
    assert not [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]


def test_length_curves_say_the_numbers(shown):
    measured = np.linspace(1, 0, 9)
    curves.show_length_curves({"one": measured, "two": [measured, measured / 2]}, "Falls", [2] + [50] * 8, [0.25] * 9)
    figure, alt = shown[0]
    ax = figure.axes[0]
    assert ax.get_title(loc="left") == "Falls"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["your guess", "one", "two"]
    assert ax.get_xticklabels()[0].get_text() == "1\nn=2"
    assert len(ax.collections) == 1  # a band for the label with two runs
    assert "your guess 0.25" in alt
    assert "one 1.00, 0.88" in alt
    assert "two 0.75" in alt


@pytest.mark.parametrize(
    ("chosen", "digits", "parts"),
    [
        (
            0,
            7,
            [
                "32 units, 7 digits: exact match 0.40",
                "mean of 2 runs, from 0.30 to 0.50) on 200",
                "up to 6 digits",
                "A 7-digit number carries 23.1",
                "1,024",
            ],
        ),
        (
            1,
            1,
            [
                "16 units, 1 digit: exact match 0.00",
                "on 2 held-out numbers",
                "one run",
                "below 0.5 at every length above 1",
                "A 1-digit number carries 3.2 bits",
                "512",
            ],
        ),
    ],
)
def test_capacity_says_share_runs_and_bits(shown, capsys, chosen, digits, parts):
    high = [[0.5, 1, 1, 1, 0.9, 0.7, share, 0.1, 0] for share in (0.3, 0.5)]
    curves.show_capacity({"32 units": high, "16 units": [[0.0] * 9]}, [2] + [200] * 8, chosen, digits)
    told = capsys.readouterr().out
    for part in parts:
        assert part in told
    assert told.strip() in shown[0][1]


def test_capacity_names_every_curve(shown):
    fixed = STORED_CURVES["fixed"]
    for chosen, label in enumerate(fixed["curves"]):
        curves.show_capacity(fixed["curves"], fixed["counts"], chosen, 7)
        figure, _ = shown[-1]
        figure.canvas.draw()
        texts = figure.axes[0].texts
        assert {t.get_text() for t in texts} == set(fixed["curves"]) - {label}
        boxes = [t.get_window_extent() for t in texts]
        assert not [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]


@pytest.mark.parametrize(
    ("guess", "word"),
    [([0.5] * 8, "yours has 8"), (0.5, "yours has 1"), ([100] * 9, "from 0 to 1"), (["a"] * 9, "nine fractions")],
)
def test_a_guess_that_cannot_be_drawn_is_told_at_once(shown, capsys, guess, word):
    curves.note_guess(guess)
    assert word in capsys.readouterr().out
    curves.show_length_curves({"one": np.linspace(1, 0, 9)}, "Falls", guess=guess)
    assert word in capsys.readouterr().out
    assert [t.get_text() for t in shown[0][0].axes[0].get_legend().get_texts()] == ["one"]


def test_no_guess_is_no_mistake(capsys):
    curves.note_guess(None)
    assert capsys.readouterr().out == ""
    curves.note_guess([0.5] * 9)
    assert "noted" in capsys.readouterr().out


@pytest.mark.parametrize("live", [None, 0.59])
def test_widths_show_every_run_and_the_readers_own(shown, capsys, live):
    bits_figures.show_widths(STORED_WIDTHS, live)
    figure, alt = shown[0]
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in figure.axes[0].lines])
    stored = [runs[-1] for way in ("first state", "every step") for w in STORED_WIDTHS[way].values() for runs in w]
    assert sorted(drawn) == sorted(stored + ([] if live is None else [live]))
    told = capsys.readouterr().out
    assert "width  8, given once: mean 0.238, from 0.030 to 0.650" in told
    assert "on 200 held-out numbers of four digits; stored runs, 5 seeds a width unless stated:" in told
    assert ("your run: 0.590" in told) == (live is not None)
    longer = {w: [run[-1] for run in runs] for w, runs in STORED_WIDTHS["first state, 4 x the epochs"].items()}
    for width, shares in longer.items():
        line = f"width {width:2}, given once, 4 x the epochs, {len(shares)} seeds: mean {np.mean(shares):.3f}"
        assert line in told
        assert line not in alt  # which says what is drawn
    assert all(line in alt for line in told.strip().splitlines() if "x the epochs" not in line)


def test_gradient_curves_are_relative(shown):
    curves.show_gradient_curves({"a": [4.0, 2.0, 1.0]}, "Fades")
    figure, alt = shown[0]
    assert list(figure.axes[0].lines[0].get_ydata()) == [1, 0.5, 0.25]
    assert "a: 2e-01 at distance 2" in alt


def test_stored_curves_have_the_form_that_is_drawn(shown):
    for kind in STORED_CURVES.values():
        assert {"settings", "counts", "curves"} <= set(kind)
        assert len(kind["counts"]) == 9
        for runs in kind["curves"].values():
            assert np.asarray(runs).shape[1] == 9
            assert 0 <= np.min(runs) <= np.max(runs) <= 1
        curves.show_length_curves(kind["curves"], "Stored", kind["counts"])


def test_show_result(capsys):
    look.show_result(lambda: (np.array([0.12345]), [1, 2], 0.98765))
    assert capsys.readouterr().out == "[0.123]\n[1, 2]\n0.988\n"

    def stub():
        raise NotImplementedError

    look.show_result(stub)
    assert capsys.readouterr().out == ""
    look.show_result(lambda: [np.int64(5), np.int64(7)])
    look.show_result(lambda: {np.int64(2): np.float64(0.5), 3: (np.bool_(True), [np.int32(1)])})
    assert capsys.readouterr().out == "[5, 7]\n{2: 0.5, 3: (True, [1])}\n"
    look.show_result(lambda: 1 / 0)
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_show_difference(capsys):
    look.show_difference("f", lambda: [1.0, 2.0], np.array([1.0, 2.5]))
    assert capsys.readouterr().out == "f: largest difference from Keras 0.500000\n"

    def stub():
        raise NotImplementedError

    look.show_difference("f", stub, 1.0)
    assert capsys.readouterr().out == "f: not written yet\n"
    look.show_difference("f", lambda: [1.0, 2.0], np.zeros(3))
    assert "no comparison" in capsys.readouterr().out
