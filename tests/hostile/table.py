"""Print what each kind of hostile submission gets.

Usage: `python -m tests.hostile.table [--stock] [--ours] [NAME or GROUP ...]`.

Without options it prints what is known from earlier runs and runs nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable

from .corpus import GROUPS, KINDS
from .course import POINTS, REPOSITORY
from .harness import run_ours, run_stock
from .judge import Outcome
from .sheet import Kind

KEEP = REPOSITORY / "build" / "hostile"


def load(side: str) -> dict[str, Outcome]:
    """Read the kept outcomes of `"stock"` or `"ours"`."""
    found = {}
    for path in sorted((KEEP / side).glob("*.json")):
        if path.stem in KINDS:
            found[path.stem] = Outcome(**json.loads(path.read_text())["outcome"])
    return found


def save(side: str, outcomes: dict[str, Outcome]) -> None:
    """Keep outcomes."""
    (KEEP / side).mkdir(parents=True, exist_ok=True)
    for name, outcome in outcomes.items():
        (KEEP / side / f"{name}.json").write_text(json.dumps({"outcome": outcome.as_json()}, indent=1))


def figures(outcomes: dict[str, Outcome]) -> dict[str, int]:
    """Count what hostile submissions reached."""
    all_ = list(outcomes.values())
    return {
        "submissions": len(all_),
        "gained points": sum(o.gained > 0 for o in all_),
        "full marks": sum(o.total >= POINTS for o in all_),
        "read a canary": sum(bool(o.canaries) for o in all_),
        "changed files": sum(bool(o.changed) for o in all_),
        "left processes": sum(bool(o.left) for o in all_),
        "reached the network": sum(o.connected for o in all_),
        "active feedback": sum(bool(o.active) for o in all_),
        "stopped the class": sum(o.stopped for o in all_),
        "harmed others without stopping": sum(o.harmed and not o.stopped for o in all_),
        "were not marked": sum(not o.marked for o in all_),
        "any of these but the last": sum(o.succeeded for o in all_),
    }


def table(kinds: Iterable[Kind], stock: dict[str, Outcome], ours: dict[str, Outcome]) -> str:
    """Lay out kinds and what they got."""
    lines = []
    for kind in kinds:
        by_stock = stock[kind.name].words() if kind.name in stock else "?" if kind.stock else "(not run)"
        by_ours = ours[kind.name].words() if kind.name in ours else "?"
        lines.append(f"{kind.group:13} {kind.name:32} {kind.says[:70]:70} | {by_stock:45} | {by_ours}")
    for side, outcomes in (("stock", stock), ("ours", ours)):
        if outcomes:
            lines += ["", f"{side}:"] + [f"  {number:4} {what}" for what, number in figures(outcomes).items()]
    return "\n".join(lines)


def main() -> None:
    """Run what is asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="kinds or groups; all by default")
    parser.add_argument(
        "--stock", action="store_true", help="mark with stock nbgrader what has changed since last time"
    )
    parser.add_argument("--ours", action="store_true", help="mark with this course's grader")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    unknown = [n for n in options.names if n not in KINDS and n not in GROUPS]
    if unknown:
        parser.error(f"no kind or group called {', '.join(unknown)}")
    kinds = [k for k in KINDS.values() if not options.names or k.name in options.names or k.group in options.names]
    if options.stock:
        run_stock(kinds, KEEP / "stock", workers=options.workers)
    if options.ours:
        save("ours", run_ours(kinds))
    chosen = {k.name for k in kinds}
    stock, ours = ({n: o for n, o in load(side).items() if n in chosen} for side in ("stock", "ours"))
    print(table(kinds, stock, ours))


if __name__ == "__main__":
    main()
