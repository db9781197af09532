"""Pictures inside of HTML and Markdown: they take of the room that pictures in outputs have."""

import base64
import io
import struct
import zlib

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image, ImageCms

from grader.core.images import work
from grader.feedback import bounds, steps
from grader.feedback.sanitise import student_markdown


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(number, side=4_000, interlaced=False):
    """Return a PNG picture of few bytes and many pixels, in base64; its lines are not in the order that it names."""
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, interlaced)
    rows = zlib.compress((b"\0" + bytes(side // 8)) * side, 9)
    parts = chunk(b"IHDR", header), chunk(b"tEXt", b"n\0%d" % number), chunk(b"IDAT", rows), chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def image(data):
    return f'<img src="data:image/png;base64,{data}">'


def cleaned(*cells):
    notebook, resources = steps.CleanOutputs().preprocess(new_notebook(cells=list(cells)), {})
    return notebook, resources[steps.MARKDOWN_ROOM]


def shows(*data):
    return new_code_cell("show()", outputs=[new_output("display_data", one) for one in data])


def test_pictures_in_html_take_of_the_room_that_those_in_outputs_take_of():
    pictures = [png(number, 80) for number in range(50)]
    outputs = [{"image/png": data} for data in pictures[:30]]
    outputs.append({"text/html": "".join(map(image, pictures))})
    notebook, room = cleaned(shows(*outputs))
    shown = "".join(output.data.get("text/html", "") for output in notebook.cells[0].outputs)
    assert shown.count("<img") == bounds.MAX_IMAGES - 30
    assert shown.count("[a picture that is not shown]") == 20
    assert room.images == 0
    assert "<img" not in student_markdown(f"See {image(pictures[0])}", room)


def test_the_work_for_pictures_in_html_and_markdown_is_bounded():
    pictures = [png(number, 4_000, interlaced=True) for number in range(30)]
    each = work("image/png", pictures[0], bounds.MAX_IMAGE)
    most = bounds.MAX_WORK // each
    assert 5 < most < 15
    notebook, room = cleaned(shows(*({"text/html": image(data)} for data in pictures[:5])))
    assert all("<img" in output.data["text/html"] for output in notebook.cells[0].outputs)
    shown = [student_markdown(f"Here: {image(data)}", room) for data in pictures[5:]]
    assert sum(text.count("<img") for text in shown) == most - 5


def test_a_picture_that_is_attached_counts_once():
    data = png(0, 80)
    cell = new_markdown_cell("![s](attachment:a.png)", attachments={"a.png": {"image/png": data}})
    notebook, room = cleaned(cell)
    assert room.images == bounds.MAX_IMAGES - 1
    assert "<img" in student_markdown(notebook.cells[0], room)
    assert room.images == bounds.MAX_IMAGES - 1


def test_a_picture_whose_lines_come_in_turns_counts_more():
    once, often = (work("image/png", png(0, 800, order), bounds.MAX_IMAGE) for order in (False, True))
    assert often == 3 * once > 0


#: The profile of a camera: three primaries and curves.
CAMERA = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def jpeg(mode, profile=None, progressive=False):
    """Return a JPEG picture in base64, and in how many scans it is."""
    buffer = io.BytesIO()
    Image.new(mode, (40, 30)).save(buffer, "jpeg", icc_profile=profile, progressive=progressive)
    return base64.b64encode(buffer.getvalue()).decode(), buffer.getvalue().count(b"\xff\xda")


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_counts_more_if_its_colours_are_changed(progressive):
    """A browser takes four times as long if a profile holds a table, as that of a press does."""
    plain, scans = jpeg("RGB", None, progressive)
    basis = work("image/jpeg", plain, bounds.MAX_IMAGE)
    assert basis == 40 * 30 * 2 * scans
    long, table = bytes(70_000), b"tags A2B0 and a table"  # the former goes over into a second segment
    given = [("L", None, 1), ("RGB", long, 4), ("RGB", table, 4), ("CMYK", None, 2), ("CMYK", table, 8)]
    for mode, profile, times in [*given, ("CMYK", CAMERA, 8)]:
        data, many = jpeg(mode, profile, progressive)
        assert work("image/jpeg", data, bounds.MAX_IMAGE) == times * basis * many // scans
    data, _ = jpeg("RGB", CAMERA, progressive)
    assert work("image/jpeg", data, bounds.MAX_IMAGE) == basis + 40 * 30 * 2


@pytest.mark.parametrize("progressive", [False, True])
def test_seven_photos_of_a_camera_are_shown(progressive):
    """With a profile, and as many scans as usual programs write."""
    buffer = io.BytesIO()
    Image.new("RGB", (4_000, 3_000)).save(buffer, "jpeg", icc_profile=CAMERA, progressive=progressive)
    photos = [base64.b64encode(buffer.getvalue() + bytes(n)).decode() for n in range(7)]
    shown, _ = cleaned(shows(*({"image/jpeg": photo} for photo in photos)))
    assert sum("image/jpeg" in output.data for output in shown.cells[0].outputs) == 7


def test_samples_of_16_bits_count_twice():
    plain = base64.b64decode(png(0, 80))
    deep = plain[:16] + struct.pack(">IIBBBBB", 80, 80, 16, 0, 0, 0, 0)
    deep += struct.pack(">I", zlib.crc32(deep[12:])) + plain[33:]
    assert work("image/png", base64.b64encode(deep).decode(), bounds.MAX_IMAGE) == 8 * 80 * 80


@pytest.mark.parametrize("kind", [b"iCCP", b"gAMA", b"cHRM"])
def test_a_png_counts_more_if_its_colours_are_changed(kind):
    plain = base64.b64decode(png(0, 80))
    with_profile = base64.b64encode(plain[:33] + chunk(kind, b"x" * 40) + plain[33:]).decode()
    assert work("image/png", with_profile, bounds.MAX_IMAGE) == 4 * work("image/png", png(0, 80), bounds.MAX_IMAGE)
