"""The whole corpus: `KINDS`, by name."""

from . import kinds as _kinds  # enters them
from .sheet import KINDS

assert _kinds
GROUPS = tuple(dict.fromkeys(k.group for k in KINDS.values()))

__all__ = ["GROUPS", "KINDS"]
