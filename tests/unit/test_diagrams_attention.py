"""Figures of notebook 2, and the counts of where a decoder looks."""

import re

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import alignments, diagrams_attention
from helpers.number_words import translate_number
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch


@pytest.fixture
def shown(monkeypatch):
    seen = []
    for module in (alignments, diagrams_attention):
        monkeypatch.setattr(module, "show", lambda figure, alt: seen.append((figure, alt)))
    yield seen
    plt.close("all")


def draw_step():
    diagrams_attention.show_attention_step(
        ["twenty", "three", "thousand"], [3.4, 1.3, 0.1], "$s_2$", "$s_3$", previous="und", word="zwanzig"
    )


def test_attention_step_names_every_part(shown):
    draw_step()
    figure, alt = shown[0]
    texts = [t.get_text() for t in figure.axes[0].texts]
    for part in (
        "twenty",
        "three",
        "thousand",
        "3.4",
        "0.86",
        "query",
        "context $c_3$",
        "0.86 $h_1$",
        "GRU",
        "output layer",
        "$s_3$",
        "und",
        "zwanzig",
    ):
        assert part in texts
    assert "twenty score 3.4 weight 0.86" in alt
    assert "word zwanzig from two things: s3 and the context" in alt
    assert "$" not in alt


def test_attention_step_texts_do_not_overlap(shown):
    draw_step()
    figure, _ = shown[0]
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in figure.axes[0].texts]
    assert not [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]


def test_attention_step_lines_cross_no_box_and_no_other_line(shown):
    draw_step()
    figure, _ = shown[0]
    figure.canvas.draw()
    ax = figure.axes[0]
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    boxes = [p for p in ax.patches if isinstance(p, FancyBboxPatch) and p.get_zorder() > 0]
    frames = [p for p in ax.patches if isinstance(p, FancyBboxPatch) and p.get_zorder() == 0]
    lines = [a._path_original for a in arrows]  # as the diagram gave them, without heads
    crossed = [(i, j) for i, a in enumerate(lines) for j, b in enumerate(lines[:i]) if a.intersects_path(b, False)]
    assert not crossed
    for line in lines:
        inner = line.interpolated(20).vertices[1:-1]
        for box in boxes + frames:
            left, bottom, width, height = box.get_x(), box.get_y(), box.get_width(), box.get_height()
            x, y = inner.T
            inside = (x > left + 0.05) & (x < left + width - 0.05) & (y > bottom + 0.05) & (y < bottom + height - 0.05)
            assert not inside.any(), (left, bottom, inner[inside])


def test_attention_step_computes_the_word_from_state_and_context(shown):
    draw_step()
    figure, _ = shown[0]
    ax = figure.axes[0]
    boxes = {
        text.get_text(): box.get_bbox()
        for text in ax.texts
        for box in ax.patches
        if isinstance(box, FancyBboxPatch) and box.get_zorder() > 0 and box.get_bbox().contains(*text.get_position())
    }

    def touching(point):
        return {name for name, box in boxes.items() if box.padded(0.01).contains(*point)}

    arrows = [p._path_original.vertices for p in ax.patches if isinstance(p, FancyArrowPatch)]
    into = [touching(points[0]) for points in arrows if "output layer" in touching(points[-1])]
    assert sorted(map(list, into)) == [["$s_3$"], ["context $c_3$"]]


def test_bars_of_the_weights_are_a_softmax(shown):
    draw_step()
    figure, _ = shown[0]
    shown_weights = [float(t.get_text()) for t in figure.axes[0].texts if re.fullmatch(r"0\.\d\d", t.get_text())]
    exp = np.exp([3.4, 1.3, 0.1])
    assert shown_weights == pytest.approx(exp / exp.sum(), abs=0.005)


def test_query_is_told_in_words(shown, capsys):
    weights = np.array([[0.1, 0.8, 0.1], [0.7, 0.2, 0.1]])
    alignments.show_query(weights, ["drei", "zwanzig"], ["twenty", "three", "thousand"], 1, [{1}, {0}])
    told = capsys.readouterr().out
    assert told.startswith("Writing zwanzig (position 1), the decoder looks most at twenty, weight 0.70")
    assert "\nKnown alignment: twenty." in told
    assert told.strip() in shown[0][1]
    alignments.show_query(weights, ["drei", "und"], ["twenty", "three", "thousand"], 1, [{1}, set()])
    assert "Known alignment: no word" in capsys.readouterr().out


