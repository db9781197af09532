"""What a student's cells showed when they were handed in, as far as it is kept: text, errors and pictures, bounded.

Cells that the marks do not need are not run again; the marked notebook shows what they showed to the student. Pictures
in cells of text are a part of what was written there, such as the photo of a sketch.
"""

from __future__ import annotations

import base64
import html
import re
from typing import Any
from urllib.parse import quote, unquote

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.core.escaping import as_printed
from grader.core.images import Size, decoded, png_size

#: Outputs of a cell, characters of its text and of one picture, and of all pictures of a cell that are kept.
MAX_OUTPUTS, MAX_TEXT, MAX_PICTURE, MAX_PICTURES = 20, 21_000, 1_400_000, 8
#: The same in all cells of a notebook.
MAX_TEXT_IN_ALL, MAX_PICTURES_IN_ALL = 500_000, 8_400_000
#: Characters of one output as they were printed, of which a bar that is drawn anew shows few. 20 MB take a second.
MAX_PRINTED = 8_000_000
#: Pictures in the cells of text of a notebook, characters of the name of one, of one (3 MB of a photo) and of all.
MAX_ATTACHED, MAX_NAME, MAX_PHOTO, MAX_PHOTOS_IN_ALL = 60, 200, 4_200_000, 10 * 2**20
#: Bytes of a picture that a page shows.
_SHOWN_BYTES = 3 * 2**20
_ATTACHABLE = ("image/png", "image/jpeg", "image/gif")
#: How a PNG file begins in base64.
_PNG = "iVBORw0KGgo"
#: What gives text its colours, which take no place on a line; as `strip_ansi` of nbconvert finds it.
_COLOURS = re.compile("\x1b\\[(.*?)([@-~])")
#: What tells that a cell showed more: of one, and of several.
_MORE = {
    "characters": ("[1 more character is not shown]", "[{n:,} more characters are not shown]"),
    "outputs": ("[1 more output is not shown]", "[{n:,} more outputs are not shown]"),
    "pictures": ("[1 more picture is not shown]", "[{n:,} more pictures are not shown]"),
}
_TELLS = re.compile(r"\[[\d,]{1,15} more (?:character|output|picture)(?: is|s are) not shown\]", re.ASCII)
#: A picture that stands in the text itself: as Colab writes what is pasted, as other editors write references, as HTML.
_PASTED = re.compile(
    r"(\]\(|^ {0,3}\[[^\]\n]{1,200}\]: {0,3}<?)data:(image/(?:png|jpe?g|gif));base64,([A-Za-z0-9+/=]{100,})", re.M
)
_IN_HTML = re.compile(
    r"<img\b[^<>]{0,500}?\bsrc=([\"'])data:(image/(?:png|jpe?g|gif));base64,([A-Za-z0-9+/=\s]{100,})\1[^<>]{0,500}>",
    re.I,
)
#: Pictures that a text asks for: in Markdown, in HTML, and by a name whose address stands in a line of its own.
_IN_TEXT = re.compile(
    r"!\[[^\[\]\n]{0,300}\]\(\s{0,5}(?:<([^<>\n]{1,2000})>"
    r"|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?))"
)
_IN_TAG = re.compile(
    r"<img\b[^<>]{0,500}?\ssrc\s{0,3}=\s{0,3}(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s\"'<>]{1,2000}))", re.I
)
_NAMED = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\[([^\[\]\n]{0,300})\])?(?!\()")
_NAMES = re.compile(r"^ {0,3}\[([^\[\]\n]{1,300})\]: {0,3}(?:<([^<>\n]{1,2000})>|(\S{1,2000}))", re.M)
#: Code in a text, in which nothing asks for a picture.
_FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.M | re.S)
_QUOTED = re.compile(r"(?<!`)(`{1,3})(?!`)[^`]{1,1000}(?<!`)\1(?!`)")
#: A picture that is left in the text because there is so little of it.
_SMALL = re.compile(r"data:(image/(?:png|jpe?g));base64,([A-Za-z0-9+/=\s]+)")
#: Any other data in a text, such as a picture of a kind that is not shown.
_OTHER_DATA = re.compile(r"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=]{1000,}")


