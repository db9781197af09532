"""What a student wrote on a page that acts with somebody's session: nothing in it leads out of the page."""

import pytest
from bs4 import BeautifulSoup

from grader.feedback.formulas import Formulas
from grader.feedback.in_session import harmless
from grader.feedback.sanitise import clean_html, student_markdown

ADDRESS = "https://example.org/a?b=1&c=2"
LINKS = {
    f"As [they]({ADDRESS}) say": f"As they ({ADDRESS}) say",
    f"see {ADDRESS} there": f"see {ADDRESS} there",
    f"see <{ADDRESS}> there": f"see {ADDRESS} there",
    f"[{ADDRESS}]({ADDRESS})": ADDRESS,
    "[example.org](https://example.org)": "example.org",
    "write to <me@example.org>": "write to me@example.org",
    f"[]({ADDRESS})": ADDRESS,
    f"[the\n*two*  words][r]\n\n[r]: {ADDRESS}": f"the\ntwo  words ({ADDRESS})",
    f'<a href="{ADDRESS}" style="color: red">red</a>': f"red ({ADDRESS})",
    f"[![plot](https://example.org/x.png)]({ADDRESS})": f"plot ({ADDRESS})",
    "[up](#section)": "[up](#section)",
    "<a href='#section'>up</a>": "up",
    "[x](https://example.org/" + "y" * 5_000 + ")": "x (https://example.org/" + "y" * 276 + " ...)",
}
#: What a browser follows, if a cleaner lets it through.
LEADING = [
    "<form action='https://example.org'><button formaction='https://example.org'>go</button><input type=submit></form>",
    "<map name=m><area href='https://example.org' coords='0,0,99,99'></map><img usemap='#m' ismap>",
    "<base href='https://example.org'><meta http-equiv=refresh content='0;url=https://example.org'>",
    "<svg><a xlink:href='https://example.org'><text>x</text></a></svg><math href='https://example.org'><mi>x</mi></math>",
    "<iframe src='https://example.org'></iframe><object data='https://example.org'></object><embed src=x><link href=x>",
    "<p data-link='x' onclick='x' id=x ping=x>x</p><blockquote cite='https://example.org'>x</blockquote>",
    "<a href=' https://example.org' target=_top ping='https://example.org'>x</a><a href='/logout'>x</a><a href=x>y</a>",
    "<a\nhref='https://example.org'><p>x</p></a><a href='https://example.org'><a href='https://example.org'>x</a>",
    "<details open><summary><a href=//example.org>x</a></summary></details><a title='>' href=https://example.org>x</a>",
]
FOLLOWED = "a, form, area, base, meta, svg, math, iframe, object, embed, link, [ping], [cite]"


def page(markup):
    return BeautifulSoup(harmless(markup, Formulas()), "html.parser")


@pytest.mark.parametrize("text", LINKS)
def test_a_link_is_its_label_and_once_its_address(text):
    shown = page(student_markdown(text))
    assert shown.get_text().strip() == LINKS[text]
    assert shown.find_all("a") == []


@pytest.mark.parametrize("text", LEADING)
@pytest.mark.parametrize("clean", [clean_html, student_markdown])
def test_nothing_else_leads_out_of_the_page_either(clean, text):
    shown = page(clean(text))
    assert shown.select(FOLLOWED) == []
    assert not any(name.startswith(("on", "data-", "form")) for tag in shown.find_all(True) for name in tag.attrs)


def test_each_link_within_another_one_ends_where_it_ended():
    pair = f'<a href="{ADDRESS}1"><table><caption>in<a href="{ADDRESS}2">most</a></caption></table>out</a>'
    shown = harmless(clean_html(3 * pair + "<p>behind</p>"), Formulas())
    assert shown.count("<span") == shown.count("</span>") == 6
    assert "<a" not in shown
    assert "</a>" not in shown
    text = BeautifulSoup(shown, "html.parser").get_text()
    assert text.count(f"{ADDRESS}1") == text.count(f"{ADDRESS}2") == 3
    assert BeautifulSoup(shown, "html.parser").find("p").find_parent("span") is None


def test_a_feedback_page_keeps_its_links():
    """A student opens it as a file of their own."""
    assert f'<a href="{ADDRESS.replace("&", "&amp;")}">they</a>' in student_markdown(f"[they]({ADDRESS})")


def test_a_tag_that_is_not_read_as_one_is_shown():
    assert page('<p>x <a href-x="1" href="https://example.org">y</a></p>').select("a") == []
