"""Make students' HTML, Markdown and images safe: nothing in them may run, load, hide or cover anything."""

from __future__ import annotations

import contextlib
import html
import logging
import re
import secrets
from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextvars import ContextVar
from urllib.parse import quote, unquote

import nh3
from nbformat import NotebookNode
from pygments.token import STANDARD_TYPES

from grader.core.escaping import printable_line, without_controls
from grader.core.images import KINDS, picture, work
from grader.feedback import bounds
from grader.feedback.bounds import MAX_IMAGE, MAX_MARKDOWN, STYLE_SHEET, cut, is_simple_html, is_simple_markdown
from grader.feedback.boxes import EMPTY
from grader.feedback.definitions import rendered
from grader.feedback.styles import safe_style
from grader.feedback.tags import OPENING, TAG, attributes_of
from grader.feedback.typed_tags import ATTACHMENT, TypedTags

logger = logging.getLogger(__name__)

#: The images attached to the text that is being cleaned.
_ATTACHED: ContextVar[_Pictures | None] = ContextVar("attached", default=None)
#: How many texts could not be rendered, by the kind of error.
_FAULTS: ContextVar[Counter[str]] = ContextVar("faults", default=Counter[str]())  # noqa: B039

#: Kinds of embedded images that are let in.
IMAGES = KINDS
_TAGS = """
a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
img ins kbd li mark ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
# No `q`: for the marks of each a browser goes over all those before it.
TAGS = frozenset(_TAGS.split())
# The text inside these is no text of the page; of other elements that are not allowed the text stays.
DROPPED_WHOLE = frozenset({"script", "style", "title", "template", "noscript"})
ATTRIBUTES = {
    "*": {"class", "dir", "style", "title"},  # no `lang`: for each a browser looks for fonts anew
    "a": {"href"},
    "img": {"alt", "height", "src", "width"},
    "ol": {"start"},
    "td": {"colspan", "headers", "rowspan"},
    "th": {"colspan", "headers", "rowspan", "scope"},
}
#: What stands before the address of an image that is not let in, until a text takes the image's place. It is no address
#: of anything, and what follows is spelled in ASCII letters, digits and signs that end nothing.
_NOT_SHOWN = "data:,"
#: Characters of such an address that are kept, and that are shown.
_KEPT_ADDRESS, _SHOWN_ADDRESS = 300, 100
IMAGE_SOURCE = re.compile(r"data:(image/(?:png|jpeg));base64,([A-Za-z0-9+/=\s]+)")
#: Rows and columns that a cell of a table may span: a browser makes room for each.
MAX_SPAN = 100
#: Places of a table's grid for which a browser makes room, where cells span several and where none does.
MAX_SPANNED, MAX_PLACES = 20_000, 200_000
#: What every piece of a student's is shown in: it paints nothing outside of its box, and is laid out by itself.
CONTAINED = "overflow: auto; contain: content; isolation: isolate; max-width: 100%; max-height: 40rem"
#: The colours of code. Bootstrap has classes that are as short, and `h1` enlarges letters.
CODE_CLASSES = frozenset({"highlight", *STANDARD_TYPES.values()} - {""})
#: How often HTML is cleaned so that a parser reads it as it is written. Most is at once, nearly all after two passes.
MAX_PASSES = 3
#: Elements in one another: no browser nests more, and each takes a parser as long as all those around it.
MAX_NESTED = 512
#: How many places of its table a cell spans, among its attributes.
_SPAN = re.compile(r' (?:col|row)span="[0-9]+"')
HEADING = re.compile(r"(</?h)([1-6])\b")
#: No place on the page itself: nothing of a student's has an id, so that such an address would lead nowhere.
LINK = re.compile(r"(?:https?://|mailto:).*", re.IGNORECASE | re.DOTALL)


def clean_html(text: str) -> str:
    """Remove from HTML everything that can run, load, hide or cover something.

    Args:
        text: HTML of a student's.

    Returns:
        HTML with the plain tags of text, tables and embedded images. Headings are two levels lower, below those of the
        page, and an image that was not let in is replaced by its alternative text, or by its address.
    """
    cleaned = _cleaned(text)
    return as_typed(text) if cleaned is None else cleaned


def _cleaned(text: str) -> str | None:
    """Return HTML cleaned, or None if its tags are too many or do not stay where they are written."""
    text = STYLE_SHEET.sub("", without_controls(text))
    if not is_simple_html(text):
        return None
    for _ in range(MAX_PASSES):
        # Once more: the cleaner turns an entity such as &#8238; into the character that it stands for.
        text = _change_images(without_controls(_CLEANER.clean(text)), _image_or_text)
        if _is_deep(text):
            return None
        if _places(text) > MAX_SPANNED:
            text = _without_spans(text)
            if _places(text) > MAX_PLACES:
                return None
        if bounds.costs_too_much(text):
            return None
        if _stays_in_its_box(text):
            return HEADING.sub(_lower, text)  # to a parser one heading is as good as another
    return None


def _places(markup: str) -> int:
    """Return for how many places of a grid a browser makes room, if all tables of what the cleaner wrote are one.

    A cell that spans rows moves those of the rows below it to the right; one that spans 0 rows does so in all of them.
    """
    row, widest, width, carried, more = 1, 0, 0, 0, 0
    ends = Counter[int]()
    for name, written in OPENING.findall(markup):
        if name == "tr":
            row += 1
            carried -= ends[row]
            width = carried
        elif name in ("td", "th"):
            spans = attributes_of(written)
            columns, rows = int(spans.get("colspan", 1)), int(spans.get("rowspan", 1))
            width += columns
            widest = max(widest, width)
            if rows != 1:
                carried += columns
                ends[row + rows] += columns if rows else 0
                more = max(more, rows - 1)
    return (row + more) * widest


def _without_spans(markup: str) -> str:
    return OPENING.sub(lambda tag: f"<{tag[1]}{_SPAN.sub('', tag[2])}>", markup)


def _is_deep(markup: str) -> bool:
    """Return whether what the cleaner wrote, in which every tag has its end, is nested deeper than a browser goes."""
    if markup.count("</") <= MAX_NESTED:
        return False
    depth = 0
    for end, name in _names(markup):
        depth += -1 if end else name not in EMPTY
        if depth > MAX_NESTED:
            return True
    return False


def _stays_in_its_box(markup: str) -> bool:
    """Return whether a browser sees what the cleaner wrote in the elements that it wrote.

    The cleaner parses and then leaves elements out, such as an `object`. What they kept apart is then nested in a way
    that is read differently, so that an end of a tag may close another one: the box, in the end. Here it is read again
    as the page's browser does, in a box. If the tags are the same ones, each is closed by its own end.
    """
    boxed = f"<div>{markup}</div>"
    read = _READER.clean(boxed)
    # Text may differ: a parser leaves out the first line of a <pre> if it is empty.
    return read == boxed or _names(read) == _names(boxed)


def _names(markup: str) -> list[tuple[str, str]]:
    """Return the tags of clean HTML without their attributes: the slash of an end, and the name."""
    return [(end, name) for end, name, _ in TAG.findall(markup)]


def as_typed(text: str) -> str:
    """Return a text as HTML that shows it as it is, cut if it is long."""
    return f"<pre>{html.escape(cut(without_controls(text), MAX_MARKDOWN), quote=False)}</pre>"


def contained(markup: str, classes: str = "student") -> str:
    """Return clean HTML in a box of its own, out of which it cannot paint.

    The box may stand in a `div`, `section` or `details`. An `li`, `dd`, `p`, heading or link around it would be closed
    by the first one inside.
    """
    return f'<div class="{classes}" style="{CONTAINED}">{markup}</div>'


def _checked(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute that is on the list, or None if this value is not let in."""
    if name == "src":
        pictures = _ATTACHED.get()
        if pictures is not None and (address := pictures.address(value)):
            return address
        image = IMAGE_SOURCE.fullmatch(value)
        found = picture(image[1], image[2], MAX_IMAGE) if image else None
        if image and found:
            return f"data:{image[1]};base64,{found.data}"
        return f"{_NOT_SHOWN}{quote(value[:_KEPT_ADDRESS], safe='')}"
    if name in ("colspan", "rowspan"):
        return value if re.fullmatch(r"[0-9]{1,3}", value) and 1 <= int(value) <= MAX_SPAN else None
    if name == "dir":  # not `auto`, for which a browser reads all of the text again at each element in it
        return value if value.lower() in ("ltr", "rtl") else None
    if name in ("height", "width"):
        return value if re.fullmatch(r"[0-9]{1,4}", value) else None
    if name == "style":
        return safe_style(value) or None
    if name == "class":  # the colours of code; not the classes that the page gives to points and messages
        return value if value in CODE_CLASSES else None
    if name == "href":
        return value if LINK.fullmatch(value.strip()) else None
    return value


