"""Make `class_report.png`, the picture in grader/README.md: excerpts of the class report for a synthetic class.

    python assets/figures/class_report.py

It needs Playwright with the system's Chromium and Pillow. `--students 1000 --time` makes no picture but says how long
the report of such a class takes.
"""

from __future__ import annotations

import argparse
import datetime
import io
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from synthetic_class import write_class

from grader.core.course import Course
from grader.report.write import write_report

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
WIDTH = 1280
#: Panels that are shown; the rest of the page is left out.
PANELS = ("02_additive_attention_marks", "02_additive_attention_exercises", "02_additive_attention_misconceptions")
NOW = datetime.datetime(2026, 5, 6, 18, 30, tzinfo=datetime.UTC)


def make_page(folder: Path, students: int) -> float:
    """Write the report of a synthetic class; give the seconds that the report took."""
    course = Course.find(HERE)
    # A folder of its own for the key: pseudonyms of a picture say nothing about a real class.
    aside = Course(folder)
    for part in ("solutions", "pyproject.toml"):
        (folder / part).symlink_to(course.root / part)
    write_class(course, folder / "gradebook.db", course.assignments(), students)
    begun = time.monotonic()
    url = f"sqlite:///{folder / 'gradebook.db'}"
    write_report(aside, url, "attention", course.assignments(), folder / "report.html", now=NOW)
    return time.monotonic() - begun


def take_picture(page_path: Path) -> Image.Image:
    """Give the picture: the top of the page and, below it, two panels of a notebook."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(page_path.as_uri())
        page.evaluate(
            """shown => {
                const drop = (css, when) => document.querySelectorAll(css).forEach(e => { if (when(e)) e.remove(); });
                drop(".panel", panel => !shown.includes(panel.id));
                drop(".panel .scroll ~ .scroll, footer, nav", () => true);
                drop("main > section", section => !section.querySelector(".panel"));
            }""",
            list(PANELS),
        )
        data = page.screenshot(full_page=True)
        browser.close()
    return Image.open(io.BytesIO(data)).convert("RGB")


def main() -> None:
    """Make the picture, or say how long the report takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--time", action="store_true", help="make no picture, say how long the report takes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seconds = make_page(Path(folder), args.students)
        print(f"{args.students} students in every notebook: {seconds:.1f} s")
        if not args.time:
            picture, path = take_picture(Path(folder) / "report.html"), HERE / "class_report.png"
            # Few colours are in it: with a palette it is a third of the size.
            picture.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
            print(path.name, picture.size, f"{path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