class Shown:
    """Keeps outputs of one notebook after the other cell, as long as there is room.

    Args:
        pictures: Whether pictures are kept too.
    """

    def __init__(self, pictures: bool):
        self.with_pictures = pictures
        self.text, self.pictures = MAX_TEXT_IN_ALL, MAX_PICTURES_IN_ALL if pictures else 0
        self.attachments, self.photos = MAX_ATTACHED, MAX_PHOTOS_IN_ALL
        #: Pictures in cells of text that there was no room for.
        self.left_out = 0
        #: Pictures in cells of text that no page of ours shows, whether they are kept or not.
        self.not_shown = 0

    def kept(self, outputs: object) -> list[NotebookNode]:
        """Return what is kept of a cell's outputs, whatever they are, and at their end how much is not."""
        listed = outputs if isinstance(outputs, list) else []
        text, room, found = min(MAX_TEXT, self.text), MAX_PICTURES, list[NotebookNode]()
        characters = pictures = 0
        for output in listed[:MAX_OUTPUTS]:
            said, picture = _parts(output)
            if picture and room and len(picture) <= min(MAX_PICTURE, self.pictures) and _is_picture(picture):
                room, self.pictures = room - 1, self.pictures - len(picture)
                found.append(new_output("display_data", {"image/png": picture}))
                continue
            shown = said[:text]
            text, self.text = text - len(shown), self.text - len(shown)
            if shown:
                found.append(new_output("stream", name="stdout", text=shown))
            characters += len(said) - len(shown)
            pictures += self._missed(picture)
        more = sum(bool(said) or self._missed(picture) for said, picture in map(_parts, listed[MAX_OUTPUTS:]))
        if told := left_out(characters=characters, outputs=more, pictures=pictures):
            found.append(new_output("stream", name="stdout", text=told))
        return found

    def _missed(self, picture: str) -> bool:
        """Return whether what is not kept is a picture, and one that was asked for."""
        return self.with_pictures and picture.startswith(_PNG) and (len(picture) > MAX_PICTURE or _has_size(picture))

    def attached(self, attachments: object) -> dict[str, dict[str, str]]:
        """Return what is kept of the attachments of a cell of text, whatever they are: pictures, in their order."""
        kept = {}
        for name, forms in attachments.items() if isinstance(attachments, dict) else ():
            forms = forms if isinstance(forms, dict) else {}
            named = {_media_type(kind): value for kind, value in forms.items()}
            data = {k: v for k, v in named.items() if k in _ATTACHABLE and isinstance(v, str) and v.isascii()}
            size = sum(map(len, data.values()))
            if not isinstance(name, str):
                continue
            if not data:
                self.not_shown += bool(forms)
            elif self.attachments and len(name) <= MAX_NAME and size <= min(MAX_PHOTO, self.photos):
                self.attachments, self.photos = self.attachments - 1, self.photos - size
                kept[name] = data
                # By the rule of the pages: who marks is told here that there is something to ask for.
                self.not_shown += all(decoded(kind, value, _SHOWN_BYTES) is None for kind, value in data.items())
            else:
                self.left_out += 1
        return kept


def left_out(**numbers: int) -> str:
    """Return what tells how much more there is than what is shown, a line for each kind; empty if there is no more.

    Args:
        numbers: How many `characters`, `outputs` and `pictures` that are.
    """
    return "\n".join(_MORE[kind][n != 1].format(n=n) for kind, n in numbers.items() if n)


def tells_left_out(text: str) -> bool:
    """Return whether a text is one that `left_out` makes, or a line of it."""
    lines = text.split("\n", len(_MORE))
    return len(lines) <= len(_MORE) and all(map(_TELLS.fullmatch, lines))


def _media_type(kind: object) -> str:
    """Return a media type as it is registered."""
    kind = str(kind).lower()
    return "image/jpeg" if kind == "image/jpg" else kind


def unpasted(text: str, number: int) -> tuple[str, dict[str, dict[str, str]]]:
    """Take the pictures out of a text that were pasted into it.

    Args:
        text: The source of a cell of text.
        number: The cell's: names of pictures differ from cell to cell.

    Returns:
        The text with attachments in their places, and these.
    """
    found: dict[str, dict[str, str]] = {}

    def attach(kind: str, data: str) -> str:
        name = f"pasted-{number}-{len(found) + 1}"
        found[name] = {_media_type(kind): "".join(data.split())}
        return f"attachment:{name}"

    text = _PASTED.sub(lambda m: m[1] + attach(m[2], m[3]), text)
    text = _IN_HTML.sub(lambda m: f"![]({attach(m[2], m[3])})", text)
    return text, found


