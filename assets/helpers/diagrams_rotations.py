"""Pictures of pairs of columns that rotate: shifts, rotary positions, one pair to play with."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, ROLES, show


def _circle(ax, title):
    """Draw a unit circle without scales."""
    ax.add_patch(plt.Circle((0, 0), 1, fill=False, ec=QUIET, lw=1))
    ax.plot([-1.1, 1.1], [0, 0], color="#DDDDDD", lw=0.8, zorder=0)
    ax.plot([0, 0], [-1.1, 1.1], color="#DDDDDD", lw=0.8, zorder=0)
    ax.set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35), aspect="equal")
    ax.set_title(title, fontsize=10, loc="center", linespacing=1.4)
    ax.axis("off")


def _hand(ax, angle, label, colour, dashed=False, nudge=0.0):
    """Draw a hand from the centre; its height is the sine, its width the cosine of the angle."""
    x, y = np.cos(angle), np.sin(angle)
    ax.annotate(
        "",
        (x, y),
        (0, 0),
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "lw": 2.2,
            "shrinkA": 0,
            "shrinkB": 0,
            "ls": (0, (3, 1.5)) if dashed else "-",
        },
    )
    x, y = np.cos(angle + nudge), np.sin(angle + nudge)  # labels of close hands stand apart
    ax.text(1.19 * x, 1.19 * y, label, ha="center", va="center", fontsize=9, color=INK)


def _arc(ax, start, end, colour):
    """Draw an arc with an arrow head from one angle to another; a short one further out, where there is more room."""
    short, angles = abs(end - start) < 0.6, np.linspace(start, end, 60)
    radius, head = (0.7, {"lw": 0.8, "mutation_scale": 7}) if short else (0.45, {"lw": 1.6, "mutation_scale": 10})
    ax.plot(radius * np.cos(angles[:-6]), radius * np.sin(angles[:-6]), color=colour, lw=1.6)
    if abs(end - start) > 0.12:
        tail, tip = ((radius * np.cos(angle), radius * np.sin(angle)) for angle in angles[[-8, -1]])
        arrow = {"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0, **head}
        ax.annotate("", tip, tail, arrowprops=arrow)


def show_shift(depth, position, offset, base=10000.0):
    """Show how each pair of an encoding rotates when the position moves on.

    Args:
        depth: Width D of the encoding, even.
        position: Where to start.
        offset: By how many positions to move.
        base: As in the encoding.
    """
    omegas = base ** (-np.arange(0, depth, 2) / depth)
    figure, axes = plt.subplots(1, len(omegas), figsize=(7, 2.8), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.1)
    words = []
    for i, (ax, omega) in enumerate(zip(axes, omegas, strict=True)):
        start, end = position * omega, (position + offset) * omega
        _circle(ax, f"pair {i}\n{offset} x {omega:.3g} rad")
        nudge = max(0.0, 0.14 - abs(end - start) / 2)
        _hand(ax, start, f"{position}", OKABE_ITO[0], nudge=-nudge)
        _hand(ax, end, f"{position + offset}", OKABE_ITO[3], dashed=True, nudge=nudge)
        _arc(ax, start, end, INK)
        words.append(f"pair {i} rotates by {offset * omega:.3g} radians")
    title = f"From position {position} to position {position + offset}: every pair rotates by its own angle"
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    show(
        figure,
        f"One circle per pair of columns (height: sine, width: cosine; depth {depth}, base {base:g}), with hands at "
        f"positions {position} and {position + offset}. {'; '.join(words)}, and by as much from any other position.",
    )


def show_rotary(omega, pairs):
    """Show that query and key, each rotated by its position, keep an angle that depends on the distance only.

    Args:
        omega: Angle per position.
        pairs: Positions (m of the query, n of the key), one circle for each.
    """
    figure, axes = plt.subplots(1, len(pairs), figsize=(7, 3.1), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.1)
    first, second = 0.3, -0.2  # angles of query and key before the rotation
    words = []
    for ax, (m, n) in zip(axes, pairs, strict=True):
        q, k = first + m * omega, second + n * omega
        score = np.cos(q - k)
        _circle(ax, f"m = {m}, n = {n}\nscore {score:.2f}")
        for angle, name in ((first, "query"), (second, "key")):
            ax.plot([0, np.cos(angle)], [0, np.sin(angle)], color=ROLES[name], lw=1.1, ls=(0, (1, 1.5)), zorder=1)
        _hand(ax, q, "q", ROLES["query"])
        _hand(ax, k, "k", ROLES["key"], dashed=True)
        _arc(ax, k, q, INK)  # from key to query, as the lesson counts the angle
        words.append(f"query at {m}, key at {n}: score {score:.2f}")
    title = "Same distance, same angle from k to q, same score (dotted: before the rotation)"
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    show(
        figure,
        f"A query and a key, each rotated by its position, dotted before the rotation. {'; '.join(words)}. Both are "
        "rotated, and the angle between them depends on the distance only.",
    )


def show_hand(pair, position, depth=32, base=10000.0):
    """Draw one pair of columns of the sinusoidal encoding as curves and as a hand, and say what there is to see.

    Args:
        pair: Which pair of columns, from 0 to `depth / 2 - 1`.
        position: Which position.
        depth: Width D of the encoding.
        base: As in the encoding.
    """
    omega = base ** (-2 * pair / depth)
    angle = position * omega
    t = np.linspace(0, 63, 1200)
    figure, (ax, circle) = plt.subplots(1, 2, figsize=(7, 2.7), width_ratios=(2.3, 1), layout="constrained")
    ax.plot(t, np.sin(t * omega), color=OKABE_ITO[0], label=f"column {2 * pair}: sine")
    ax.plot(t, np.cos(t * omega), color=OKABE_ITO[1], ls=(0, (5, 2)), label=f"column {2 * pair + 1}: cosine")
    ax.plot([position] * 2, [np.sin(angle), np.cos(angle)], color=INK, marker="o", ms=6, lw=1, ls=":")
    ax.set(ylim=(-1.15, 1.15), xlabel="position", title=f"Pair {pair}, position {position}")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2)
    for step in range(position + 1):
        circle.plot(np.cos(step * omega), np.sin(step * omega), "o", ms=3.5, color=QUIET)
    circle.add_patch(plt.Circle((0, 0), 1, fill=False, ec=QUIET, lw=1, zorder=0))
    circle.annotate(
        "",
        (np.cos(angle), np.sin(angle)),
        (0, 0),
        arrowprops={"arrowstyle": "-|>", "color": OKABE_ITO[3], "lw": 2.2, "shrinkB": 0},
    )
    circle.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    circle.set_title("dots: positions so far", fontsize=10, loc="center")
    circle.axis("off")
    period, turns = 2 * np.pi / omega, angle / (2 * np.pi)
    sentences = [
        f"Pair {pair} rotates by {np.degrees(omega):.3g} degrees per word; a full turn takes {period:,.1f} words.",
        f"At position {position} it has made {turns:.2f} turns: sine {np.sin(angle):.3f}, cosine {np.cos(angle):.3f}.",
    ]
    if period < 64:
        again, off = position + round(period), abs(np.degrees(round(period) * omega) - 360)
        sentences += [f"Position {again} has nearly the same pair ({off:.0f} degrees off),"]
        sentences += ["so this pair alone hardly tells the two positions apart."]
    finding = "\n".join(sentences)
    show(figure, f"Sine and cosine of one pair over 64 positions, and the pair as a hand in a circle. {finding}")
    print(finding)
