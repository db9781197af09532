"""What the site asks of Sphinx beyond its own: formulas as MathML, code that is folded, anchors as in the notebooks.

Sphinx loads this as an extension. Formulas become MathML when the site is built, so that a page needs no script to show
them and a screen reader reads them as formulas.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

# latex2mathml writes a function's name like a variable's; TeX leaves a thin space where no bracket follows.
_FUNCTION = re.compile(r"(<mi>(?:log|exp|sin|cos|tanh|min|max)</mi>)(?!<mo stretchy=\"false\">&#x00028;|</mrow>)")
#: Bars grow with what is beside them unless told not to.
_BAR = re.compile(r"<mo>(?=&#x02016;|&#x0007C;)")
_THIN = '<mspace width="0.167em" />'


def mathml(formula: str, display: bool = False) -> str:
    """Return a formula of LaTeX as MathML."""
    made = convert(formula.strip(), display="block" if display else "inline")
    return _BAR.sub('<mo stretchy="false">', _FUNCTION.sub(rf"\1{_THIN}", made))


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
