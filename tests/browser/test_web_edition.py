"""The web edition in a browser: every link leads somewhere, nobody is kept out, nothing needs a script or the net."""

import functools
import html
import re
import threading
import unicodedata
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import expect
from web.math_font import FONT, PLANCK, letters

from grader.core.course import Course
from grader.publishing.site import publish_site
from grader.publishing.site_words import WORDS
from tests.formulas import wrong_mathml

from .conftest import COURSE, barriers

CHINESE = "zh_CN"
#: A page with all that it loads, in bytes.
LARGEST = 2_000_000
#: The kinds of `<link>` that a browser fetches (HTML Standard, link types: https://html.spec.whatwg.org/#linkTypes).
LOADING = {"stylesheet", "icon", "manifest", "modulepreload", "preload"}
#: From opening a page to its first text, in milliseconds.
FIRST_VIEW = 1000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of the whole course, built from nothing, as if the students' repository had an address."""
    to = tmp_path_factory.mktemp("web") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Course, "repository", lambda course, language="en": "uni/students")
        result = publish_site(COURSE, to, languages=("en", CHINESE))
    assert result.refused == []
    return to


class Quiet(SimpleHTTPRequestHandler):
    """Hands out files and tells nobody."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served: axe reads the style sheets, which a browser does not allow for files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/en"
        server.shutdown()


class Links(HTMLParser):
    """Collects what a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.links, self.loads, self.folders, self.anchors = [], [], [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def fonts(self, link):
        """Return what a style sheet loads, from the page."""
        sheet, _ = target(self.path, link)
        if sheet.suffix != ".css" or not sheet.is_file():
            return []
        named = re.findall(r"url\([\"']?([^)\"':]+)[\"']?\)", sheet.read_text(encoding="utf-8"))
        return [urljoin(urlsplit(link).path, name) for name in named]

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and not LOADING & set(found.get("rel", "").split()):
            self.links.append(found["href"])  # the page before, the next one: a browser goes there only if asked to
        elif tag in ("img", "script", "link", "source", "iframe") and (found.get("src") or found.get("href")):
            self.loads.append(found.get("src") or found["href"])
            self.loads += self.fonts(self.loads[-1])
        self.folders += [found["data-folder"]] if "data-folder" in found else []
        if found.get("http-equiv") == "refresh":
            self.links.append(found["content"].partition("url=")[2])


def pages(site):
    return {path: Links(path) for path in sorted(site.rglob("*.html"))}


def target(path, link):
    """Return the file that a link of a page leads to, and the anchor in it."""
    where, anchor = urldefrag(link)
    where = unquote(urlsplit(where).path)
    return (path if not where else (path.parent / where)).resolve(), unquote(anchor)


def dead_links(found):
    dead = []
    for path, page in found.items():
        for link in [*page.links, *page.loads]:
            if urlsplit(link).scheme in ("http", "https", "mailto") and link in page.links:
                continue
            file, anchor = target(path, link)
            other = found.get(file)
            if not file.is_file() or (other and anchor not in other.anchors):
                dead.append(f"{path.name}: {link}")
    return dead


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(site):
    found = pages(site)
    assert len(found) >= 2 * (len(COURSE.assignments()) + 2) + 1
    assert dead_links(found) == []
    assert sum(len(page.links) for page in found.values()) > 200


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">1</a><a href="#gone">2</a><a href="b.html">3</a><img src="https://x.example/y.png">'
    )
    dead = dead_links(pages(tmp_path))
    assert dead == ["a.html: #gone", "a.html: b.html", "a.html: https://x.example/y.png"]


def test_a_page_with_all_that_it_loads_and_every_picture_of_its_sliders_is_small(site):
    for path, page in pages(site).items():
        loaded = {target(path, link)[0] for link in page.loads}
        loaded |= {picture for folder in page.folders for picture in (path.parent / folder).resolve().iterdir()}
        assert path.stat().st_size + sum(p.stat().st_size for p in loaded) < LARGEST, path.name


def test_formulas_have_as_many_parts_as_they_may(site):
    found = [path.read_text(encoding="utf-8") for path in pages(site)]
    assert sum(page.count("<math") for page in found) > 500
    assert [wrong for page in found for wrong in wrong_mathml(page)] == []


def test_the_font_has_every_letter_of_the_formulas(site):
    has = {chr(code) for code in TTFont(FONT).getBestCmap()}
    assert {chr(code) for code in letters()} <= has
    text = "".join(path.read_text(encoding="utf-8") for path in pages(site))
    formulas = "".join(re.findall("<math.*?</math>", text, re.S))
    variables = set(re.findall("<mi>([A-Za-zα-ωϵ])</mi>", formulas))  # a browser takes slanted letters for these
    slanted = {plain(letter) for letter in has if "ITALIC" in unicodedata.name(letter) or letter == chr(PLANCK)}
    assert {letter for letter in variables if plain(letter) not in slanted} == set()
    assert set("".join(html.unescape(re.sub("<[^>]*>", "", formulas)).split())) - variables - has == set()


