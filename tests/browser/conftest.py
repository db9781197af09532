"""A browser for the tests, and a folder for screenshots if one is asked for."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect, sync_playwright

from grader.core.course import Course

from .lab import BROWSER, FLAGS, PATIENCE_MS, Watch

COURSE = Course.find()


def pytest_addoption(parser):
    parser.addoption("--screenshots", type=Path, metavar="DIR", help="save the pictures of the documentation here")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if not BROWSER.exists():
                item.add_marker(pytest.mark.skip(reason=f"no browser: {BROWSER} (apt-get install chromium)"))


def pytest_generate_tests(metafunc):
    """Run a test that asks for `assignment` once for each notebook of the course."""
    if "assignment" in metafunc.fixturenames:
        metafunc.parametrize("assignment", COURSE.assignments())


@pytest.fixture(scope="session")
def course():
    return COURSE


# Not for the session: as long as Playwright is there, nothing else in the process can start an event loop.
@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A page that fails the test at its end if something complained in the console."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.watch = Watch(page)
    yield page
    context.close()
    assert page.watch.errors == []


@pytest.fixture
def screenshot(request):
    """Save a picture of a page or of a part of it, if a folder was named on the command line."""
    folder = request.config.getoption("screenshots", None)

    def save(what, name, **options):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            what.screenshot(path=folder / f"{name}.png", **options)

    return save


def barriers(page: Page, within: str | dict | None = None) -> list[str]:
    """Let axe look for what keeps people out of a page or of a part of it.

    Returns:
        A line for each serious or critical finding.
    """
    found = Axe().run(page, context=within).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:300]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
