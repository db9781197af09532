"""What is wrong with formulas of a page."""

import re
from xml.etree import ElementTree

#: How many parts an element of MathML has, where that is fixed (MathML Core: https://www.w3.org/TR/mathml-core/).
PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}


def wrong_mathml(page):
    """Return each element of a page's formulas that does not have the number of parts that it must have."""
    wrong = []
    for formula in re.findall(r"<math.*?</math>", page, re.S):
        for part in ElementTree.fromstring(formula).iter():
            tag = part.tag.rpartition("}")[2]
            if len(part) != PARTS.get(tag, len(part)):
                wrong.append(ElementTree.tostring(part, encoding="unicode"))
    return wrong
