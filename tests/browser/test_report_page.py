"""The class report in a browser: nobody is kept out, nothing runs over its edge, on a wide screen and on a phone."""

import datetime

import pytest
from axe_playwright_python.sync_playwright import Axe
from figures.synthetic_class import write_class

from grader.core.course import Course
from grader.report.write import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a synthetic class: one notebook with enough students, one with too few."""
    folder, course = tmp_path_factory.mktemp("report"), Course.find()
    (folder / "solutions").symlink_to(course.solutions)
    first, second = course.assignments()[:2]
    write_class(course, folder / "gradebook.db", [first], 40)
    url, now = f"sqlite:///{folder / 'gradebook.db'}", datetime.datetime(2026, 5, 6, tzinfo=datetime.UTC)
    write_report(Course(folder), url, "attention", [first, second], folder / "report.html", now=now)
    return folder / "report.html"


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_axe_finds_nothing_and_the_page_is_as_wide_as_the_screen(page, report, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(report.as_uri())
    assert page.locator("img").count() == 6
    found = Axe().run(page).response["violations"]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Pictures are drawn, and large enough for their text.
    widths = page.evaluate("[...document.images].map(i => i.complete && i.naturalWidth > 0 ? i.clientWidth : 0)")
    assert min(widths) >= 340


def test_the_page_loads_nothing(page, report):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    assert [url for url in asked if not url.startswith(("data:", "file:"))] == []
    assert page.locator("script").count() == 0


def test_a_download_is_the_plots_numbers(page, report):
    page.goto(report.as_uri())
    with page.expect_download() as download:
        page.get_by_role("link", name="overview.csv").click()
    text = download.value.path().read_text()
    assert text.startswith("notebook,submissions,")
    assert len(text.splitlines()) == 2
