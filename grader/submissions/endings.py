"""Which files could be a notebook, by their names."""

from __future__ import annotations

#: Endings of what could be a notebook, the likeliest first.
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".json", ".py", ".txt", "")


def rank_of(name: str) -> int | None:
    """Return how likely a file's ending is for a notebook, 0 the likeliest; None for what is none."""
    lower = name.lower()
    if lower.startswith(".") and lower.endswith(".part"):  # of ours, written beside its place by a run that was killed
        return None
    for rank, ending in enumerate(ENDINGS):
        if ending and lower.endswith(ending):
            return rank
    # Browsers and systems add to a name: `nb.ipynb (1)`, `nb.ipynb.download`, `nb`.
    if ".ipynb" in lower:
        return ENDINGS.index(".json")
    return len(ENDINGS) - 1 if "." not in name.strip(".") and not name.startswith(".") else None
