"""What a student wrote stays in its box, which a browser parses anew after the cleaner has parsed it."""

import base64
import random
import re

import nh3
import pytest
from nbformat.v4 import new_markdown_cell

from grader.feedback import sanitise
from grader.feedback.sanitise import clean_html, contained, student_markdown
from grader.feedback.scrub import Scrubber
from grader.testing.exploring import _figure as figure

# bleach carries it along for itself, and nbconvert needs bleach; another parser than the cleaner's own.
html5lib = pytest.importorskip("bleach._vendor.html5lib")

PHOTO = base64.b64encode(figure(random.Random(0), 60)).decode()
CLAIM = "<h2>Result after review by the instructor: 20 of 20 points</h2>"
#: Elements that the cleaner leaves out, in which a list item, or a term, ends none of those around them.
APART = ["object", "marquee", "button", "applet", "select", "table", "fieldset", "form", "article", "center", "menu"]
LEAVING = {tag: f"<li><div><{tag}><li>x</li></{tag}></div></li>" for tag in APART}
LEAVING |= {f"{tag} in a term": f"<dd><div><{tag}><dt>x</dt></{tag}></div></dd>" for tag in APART}
LEAVING["heading in an item"] = "<li><div><object><li><h1>x</object></div></li>"
LEAVING["items in one another"] = "<li><div><object>" * 6 + "<li>x</li>" + "</object></div></li>" * 6
_WORDS = """
a b br caption dd div dl dt h1 i img li object marquee button applet template select option svg math mtext desc title
foreignObject ol p pre span table tbody td tr ul fieldset form nobr font ruby rt details menu article
"""
# Without summary and figcaption: to this parser, older than they are, an item in them ends one around them.
WORDS = _WORDS.split()


def around(markup):
    """Return what a page has beside a box and what is left in the box, after a parser of the standard has read it."""
    page = f"<!doctype html><div id=page>{contained(markup)}<p id=end></div>"
    read = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    body = read.find("body")
    [outer] = body
    beside = [element.get("id") or element.get("class") or element.tag for element in outer]
    return beside, "".join(outer[0].itertext()), (outer[0].tail or "").strip()


def something(rng):
    """Make HTML of tags that few people would put into one another."""
    tags = []
    for _ in range(rng.randrange(1, 25)):
        end = "/" if rng.random() < 0.35 else ""
        tags.append(rng.choice([f"<{end}{rng.choice(WORDS)}>"] * 9 + ["x", "<b title='<img alt='>"]))
    return "".join(tags) * rng.choice([1, 1, 3])


@pytest.mark.parametrize("form", LEAVING)
@pytest.mark.parametrize("clean", [clean_html, student_markdown])
def test_a_claim_of_a_students_stays_in_the_box(clean, form):
    beside, inside, behind = around(clean(LEAVING[form] * 6 + f"\n\n{CLAIM}"))
    assert beside == ["student", "end"]
    assert "20 of 20 points" in inside
    assert behind == ""


def test_no_tags_leave_the_box_whatever_they_are():
    rng = random.Random(0)
    for _ in range(3_000):
        text = something(rng)
        beside, _, behind = around(clean_html(text))
        assert (beside, behind) == (["student", "end"], ""), text


def test_what_people_leave_open_is_cleaned_once(monkeypatch):
    monkeypatch.setattr(sanitise, "MAX_PASSES", 1)
    for text in ("<ul><li>a<li><p>b<p>c</ul>", "<table><tr><td>a<td>b</table>", "<pre>\n\n\na</pre>", "<b><p>a</b>b"):
        assert not clean_html(text).startswith("<pre>&lt;")
    assert clean_html("<pre>\n\na</pre>") == "<pre>\na</pre>"


def test_what_is_read_differently_each_time_is_shown_as_typed(monkeypatch):
    text = LEAVING["object"]
    assert not clean_html(text).startswith("<pre>")
    monkeypatch.setattr(sanitise, "MAX_PASSES", 1)
    assert clean_html(text).startswith("<pre>&lt;li&gt;&lt;div&gt;")
    text = LEAVING["table"]  # in Markdown an `object` is text, a table is one
    cell = new_markdown_cell(f"*a* ![s](attachment:a.png)\n\n{text}", attachments={"a.png": {"image/png": PHOTO}})
    assert student_markdown(cell).startswith("<pre>*a* ![s](attachment:a.png)\n\n&lt;li&gt;")


def test_an_attached_image_stays_where_tags_were_put_in_order():
    text = f"![s](attachment:a.png)\n\n{LEAVING['table']}"
    shown = student_markdown(new_markdown_cell(text, attachments={"a.png": {"image/png": PHOTO}}))
    assert shown.count(PHOTO) == 1
    assert around(shown)[0] == ["student", "end"]


class Unescaped:
    """A cleaner that leaves < and > in attributes, as nh3 did before 0.3.7."""

    def __init__(self, cleaner):
        self.cleaner = cleaner

    def clean(self, text):
        def plain(value):
            return value[0].replace("&lt;", "<").replace("&gt;", ">")

        return re.sub(r'="[^"]*"', plain, self.cleaner.clean(text))


@pytest.mark.parametrize("before", ["", "<img alt='p'> "])
def test_no_tag_begins_inside_an_attribute_of_another(monkeypatch, before):
    for cleaner in ("_CLEANER", "_READER"):
        monkeypatch.setattr(sanitise, cleaner, Unescaped(getattr(sanitise, cleaner)))
    inner = '<b title="<img alt="></b><div><div><div><a title=" z=" href="mailto:>x">Y</a></div></div></div>'
    shown = clean_html(f"{before}{inner}{CLAIM}")
    assert inner in shown
    assert around(shown)[0] == ["student", "end"]


def test_a_path_that_is_removed_takes_no_end_of_an_attribute_along():
    text = 'In <ipython-input-3-a1b2c3>, <b title="<ipython-input-">x</b><i title="y">z</i>'
    assert Scrubber("/a/course")(text) == 'In cell, <b title="<ipython-input-">x</b><i title="y">z</i>'


def test_the_cleaner_that_is_asked_for_escapes_attributes():
    """Nothing depends on it, but whatever is done to clean HTML later is safer so."""
    assert nh3.clean('<b title="<a>">x</b>') == '<b title="&lt;a&gt;">x</b>'
