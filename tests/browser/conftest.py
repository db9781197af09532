"""A browser for the tests, and a folder for screenshots if one is asked for."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect, sync_playwright

from grader.core.course import Course

from .lab import BROWSER, FLAGS, PATIENCE_MS, Watch

COURSE = Course.find()
PASSED = pytest.StashKey()


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


def new_page(browser):
    """Open a page in a context of its own, and watch it."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.watch = Watch(page)
    return page


@pytest.fixture
def page(browser):
    """A page that fails the test at its end if something complained in the console."""
    page = new_page(browser)
    yield page
    page.context.close()
    assert page.watch.errors == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Let fixtures know at a test's end whether it passed."""
    report = yield
    item.stash[PASSED] = report.passed
    return report


@pytest.fixture(scope="module")
def kept():
    """The pages that tests have left to those behind them in the file."""
    return []


@pytest.fixture
def kept_page(browser, kept, request):
    """A page as `page` gives it, in which JupyterLab is there already after a test that passed."""
    page = kept.pop() if kept else new_page(browser)
    page.watch.forget()
    yield page
    if request.node.stash.get(PASSED, False) and not page.watch.errors:
        kept.append(page)
    else:
        page.context.close()
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
    # What passes need not be listed: to write down where each node stands takes a part of axe's time.
    found = Axe().run(page, context=within, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:300]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