def test_a_position_after_the_end_is_the_last_one(shown, capsys):
    weights = np.array([[0.1, 0.9], [0.6, 0.4], [1.0, 0.0]])
    look = ["twenty", "three"], ["drei", "und", "zwanzig"], [{1}, set(), {0}], weights
    alignments.show_one_word(*look, 0)
    alignments.show_one_word(*look, 8)
    first, _, last, _ = capsys.readouterr().out.splitlines()
    assert first.startswith("Writing drei (position 0), the decoder looks most at three, weight 0.90")
    assert last.startswith("Writing zwanzig (position 2), the decoder looks most at twenty, weight 1.00")


def test_counts_of_a_perfect_map_and_of_a_bad_one():
    numbers = [23, 100_000, 1_000_021]
    maps = np.zeros((3, 12, 12))
    for weights, number in zip(maps, numbers, strict=True):
        for i, right in enumerate(translate_number(number)[2]):
            weights[i, min(right, default=0)] = 1
    counts = alignments.count_alignments(maps, numbers)
    assert counts["right"] == counts["scored"] == 9
    assert counts["by_kind"] == {"numerals": 1.0, "hundert, tausend, Million": 1.0}
    assert counts["und"] == {"tens": 1, "unit": 0, "else": 1}
    assert counts["und_by_next"] == {"no word": {"tens": 1, "unit": 0, "else": 1}}
    assert counts["elsewhere"] == {"one": 1}  # of one million twenty one
    first = np.eye(1, 12).repeat(12, axis=0)  # all look at the first word, which is a tens word
    assert alignments.count_alignments([first], [23_045])["und_by_next"] == {
        "tausend": {"tens": 1, "unit": 0, "else": 0},
        "no word": {"tens": 0, "unit": 0, "else": 1},
    }
    last = np.roll(np.eye(12), 5, axis=1)
    assert alignments.count_alignments([last], [23])["right"] == 0
    assert alignments.count_alignments([last], [23])["elsewhere"] == {"padding": 1}
    assert set(alignments.count_alignments([last], [23])["by_kind"]) == {"numerals"}


def test_query_beyond_the_known_alignment_is_told(shown, capsys):
    weights = np.array([[0.1, 0.9], [0.7, 0.3]])
    alignments.show_query(weights, ["ein", "ein"], ["one", "two"], 1, [{0}])
    assert "Known alignment: none, the right translation is shorter" in capsys.readouterr().out


def test_a_long_sentence_is_broken_into_lines(shown):
    german = ["zwei", "hundert", "vier", "und", "dreißig", "tausend", "fünf", "hundert", "sieben", "und", "sechzig"]
    english = ["two", "hundred", "thirty", "four", "thousand", "five", "hundred", "sixty", "seven"]
    alignments.show_query(np.full((11, 9), 1 / 9), german, english, 3)
    title = shown[0][0].axes[0].get_title(loc="left")
    assert title.replace("\n", " ") == (
        "Writing the word in brackets: zwei hundert vier [und] dreißig tausend fünf hundert sieben und sechzig"
    )
    assert max(map(len, title.split("\n"))) <= 60


def test_the_known_alignment_frames_each_right_word(shown, capsys):
    alignments.show_known_alignment(81_023)
    figure, alt = shown[0]
    ax = figure.axes[0]
    assert sum(not patch.get_fill() for patch in ax.patches) == 5  # two words of seven are und
    assert len(ax.get_xticks(minor=True)) == 6  # a line beside each column
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("English (framed: the known alignment)", "German")
    assert "und renders no word" in alt
    assert "zwanzig renders twenty" in alt
    assert capsys.readouterr().out.startswith("eighty one thousand twenty three\n-> ein und achtzig")


def test_a_translation_names_the_largest_weight_of_each_row(shown):
    weights = np.array([[0.1, 0.8, 0.1], [0.7, 0.2, 0.1]])
    alignments.show_alignment(["twenty", "three", "thousand"], ["drei", "zwanzig"], [{1}, {0}], weights)
    figure, alt = shown[0]
    assert "drei: three 0.80; zwanzig: twenty 0.70" in alt
    assert figure.axes[0].get_ylabel() == "German"
