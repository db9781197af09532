"""Boxes, arrows and matrices: every diagram of the course is made of these, in one size and one set of colours."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, INKS, PAPER, QUIET, ROLES, ink_on
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

UNIT = 0.5  # inches of a unit of length, in every diagram: boxes, arrows and letters keep their size
NOTE = "#5A5A5A"


def tint(colour, share):
    """Mix a colour with white; `share` of it is the colour."""
    return tuple(share * np.asarray(to_rgb(colour)) + 1 - share)


def make_canvas(left, right, bottom, top):
    """Make axes without scales, a unit as large as in the other diagrams.

    Returns:
        Figure and axes.
    """
    figure = plt.figure(figsize=((right - left) * UNIT, (top - bottom) * UNIT))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(left, right), ylim=(bottom, top))
    ax.set_aspect("equal")
    ax.axis("off")
    return figure, ax


def draw_box(ax, x, y, text, colour, width=1.1, height=0.8, size=10, dark=INK):
    """Draw a rounded box with its middle at (x, y), its text in black or white, whichever stands out."""
    corner = (x - width / 2, y - height / 2)
    style = f"round,pad=0,rounding_size={min(0.16, height / 4)}"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, fc=colour, ec=dark, lw=1.1, zorder=3))
    draw_text(ax, x, y, text, size=size, colour=ink_on(to_rgb(colour)))


def draw_text(ax, x, y, text, size=10, colour=INK, ha="center", va="center", **more):
    """Write a text; a role's name stands for its ink."""
    ax.text(x, y, text, ha=ha, va=va, fontsize=size, color=INKS.get(colour, colour), zorder=5, **more)


def draw_shape(ax, x, y, text, ha="left", va="center"):
    """Write the shape of an array beside an arrow."""
    draw_text(ax, x, y, text, size=8.5, colour=NOTE, ha=ha, va=va)


def _rounded(points, radius):
    """Give a path through the points, its corners rounded."""
    points = [np.asarray(p, dtype=float) for p in points]
    corners, codes = [points[0]], [Path.MOVETO]
    for before, here, after in zip(points[:-2], points[1:-1], points[2:], strict=True):
        for neighbour in (before, after):
            step = neighbour - here
            near = here + step * min(radius, np.linalg.norm(step) / 2) / np.linalg.norm(step)
            corners += [near] if neighbour is before else [here, near]
            codes += [Path.LINETO] if neighbour is before else [Path.CURVE3, Path.CURVE3]
    return Path([*corners, points[-1]], [*codes, Path.LINETO])


def draw_arrow(ax, *points, colour=INK, width=1.4, head=True, dashed=False, radius=0.18, zorder=2):
    """Draw an arrow through the points, with rounded corners; a role's name stands for its colour."""
    ax.add_patch(
        FancyArrowPatch(
            path=_rounded(points, radius), arrowstyle="-|>" if head else "-", mutation_scale=9 + width,
            lw=width, color=ROLES.get(colour, colour), ls=(0, (3, 2)) if dashed else "-", zorder=zorder,
            capstyle="butt" if head or dashed else "round", joinstyle="miter",
        )
    )  # fmt: skip


def draw_plus(ax, x, y):
    """Draw the sign of a sum, where two paths meet."""
    ax.add_patch(Circle((x, y), 0.19, fc=PAPER, ec=INK, lw=1.2, zorder=3))
    for dx, dy in ((0.11, 0), (0, 0.11)):
        ax.plot([x - dx, x + dx], [y - dy, y + dy], color=INK, lw=1.3, zorder=4, solid_capstyle="butt")


def draw_wave(ax, x, y):
    """Draw the sign of the positions: two periods of a sine."""
    t = np.linspace(-0.6, 0.6, 90)
    ax.plot(x + t, y + 0.2 * np.sin(t * 2 * np.pi / 0.6), color=INK, lw=1.5, zorder=3)


def draw_frame(ax, left, right, bottom, top, colour=QUIET):
    """Frame what belongs together."""
    style = "round,pad=0,rounding_size=0.25"
    ax.add_patch(FancyBboxPatch((left, bottom), right - left, top - bottom, boxstyle=style, fc="#F8F8F8", ec=colour,
                                lw=1.1, ls=(0, (4, 3)), zorder=0))  # fmt: skip


def draw_matrix(ax, left, middle, rows, colours, cell=0.3, edge=None, label="", tall=None):
    """Draw a matrix as a grid with one colour a column, its label above it; give its right edge.

    A cell is `cell` wide and `tall` high; None draws squares.
    """
    tall = tall or cell
    bottom, right = middle - rows * tall / 2, left + len(colours) * cell
    for i, j in np.ndindex(rows, len(colours)):
        corner = (left + j * cell, bottom + i * tall)
        ax.add_patch(plt.Rectangle(corner, cell, tall, fc=colours[j], ec=PAPER, lw=0.9, zorder=3))
    if edge:
        ax.add_patch(plt.Rectangle((left, bottom), right - left, rows * tall, fill=False, ec=edge, lw=1.6, zorder=4))
    if label:
        draw_text(ax, (left + right) / 2, bottom + rows * tall + 0.14, label, va="bottom")
    return right
