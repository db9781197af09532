"""Letters for figures in Chinese: each notebook carries the few that it needs, so no figure shows empty boxes.

`common.otf` has the 3,755 characters of everyday use (the first level of GB 2312) of Noto Sans CJK SC. What a
notebook's figures use is cut out of it and kept beside it: another version of fontTools would write other bytes, and a
locked cell with other bytes would look changed. The cut font stands in the notebook's cell of `plots.py` and is
installed when that cell runs.
"""

from __future__ import annotations

import base64
import io
import zlib
from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.core.notebook import read_notebook
from grader.languages.catalogues import languages, translations
from grader.languages.messages import locale, messages_of

#: The helper whose cell installs the font.
CARRIER = "plots.py"
FAMILY = "Course Sans SC"
#: Helpers that print and draw nothing.
_PRINTING = ("checks", "observed", "handing_in", "explained_errors", "yours")
_ALWAYS = (
    "".join(map(chr, range(32, 127))) + "".join(map(chr, range(160, 256))) + "，。；：？！、（）《》“”‘’—…×→←↑↓−≤≥≈"
)
_LINE = 4000
_CODE = '''

# {family}: from Noto Sans CJK SC, SIL Open Font License 1.1
def _install_letters(packed):
    import logging
    import tempfile
    import zlib
    from pathlib import Path

    from matplotlib import font_manager

    path = Path(tempfile.mkdtemp()) / "letters.otf"
    path.write_bytes(zlib.decompress(base64.b64decode(packed)))
    font_manager.fontManager.addfont(path)
    plt.rcParams["font.family"] = ["{family}", "DejaVu Sans"]
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # the font has no bold letters


_install_letters("""
{packed}
""")'''


def folder(course: Course, language: str) -> Path:
    """Return where the fonts of a language are."""
    return locale(course) / language / "fonts"


def needed(course: Course, language: str, assignment: str) -> set[str]:
    """Return the characters beyond Latin that figures of a notebook may show: those of all its strings and helpers."""
    names = [c.metadata.get("course", {}).get("include") for c in read_notebook(course.source(assignment)).cells]
    catalogues = [f"helpers/{Path(name).stem}" for name in names if name and not name.startswith(_PRINTING)]
    found: set[str] = set()
    for name in (assignment, *catalogues):
        said = translations(course, language, name)
        strings = (m.text for m in messages_of(course, name) if m.kind.startswith("string"))
        found |= {char for text in strings for char in said.get(text, "") if char > "\u2fff"}
    return found


def lacking(course: Course, language: str, assignment: str) -> set[str]:
    """Return the characters that figures of a notebook may show and its font does not have."""
    wanted = needed(course, language, assignment)
    path = folder(course, language) / f"{assignment}.otf"
    return wanted - _letters(path) if wanted and path.is_file() else wanted


def _letters(path: Path) -> set[str]:
    from fontTools.ttLib import TTFont

    return set(map(chr, TTFont(path, lazy=True).getBestCmap()))


def cut(course: Course, language: str, assignment: str) -> bool:
    """Cut a notebook's font out of the common one if the one that is there does not fit.

    Returns:
        True if the file changed.

    Raises:
        GraderError: If the common font lacks a character.
    """
    path, common = folder(course, language) / f"{assignment}.otf", folder(course, language) / "common.otf"
    wanted = needed(course, language, assignment)
    if not wanted or (
        path.is_file() and {c for c in _letters(path) if c > "\u2fff"} - set(_ALWAYS) == wanted - set(_ALWAYS)
    ):
        return False
    if rare := wanted - _letters(common):
        fix = "use other words, or make common.otf anew with these characters, as the page beside it says"
        raise GraderError(f"the font has no {''.join(sorted(rare))}", str(common), fix)
    return write_if_changed(path, subset(common.read_bytes(), wanted | set(_ALWAYS)))


def subset(font: bytes, letters: set[str], number: int = 0) -> bytes:
    """Cut some letters out of a font.

    Args:
        font: The font, or a collection of fonts.
        letters: The characters that stay.
        number: Which font of a collection.
    """
    from fontTools import subset as cutting
    from fontTools.ttLib import TTFont

    options = cutting.Options()
    options.layout_features, options.hinting, options.notdef_outline = [], False, True
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "GSUB", "GPOS"]
    opened = TTFont(io.BytesIO(font), fontNumber=number, recalcTimestamp=False)
    cutter = cutting.Subsetter(options)
    cutter.populate(text="".join(sorted(letters)))
    cutter.subset(opened)
    for record in opened["name"].names:
        if record.nameID in (1, 4, 16):
            opened["name"].setName(FAMILY, record.nameID, record.platformID, record.platEncID, record.langID)
    made = io.BytesIO()
    opened.save(made)
    return made.getvalue()


def with_letters(course: Course, language: str, assignment: str, source: str) -> str:
    """Return the source of the cell that carries the font, with the font; unchanged where a language has none."""
    path = folder(course, language) / f"{assignment}.otf"
    if not path.is_file():
        return source
    packed = base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode("ascii")
    lines = "\n".join(packed[at : at + _LINE] for at in range(0, len(packed), _LINE))
    return source + _CODE.format(family=FAMILY, packed=lines)


def cut_all(course: Course) -> list[str]:
    """Cut the fonts of all notebooks in all languages that have a common font. Returns those that changed."""
    changed = []
    for language in languages(course):
        if (folder(course, language) / "common.otf").is_file():
            changed += [f"{language}/{a}" for a in course.assignments() if cut(course, language, a)]
    return changed
