"""Printed tables whose columns stay below each other in every language."""

import unicodedata


def to_width(text, columns):
    """Fill a text up with blanks, at its right end, or at its left end if the number of columns is negative.

    A format such as `{name:20}` counts characters. A Chinese character takes two columns, so it is counted twice here.
    """
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in str(text))
    blanks = " " * (abs(columns) - len(str(text)) - wide)
    return blanks + str(text) if columns < 0 else str(text) + blanks
