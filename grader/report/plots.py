"""The plots of the report: small SVG pictures that are read at the width of a phone as well.

Colours and look are those of the notebooks' figures (`assets/helpers/plots.py`): Okabe and Ito's palette, told apart by
colour-blind readers. Nothing is said by colour alone: shapes, hatching and lightness differ too.
"""

from __future__ import annotations

import io
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from grader.report.analysis import CauseRow, Ending, ItemRow, Marks, TestsRow
from grader.report.items import LOW_DISCRIMINATION, Spread

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#F0E442")
BLUE, ORANGE, GREEN, RED, SKY, PINK, BLACK, YELLOW = OKABE_ITO
INK, PAPER, QUIET = "#222222", "#FFFFFF", "#8A8A8A"
WIDTH = 4.4  # inches; with 9 pt of text the picture is legible at 350 pixels

_STYLE: Any = {  # matplotlib's type for it is a list of all its settings
    "font.size": 9,
    "axes.edgecolor": QUIET,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": 9,
    "axes.labelcolor": INK,
    "text.color": INK,
    "text.parse_math": False,
    "grid.color": "#E4E4E4",
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "class report",
}
#: Ending, label, colour, hatch.
ENDINGS = (
    (Ending.VISIBLE, "visible part", ORANGE, ""),
    (Ending.HIDDEN, "hidden part", BLUE, ""),
    (Ending.ENDED, "did not end", BLACK, ""),
    (Ending.UNKNOWN, "part not known", PAPER, "...."),
    (Ending.UNANSWERED, "not answered", "#E4E4E4", "////"),
)


def _figure(height: float, columns: int = 1, ratios: tuple[float, ...] = (1,)) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=PAPER)
    axes = figure.subplots(1, columns, squeeze=False, sharey=columns > 1, width_ratios=ratios)
    return figure, list(axes[0])