def plain(letter):
    return unicodedata.normalize("NFKC", letter)


def test_the_buttons_lead_to_colab_and_to_the_file(site, assignment):
    links = Links(site / "en" / f"{assignment}.html").links
    address = f"/github/uni/students/blob/main/notebooks/{assignment}/{assignment}.ipynb"
    assert f"https://colab.research.google.com{address}" in links
    assert f"notebooks/{assignment}.ipynb" in links


@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (390, "dark")])
def test_nobody_is_kept_out_of_a_notebooks_page(page, site, address, assignment, width, colours):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/{assignment}.html")
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
    path = site / "en" / f"{assignment}.html"
    loads = {target(path, link)[0] for link in Links(path).loads}  # what the sizes of pages are counted of
    fetched = {
        site / "en" / unquote(urlsplit(url).path).removeprefix("/en/") for url in asked if url.startswith(address)
    }
    assert fetched - {path} - loads == set()
    assert len(fetched & loads) > 5
    assert overflow(page) <= 0
    unfold(page)
    assert overflow(page) <= 0
    # Axe takes a minute for the thousands of coloured words of a page's code; one page stands for all of that.
    whole = assignment == COURSE.assignments()[-1]
    assert barriers(page, None if whole else {"exclude": [[".highlight"]]}) == []


def test_a_small_phone_scrolls_in_one_direction(page, address, assignment):
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{address}/{assignment}.html")
    unfold(page)
    assert overflow(page) <= 0


