"""Cut the letters that formulas of the web edition need out of Latin Modern Math.

Few telephones and no Linux have a font for mathematics, and with another one signs are too wide, too small or too low.

    python assets/web/math_font.py latinmodern-math.otf

The font is in Debian's package `fonts-lmodern`. A browser test names letters of formulas that it lacks: add them here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset

FONT = Path(__file__).parent / "static" / "fonts" / "course-math.woff"
FAMILY = "Course Math"
SIGNS = "¯·×±…‖′ℓℝ∈∏∑∂∇−≈≠≤≥∞√⊙⊤⋯⌊⌋⟨⟩←→∗ϵ"
#: Printable ASCII and capitals in bold. Browsers set a variable in letters of their own: italic ones, Latin and Greek.
RANGES = [(0x20, 0x7E), (0x1D400, 0x1D419), (0x1D434, 0x1D454), (0x1D456, 0x1D467), (0x1D6E2, 0x1D71B)]
#: The italic h was there before the others, and leaves a gap among them.
PLANCK = 0x210E
#: The prime of scripts, and of scripts of scripts.
PRIMES = ["minute.st", "minute.sts"]


def letters() -> set[int]:
    """Return the code points that the font holds."""
    return {PLANCK, *map(ord, SIGNS), *(code for first, last in RANGES for code in range(first, last + 1))}


def cut(source: str) -> None:
    """Write the font: with its table for mathematics, without hints, under a name of its own as the licence asks."""
    options = subset.Options()
    # Letters drawn for scripts would double its size. Only the prime needs its own, or it is tiny and too high.
    options.layout_features, options.layout_closure = ["ssty"], False
    options.hinting, options.desubroutinize, options.flavor = False, True, "woff"
    options.drop_tables += ["FFTM", "GPOS"]
    font = subset.load_font(source, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=letters(), glyphs=PRIMES)
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):
            record.string = FAMILY.replace(" ", "") if record.nameID == 6 else FAMILY
    font["CFF "].cff.fontNames = [FAMILY.replace(" ", "")]
    FONT.parent.mkdir(exist_ok=True)
    subset.save_font(font, FONT, options)


if __name__ == "__main__":
    cut(sys.argv[1])