def _svg(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def draw_marks(marks: Marks) -> bytes:
    """Draw the distribution of marks: bars for the exercises, a line for the whole mark.

    Args:
        marks: Of one notebook.

    Returns:
        SVG.
    """
    with matplotlib.rc_context(_STYLE):
        figure, (ax,) = _figure(2.3)
        ax.grid(axis="y")
        full = [n for n in range(10) if marks.code_bins[n]]
        heights = [marks.code_bins[n] for n in full]
        ax.bar([5 + 10 * n for n in full], heights, width=9.2, color=SKY, ec=BLUE, lw=1, label="exercises")
        if marks.whole is not None:
            edges = [10 * n for n in range(11)]
            ax.stairs(marks.whole_bins, edges, color=RED, lw=1.8, ls=(0, (4, 1.5)), label="whole mark")
            handles = ax.get_legend_handles_labels()[0][::-1]
            ax.legend(
                handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2, handlelength=2.2
            )
        ax.axvline(100 * marks.code.median / marks.code_points, color=INK, lw=1.2, ls=":")
        top = max([*marks.code_bins, *marks.whole_bins, 1])
        place = 100 * marks.code.median / marks.code_points
        side = ("right", -1.5) if place > 50 else ("left", 1.5)
        ax.text(place + side[1], 1.13 * top, "median", ha=side[0], va="top", fontsize=8.5)
        ax.set(xlim=(0, 100), ylim=(0, 1.16 * top), xlabel="% of the points", ylabel="submissions")
        ax.set_xticks(range(0, 101, 20))
        ax.locator_params(axis="y", integer=True)
        return _svg(figure)


def _name_rows(ax: Axes, labels: list[str], left: float) -> None:
    """Write the name of each row above its marks, so that long names need no margin."""
    for n, label in enumerate(labels):
        ax.text(left, n - 0.28, label, ha="left", va="bottom", fontsize=8.5, clip_on=False, zorder=5)
    ax.set_yticks([])
    ax.set_ylim(len(labels) - 0.55, -0.85)
    ax.spines["left"].set_visible(False)


def draw_items(rows: list[ItemRow]) -> bytes:
    """Draw facility and discrimination, a row for each exercise.

    Args:
        rows: Exercises and written answers of one notebook.

    Returns:
        SVG.
    """
    with matplotlib.rc_context(_STYLE):
        figure, (left, right) = _figure(0.75 + 0.4 * len(rows), 2, (1, 1))
        _name_rows(left, [row.item.label + ("" if row.facility is not None else ": not shown") for row in rows], 0)
        left.grid(axis="x")
        right.grid(axis="x")
        right.axvline(0, color=INK, lw=1)
        right.axvline(LOW_DISCRIMINATION, color=INK, lw=1, ls=":")
        for n, row in enumerate(rows):
            if row.facility is not None:
                left.plot([0, row.facility], [n, n], color=BLUE, lw=1.6)
                left.plot(row.facility, n, "o", color=BLUE, ms=6)
            if row.low is not None and row.high is not None:
                right.plot([row.low, row.high], [n, n], color=RED, lw=1.6, solid_capstyle="butt")
            if row.discrimination is not None:
                right.plot(row.discrimination, n, "D", color=RED, ms=5.5)
        left.set(xlim=(0, 1.03), xlabel="facility", xticks=[0, 0.5, 1])
        right.set(xlim=(-0.5, 1.03), xlabel="discrimination", xticks=[-0.5, 0, 0.5, 1])
        right.spines["left"].set_visible(False)
        right.tick_params(left=False)
        return _svg(figure)


def draw_causes(rows: list[CauseRow]) -> bytes:
    """Draw how many submissions have each misconception.

    Args:
        rows: Most common first.

    Returns:
        SVG.
    """
    with matplotlib.rc_context(_STYLE):
        figure, (ax,) = _figure(0.6 + 0.4 * len(rows))
        counts = [row.submissions for row in rows]
        ax.barh(range(len(rows)), counts, height=0.34, color=GREEN, ec=INK, lw=0.6)
        _name_rows(ax, [f"{row.exercise}: {row.name.replace('_', ' ')}"[:62] for row in rows], 0)
        for n, count in enumerate(counts):
            ax.annotate(str(count), (count, n), (3, 0), textcoords="offset points", va="center", fontsize=8.5)
        ax.set(xlim=(0, 1.08 * max(counts)), xlabel="submissions")
        ax.locator_params(axis="x", integer=True)
        ax.grid(axis="x")
        return _svg(figure)


def draw_tests(rows: list[TestsRow]) -> bytes:
    """Draw how test cells that gave no points ended, as shares of all test cells of an exercise.

    Args:
        rows: Exercises of one notebook.

    Returns:
        SVG.
    """
    shown = [e for e in ENDINGS if e[0] is not Ending.UNKNOWN or any(row.counts[Ending.UNKNOWN] for row in rows)]
    with matplotlib.rc_context(_STYLE):
        figure, (ax,) = _figure(1.05 + 0.4 * len(rows))
        ends = [0.0] * len(rows)
        for ending, label, colour, hatch in shown:
            shares = [100 * row.counts[ending] / max(row.runs, 1) for row in rows]
            ax.barh(range(len(rows)), shares, 0.34, ends, color=colour, hatch=hatch, ec=INK, lw=0.6, label=label)
            ends = [a + b for a, b in zip(ends, shares, strict=True)]
        _name_rows(ax, [row.item.label for row in rows], 0)
        ax.set(xlim=(0, max(10.0, 1.04 * max(ends))), xlabel="% of the exercise's test cells that gave no points")
        ax.grid(axis="x")
        figure.legend(loc="outside upper left", ncols=2 if len(shown) < 5 else 3, handlelength=1.4, columnspacing=1.2)
        return _svg(figure)


def draw_spreads(rows: list[tuple[str, Spread]], label: str, highest: float | None = None) -> bytes:
    """Draw median, middle half and middle 90 % of several groups, a row each.

    Args:
        rows: Name and spread of each group.
        label: Of the axis.
        highest: End of the axis; by default a bit beyond the highest value.

    Returns:
        SVG.
    """
    with matplotlib.rc_context(_STYLE):
        figure, (ax,) = _figure(0.6 + 0.4 * len(rows))
        for n, (_, group) in enumerate(rows):
            ax.plot([group.low, group.high], [n, n], color=BLUE, lw=1.4, solid_capstyle="butt")
            ax.plot([group.quartile1, group.quartile3], [n, n], color=SKY, lw=8, solid_capstyle="butt")
            ax.plot(group.median, n, "D", color=INK, ms=5.5)
        _name_rows(ax, [name for name, _ in rows], 0)
        ax.set(xlim=(0, highest or 1.06 * max(group.high for _, group in rows)), xlabel=label)
        ax.grid(axis="x")
        return _svg(figure)