# With `attachment` addresses of a cell's own images come before `_checked`, which lets no other go on.
_SCHEMES = {"attachment", "http", "https", "mailto", "data"}
_CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(DROPPED_WHOLE),
    attributes=ATTRIBUTES,
    attribute_filter=_checked,
    url_schemes=_SCHEMES,
    link_rel=None,
)
#: Reads what was cleaned, and leaves it as it is.
_READER = nh3.Cleaner(
    tags=set(TAGS), clean_content_tags=set(), attributes=ATTRIBUTES, url_schemes=_SCHEMES, link_rel=None
)


def _is_link(address: str) -> bool:
    """Return whether the cleaner leaves a link its address."""
    return _CLEANER.clean(f'<a href="{html.escape(address)}"></a>').startswith("<a href=")


def _lower(tag: re.Match[str]) -> str:
    return f"{tag[1]}{min(6, int(tag[2]) + 2)}"


def _change_images(markup: str, change: Callable[[str, dict[str, str]], str]) -> str:
    """Replace the images of clean HTML.

    Args:
        markup: The HTML.
        change: Takes the tag of an image and its attributes; returns what stands in its place.
    """
    if "<img" not in markup:
        return markup

    def image(tag: re.Match[str]) -> str:
        return change(tag[0], attributes_of(tag[2])) if tag[1] == "img" else tag[0]

    return OPENING.sub(image, markup)


