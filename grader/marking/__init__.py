"""The names that an `nbgrader_config.py` of an earlier version uses. Each leads to the new one, with a warning."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

from traitlets.utils.importstring import import_item

logger = logging.getLogger(__name__)


def forward(old: str, new: str, names: tuple[str, ...]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that has moved.

    Args:
        old: The name that the module had.
        new: The name that it has now.
        names: What a configuration may name in it.
    """

    def getattr_of_the_moved(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        text = f"nbgrader_config.py names {old}.{name}, which is {new}.{name} now; the old name will go one day"
        logger.warning(text)
        warnings.warn(text, DeprecationWarning, stacklevel=3)
        return import_item(f"{new}.{name}")

    return getattr_of_the_moved
