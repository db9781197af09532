"""What the scores of all pairs cost, as dot products and with a tanh: processor time and memory."""

import functools
import time
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import MARKERS, OKABE_ITO, show

_LENGTHS, _WIDTHS = (64, 128, 256, 512), (16, 32, 64, 128, 256)  # at width 64, and at length 256
_FORMULAS = {
    "dot": lambda q, k: np.einsum("tk,sk->ts", q, k),
    "additive": lambda q, k: np.tanh(q[:, None] + k[None]).sum(axis=-1),
}


def _measure(function, *arrays):
    """Return the processor time in milliseconds, the best of five means, and the peak memory in MiB of a call."""
    seconds = []
    for _ in range(5):
        count, begun = 0, time.process_time()
        while time.process_time() - begun < 0.02:
            function(*arrays)
            count += 1
        seconds.append((time.process_time() - begun) / count)
    tracemalloc.start()
    function(*arrays)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1e3 * min(seconds), peak / 2**20


@functools.cache
def measure_costs():
    """Measure both scores, once in a session: a time is never the same twice.

    Returns:
        For "length" and "width": `{"dot": (times, memory), "additive": ...}`.
    """
    found = {}
    for axis, sizes in (("length", [(n, 64) for n in _LENGTHS]), ("width", [(256, n) for n in _WIDTHS])):
        found[axis] = {name: [] for name in _FORMULAS}
        for size in sizes:
            q, k = (np.random.default_rng(i).normal(size=size).astype("float32") for i in (1, 2))
            for name, formula in _FORMULAS.items():
                found[axis][name].append(_measure(formula, q, k))
        found[axis] = {name: tuple(zip(*pairs, strict=True)) for name, pairs in found[axis].items()}
    return found


def show_costs():
    """Show time and memory against length and width, and print how both scores compare and how their memory grows.

    Returns:
        `(dot, additive)`: the factor by which the memory grows when the width doubles, on average.
    """
    found = measure_costs()
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 5.2), sharex="col")
    said = []
    for column, (axis, sizes) in enumerate((("length", _LENGTHS), ("width", _WIDTHS))):
        for row, what in enumerate(("processor time (ms)", "peak memory (MiB)")):
            ax = axes[row, column]
            for i, (name, costs) in enumerate(found[axis].items()):
                ax.plot(sizes, costs[row], color=OKABE_ITO[i], marker=MARKERS[i], ms=5, label=name)
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
            ax.set_xticks(sizes, [f"{n}" for n in sizes])
            ax.minorticks_off()
            ax.set_title(what)
        axes[1, column].set_xlabel("length T = S, width 64" if column == 0 else "width K, length 256")
        ratios = [
            np.round(np.divide(*(found[axis][n][row] for n in ("additive", "dot")))).astype(int) for row in (0, 1)
        ]
        said.append(f"{axis} {list(sizes)}: additive takes {ratios[0].tolist()} times the time,\n"
                    f"    {ratios[1].tolist()} times the memory of dot")  # fmt: skip
    axes[0, 0].legend()
    figure.tight_layout(w_pad=2)
    show(figure, f"Cost of all scores against length and width, logarithmic axes. {' '.join('; '.join(said).split())}.")
    print("\n".join(said))
    growth = []
    for name, (_, memory) in found["width"].items():
        factors = np.array(memory[1:]) / memory[:-1]
        listed = ", ".join(f"{factor:.2f}" for factor in factors)
        print(f"memory for {name} scores, each time the width doubles: times {listed}")
        growth.append(float(factors.prod() ** (1 / len(factors))))
    return tuple(growth)
