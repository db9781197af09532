"""The figures of notebook 4 are drawn and say in words what they show."""

import helpers.diagrams_multi_head as diagrams
import helpers.head_picker as head_picker
import helpers.mixing_layers as mixing_layers
import helpers.role_figures as role_figures
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

matplotlib.use("Agg")
WORDS = ["Mary", "gave", "roses", "to", "Susan"]


@pytest.fixture
def shown(monkeypatch):
    """Collect figures and alternative texts instead of displaying them."""
    collected = []

    def show(figure, alt):
        figure.canvas.draw()
        collected.append((figure, alt))
        plt.close(figure)

    for module in (diagrams, head_picker, role_figures, mixing_layers):
        monkeypatch.setattr(module, "show", show)
    return collected


def uniform(*shape):
    return np.full(shape, 1 / shape[-1])


def test_the_diagram_names_the_words_and_steps(shown):
    diagrams.show_heads_diagram(WORDS, uniform(2, 5, 5))
    figure, alt = shown[0]
    said = [text.get_text() for text in figure.axes[0].texts]
    assert {"project", "split", "merge", "mix", *WORDS} <= set(said)
    assert "Mary gave roses to Susan" in alt
    assert "W_O" in alt
    boxes = [t.get_window_extent() for t in figure.axes[0].texts if t.get_text() not in WORDS]
    assert not [(i, j) for i in range(len(boxes)) for j in range(i) if boxes[i].overlaps(boxes[j])]


def test_rows_are_labelled_by_head(shown):
    rows = np.eye(5)
    diagrams.show_head_rows([{"head 1": rows[0], "head 2": rows[4]}], [WORDS], "Where the verb looks")
    figure, alt = shown[0]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["head 1", "head 2"]
    assert "head 1: Mary 1.00; head 2: Susan 1.00" in alt


def test_the_puzzle_reads_the_tables_out(shown):
    diagrams.show_split_puzzle()
    alt = shown[0][1]
    assert "wanted: head 1: a0 a1, b0 b1, c0 c1" in alt
    assert "reshaped: head 1: a0 a1, a2 a3, b0 b1" in alt


def test_results_say_every_run(shown):
    runs = {"one head": {"new pairs": [0.2, 0.1], "training pairs": [0.9, 1.0]}}
    role_figures.show_runs(runs, "Title", "share right", guessing=0.2)
    figure, alt = shown[0]
    assert alt == "Title. share right: one head, new pairs 0.20, 0.10; one head, training pairs 0.90, 1.00."
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["new pairs", "training pairs", "guessing"]


def test_patterns_have_a_panel_each(shown):
    mixing_layers.show_patterns({"a": np.eye(3), "b": np.ones((3, 3))}, "Title", "Two patterns.")
    assert [ax.get_title() for ax in shown[0][0].axes[:2]] == ["a", "b"]
    assert len(shown[0][0].axes) == 3  # with the colour bar
    assert shown[0][1].endswith("Two patterns.")


def test_a_pattern_has_outputs_in_rows():
    pattern = mixing_layers.dependence_pattern(lambda x: np.roll(x, 1, axis=1), np.ones((1, 4, 2)))
    assert np.allclose(pattern, 0.01 * np.roll(np.eye(4), 1, axis=0))


def test_the_picked_head_is_read_out(shown, capsys):
    weights = uniform(2, 5, 5)
    weights[1, 1] = [0, 0, 0, 0, 1]
    head_picker.show_head_query(weights, WORDS, 1, 1)
    assert "Head 2, query 'gave': most weight on 'Susan', 1.00" in capsys.readouterr().out
    assert "Susan 1.00" in shown[0][1]
    head_picker.show_head_query(weights, WORDS, 0, 0)
    assert "over 5.0 words" in capsys.readouterr().out
    head_picker.show_head_query(weights, WORDS, 2, 1)
    assert "Mean of the heads, query 'gave': most weight on 'Susan', 0.60" in capsys.readouterr().out
    assert head_picker.name_heads(2) == ["head 1", "head 2", "mean of the heads"]


def test_only_attention_mixes_by_the_input(shown, capsys):
    assert mixing_layers.compare_mixing() == ["attention"]
    assert [ax.get_title() for ax in shown[0][0].axes[:4]] == [
        "fully connected", "convolution", "attention,\nsentence 1", "attention,\nsentence 2",
    ]  # fmt: skip


def test_costs_of_three_layers(capsys):
    mixing_layers.print_costs(lengths=(8, 16))
    rows = [line.replace(",", "").split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [[int(n) for n in row] for row in rows] == [
        [8, 16_512, 784, 1_088, 24, 256],
        [16, 65_792, 784, 1_088, 48, 1_024],
    ]


def test_stored_runs_are_shown_by_model(shown):
    role_figures.show_parts({"parts": {"without W_V": [0.6, 0.7]}})
    role_figures.show_readers({"roles": {"two heads": {"new pairs": [0.9], "training pairs": [1.0]}}})
    assert "without W_V, a run 0.60, 0.70" in shown[0][1]
    assert "two heads, new pairs 0.90" in shown[1][1]
