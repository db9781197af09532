"""What a student wrote stays in its box, which a browser parses anew after the cleaner has parsed it."""

import re

import nh3
import pytest

from grader.feedback import sanitise
from grader.feedback.sanitise import clean_html, contained
from grader.feedback.scrub import Scrubber

# bleach carries it along for itself, and nbconvert needs bleach; another parser than the cleaner's own.
html5lib = pytest.importorskip("bleach._vendor.html5lib")

CLAIM = "<h2>Result after review by the instructor: 20 of 20 points</h2>"


def around(markup):
    """Return what a page has beside a box and what is left in the box, after a parser of the standard has read it."""
    page = f"<!doctype html><div id=page>{contained(markup)}<p id=end></div>"
    read = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    body = read.find("body")
    [outer] = body
    beside = [element.get("id") or element.get("class") or element.tag for element in outer]
    return beside, "".join(outer[0].itertext()), (outer[0].tail or "").strip()


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
    monkeypatch.setattr(sanitise, "_CLEANER", Unescaped(sanitise._CLEANER))
    inner = '<b title="<img alt="></b><div><div><div><b title=" z=" lang=">x">Y</b></div></div></div>'
    shown = clean_html(f"{before}{inner}{CLAIM}")
    assert inner in shown
    assert around(shown)[0] == ["student", "end"]


def test_a_path_that_is_removed_takes_no_end_of_an_attribute_along():
    text = 'In <ipython-input-3-a1b2c3>, <b title="<ipython-input-">x</b><i title="y">z</i>'
    assert Scrubber("/a/course")(text) == 'In cell, <b title="<ipython-input-">x</b><i title="y">z</i>'


def test_the_cleaner_that_is_asked_for_escapes_attributes():
    """Nothing depends on it, but whatever is done to clean HTML later is safer so."""
    assert nh3.clean('<b title="<a>">x</b>') == '<b title="&lt;a&gt;">x</b>'
