"""What the site asks of Sphinx beyond its own: formulas as MathML, folded code, where lines break, anchors.

Sphinx loads this as an extension. Formulas become MathML when the site is built, so that a page needs no script to show
them and a screen reader reads them as formulas.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from docutils import nodes
from docutils.parsers.rst import directives
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

#: What TeX sets upright, as it is no product of letters.
_FUNCTION = re.compile(
    "arc(cos|sin|tan)|arg|(cos|sin|tan)h?|coth?|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim(inf|sup)?|ln|log|max|min|Pr"
    "|sec|sup"
)
#: What is left of TeX where a name is not known; a backslash by itself is a sign.
_UNKNOWN = re.compile(r"\\.")
#: Lines below each other, and what the converter knows instead; it would write those with a name that it does not know
#: into one line.
_LINES = re.compile(r"(\\(?:begin|end))\{(aligned|gathered)\}")
_KNOWN = {"aligned": "split", "gathered": "matrix"}
_SCRIPTS = {"msup", "msub", "msubsup", "mover", "munder", "munderover"}
#: What takes any number of children, one beside the other.
_ROWS = {"math", "menclose", "mpadded", "mphantom", "mrow", "msqrt", "mstyle", "mtd"}
_BARS = {"\u2016", "|"}
_THIN = "0.167em"
#: For `\!`: a space's width cannot be negative in a browser, its margin can.
_BACK = {"style": f"margin-left: -{_THIN}"}
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def mathml(formula: str, display: bool = False) -> str:
    """Return a formula of LaTeX as MathML, with bars of their own size and TeX's spaces beside names of functions."""
    root = _read(formula, display)
    for part in root.iter():
        if part.tag == "mo" and not part.attrib and part.text in _BARS:
            part.set("stretchy", "false")  # bars grow with what is beside them unless told not to
        if part.tag == "mo" and _is_function(part):
            part.attrib |= {"lspace": "0", "rspace": "0"}  # a browser takes it for a sign such as the plus
    for part in [part for part in root.iter() if part.tag in _ROWS]:
        _space(part)
    root.attrib = {"xmlns": _NAMESPACE, **root.attrib}
    return ElementTree.tostring(root, encoding="unicode")


def _read(formula: str, display: bool) -> Element:
    """Return a formula as elements without a namespace.

    Raises:
        SphinxError: It cannot be read, or a name in it would stand on the page as letters.
    """
    try:
        known = _LINES.sub(lambda name: f"{name[1]}{{{_KNOWN[name[2]]}}}", formula.strip())
        made = convert(known, display="block" if display else "inline")
        root = ElementTree.fromstring(made.replace(f' xmlns="{_NAMESPACE}"', "", 1))
    except Exception as error:  # of many kinds, none of which says where it is
        raise SphinxError(f"The formula ${formula}$ cannot be read: {error}") from error
    if "{gathered}" in formula:
        for table in root.iter("mtable"):
            table.set("displaystyle", "true")  # lines are no entries of a matrix, which are small
    unknown = [part.text for part in root.iter() if part.text and _UNKNOWN.search(part.text)]
    unknown += [r"\\" for part in root.iter("mspace") if "linebreak" in part.attrib]  # which no browser follows
    if unknown:
        raise SphinxError(f"In the formula ${formula}$ these are unknown: {', '.join(unknown)}")
    return root


def _space(row: Element) -> None:
    """Put thin spaces between a function and an ordinary neighbour, as TeX does; take those back that are too many."""
    before: Element | None = None
    made: list[Element] = []
    for part in row:
        if part.tag == "mspace" and part.get("width") == "negativethinmathspace":
            if before is not None and _is_function(before):
                continue  # it takes a space back that is not there
            part.attrib = dict(_BACK)
        if before is not None and _apart(before, part):
            made.append(Element("mspace", {"width": _THIN}))
        made.append(part)
        before = part
    row[:] = made


def _apart(left: Element, right: Element) -> bool:
    """Return whether there is a space between two neighbours because one is a function."""
    if _is_function(left):
        return _is_function(right) or not _is_sign(right, first=True)
    return _is_function(right) and not _is_sign(left, first=False)


def _is_function(part: Element) -> bool:
    base = _base(part)
    return base.tag in ("mi", "mo") and bool(_FUNCTION.fullmatch(base.text or ""))


def _base(part: Element) -> Element:
    """Return what scripts are attached to."""
    while part.tag in _SCRIPTS and len(part):
        part = part[0]
    return part


def _is_sign(part: Element, first: bool) -> bool:
    """Return whether a neighbour is a space, a sign, which brings spaces of its own, or a bracket that holds both."""
    part = _base(part)
    if part.tag == "mrow" and len(part):
        return _is_sign(part[0 if first else -1], first)
    closes = part.tag == "mo" and (part.text or "").strip() in (")", "]", "}", "!")
    return part.tag == "mspace" or (part.tag == "mo" and (first or not closes))


def anchor(heading: str) -> str:
    """Return the anchor of a heading as JupyterLab makes it: links within a notebook are written for that."""
    return heading.strip().replace(" ", "-")


class folded_code(nodes.General, nodes.Element):
    """Code behind a line that opens it. Its text is no child of it, so the search does not index it."""


class FoldedCode(SphinxDirective):
    """The directive that makes it: the title is its argument, the code its content, without colours if it is plain."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {"plain": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the node."""
        return [folded_code(title=self.arguments[0], code="\n".join(self.content), plain="plain" in self.options)]


def _visit_folded(self: HTML5Translator, node: folded_code) -> None:
    code = self.highlighter.highlight_block(node["code"], "text" if node["plain"] else "python")
    title = self.encode(node["title"])
    self.body.append(f'<details class="folded"><summary>{title}</summary>\n{code}</details>\n')
    raise nodes.SkipNode


def _visit_math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="formula">{mathml(node.astext(), display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it all."""
    app.add_node(folded_code, html=(_visit_folded, None))
    app.add_directive("folded", FoldedCode)
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