def _image_or_text(tag: str, attributes: dict[str, str]) -> str:
    """Return an image as it is, or a text for one that is not let in, not a broken-image icon."""
    source = attributes.get("src", _NOT_SHOWN)
    return _alternative(attributes, unquote(source[len(_NOT_SHOWN) :])) if source.startswith(_NOT_SHOWN) else tag


def with_few_images(markup: str, room: bounds.Allowance, counted: Container[str] = ()) -> str:
    """Return clean HTML with the images that there is room for, and a text for each other one.

    Args:
        markup: The HTML.
        room: What is left of the page's room.
        counted: Addresses of images that took of it already.
    """

    def image(tag: str, attributes: dict[str, str]) -> str:
        source = attributes.get("src", "")
        if source in counted:
            return tag
        found = IMAGE_SOURCE.fullmatch(source)
        fits = found and room.image(len(found[2]), work(found[1], found[2], MAX_IMAGE))
        return tag if fits else _alternative(attributes)

    return _change_images(markup, image)


def _alternative(attributes: dict[str, str], address: str = "") -> str:
    """Return the alternative text of an image, or else that there is one: a marker must not see an empty answer.

    Args:
        attributes: The image's.
        address: Where it is, as a student wrote it; empty if that says nothing.
    """
    # Whether the cleaner escapes < and > in an attribute depends on its version; in text they would make tags.
    text = html.unescape(attributes.get("alt", ""))
    if not text.strip():
        # What data an address holds says nothing to anybody, what kind they are does.
        address = re.split("[;,]", address)[0] if address.startswith("data:") else unquote(address)
        shown = printable_line(without_controls(address), _SHOWN_ADDRESS)
        text = f"[a picture that is not shown: {shown}]" if shown else "[a picture that is not shown]"
    return html.escape(text, quote=False)