def overflow(page):
    """Return how much wider than the screen a page is, in pixels."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def unfold(page):
    """Open what is folded, apart from the machinery: thousands of lines of plain text."""
    page.evaluate("document.querySelectorAll('article details:not(.machinery)').forEach(d => d.open = true)")


@pytest.mark.parametrize("name", ["index", "search"])
@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (1280, "dark"), (390, "dark")])
def test_nobody_is_kept_out_of_the_other_pages(page, address, name, width, colours):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours)
    page.goto(f"{address}/{name}.html")
    assert overflow(page) <= 0
    assert barriers(page) == []


def test_pictures_are_drawn_and_have_an_alternative_text(page, site, assignment):
    page.goto((site / "en" / f"{assignment}.html").as_uri())
    images = page.locator("article img")
    assert images.count() >= 3
    assert page.evaluate("[...document.querySelectorAll('article img')].filter(i => i.alt.length < 20).length") == 0
    page.evaluate("document.querySelectorAll('article img').forEach(i => i.loading = 'eager')")
    page.wait_for_function("[...document.querySelectorAll('article img')].every(i => i.complete && i.naturalWidth > 0)")


def test_text_and_formulas_are_there_without_script(browser, site, assignment):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "en" / f"{assignment}.html").as_uri())
    assert page.locator("article h1").is_visible()
    formulas = page.locator("article math:visible")
    assert formulas.count() >= 5
    box = formulas.first.bounding_box()
    assert box["width"] > 5
    assert box["height"] > 8
    assert "$" not in page.locator("article p").all_inner_texts()
    hint = page.locator("article details", has_text="Hint 1").first
    hint.locator("summary").click()
    assert hint.evaluate("d => d.open")
    context.close()


def test_a_slider_is_moved_by_keyboard_and_picture_and_words_follow(page, address, assignment, screenshot):
    page.goto(f"{address}/{assignment}.html")
    figures = page.locator("figure.frames")
    assert figures.count() >= 1
    if assignment.startswith("05"):
        page.set_viewport_size({"width": 1180, "height": 760})
        figures.first.evaluate("f => f.scrollIntoView({block: 'center'})")
        figures.first.locator("img").evaluate("i => i.decode()")
        page.wait_for_timeout(500)  # the page scrolls smoothly
        screenshot(page, "web_edition", clip={"x": 0, "y": 60, "width": 1180, "height": 700})
    for figure in figures.all():
        control = figure.locator("input[type=range], select").last
        is_list = control.evaluate("c => c.matches('select')")
        image, words = figure.locator("img"), figure.locator("figcaption")
        shown = control.evaluate("c => c.options ? [...c.options].map(o => o.text) : JSON.parse(c.dataset.values)")
        seen = []
        control.focus()
        page.keyboard.press("Home")
        for text in shown:
            chosen = "c => c.options ? c.selectedOptions[0].text : c.getAttribute('aria-valuetext')"
            assert control.evaluate(chosen) == text
            image.evaluate("i => i.decode()")  # fails if there is no such picture
            seen.append((image.get_attribute("src"), image.get_attribute("alt"), words.inner_text()))
            page.keyboard.press("ArrowDown" if is_list else "ArrowRight")
        assert min(len(alt) for _, alt, _ in seen) > 20
        assert len({src for src, _, _ in seen}) >= 2
        assert len({alt for _, alt, _ in seen}) >= 2


def test_a_chinese_page_shows_a_chinese_run_and_says_where_it_does_not(page, address, assignment, screenshot):
    page.goto(f"{address}/../{CHINESE}/{assignment}.html")
    if page.locator("p.solved").inner_text() == WORDS[CHINESE]["solved_in_english"]:
        pytest.skip(f"no output is up to date: run grader execute {assignment[:2]} --language {CHINESE}")
    if assignment.startswith("02"):
        page.set_viewport_size({"width": 1180, "height": 760})
        page.locator("article .shown img").nth(1).evaluate("i => i.scrollIntoView({block: 'center'})")
        page.wait_for_timeout(500)
        screenshot(page, "web_edition_zh")
    # What came from the English run is followed by a note that says so.
    noted = "e => { while (e?.matches('.shown, .output')) e = e.nextElementSibling; return !!e?.matches('p.note'); }"
    pictures = [part for part in page.locator("article .shown:has(img)").all() if not part.evaluate(noted)]
    assert [alt for part in pictures if not in_chinese(alt := part.locator("img").first.get_attribute("alt"))] == []
    printed = [part.inner_text() for part in page.locator("article .output").all() if not part.evaluate(noted)]
    assert len(pictures) + len(printed) >= 10
    assert sum(map(in_chinese, printed)) >= len(printed) / 2, "the rest are numbers and names"


def test_a_chinese_slider_is_named_and_described_in_chinese(page, address, assignment):
    page.goto(f"{address}/../{CHINESE}/{assignment}.html")
    figures = page.locator("figure.frames")
    if not figures.count():
        pytest.skip(f"no pictures are up to date: run grader execute {assignment[:2]} --language {CHINESE}")
    for figure in figures.all():
        assert in_chinese(figure.locator("form label").first.inner_text())
        control = figure.locator("input[type=range], select").last
        control.focus()
        for key in ("Home", "End"):
            page.keyboard.press(key)
            figure.locator("img").evaluate("i => i.decode()")
            assert in_chinese(figure.locator("img").get_attribute("alt"))
            assert in_chinese(figure.locator("figcaption").inner_text())


@pytest.mark.parametrize(("width", "colours"), [(1280, "dark"), (390, "light")])
def test_nobody_is_kept_out_of_a_chinese_page(page, address, width, colours):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours)
    page.goto(f"{address}/../{CHINESE}/{COURSE.assignments()[-1]}.html")
    assert overflow(page) <= 0
    unfold(page)
    assert overflow(page) <= 0
    assert barriers(page, {"exclude": [[".highlight"]]}) == []
    labels = page.evaluate("[...document.querySelectorAll('[aria-label]')].map(e => e.ariaLabel)")
    labels += page.evaluate("[...document.querySelectorAll('svg title')].map(e => e.textContent)")
    assert len(labels) > 10
    assert [label for label in labels if not in_chinese(label)] == []


def in_chinese(text):
    return bool(re.search("[\u4e00-\u9fff]", text))


def test_the_first_view_is_there_within_a_second(browser, site):
    fastest = []
    for _ in range(3):  # the machine may be busy
        context = browser.new_context()
        page = context.new_page()
        page.goto((site / "en" / f"{COURSE.assignments()[2]}.html").as_uri())
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        fastest.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        context.close()
    assert min(fastest) < FIRST_VIEW


def test_the_search_finds_a_section(page, site):
    page.goto((site / "en" / "index.html").as_uri())
    page.get_by_placeholder("Search").first.fill("bottleneck")
    page.keyboard.press("Enter")
    found = page.locator("#search-results li a").first
    found.wait_for()
    found.click()
    page.wait_for_url(lambda url: "search.html" not in url)  # a click returns before the next page is there
    expect(page.locator("article", has_text="bottleneck").locator("h1")).to_be_visible()


def test_light_and_dark_can_be_chosen(page, site):
    page.goto((site / "en" / "index.html").as_uri())
    seen = set()
    for _ in range(3):
        page.locator(".theme-toggle-content button").click()
        seen.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(seen) == 2


def test_the_front_door_leads_to_the_language(page, site):
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/en/index.html")
    assert page.locator("article h1").inner_text().startswith("Attention")
    assert Path(site / ".nojekyll").is_file()
