"""What students do to a notebook beside answering: predict, probe, change demonstrations, leave broken cells behind.

Nothing of it changes what the answers are worth, so a right notebook keeps all its points. The same random numbers give
the same notebook.

No study that we know of counts these habits, so their shares are set by what the notebooks ask for, and rather too high
than too low, since what costs time is what is measured: every notebook asks for predictions and for at least one probe,
so most leave some; the README offers Colab beside JupyterLab, so half come from there; a line for debugging below an
answer, a changed number in a demonstration and a plot of one's own are what one in two or three leaves; broken cells,
magics and cells that were run out of order are what one in five or ten hands in without noticing.
"""

from __future__ import annotations

import ast
import base64
import copy
import random
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from grader.core.cells import CellKind, Exercise, grade_id, kind_of
from grader.core.names import left_behind
from grader.testing.samples import as_saved_by_colab, with_shuffled_counts


@dataclass(frozen=True)
class Habit:
    """Something that a student may do to a notebook.

    Args:
        share: Share of the notebooks that show it.
        do: Changes a notebook in place.
    """

    share: float
    do: Callable[[NotebookNode, list[Exercise], random.Random], None]


def explore(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> NotebookNode:
    """Return a notebook as a student leaves it who has not only answered.

    Args:
        nb: A released notebook with answers; it is not changed.
        exercises: Those of its source notebook.
        rng: What happens by chance.
    """
    nb = copy.deepcopy(nb)
    for habit in HABITS.values():
        if rng.random() < habit.share:
            habit.do(nb, exercises, rng)
    return as_saved_by_colab(nb) if rng.random() < COLAB else nb


def _demonstrations(nb: NotebookNode) -> list[NotebookNode]:
    return [c for c in nb.cells if kind_of(c) is CellKind.DEMONSTRATION]


def _shown(nb: NotebookNode) -> list[str]:
    """Return the names that demonstrations leave behind: arrays, models, histories."""
    return [name for cell in _demonstrations(nb) for name in sorted(left_behind(cell.source)) if len(name) > 2]


def _insert(nb: NotebookNode, after: NotebookNode, *sources: str) -> None:
    place = next(n for n, cell in enumerate(nb.cells) if cell is after) + 1
    nb.cells[place:place] = [
        new_code_cell(source, id=f"own{len(nb.cells)}x{number}") for number, source in enumerate(sources)
    ]


def _predict(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    for cell in _demonstrations(nb):
        guess = rng.choice(["0.5", "[0.9, 0.8, 0.6]", '"the last one"'])
        cell.source = re.sub(r"^(\w+) = None\b", rf"\1 = {guess}", cell.source, flags=re.M)


def _look(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Print what a training or an experiment has left, in its cell or in the next one."""
    cells = [c for c in _demonstrations(nb) if left_behind(c.source)]
    for cell in rng.sample(cells, min(len(cells), rng.randint(1, 3))):
        line = f"print(type({rng.choice(sorted(left_behind(cell.source)))}))"
        if rng.random() < 0.5:
            cell.source += f"\n{line}"
        else:
            _insert(nb, cell, line)


def _probe(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Try out at the end what a section asks for: trained things, with the student's own functions at hand."""
    names, function = _shown(nb) or ["data"], rng.choice(exercises).functions[0]
    one, other = rng.choice(names), rng.choice(names)
    probe = (
        f"def probe(thing, times=3):\n    return [thing for _ in range(times)]\n\n"
        f"kept = probe({one})\nprint(len(kept), {other})\nprint({function}.__name__)"
    )
    _insert(nb, nb.cells[-1], probe, "kept[0]")


def _change(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Change a number in a demonstration: another width, another seed, the value of a slider."""
    cells = [c for c in _demonstrations(nb) if re.search(r"(?<![\w.])\d+(?![\w.])", c.source)]
    for cell in rng.sample(cells, min(len(cells), rng.randint(1, 3))):
        found = rng.choice(list(re.finditer(r"(?<![\w.])\d+(?![\w.])", cell.source)))
        changed = f"{cell.source[: found.start()]}{int(found[0]) + 1}{cell.source[found.end() :]}"
        try:
            ast.parse(changed)
        except SyntaxError:  # `07` and the like
            continue
        cell.source = changed


def _debug(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Leave a line for debugging below an answer; it looks at something that a demonstration made."""
    for cell in nb.cells:
        if kind_of(cell) is CellKind.ANSWER and rng.random() < 0.3:
            before = _shown(NotebookNode(cells=nb.cells[: nb.cells.index(cell)]))
            look = rng.choice(before) if before else "np.pi"
            cell.source += f"\n\nprint(type({look}))\n# {exercises[0].functions[0]} works now"


def _plot(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    made = "mine = np.random.default_rng(1).random((12, 12))\nprint(mine.shape)\nmine.mean()"
    drawn = "import matplotlib.pyplot as plt\nplt.imshow(mine)\nplt.title('my weights')\nplt.show()"
    _insert(nb, rng.choice(_demonstrations(nb)), made, drawn)


def _import(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    _insert(nb, nb.cells[0], "!pip --version", "%matplotlib inline\nimport math, itertools")


def _time(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    _insert(nb, rng.choice(_demonstrations(nb)), "%timeit np.ones((50, 50)) @ np.ones((50, 50))")


def _break(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Leave cells behind that do not run: a half line, a name that is gone, an unfinished copy of a demonstration."""
    copied = rng.choice(_demonstrations(nb)).source.split("\n")
    half = "\n".join(copied[: max(1, len(copied) // 2)]) + "\nfor step in"
    _insert(nb, rng.choice(_demonstrations(nb)), "weights.shape = (", "print(wieghts)", half)


def _repeat(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Run a demonstration again in a cell of one's own, under another name."""
    cell = max(_demonstrations(nb), key=lambda c: ("fit(" in c.source) + ("train" in c.source))
    _insert(nb, cell, cell.source)


def _split(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Have a part of an answer in a cell of one's own in front of it."""
    name = rng.choice(exercises).name
    cell = next(c for c in nb.cells if grade_id(c) == name)
    before = nb.cells[nb.cells.index(cell) - 1]
    own = "def shapes(*arrays):\n    return [getattr(a, 'shape', None) for a in arrays]"  # lists of lists may be ragged
    _insert(nb, before, f"{own}\n\nprint(shapes(np.ones(3)))")
    tree = ast.parse(cell.source)
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    arguments = [a.arg for a in function.args.args][:2]
    documented = ast.get_docstring(function) is not None
    function.body.insert(int(documented), ast.parse(f"seen = shapes({', '.join(arguments)})").body[0])
    cell.source = ast.unparse(tree)


def _save(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    """Save the outputs of a whole run: text, and figures of 40 kB each; one student in ten draws larger ones."""
    side = 360 if rng.random() < 0.1 else 115
    for number, cell in enumerate(c for c in nb.cells if c.cell_type == "code"):
        cell.execution_count = number + 1
        if kind_of(cell) is CellKind.DEMONSTRATION and rng.random() < 0.7:
            picture = base64.b64encode(_figure(rng, side)).decode()
            cell.outputs = [
                new_output("stream", name="stdout", text="step 100: loss 1.234\n" * 20),
                new_output("display_data", {"image/png": picture, "text/plain": "<Figure size 640x480>"}),
            ]


def _figure(rng: random.Random, side: int) -> bytes:
    """Return a PNG file of so many pixels each way; it cannot be compressed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + rng.randbytes(3 * side) for _ in range(side))
    size = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def _out_of_order(nb: NotebookNode, exercises: list[Exercise], rng: random.Random) -> None:
    nb.cells = with_shuffled_counts(nb).cells


#: Share of the notebooks that come through Colab.
COLAB = 0.5
HABITS: dict[str, Habit] = {
    "predictions filled in": Habit(0.8, _predict),
    "a look at what a training left": Habit(0.5, _look),
    "a probe at the end": Habit(0.6, _probe),
    "a demonstration changed": Habit(0.4, _change),
    "a line for debugging below an answer": Habit(0.4, _debug),
    "plots of one's own": Habit(0.3, _plot),
    "installing and importing": Habit(0.2, _import),
    "%timeit": Habit(0.1, _time),
    "broken cells": Habit(0.2, _break),
    "a training run once more": Habit(0.1, _repeat),
    "part of an answer in a cell of its own": Habit(0.1, _split),
    "outputs of a whole run saved": Habit(0.9, _save),
    "run out of order": Habit(0.2, _out_of_order),
}