def student_markdown(cell: NotebookNode | str, room: bounds.Allowance | None = None) -> str:
    """Return a Markdown cell, or a comment, as clean HTML, in which a tag or link that is not let in is shown as typed.

    Args:
        cell: The cell, or a text.
        room: What is left of the room that all Markdown has on the page.
    """
    source = cell if isinstance(cell, str) else cell.source
    attachments = {} if isinstance(cell, str) else cell.get("attachments", {})
    if not is_simple_markdown(source):
        return as_typed(source)
    pictures, room = _Pictures(attachments), room or bounds.Allowance()
    try:
        renderer = TypedTags(TAGS, _is_link, pictures.has)
        with pictures.standing():
            cleaned = _cleaned(rendered(source, renderer))
        # Where an attached image is missing and no other is shown, the text as typed tells most.
        told = cleaned is not None and (pictures.asked_for or not renderer.missing)
        if cleaned is not None and told:
            # A text in the place of an image counts as any other does, so all of them come before the count.
            cleaned = with_few_images(pictures.without_flood(cleaned), room, pictures.short)
            if room.markup(cleaned):
                return pictures.put_into(cleaned)
    except Exception as error:  # in which line of whose code is of use to nobody who marks, thousands of times
        _FAULTS.get()[type(error).__name__] += 1
    return as_typed(source)


class _Pictures:
    """Images attached to a text, which is rendered and cleaned with an address in the place of each.

    A photo has a million letters that nobody has to read, and a text that long is not rendered.

    Args:
        attachments: The cell's.
    """

    def __init__(self, attachments: dict[str, dict[str, str]]):
        #: Whether an address of one was found.
        self.asked_for = False
        # By name; empty for one that is no image of a kind and size to be shown. Nobody can name an address in a text.
        self._short: dict[str, str] = {}
        self._long: dict[str, str] = {}
        for name, forms in attachments.items():
            self._short[name] = ""
            for kind, data in forms.items():
                if not self._short[name] and (found := picture(kind, data, MAX_IMAGE)):
                    self._short[name] = short = f"data:{kind};base64,{secrets.token_hex(16)}"
                    self._long[short] = f"data:{kind};base64,{found.data}"
        self._unquoted = {unquote(name): name for name in self._short}

    @property
    def short(self) -> Container[str]:
        """The addresses that stand for images."""
        return self._long

    def has(self, address: str) -> bool:
        """Return whether an image is attached under an address as it is written in a text."""
        return self._name(address) is not None

    def address(self, address: str) -> str | None:
        """Return the address that stands for an image, or None if no image that may be shown is attached under it."""
        name = self._name(address)
        short = address if address in self._long else self._short[name] if name is not None else ""
        self.asked_for = self.asked_for or bool(short)
        return short or None

    def _name(self, address: str) -> str | None:
        """Return the name of an attachment: editors and Markdown write blanks and many letters as %20 and the like."""
        if not address.startswith(ATTACHMENT):
            return None
        name = address.removeprefix(ATTACHMENT)
        plain = unquote(name)
        return next((n for n in (name, plain, self._unquoted.get(plain)) if n in self._short), None)

    @contextlib.contextmanager
    def standing(self) -> Iterator[None]:
        """Let the addresses that stand for images pass the cleaner meanwhile."""
        before = _ATTACHED.set(self)
        try:
            yield
        finally:
            _ATTACHED.reset(before)

    def without_flood(self, markup: str) -> str:
        """Return clean HTML in which an image is repeated as long as that is no flood; then a text takes its place."""
        shown, repeated = set[str](), 0

        def image(tag: str, attributes: dict[str, str]) -> str:
            nonlocal repeated
            source = attributes.get("src", "")
            if source not in self._long:
                return tag
            repeated += len(self._long[source]) if source in shown else 0
            shown.add(source)
            return _alternative(attributes) if repeated > bounds.MAX_HTML else tag

        return _change_images(markup, image)

    def put_into(self, markup: str) -> str:
        """Return clean HTML with the images in their places."""

        def image(tag: str, attributes: dict[str, str]) -> str:
            source = attributes.get("src", "")
            return tag.replace(source, self._long.get(source, source))

        return _change_images(markup, image)


@contextlib.contextmanager
def faults_told_once(page: str) -> Iterator[None]:
    """Count the texts that could not be rendered meanwhile, and say so once.

    Args:
        page: What is made of them, to show.
    """
    faults = Counter[str]()
    before = _FAULTS.set(faults)
    try:
        yield
    finally:
        _FAULTS.reset(before)
    if faults:
        number, kinds = faults.total(), ", ".join(sorted(faults))
        text = "%s: %d texts could not be rendered (%s); the page shows them as they were typed"
        logger.warning(text, printable_line(page), number, kinds)