def missing(text: str, attachments: object) -> list[str]:
    """Return the addresses of pictures that a text asks for and that no page of ours shows, each once.

    Args:
        text: The source of a cell of text, as it is kept.
        attachments: What is kept of the pictures attached to it. Those that are too large for a page are counted where
            they are read.
    """
    if "![" not in text and "<img" not in text.lower():
        return []
    text = _QUOTED.sub("", _FENCED.sub("", text))
    defined = {name.lower(): one or other for name, one, other in _NAMES.findall(text)}
    asked = ["".join(found) for pattern in (_IN_TEXT, _IN_TAG) for found in pattern.findall(text)]
    asked += [defined.get((other or name).lower(), "") for name, other in _NAMED.findall(text)]
    names = {unquote(name) for name in attachments} if isinstance(attachments, dict) else set()
    return [address for address in dict.fromkeys(map(html.unescape, asked)) if address and not _is_here(address, names)]


def spellings(name: str) -> list[str]:
    """Return how the name of an attachment may be written in the text of its cell: editors write blanks as %20."""
    ways = (name, name.replace(" ", "%20"), quote(name), quote(name, safe="!$&()*+,;=:@"), html.escape(name))
    return sorted(set(ways), key=len, reverse=True)


def _is_here(address: str, names: set[str]) -> bool:
    """Return whether a picture is attached, or so small that it is left in the text, and shown there."""
    if address.startswith("attachment:"):
        return unquote(address.removeprefix("attachment:")) in names
    small = _SMALL.fullmatch(address)
    return small is not None and decoded(small[1], small[2], _SHOWN_BYTES) is not None


def without_data(text: str) -> tuple[str, int]:
    """Return a text without what else of data stands in it, and how many pieces that were; the words are left."""
    return _OTHER_DATA.subn("", text)


def is_attached(attachments: object) -> bool:
    """Return whether something is a cell's attachments in the form and size in which `Shown` keeps them."""
    forms = list(attachments.values()) if isinstance(attachments, dict) else []
    data = [value for form in forms for value in (form.values() if isinstance(form, dict) else [None])]
    return isinstance(attachments, dict) and len(forms) <= MAX_ATTACHED and all(_is_text(d, MAX_PHOTO) for d in data)


def is_kept(outputs: object) -> bool:
    """Return whether something is a list of outputs in the form and size in which `Shown` keeps them."""
    if not isinstance(outputs, list):
        return False
    # One more may tell of those that are left out.
    more = len(outputs) > MAX_OUTPUTS and _is_kept(outputs[-1]) and tells_left_out(outputs[-1].get("text", ""))
    return len(outputs) <= MAX_OUTPUTS + more and all(map(_is_kept, outputs))


def _is_kept(output: object) -> bool:
    if not isinstance(output, dict):
        return False
    if output.get("output_type") == "stream":
        text = output.get("text")
        return output == {"output_type": "stream", "name": "stdout", "text": text} and _is_text(text, MAX_TEXT)
    data = output.get("data")
    picture = data.get("image/png") if isinstance(data, dict) else None
    form = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    return output == form and _is_text(picture, MAX_PICTURE)


def _is_text(value: object, most: int) -> bool:
    return isinstance(value, str) and len(value) <= most


def _is_picture(text: str) -> bool:
    """Return whether base64 text is a PNG file of a size that a page can show."""
    size = _size(text)
    return size is not None and size.fits


def _has_size(text: str) -> bool:
    """Return whether base64 text is a PNG file of any size."""
    return _size(text) is not None


def _size(text: str) -> Size | None:
    try:
        return png_size(base64.b64decode(text, validate=True))
    except ValueError:
        return None


def _parts(output: object) -> tuple[str, str]:
    """Return an output's text as it was seen, and its PNG file in base64, each empty if there is none."""
    if not isinstance(output, dict):
        return "", ""
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    picture = _joined(data.get("image/png")).replace("\n", "")
    if output.get("output_type") == "error":
        return _seen(f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"), ""
    return _seen(_joined(output.get("text")) or _joined(data.get("text/plain"))), picture


def _seen(printed: str) -> str:
    """Return a text as a notebook shows it, in which a bar that was drawn anew has one line."""
    seen = as_printed(_COLOURS.sub("", printed[:MAX_PRINTED]))
    return seen + printed[MAX_PRINTED:]


def _joined(value: Any) -> str:
    """Return a text of a notebook's JSON, which may be a list of lines; empty if it is neither."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
