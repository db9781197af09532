"""What every child of a warm process would run first, run once before they are forked: a notebook's prelude.

A notebook begins with cells of the course's own, set-up and helpers. Both sides of every submission would run them
again, to the same effect. So a process is forked from the warm one that runs them and then forks the children, which
take over what it left behind: names, random numbers, and the text that was printed. No code of a student's runs here.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .cells import CELLS
from .describing import describe
from .sink import Sink

#: Where random numbers come from that every child seeds anew (`isolate.fresh_seeds`): module, and how its state is read
#: and written.
_CHANCES = (("random", "getstate", "setstate"), ("numpy.random", "get_state", "set_state"))


@dataclass
class Left:
    """What a prelude left behind.

    Args:
        module: Its names.
        seeded: By module, the state of the random numbers that it seeded.
    """

    module: ModuleType
    seeded: dict[str, Any] = field(default_factory=dict)


_left: Left | None = None


def states() -> dict[str, Any]:
    """Return the state of the random numbers, by module."""
    return {name: getattr(sys.modules[name], read)() for name, read, _ in _CHANCES if name in sys.modules}


def run(numbers: list[int]) -> dict[str, Any]:
    """Run the cells of a prelude in this process, from which children will be forked.

    Args:
        numbers: The cells, as `cells.keep` returned them.

    Returns:
        `texts`, what each of them printed, or `error`.
    """
    global _left
    left, out, texts = Left(ModuleType("__main__")), Sink(), []
    before = {name: repr(state) for name, state in states().items()}
    sys.modules["__main__"] = left.module
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        for number in numbers:
            code = CELLS[number]
            try:
                if isinstance(code, Exception):
                    raise code
                exec(code, left.module.__dict__)
            except BaseException as error:
                told = describe(error)
                return {"error": f"{told['type']}: {told['text']}"}
            texts.append(out.take())
    left.seeded = {name: state for name, state in states().items() if repr(state) != before.get(name)}
    _left = left
    gc.collect()
    gc.freeze()  # as after the imports: a child that looked through it for garbage would copy its pages
    return {"texts": texts}


def take_over() -> ModuleType:
    """Return the main module of this child: what the prelude left behind, or an empty one if there was none."""
    left = _left or Left(ModuleType("__main__"))
    sys.modules["__main__"] = left.module
    restore(left.seeded)
    return left.module


def restore(states: dict[str, Any]) -> None:
    """Put random numbers into the state that they had before."""
    for name, _, write in _CHANCES:
        if name in states:
            getattr(sys.modules[name], write)(states[name])
