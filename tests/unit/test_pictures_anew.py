"""A browser gets of a picture what was counted: not the picture that is inside of it or behind it."""

import base64
import io
import random
import struct
import zlib

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image, ImageCms

from grader.core.images import BY_TABLE, FREE, MAX_PIECES, MAX_SEGMENTS, PACKED, picture
from grader.feedback import bounds, steps
from grader.feedback.sanitise import clean_html, student_markdown

CAMERA = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
#: How the segments begin in which a browser looks for a second picture, and what programs add besides.
OTHERS = [
    (0xE2, b"MPF\0II*\0"),
    (0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>"),
    (0xE2, b"urn:iso:std:iso:ts:21496:-1\0"),
    (0xE2, b"ICC_PROFILES"),
    (0xE0, b"JFXX\0"),
    (0xEB, b"\xff\xd8 a picture in a segment \xff\xd9"),
    (0xEE, b"Ducky"),
    (0xFE, b"words"),
]


def segment(marker, content):
    return bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content


def jpeg(mode="RGB", **options):
    noise = Image.frombytes(
        mode, (48, 40), random.Random(0).randbytes(48 * 40 * len(Image.new(mode, (1, 1)).getbands()))
    )
    buffer = io.BytesIO()
    noise.save(buffer, "jpeg", quality=80, **options)
    return buffer.getvalue()


def sideways():
    """Return what a camera notes that was held sideways."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif.tobytes()


def with_more(data, *more, behind=b""):
    """Return a JPEG with more segments before its tables, and bytes behind its end."""
    return data[:2] + b"".join(segment(*one) for one in more) + data[2:] + behind


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(**options):
    buffer = io.BytesIO()
    Image.frombytes("P", (16, 16), bytes(range(256))).save(buffer, "png", **options)
    return buffer.getvalue()


def with_chunk(data, kind, content):
    return data[:33] + chunk(kind, content) + data[33:]


def shown(data, kind="image/jpeg"):
    found = picture(kind, base64.b64encode(data).decode(), bounds.MAX_IMAGE)
    return found.content if found else None


def looks(data):
    """Return the pixels and what a reader needs to bring them to a screen."""
    image = Image.open(io.BytesIO(data))
    image.load()
    side = image.getexif().get(0x0112)
    return image.mode, image.size, image.tobytes(), image.info.get("icc_profile"), image.info.get("transparency"), side


PLAIN = [
    jpeg(),
    jpeg(progressive=True),
    jpeg("L", restart_marker_blocks=2),
    jpeg("CMYK"),
    jpeg(icc_profile=CAMERA, exif=sideways()),
    jpeg(icc_profile=bytes(100_000), dpi=(72, 72)),
]


@pytest.mark.parametrize("data", PLAIN)
def test_a_picture_with_nothing_else_in_it_is_what_was_handed_in(data):
    assert shown(data) == data
    for one in (png(), png(transparency=3), png(icc_profile=CAMERA, exif=sideways())):
        assert shown(one, "image/png") == one


@pytest.mark.filterwarnings("ignore:Image appears to be a malformed MPO file")
@pytest.mark.parametrize("data", PLAIN)
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_not_counted_is_not_shown_and_the_picture_is_the_same(data, other):
    more = with_more(data, other)
    assert looks(more) == looks(data)
    assert shown(more) == data


@pytest.mark.parametrize("behind", [b"\0" * 9, jpeg(), b"ftypmp42" + bytes(5_000), b"SEFT\xff\xd9"])
def test_what_a_phone_puts_behind_a_picture_does_not_keep_it_from_being_shown(behind):
    """The map of a better screen, a film, notes of its own."""
    assert shown(jpeg() + behind) == jpeg()
    assert shown(jpeg()[:-2] + segment(0xEB, b"x") + b"\xff\xff\xff\xd9" + behind) == jpeg()


def test_segments_between_scans_go_too():
    data = jpeg(progressive=True)
    second = data.index(b"\xff\xda", data.index(b"\xff\xda") + 2)
    assert shown(data[:second] + segment(*OTHERS[0]) + b"\xff\xd0\xff\x01" + data[second:]) == data


@pytest.mark.parametrize(("marker", "begins"), [(0xE0, b"JFIF\0"), (0xE1, b"Exif\0"), (0xEE, b"Adobe")])
@pytest.mark.parametrize("number", [1, 500])
def test_of_what_a_program_wrote_a_browser_gets_the_first(marker, begins, number):
    """It goes through all that it has for each that comes: 900 kB of Exif segments took it 40 seconds."""
    bare = jpeg()
    plain = bare.replace(bare[2 : 4 + bare[5]], b"")  # without its JFIF segment
    first = (marker, begins + b"first")
    assert shown(with_more(plain, first, *[(marker, begins + b"next")] * number)) == with_more(plain, first)
    each = with_more(plain, (0xE0, b"JFIF\0"), (0xE1, b"Exif\0"), (0xEE, b"Adobe"))
    assert shown(each) == each


def test_a_profile_has_as_many_parts_as_can_be_numbered():
    part = (0xE2, b"ICC_PROFILE\0\1\xff")
    assert shown(with_more(jpeg(), *[part] * 255)) == with_more(jpeg(), *[part] * 255)
    assert shown(with_more(jpeg(), *[part] * 500)) == with_more(jpeg(), *[part] * 255)


@pytest.mark.parametrize(
    ("more", "most"),
    [
        ((0xDD, b"\0\0"), MAX_SEGMENTS),
        ((0xDB, bytes(65)), MAX_SEGMENTS),
        ((0xFE, b"words"), MAX_PIECES),
        ((0xE1, b"Exif\0"), MAX_PIECES),
        ((0xE2, b"ICC_PROFILE\0\1\xff"), MAX_PIECES),
        ((0xE3, b"parts of a picture in the infrared"), MAX_PIECES),
    ],
)
def test_a_jpeg_has_so_many_segments(more, most):
    """Those that a browser gets, and far more of those that it does not get."""
    assert shown(with_more(jpeg(), *[more] * (most - 20))) is not None
    assert shown(with_more(jpeg(), *[more] * most)) is None


def test_segments_that_a_browser_does_not_get_do_not_count_as_those_that_it_gets():
    fits = with_more(jpeg(), *[(0xDD, b"\0\0")] * (MAX_SEGMENTS - 20))
    assert shown(with_more(fits, *[(0xFE, b"words")] * 3_000)) == fits


@pytest.mark.parametrize("frame", [0xC3, *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)])
def test_a_jpeg_that_few_browsers_show_is_told_like_any_picture_that_is_not_shown(frame):
    """Lossless, in several resolutions, in arithmetic coding: that took five times as long as it counted."""
    data = jpeg()
    place = data.index(b"\xff\xc0\0")
    assert shown(data[:place] + b"\xff\xc1" + data[place + 2 :]) is not None
    rare = data[:place] + bytes((0xFF, frame)) + data[place + 2 :]
    assert shown(rare) is None
    handed = {"image/jpeg": base64.b64encode(rare).decode()}
    cell = new_markdown_cell("![](attachment:a.jpg)", attachments={"a.jpg": handed})
    assert "[a picture that is not shown: attachment:a.jpg]" in student_markdown(cell)


@pytest.mark.parametrize("kind", [b"gmAP", b"gdAT", b"tEXt", b"zTXt", b"iTXt", b"sPLT", b"pHYs", b"mdCV"])
def test_a_png_has_no_chunk_that_is_not_seen(kind):
    plain = png(transparency=3)
    assert shown(with_chunk(plain, kind, b"x\0" + png()), "image/png") == plain


def test_a_png_has_one_profile_and_what_it_may_unpack_to_counts():
    """130 kB of zeros, packed, are 128 MB, and 60 of them took a browser as long as all that it may take for a page."""
    plain, good = png(), png(icc_profile=CAMERA)
    bomb = b"p\0\0" + zlib.compress(bytes(2**27), 9)
    assert b"iCCP" in good
    assert shown(with_chunk(good, b"tEXt", b"x"), "image/png") == good
    assert len(shown(with_chunk(good, b"iCCP", bomb[:99]), "image/png")) < len(good)

    def work_of(data):
        return picture("image/png", base64.b64encode(data).decode(), bounds.MAX_IMAGE).size.work

    basis = work_of(with_chunk(plain, b"iCCP", b"x" * FREE))
    assert basis == work_of(plain) * BY_TABLE
    assert work_of(good) < 2_000_000
    assert work_of(with_chunk(plain, b"iCCP", b"x" * (FREE + 10))) == basis + 10 * PACKED
    # As measured: a hundredth of a page's seven seconds and a little more, so that all bombs keep within them.
    assert bounds.MAX_WORK / 50 < work_of(with_chunk(plain, b"iCCP", bomb)) < bounds.MAX_WORK / 40
    handed = base64.b64encode(with_chunk(plain, b"iCCP", bomb)).decode()
    outputs = [new_output("display_data", {"image/png": handed}) for _ in range(40)]
    cells = [new_code_cell("1", outputs=outputs[:20]), new_code_cell("1", outputs=outputs[20:])]
    _, resources = steps.CleanOutputs().preprocess(new_notebook(cells=cells), {})
    assert resources[steps.MARKDOWN_ROOM].work < bounds.MAX_WORK / 4


@pytest.mark.parametrize(
    ("kind", "data", "plain"),
    [
        ("image/jpeg", with_more(jpeg(), *OTHERS, behind=jpeg()), jpeg()),
        ("image/png", with_chunk(png(), b"gmAP", png()), png()),
    ],
)
def test_this_holds_for_every_way_onto_a_page(kind, data, plain):
    """Attached, as an output, in HTML that was shown, in a text."""
    handed, wanted = (base64.b64encode(one).decode() for one in (data, plain))
    spaced = "\n".join(handed[n : n + 70] for n in range(0, len(handed), 70))
    image = f'<img src="data:{kind};base64,{spaced}">'
    attached = new_markdown_cell("![x](attachment:a)", attachments={"a": {kind: handed}})
    outputs = [new_output("display_data", {kind: spaced}), new_output("display_data", {"text/html": image})]
    cells = [attached, new_code_cell("1", outputs=outputs)]
    nb, _ = steps.CleanOutputs().preprocess(new_notebook(cells=cells), {})
    page = f'<img src="data:{kind};base64,{wanted}">'
    assert nb.cells[0].attachments == {"a": {kind: wanted}}
    assert nb.cells[1].outputs[0].data == {kind: wanted}
    assert nb.cells[1].outputs[1].data["text/html"] == page
    assert clean_html(image) == page
    assert f'src="data:{kind};base64,{wanted}"' in student_markdown(attached)
    assert f'src="data:{kind};base64,{wanted}"' in student_markdown(f"words {image}".replace("\n", ""))


def test_what_is_left_out_takes_no_room():
    room = bounds.Allowance()
    data = base64.b64encode(with_more(jpeg(), behind=bytes(1_000_000))).decode()
    cell = new_code_cell("1", outputs=[new_output("display_data", {"image/jpeg": data})])
    nb, resources = steps.CleanOutputs().preprocess(new_notebook(cells=[cell]), {})
    used = room.image_bytes - resources[steps.MARKDOWN_ROOM].image_bytes
    assert used == len(nb.cells[0].outputs[0].data["image/jpeg"]) < 10_000
